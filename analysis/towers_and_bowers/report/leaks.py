"""The section on what ways of claiming get wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import error_bars, interval_columns
from analysis.report.page import Column, Figure, Points, Section, Table
from analysis.report.palette import HATCHES, INK, series
from analysis.report.studies import Run
from games.towers_and_bowers import LARGEST_HAND


def claims_section(run: Run) -> Section:
    """How often a claim is sound, and what the usual ways of claiming get wrong."""
    return Section("claims", "When to claim", (Points(claim_findings(run)), ways_of_claiming(run), sound(run)))


def claim_findings(run: Run) -> tuple[str, ...]:
    """How often a claim is there, and which way of claiming never says too much."""
    summary, ways = run.result.summary, run.tables["ways"]
    some, whole = summary["some_claim_per_1000"], summary["whole_claim_per_1000"]
    claims = {row["way"]: row for row in ways[ways["kind"] == "claim"].to_dict("records")}
    safest = min(claims.values(), key=lambda row: row["false"])
    bosses, open_cards = claims["boss cards"], claims["open cards"]
    too_much = _way_text(safest, "false") if safest["false"] > 0 else f"none in {summary['positions']:,}"
    sure, ending = claims["top trumps"], _by_tricks(run)
    latest, earliest = ending.iloc[0], ending.iloc[-1]
    return (
        "Claim as many tricks as you hold trumps above every unseen trump: that claims too much in "
        f"{_way_text(sure, 'false')} of 1,000 positions and misses part of what is proved in "
        f"{_way_text(sure, 'missed')}. With {latest['to_come']:.0f} tricks to come all of them are proved in "
        f"{latest['whole_claim']:.1%} of the positions, with {earliest['to_come']:.0f} in "
        f"{earliest['whole_claim']:.1%}.",
        f"Of 1,000 positions with two or more tricks to come, {_rate_text(some['mean'], *some['interval'])} have a "
        f"trick or more that is proved, and {_rate_text(whole['mean'], *whole['interval'])} have all of them.",
        f"Counting boss cards claims too much in {_way_text(bosses, 'false')} of 1,000. The way “{safest['way']}” "
        f"is the safest, with {too_much}, and misses part of what is proved in "
        f"{_way_text(safest, 'missed')}. What best play makes with open cards against every hand is too much in "
        f"{_way_text(open_cards, 'false')}: there the claimant would have to guess.",
    )


def _by_tricks(run: Run) -> pd.DataFrame:
    """Share of positions in which everything can be claimed, by tricks to come, fewest first."""
    rows = run.tables["sound"]
    sums = rows.assign(whole_claim=rows["whole_claim"] * rows["positions"]).groupby("to_come", as_index=False)
    table = sums[["positions", "whole_claim"]].sum()
    return table.assign(whole_claim=table["whole_claim"] / table["positions"])


def _rate_text(mean: float, low: float, high: float) -> str:
    return f"{mean:.1f} (95 % {low:.1f} to {high:.1f})" if 0 < mean < 1000 else f"{mean:.0f}"


def _way_text(row: Any, name: str) -> str:
    return _rate_text(row[name], row[f"{name}_low"], row[f"{name}_high"])


def ways_of_claiming(run: Run) -> Figure:
    """Bars: false and missed claims and concessions of every way, per 1,000 positions."""
    ways = run.tables["ways"]
    with drawing(7.2, 3.8) as (figure, axes):
        for number, name in enumerate(("false", "missed")):
            places = np.arange(len(ways)) + 0.38 * (number - 0.5)
            axes.barh(
                places, ways[name], 0.38, xerr=error_bars(ways, name), capsize=2, color=series(1 - number),
                hatch=HATCHES[1 - number], edgecolor=INK, linewidth=0.6,
                label={"false": "too much", "missed": "missed"}[name],
            )  # fmt: skip
        axes.set_yticks(range(len(ways)), [f"{row['way']} ({row['kind']})" for row in ways.to_dict("records")])
        axes.set(xlabel="per 1,000 positions")
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.legend()
    told = "; ".join(f"{row['way']} {row['false']:.0f} and {row['missed']:.0f}" for row in ways.to_dict("records"))
    return Figure(
        name="ways-of-claiming",
        title="Ways of claiming: too much, or too little",
        drawing=figure,
        alt=f"Bars of wrong and of missed claims and concessions per 1,000 positions: {told}.",
        caption=run.caption(
            "At every start of a trick with two or more to come, each player is asked what he could claim or concede; "
            "the proof is exact for each position. Too much: more than one strategy takes against every hand the other "
            "can hold (or conceding where a trick is possible). Missed: less than is proved. Intervals are over "
            f"{run.result.summary['matches']} matches, because positions of a match hang together. Made by "
            f"`{run.command}`.",
            f"n = 2 to {LARGEST_HAND}",
            "simulated: pimc against pimc",
            (run.result.summary["positions"], "positions and players"),
            "Student's t over matches,",
        ),
        frame=ways,
        columns=(
            Column("way", "way"), Column("kind", "kind"), Column("positions", "positions", ",d"),
            Column("made", "made", ".1f", help="per 1,000 positions"),
            *interval_columns("false", "too much", ".1f", start="95 % from"),
            *interval_columns("missed", "missed", ".1f", start="95 % from"),
        ),
    )  # fmt: skip


def sound(run: Run) -> Table:
    """How often a sound claim exists, by hand size and tricks to come."""
    frame = run.tables["sound"]
    return Table(
        name="sound-claims",
        title="How early a claim is sound",
        frame=frame,
        caption=run.caption(
            "Share of positions in which something, or everything, can be claimed or conceded, and how many tricks are "
            "proved on average beside what open cards would give.",
            f"n = 2 to {LARGEST_HAND}",
            "simulated: pimc against pimc",
            (run.result.summary["positions"], "positions and players"),
            "see the figure for the",
        ),
        columns=(
            Column("cards", "cards n"), Column("to_come", "tricks to come"), Column("positions", "positions", ",d"),
            Column("some_claim", "some claim", ".1%"), Column("whole_claim", "everything claimed", ".1%"),
            Column("whole_concession", "everything conceded", ".1%"), Column("guaranteed", "tricks proved", ".3f"),
            Column("open_cards", "with open cards", ".3f"),
        ),
    )  # fmt: skip


def checks_of_the_claims(run: Run) -> tuple[Check, ...]:
    """The positions add up, and open cards never promise less than the proof."""
    rows, ways, summary = run.tables["sound"], run.tables["ways"].set_index("way"), run.result.summary
    some = 1000 * float(np.average(rows["some_claim"], weights=rows["positions"]))
    refuted = len(run.tables["guesses"]) / summary["positions"]
    return (
        adds_up("the table of claims holds every position", rows["positions"], summary["positions"]),
        agrees("its shares give the rate of claims stated", summary["some_claim_per_1000"]["mean"], some, within=1e-6),
        agrees("every false claim with open cards was refuted", ways["false"]["open cards"] / 1000, refuted),
        holds("open cards never promise less than is proved", (rows["open_cards"] >= rows["guaranteed"]).all()),
    )
