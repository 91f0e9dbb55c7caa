"""What does a report need? Its studies in their sizes, which keep everything finished, and its page.

Every game registers one `Report`. Each study runs in a folder of its own (`analysis.study`): in the user's cache, until
the page is written, or in a folder that the user names, for good.

    towerlab report towers --work work --out reports/towers
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import pandas as pd

from towerlab.analysis.report.page import Page
from towerlab.analysis.report.write import SingleFile, write_file, write_report
from towerlab.analysis.study import StudyResult, run_study
from towerlab.analysis.study.definition import Study, default_parameters
from towerlab.analysis.study.folder import StudyFolder
from towerlab.games.cache_folder import cache_root
from towerlab.games.errors import TowerlabError

Sizes: TypeAlias = Mapping[str, Mapping[str, Any]]
_INDEX: Final = "All pages"


@dataclass(frozen=True)
class ReportStudy:
    """A study as a report wants it.

    Attributes:
        study: the study.
        sizes: the parameters that differ from the study's own.
        seed: the number added to the report's seed, so that studies which must not share cards do not; None where
            nothing is sampled, so that the seed does not matter.
        small: the parameters of a run of seconds, for previews and tests.
    """

    study: Study
    sizes: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = 0
    small: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A study that was run for the report.

    Attributes:
        study: the study.
        seed: the seed of the run.
        result: the study's tables and summary.
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
    def summary(self) -> Mapping[str, Any]:
        """The study's headline numbers."""
        return self.result.summary

    @property
    def parameters(self) -> dict[str, Any]:
        """The study's parameters, those of `sizes` changed."""
        return default_parameters(self.study) | dict(self.sizes)

    @property
    def command(self) -> str:
        """The command that runs it again."""
        sizes = "".join(f" --set {name}={value}" for name, value in self.sizes.items())
        return f"towerlab study {self.study.game} {self.study.name}{sizes} --seed {self.seed}"


Runs: TypeAlias = Mapping[str, Run]


@dataclass(frozen=True)
class Report:
    """The published report of a game.

    Attributes:
        game: the name of the game, as on the command line.
        build: (runs by the study's name, seed, command) → page, or all of it in one file. The command makes it again.
        parts: the studies, in the order in which they run.
        page: name of a further page; empty for the report itself.
        pages: the further pages, by name.
        file: the path of a further page, from the report's folder.
        about: the subject of a further page, for links to it.
    """

    game: str
    build: Callable[[Runs, int, str], Page | SingleFile]
    parts: Sequence[ReportStudy] = ()
    page: str = ""
    pages: Mapping[str, Report] = field(default_factory=dict)
    file: str = ""
    about: str = ""

    def write(
        self,
        folder: Path,
        *,
        seed: int = 0,
        work: Path | None = None,
        sizes: Sizes | None = None,
        **how: Any,
    ) -> Path:
        """Run the studies, or their missing chunks, write the page with its tables, and return its path.

        Args:
            folder: the folder of the report.
            seed: the seed of the studies.
            work: where the studies' folders are kept; None for the user's cache, until the page is written. A later
                run continues an interrupted one from there.
            sizes: parameters by the study's name that replace the report's own, for a try.
            how: `jobs` and `quiet`, of `run_study`; the report does not depend on them.

        Raises:
            TowerlabError: `work` holds other studies.
            ReportError: the page does not add up.
            OSError: a folder cannot be written.
        """
        place = work or self._cache(seed)
        page = self.page_of(place, seed, sizes, is_ours=work is None, **how)
        if isinstance(page, SingleFile):
            path = write_file(folder, page)
        else:  # to the other pages: all where the folder is named as among the published ones, else those in place
            links = (("../index.html", _INDEX), *((other.file, other.about) for other in self.pages.values()))
            is_published = folder.name == self.game
            kept = tuple(link for link in links if is_published or (folder / link[0]).is_file())
            path = write_report(folder, replace(page, links=kept))
        if work is None:
            shutil.rmtree(place, ignore_errors=True)
        return path

    def page_of(
        self, place: Path, seed: int, sizes: Sizes | None = None, *, is_ours: bool, **how: Any
    ) -> Page | SingleFile:
        """Run the studies, or their missing chunks, and return the page.

        Args:
            place: where the studies' folders are.
            is_ours: whether a folder of another version there may be removed; else it is refused.
            seed, sizes, how: the same as in `write`.
        """
        runs: dict[str, Run] = {}
        for number, part in enumerate(self.parts, 1):
            study = part.study
            own = 0 if part.seed is None else seed + part.seed
            changed = {**part.sizes, **(sizes or {}).get(study.name, {})}
            parameters = default_parameters(study) | changed
            stored = StudyFolder(place / study.name, study, parameters, own, study.count_chunks(parameters))
            if is_ours and stored.path.exists() and not stored.holds_same_study():
                shutil.rmtree(stored.path)  # of another version, in our own cache
            how |= {"seed": own, "title": f"{study.name} ({number} of {len(self.parts)})", "resume": True}
            result = run_study(study, stored.path, parameters=parameters, **how)
            runs[study.name] = Run(study, own, result, changed)
        command = f"towerlab report {self.game}" + (f" --page {self.page}" if self.page else "")
        return self.build(runs, seed, f"{command} --seed {seed}" if runs else command)

    def _cache(self, seed: int) -> Path:
        root = cache_root()
        if root is None:
            raise TowerlabError("no cache folder for the studies of a report can be written; expected --work DIR")
        return root / "reports" / f"{self.game}{self.page and '-'}{self.page}-seed-{seed}"
