"""How are the numbers of a table charted and written, with their intervals?

A row holds the ends of an interval with the estimate: ``made``, ``made_low``, ``made_high``; of what the whole row is
about they are ``low`` and ``high``. A chart (bars, marks, lines) names columns. A series is a value of the column `by`,
or one of several columns of values; colours, marks and hatching tell them apart. Whatever else is given (`xlabel`,
`ylabel`) is set on the axes as `matplotlib.axes.Axes.set` takes it; `line` draws one across at a value. Every chart is
drawn for two widths: for a phone (`NARROW`) long names are above their bars and marks.

>>> estimate({"made": 0.123, "made_low": 0.11, "made_high": 0.136}, ".1%", "made")
'12.3% (11.0% to 13.6%)'
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.report.drawing import HATCHES, INK, PAPER, drawing, series
from towerlab.analysis.report.page import Check, check_that
from towerlab.analysis.stats import LEVEL, normal_quantile
from towerlab.games.arrays import Floats

FINDING: Final = (
    "What counts as a finding: the 95 % interval, widened for the number of comparisons that it is picked from "
    "(Bonferroni), leaves out the null. Intervals are shown as they are, not widened."
)


def ends_of(key: str, names: Container[Any]) -> tuple[str, str]:
    """Return the names in a row that are the ends of an estimate.

    >>> ends_of("made", ["made", "made_low", "made_high", "low", "high"]), ends_of("mean", ["mean", "low", "high"])
    (('made_low', 'made_high'), ('low', 'high'))
    """
    return (f"{key}_low", f"{key}_high") if f"{key}_low" in names else ("low", "high")


def estimate(row: Mapping[Any, Any], form: str, key: str = "mean") -> str:
    """Return the estimate and its interval in words; no interval where it has no width or no ends.

    >>> estimate({"mean": 0.123, "low": 0.11, "high": 0.136}, ".1%")
    '12.3% (11.0% to 13.6%)'
    >>> estimate({"mean": 1.0, "low": 1.0, "high": 1.0}, ".0%")
    '100%'
    >>> estimate({"mean": 2.0, "low": float("-inf"), "high": float("inf")}, "g")
    '2'
    """
    low, high = (f"{row[end]:{form}}" for end in ends_of(key, row))
    mean = f"{row[key]:{form}}"
    return mean if low == high or "inf" in low + high else f"{mean} ({low} to {high})"


def error_bars(frame: pd.DataFrame, key: str = "mean") -> list[Any]:
    """Return how far intervals reach below and above their estimates, as matplotlib takes it."""
    low, high = ends_of(key, frame.columns)
    return [frame[key] - frame[low], frame[high] - frame[key]]


def in_intervals(claim: str, *frames: pd.DataFrame, key: str = "mean") -> Check:
    """Check that every estimate of some tables is within its interval."""
    distances = (reach for frame in frames for reach in error_bars(frame, key))
    return check_that(claim, all((reach >= -1e-12).all() for reach in distances))


def findings(frame: pd.DataFrame, key: str = "mean") -> pd.DataFrame:
    """Return the rows of a table whose intervals, widened for as many comparisons as it has rows, leave out zero.

    >>> table = pd.DataFrame({"mean": [0.10] * 9, "low": [0.01] * 9, "high": [0.20] * 9})
    >>> len(findings(table[:1])), len(findings(table))
    (1, 0)
    """
    wider = normal_quantile(1 - (1 - LEVEL) / max(len(frame), 1)) / normal_quantile(LEVEL)
    low, high = (frame[key] + wider * (frame[end] - frame[key]) for end in ends_of(key, frame))
    return frame[(low > 0) | (high < 0)]


MARKS: Final = "osD^vP"
WIDE: Final = 7.2  # inches
NARROW: Final = 3.7
_FEW: Final = 12  # numbers along an axis that each get a tick
_BESIDE: Final = 0.8  # part of a row that marks fill with their name on the same row
# letters of a name on the same row as its marks, on a wide chart and on a phone
_LONG = 34
_SHORT = 7
_LETTERS: Final = 44  # of an axis' name, in a line of a narrow chart


def bars(
    frame: pd.DataFrame,
    label: str,
    value: str | Sequence[str],
    *,
    by: str = "",
    panels: str = "",
    numbers: str = "",
    marks: bool = False,
    width: float = WIDE,
    **axis: Any,
) -> Any:
    """Return a drawing of horizontal bars from zero, or of marks, the first row on top.

    Args:
        frame: a row a bar, or a group of bars.
        label: column of names; bars of the same name are grouped.
        value: column of lengths, or several.
        by: column of series.
        panels: column of panels, one below the other on one scale.
        numbers: the format of the number at each bar; none if empty.
        marks: whether to draw marks in place of bars.
        width: the width of the drawing, in inches.
        axis: settings of the axis of the lengths, such as `xlabel`.
    """
    parts = list(frame.groupby(panels, sort=False, observed=True)) if panels else [("", frame)]
    wide = len(_series(frame, value, by))
    heights = [part[label].nunique() for _, part in parts]
    row, thick = _room(frame[label], width, wide)
    height = max(1.2, 0.6 + 0.25 * len(parts) + row * sum(heights))
    with drawing(width, height, nrows=len(parts), sharex=True, height_ratios=heights, squeeze=False) as (figure, grid):
        for axes, (title, part) in zip(grid[:, 0], parts, strict=True):
            for number, (name, rows, key) in enumerate(_series(part, value, by)):
                offset = thick / wide * (number - (wide - 1) / 2)
                places = _places(axes, part[label], rows[label], thick) + offset
                reach = _errors(rows, key)
                if marks:
                    axes.errorbar(
                        rows[key], places, xerr=reach, label=name, color=series(number), marker=MARKS[number],
                        capsize=3, linestyle="none",
                    )  # fmt: skip
                    continue
                style = {"hatch": HATCHES[number], "edgecolor": INK, "linewidth": 0.5} if wide > 1 else {}
                axes.barh(
                    places, rows[key], 0.95 * thick / wide, xerr=reach, color=series(number),
                    ecolor=INK, capsize=3, label=name, **style,
                )  # fmt: skip
                ends = rows[key] if reach is None else rows[ends_of(key, rows)[1]]
                for place, end, length in zip(places, ends, rows[key] if numbers else (), strict=bool(numbers)):
                    at = max(end, 0.0)  # next to a bar on the left of zero, where it can be read
                    text = f"{length:{numbers}}"
                    axes.annotate(text, (at, place), (5, 0), textcoords="offset points", va="center")
            axes.grid(axis="y", visible=marks)
            axes.set_title(_wrapped(title, width))
            axes.margins(x=0.15 if numbers else 0.05)
        _finish(figure, grid[-1, 0], axis, "x")
    return figure


dots = functools.partial(bars, marks=True)


def lines(
    frame: pd.DataFrame,
    across: str,
    value: str | Sequence[str],
    *,
    by: str = "",
    width: float = WIDE,
    **axis: Any,
) -> Any:
    """Return a drawing of marks over an axis of numbers or names.

    Args:
        frame: a row a mark, or a group of marks.
        across: column along the axis.
        value: column of heights, or several.
        by: column of series.
        width: the width of the drawing, in inches.
        axis: settings of both axes, such as `ylabel`.
    """
    shown = _series(frame, value, by)
    spread = pd.api.types.is_numeric_dtype(frame[across])
    apart = 0.012 * (frame[across].max() - frame[across].min()) if spread else 0.0
    with drawing(width, 3.4) as (figure, axes):
        for number, (name, rows, key) in enumerate(shown):
            places = rows[across] + apart * (number - (len(shown) - 1) / 2) if spread else rows[across]
            axes.errorbar(
                places, rows[key], yerr=_errors(rows, key), color=series(number), capsize=3, label=name, linewidth=1.5,
                marker=MARKS[number % len(MARKS)],
            )  # fmt: skip
        if spread and frame[across].nunique() <= _FEW:
            axes.set_xticks(sorted(frame[across].unique()))
        _finish(figure, axes, axis, "y")
    return figure


def _series(frame: pd.DataFrame, value: str | Sequence[str], by: str) -> list[tuple[str, pd.DataFrame, str]]:
    """Return (name, rows, column of values) of each; rows without a value are left out."""
    parts = frame.groupby(by, sort=False, observed=True) if by else [("", frame)]
    keys = [value] if isinstance(value, str) else value
    return [(str(name) or key.replace("_", " "), rows[rows[key].notna()], key) for name, rows in parts for key in keys]


def _wrapped(name: object, width: float) -> str:
    return textwrap.fill(str(name), _LETTERS if width < WIDE else 2 * _LETTERS)


def _room(names: pd.Series[Any], width: float, wide: int) -> tuple[float, float]:
    """Return the inches that a name and its marks take, and the share of the marks.

    Names are above their marks if they would take more than a third of the chart's width.
    """
    if int(names.astype(str).str.len().max()) <= (_LONG if width == WIDE else _SHORT):
        return 0.17 + 0.1 * wide, _BESIDE
    marks = 0.12 + 0.08 * wide
    lines = max(_wrapped(name, width).count("\n") + 1 for name in names)
    height = marks + 0.15 * lines + 0.06
    return height, marks / height


def _places(axes: Any, every: pd.Series[Any], labels: pd.Series[Any], thick: float) -> Floats:
    """Return the labels' places on the upright axis, float64[rows]; names its ticks, or labels above the marks."""
    names = every.drop_duplicates().tolist()
    if thick == _BESIDE:
        axes.set_yticks(range(len(names)), [str(name) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
    elif not axes.texts:
        axes.set_yticks([])
        axes.set_ylim(len(names) - 0.9 + thick / 2, thick / 2 - 1)
        for place, name in enumerate(names):
            words = _wrapped(name, axes.get_figure().get_figwidth())
            at = (0, place - thick / 2 - 0.02)
            behind = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "linewidth": 0}
            text = axes.annotate(words, at, xycoords=("axes fraction", "data"), va="bottom", fontsize=9, bbox=behind)
            text.set_in_layout(False)
    return np.array([names.index(label) for label in labels], dtype=np.float64)


def _errors(rows: pd.DataFrame, key: str) -> list[Any] | None:
    """Return how far intervals reach; None where the table has none."""
    if not {*ends_of(key, rows.columns)} <= {*rows.columns}:
        return None
    return [reach.fillna(0).clip(lower=0) for reach in error_bars(rows, key)]


def _finish(figure: Any, axes: Any, axis: dict[str, Any], along: str) -> None:
    """Set the axes, a line across where one is wanted or zero is passed, shares in percent, a legend."""
    line = axis.pop("line", 0)
    percent = axis.pop("percent", False)
    narrow = figure.get_figwidth() < WIDE
    axes.set(**{key: textwrap.fill(of, _LETTERS) if narrow and "label" in key else of for key, of in axis.items()})
    low, high = getattr(axes, f"get_{along}lim")()
    if low < line < high:
        (axes.axvline if along == "x" else axes.axhline)(line, color=INK, linewidth=0.8, linestyle=":")
    if percent:
        getattr(axes, f"{along}axis").set_major_formatter(lambda value, _: f"{value:.0%}")
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=2 if narrow else 4)
