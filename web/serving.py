"""The server: one process on the loopback address."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import uvicorn

from analysis import present
from games.errors import TowerlabError
from web.app import build
from web.questions import Question

ADDRESS: Final = "127.0.0.1"


def serve(
    folder: Path, port: int, open_browser: bool, quiet: bool = False, *, questions: Sequence[Question] = ()
) -> None:
    """Serve the tables of a folder until interrupted.

    Args:
        folder: of the sessions.
        port: to listen on; 0 for any that is free.
        open_browser: whether to open a page on it.
        quiet: no note of the address.
        questions: what can be asked in forms.

    Raises:
        TowerlabError: the port is in use.
    """
    # The protocol is named since asyncio sends without delay only where it is: else every answer waits 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
    except OSError as error:
        raise TowerlabError(
            f"port {port} cannot be used: {error.strerror}; expected a free one, or --port 0"
        ) from error
    bound = listening.getsockname()[1]
    hosts = frozenset(f"{name}:{bound}" for name in (ADDRESS, "localhost"))
    folder.mkdir(parents=True, exist_ok=True)
    address = f"http://{ADDRESS}:{bound}/"
    present.note(f"the table is at {address} (Ctrl-C ends it); games are saved in {folder}", quiet)
    config = uvicorn.Config(
        build(folder, hosts, questions),
        log_level="error",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=16384,
    )
    if open_browser:
        threading.Timer(0.5, webbrowser.open, (address,)).start()
    uvicorn.Server(config).run(sockets=[listening])
