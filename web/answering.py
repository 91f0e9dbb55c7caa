"""How do pages go on while a question is answered? A process of its own answers each question. This module also counts
the kernels that are being compiled, for pages that wait.

A process can be ended, a thread cannot. It is ended if its answer takes too long, if the browser has left, and with the
server. One process that has answered is kept for the next question, since its kernels are loaded.

    towerlab serve
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Final, NamedTuple

from numba.core.event import Event, Listener, register

from towerlab.analysis import present
from towerlab.games import cache_folder
from towerlab.web.questions import QuestionError, QuestionForm, answer_parts
from towerlab.web.sessions import TableBusyError

LONGEST: Final = 60.0  # seconds of an answer, or of compiling one kernel for it
MOST_AT_ONCE: Final = 4  # questions
LOOK_SECONDS: Final = 0.1
_PROCESSES: Final = multiprocessing.get_context("spawn")  # a copy of a process with threads may wait for itself
_free: Final = threading.Semaphore(MOST_AT_ONCE)
_idle: Final[list[_Process]] = []
_compiled_elsewhere: Final[dict[_Process, str]] = {}


class FormAnswer(NamedTuple):
    """The parts of an answer that a page shows, and the same answer as JSON."""

    parts: list[dict[str, Any]]
    json: str


def answer_apart(
    form: QuestionForm,
    values: Mapping[str, str],
    brought: Collection[str],
    has_left: threading.Event,
    patience: float,
) -> FormAnswer:
    """Return the answer to a form, from another process.

    Args:
        form, values, brought: the form, and the arguments of `QuestionForm.answer`.
        has_left: an event that is set when nobody waits for the answer any more.
        patience: seconds to wait while `MOST_AT_ONCE` other questions are answered.

    Raises:
        QuestionError: as of `QuestionForm.answer`, or no answer in `LONGEST` seconds.
        TableBusyError: other questions take longer than that.
    """
    if not _free.acquire(timeout=patience):
        raise TableBusyError("other questions are being answered; expected to be asked again in a second")
    try:
        process = _idle_or_new()
        is_kept = False
        try:
            reply = process.ask((dataclasses.replace(form), values, brought), has_left)
            is_kept = not _idle
        finally:
            _idle.append(process) if is_kept else process.end()
    finally:
        _free.release()
    if isinstance(reply, Exception):
        raise reply
    return FormAnswer(*reply)


def end_processes() -> None:
    """End all processes, and with them their questions."""
    for process in multiprocessing.active_children():
        process.kill()


def _idle_or_new() -> _Process:
    try:
        return _idle.pop()
    except IndexError:
        return _Process()


class _Process:
    """Answers one question after the other."""

    def __init__(self) -> None:
        self._questions, theirs = _PROCESSES.Pipe()
        self.process = _PROCESSES.Process(target=_answer_questions, args=(theirs,), daemon=True)
        with suppress(AttributeError):  # Windows has no masks
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which the terminal sends to all
        self.process.start()
        with suppress(AttributeError):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        theirs.close()

    def end(self) -> None:
        """End the process, and with it its question."""
        self.process.kill()
        self.process.join()

    def ask(self, question: tuple[QuestionForm, Mapping[str, str], Collection[str]], has_left: threading.Event) -> Any:
        """Return the parts of the answer and its JSON, or an error."""
        try:
            self._questions.send(question)
            until = time.monotonic() + LONGEST
            while True:
                if self._questions.poll(LOOK_SECONDS):
                    reply = self._questions.recv()
                    if not isinstance(reply, str):
                        return reply
                    _compiled_elsewhere[self] = reply
                    until = time.monotonic() + LONGEST
                elif has_left.is_set():
                    raise QuestionError("nobody waits for the answer")
                elif time.monotonic() > until:
                    raise QuestionError(
                        f"there is no answer after {LONGEST:.0f} seconds; expected a smaller question or sample,"
                        " or the command in a terminal, which has no limit"
                    )
        except (EOFError, OSError) as error:
            raise QuestionError("the answer was lost: its process has ended; expected to be asked again") from error
        finally:
            _compiled_elsewhere.pop(self, None)


def _answer_questions(questions: Connection) -> None:
    """Answer the questions that come, until the server has ended."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    watch_compiling(questions.send)
    with suppress(EOFError, OSError):
        while True:
            form, values, brought = questions.recv()
            try:
                answer = form.answer(values, brought)
                questions.send((answer_parts(answer), present.json_text(answer.to_json())))
            except Exception as error:
                questions.send(error)


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None
    wait([server.sentinel])
    os._exit(1)


class _Compiling(Listener):  # type: ignore[misc]
    """Counts kernels that are compiled in this process."""

    under_way = done = 0
    on_compiling: Callable[[str], object] | None = None

    def on_start(self, event: Event) -> None:
        self.under_way += 1
        if self.on_compiling is not None:
            self.on_compiling(compiling_words())

    def on_end(self, event: Event) -> None:
        self.under_way, self.done = self.under_way - 1, self.done + 1


_counted: Final = _Compiling()


def watch_compiling(on_compiling: Callable[[str], object] | None = None) -> None:
    """Count from now on; `on_compiling` is called with the words whenever another kernel is compiled."""
    _counted.on_compiling = on_compiling
    register("numba:compile", _counted)


def has_compiled() -> bool:
    """Return whether something was not compiled before this process."""
    return _counted.done > 0 or cache_folder.has_run_in_python


def compiling_words() -> str:
    """Return what is compiled now, in words; empty where nothing is."""
    if _counted.under_way:
        return f"Compiling for the first time: {_counted.done} functions so far."
    return next(iter(_compiled_elsewhere.values()), "")
