"""`towerlab report towie`: run what is missing of the studies and write the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.report import rules_in_force, write_report
from analysis.study import run_study
from analysis.study.definition import default_parameters
from analysis.towie.report import ReportData, build_page
from analysis.towie.studies import STUDIES
from games.towie import TowieOptions

# What is not named keeps the study's own value. A game of pimc takes about four seconds, all of it 25 core-minutes.
SIZES: Final[Mapping[str, Mapping[str, Any]]] = {
    "goulash": {"chunks_per_arm": 25, "solved": 20},
    "exposed": {"chunks": 100, "hands": 4, "layouts": 8},
    "auction": {"games": 3000, "pimc_games": 24, "samples": 8},
    "games": {"games": 200, "samples": 8},
}


def publish_report(
    folder: Path,
    *,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
    beside: Path | None = None,
    sizes: Mapping[str, Mapping[str, Any]] = SIZES,
) -> None:
    """Write the strategy report of Towie into a folder.

    The studies run in folders of their own, ``towie-report-NAME``, and go on there when the command is given again.

    Args:
        folder: where to.
        seed: of the studies.
        jobs: worker processes; the report does not depend on it.
        quiet: no progress.
        beside: where the studies' folders are; None for the current folder.
        sizes: parameters of the studies; tests take smaller ones.

    Raises:
        TowerlabError: a study's folder holds another study, or one of another seed or version.
        ReportError: the page does not add up.
        OSError: a folder cannot be written.
    """
    results = {}
    for name, changes in sizes.items():
        study = STUDIES[name]
        place = (beside or Path()) / f"towie-report-{name}"
        parameters = default_parameters(study) | dict(changes)
        results[name] = run_study(study, place, seed=seed, jobs=jobs, resume=True, quiet=quiet, parameters=parameters)
    data = ReportData(results, rules_in_force(TowieOptions()), seed)
    write_report(folder, build_page(data, f"towerlab report towie --seed {seed}"))
