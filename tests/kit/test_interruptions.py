"""Signals that end a program, at the moments at which an exception would be lost or would crash the process."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator

import pytest
import uvicorn

from towerlab import cli
from towerlab.web.serving import PatientServer

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = [signal.getsignal(number) for number in ENDS]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ENDS[1:]:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in zip(ENDS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("ended", ENDS)
def test_no_exception_rises_in_ctypes_where_numba_takes_a_generator_apart(ended: signal.Signals) -> None:
    cli.end_tidily()
    inside = {"__name__": "ctypes", "signal": signal}
    exec("def cast(number):\n    signal.raise_signal(number)\n    return 'unharmed'", inside)
    with pytest.raises(KeyboardInterrupt) as raised:
        assert inside["cast"](ended) == "unharmed"  # type: ignore[operator]
        began = time.monotonic()
        time.sleep(60)
    assert getattr(raised.value, "signal", None) == ended
    assert time.monotonic() - began < 30  # the wait was ended


def test_a_request_does_not_swallow_the_end_of_the_terminal() -> None:
    cli.end_tidily()
    server = PatientServer(uvicorn.Config(lambda: None))
    with pytest.raises(KeyboardInterrupt) as raised, server.capture_signals():
        with contextlib.suppress(BaseException):  # what uvicorn does with an exception in a request
            signal.raise_signal(signal.SIGHUP)
        assert server.should_exit
    assert getattr(raised.value, "signal", None) == signal.SIGHUP
