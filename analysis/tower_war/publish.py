"""`towerlab report tower-war`: run the studies and write the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.report import rules_in_force, write_report
from analysis.study import Study, StudyResult, map_chunks
from analysis.tower_war.card_values import CARD_VALUES
from analysis.tower_war.report import ReportData, build_page
from analysis.tower_war.strategy import STRATEGY
from games.tower_war import TowerWarOptions
from solver.tower_war.model import shipped_model


def publish_report(
    folder: Path, *, seed: int = 0, jobs: int | None = None, quiet: bool = False, scale: float = 1.0
) -> None:
    """Write the strategy report of Tower War into a folder.

    Args:
        folder: where to.
        seed: of both studies.
        jobs: worker processes; the report does not depend on it.
        quiet: no progress.
        scale: share of the games to play; tests play fewer.
    """
    strategy = _run(STRATEGY, seed, jobs, quiet, scale=scale)
    values = _run(CARD_VALUES, seed, jobs, quiet, chunks=max(1, round(scale * CARD_VALUES.parameters["chunks"])))
    scores = pd.DataFrame(shipped_model().made["scores"])
    data = ReportData(
        strategy.tables["arms"], strategy.tables["heights"], values.tables["values"], scores,
        rules_in_force(TowerWarOptions()), seed,
    )  # fmt: skip
    write_report(folder, build_page(data, f"towerlab report tower-war --seed {seed}"))


def _run(study: Study, seed: int, jobs: int | None, quiet: bool, **changes: float) -> StudyResult:
    """A study without a folder: the report keeps its tables."""
    parameters = {**study.parameters, **changes}
    if study.warm_up is not None:
        study.warm_up()
    chunks = map_chunks(
        study.run_chunk, study.count_chunks(parameters), seed=seed, jobs=jobs, parameters=parameters, quiet=quiet
    )
    return study.combine(chunks, parameters)
