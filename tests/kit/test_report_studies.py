"""The studies behind a report: nothing finished is lost, nothing is left lying about, the page does not notice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.kit.test_report import CAPTION, page
from towerlab.analysis.report import preview
from towerlab.analysis.report.page import Page, Sampled, Section, Table, check_that
from towerlab.analysis.report.studies import Report, ReportStudy, Runs
from towerlab.analysis.study import Study, StudyResult, runner
from towerlab.games.errors import TowerlabError

played: list[tuple[str, int]] = []
breaks_at: list[tuple[str, int]] = []


def study(name: str) -> Study:
    def run_chunk(chunk: int, seed: Any, parameters: Any) -> pd.DataFrame:
        if (name, chunk) in breaks_at:
            raise KeyboardInterrupt
        played.append((name, chunk))
        return pd.DataFrame({"chunk": [chunk], "drawn": [int(seed.generate_state(1)[0])]})

    def combine(chunks: Any, parameters: Any) -> StudyResult:
        return StudyResult({"drawn": pd.concat(list(chunks))}, {})

    return Study("toy", name, name, {"chunks": 1}, run_chunk, combine)


FIRST = study("first")
SECOND = study("second")


def build(runs: Runs, seed: int, command: str) -> Page:
    certainty = {name: Sampled(1, "numbers", run.seed, "") for name, run in runs.items()}
    tables = (
        Table(name, name, run.tables["drawn"], replace(CAPTION, certainty=certainty[name]))
        for name, run in runs.items()
    )
    return page(sections=(Section("drawn", "Drawn", tuple(tables)),))


OTHER_TABLE = Table("other", "other", pd.DataFrame({"n": [1]}), CAPTION)
REPORT = Report("toy", build, (ReportStudy(FIRST, {"chunks": 3}), ReportStudy(SECOND, {"chunks": 2}, seed=1)))


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder of its own, in an empty current folder; everything runs in this process."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("towerlab.analysis.report.studies.cache_root", lambda: tmp_path / "cache")
    monkeypatch.setattr(
        "towerlab.analysis.report.studies.run_study", lambda *a, **how: runner.run_study(*a, **how | {"jobs": 1})
    )
    played.clear()
    breaks_at.clear()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_interrupted_report_goes_on_where_it_was_and_is_the_same(tmp_path: Path) -> None:
    REPORT.write(tmp_path / "whole", seed=5, quiet=True)
    assert len(played) == 5 and not list((tmp_path / "cache" / "reports").iterdir())
    played.clear()
    breaks_at.append(("second", 1))
    with pytest.raises(KeyboardInterrupt):
        REPORT.write(tmp_path / "report", seed=5, quiet=True)
    assert not (tmp_path / "report").exists()
    breaks_at.clear()
    REPORT.write(tmp_path / "report", seed=5, quiet=True)
    assert played == [("first", 0), ("first", 1), ("first", 2), ("second", 0), ("second", 1)]
    assert files(tmp_path / "report") == files(tmp_path / "whole")
    assert not list((tmp_path / "cache" / "reports").iterdir()) and not list((tmp_path / "here").iterdir())


def test_reports_of_two_seeds_do_not_meet(tmp_path: Path) -> None:
    breaks_at.append(("second", 0))
    with pytest.raises(KeyboardInterrupt):
        REPORT.write(tmp_path / "report", seed=5, quiet=True)
    breaks_at.clear()
    REPORT.write(tmp_path / "other", seed=6, quiet=True)
    assert [path.name for path in (tmp_path / "cache" / "reports").iterdir()] == ["toy-seed-5"]


def test_a_folder_of_ones_own_is_kept_and_makes_the_page_again(tmp_path: Path) -> None:
    work = tmp_path / "work"
    REPORT.write(tmp_path / "report", quiet=True, work=work)
    assert {path.name for path in work.iterdir()} == {"first", "second"}
    played.clear()
    REPORT.write(tmp_path / "again", quiet=True, work=work)
    assert played == [] and files(tmp_path / "again") == files(tmp_path / "report")
    with pytest.raises(TowerlabError, match="holds another study: seed is 0 there and 1 here"):
        REPORT.write(tmp_path / "again", quiet=True, work=work, seed=1)


def test_what_another_version_left_in_the_cache_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks_at.append(("second", 0))
    with pytest.raises(KeyboardInterrupt):
        REPORT.write(tmp_path / "report", quiet=True)
    breaks_at.clear()
    played.clear()
    monkeypatch.setattr("towerlab.analysis.study.folder.versions", lambda module: {"towerlab": "next"})
    REPORT.write(tmp_path / "report", quiet=True)
    assert len(played) == 5


def test_progress_says_which_study_of_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles = []
    opened = runner.open_progress
    monkeypatch.setattr(
        runner, "open_progress", lambda title, *a, **how: titles.append(title) or opened(title, *a, **how)
    )
    REPORT.write(tmp_path / "report", quiet=True)
    assert titles == ["first (1 of 2)", "second (2 of 2)"]


def test_a_preview_reads_the_prose_again_over_small_runs_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prose = tmp_path / "prose"

    def build_readable(runs: Runs, seed: int, command: str) -> Page:
        def again() -> Page:
            one, two = (Section(name, prose.read_text(), built.sections[0].blocks) for name in ("one", "two"))
            return replace(
                built, sections=(one, replace(two, blocks=(OTHER_TABLE,))), checks=(check_that("much", False),)
            )

        built = build(runs, seed, command)
        return replace(built, read_again=again)

    report = Report("toy", build_readable, (ReportStudy(FIRST, {"chunks": 3}, small={"chunks": 2}),))
    monkeypatch.setattr(preview, "find_report", lambda game: report)
    monkeypatch.setattr(preview, "cache_root", lambda: tmp_path / "cache")
    for words in ("A first try", "A second one"):
        prose.write_text(words)
        shown = preview.preview("toy", "one").read_text()
        assert words in shown and 'id="one"' in shown and 'id="two"' not in shown
        assert "does not hold over small runs: much" in capsys.readouterr().err
    assert played == [("first", 0), ("first", 1)]
    assert 'id="two"' in preview.preview("toy").read_text()
    with pytest.raises(TowerlabError, match="no section 'three'; expected one of: one, two"):
        preview.preview("toy", "three")
