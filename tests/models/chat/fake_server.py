"""A chat server on this machine that misbehaves as it is told, one behaviour a request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(text: Any) -> bytes:
    """The body of a good answer."""
    return json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}).encode()


@dataclass(frozen=True)
class Reply:
    """What to answer. ``hang``: say nothing until the server closes; ``drip``: a byte now and then, never the end."""

    status: int = 200
    body: bytes = completion("yes")
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    drip: bool = False
    drop: bool = False


@dataclass
class FakeServer:
    """Its address, and every request it got (headers and body)."""

    url: str
    requests: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies alone."""
        return [body for _, body in self.requests]


@contextmanager
def serving(answer: Callable[[int, dict[str, Any]], Reply]) -> Iterator[FakeServer]:
    """Serve; ``answer`` is told the number of the request (from 0) and its body."""
    lock, closing = threading.Lock(), threading.Event()
    now = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            nonlocal now
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(fake.requests)
                fake.requests.append((dict(self.headers), body | {"path": self.path}))
                now += 1
                fake.most_at_once = max(fake.most_at_once, now)
            reply = answer(number, body)
            with lock:
                now -= 1
            self.close_connection = True
            if reply.hang:
                closing.wait(20)
                return
            if reply.drop:
                return
            # what a server that keeps connections may do to a client that reuses one is httpx's affair: each request gets its own
            plain = {"Content-Type": "application/json", "Content-Length": str(len(reply.body)), "Connection": "close"}
            self.send_response(reply.status)
            for key, value in (plain | reply.headers).items():
                self.send_header(key, value)
            self.end_headers()
            try:
                for byte in reply.body if reply.drip else b"":
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    if closing.wait(0.05):
                        return
                if not reply.drip:
                    self.wfile.write(reply.body)
            except OSError:
                pass  # the client has left

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        fake = FakeServer(f"http://127.0.0.1:{http.server_address[1]}/v1")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield fake
        finally:
            closing.set()
            http.shutdown()
            thread.join()


def scripted(*replies: Reply) -> Callable[[int, dict[str, Any]], Reply]:
    """One reply after another, the last for ever."""
    return lambda number, body: replies[min(number, len(replies) - 1)]
