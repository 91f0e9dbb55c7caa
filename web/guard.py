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

from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

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


class Guard(BaseHTTPMiddleware):
    """Refuses what a page of somebody else, or a program gone wild, could send; adds the headers of a strict page.

    Args:
        app: behind it.
        hosts: what the Host header may say; all with the same port.
        key: who has it may ask.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], key: str) -> None:
        super().__init__(app)
        self._hosts, self._key, self._cookie = hosts, key, f"towerlab-{min(hosts).rpartition(':')[2]}"
        self._invitations: set[str] = set()
        self._left, self._at = float(AT_ONCE), time.monotonic()

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Answer a request, or refuse it; the key leaves the query."""
        given, fields = request.query_params.getlist("key"), request.scope["query_string"].split(b"&")
        request.scope["query_string"] = b"&".join(field for field in fields if not field.startswith(b"key="))
        refused, has_come = self._refusal(request), False
        is_known = request.url.path.startswith(_OPEN) or self._is_key(request.cookies.get(self._cookie, ""))
        if not refused and not is_known:
            has_come = bool(self._invitations.intersection(given)) or any(map(self._is_key, given))
            self._invitations.difference_update(given)
            if not has_come:
                refused = 403, "open the address that `towerlab serve` has printed; it holds the key to these pages"
        response = PlainTextResponse(f"{refused[1]}\n", refused[0]) if refused else await call_next(request)
        response.headers.update(_HEADERS)
        if has_come:
            response.set_cookie(self._cookie, self._key, httponly=True, samesite="strict")
        return response

    def invite(self) -> str:
        """A key for one request."""
        made = secrets.token_urlsafe(24)
        self._invitations.add(made)
        return made

    def _is_key(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._key.encode())

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        headers, scope = request.headers, request.scope
        if any(len(headers.getlist(name)) > 1 for name in ("host", "origin", "content-length")):
            return 400, "a header stands twice"
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server answers to its own address only"
        own = {f"http://{name}" for name in self._hosts}
        is_foreign = not {origin.lower() for origin in headers.getlist("origin")} <= own
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


async def read_body(request: Request) -> bytes:
    """Return what a request has sent.

    Raises:
        HTTPException: it is too large, does not come in time or not to its end.
    """
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                if len(body := body + part) > LARGEST_BODY:
                    raise HTTPException(413, f"the request is larger than {LARGEST_BODY} bytes")
    except TimeoutError as error:
        raise HTTPException(408, f"the request took longer than {BODY_SECONDS:.0f} seconds") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "the request was broken off") from error
    return body
