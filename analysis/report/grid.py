"""Grids of coloured cells, such as accept charts: panels of rows and columns as compact SVG, one for each panel.

A cell has a text (a letter and a number, so that nothing depends on its colour) and a shade of the palette. A chosen
cell shows more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from towerlab.analysis.report.render import templates

_LABEL_WIDTH = 7  # pixels of a letter of a row's name, about


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: of the cell.
        shade: its palette token, such as ``"accept-2"``.
        tells: shown when it is chosen: a value for each name of the grid's `tells`, empty where there is none.
        link: where more is shown, a relative address.
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
        panels: all with the same rows and columns.
        rows, columns: names, top to bottom and left to right.
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
