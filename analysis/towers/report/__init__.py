"""The report of Towers: run the studies, build the page, write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.report import write_report as write_page
from analysis.study import map_chunks
from analysis.towers.report.page import build_page
from analysis.towers.report.results import StudyTables
from analysis.towers.studies import STUDIES

__all__ = ["StudyTables", "build_page", "run_studies", "write_report"]


def write_report(folder: Path, *, seed: int = 0, jobs: int | None = None, quiet: bool = False, **smaller: int) -> Path:
    """Run the studies with their own sizes and write the report; the path of its page.

    Args:
        smaller: ``games``, ``search_games``, ``builder_games`` instead of the studies' own, for a try.
    """
    return write_page(folder, build_page(run_studies(seed, jobs, quiet, **smaller), seed))


def run_studies(seed: int, jobs: int | None, quiet: bool, **smaller: int) -> dict[str, StudyTables]:
    """Every study of Towers, with the parameters that were used."""
    done: dict[str, StudyTables] = {}
    for number, (name, study) in enumerate(STUDIES.items()):
        parameters: dict[str, Any] = dict(study.parameters)
        parameters |= {key: value for key, value in smaller.items() if key in parameters}
        if study.warm_up is not None:
            study.warm_up()
        chunks = map_chunks(
            study.run_chunk,
            study.count_chunks(parameters),
            seed=seed + number,
            jobs=jobs,
            parameters=parameters,
            quiet=quiet,
            title=f"Towers: {name}",
        )
        result = study.combine(chunks, parameters)
        done[name] = StudyTables(result.tables["means"], result.tables["cascades"], seed + number)
    return done
