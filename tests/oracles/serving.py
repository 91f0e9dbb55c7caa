"""A server of the table for tests: in a process of its own, or without one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from towerlab.web.app import TableServer

HOST = "127.0.0.1:8080"
ROOT = Path(__file__).resolve().parents[2]


def visit(server: TableServer) -> TestClient:
    """Somebody who has opened the address that the server prints."""
    app = server.application(frozenset({HOST}))
    client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)
    assert client.get("/", params={"key": server.key}).status_code == 200
    return client


def key_of(folder: Path, port: int) -> str:
    """The key of the server of a folder, out of the file that the browser is opened with."""
    return (folder / f".open-{port}.html").read_text().partition("?key=")[2].partition('"')[0]


def address(folder: Path, port: int, page: str = "") -> str:
    """Of a page, with the key of the folder."""
    return f"http://127.0.0.1:{port}/{page}{'&' if '?' in page else '?'}key={key_of(folder, port)}"


_RESERVED: list[socket.socket] = []


def free_port() -> int:
    """A port of the loopback address that nobody else is given while these tests run; the server may listen on it."""
    _RESERVED.append(probe := socket.socket())
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    return int(probe.getsockname()[1])


@contextmanager
def served(
    folder: Path, port: int, browser: bool = False, stderr: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """The server, until it is ended or killed."""
    command = [sys.executable, "-m", "towerlab", "serve", "--port", str(port), "--folder", str(folder)]
    command += [] if browser else ["--no-browser"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=stderr, env=dict(os.environ))
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/static/icon.svg", timeout=60).close()
                break
            except OSError:
                time.sleep(0.1)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=300)
