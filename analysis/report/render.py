"""How does a `Page` become one HTML document, with its grids of coloured cells, and a folder of tables?

A grid, such as an accept chart, is compact SVG, one for each panel. A cell has a text (a letter and a number, so that
nothing depends on its colour) and a shade of the palette; a chosen cell shows more. The folder ``tables`` has Parquet
files with units, CSV files of small tables, and the meaning of the columns; numbers of observations are called ``n``.

>>> cells = {("♠", "7"): Cell("A 61", "accept-2")}
>>> grid_svg([Panel("dealer", cells)], ["♠"], ["7"], row_axis="suit", column_axis="cards")[0].startswith("<svg")
True
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import jinja2
import pandas as pd
from markupsafe import Markup

from towerlab.analysis.report.drawing import css_variables, ink_on, inline_svg
from towerlab.analysis.report.page import Block, Column, Figure, Page, ReportError, Table, Tabs, run_checks
from towerlab.analysis.report.wording import fit, typeset
from towerlab.analysis.version import exact_version

FOLDER: Final = "tables"
COLUMNS_FILE: Final = f"{FOLDER}/columns.md"
_SMALL: Final = 100_000  # bytes of a CSV file
_COUNTS: Final = (
    "decisions", "hands", "deals", "positions", "games", "matches", "packs", "wars", "battles", "pairs", "units",
    "count",
)  # fmt: skip

_LABEL_WIDTH = 7  # pixels of a letter of a row's name, about


CSP: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
PAGE_LIMIT: Final = 1_000_000  # bytes
FIRST_SCREEN: Final = 90  # words
MOST_SECTIONS: Final = 5

_ID = re.compile(r'<[^>]* id="([^"]*)"')
_OTHER_END = re.compile(r"(?:^|(?<=_))(?:low|high)$")  # of an interval, by the name of its column
_NOTES = "<!-- notes -->"  # where the template wants them
_POINTS_NOTE = "pp: percentage points, the difference of two shares. "
_EMPTY = "–"  # shown for a missing value; sorts last


def render_page(page: Page) -> str:
    """Return the page as HTML.

    Raises:
        ReportError: a check of the page fails, the page is over `PAGE_LIMIT` bytes, an id occurs twice, or something is
            shown that no page may show.
    """
    run_checks(page.checks)
    _refuse_bare_sections(page)
    sections = (*page.sections, page.method)
    script = Markup(template_text("script.js"))
    template = templates().get_template("page.html.j2")
    html = template.render(page=page, sections=sections, script=script, **frame_values())
    _refuse_long_openings(html, page)
    html = html.replace(_NOTES, _POINTS_NOTE if "\u202fpp" in html else "")
    _check_size(html, page)
    if repeated := [name for name, times in Counter(_ID.findall(html)).items() if times > 1]:
        raise ReportError(f"the id {min(repeated)!r} stands twice")
    return html


def _refuse_bare_sections(page: Page) -> None:
    """Every section but the method has something to look at: a chart, a table, cards."""
    bare = [section.title for section in page.sections if not any(map(_is_seen, section.blocks))]
    if bare:
        raise ReportError(f"sections of words alone: {', '.join(bare)}; expected a figure or a table in each")


def _refuse_long_openings(html: str, page: Page) -> None:
    """Count the words of the first screen, without the picture's, and the sections after it."""
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
    return isinstance(block, Figure | Table | Tabs) or (isinstance(block, Markup) and 'class="card' in block)


# ------------------------------------------------------------------------------------------- records for the template


def _drawn(figure: Figure) -> Markup:
    """Return the panels of a figure, and the drawing for phones where there is one."""
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
    """Return the headings, the cells of the rows that are shown, and their number."""
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
    """Yield the text and the sort key of every cell of a column."""
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
    """Return a number's sort key: six digits, which are more than any cell shows; whole numbers stay whole."""
    if pd.isna(value):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _text(value: Any, column: Column) -> str:
    """Return the text of a cell: its format, thousands and minus signs as printed in books, a dash for nothing."""
    if callable(column.show):
        shown = column.show(value)
        return shown if isinstance(shown, Markup) else fit(shown)
    if value is None or value is pd.NA or value != value or value in (math.inf, -math.inf):
        return _EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return fit(format(value, column.show or ",d"))
    if isinstance(value, float):
        return fit(format(value, column.show or ".4g"))
    return typeset(str(value)) if not isinstance(value, Markup) else value


# ---------------------------------------------------------------------------------------------------------- the rest


@cache
def templates(package: str = "towerlab.analysis.report") -> jinja2.Environment:
    """Return the templates of a package; by default those of every page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "ink": ink_on, "typeset": typeset, "kind": lambda block: type(block).__name__, "drawn": _drawn, "shown": _shown,
    }  # fmt: skip
    return environment


def frame_values(*styles: str) -> dict[str, object]:
    """Return the values of every page's frame: the author, what it may load, its colours and its style.

    Args:
        styles: the texts that follow the style which all pages share.
    """
    style = Markup(template_text("style.css") + "".join(styles))
    variables = Markup(css_variables())
    return {"csp": Markup(CSP), "version": exact_version(), "variables": variables, "style": style}


def template_text(name: str, package: str = "towerlab.analysis.report") -> str:
    """Return the text of a template: ``style.css``, or a section that several games' pages include."""
    return (resources.files(package) / "templates" / name).read_text(encoding="utf-8")


def _check_size(html: str, page: Page) -> None:
    size = len(html.encode())
    if size <= PAGE_LIMIT:
        return
    parts = {table.name: len(str(_shown(table)["rows"])) for table in page.tables()}
    parts |= {figure.name: len(_drawn(figure)) for figure in page.figures()}
    largest = ", ".join(sorted(parts, key=lambda name: parts[name], reverse=True)[:3])
    raise ReportError(f"the page is {size:,} bytes; expected at most {PAGE_LIMIT:,} (its largest parts: {largest})")


# ------------------------------------------------------------------------------------------------------- grids of cells


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: the text of the cell.
        shade: the palette token of its colour, such as ``"accept-2"``.
        tells: what is shown when it is chosen: a value for each name of the grid's `tells`, empty where there is none.
        link: the relative address where more is shown.
    """

    text: str
    shade: str
    tells: tuple[str, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Panel:
    """A grid under a title; cells by (row, column), missing ones stay empty."""

    title: str
    cells: Mapping[tuple[str, str], Cell]


def grid_svg(
    panels: Sequence[Panel],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    row_axis: str,
    column_axis: str,
    tells: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return a drawing for each panel, with row names on its left; the page places as many in a row as fit the screen.

    Args:
        panels: the panels, all with the same rows and columns.
        rows, columns: their names, top to bottom and left to right.
        row_axis, column_axis: the meaning of the names.
        tells: names of the values that cells show when they are chosen.
    """
    left = 12 + _LABEL_WIDTH * max(map(len, (*rows, row_axis)))
    places = [(down, across) for down in range(len(rows)) for across in range(len(columns))]
    drawn = []
    for panel in panels:
        cells = ((down, across, panel.cells.get((rows[down], columns[across]))) for down, across in places)
        template = templates().get_template("grid.svg.j2")
        drawn.append(
            template.render(
                panel=panel, rows=rows, columns=columns, row_axis=row_axis, column_axis=column_axis, tells=tells,
                left=left, placed=[cell for cell in cells if cell[2] is not None],
            )
        )  # fmt: skip
    return tuple(drawn)


# -------------------------------------------------------------------------------------------------- the files of tables


def publish_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table as it is written: names without blanks, the ends of intervals, and counts as ``n``.

    >>> list(publish_columns(pd.DataFrame({"200 layouts": [1.0], "low": [0.5], "deals": [3]})))
    ['layouts_200', 'interval_low', 'n']
    """
    frame = frame.rename(columns=_identifier)
    counts = [name for name in _COUNTS if name in frame and pd.api.types.is_integer_dtype(frame[name])]
    return frame if "n" in frame or not counts else frame.rename(columns={counts[0]: "n"})


def files_of(name: str, frame: pd.DataFrame) -> list[str]:
    """Return the path of a table's file, relative to the page."""
    kinds = ("parquet", "csv") if len(_csv(frame)) < _SMALL else ("parquet",)
    return [f"{FOLDER}/{name}.{kind}" for kind in kinds]


def write_tables(
    folder: Path, frames: Mapping[str, pd.DataFrame], tables: Iterable[Table], about: Mapping[str, str]
) -> dict[str, list[dict[str, str]]]:
    """Write the tables into the page's folder and return the meaning of their columns: column, what, unit.

    Args:
        folder: the folder of the page.
        frames: the tables to write, by name.
        tables: the tables of the page, with columns and captions.
        about: how the page was made, for the metadata of every Parquet file.
    """
    import pyarrow
    import pyarrow.parquet

    (folder / FOLDER).mkdir()
    tables = tuple(tables)
    captions = {table.name: table.caption for table in tables}
    shown = {table.name: {_identifier(column.name): column for column in table.shown_columns} for table in tables}
    meanings: dict[str, list[dict[str, str]]] = {}
    for name, frame in frames.items():
        for file in files_of(name, frame):
            if file.endswith(".csv"):
                (folder / file).write_bytes(_csv(frame))
                continue
            table = pyarrow.Table.from_pandas(publish_columns(frame), preserve_index=False)
            pairs = zip(table.schema.names, map(_identifier, frame), strict=True)  # before counts are called n
            meanings[name] = [_described(column, shown.get(name, {}).get(old)) for column, old in pairs]
            fields = [table.schema.field(meaning["column"]).with_metadata(meaning) for meaning in meanings[name]]
            caption = captions[name]
            known = {**about, "rules": caption.rules, "size": caption.size, "model": caption.model,
                     "certainty": str(caption.certainty)}  # fmt: skip
            schema = pyarrow.schema(fields, {**known, **table.schema.metadata})
            pyarrow.parquet.write_table(table.cast(schema), folder / file)
    return meanings


def _described(name: str, column: Column | None) -> dict[str, str]:
    what = f"{column.meaning}{': ' * bool(column.help)}{column.help}" if column else name.replace("_", " ")
    return {"column": name, "what": what, "unit": column.unit if column else ""}


def _identifier(name: object) -> str:
    """Return a name without blanks, a leading number moved to its end; ``low`` and ``high`` get a prefix."""
    identifier = re.sub(r"^(\d+)_(.*)$", r"\2_\1", re.sub(r"\W+", "_", str(name)))
    return f"interval_{identifier}" if identifier in ("low", "high") else identifier


def _csv(frame: pd.DataFrame) -> bytes:
    text = publish_columns(frame).to_csv(index=False, float_format="%.10g", lineterminator="\n")
    return text.encode()
