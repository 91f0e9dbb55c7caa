"""A board of Towers as SVG: tower cards as blocks, bridges across two columns, slanted where they are uneven."""

from __future__ import annotations

from typing import Final

from towerlab.analysis.report.render import templates
from towerlab.games.towers import Board

_WIDTH: Final = 64  # of a block
_HEIGHT: Final = 24
_PITCH: Final = _WIDTH + 26


def board_svg(board: Board) -> str:
    """The drawing; colours are variables of the page."""
    ground = 34 + max(2, *board.heights) * _HEIGHT
    blocks = [
        (section, [(10 + column * _PITCH, ground - level * _HEIGHT) for column, level in section.ends])
        for section in board.sections()
    ]
    template = templates("towerlab.analysis.towers").get_template("board.svg.j2")
    return template.render(blocks=blocks, ground=ground, width=_WIDTH, pitch=_PITCH, thick=_HEIGHT - 3)
