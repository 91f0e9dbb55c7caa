"""Sections on simulated play: who wins, and how far the perfect-information model is from what is made."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.drawing import drawing
from analysis.report.grid import Cell, Panel, grid_svg
from analysis.report.intervals import error_bars, in_intervals, interval_columns
from analysis.report.page import Column, Figure, Points, Section
from analysis.report.palette import INK, accept_or_pass, series
from analysis.report.studies import Run
from analysis.towers_and_bowers.studies.double_dummy_gap import CONTRACTS, DIFFERENCES, ENOUGH_HANDS, VALUES
from games.towers_and_bowers import LARGEST_HAND

_WIN_SHADES: Final = (2.5, 10.0, 20.0, 35.0)  # points above or below 50 % at which the strengths of colour begin
_MARKS: Final = ("o", "s", "^", "D", "v", "P")
_LINES: Final = ("-", "--", "-.", ":", "-", "--")


# ------------------------------------------------------------------------------------------------------- tournament


def tournament_section(run: Run) -> Section:
    """Every player against every other, and what the deal is worth to each."""
    return Section("players", "Who wins", (Points(tournament_findings(run)), tournament_grid(run), dealer_share(run)))


def tournament_findings(run: Run) -> tuple[str, ...]:
    """Who is ahead, and what a match shows of the difference that a hand does not."""
    results = {(row["unit"], row["a"], row["b"]): row for row in both_ways(run).to_dict("records")}
    best = run.result.summary["ranking"][0]
    last = run.result.summary["ranking"][-1]
    told = [_share_text(results[unit, best, last]) for unit in ("hand", "tower", "match")]
    dealer = run.tables["dealer"]
    rows = dealer[dealer["player"] == best].sort_values("share")
    least, most = rows.iloc[0].to_dict(), rows.iloc[-1].to_dict()
    return (
        str(run.result.summary["finding"]),
        f"Small edges add up: against {last}, {best} wins {told[0]} of the hands of {LARGEST_HAND} cards, {told[1]} of "
        f"the towers and {told[2]} of the matches.",
        f"Between two of {best}, of {len(rows)} hand sizes the dealer wins most at n = {most['cards']}, "
        f"{_share_text(most)} of the hands, and least at n = {least['cards']}, {_share_text(least)}.",
    )


def _share_text(row: dict[Any, Any]) -> str:
    return f"{row['share']:.1%} (95 % {row['low']:.1%} to {row['high']:.1%})"


def both_ways(run: Run) -> pd.DataFrame:
    """Rows unit × player a × player b, either one first: share of a, interval, count.

    A hand here is one of the largest size.
    """
    hands = run.tables["hands"].rename(columns={"pairs": "count"})
    hands = hands[hands["cards"] == LARGEST_HAND].drop(columns="cards").assign(unit="hand")
    units = run.tables["units"].rename(columns={"units": "count"})
    columns = ["unit", "a", "b", "count", "share", "low", "high"]
    once = pd.concat([hands, units], ignore_index=True)[columns]
    swapped = once.rename(columns={"a": "b", "b": "a"})
    swapped = swapped.assign(share=1 - once["share"], low=1 - once["high"], high=1 - once["low"])[columns]
    return pd.concat([once, swapped], ignore_index=True)


def tournament_grid(run: Run) -> Figure:
    """Who beats whom: a panel a unit, rows against columns."""
    results, players = both_ways(run), list(run.result.summary["ranking"])
    counts = {unit: int(rows["count"].iloc[0]) for unit, rows in results.groupby("unit")}
    panels, short = [], {name: name if len(name) < 8 else f"{name[:5]}." for name in players}
    for unit, title in (("hand", f"hands, n = {LARGEST_HAND}"), ("tower", "towers"), ("match", "matches")):
        rows = results[results["unit"] == unit].to_dict("records")
        panels.append(Panel(title, {(row["a"], short[row["b"]]): _grid_cell(row) for row in rows}))
    sizes = (
        f"{counts['hand']:,} pairs of hands of {LARGEST_HAND} cards (the same cards, seats swapped), "
        f"{counts['tower']:,} towers and {counts['match']:,} matches a pairing"
    )
    return Figure(
        name="tournament",
        title="Who beats whom",
        drawing=grid_svg(panels, players, list(short.values()), row_axis="wins, %", column_axis="against"),
        alt="Three grids, for hands, towers and matches: the share that the player of the row wins against that of "
        f"the column. From best to worst by matches: {', '.join(players)}.",
        caption=run.caption(
            f"Share that the row's player wins, %: {sizes}. A hand is won with the tower, else with the next deal. "
            "Purple above a half, orange below; hatched where the 95 % interval holds a half. Made by "
            f"`{run.command}`.",
            f"hands of n = {LARGEST_HAND}; towers and matches from n = {LARGEST_HAND} down",
            "simulated: players who see what a player sees",
            (int(results["count"].sum()) // 2, "pairs of hands, towers and matches"),
            "paired (hands) and Wilson",
        ),
        frame=results.iloc[: len(results) // 2],  # each pairing once
        columns=(
            Column("unit", "unit"), Column("a", "player"), Column("b", "against"), Column("count", "played", ",d"),
            *interval_columns("share", "wins", ".1%", start="95 % from", bare=True),
        ),
    )  # fmt: skip


def _grid_cell(row: dict[Any, Any]) -> Cell:
    shade = accept_or_pass(100 * (row["share"] - 0.5), _WIN_SHADES)
    return Cell(f"{100 * row['share']:.0f}", shade, row["low"] <= 0.5 <= row["high"])


def dealer_share(run: Run) -> Figure:
    """How often the dealer wins a hand between two alike, by hand size."""
    frame = run.tables["dealer"]
    with drawing(7.2, 3.4) as (figure, axes):
        axes.axhline(50, color=INK, linewidth=1, linestyle=":")
        for number, (player, rows) in enumerate(frame.groupby("player", sort=False)):
            errors = 100 * np.array(error_bars(rows, "share"))
            axes.errorbar(
                rows["cards"] + 0.08 * (number - 2), 100 * rows["share"], yerr=errors, color=series(number),
                marker=_MARKS[number % 6], linestyle=_LINES[number % 6], linewidth=1.5, label=str(player),
            )  # fmt: skip
        axes.set(xlabel="cards in the hand, n", ylabel="hands won by the dealer, %")
        axes.legend(ncols=3)
    return Figure(
        name="dealer-share",
        title="What the deal is worth to each player",
        drawing=figure,
        alt="Lines of the share of hands that the dealer wins against the hand size, one a player, with intervals.",
        caption=run.caption(
            "Share of hands that the dealer wins when a player meets himself; a hand is won with the tower, else with "
            "the next deal, so this is not W(n).",
            f"n = 1 to {LARGEST_HAND}",
            "simulated: a player against himself",
            (int(frame["hands"].sum()), "hands"),
            "Wilson",
        ),
        frame=frame,
        columns=(
            Column("player", "player"), Column("cards", "cards n"), Column("hands", "hands", ",d"),
            *interval_columns("share", "dealer wins", ".1%", start="95 % from", bare=True),
        ),
    )  # fmt: skip


def checks_of_the_tournament(run: Run) -> tuple[Check, ...]:
    """Everybody meets everybody, and the wins of all make up what was played."""
    results, players = both_ways(run), run.result.summary["ranking"]
    pairings = len(players) * (len(players) - 1) / 2
    sizes = {"pairs": run.tables["hands"]["pairs"], "units": run.tables["units"]["units"]}
    matches = results[results["unit"] == "match"]
    means = [matches.loc[matches["a"] == player, "share"].mean() for player in players]
    stated = list(run.result.summary["match_share"].values())
    return (
        agrees("every player meets every other in hands, towers and matches", len(results), 3 * 2 * pairings),
        adds_up("the mean shares of all players are a half each", means, len(players) / 2),
        vanishes("the ranking is by the shares of matches that the grid shows", np.subtract(means, stated)),
        in_intervals("every share lies in its interval", results, key="share"),
        holds(
            "no pairing of a unit was played more often than another",
            sizes["pairs"].nunique() == 1 and run.tables["units"].groupby("unit")["units"].nunique().eq(1).all(),
        ),
    )


# -------------------------------------------------------------------------------------------------- double-dummy gap


def gap_section(run: Run) -> Section:
    """What the perfect-information numbers say of a contract, and what simulated play makes of it."""
    return Section(
        "gap",
        "How far the model is from play",
        (Points(gap_findings(run)), models_side_by_side(run), deals_played(run)),
    )


def gap_findings(run: Run) -> tuple[str, ...]:
    """How far off the model is on average, where it is furthest off, and W(n)."""
    total = {name: _mt_text(run.result.summary[name]) for name in DIFFERENCES}
    contracts = run.tables["contracts"]
    worst = _furthest(contracts)
    odd = contracts[(contracts["contract"] == CONTRACTS[0]) & (contracts["cards"] % 2 == 1) & (contracts["cards"] > 1)]
    blind = "; ".join(
        f"n = {row['cards']}: {_part_text(row, 'discard')}, against {_part_text(row, 'bidding')} by the bidding"
        for row in odd.to_dict("records")
    )
    told = [
        f"Over {run.result.summary['hands']:,} hands the bidders made {total['gap']} against what the model told them "
        f"before they bid: {total['bidding']} because the bidding selects the hands, {total['discard']} because the "
        f"dealer discards without seeing the other hand, {total['play']} because cards stay hidden in the play.",
        "The blind discard is why a non-dealer who accepts at an odd size, as pimc always does, makes more than the "
        f"model says: there nothing is selected, so that the bidding's part, nought on the long run, is the luck of "
        f"these deals. {blind}.",
    ]
    counted = contracts.dropna(subset="gap_low")
    if worst is not None:
        told.append(
            f"Of {len(counted)} contracts with {ENOUGH_HANDS} hands or more that are not all alike it is furthest "
            "off, by the nearer end of the interval, "
            f"where “{_who(worst['contract'])}” at n = {worst['cards']}: {_gap_text(worst)} over "
            f"{worst['hands']:,} hands."
        )
    outside = run.result.summary["deal_values_outside"]
    sizes = len(run.tables["deals"])
    where = f"outside it at n = {', '.join(map(str, outside))}, of {sizes} hand sizes" if outside else (
        f"inside it at all {sizes} hand sizes"
    )  # fmt: skip
    return (*told, f"W(n) of the model against the 95 % interval of what dealers made in play: {where}.")


def _furthest(contracts: pd.DataFrame) -> dict[Any, Any] | None:
    """The contract of enough hands whose interval is furthest from nought; None if all hold it."""
    counted = contracts.dropna(subset="gap_low").to_dict("records")
    furthest = max(counted, key=_distance, default=None)
    return furthest if furthest is not None and _distance(furthest) > 0 else None


def _distance(row: dict[Any, Any]) -> float:
    """From nought to the nearer end of the interval; negative inside it."""
    return float(max(row["gap_low"], -row["gap_high"]))


def _mt_text(estimate: dict[str, Any]) -> str:
    low, high = estimate["interval_mt"]
    return _signed(estimate["mt"], low, high)


def _part_text(row: dict[Any, Any], part: str) -> str:
    return _signed(*(1000 * row[f"{part}{end}"] for end in ("", "_low", "_high")))


def _gap_text(row: dict[Any, Any]) -> str:
    return _signed(*(1000 * row[name] for name in ("gap", "gap_low", "gap_high")))


def _signed(mean: float, low: float, high: float) -> str:
    between = f" (95 % {low:+.1f} to {high:+.1f})" if low == low else ""  # a number
    return f"{mean:+.1f} mt{between}".replace("-", "−")


def models_side_by_side(run: Run) -> Figure:
    """Dumbbells: predicted, open and played value of each contract, by hand size."""
    frame = run.tables["contracts"]
    marked = frame[frame["hands"] >= ENOUGH_HANDS]
    shown = [contract for contract in CONTRACTS if (marked["contract"] == contract).any()]
    with drawing(7.2, 3.4, ncols=len(shown), sharex=True, sharey=True, squeeze=False) as (figure, panels):
        for axes, contract in zip(panels.flat, shown, strict=True):
            _dumbbells(axes, marked[marked["contract"] == contract])
            axes.set_title(_who(contract))
            axes.set_xlabel("P(bidder wins the tower)")
        panels[0, 0].set(ylabel="cards, n", ylim=(0.4, LARGEST_HAND + 0.6), yticks=range(1, LARGEST_HAND + 1))
        figure.legend(*_labelled(panels.flat), loc="outside upper center", ncols=len(VALUES))
    return Figure(
        name="models",
        title="Models side by side: predicted, seen, open, played",
        drawing=figure,
        alt=f"{len(shown)} panels of dumbbells, one a contract, by hand size: the bidder's value as predicted before "
        "he bid, with all cards seen, with the blind discard, and as played.",
        caption=run.caption(
            "Predicted: what the perfect-information model told the bidder before he bid, over every hand of the "
            "other. Seen: his contract with the hands as they were, all cards seen, the discard of a dealer who has "
            "not bid included. Open: the same with the discard he made blind. Played: what he made; the bar is "
            f"the interval of played − predicted. Contracts of fewer than {ENOUGH_HANDS} hands are in the table only. "
            f"Made by `{run.command}`.",
            f"n = 1 to {LARGEST_HAND}",
            "simulated: pimc against pimc, every trick played",
            (int(frame["hands"].sum()), "hands"),
            "Student's t",
        ),
        frame=frame,
        columns=(
            Column("contract", "contract", _who), Column("cards", "cards n"), Column("hands", "hands", ",d"),
            *(Column(name, name, ".4f") for name in VALUES),
            *interval_columns("gap", "played − predicted", "+.4f", start="95 % from"),
            Column("bidding", "seen − predicted", "+.4f"), Column("discard", "open − seen", "+.4f"),
            Column("play", "played − open", "+.4f"),
        ),
    )  # fmt: skip


def _who(contract: str) -> str:
    """As it is written on the page."""
    return contract.replace("nondealer", "non-dealer")


def _dumbbells(axes: Any, rows: pd.DataFrame) -> None:
    values = rows[list(VALUES)]
    axes.hlines(rows["cards"], values.min(axis=1), values.max(axis=1), color=INK, linewidth=1)
    axes.hlines(
        rows["cards"], rows["predicted"] + rows["gap_low"], rows["predicted"] + rows["gap_high"], color=series(2),
        linewidth=5, alpha=0.35,
    )  # fmt: skip
    for number, name in enumerate(VALUES):
        axes.plot(rows[name], rows["cards"], _MARKS[number], color=series(number), label=name, markersize=7 - number)


def _labelled(panels: Any) -> Any:
    """Handles and labels of the first panel that has any."""
    return next((found for axes in panels if (found := axes.get_legend_handles_labels())[0]), ([], []))


def deals_played(run: Run) -> Figure:
    """W(n) of the model beside what dealers made in play."""
    frame = run.tables["deals"]
    with drawing(7.2, 2.8) as (figure, axes):
        axes.vlines(frame["cards"], frame["model"], frame["played"], color=INK, linewidth=1)
        axes.plot(frame["cards"] - 0.08, frame["model"], _MARKS[0], color=series(0), label="model, W(n)")
        axes.errorbar(
            frame["cards"] + 0.08, frame["played"], yerr=error_bars(frame, "played"), fmt=_MARKS[2], capsize=3,
            color=series(2), label="pimc against pimc",
        )  # fmt: skip
        axes.set(xlabel="cards in the hand, n", ylabel="P(dealer wins the tower)")
        axes.set_xlim(frame["cards"].max() + 0.5, frame["cards"].min() - 0.5)
        axes.legend()
    return Figure(
        name="deals-played",
        title="W(n): the model and play",
        drawing=figure,
        alt="For each hand size the model's W(n) and what dealers made in play, with an interval.",
        caption=run.caption(
            "What dealers made of hands of each size in play, against the model's W(n); a hand that nobody sweeps "
            "counts the model's W(n − 1) to the player who deals next, in both.",
            f"n = 1 to {LARGEST_HAND}",
            "simulated: pimc against pimc, every trick played",
            (int(frame["hands"].sum()), "hands"),
            "Student's t",
        ),
        frame=frame,
        columns=(
            Column("cards", "cards n"), Column("hands", "hands", ",d"), Column("model", "W(n)", ".4f"),
            *interval_columns("played", "played", ".4f", start="95 % from", bare=True),
        ),
    )  # fmt: skip


def checks_of_the_gap(run: Run) -> tuple[Check, ...]:
    """The parts make the gap, and the contracts' means that of all hands."""
    contracts, summary = run.tables["contracts"], run.result.summary
    mean = 1000 * float(np.average(contracts["gap"], weights=contracts["hands"]))
    return (
        vanishes(
            "bidding, discard and play make up every contract's gap", contracts.eval("bidding + discard + play - gap")
        ),
        vanishes("every contract's gap is played less predicted", contracts.eval("played - predicted - gap")),
        adds_up("the contracts hold every hand played", contracts["hands"], summary["hands"]),
        agrees("the contracts' gaps average to the one stated", summary["gap"]["mt"], mean, within=1e-6),
    )
