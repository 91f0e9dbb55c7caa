"""A board of Towers as SVG: tower cards as blocks, bridges across two columns, slanted where they are uneven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from towerlab.games.towers import Board, Section

_WIDTH: Final = 64  # of a block
_HEIGHT: Final = 24
_MARGIN: Final = 10
_PITCH: Final = _WIDTH + 26


def board_svg(board: Board) -> str:
    """The drawing; colours are variables of the page."""
    ground = _MARGIN + 24 + max(2, *board.heights) * _HEIGHT
    size = f"{2 * _MARGIN + 3 * _PITCH + _WIDTH} {ground + 30}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-size="14">']
    parts += [_section_svg(section, ground) for section in board.sections()]
    for column in range(4):
        x = _MARGIN + column * _PITCH
        parts.append(f'<path d="M{x} {ground}h{_WIDTH}" stroke="currentColor" stroke-width="2"/>')
        parts.append(_label(x + _WIDTH / 2, ground + 5, f"T{column + 1}"))
    return "".join([*parts, "</svg>"])


def _section_svg(section: Section, ground: float) -> str:
    """A block, or a bridge from one column to the next."""
    (x, y), (far, end) = (
        (_MARGIN + column * _PITCH, ground - level * _HEIGHT) for column, level in (section.ends[0], section.ends[-1])
    )
    top = [(x, y), (x + _WIDTH, y), (far, end), (far + _WIDTH, end)] if section.is_bridge else [(x, y), (x + _WIDTH, y)]
    shade = "var(--accept-2)" if section.is_bridge else "var(--even)"
    return _shape(top, shade) + _label((x + far + _WIDTH) / 2, (y + end) / 2, section.rank)


def _shape(top: Sequence[tuple[float, float]], fill: str) -> str:
    """A band as thick as a card under a line from left to right."""
    thick = _HEIGHT - 3
    around = [*top, *((x, y + thick) for x, y in reversed(top))]
    points = " ".join(f"{x:g},{y:g}" for x, y in around)
    return f'<polygon points="{points}" fill="{fill}" stroke="currentColor"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y + 15:g}" text-anchor="middle">{text}</text>'
