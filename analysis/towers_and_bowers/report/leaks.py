"""Sections on rules followed at the table: what rules of bidding cost, and what ways of claiming get wrong."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from analysis.ladder import shortest_good_rung
from analysis.report.cards import card_html
from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.drawing import drawing
from analysis.report.intervals import error_bars, interval_columns
from analysis.report.page import Column, Figure, Points, Section, Table
from analysis.report.palette import HATCHES, INK, series
from analysis.report.studies import Run
from analysis.towers_and_bowers.report.choices import name_bars
from analysis.towers_and_bowers.studies.bidding_accuracy import SEARCHER, reference_in_words
from games.cards import parse_card
from games.towers_and_bowers import LARGEST_HAND

_MISTAKES_OF: Final = ("ladder", "player pimc", "player family", "player novice")
_COST: Final = (
    Column("cost_mt", "cost, mt a decision", ".2f", help="per unforced decision, against the reference"),
    *interval_columns("cost_mt", "", ".2f", start="95 % from", bare=True)[1:],
)
_AGREE = Column("agree", "decides as the reference", ".1%")


# ---------------------------------------------------------------------------------------------------------- bidding


def bidding_section(run: Run) -> Section:
    """Leaks, the rule ladder, the costliest mistakes."""
    return Section(
        "rules", "What bidding rules cost", (Points(bidding_findings(run)), leaks(run), rule_ladder(run), mistakes(run))
    )


def bidding_findings(run: Run) -> tuple[str, ...]:
    """The cheapest rule of thumb, the shortest good rule of the ladder, and what it costs to bid as pimc."""
    rules = _overall(run).sort_values("cost_mt", kind="stable")
    thumb = _thumb(run)
    best, search = thumb.iloc[0].to_dict(), rules[rules["rule"] == SEARCHER].iloc[0].to_dict()
    rung = shortest_good_rung(run.tables["ladder"], "cost_mt")
    constant = run.tables["ladder"].iloc[0].to_dict()
    clauses = f"{rung['clauses']} clause{'s' * (rung['clauses'] > 1)}"
    return (
        f"Of {len(thumb)} rules of thumb that look at one thing “{best['rule']}” is the cheapest: {_cost_text(best)}. "
        "The rule of the first screen looks at three (seat, even or odd, four trumps). To bid as pimc, as if both saw "
        f"all cards afterwards, costs {_cost_text(search)}.",
        f"A rule of {clauses} costs {_cost_text(rung)}: {rung['rule']}. The constant rule, {constant['rule']}, costs "
        f"{_cost_text(constant)}; more clauses than {rung['clauses']} bring nothing that this sample shows on "
        "decisions they were not fitted on.",
    )


def _reference(run: Run) -> str:
    return f"reference: {reference_in_words(run.result.summary['reference'])}"


def _overall(run: Run) -> pd.DataFrame:
    rules = run.tables["rules"]
    both = rules[rules["seat"] == "both"]
    return both.assign(rule=both["rule"].str.replace("1 trumps", "1 trump"))


def _thumb(run: Run) -> pd.DataFrame:
    """Rules that a person could follow, the cheapest first."""
    rules = _overall(run).sort_values("cost_mt", kind="stable")
    return rules[~rules["rule"].str.startswith("player")]


def _cost_text(row: dict[Any, Any]) -> str:
    return f"{row['cost_mt']:.1f} mt a decision (95 % {row['low']:.1f} to {row['high']:.1f})"


def leaks(run: Run) -> Figure:
    """Bars: what every rule costs, both seats together."""
    rules = _overall(run).sort_values("cost_mt", kind="stable")
    named = run.tables["rules"].assign(rule=lambda table: table["rule"].str.replace("1 trumps", "1 trump"))
    seats = named.pivot(index="rule", columns="seat", values="cost_mt")[["nondealer", "dealer"]]
    with drawing(7.2, 0.8 + 0.3 * len(rules)) as (figure, axes):
        places = np.arange(len(rules))
        players = rules["rule"].str.startswith("player").tolist()
        axes.barh(
            places, rules["cost_mt"], xerr=error_bars(rules, "cost_mt"), capsize=3, height=0.7, edgecolor=INK,
            linewidth=0.6, color=[series(0 if player else 1) for player in players],
            hatch=[HATCHES[0 if player else 1] for player in players],
        )  # fmt: skip
        name_bars(axes, rules)
        axes.set(xlabel="cost, mt per unforced decision", xlim=(0, 1.12 * rules["high"].max()))
    told = "; ".join(f"{row['rule']} {row['cost_mt']:.1f}" for row in rules.to_dict("records"))
    return Figure(
        name="leaks",
        title="Leaks: what a rule loses",
        drawing=figure,
        alt=f"Bars of the cost in mt: {told}.",
        caption=run.caption(
            "Mean loss against the reference over all unforced first decisions (accept the up-card or pass), every "
            "hand size and seat equally often, random hands; calls that the reference finds indifferent are no "
            "decisions. Plain bars: the simulator's players; hatched: rules of "
            "thumb. "
            "The two decisions of a deal count as independent. Made by "
            f"`{run.command}`; scored on the half of the sample on which nothing was fitted.",
            f"n = 1 to {LARGEST_HAND}",
            _reference(run),
            (int(rules["decisions"].iloc[0]), "unforced decisions"),
            "Student's t",
        ),
        frame=rules.drop(columns="seat").merge(seats.reset_index(), on="rule", validate="1:1"),
        columns=(
            Column("rule", "rule"), Column("decisions", "decisions", ",d"), *_COST, _AGREE,
            Column("nondealer", "non-dealer: cost, mt", ".2f"), Column("dealer", "dealer: cost, mt", ".2f"),
        ),
    )  # fmt: skip


def rule_ladder(run: Run) -> Figure:
    """Cost against the number of clauses, on the decisions fitted on and on others."""
    ladder = run.tables["ladder"]
    thumb = _thumb(run)["cost_mt"].iloc[0]
    with drawing(7.2, 3.2) as (figure, axes):
        errors = error_bars(ladder, "cost_mt")
        axes.axhline(ladder["cost_mt"].iloc[0], color=INK, linewidth=1, linestyle=":", label="constant rule")
        axes.axhline(thumb, color=series(1), linewidth=1.5, linestyle="-.", label="best rule of thumb")
        axes.errorbar(
            ladder["clauses"], ladder["cost_mt"], yerr=errors, capsize=4, color=series(0), marker="o", label="scored"
        )
        axes.plot(ladder["clauses"], ladder["fitted_cost_mt"], "--", color=series(2), marker="^", label="where fitted")
        axes.set(xlabel="clauses", ylabel="cost, mt a decision\n(log scale)", yscale="log")
        axes.set_xticks(ladder["clauses"].tolist())
        axes.set_yticks([1, 2, 5, 10, 20, 50], minor=False)
        axes.minorticks_off()
        axes.yaxis.set_major_formatter("{x:g}")
        axes.legend()
    told = ", ".join(f"{row['clauses']}: {row['cost_mt']:.2f}" for row in ladder.to_dict("records"))
    return Figure(
        name="rule-ladder",
        title="The rule ladder: how far simple rules get",
        drawing=figure,
        alt=f"A falling line of the cost in mt by the number of clauses: {told}.",
        caption=run.caption(
            "A rule of k + 1 clauses is the rule of k with one clause more put before it, the one that lowers the cost "
            "most (a greedy choice; a clause is one condition, or two joined by “and”; the first that fits decides). "
            "Clauses were chosen on one half of the sample and scored on the other.",
            f"n = 1 to {LARGEST_HAND}",
            _reference(run),
            (int(ladder["decisions"].iloc[0]), "unforced decisions scored"),
            "Student's t",
        ),
        frame=ladder.drop(columns="seat"),
        columns=(
            Column("clauses", "clauses"), Column("rule", "rule"), *_COST, _AGREE,
            Column("fitted_cost_mt", "cost where fitted", ".2f"),
        ),
    )  # fmt: skip


def mistakes(run: Run) -> Table:
    """The ten costliest decisions of the players' rules and of the longest rule of the ladder."""
    table = run.tables["mistakes"]
    parts = [table[(table["rule"] == rule) & (table["cost_mt"] > 0)] for rule in _MISTAKES_OF]
    frame = pd.concat(parts, ignore_index=True)
    frame = frame.assign(seat=np.where(frame["dealer"], "dealer", "non-dealer"))
    return Table(
        name="mistakes",
        title="The costliest mistakes",
        frame=frame[["rule", "seat", "cards", "hand", "up", "chose", "cost_mt"]],
        caption=run.caption(
            "The ten decisions of the sample that cost a rule most; “ladder” is its longest rule. The dealer's "
            "hand is shown before he takes the up-card.",
            f"n = 1 to {LARGEST_HAND}",
            _reference(run),
            (int(run.tables["ladder"]["decisions"].iloc[0]), "unforced decisions"),
            "the costs of single hands are exact and need no",
        ),
        columns=(
            Column("rule", "rule"), Column("seat", "seat"), Column("cards", "cards n"),
            Column("hand", "hand", _show_cards), Column("up", "up-card", _show_cards), Column("chose", "chose"),
            Column("cost_mt", "cost, mt", ".1f"),
        ),
        folded=True,
    )  # fmt: skip


def _show_cards(text: str) -> Markup:
    return Markup("\u00a0").join(card_html(parse_card(card)) for card in text.split())


def checks_of_the_bidding(run: Run) -> tuple[Check, ...]:
    """The seats make up both, the two constant rules make up all decisions, and the ladder starts from one of them."""
    rules, ladder = run.tables["rules"], run.tables["ladder"]
    table = rules.assign(total=rules["cost_mt"] * rules["decisions"]).pivot(index="rule", columns="seat")
    totals, counts = table["total"], table["decisions"]
    overall = _overall(run).set_index("rule")
    costs = {str(row["rule"]): float(row["cost_mt"]) for row in _overall(run).to_dict("records")}
    return (
        vanishes("the seats' decisions make up those of both", counts["dealer"] + counts["nondealer"] - counts["both"]),
        vanishes("so do their costs", totals["dealer"] + totals["nondealer"] - totals["both"], within=1e-6),
        adds_up(
            "always and never accepting agree with the reference on every unforced decision together",
            overall.loc[["always accept", "never accept"], "agree"],
            1.0,
        ),
        agrees(
            "the ladder's first rule costs what that constant rule costs",
            ladder["cost_mt"].iloc[0],
            costs["always accept" if "accept" in str(ladder["rule"].iloc[0]) else "never accept"],
        ),
        holds(
            "no clause raises the cost where it was fitted", (ladder["fitted_cost_mt"].diff().dropna() <= 1e-9).all()
        ),
    )


# ----------------------------------------------------------------------------------------------------------- claims


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
