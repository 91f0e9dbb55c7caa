"""Who may ask the server? A browser of this user that names our host, with requests of limited size and number.

Every user of the computer can connect to the loopback address. So a page needs the key that the server made at its
start, which is part of the printed address (``?key=…``). The first use of the key begins a session, whose cookie opens
the pages from then on. Other users can also read a program's arguments; so the browser is opened with a file that only
this user can read, and that leads to the address.

    towerlab serve --port 8090 --no-browser
"""

import asyncio
import secrets
import time
from collections import deque
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from towerlab.analysis.whole_files import write_whole

LARGEST_BODY: Final = 64_000
LARGEST_TARGET: Final = 4_000
REQUESTS_A_SECOND: Final = 200
AT_ONCE: Final = 600
BODY_SECONDS: Final = 20.0
MOST_SESSIONS: Final = 1000
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


def write_opening_page(folder: Path, port: int, address: str) -> Path:
    """Write the file that leads a browser to an address and return its path.

    Raises:
        TowerlabError: it cannot be written.
    """
    path = folder.resolve() / f".open-{port}.html"
    page = f'<!doctype html><title>towerlab</title><meta http-equiv="refresh" content="0; url={address}">\n'
    write_whole(path, page, is_private=True)
    return path


class Guard(BaseHTTPMiddleware):
    """Refuses requests from other pages and from programs that ask too much; adds the headers of a strict page.

    Args:
        app: the application that answers.
        hosts: the allowed values of the Host header; all with the same port.
        key: the key that begins a session.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], key: str) -> None:
        super().__init__(app)
        self._hosts = hosts
        self._key = key
        self._cookie = f"towerlab-{min(hosts).rpartition(':')[2]}"
        self._sessions = deque[str](maxlen=MOST_SESSIONS)
        self._left = {True: (float(AT_ONCE), time.monotonic()), False: (float(AT_ONCE), time.monotonic())}

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Answer a request, or refuse it; the key leaves the query."""
        given = request.query_params.getlist("key")
        fields = request.scope["query_string"].split(b"&")
        request.scope["query_string"] = b"&".join(field for field in fields if not field.startswith(b"key="))
        has_key = any(_is(text, self._key) for text in given)
        in_session = any(_is(request.cookies.get(self._cookie, ""), session) for session in self._sessions)
        refused = self._refusal(request, has_key, in_session)
        response = PlainTextResponse(f"{refused[1]}\n", refused[0]) if refused else await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        if has_key and not in_session and not refused:
            self._sessions.append(secrets.token_urlsafe(24))
            response.set_cookie(self._cookie, self._sessions[-1], httponly=True, samesite="strict")
        return response

    def _refusal(self, request: Request, has_key: bool, in_session: bool) -> tuple[int, str] | None:
        headers = request.headers
        scope = request.scope
        if any(len(headers.getlist(name)) > 1 for name in ("host", "origin", "content-length")):
            return 400, "a header stands twice"
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server answers to its own address only"
        own = {f"http://{name}" for name in self._hosts}
        is_foreign = not {origin.lower() for origin in headers.getlist("origin")} <= own
        is_opened = has_key and request.method == "GET"  # by our file, which is another page to the browser
        if is_foreign or not (is_opened or headers.get("sec-fetch-site", "none") in ("none", "same-origin")):
            return 403, "the request comes from another page"
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LARGEST_TARGET:
            return 414, "the address is too long"
        is_known = has_key or in_session
        if not self._may_pass(is_known):
            return 429, "too many requests; wait a moment"
        if not is_known and not request.url.path.startswith(_OPEN):
            return 403, "open the address that `towerlab serve` has printed; it holds the key to these pages"
        return None

    def _may_pass(self, is_known: bool) -> bool:
        """Return whether there are few enough requests: those of strangers do not count among the others."""
        left, at = self._left[is_known]
        now = time.monotonic()
        left = min(float(AT_ONCE), left + (now - at) * REQUESTS_A_SECOND)
        self._left[is_known] = max(left - 1, 0.0) if left >= 1 else left, now
        return left >= 1


def _is(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode(), secret.encode())


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
