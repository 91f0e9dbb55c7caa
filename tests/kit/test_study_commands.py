"""`towerlab study`, `report` and `warmup`, as a user runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import towerlab
from tests.oracles.toy_game import GAME
from towerlab import cli
from towerlab.analysis import catalog
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.report.studies import Report


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(catalog.GAMES, "toy", GAME)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli.towerlab, arguments, catch_exceptions=False)


def test_study_writes_to_a_folder_named_after_it_and_says_so(invoke, tmp_path: Path) -> None:
    answer = invoke("study", "toy", "dice", "--jobs", "1", "--set", "rows=5", "--option", "stake=2", "--seed", "3")
    assert answer.exit_code == 0
    assert "writing to toy-dice" in answer.stderr
    assert "throws.csv (60 rows)" in answer.stdout
    manifest = json.loads((tmp_path / "toy-dice" / "manifest.json").read_text())
    assert (manifest["game"], manifest["study"], manifest["seed"]) == ("toy", "dice", 3)
    assert manifest["parameters"]["rows"] == 5
    assert manifest["parameters"]["options"] == {"stake": 2}
    assert {"towerlab", "numpy", "numba"} <= manifest["versions"].keys() and manifest["made_by"] == towerlab.__version__
    summary = json.loads((tmp_path / "toy-dice" / "summary.json").read_text())
    assert summary["n"] == 60


def test_study_json_is_one_object_and_quiet_is_quiet(invoke) -> None:
    answer = invoke("study", "toy", "walk", "--jobs", "1", "--out", "w", "--json", "--quiet")
    assert answer.stderr == ""
    assert json.loads(answer.stdout).keys() == {"game", "study", "out", "seed", "summary"}


def test_warmup_compiles_one_game(invoke) -> None:
    answer = invoke("warmup", "toy", "--json")
    assert json.loads(answer.stdout) == {"games": ["toy"]}
    assert "compiling the kernels of Toy" in answer.stderr
    assert invoke("warmup", "toy", "--quiet").stderr == ""


def test_report_is_written_where_asked(invoke, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tests.oracles import toy_game

    asked: list[object] = []
    monkeypatch.setattr(Report, "write", lambda self, folder, **how: asked.append((folder, how)) or folder)
    monkeypatch.setattr(toy_game, "REPORT", Report("toy", lambda runs, seed, command: None), raising=False)
    reported = catalog.Game("toy", "Toy", options=GAME.options, report="tests.oracles.toy_game:REPORT")
    monkeypatch.setitem(catalog.GAMES, "toy", reported)
    assert "report written to there" in invoke("report", "toy", "--out", "there", "--seed", "2").stderr
    invoke("report", "toy", "--work", "w")
    usual = {"seed": 0, "jobs": None, "quiet": False, "work": None}
    assert asked == [
        (Path("there"), usual | {"seed": 2}),
        (Path("reports/toy"), usual | {"work": Path("w")}),
    ]


# ---------------------------------------------------------------------------------------------------------- progress


def test_progress_in_a_terminal_is_a_bar_with_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with open_progress("dice", 12, quiet=False) as advance:
        advance()
    printed = capsys.readouterr()
    assert printed.out == "" and "1/12" in printed.err and "left" in printed.err


def test_progress_in_a_log_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("towerlab.analysis.present.progress.time.monotonic", lambda: now[0])
    with open_progress("dice", 20, quiet=False, done=4) as advance:
        for _ in range(4):
            now[0] += 4.0
            advance()
    assert capsys.readouterr().err == "dice: 7 of 20 chunks, 52 s left\n"
    with open_progress("dice", 20, quiet=True) as advance:
        advance()
    assert capsys.readouterr().err == ""
    with open_progress("answers", 24, quiet=False) as advance:  # the first compiles: "39 min left" of two (issue 40)
        for seconds in (100.0, 1.0, 9.0):
            now[0] += seconds
            advance()
    assert capsys.readouterr().err == "answers: 1 of 24 chunks\nanswers: 3 of 24 chunks, 1 min 45 s left\n"
