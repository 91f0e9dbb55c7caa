"""What every matplotlib chart of a page is mended for before it is drawn: plain ticks, room, headings that fit."""

from __future__ import annotations

import itertools
import math
import textwrap
from typing import Any, Final

from analysis.report.checks import ReportError

_ROOM: Final = 0.03  # of an axis, between the farthest mark and its end


def mend_charts(figure: Any, name: str) -> None:
    """Set ticks of logarithmic axes as plain numbers, keep marks off the frame, break headings that are too long.

    Args:
        figure: a matplotlib figure; changed in place.
        name: of the figure, for complaints.

    Raises:
        ReportError: two headings or legends still lie upon each other.
    """
    for axes in figure.axes:
        _plain_ticks(axes)
        _give_room(axes)
    figure.draw_without_rendering()
    if _break_headings(figure):
        figure.draw_without_rendering()
    _refuse_collisions(figure, name)


def _plain_ticks(axes: Any) -> None:
    """Logarithmic axes say 1, 2, 5, 10 …, never a power; ticks that were set by hand stay."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() != "log" or isinstance(axis.get_major_locator(), FixedLocator):
            continue
        low, high = sorted(axis.get_view_interval())
        narrow = math.log10(high / low) < 3
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.12g}"))
        axis.set_minor_formatter(NullFormatter())


def _give_room(axes: Any) -> None:
    """Widen an axis on which a bar or an interval reaches the frame; bars that stand on it stay where they stand."""
    if not (axes.patches or axes.containers):
        return
    for side, (first, last) in (("x", axes.dataLim.intervalx), ("y", axes.dataLim.intervaly)):
        low, high = getattr(axes, f"get_{side}lim")()
        if not math.isfinite(first + last) or low > high or axes.__getattribute__(f"get_{side}scale")() == "log":
            continue
        room = _ROOM * (high - low)
        wanted_low = first - room if first < low + room and first != low and first != 0 else low
        wanted_high = last + room if last > high - room and last != 0 else high
        getattr(axes, f"set_{side}lim")(wanted_low, wanted_high)


def _break_headings(figure: Any) -> bool:
    """Break titles of axes that are wider than their axes; whether there were any."""
    broken = False
    for axes in figure.axes:
        room = axes.get_window_extent().width
        for title in (axes._left_title, axes.title, axes._right_title):
            text = title.get_text()
            width = title.get_window_extent().width if text else 0.0
            if width > room and " " in text:
                fitting = max(8, int(max(map(len, text.splitlines())) * room / width))
                title.set_text("\n".join(textwrap.wrap(text, fitting)))
                broken = True
    return broken


def _refuse_collisions(figure: Any, name: str) -> None:
    headings = [
        (title.get_text(), title.get_window_extent())
        for axes in figure.axes
        for title in (axes._left_title, axes.title, axes._right_title)
        if title.get_text()
    ]
    headings += [(text.get_text(), text.get_window_extent()) for text in figure.texts if text.get_text()]
    for (one, first), (other, second) in itertools.combinations(headings, 2):
        if first.overlaps(second):
            raise ReportError(f"in the chart of figure {name!r} the headings {one!r} and {other!r} collide")
