"""Last changes to every matplotlib chart of a page before it is drawn: plain ticks, headings that fit."""

from __future__ import annotations

import itertools
import math
from typing import Any

from towerlab.analysis.report.checks import ReportError


def mend_charts(figure: Any, name: str) -> None:
    """Set ticks of logarithmic axes as plain numbers.

    Args:
        figure: a matplotlib figure; changed in place.
        name: of the figure, for complaints.

    Raises:
        ReportError: two headings or legends overlap.
    """
    for axes in figure.axes:
        _plain_ticks(axes)
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


def _refuse_collisions(figure: Any, name: str) -> None:
    headings = [
        (title.get_text(), title.get_window_extent())
        for axes in figure.axes
        for title in (axes._left_title, axes.title, axes._right_title)
        if title.get_text()
    ]
    headings += [(text.get_text(), text.get_window_extent()) for text in figure.texts if text.get_text()]
    for (heading, box), (other, other_box) in itertools.combinations(headings, 2):
        if box.overlaps(other_box):
            raise ReportError(f"in the chart of figure {name!r} the headings {heading!r} and {other!r} collide")
