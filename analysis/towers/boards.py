"""Boards of Towers as SVG: tower cards as blocks, bridges across two columns, slanted where they are uneven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.towers import Board, Section

_WIDTH: Final = 64  # of a block
_GAP: Final = 26
_HEIGHT: Final = 24
_MARGIN: Final = 10
_PITCH: Final = _WIDTH + _GAP
_BETWEEN: Final = 56  # between two boards of one drawing


def boards_svg(boards: Sequence[tuple[str, Board]]) -> str:
    """Boards side by side, each under its title; colours are variables of the page."""
    levels = max(2, *(height for _, board in boards for height in board.heights))
    height = _MARGIN + 24 + levels * _HEIGHT + 30
    wide = 4 * _PITCH - _GAP
    width = 2 * _MARGIN + len(boards) * wide + (len(boards) - 1) * _BETWEEN
    ground = height - 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="14">']
    for number, (title, board) in enumerate(boards):
        left = _MARGIN + number * (wide + _BETWEEN)
        parts.append(f'<text x="{left}" y="{_MARGIN + 8}" font-weight="bold">{title}</text>')
        parts += [_section_svg(section, left, ground) for section in board.sections()]
        for column in range(4):
            x = left + column * _PITCH
            parts.append(f'<path d="M{x} {ground}h{_WIDTH}" stroke="currentColor" stroke-width="2"/>')
            parts.append(f'<text x="{x + _WIDTH / 2:g}" y="{ground + 20}" text-anchor="middle">T{column + 1}</text>')
    return "".join([*parts, "</svg>"])


def _section_svg(section: Section, left: float, ground: float) -> str:
    if not section.is_bridge:
        ((column, level),) = section.ends
        x, y = left + column * _PITCH, ground - level * _HEIGHT
        return _shape([(x, y), (x + _WIDTH, y)], "var(--even)") + _label(x + _WIDTH / 2, y, section.rank)
    (first, low), (second, high) = section.ends
    x, y = left + first * _PITCH, ground - low * _HEIGHT
    if second < first:  # the last side of a square: two stubs, one at either edge
        stubs = [(x, y), (x + _WIDTH, y)], [(left, ground - high * _HEIGHT), (left + _WIDTH, ground - high * _HEIGHT)]
        labels = _label(x + _WIDTH / 2, y, section.rank + " →") + _label(
            left + _WIDTH / 2, ground - high * _HEIGHT, "→ " + section.rank
        )
        return "".join(_shape(stub, "var(--accept-2)") for stub in stubs) + labels
    far, end = left + second * _PITCH, ground - high * _HEIGHT
    top = [(x, y), (x + _WIDTH, y), (far, end), (far + _WIDTH, end)]
    return _shape(top, "var(--accept-2)") + _label((x + far + _WIDTH) / 2, (y + end) / 2, section.rank)


def _shape(top: Sequence[tuple[float, float]], fill: str) -> str:
    """A band as thick as a card under a line from left to right."""
    thick = _HEIGHT - 3
    around = [*top, *((x, y + thick) for x, y in reversed(top))]
    points = " ".join(f"{x:g},{y:g}" for x, y in around)
    return f'<polygon points="{points}" fill="{fill}" stroke="currentColor"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y + 15:g}" text-anchor="middle">{text}</text>'
