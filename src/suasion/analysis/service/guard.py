"""What stands before the service: limits on the size and the time of a request, and the headers of every reply."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Reads the whole body before anything else does: 413 where it is too large, 408 where it comes too slowly."""

    def __init__(self, app: ASGIApp, most_bytes: int, seconds: float) -> None:
        self.app, self.most_bytes, self.seconds = app, most_bytes, seconds

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
            body = await asyncio.wait_for(self._body(scope, receive), self.seconds)
        except TimeoutError:
            await refusal(408, f"The request did not arrive within {self.seconds:g} s.")(scope, receive, with_headers)
            return
        if body is None:
            message = f"The request is larger than {self.most_bytes:,} bytes. Send fewer answers at a time."
            await refusal(413, message, {"Connection": "close"})(scope, receive, with_headers)
            return
        read = False

        async def again() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, again, with_headers)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """All of it; ``None`` where it is too large."""
        told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if told.isdigit() and int(told[:20]) > self.most_bytes:
            return None
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self.most_bytes:
                return None
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                return bytes(body)


def refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Any:
    """What is said instead of a result."""
    return JSONResponse({"error": message}, status, headers)
