"""The study runner: the same result whatever the workers, and a folder that knows what it holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.study import map_chunks, parse_parameters, run_study, stream_chunks
from games.errors import IllegalAction, OptionError, TowerlabError
from tests.oracles.study_folders import assert_same_folders
from tests.oracles.toy_game import STUDIES

DICE, WALK = STUDIES["dice"], STUDIES["walk"]


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


def test_map_chunks_gives_every_chunk_its_own_child_of_the_seed_in_order() -> None:
    children = np.random.SeedSequence(3).spawn(5)
    expected = [float(np.random.default_rng(child).random()) + 1 for child in children]
    assert map_chunks(draw, 5, seed=3, jobs=1, parameters={"more": 1}, quiet=True) == expected
    assert map_chunks(draw, 5, seed=3, jobs=2, parameters={"more": 1}, quiet=True) == expected
    assert next(stream_chunks(draw, 5, seed=3, jobs=1, parameters={"more": 1}, quiet=True)) == expected[0]


def test_short_work_never_leaves_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("workers were started")

    monkeypatch.setattr("analysis.study.workers._run_in_processes", fail)
    assert len(map_chunks(draw, 50, jobs=2, quiet=True)) == 50


def test_map_chunks_in_workers_is_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = map_chunks(draw, 40, seed=9, jobs=1, quiet=True)
    monkeypatch.setattr("analysis.study.runner.SECONDS_ALONE", 0.0)
    assert map_chunks(draw, 40, seed=9, jobs=2, quiet=True) == alone


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
    ("assignment", "words"),
    [
        ("rowz=7", "did you mean 'rows'"),
        ("rows", "expected NAME=VALUE"),
        ("rows=many", "like the default 50"),
        ("rows=7.5", "like the default 50"),
        ("rows=true", "like the default 50"),
        ("rows=1e999", "like the default 50"),
        ("pause=NaN", r"like the default 0\.0"),
        ("options=1", "no parameter 'options'"),
    ],
)
def test_set_refuses(assignment: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_parameters(DICE, [assignment])


def test_a_study_with_nothing_to_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TowerlabError, match="at least one chunk"):
        run_study(DICE, tmp_path / "study", quiet=True, parameters=parse_parameters(DICE, ["chunks=0"]))
    assert not (tmp_path / "study").exists()


def test_a_folder_made_by_other_sources_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analysis.study import folder

    run_study(DICE, tmp_path, jobs=1, quiet=True)
    folder.versions.cache_clear()
    monkeypatch.setattr(folder, "source_digest", lambda module: "edited")
    with pytest.raises(TowerlabError, match=r'source code .* and "edited" here'):
        run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)
    folder.versions.cache_clear()


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


@pytest.mark.parametrize("package", ["towerlab", "numpy", "numba"])
def test_a_folder_of_another_version_is_refused(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analysis.study import folder

    run_study(DICE, tmp_path, jobs=1, quiet=True)
    later = folder.versions(DICE.run_chunk.__module__) | {package: "99"}
    monkeypatch.setattr(folder, "versions", lambda _: later)
    with pytest.raises(TowerlabError, match=rf'versions.{package} is ".*" there and "99" here'):
        run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)


def test_the_digest_of_sources_follows_every_way_of_importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from games import jit

    for name, text in {
        "games/a.py": "from games.b import (\n    c,\n    d,\n)\nimport sim.e\n",
        "games/b/__init__.py": "",
        "games/b/c.py": "",
        "games/b/d.py": "    from games import f, g\n",
        "games/f.py": "",
        "games/g.py": "",
        "games/unused.py": "",
        "sim/e.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(jit, "ROOT", tmp_path)
    found = {str(path.relative_to(tmp_path)) for path in jit._reachable("games.a") if path.is_relative_to(tmp_path)}
    expected = {
        "games/a.py",
        "games/b/__init__.py",
        "games/b/c.py",
        "games/b/d.py",
        "games/f.py",
        "games/g.py",
        "sim/e.py",
    }
    assert found == expected
