"""Grids of coloured cells, such as accept charts: panels of rows and columns as compact SVG, one a panel.

A cell has a text (a letter and a number, so that nothing depends on its colour), a shade of the palette, and is
hatched where its number hides that its cases disagree. A cell tells more when it is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import escape

from towerlab.analysis.report.palette import ink_on

_CELL_WIDTH, _CELL_HEIGHT = 40, 20
_HEAD = 44  # a panel's title and its columns' names
_FOOT = 20  # the name of the columns' axis
_BETWEEN = "|"  # what a cell tells
_LABEL_WIDTH = 7  # of a letter of a row's name, about


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: what it says.
        shade: its palette token, such as ``"accept-2"``.
        hatched: whether it is.
        tells: what is told when it is chosen: a value for each of the grid's `tells`, empty where there is none.
        link: where more is told, a relative address.
    """

    text: str
    shade: str
    hatched: bool = False
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
    """A drawing a panel, rows named at the left of each: as many stand side by side as the screen has room for.

    Args:
        panels: all with the same rows and columns.
        rows, columns: names, top to bottom and left to right.
        row_axis, column_axis: what the names mean.
        tells: names of what cells tell.
    """
    left = 12 + _LABEL_WIDTH * max(map(len, (*rows, row_axis)))
    width = left + _CELL_WIDTH * len(columns) + 2
    height = _HEAD + _CELL_HEIGHT * len(rows) + _FOOT
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="11"'
        + (f' data-names="{escape(_BETWEEN.join(tells))}">' if tells else ">")
        + '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<path d="M0 0V6" stroke="currentColor" stroke-width="1.6"/></pattern></defs>'
        + _row_names(rows, row_axis, left)
    )
    return tuple(head + _panel(panel, rows, columns, column_axis, left) + "</svg>" for panel in panels)


def _row_names(rows: Sequence[str], axis: str, right: int) -> str:
    names = "".join(
        f'<text x="{right - 6}" y="{_HEAD + _CELL_HEIGHT * number + 14}">{escape(row)}</text>'
        for number, row in enumerate(rows)
    )
    return f'<g text-anchor="end"><text x="{right - 6}" y="{_HEAD - 6}">{escape(axis)}</text>{names}</g>'


def _panel(panel: Panel, rows: Sequence[str], columns: Sequence[str], axis: str, x: int) -> str:
    heads = "".join(
        f'<text x="{_middle(x, place)}" y="{_HEAD - 6}">{escape(name)}</text>' for place, name in enumerate(columns)
    )
    placed = [
        (panel.cells[row, column], x + _CELL_WIDTH * across, _HEAD + _CELL_HEIGHT * down)
        for down, row in enumerate(rows)
        for across, column in enumerate(columns)
        if (row, column) in panel.cells
    ]
    boxes = "".join(_box(left, top, f"var(--{cell.shade})", cell) for cell, left, top in placed)
    hatches = "".join(_box(left, top, "url(#hatch)") for cell, left, top in placed if cell.hatched)
    texts = "".join(_text(cell, left, top) for cell, left, top in placed)
    foot = _HEAD + _CELL_HEIGHT * len(rows) + 15
    return (
        f'<text x="{x}" y="18" font-size="13" font-weight="bold">{escape(panel.title)}</text>'
        f'<g stroke="var(--line)" stroke-width=".5">{boxes}</g><g opacity=".45">{hatches}</g>'
        f'<g text-anchor="middle">{heads}{texts}'
        f'<text x="{x + _CELL_WIDTH * len(columns) / 2:g}" y="{foot}">{escape(axis)}</text></g>'
    )


def _box(x: int, y: int, fill: str, cell: Cell | None = None) -> str:
    more = f' data-tells="{escape(_BETWEEN.join(cell.tells))}"' if cell and cell.tells else ""
    more += f' data-link="{escape(cell.link)}"' if cell and cell.link else ""
    return f'<path d="M{x} {y}h{_CELL_WIDTH - 1}v{_CELL_HEIGHT - 1}h{1 - _CELL_WIDTH}z" fill="{fill}"{more}/>'


def _text(cell: Cell, x: int, y: int) -> str:
    # On a hatched cell the text stands on a halo of the cell's colour.
    halo = f' stroke="var(--{cell.shade})" stroke-width="4" paint-order="stroke"' if cell.hatched else ""
    ink = ' fill="var(--paper)"' if ink_on(cell.shade) == "paper" else ""
    return f'<text x="{_middle(x)}" y="{y + 14}"{ink}{halo}>{escape(cell.text)}</text>'


def _middle(x: int, place: int = 0) -> str:
    return f"{x + _CELL_WIDTH * (place + 0.5) - 0.5:g}"
