"""The study runner: the same result whatever the workers, and a folder that knows what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.conftest import run_python
from tests.oracles.study_folders import OWN_STUDY, assert_same_folders, write_own_study
from tests.oracles.toy_game import DICE, WALK
from towerlab.analysis.study import StudyResult, map_chunks, parse_parameters, run_study, stream_chunks
from towerlab.analysis.study.definition import Parameters
from towerlab.analysis.study.folder import versions
from towerlab.analysis.study.runner import _pays
from towerlab.games.errors import IllegalAction, OptionError, TowerlabError


def draw(chunk: int, seed: np.random.SeedSequence, parameters: dict[str, int]) -> float:
    return float(np.random.default_rng(seed).random()) + parameters.get("more", 0)


@pytest.mark.parametrize("study", [DICE, WALK], ids=["chunks", "steps"])
def test_bit_identical_over_one_two_and_three_workers(study, tmp_path: Path) -> None:
    for jobs in (1, 2, 3):
        run_study(study, tmp_path / str(jobs), seed=5, jobs=jobs, quiet=True)
    assert_same_folders(tmp_path / "1", tmp_path / "2")
    assert_same_folders(tmp_path / "1", tmp_path / "3")
    run_study(study, tmp_path / "other seed", seed=6, jobs=1, quiet=True)
    name = "throws.csv" if study is DICE else "state.csv"
    assert (tmp_path / "other seed" / name).read_bytes() != (tmp_path / "1" / name).read_bytes()


def test_result_and_files_agree(tmp_path: Path) -> None:
    result = run_study(DICE, tmp_path, seed=1, jobs=1, quiet=True)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "throws.parquet"), result.tables["throws"])
    assert len(pd.read_csv(tmp_path / "throws.csv")) == result.summary["n"] == 600


def test_numbers_of_a_summary_that_are_none_are_null_in_json(tmp_path: Path) -> None:
    """Issue 40, 7: `claim-accuracy --set deals=1` failed inside, after all its work."""

    def combine(frames: Iterable[pd.DataFrame], given: Parameters) -> StudyResult:
        ends = {"low": -np.inf, "high": [np.nan, np.float64(2.5), np.int64(3)], "n": len(list(frames))}
        return StudyResult({}, {"mean": np.float64("nan"), "ends": ends, "name": "x"})

    run_study(replace(DICE, combine=combine), tmp_path, quiet=True, jobs=1)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary == {"mean": None, "ends": {"low": None, "high": [None, 2.5, 3], "n": 12}, "name": "x"}


def test_map_chunks_gives_every_chunk_its_own_child_of_the_seed_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    children = np.random.SeedSequence(3).spawn(5)
    expected = [float(np.random.default_rng(child).random()) + 1 for child in children]
    assert map_chunks(draw, 5, seed=3, jobs=1, parameters={"more": 1}, quiet=True) == expected
    assert next(stream_chunks(draw, 5, seed=3, jobs=1, parameters={"more": 1}, quiet=True)) == expected[0]
    monkeypatch.setattr("towerlab.analysis.study.runner.SECONDS_ALONE", 0.0)
    assert map_chunks(draw, 5, seed=3, jobs=2, parameters={"more": 1}, quiet=True) == expected


def test_short_work_never_leaves_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("workers were started")

    monkeypatch.setattr("towerlab.analysis.study.workers._run_in_processes", fail)
    assert len(map_chunks(draw, 50, jobs=2, quiet=True)) == 50


@pytest.mark.parametrize(
    ("spent", "left", "jobs", "pays"),
    [
        ([], 99, 2, False),
        ([1.0], 99, 2, False),  # may have compiled
        ([5.0], 1, 2, False),
        ([5.0], 2, 2, True),
        ([5.0, 0.2], 23, 2, False),  # 5,000 questions
        ([5.0, 0.2], 30, 2, True),
        ([0.2, 0.2], 20, 16, True),
        ([9.0, 9.0], 99, 1, False),
    ],
)
def test_workers_start_where_they_save_more_than_they_cost(
    spent: list[float], left: int, jobs: int, pays: bool
) -> None:
    assert _pays(spent, left, jobs) == pays


def test_an_error_in_a_worker_arrives_whole(tmp_path: Path) -> None:
    parameters = parse_parameters(DICE, ["illegal=3"])
    with pytest.raises(IllegalAction, match=r"the toy breaks here \(TOY-2\)"):
        run_study(DICE, tmp_path, jobs=2, quiet=True, parameters=parameters)


@pytest.mark.parametrize(
    ("assignment", "value"), [("rows=7", 7), ("rows=1e2", 100), ("pause=1", 1.0), ("pause=0.25", 0.25)]
)
def test_set_reads_a_value_as_its_default_is(assignment: str, value: float) -> None:
    name = assignment.partition("=")[0]
    assert parse_parameters(DICE, [assignment])[name] == value


@pytest.mark.parametrize(
    ("assignment", "words"), [("rows=\udc80", r"rows='\\udc80' cannot be"), ("pause=NaN", r"like the default 0\.0")]
)
def test_set_refuses(assignment: str, words: str) -> None:
    """Others are rows of `tests/golden/refusals.txt`."""
    with pytest.raises(OptionError, match=words):
        parse_parameters(DICE, [assignment])


def test_a_study_with_nothing_to_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TowerlabError, match="dice has 0 chunks with these parameters"):
        run_study(DICE, tmp_path / "study", quiet=True, parameters=parse_parameters(DICE, ["chunks=0"]))
    assert not (tmp_path / "study").exists()


def test_the_digest_of_a_users_study_follows_every_way_of_importing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that `--resume` refuses a study of which a helper was edited (`versions.code`)."""
    write_own_study(tmp_path, monkeypatch)
    before = versions("own_study")["code"]
    (tmp_path / "stranger.py").write_text("nobody imports it")
    assert versions("own_study")["code"] == before
    for name in OWN_STUDY:
        (tmp_path / name).write_text(OWN_STUDY[name] + "\n# edited")
        assert versions("own_study")["code"] != before, name
        (tmp_path / name).write_text(OWN_STUDY[name])


def test_rule_options_are_parameters_only_where_a_study_takes_them() -> None:
    assert parse_parameters(DICE, [], ["stake=3"])["options"] == {"stake": 3}
    assert parse_parameters(DICE, [])["options"] == {"stake": 1}
    with pytest.raises(OptionError, match="expected no --option"):
        parse_parameters(WALK, [], ["stake=3"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"parameters": parse_parameters(DICE, ["rows=7"])}, "parameters.rows is 50 there and 7 here"),
        ({"parameters": parse_parameters(DICE, [], ["stake=2"])}, "parameters.options.stake is 1 there and 2 here"),
        ({"study": WALK}, 'study is "dice" there and "walk" here'),
    ],
)
def test_a_folder_of_another_study_is_refused(change: dict[str, object], words: str, tmp_path: Path) -> None:
    run_study(DICE, tmp_path, jobs=1, quiet=True)
    arguments = {"study": DICE, "jobs": 1, "quiet": True, "resume": True} | change
    with pytest.raises(TowerlabError, match=words):
        run_study(arguments.pop("study"), tmp_path, **arguments)


@pytest.mark.parametrize("package", ["towerlab", "numpy", "numba", "code"])
def test_a_folder_of_another_version_is_refused(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from towerlab.analysis.study import folder

    run_study(DICE, tmp_path, jobs=1, quiet=True)
    later = folder.versions(DICE.run_chunk.__module__) | {package: "99"}
    monkeypatch.setattr(folder, "versions", lambda _: later)
    with pytest.raises(TowerlabError, match=rf'versions.{package}\)? is ".*" there and "99" here'):
        run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)


def test_the_digest_of_sources_follows_every_way_of_importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from towerlab.games import jit

    for name, text in {
        "games/a.py": "from towerlab.games.b import (\n    c,\n    d,\n)\nimport towerlab.sim.e\n",
        "games/b/__init__.py": "",
        "games/b/c.py": "",
        "games/b/d.py": "    from towerlab.games import f, g\n",
        "games/f.py": "",
        "games/g.py": "",
        "games/unused.py": "",
        "sim/e.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(jit, "ROOT", tmp_path)
    found = {
        str(path.relative_to(tmp_path)) for path in jit._reachable("towerlab.games.a") if path.is_relative_to(tmp_path)
    }
    assert " ".join(sorted(found)) == (
        "games/a.py games/b/__init__.py games/b/c.py games/b/d.py games/f.py games/g.py sim/e.py"
    )


def test_workers_run_no_python_file_of_the_current_folder(tmp_path: Path) -> None:
    """Though they are named like modules of the standard library or of ours; the environment stays as it was."""
    for name in ("joblib", "numpy", "pickle", "random", "signal", "socket", "threading", "towerlab"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\n")
    script = "import os; from towerlab.analysis.study import map_chunks; map_chunks(print, 4, jobs=2, at_once=True)"
    done = run_python("-P", "-c", f"{script}; print(os.environ.get('PYTHONSAFEPATH'))", cwd=tmp_path)
    assert not (tmp_path / "ran").exists() and done.stdout.endswith("None\n")
