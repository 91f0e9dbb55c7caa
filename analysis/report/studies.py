"""What a report is made of: its studies in their sizes, run so that nothing finished is ever lost, and its page.

Every game registers one `Report`. Its studies run in folders of their own (`analysis.study`): in the user's cache,
where they stay until the page is written, or in a folder that they name, where they stay for good.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import pandas as pd

from analysis.report.page import DEFAULT_RULES, Page, rules_in_force
from analysis.report.write import SingleFile, write_file, write_report
from analysis.study import StudyResult, run_study
from analysis.study.definition import RULE_OPTIONS, Study, parse_parameters
from analysis.study.folder import StudyFolder
from games.cache_folder import cache_root
from games.errors import TowerlabError

Sizes: TypeAlias = Mapping[str, Mapping[str, Any]]
_HAND_SIZES: Final = ("cards", "most_cards")  # how studies call their hand size


@dataclass(frozen=True)
class Part:
    """A study as a report wants it.

    Attributes:
        study: which.
        sizes: parameters that are not the study's own.
        seed: added to the report's seed, so that studies which must not share cards do not; None where nothing is
            sampled, so that the seed does not matter.
    """

    study: Study
    sizes: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = 0


@dataclass(frozen=True)
class Run:
    """A study that was run for the report.

    Attributes:
        study: what was run.
        seed: of the run.
        result: its tables and summary.
        sizes: the parameters that were set.
        rules: `rules_in_force` of its rule options.
        options: the rule options that were set, as on the command line.
    """

    study: Study
    seed: int
    result: StudyResult
    sizes: Mapping[str, Any]
    rules: str = DEFAULT_RULES
    options: tuple[str, ...] = ()

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The study's tables."""
        return self.result.tables

    @property
    def summary(self) -> Mapping[str, Any]:
        """The study's headline numbers."""
        return self.result.summary

    @property
    def command(self) -> str:
        """What runs it again."""
        sizes = "".join(f" --set {name}={value}" for name, value in self.sizes.items())
        options = "".join(f" --option {option}" for option in self.options)
        return f"towerlab study {self.study.game} {self.study.name}{sizes}{options} --seed {self.seed}"


Runs: TypeAlias = Mapping[str, Run]


@dataclass(frozen=True)
class Report:
    """The published report of a game.

    Attributes:
        game: its name, as on the command line.
        build: (runs by the study's name, seed, command) → page, or all of it in one file. The command makes it again.
        parts: the studies, in the order in which they run.
        page: name of a further page; empty for the report itself.
        pages: further pages, by name.
        file: where a further page lies, from the report's folder.
        about: what is found on a further page, for links to it.
        beside: of a further page: (address, about) of the game's other ones.
    """

    game: str
    build: Callable[[Runs, int, str], Page | SingleFile]
    parts: Sequence[Part] = ()
    page: str = ""
    pages: Mapping[str, Report] = field(default_factory=dict)
    file: str = ""
    about: str = ""
    beside: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        files = {name: (f"../{page.file}", page.about) for name, page in self.pages.items()}
        pages = {
            name: replace(page, beside=tuple(link for other, link in files.items() if other != name))
            for name, page in self.pages.items()
        }
        object.__setattr__(self, "pages", pages)

    def write(
        self,
        folder: Path,
        *,
        seed: int = 0,
        jobs: int | None = None,
        quiet: bool = False,
        work: Path | None = None,
        resume: bool = False,
        sizes: Sizes | None = None,
        options: Sequence[str] = (),
        cards: int | None = None,
    ) -> Path:
        """Run the studies, or what is missing of them, write the page with its tables, and return its path.

        Args:
            folder: where to.
            seed: of the studies.
            jobs: worker processes; the report does not depend on it.
            quiet: no progress on stderr.
            work: where the studies' folders are kept; None for the user's cache, until the page is written.
            resume: go on with the studies of a run that was interrupted.
            sizes: parameters by study's name instead of the report's own, for a try.
            options: rule options of the game like ``"layout=square"``; every study has to take them.
            cards: hand size of the studies that have one.

        Raises:
            TowerlabError: studies that take no rule options or have no hand size, an interrupted run is kept and
                `resume` was not asked for, or `work` holds other studies.
            ReportError: the page does not add up.
            OSError: a folder cannot be written.
        """
        changed = "".join(f" --option {option}" for option in options) + (f" --cards {cards}" if cards else "")
        command = f"towerlab report {self.game}" + (f" --page {self.page}" if self.page else "") + changed
        sizes = self._sizes(sizes or {}, options, cards)
        if not self.parts:
            return self._write(folder, self.build({}, seed, command))
        place = work or self._cache(seed, changed)
        plans = [_Plan(part, place, seed, sizes, options) for part in self.parts]
        _check_place(plans, place, resume, ours=work is None)
        runs = {plan.study.name: plan.run(jobs, quiet, f" ({n} of {len(plans)})") for n, plan in enumerate(plans, 1)}
        page = self.build(runs, seed, f"{command} --seed {seed}")
        if options and isinstance(page, Page):
            page = replace(page, title=f"{page.title} ({', '.join(options)})")
        path = self._write(folder, page)
        if work is None:
            shutil.rmtree(place)
        return path

    def folder(self, root: Path, options: Sequence[str] = (), cards: int | None = None) -> Path:
        """Where it is written unless somebody says otherwise: a page of other rules beside the report."""
        changed = [*options, *([f"cards={cards}"] if cards else [])]
        return root / "-".join([self.game, *(re.sub(r"[^\w.]+", "-", text) for text in changed)]) / self.page

    def _sizes(self, sizes: Sizes, options: Sequence[str], cards: int | None) -> Sizes:
        """Parameters by study's name with the hand size; refuses options and sizes that change nothing."""
        fixed = [part.study.name for part in self.parts if part.study.rule_options is None]
        if options and (fixed or not self.parts):
            raise TowerlabError(
                f"this page is of the default rules only ({', '.join(fixed) or 'stored solutions'} take no rule "
                f"options); expected no --option, not {options[0]!r} "
                f"(`towerlab compare {self.game}` says what one changes)"
            )
        if cards is None:
            return sizes
        named = {part.study.name: name for part in self.parts for name in _HAND_SIZES if name in part.study.parameters}
        if not named:
            raise TowerlabError(f"no study of this page has a hand size of its own; expected no --cards, not {cards}")
        return {**sizes, **{study: {**sizes.get(study, {}), name: cards} for study, name in named.items()}}

    def _write(self, folder: Path, page: Page | SingleFile) -> Path:
        if isinstance(page, SingleFile):
            return write_file(folder, page)
        return write_report(folder, replace(page, links=self._links(folder)))

    def _links(self, folder: Path) -> tuple[tuple[str, str], ...]:
        """To the other pages, where the folder is named as among the published ones."""
        if folder.name != (self.page or self.game):
            return ()
        if not self.page:
            return (("../index.html", "All pages"), *((page.file, page.about) for page in self.pages.values()))
        return (("../../index.html", "All pages"), ("../index.html", "The strategy report"), *self.beside)

    def _cache(self, seed: int, changed: str) -> Path:
        root = cache_root()
        if root is None:
            raise TowerlabError("no cache folder for the studies of a report can be written; expected --work DIR")
        name = f"{self.game}{self.page and '-'}{self.page}{re.sub('[^a-z0-9.]+', '-', changed)}-seed-{seed}"
        return root / "reports" / name


class _Plan:
    """A study of the report with its parameters, seed and folder."""

    def __init__(self, part: Part, place: Path, seed: int, sizes: Sizes, options: Sequence[str]) -> None:
        self.study = part.study
        self._options = tuple(options)
        self._sizes = {**part.sizes, **sizes.get(part.study.name, {})}
        self._parameters = parse_parameters(part.study, (), options) | self._sizes
        self._seed = 0 if part.seed is None else seed + part.seed
        self.path = place / part.study.name

    def has_begun(self) -> bool:
        """Whether its folder holds anything."""
        return self.path.exists()

    def can_go_on(self) -> bool:
        """Whether its folder holds this very study, of the same seed, parameters and versions."""
        chunks = self.study.count_chunks(self._parameters)
        return StudyFolder(self.path, self.study, self._parameters, self._seed, chunks).holds_same_study()

    def run(self, jobs: int | None, quiet: bool, which: str) -> Run:
        """The study's results, whatever of it was there."""
        result = run_study(
            self.study,
            self.path,
            seed=self._seed,
            jobs=jobs,
            resume=True,
            quiet=quiet,
            parameters=self._parameters,
            title=self.study.name + which,
        )
        made = self.study.rule_options
        rules = rules_in_force(made(**self._parameters[RULE_OPTIONS])) if made else DEFAULT_RULES
        return Run(self.study, self._seed, result, self._sizes, rules, self._options)


def _check_place(plans: Sequence[_Plan], place: Path, resume: bool, ours: bool) -> None:
    """Nothing begun is overwritten unasked; in our own cache, what another version left is no use to anybody."""
    begun = [plan for plan in plans if plan.has_begun()]
    if ours:
        for plan in begun:
            if not plan.can_go_on():
                shutil.rmtree(plan.path)
        begun = [plan for plan in begun if plan.has_begun()]
    if begun and not resume:
        names = ", ".join(plan.study.name for plan in begun)
        raise TowerlabError(
            f"{place} keeps studies of this report from an earlier run ({names}); expected --resume to go on with "
            "them, or another folder with --work"
        )
