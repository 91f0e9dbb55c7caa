"""What many tests share: the command line as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

import cli

ROOT = Path(__file__).resolve().parent.parent
LONG = ("test_table_browser", "test_study_faults", "test_report", "test_records", "test_command_fuzz", "test_house")

hypothesis.settings.register_profile("towerlab", deadline=None)  # a first call compiles its kernel
hypothesis.settings.load_profile("towerlab")


@dataclass(frozen=True)
class Answer:
    """What a command printed and how it ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        """The JSON object on stdout, after checking that the command succeeded."""
        assert self.status == 0, self.stderr
        return json.loads(self.stdout)

    def assert_refused(self, *expected: str) -> None:
        """One line on stderr naming `expected`, nothing on stdout, exit status 2 (DESIGN: errors).

        A first run may say before it that it compiles.
        """
        assert self.status == 2, (self.status, self.stdout, self.stderr)
        assert self.stdout == ""
        assert len([line for line in self.stderr.splitlines() if not line.startswith("compiling")]) == 1, self.stderr
        assert "Traceback" not in self.stderr
        for words in expected:
            assert words in self.stderr, self.stderr


@pytest.fixture(scope="session")
def towerlab() -> Callable[..., Answer]:
    """`towerlab ARGUMENTS…` in a process of its own, where that is what is tested; keywords change its environment."""

    def run(*arguments: str, cwd: Path | None = None, stdin: str | None = None, **environment: str) -> Answer:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def inside(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """`towerlab ARGUMENTS…` in this process, which spares a second of starting; keywords change the environment."""

    def run(*arguments: str, **environment: str) -> Answer:
        status = 0
        with pytest.MonkeyPatch.context() as here:
            here.setattr(sys, "argv", ["towerlab", *arguments])
            for name, value in environment.items():
                here.setenv(name, value)
            try:
                cli.main()
            except SystemExit as stop:
                status = int(stop.code or 0)
        printed = capsys.readouterr()
        return Answer(status, printed.out, printed.err)

    return run


class GameByGame(LoadFileScheduling):
    """A worker stays with its game, so that no kernel is compiled by two at once.

    When all games are taken comes what belongs to none, long files first, and last what others have not come to.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        mine, *theirs = (
            {Path(file).parent.name for file in self.assigned_work[one]}
            for one in sorted(self.nodes, key=lambda one: one is not node)
        )

        def rank(file: str) -> tuple[int, bool]:
            game = Path(file).parent.name
            taken = 0 if game in mine else 3 if any(game in games for games in theirs) else 1
            return 2 if game == "kit" else taken, Path(file).stem not in LONG

        self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GameByGame | None:
    """With `--dist loadfile`, as pyproject has it."""
    return GameByGame(config, log) if config.getoption("dist") == "loadfile" else None
