"""The figures of the Towers & Bowers report, each with its numbers and its caption."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.drawing import drawing
from analysis.report.grid import Cell, Panel, grid_svg
from analysis.report.page import Caption, Column, Exact, Figure
from analysis.report.palette import HATCHES, INK, accept_or_pass, colour, series
from analysis.towers_and_bowers.report.view import (
    CLOSE,
    HOLDING_NAMES,
    SEAT_NAMES,
    SEATS,
    SIDE_NAMES,
    UP_RANKS,
    Scope,
    decisions_by,
    means_by,
)

SHADES: Final = (CLOSE, 25.0, 75.0, 200.0)  # mt at which the four strengths of colour begin
DISSENT: Final = 0.05  # a cell is hatched from this share of hands on that should do the opposite

SEAT = Column("seat", "seat", SEAT_NAMES.__getitem__)
TRUMPS = Column("trumps", "trumps held")
SHARE = Column("share", "how often", ".4%", help="share of all deals of a hand and an up-card")
ACCEPT = Column("accept", "accept", ".4f", help="P(win the tower) if the up-card is accepted")
PASS = Column("pass", "pass", ".4f", help="P(win the tower) if the decision is a pass")
GAP = Column("gap", "accept − pass, mt", "+.1f", help="value of accepting minus value of passing, 0.001 of a tower")
ACCEPTS = Column("accepts", "accept right", ".1%", help="share of these hands for which accepting is better")
PASSES = Column("passes", "pass right", ".1%", help="share of these hands for which passing is better")

ENDINGS: Final = {
    "accept": ("sweep", "make", "set", "swept"),
    "pass": ("pass_sweep", "pass_ahead", "pass_behind", "pass_swept"),
}
_ENDING_NAMES = ("takes all", "deals next", "other deals next", "takes none")
_ENDING_COLOURS = ("accept-4", "accept-2", "pass-2", "pass-4")
_GAP_ENDS = (0.0, 1.0, CLOSE, 25.0, 75.0, 200.0)  # lower ends of the classes of gaps, in mt
_LINES = ("-", "--", "-.", ":", "-")
_MARKS = ("o", "s", "^", "D", "v")


# ---------------------------------------------------------------------------------------------------- accept chart


def accept_chart(view: pd.DataFrame, seat: str, scope: Scope) -> Figure:
    """Trump holding × side strength, a panel an up-card rank."""
    cells = decisions_by(view, seat, ("up_rank", "holding", "side_name"))
    panels = [_chart_panel(rank, cells[cells["up_rank"] == rank]) for rank in UP_RANKS]
    bounds = ", ".join(f"{bound:g}" for bound in SHADES)
    text = (
        "A = accept, P = pass, with the mean gap in mt; purple for accept, orange for pass, stronger colour from "
        f"{bounds} mt on; = where no hand of the cell loses by either. Hatched where at least {DISSENT:.0%} of the "
        "cell's hands should do the opposite. Spades stand for any suit; side strength counts 3 for an ace, 2 for a "
        "king, 1 for a queen outside trumps."
    )
    counts = ", ".join(f"{name} in {number}" for name, number in _count_letters(cells).items())
    return Figure(
        name=f"accept-chart-{seat}",
        title=f"The {SEAT_NAMES[seat]}: accept or pass?",
        drawing=grid_svg(panels, HOLDING_NAMES, SIDE_NAMES, row_axis="trumps held", column_axis="side strength"),
        alt=f"Six grids, one an up-card rank, with {len(cells)} cells in all: {counts}.",
        caption=scope.caption(text),
        frame=cells.drop(columns=["matters", "against"]),
        columns=(
            Column("up_rank", "up-card"),
            Column("holding", "trumps held"),
            Column("side_name", "side strength"),
            SHARE,
            ACCEPT,
            PASS,
            GAP,
            PASSES,
        ),
    )


def _chart_panel(rank: str, cells: pd.DataFrame) -> Panel:
    shown: dict[tuple[str, str], Cell] = {}
    for holding, side, gap, against in zip(
        cells["holding"], cells["side_name"], cells["gap"].tolist(), cells["against"].tolist(), strict=True
    ):
        shown[holding, side] = _chart_cell(gap, against)
    return Panel(f"up-card {rank.replace('T', '10')}♠", shown)


def _chart_cell(gap: float, against: float) -> Cell:
    if gap == 0:
        return Cell("=", "even")
    size = f"{abs(gap):.0f}" if abs(gap) >= 1 else "<1"
    return Cell(f"{'A' if gap > 0 else 'P'} {size}", accept_or_pass(gap, SHADES), against >= DISSENT)


def _count_letters(cells: pd.DataFrame) -> dict[str, int]:
    gap = cells["gap"]
    counts = {"accept": (gap > 0).sum(), "pass": (gap < 0).sum(), "no difference": (gap == 0).sum()}
    return {name: int(count) for name, count in counts.items() if count}


# ------------------------------------------------------------------------------------------- how often, how close


def how_often(view: pd.DataFrame, scope: Scope) -> Figure:
    """How often each seat should accept, by trumps and side strength."""
    groups = view.assign(held=view["trumps"].clip(upper=4))
    parts = [decisions_by(groups, seat, ("held", "side_name")).assign(seat=seat) for seat in SEATS]
    frame = pd.concat(parts, ignore_index=True)
    frame.insert(0, "trumps", frame.pop("held").map(lambda held: "4 to 6" if held == 4 else str(held)))
    with drawing(7.2, 3.4, ncols=2, sharey=True) as (figure, panels):
        _often_lines(panels[0], frame[frame["seat"] == "nondealer"], "matters")
        _often_lines(panels[1], frame[frame["seat"] == "dealer"], "accepts")
        panels[0].set_title(f"Non-dealer:\naccepting gains {CLOSE:g} mt or more")
        panels[1].set_title("Dealer, after a pass:\naccepting is right")
        panels[0].set_ylabel("share of hands, %")
        figure.legend(*panels[0].get_legend_handles_labels(), title="trumps held", loc="outside right center")
    return Figure(
        name="how-often",
        title="How often to accept, by trumps and side strength",
        drawing=figure,
        alt="Lines of the share of hands against side strength, one a number of trumps held, a panel a seat.",
        caption=scope.caption(
            "Left: the share of the non-dealer's hands for which accepting gains at least the bound of a close "
            "decision. Right: the share of the dealer's hands for which accepting is better than passing."
        ),
        frame=frame,
        columns=(
            SEAT,
            TRUMPS,
            Column("side_name", "side strength"),
            SHARE,
            ACCEPTS,
            PASSES,
            Column("matters", f"accept gains ≥ {CLOSE:g} mt", ".1%"),
            GAP,
        ),
    )


def _often_lines(axes: Any, rows: pd.DataFrame, column: str) -> None:
    for number, (trumps, line) in enumerate(rows.groupby("trumps")):
        places = [SIDE_NAMES.index(name) for name in line["side_name"]]
        style = {"marker": _MARKS[number], "linestyle": _LINES[number], "color": series(number)}
        axes.plot(places, 100 * line[column], label=str(trumps), **style)
    axes.set_xticks(range(len(SIDE_NAMES)), SIDE_NAMES)
    axes.set(xlabel="side strength", ylim=(-3, 103))


def closeness(view: pd.DataFrame, scope: Scope) -> Figure:
    """How many decisions matter: distribution of the absolute gap."""
    frame = gap_sizes(view)
    close = 1 + _GAP_ENDS.index(CLOSE)  # bars left of this one are close decisions
    with drawing(7.2, 3.2) as (figure, axes):
        axes.axvspan(-0.5, close - 0.5, color=colour("even"), zorder=0)
        axes.text(
            close - 0.55, 0.97, f"close: below {CLOSE:g} mt", ha="right", va="top", transform=axes.get_xaxis_transform()
        )
        for number, seat in enumerate(SEATS):
            places = np.arange(len(frame)) + 0.4 * (number - 0.5)
            style = {"color": series(number), "hatch": HATCHES[number], "edgecolor": INK}
            bars = axes.bar(places, 100 * frame[seat], 0.4, label=SEAT_NAMES[seat], **style)
            axes.bar_label(bars, fmt="%.1f", padding=2, fontsize=9)
        axes.set_xticks(range(len(frame)), frame["size"])
        axes.set(xlabel="|accept − pass|, mt", ylabel="share of decisions, %")
        axes.set_ylim(0, 112 * frame[list(SEATS)].max().max())
        axes.grid(axis="x", visible=False)
        axes.legend(loc="upper center", bbox_to_anchor=(0.57, 1))
    matter = "; ".join(f"{SEAT_NAMES[seat]} {frame[seat].iloc[close:].sum():.1%}" for seat in SEATS)
    return Figure(
        name="closeness",
        title="How many decisions matter",
        drawing=figure,
        alt=f"Bars of the share of decisions by the size of the gap. At least {CLOSE:g} mt: {matter}.",
        caption=scope.caption(
            "Distribution of the absolute gap, weighted by how often a hand is dealt. Decisions below "
            f"{CLOSE:g} mt are called close, a bound set beforehand."
        ),
        frame=frame,
        columns=(Column("size", "gap, mt"), *(Column(seat, SEAT_NAMES[seat], ".3%") for seat in SEATS)),
    )


def gap_sizes(view: pd.DataFrame) -> pd.DataFrame:
    """Share of each seat's decisions by the absolute gap: none at all, below 1 mt, …"""
    tops = (*_GAP_ENDS[1:], None)
    names = ["none", *(_gap_name(low, high) for low, high in zip(_GAP_ENDS, tops, strict=True))]
    frame = pd.DataFrame({"size": names})
    for seat in SEATS:
        gaps = view[f"{seat}_gap"].abs().to_numpy()
        place = np.where(gaps == 0, 0, np.searchsorted(_GAP_ENDS, gaps, side="right"))
        frame[seat] = np.bincount(place, view["weight"].to_numpy(float), len(names)) / view["weight"].sum()
    return frame


def _gap_name(low: float, high: float | None) -> str:
    if high is None:
        return f"{low:g} +"
    return f"< {high:g}" if low == 0 else f"{low:g}–{high:g}"


# -------------------------------------------------------------------------------------------------------- outcomes


def outcomes(view: pd.DataFrame, next_deal: float, scope: Scope) -> Figure:
    """What becomes of a hand: stacked bars for accept and for pass, by trumps held.

    Args:
        next_deal: W(n − 1).
    """
    frame = outcome_shares(view, next_deal)
    with drawing(7.2, 5.2, ncols=2, sharey=True) as (figure, panels):
        for axes, seat in zip(panels, SEATS, strict=True):
            _outcome_bars(axes, frame[frame["seat"] == seat])
        panels[0].set_title("Non-dealer")
        panels[1].set_title("Dealer, after a pass")
        panels[0].invert_yaxis()
        panels[0].set_ylabel("trumps held, action")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    below = scope.cards - 1
    return Figure(
        name="outcomes",
        title="What becomes of a hand",
        drawing=figure,
        alt="Stacked bars for accept and for pass by the number of trumps held: the share of hands in which the player "
        "takes all tricks, deals next, leaves the deal to the other, or takes none.",
        caption=scope.caption(
            "How a hand ends for the player who decides: he takes all tricks (the tower), takes a majority and deals "
            "next, falls short and the other deals next, or takes none. An action is worth “takes all” + "
            f"W({below}) · “deals next” + (1 − W({below})) · “other deals next”, with W({below}) = {next_deal:.4f}."
        ),
        frame=frame,
        columns=(
            SEAT,
            TRUMPS,
            Column("action", "action"),
            SHARE,
            *(Column(name, title, ".2%") for name, title in zip(ENDINGS["accept"], _ENDING_NAMES, strict=True)),
            Column("value", "P(win the tower)", ".4f"),
        ),
    )


def outcome_shares(view: pd.DataFrame, next_deal: float) -> pd.DataFrame:
    """Rows seat × trumps (5 or more together) × action: shares of sweep, make, set, swept.

    ``value`` is the book's mean value, ``from_endings`` the one that the shares give.
    """
    groups = view.assign(held=view["trumps"].clip(upper=5))
    parts = []
    for seat in SEATS:
        for action, names in ENDINGS.items():
            values = view[[*(f"{seat}_{name}" for name in names), f"{seat}_{action}"]]
            part = means_by(groups, ["held"], values.set_axis([*ENDINGS["accept"], "value"], axis=1))
            parts.append(part.assign(seat=seat, action=action))
    table = pd.concat(parts, ignore_index=True).sort_values(["seat", "held", "action"], ignore_index=True)
    table["trumps"] = table.pop("held").map(lambda held: "5 or 6" if held == 5 else str(held))
    table["from_endings"] = table["sweep"] + next_deal * table["make"] + (1 - next_deal) * table["set"]
    return table


def _outcome_bars(axes: Any, rows: pd.DataFrame) -> None:
    places = np.array([2.4 * (number // 2) + number % 2 for number in range(len(rows))])
    begin = np.zeros(len(rows))
    for number, name in enumerate(ENDINGS["accept"]):
        lengths = 100 * rows[name].to_numpy()
        style = {"color": colour(_ENDING_COLOURS[number]), "hatch": HATCHES[number], "edgecolor": INK, "linewidth": 0.6}
        axes.barh(places, lengths, 0.9, left=begin, label=_ENDING_NAMES[number], **style)
        begin += lengths
    axes.set_yticks(
        places, [f"{trumps}  {action}" for trumps, action in zip(rows["trumps"], rows["action"], strict=True)]
    )
    axes.set(xlim=(0, 100), xlabel="share of hands, %")
    axes.grid(axis="y", visible=False)


# ------------------------------------------------------------------------------------------------------- the deal


def deal_values_figure(values: pd.DataFrame, rules: str) -> Figure:
    """W(1..7): what the deal is worth.

    Args:
        values: columns ``cards``, ``dealer`` (P(the dealer wins the tower)), ``nondealer``, ``deals``.
        rules: for the caption.
    """
    cards, dealer = values["cards"].tolist(), values["dealer"].tolist()
    with drawing(7.2, 2.8) as (figure, axes):
        axes.axhline(0.5, color=INK, linewidth=1, linestyle=":")
        axes.plot(cards, dealer, color=series(0), marker="o")
        for n, value in zip(cards, dealer, strict=True):
            above = 8 if value == max(dealer) else -16
            axes.annotate(f"{value:.4f}", (n, value), (0, above), textcoords="offset points", ha="center")
        axes.set(xlabel="cards in the hand, n", ylabel="W(n)", ylim=(0.45, max(dealer) + 0.08))
        axes.set_xlim(max(cards) + 0.5, min(cards) - 0.5)
    told = ", ".join(f"{n} cards {value:.3f}" for n, value in zip(cards, dealer, strict=True))
    return Figure(
        name="deal-values",
        title="W(n), from seven cards down to one",
        drawing=figure,
        alt=f"A line of W(n): {told}.",
        caption=Caption(
            "W(n) = P(the player who deals the hand of n cards wins the tower); a tower starts at n = 7 and each hand "
            "has one card fewer. Dotted: an even game.",
            rules,
            "n = 1 to 7",
            "perfect information: both see all cards from the first bid on",
            Exact(int(values["deals"].sum()), "deals (hand, hand, up-card), all there are"),
        ),
        frame=values,
        columns=(
            Column("cards", "cards n"),
            Column("dealer", "W(n), dealer", ".6f"),
            Column("nondealer", "non-dealer", ".6f"),
            Column("deals", "deals"),
        ),
    )
