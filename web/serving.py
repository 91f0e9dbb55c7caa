"""How does the server run? As one process on the loopback address.

Example:
    towerlab serve --port 8090 --no-browser
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from towerlab.analysis import present
from towerlab.games.errors import TowerlabError
from towerlab.web import answering
from towerlab.web.app import TableServer
from towerlab.web.guard import write_opening_page
from towerlab.web.questions import QuestionForm

ADDRESS: Final = "127.0.0.1"
HEADER_SECONDS: Final = 10.0
TRIM_SECONDS: Final = 60.0
END_SECONDS: Final = 1.0  # for answers that are under way; then the server ends without them


class PatientProtocol(H11Protocol):
    """Closes a connection whose next request has not come whole, but for its body, in `HEADER_SECONDS`."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def _watch(self) -> None:
        """Limit the time until the next request is whole, not anew with every byte; no limit while one is answered."""
        is_asked = self.cycle is not None and not self.cycle.response_complete
        if is_asked and self._late is not None:
            self._late.cancel()
            self._late = None
        elif not is_asked and self._late is None:
            self._late = self.loop.call_later(HEADER_SECONDS, self.transport.close)


class PatientServer(uvicorn.Server):
    """Ends as after SIGTERM when its terminal is closed: an exception raised inside a request would be lost in it.

    Args:
        config: the configuration of uvicorn.
        leave: called with the signal that ended the server while requests still ran in threads, which nothing ends.
    """

    def __init__(self, config: uvicorn.Config, leave: Callable[[int], object]) -> None:
        super().__init__(config)
        self._leave = leave

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End questions of forms at once, and the program in `END_SECONDS`."""
        answering.end_processes()
        leaving = threading.Timer(END_SECONDS, self._leave, self._captured_signals[-1:])
        leaving.daemon = True
        leaving.start()
        await super().shutdown(sockets)
        leaving.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        hang_up = getattr(signal, "SIGHUP", None)
        with super().capture_signals(), contextlib.ExitStack() as ends:
            is_main = threading.current_thread() is threading.main_thread()
            if hang_up and is_main and signal.getsignal(hang_up) != signal.SIG_IGN:  # `nohup`
                ends.callback(signal.signal, hang_up, signal.signal(hang_up, self.handle_exit))
            yield


def serve(
    folder: Path,
    port: int,
    open_browser: bool,
    quiet: bool = False,
    *,
    questions: Sequence[QuestionForm] = (),
    own: Sequence[str] = (),
) -> None:
    """Serve the tables of a folder until interrupted.

    Args:
        folder: the folder of the sessions.
        port: the port to listen on; 0 for any that is free.
        open_browser: whether to open a page on it.
        quiet: whether the address is not printed.
        questions: the questions that can be asked in forms.
        own: players of the user's that are offered besides ours.

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
    answering.watch_compiling()
    server = TableServer(folder, questions, own)
    app = server.application(hosts)
    address = f"http://{ADDRESS}:{bound}/?key={server.key}"
    door = write_opening_page(folder, bound, address)
    present.note(f"the table is at {address} (Ctrl-C ends it); games are saved in {folder}", quiet)
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="error",
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=16384,
    )
    if open_browser:
        threading.Timer(0.5, webbrowser.open, (door.as_uri(),)).start()
    threading.Thread(target=_give_back_memory, daemon=True).start()

    def leave(number: int = signal.SIGTERM) -> None:
        door.unlink(missing_ok=True)
        print("towerlab: interrupted", file=sys.stderr, flush=True)
        os._exit(128 + number)

    try:
        PatientServer(config, leave).run(sockets=[listening])
    finally:
        with contextlib.suppress(OSError):
            door.unlink()


def _give_back_memory() -> None:
    """Every minute what the allocator keeps though nobody needs it: 100 to 200 MB once kernels have been compiled."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # where there is no glibc
        trim = ctypes.CDLL(None).malloc_trim
        while True:
            time.sleep(TRIM_SECONDS)
            trim(0)
