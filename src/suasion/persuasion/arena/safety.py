"""What stands before the pages: headers that forbid everything a page does not need, limits on size, time and rate, checks of where a
form comes from."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
    "Cache-Control": "no-store",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
MOST_BYTES = 64_000
MOST_FIELDS = 60
SECONDS = 20.0
_BODY = "suasion.arena.body"


class Guard:
    """Reads a request's whole body, within limits, before anything else does, and lays the headers on every reply."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        try:
            body = await asyncio.wait_for(_whole_body(receive), SECONDS)
        except TimeoutError:
            await PlainTextResponse("The request did not arrive in time.", 408)(scope, receive, with_headers)
            return
        if body is None:
            await PlainTextResponse("The request is too large.", 413, {"Connection": "close"})(scope, receive, with_headers)
            return
        scope[_BODY] = body
        await self.app(scope, receive, with_headers)


async def _whole_body(receive: Receive) -> bytes | None:
    """``None`` where it is too large."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return bytes(body)


def form_of(request: Request) -> dict[str, str]:
    """The fields of a posted form (the last one, where a name stands twice); empty where it is not a form."""
    body: bytes = request.scope.get(_BODY, b"")
    try:
        fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="replace")
    except ValueError:
        return {}
    # Browsers send line breaks as CR LF; control characters have no place in an answer.
    return {name: "".join(sign for sign in value.replace("\r\n", "\n") if sign >= " " or sign == "\n") for name, value in fields}


def is_from_here(request: Request) -> bool:
    """Whether a post comes from a page of ours, as far as the browser tells; the form's token must fit besides."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


class RateLimit:
    """So many requests a second to each key, after a burst; a bucket of tokens that fills up again. Safe in threads."""

    _MOST_KEYS = 20_000

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second, self.burst, self._clock = per_second, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, key: str) -> bool:
        """Count one request of this key; whether it is within the limit."""
        now = self._clock()
        with self._lock:
            tokens, then = self._buckets.pop(key, (self.burst, now))
            tokens = min(self.burst, tokens + (now - then) * self.per_second)
            allowed = tokens >= 1
            self._buckets[key] = (tokens - 1 if allowed else tokens, now)
            if len(self._buckets) > self._MOST_KEYS:  # whoever has not come for longest has a full bucket anyway, or nearly
                self._buckets.popitem(last=False)
            return allowed
