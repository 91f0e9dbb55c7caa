"""Who may ask: a browser of this user that speaks to us by our name, not too much and not too often.

Everybody on the computer can connect to the loopback address. So every page wants the key of the folder: in the address
that is printed (``?key=…``), from then on in a cookie. The address that a browser is opened with stands in the list of
processes for all to see; its key is good for one request.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from towerlab.analysis.saved_games import write_whole
from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import read_text

LARGEST_BODY: Final = 64_000
LARGEST_TARGET: Final = 4_000
REQUESTS_A_SECOND: Final = 200
AT_ONCE: Final = 600
BODY_SECONDS: Final = 20.0
KEY_FILE: Final = ".key"
_OPEN: Final = "/static/"  # has nothing of anybody

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


def folder_key(folder: Path) -> str:
    """The key of a folder of games; made where there is none, and kept, so that pages outlive the server.

    Raises:
        TowerlabError: it cannot be written.
    """
    path = folder / KEY_FILE
    try:
        kept = read_text(path, "a key", 1000).strip()
    except TowerlabError:
        kept = ""
    if re.fullmatch(r"[\w-]{32}", kept, re.ASCII):
        return kept
    made = secrets.token_urlsafe(24)
    write_whole(path, made + "\n", is_private=True)
    return made


class Guard:
    """Refuses what a page of somebody else, or a program gone wild, could send; adds the headers of a strict page.

    Args:
        app: behind it.
        hosts: what the Host header may say.
        key: who has it may ask.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], key: str) -> None:
        self._app, self._hosts, self._key = app, hosts, key
        self._invitations: set[str] = set()
        self._left, self._at = float(AT_ONCE), time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        cookie, refused = self._admit(scope)
        if refused is None:
            try:
                body, refused = await asyncio.wait_for(self._body(receive), BODY_SECONDS)
            except TimeoutError:
                refused = 408, f"the request took longer than {BODY_SECONDS:.0f} seconds"
        if refused is not None:
            status, why = refused
            await PlainTextResponse(f"{why}\n", status, _HEADERS)(scope, receive, send)
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
                message["headers"] = [*message.get("headers", ()), *cookie, *Headers(_HEADERS).raw]
            await send(message)

        await self._app(scope, once, guarded)

    def invite(self) -> str:
        """A key for one request."""
        made = secrets.token_urlsafe(24)
        self._invitations.add(made)
        return made

    def _admit(self, scope: Scope) -> tuple[list[tuple[bytes, bytes]], tuple[int, str] | None]:
        """The cookie for who came with a key, and why the request is refused, if it is; the key leaves the query."""
        fields = scope["query_string"].split(b"&")
        given = [field[4:].decode("latin-1") for field in fields if field.startswith(b"key=")]
        scope["query_string"] = b"&".join(field for field in fields if not field.startswith(b"key="))
        headers = dict(scope["headers"])
        name = b"towerlab-" + headers.get(b"host", b"").rpartition(b":")[2]
        cookies = [part.strip() for part in headers.get(b"cookie", b"").split(b";")]
        refused = self._refusal(scope)
        if refused or scope["path"].startswith(_OPEN):
            return [], refused
        own = b"%s=%s" % (name, self._key.encode())
        if any(secrets.compare_digest(own, cookie) for cookie in cookies):
            return [], None
        known = {key for key in given if secrets.compare_digest(key.encode(), self._key.encode())}
        if invited := self._invitations.intersection(given):
            self._invitations -= invited
        if known or invited:
            return [(b"set-cookie", own + b"; Path=/; HttpOnly; SameSite=Strict")], None
        return [], (403, "open the address that `towerlab serve` has printed; it holds the key to these pages")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if any(len(headers.getlist(name)) > 1 for name in ("host", "origin", "content-length")):
            return 400, "a header stands twice"
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server answers to its own address only"
        origins = {f"http://{name}" for name in self._hosts}
        is_foreign = any(origin.lower() not in origins for origin in headers.getlist("origin"))
        if is_foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
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
    async def _body(receive: Receive) -> tuple[bytes, tuple[int, str] | None]:
        parts, size = [], 0
        try:
            async for part in Request({"type": "http"}, receive).stream():
                size += len(part)
                if size > LARGEST_BODY:
                    return b"", (413, f"the request is larger than {LARGEST_BODY} bytes")
                parts.append(part)
        except ClientDisconnect:
            return b"", (400, "the request was broken off")
        return b"".join(parts), None
