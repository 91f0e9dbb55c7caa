"""Who may ask: a browser on this computer that speaks to us by our name, not too much and not too often."""

from __future__ import annotations

import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 64_000
LARGEST_TARGET: Final = 4_000
REQUESTS_A_SECOND: Final = 200
AT_ONCE: Final = 600

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Refuses what a page of somebody else, or a program gone wild, could send; adds the headers of a strict page.

    Args:
        app: behind it.
        hosts: what the Host header may say.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts
        self._left, self._at = float(AT_ONCE), time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is None:
            body, refused = await self._body(scope, receive)
        if refused is not None:
            await self._refuse(send, *refused)
            return

        sent = False

        async def once() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await self._app(scope, once, guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin", b"content-length"):
                return 400, "a header stands twice"
            headers[name] = value
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self._hosts:
            return 421, "this server answers to its own address only"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in {f"http://{name}" for name in self._hosts}:
            return 403, "the request comes from another page"
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return 403, "the request comes from another page"
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LARGEST_TARGET:
            return 414, "the address is too long"
        return None if self._may_pass() else (429, "too many requests; wait a moment")

    def _may_pass(self) -> bool:
        now = time.monotonic()
        self._left = min(float(AT_ONCE), self._left + (now - self._at) * REQUESTS_A_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @staticmethod
    async def _body(scope: Scope, receive: Receive) -> tuple[bytes, tuple[int, str] | None]:
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"", (400, "the request was broken off")
            part = message.get("body", b"")
            size += len(part)
            if size > LARGEST_BODY:
                return b"", (413, f"the request is larger than {LARGEST_BODY} bytes")
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts), None

    @staticmethod
    async def _refuse(send: Send, status: int, why: str) -> None:
        headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{why}\n".encode()})
