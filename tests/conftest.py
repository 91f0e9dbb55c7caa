"""What many tests share: the command line as a user runs it, and who runs which tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import pandas as pd
import pytest
from xdist.scheduler import LoadScopeScheduling

from towerlab import cli
from towerlab.analysis.present.answers import ABOUT

ROOT = Path(__file__).resolve().parent.parent
LONG = ("test_study_faults", "test_records", "test_machine_code", "test_golden_answers", "test_engine")
WON = r"\b([Ww]ins?|share the win|Nobody wins)[,:]"  # of the sentence about the end of a game
STRANGERS = ("strange:1", "strange:Player", "strange:function", "pimc:strange", "strange.parquet", "os:system")
WITH_WORKERS = ("test_study", "test_study_faults", "test_simulation")  # one process starts their workers, once
PATIENCE = float(os.environ.get("TOWERLAB_TEST_PATIENCE", "1"))  # a factor of the seconds that a process may take

UNTRACKED = pytest.StashKey[frozenset[str]]()

hypothesis.settings.register_profile("towerlab", deadline=None)  # a first call compiles its kernel
hypothesis.settings.load_profile("towerlab")


def slow(*values: Any) -> Any:
    """A row of a parametrised test that only `pytest -m slow` runs."""
    return pytest.param(*values, marks=pytest.mark.slow)


def exhaustive(*values: Any) -> Any:
    """A row of a parametrised test that only `pytest -m exhaustive` runs."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)


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

    @property
    def own(self) -> dict[str, Any]:
        """The keys of the question alone, without those that every answer has."""
        return {key: value for key, value in self.json.items() if key not in ("version", *ABOUT)}

    def assert_refused(self, *expected: str) -> None:
        """One line on stderr naming `expected`, nothing on stdout, exit status 2.

        A first run may say before it that it compiles, one of more than a second how far it is.
        """
        assert self.status == 2, (self.status, self.stdout, self.stderr)
        assert self.stdout == ""
        said = [
            line
            for line in self.stderr.splitlines()
            if not re.match(r"compiling|(?!towerlab: ).*: \d+ of \d+ \w+", line)
        ]
        assert len(said) == 1, self.stderr
        assert "Traceback" not in self.stderr
        for words in expected:
            assert words in self.stderr, self.stderr


def run_python(
    *arguments: str | Path,
    cwd: Path = ROOT,
    stdin: str | None = None,
    check: bool = True,
    timeout: float = 300,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """A Python of its own, which finds the sources; keywords change its environment."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=check,
        timeout=PATIENCE * timeout,
    )


@pytest.fixture(scope="session")
def towerlab() -> Callable[..., Answer]:
    """`towerlab ARGUMENTS…` in a process of its own, where that is what is tested; keywords change its environment."""

    def run(*arguments: str, cwd: Path | None = None, stdin: str | None = None, **environment: str) -> Answer:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-m", "towerlab", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
            cwd=cwd,
            input=stdin,
            capture_output=True,
            encoding=environment.get("PYTHONIOENCODING", "utf-8"),
            check=False,
            timeout=PATIENCE * 300,
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


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What `STRANGERS` name lies in the current folder; at the end nobody has imported or called it."""
    marker = tmp_path / "imported"
    (tmp_path / "strange.py").write_text(f"open({str(marker)!r}, 'w')\nPlayer = function = print\n")
    rows = pd.DataFrame({"information_set": ["a"], "action": ["x"], "probability": [1.0], "cards": [1]})
    rows.to_parquet(tmp_path / "strange.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr("os.system", lambda *_: marker.touch())
    yield
    loaded = sys.modules.pop("strange", None)
    assert not marker.exists() and loaded is None


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH with what the wheel unpacks."""
    return copy_of_the_package(tmp_path_factory.mktemp("site"))


def copy_of_the_package(folder: Path) -> Path:
    """Return the folder, with the package in it: files where a checkout has links."""
    shutil.copytree(ROOT / "towerlab", folder / "towerlab", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


class _ByGame(LoadScopeScheduling):  # type: ignore[misc]
    """A worker takes all tests of a game, so that no kernel is compiled and no fixture made by two at once.

    By the names of files: with pytest 9.2 and xdist 3.8 `--dist loadgroup` shares out test by test (xdist issue 1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        return _group(Path(nodeid.partition("::")[0]))[1]

    def remove_node(self, node: Any) -> str | None:
        """Return the test in which a process ended, which counts as run: xdist would begin it again and again."""
        units = self.assigned_work.pop(node)
        left = [(unit, test) for unit in units.values() for test, is_run in unit.items() if not is_run]
        if not left:
            return None
        unit, test = left[0]
        unit[test] = True
        self.workqueue.update({scope: unit for scope, unit in units.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return str(test)


def _group(file: Path) -> tuple[int, str]:
    """When a file's turn comes, and the name of what one worker takes: the largest game comes in two parts.

    What belongs to no game is shared out file by file, long files first.
    """
    folder, name = file.parent.name, file.stem
    if folder == "kit":
        return 3 + (name not in LONG), "workers" if name in WITH_WORKERS else name
    if folder == "towers_and_bowers":
        return (2, f"{folder}-2") if name > "test_m" else (0, folder)
    return 1, folder


def pytest_configure() -> None:
    """Give each process of tests one thread of matrix products, before its workers start."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return _ByGame(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _group(item.path)[0])


def _untracked() -> frozenset[str]:
    """The files of the checkout that git neither tracks nor ignores; none where there is no git."""
    try:
        listed = ["git", "-C", str(ROOT), "ls-files", "--others", "--exclude-standard"]
        return frozenset(subprocess.run(listed, capture_output=True, text=True, check=False).stdout.splitlines())
    except OSError:
        return frozenset()


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.stash[UNTRACKED] = _untracked()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the whole run where it has left a file in the checkout; with workers their controller looks."""
    if hasattr(session.config, "workerinput"):
        return
    if left := sorted(_untracked() - session.config.stash[UNTRACKED]):
        session.config.get_terminal_writer().line(f"\nthe tests left in the checkout: {', '.join(left)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
