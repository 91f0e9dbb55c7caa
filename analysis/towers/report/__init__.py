"""The report of Towers: `sections` are what `page` is made of, `findings` its sentences, `results` what it reads."""

from __future__ import annotations

from typing import Final

from analysis.report.page import Page
from analysis.report.studies import Part, Report, Runs
from analysis.towers.report.page import build_page
from analysis.towers.report.results import StudyTables
from analysis.towers.studies import STUDIES

__all__ = ["REPORT", "StudyTables", "build_page", "study_tables"]


def study_tables(runs: Runs) -> dict[str, StudyTables]:
    """What the page reads of its studies."""
    return {
        name: StudyTables(run.tables["means"], run.tables["cascades"], run.seed, run.rules)
        for name, run in runs.items()
    }


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    return build_page(study_tables(runs), command)


# Each study has a seed of its own, so that no two of them play the same packs.
REPORT: Final = Report("towers", build, [Part(study, seed=number) for number, study in enumerate(STUDIES.values())])
