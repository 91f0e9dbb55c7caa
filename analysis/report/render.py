"""A `Page` as one HTML document, and what every document of ours must fulfil."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any, Final

import jinja2
import pandas as pd
from markupsafe import Markup
from towerlab.analysis.present.answers import made_by
from towerlab.analysis.report.checks import ReportError, run_checks
from towerlab.analysis.report.drawing import inline_svg
from towerlab.analysis.report.page import Block, Column, Figure, Page, Points, Table, Tabs
from towerlab.analysis.report.palette import css_variables
from towerlab.analysis.report.tables import files_of
from towerlab.analysis.report.wording import characters, typeset, unfit

CSP: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
PAGE_LIMIT: Final = 1_000_000  # bytes
FIRST_SCREEN: Final = 60  # words
MOST_SECTIONS: Final = 5

_FETCHING = {"src", "srcset", "poster", "data", "action", "background", "cite", "manifest", "ping"}
_SILENT = ("script", "style", "code", "title")
_OTHER_END = re.compile(r"(?:^|(?<=_))(?:low|high)$")  # of an interval, by the name of its column
_NOTES = "<!-- notes -->"  # where the template wants them
_POINTS_NOTE = "pp: percentage points, the difference of two shares. "
_EMPTY = "–"  # shown for a missing value; sorts last


def render_page(page: Page) -> str:
    """The page as HTML.

    Raises:
        ReportError: a check of the page fails, the page is over `PAGE_LIMIT` bytes, an id stands twice, a heading
            level is skipped, something would be fetched, or something is shown that no page may show.
    """
    run_checks(page.checks)
    _refuse_bare_sections(page)
    html = (
        templates()
        .get_template("page.html.j2")
        .render(
            page=page,
            sections=(*page.sections, page.method),
            csp=Markup(CSP),
            version=made_by(),
            variables=Markup(css_variables()),
            style=Markup(template_text("style.css")),
            script=Markup(template_text("script.js")),
        )
    )
    _refuse_long_openings(html, page)
    html = html.replace(_NOTES, _POINTS_NOTE if "\u202fpp" in html else "")
    _check_size(html, page)
    check_html(html, beside=files_beside(page))
    check_words(html)
    return html


def _refuse_bare_sections(page: Page) -> None:
    """Every section but the method has something to look at: a chart, a table, cards."""
    bare = [section.title for section in page.sections if not any(map(_is_seen, section.blocks))]
    if bare:
        raise ReportError(f"sections of words alone: {', '.join(bare)}; expected a figure or a table in each")


def _refuse_long_openings(html: str, page: Page) -> None:
    """What is read on the first screen, but for the words beside the picture, and how many sections follow."""
    start, end = html.index("<h1>"), html.index("<!-- opening -->")
    words = re.sub(
        '<svg.*?</svg>|<h2 [^>]*class="unseen".*?</h2>|<[^>]+>', " ", html[start:end], flags=re.DOTALL
    ).split()
    if len(words) > FIRST_SCREEN or len(page.sections) > MOST_SECTIONS:
        raise ReportError(
            f"the first screen has {len(words)} words, the page {len(page.sections)} sections; expected at most "
            f"{FIRST_SCREEN} and {MOST_SECTIONS}"
        )


def _is_seen(block: Block) -> bool:
    if isinstance(block, Points):
        return any(map(_is_seen, block.sentences))
    return isinstance(block, Figure | Table | Tabs) or (isinstance(block, Markup) and 'class="card' in block)


def files_beside(page: Page) -> set[str]:
    """Names of the files that a page links to."""
    names = {name for table in page.tables() for name in files_of(table.name, table.frame)}
    return names | {address for address, _ in page.links} | {"README.md", "manifest.json"}


def check_html(html: str, beside: set[str]) -> None:
    """Refuse a document that would fetch something, or that breaks what a screen reader needs.

    Args:
        html: the document.
        beside: names of the files that links may lead to.

    Raises:
        ReportError: names every fault.
    """
    reader = _Reader(beside)
    reader.feed(html)
    reader.close()
    if reader.policies != [CSP]:
        reader.faults.append("no Content-Security-Policy")
    if missing := reader.targets - reader.ids:
        reader.faults.append(f"links to ids that are not there: {', '.join(sorted(missing))}")
    if reader.faults:
        raise ReportError("the page is not sound: " + "; ".join(reader.faults))


def check_words(html: str) -> None:
    """Refuse a page that shows raw backticks, numbers that are none, or a zero with a sign.

    Raises:
        ReportError: names every place.
    """
    words = _Words()
    words.feed(html)
    words.close()
    if words.faults:
        raise ReportError("the page shows what none may show: " + "; ".join(words.faults))


class _Words(HTMLParser):
    """Collects what should not be read on a page; nobody reads script, style and code as sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if not self.silent and (fault := unfit(data)):
            self.faults.append(f"{fault!r} in {data.strip()[:60]!r}")


class _Reader(HTMLParser):
    """Collects ids, links, headings and the faults among them."""

    def __init__(self, beside: set[str]) -> None:
        super().__init__()
        self.beside = beside
        self.ids: set[str] = set()
        self.targets: set[str] = set()
        self.policies: list[str | None] = []
        self.faults: list[str] = []
        self.level = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("h1", "h2", "h3", "h4"):
            if int(tag[1]) > self.level + 1:
                self.faults.append(f"a <{tag}> follows a <h{self.level}>")
            self.level = int(tag[1])
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.policies.append(dict(attrs).get("content"))
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "id":
            if value in self.ids:
                self.faults.append(f"the id {value!r} stands twice")
            self.ids.add(value)
        elif name in ("aria-labelledby", "aria-describedby"):
            self.targets.update(value.split())
        elif name in ("href", "xlink:href"):
            if value.startswith("#"):
                self.targets.add(value[1:])
            elif not (value.startswith("data:") or (tag == "a" and value in self.beside)):
                self.faults.append(f"<{tag}> leads outside: {value!r}")
        elif name in _FETCHING or name.startswith("on"):
            self.faults.append(f"<{tag}> has {name}={value!r}")
        if "url(" in value and "url(#" not in value:
            self.faults.append(f"<{tag}> fetches {value!r}")


# ------------------------------------------------------------------------------------------- records for the template


def _drawn(figure: Figure) -> Markup:
    """Its panels, and where there is one the drawing for phones."""
    panels = figure.drawing if isinstance(figure.drawing, tuple) else (figure.drawing,)
    names = [figure.name] if len(panels) == 1 else [f"{figure.name}-{place}" for place in range(1, len(panels) + 1)]
    wide = Markup().join(
        inline_svg(each, name, figure.title, figure.alt) for each, name in zip(panels, names, strict=True)
    )
    if figure.narrow is None:
        return Markup('<div class="panels">{}</div>').format(wide) if len(panels) > 1 else wide
    narrow = inline_svg(figure.narrow, f"{figure.name}-narrow", figure.title, figure.alt)
    return Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(wide, narrow)


def _shown(table: Table) -> dict[str, Any]:
    """Headings and cells of the rows that are shown, and how many are."""
    shown = table.frame.head(len(table.frame) if table.rows is None else table.rows)
    columns = [
        {"title": column.title, "help": column.help, "numeric": _is_shown_as_number(table.frame, column)}
        for column in table.shown_columns
    ]
    cells = [_cells(shown, column) for column in table.shown_columns]
    files = {Path(file).suffix[1:]: file for file in files_of(table.name, table.frame)}
    return {
        "columns": columns, "rows": list(zip(*cells, strict=True)), "shown": len(shown), "all": len(table.frame),
        "files": files,
    }  # fmt: skip


def _cells(frame: pd.DataFrame, column: Column) -> Iterator[dict[str, Any]]:
    """Text and sort key of every cell of a column."""
    values = frame[column.name]
    numeric = _is_shown_as_number(frame, column)
    other = frame.get(_OTHER_END.sub(lambda end: "low" if end[0] == "high" else "high", column.name), values)
    no_width = (other == values) & (column.name != other.name)
    for value, missing in zip(values.tolist(), no_width.tolist(), strict=True):
        yield {"text": _EMPTY if missing else _text(value, column), "key": _sort_key(value) if numeric else None}


def _is_shown_as_number(frame: pd.DataFrame, column: Column) -> bool:
    values = frame[column.name]
    return pd.api.types.is_numeric_dtype(values) and not (pd.api.types.is_bool_dtype(values) or callable(column.show))


def _sort_key(value: float) -> str:
    """Six digits are more than any cell shows, and keep the page small; whole numbers stay whole."""
    if pd.isna(value):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _text(value: Any, column: Column) -> str:
    """What a cell says: its format, thousands and minus signs as printed in books, a dash for nothing."""
    if callable(column.show):
        shown = column.show(value)
        return shown if isinstance(shown, Markup) else characters(shown)
    if value is None or value is pd.NA or value != value or value in (math.inf, -math.inf):
        return _EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return characters(format(value, column.show or ",d"))
    if isinstance(value, float):
        return characters(format(value, column.show or ".4g"))
    return typeset(str(value)) if not isinstance(value, Markup) else value


# ---------------------------------------------------------------------------------------------------------- the rest


@cache
def templates(package: str = "towerlab.analysis.report") -> jinja2.Environment:
    """The templates of a package; by default those of every page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "typeset": typeset, "kind": lambda block: type(block).__name__, "drawn": _drawn, "shown": _shown,
    }  # fmt: skip
    return environment


def template_text(name: str, package: str = "towerlab.analysis.report") -> str:
    """A template that is used as it is: ``style.css`` or ``script.js``."""
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")


def _check_size(html: str, page: Page) -> None:
    size = len(html.encode())
    if size <= PAGE_LIMIT:
        return
    parts = {table.name: len(str(_shown(table)["rows"])) for table in page.tables()}
    parts |= {figure.name: len(_drawn(figure)) for figure in page.figures()}
    largest = ", ".join(sorted(parts, key=lambda name: parts[name], reverse=True)[:3])
    raise ReportError(f"the page is {size:,} bytes; expected at most {PAGE_LIMIT:,} (its largest parts: {largest})")
