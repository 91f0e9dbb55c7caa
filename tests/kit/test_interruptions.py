"""Signals that end a program, at the moments at which an exception would be lost or would crash the process."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from tests.conftest import exhaustive, run_python
from tests.kit.test_compilers import COMPILERS
from towerlab import cli
from towerlab.games import jit
from towerlab.games.cache_folder import hold_signals
from towerlab.web.serving import PatientServer

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EVERY = 10**6
AT_LOCKS = r"""
import itertools, json, os, signal, sys
import numba
from numba.core import event
from towerlab import cli

class Place(event.Listener):
    def __init__(self, number):
        self.left = number

    def on_start(self, event):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGTERM)

    on_end = on_start

def run(number):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(300)
        os.dup2(os.open("said", os.O_RDWR | os.O_CREAT | os.O_TRUNC), 1), os.dup2(1, 2)
        place = Place(number)
        for lock in ("numba:compiler_lock", "numba:llvm_lock"):
            event.register(lock, place)
        words = "simulate towers --players builder,novice --games 2 --jobs 1 --quiet --transcripts o.jsonl"
        sys.argv = ["towerlab", *words.split()]
        status = 0
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        os.write(writing, str(number - place.left).encode())
        sys.exit(status)
    os.close(writing)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    places = int(os.read(reading, 20) or 0)
    os.close(reading)
    left = sorted({*os.listdir()} - {"said"})
    for name in left:
        os.unlink(name)
    return status, open("said").read(), left, places

run(0)  # compiles
status, said, left, places = run(0)
assert status == 0 and left == ["o.jsonl"], said
for number in range(1, places + 1, max(1, places // SAMPLE)):
    print(json.dumps([number, *run(number)[:3]]), flush=True)
"""


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
    server = PatientServer(uvicorn.Config(lambda: None), print)
    with pytest.raises(KeyboardInterrupt) as raised, server.capture_signals():
        with contextlib.suppress(BaseException):  # what uvicorn does with an exception in a request
            signal.raise_signal(signal.SIGHUP)
        assert server.should_exit
    assert getattr(raised.value, "signal", None) == signal.SIGHUP


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="compiles kernels")
@pytest.mark.parametrize(
    "compiler, sample", [("towerlab's", 4), ("numba's", 1), exhaustive("towerlab's", EVERY), exhaustive("numba's", 30)]
)
def test_a_signal_at_a_lock_of_numba_ends_the_command_in_one_line(compiler: str, sample: int, tmp_path: Path) -> None:
    program = COMPILERS[compiler] + AT_LOCKS.replace("SAMPLE", str(sample))
    rows = run_python("-c", program, cwd=tmp_path, timeout=3000).stdout.splitlines()
    assert len(rows) >= sample or sample == EVERY
    for number, status, said, left in map(json.loads, rows):
        assert status == 128 + signal.SIGTERM, (number, status, said)
        *before, last = filter(None, said.splitlines())
        assert last == "towerlab: interrupted" and not left, (number, said, left)
        assert all(line.startswith(("note: ", "compiling ")) for line in before), (number, said)


def test_signals_that_were_held_back_are_delivered_also_after_an_error_inside() -> None:
    cli.end_tidily()
    before = [signal.getsignal(number) for number in ENDS]
    done = []
    with pytest.raises(KeyboardInterrupt) as raised, hold_signals(), hold_signals():
        signal.raise_signal(signal.SIGTERM)
        done.append("compiled")
        raise ValueError
    assert done and getattr(raised.value, "signal", None) == signal.SIGTERM
    assert [signal.getsignal(number) for number in ENDS] == before


@pytest.mark.parametrize(
    ("words", "answers"),
    [("play towers --seed 3 --record game.jsonl", "1\n1\n"), ("record towers --out game.jsonl", "T 3 5 6 8\n")],
)
def test_a_game_whose_program_is_killed_is_taken_up_where_it_was(words: str, answers: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    command = [sys.executable, "-m", "towerlab"]
    with subprocess.Popen(
        [*command, *words.split()], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as run:
        assert run.stdin is not None
        run.stdin.write(answers.encode())
        run.stdin.flush()
        ends = time.monotonic() + 300
        while run.poll() is None and time.monotonic() < ends and not (path.exists() and path.stat().st_size):
            time.sleep(0.05)
        run.kill()
    before = path.read_text(encoding="utf-8")
    whole = before[: before.rfind("\n") + 1]
    again = [*command, words.split()[0], "--resume", str(path)]
    done = subprocess.run(again, input=b"q\n", capture_output=True, timeout=300)
    assert done.returncode == 0 and b"Traceback" not in done.stderr, done.stderr
    assert whole and path.read_text(encoding="utf-8").startswith(whole)
