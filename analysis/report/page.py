"""What is a report made of, and does what it says add up?

A game's builder fills these frozen records, `analysis.report.write` writes them. Nothing can be shown without saying
how sure it is: a `Caption` has no defaults for the rules, the hand size, the model and the certainty. A builder states
a check next to each number that it publishes: one that fails stops the build, and those that hold are on the page.

>>> check_sum("every class of hands is counted once", [3_000_000, 2_883_768], 5_883_768)
Check(claim='every class of hands is counted once', holds=True, detail='5,883,768')
>>> str(Sampled(20_000, "games", seed=7, interval="Wilson"))
'sampled: n = 20,000 games, Wilson 95 % intervals, seed 7'
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


class ReportError(RuntimeError):
    """A report that must not be published: a check fails, it is too large, or it lacks a part of every page."""


@dataclass(frozen=True)
class Check:
    """One statement, whether it holds, and the figures behind it."""

    claim: str
    holds: bool
    detail: str


def check_that(claim: str, condition: Any, detail: str = "") -> Check:
    """Return a statement that is true or not."""
    return Check(claim, bool(condition), detail)


def check_sum(claim: str, parts: Iterable[float], whole: float, within: float = 1e-9) -> Check:
    """Return the check that parts add up to a whole; NaN adds up to nothing."""
    total = math.fsum(parts)
    detail = f"{_number(total)} against {_number(whole)}, within {_number(within)}"
    return check_that(claim, abs(total - whole) <= within, _number(whole) if total == whole else detail)


def check_equal(claim: str, differences: Any, within: float = 1e-9) -> Check:
    """Return the check that two columns say the same: the largest difference is next to nothing, and not NaN."""
    largest = float(np.max(np.abs(np.asarray(differences, dtype=float))))
    close = largest <= within
    return Check(claim, close, f"largest difference {'at most ' + _number(within) if close else _number(largest)}")


def run_checks(checks: Iterable[Check]) -> None:
    """Stop the build unless every check holds.

    Raises:
        ReportError: names every check that fails, with its figures; also when there is no check at all.
    """
    checks = tuple(checks)
    if not checks:
        raise ReportError("a page needs at least one check that what it says adds up")
    broken = [f"{check.claim} ({check.detail or 'it is not so'})" for check in checks if not check.holds]
    if broken:
        raise ReportError("the page does not add up: " + "; ".join(broken))


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.9g}"


_NAME = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Exact:
    """Every case was looked at, or there is a proof.

    Attributes:
        count: how many cases.
        of: the plural noun of the counted things: ``"classes of (hand, up-card)"``.
    """

    count: int
    of: str

    def __str__(self) -> str:
        return f"exact: {self.count:,} {self.of}"


@dataclass(frozen=True)
class Sampled:
    """An estimate from random cases.

    Attributes:
        n: how many.
        of: the plural noun of the drawn things: ``"deals"``.
        seed: the random seed of the run.
        interval: how the intervals were made, such as ``"Wilson"`` or ``"paired"``; all are 95 % intervals. Empty where
            there are none.
    """

    n: int
    of: str
    seed: int
    interval: str

    def __str__(self) -> str:
        intervals = f"{self.interval} 95 % intervals" if self.interval else "without intervals"
        return f"sampled: n = {self.n:,} {self.of}, {intervals}, seed {self.seed}"


Certainty: TypeAlias = Exact | Sampled
DEFAULT_RULES: Final = "default rules"


@dataclass(frozen=True)
class Caption:
    """The text under a figure or table, and its accuracy; every part is required.

    Attributes:
        text: how to read it, in a sentence or two.
        rules: the rules, such as `DEFAULT_RULES`.
        size: the hand size, ``"n = 7"`` (or what takes its place: ``"10 cards each, 2 players"``).
        model: the assumption behind the numbers: ``"perfect information"``.
        certainty: `Exact` or `Sampled`.
        finding: a first sentence, computed from the numbers, on what the picture shows.
    """

    text: str
    rules: str
    size: str
    model: str
    certainty: Certainty
    finding: str = ""

    def __post_init__(self) -> None:
        for part in ("text", "rules", "size", "model"):
            if not getattr(self, part).strip():
                raise ReportError(f"a caption says nothing about its {part}: {self.text[:60]!r}")

    @property
    def conditions(self) -> str:
        """Rules, hand size, model and certainty, in one line."""
        return f"{self.rules} · {self.size} · {self.model} · {self.certainty}"


@dataclass(frozen=True)
class Column:
    """How one column of a frame is shown.

    Attributes:
        name: the frame's column.
        title: the heading of the column.
        show: a format such as ``".1f"``, or a function from a value to text (or to `Markup`).
        help: the meaning of the heading, for a tooltip and for the README of the tables.
        of: the heading of the estimate, if this column is the end of its interval.
    """

    name: str
    title: str
    show: str | Callable[[Any], str] = ""
    help: str = ""
    of: str = ""

    @property
    def meaning(self) -> str:
        """The heading, of the end of an interval with that of the estimate."""
        return f"{self.of}: {self.title}" if self.of else self.title

    @property
    def unit(self) -> str:
        """Return the unit: the words of the heading after the last comma, else from the format.

        >>> Column("cost", "cost, mt", ".1f").unit, Column("won", "wins", ".0%").unit, Column("hand", "hand").unit
        ('mt', 'share', '')
        """
        _, comma, unit = (self.of or self.title).rpartition(", ")
        return unit if comma else "share" if isinstance(self.show, str) and self.show.endswith("%") else ""


@dataclass(frozen=True)
class Named:
    """A part of a page with a name, unique on the page: its id and the name of its file.

    Raises:
        ReportError: the name is not lower-case letters, digits and hyphens.
    """

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ReportError(f"{self.name!r} cannot be an id; expected lower-case letters, digits and hyphens")


@dataclass(frozen=True)
class Table(Named):
    """A sortable table, also written into the folder ``tables`` under its name (`analysis.report.write`).

    Attributes:
        title: the heading of the table.
        frame: a tidy table, one row an observation; the first column shown names the row.
        columns: which columns to show and how; empty shows every column of the frame as it is.
        caption: the rules, hand size, model and certainty.
        rows: how many rows the page shows (the files have all of them).
        folded: whether the reader has to open it.
    """

    title: str
    frame: pd.DataFrame
    caption: Caption
    columns: tuple[Column, ...] = ()
    rows: int | None = None
    folded: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for column in self.shown_columns:
            if column.name not in self.frame.columns:
                raise ReportError(
                    f"table {self.name!r} has no column {column.name!r}; it has {list(self.frame.columns)}"
                )

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns given, or one for every column of the frame."""
        return self.columns or tuple(Column(str(name), str(name).replace("_", " ")) for name in self.frame.columns)


@dataclass(frozen=True)
class Figure(Named):
    """A drawing with a table of its numbers.

    Attributes:
        title: the heading of the figure.
        drawing: a `matplotlib.figure.Figure`, or SVG as text, several for panels that flow (`var(--accept-3)` and the
            like are its colours).
        alt: a description of the picture, for readers who cannot see it.
        caption: the rules, hand size, model and certainty.
        frame: the numbers that are drawn; they become a table of the figure's name.
        columns, rows: the same as in `Table`.
        narrow: the same drawn for phones, where that is wanted.
    """

    title: str
    drawing: Any
    alt: str
    caption: Caption
    frame: pd.DataFrame
    columns: tuple[Column, ...] = ()
    rows: int | None = None
    narrow: Any = None

    @property
    def numbers(self) -> Table:
        """The table of the figure's numbers."""
        title = f"The numbers: {self.title}"
        return Table(self.name, title, self.frame, self.caption, self.columns, self.rows, folded=True)


@dataclass(frozen=True)
class Tab:
    """The parts under one tab, with blocks as in `Section`."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Tabs(Named):
    """Parts of which a reader wants one; without a script and on paper they stand one under the other.

    Attributes:
        tabs: the parts, in order.
        chosen: which one is open at first, from 0.
    """

    tabs: tuple[Tab, ...]
    chosen: int = 0


Block: TypeAlias = str | Figure | Table | Tabs


@dataclass(frozen=True)
class Section(Named):
    """A part of a page under one heading.

    Attributes:
        title: the heading of the section.
        blocks: Markdown (text, or `markupsafe.Markup` for text with HTML), figures, tables and tabs, in order.
    """

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class KeyNumber:
    """A number of the first screen: ``KeyNumber("61.3 %", "of hands accept", Exact(…))``."""

    value: str
    label: str
    certainty: Certainty


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes:
        title: the heading of the page.
        question: the question, in a sentence.
        answer: the answer, a few sentences computed from the data; shown on the first screen.
        warning: the model's assumption, on the first screen.
        sections: the body; at most five.
        method: how the numbers were made; the last section.
        command: the line that makes the page again.
        checks: the checks of the page; see `analysis.report.page`.
        key_numbers: a handful for the first screen.
        sources: the inputs besides the code (a study's folder, its seed …), for the manifest.
        links: other pages: (relative address, name).
        opening: the picture of the first screen, which has at most 90 words.
        quantities: numbers that other pages may show as well, by name: pages of the same commit must agree.
        read_again: a function that reads the file of prose again, with the same values (`analysis.report.preview`).
    """

    title: str
    question: str
    answer: tuple[str, ...]
    warning: str
    sections: tuple[Section, ...]
    method: Section
    command: str
    checks: tuple[Check, ...]
    key_numbers: tuple[KeyNumber, ...] = ()
    sources: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()
    opening: tuple[Block, ...] = ()
    quantities: Mapping[str, float] = field(default_factory=dict)
    read_again: Callable[[], Page] | None = field(default=None, compare=False)

    def blocks(self) -> Iterator[Block]:
        """Yield every block of the first screen and of every section, in order, those under tabs included."""
        for blocks in (self.opening, *(section.blocks for section in (*self.sections, self.method))):
            for block in blocks:
                yield block
                if isinstance(block, Tabs):
                    yield from (inner for tab in block.tabs for inner in tab.blocks)

    def figures(self) -> Iterator[Figure]:
        """Return every figure, in order."""
        return (block for block in self.blocks() if isinstance(block, Figure))

    def tables(self) -> Iterator[Table]:
        """Yield every table, those of figures included, in order."""
        for block in self.blocks():
            if isinstance(block, Figure):
                yield block.numbers
            elif isinstance(block, Table):
                yield block
