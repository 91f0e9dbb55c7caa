"""The studies of played matches behind the report: in which sizes they are run, and what their captions say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from analysis.report.page import Caption, Sampled
from analysis.study import Study, StudyResult, run_study
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT

# Together about two minutes on two cores; what is not named keeps the study's own value.
SIZES: Final[Mapping[str, Mapping[str, Any]]] = {
    TOURNAMENT.name: {"chunks": 5},
    BIDDING.name: {"chunk_pairs": 5},
    GAP.name: {"chunks": 5},
    CLAIMING.name: {"chunks": 6, "matches": 3},
}
PLAYED: Final = (TOURNAMENT, BIDDING, GAP, CLAIMING)


@dataclass(frozen=True)
class Run:
    """A study that was run for the report.

    Attributes:
        study: what was run.
        seed: of the run.
        result: its tables and summary.
        sizes: the parameters that were set.
    """

    study: Study
    seed: int
    result: StudyResult
    sizes: Mapping[str, Any]

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The study's tables."""
        return self.result.tables

    @property
    def command(self) -> str:
        """What runs it again."""
        sizes = "".join(f" --set {name}={value}" for name, value in self.sizes.items())
        return f"towerlab study {self.study.game} {self.study.name}{sizes} --seed {self.seed}"

    def caption(self, text: str, size: str, model: str, count: tuple[int, str], interval: str) -> Caption:
        """A caption under default rules.

        Args:
            text, size, model: as in `Caption`.
            count: how many of what were sampled.
            interval: how the 95 % intervals were made.
        """
        return Caption(text, "default rules", size, model, Sampled(*count, self.seed, interval))


def run_studies(beside: Path, *, seed: int, jobs: int | None, quiet: bool) -> dict[str, Run]:
    """Run what is missing of every study, by name, in folders beside another one.

    The folders are the report's own, because a study that somebody runs has other sizes.

    Raises:
        TowerlabError: a folder holds another study, or one of another seed or version.
        OSError: a folder cannot be written.
    """
    runs = {}
    for study in PLAYED:
        sizes = SIZES[study.name]
        folder = beside.with_name(f"{study.game}-report-{study.name}")
        parameters = {**study.parameters, **sizes}
        result = run_study(study, folder, seed=seed, jobs=jobs, resume=True, quiet=quiet, parameters=parameters)
        runs[study.name] = Run(study, seed, result, sizes)
    return runs
