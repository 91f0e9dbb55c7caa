"""A headless Chromium driven over its own debugging pipe: no driver package, no port, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")
PATIENCE = 180  # seconds for one answer: the server may have to compile, beside others that do


class Browser(AbstractContextManager["Browser"]):
    """One open page; `events` collects what the browser reports (console messages, requests, exceptions)."""

    def __init__(self, page: Path) -> None:
        assert PROGRAM is not None
        self.events: list[dict[str, Any]] = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The browser reads commands from its descriptor 3 and writes answers to 4.
        pipes = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", pipes, "-", PROGRAM, f"--user-data-dir={self._profile.name}", *FLAGS],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.open(page)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the DevTools protocol and its result."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], PATIENCE)
            part = os.read(self._in, 1 << 16) if ready else b""
            assert part, "the browser has gone or does not answer"
            self._buffer += part
        first, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message

    def open(self, page: Path | str) -> None:
        """Load a file, or an address, and wait for it."""
        self.run("window.isLeft = true")
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        loaded = "!window.isLeft && document.readyState === 'complete' && document.URL !== 'about:blank'"
        while not self.holds(loaded):  # an event may be of the page before
            assert time.monotonic() < until, page
            time.sleep(0.004)

    def press(self, key: str) -> None:
        """A key, as a keyboard sends it."""
        named = {"Enter": ("\r", 13), "Tab": ("", 9), "ArrowLeft": ("", 37), "ArrowRight": ("", 39)}
        text, code = named.get(key, (key, 0))
        for kind in ("keyDown", "keyUp"):
            said = text if kind == "keyDown" else ""
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=said, windowsVirtualKeyCode=code)

    def seen(self, method: str) -> list[dict[str, Any]]:
        """Parameters of every event of that name so far."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def holds(self, script: str) -> bool:
        """Whether an expression is true in the page; not while one page follows another."""
        try:
            return bool(self.run(script))
        except AssertionError:
            return False

    def look(self, *, dark: bool = False, width: int = 1100, height: int = 800, phone: bool = False) -> None:
        """Set the colour scheme and the size of the window."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def pdf(self, file: Path) -> None:
        """The page as it is printed."""
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        file.write_bytes(base64.b64decode(answer["data"]))

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()
