"""After the first call: what to discard, which suit to name, what to lead, the last three cards.

What the best answers look like is counted over every hand; what rules of thumb cost is sampled.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.checks import Check, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import error_bars, interval_columns
from analysis.report.page import Caption, Column, Exact, Figure, Points, Section, Table
from analysis.report.palette import INK, series
from analysis.report.studies import Run
from analysis.towers_and_bowers.explorer.kinds import stored
from analysis.towers_and_bowers.report.card import MODEL
from analysis.towers_and_bowers.studies.rules_of_thumb import LAST
from games.towers_and_bowers import LARGEST_HAND

ALL: Final = 0  # in place of a hand size: every size
DISCARDS: Final = {
    "discard, the dealer bid": "Discard, having accepted as dealer",
    "discard, the other bid": "Discard, the non-dealer having accepted",
}
SUITS: Final = {
    "second round, nondealer": "Second round, non-dealer: which suit",
    "second round, dealer": "Second round, dealer: which suit",
}
BIDDING: Final = DISCARDS | SUITS
PLAY: Final = {
    "first lead": "First lead",
    f"lead with {LAST} cards left": f"Lead with {LAST} cards left",
    f"reply with {LAST} cards left": f"Reply with {LAST} cards left",
}
_SIZES: Final = f"n = 1 to {LARGEST_HAND}"
_PIMC: Final = (
    "every card judged over all hands the other can hold, both seeing all cards from then on; pimc against pimc"
)


def choices_section(run: Run, rules: str) -> Section:
    """Discards and suits."""
    shares = stored("choices")
    return Section(
        "choices",
        "What to discard, which suit to name",
        (
            Points((*_discard_findings(shares), *(_best(run, decision) for decision in BIDDING))),
            costs(run, "discard-rules", "What rules of discarding cost", DISCARDS, MODEL, "hands"),
            costs(run, "suit-rules", "What rules of naming a suit cost", SUITS, MODEL, "hands"),
            best_answers(shares, rules),
            by_size(run),
        ),
    )


def play_section(run: Run) -> Section:
    """First lead, last three cards."""
    return Section(
        "play",
        f"The first lead and the last {LAST} cards",
        (
            Points(tuple(_best(run, decision) for decision in PLAY)),
            costs(run, "play-rules", "What rules of play cost", PLAY, _PIMC, "matches"),
        ),
    )


def _overall(run: Run, decision: str) -> pd.DataFrame:
    rules = run.tables["rules"]
    chosen = rules[(rules["decision"] == decision) & (rules["cards"] == ALL)]
    return chosen.sort_values("cost_mt", kind="stable", ignore_index=True)


def _best(run: Run, decision: str) -> str:
    """The cheapest rule, of how many."""
    rules = _overall(run, decision)
    first, last = rules.iloc[0].to_dict(), rules.iloc[-1].to_dict()
    return (
        f"{({**BIDDING, **PLAY})[decision]}: of {len(rules)} rules the cheapest is “{first['rule']}”, {_cost(first)} "
        f"an unforced decision; it costs nothing in {first['free']:.0%} of them. The dearest is “{last['rule']}”, "
        f"{_cost(last)}."
    )


def _cost(row: dict[Any, Any]) -> str:
    return f"{row['cost_mt']:.1f} mt (95 % {row['low']:.1f} to {row['high']:.1f})"


def _discard_findings(shares: pd.DataFrame) -> tuple[str, ...]:
    given = shares[shares["decision"].str.startswith("discard")]
    low, short = (given[given["what"] == what]["share"] for what in _WAYS[:2])
    dear = given[given["what"].isin(_WAYS[2:])].groupby(["decision", "cards"])["share"].sum()
    large = dear[dear.index.get_level_values("cards") >= 4]
    return (
        f"The best discard is the lowest card of its suit in {low.min():.0%} to {low.max():.0%} of all hands, by size "
        f"and bidder, and from the shortest side suit in {short.min():.0%} to {short.max():.0%}. A trump or a side ace "
        f"it is in {dear.max():.0%} at the most (two cards), from four cards on in {large.max():.1%}.",
    )


_WAYS: Final = ("the lowest of its suit", "from the shortest side suit", "a trump", "a side ace")


def best_answers(shares: pd.DataFrame, rules: str) -> Table:
    """What is given up and named, by hand size, over every hand."""
    frame = shares.pivot_table(index=["decision", "what"], columns="cards", values="share", sort=False).reset_index()
    sizes = [column for column in frame.columns if isinstance(column, int)]
    frame = frame.rename(columns={cards: f"n{cards}" for cards in sizes})
    frame = frame.sort_values("decision", key=lambda names: names.map(list(BIDDING).index), kind="stable")
    frame = frame.assign(decision=frame["decision"].map(BIDDING.__getitem__))
    hands = int(shares.drop_duplicates("cards")["hands"].sum())
    text = (
        "Shares of all hands, every hand and up-card weighing alike. Of cards or suits worth the same the one that "
        "`towerlab upcard` names counts."
    )
    return Table(
        name="best-answers",
        title="What the best discards and suits look like",
        frame=frame,
        caption=Caption(text, rules, _SIZES, MODEL, Exact(hands, "hands with an up-card")),
        columns=(
            Column("decision", "decision"),
            Column("what", "the best one is"),
            *(Column(f"n{cards}", f"n = {cards}", ".1%") for cards in sizes),
        ),
    )


def costs(run: Run, name: str, title: str, decisions: dict[str, str], model: str, groups: str) -> Figure:
    """Bars of what every rule costs, a panel a decision, on one scale."""
    tables = [_overall(run, decision).assign(of=words) for decision, words in decisions.items()]
    frame = pd.concat(tables, ignore_index=True)
    heights = [len(table) for table in tables]
    top = float(frame["high"].max())
    with drawing(
        7.2, 0.75 * len(tables) + 0.27 * sum(heights), nrows=len(tables), sharex=True, height_ratios=heights
    ) as (figure, panels):
        for axes, table, words in zip(np.atleast_1d(panels), tables, decisions.values(), strict=True):
            places = np.arange(len(table))
            errors = error_bars(table, "cost_mt")
            axes.barh(places, table["cost_mt"], xerr=errors, height=0.65, color=series(0), ecolor=INK, capsize=3)
            name_bars(axes, table)
            axes.set_title(words)
            axes.set_xlim(0, 1.15 * top)
        np.atleast_1d(panels)[-1].set_xlabel("cost, mt an unforced decision")
    told = "; ".join(f"{row['of']}, {row['rule']}: {row['cost_mt']:.1f}" for row in frame.to_dict("records"))
    counted = int(sum(table["decisions"].iloc[0] for table in tables))
    return Figure(
        name=name,
        title=title,
        drawing=figure,
        alt=f"Bars of the cost in mt. {told}.",
        caption=run.caption(
            f"Mean loss against the best choice, with 95 % intervals over {groups}; decisions in which everything is "
            f"worth the same are left out. {len(frame)} rules were compared, and an interval is that of its rule "
            f"alone. Made by `{run.command}`.",
            _SIZES,
            model,
            (counted, "unforced decisions"),
            f"Student's t over {groups},",
        ),
        frame=frame.drop(columns=["decision", "cards"]),
        columns=(
            Column("rule", "rule"), Column("of", "decision"), Column("decisions", "decisions", ",d"),
            *interval_columns("cost_mt", "cost, mt", ".2f", start="95 % from", bare=True),
            Column("free", "costs nothing", ".1%"),
        ),
    )  # fmt: skip


def name_bars(axes: Any, rules: pd.DataFrame) -> None:
    """Beside each bar of a chart of costs its rule and its number, the first on top."""
    for place, row in enumerate(rules.to_dict("records")):
        axes.annotate(f"{row['cost_mt']:.1f}", (row["high"], place), (5, 0), textcoords="offset points", va="center")
    axes.set_yticks(np.arange(len(rules)), rules["rule"])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def by_size(run: Run) -> Table:
    """The cheapest rule of each decision before the play, by hand size."""
    rules = run.tables["rules"]
    chosen = rules[rules["decision"].isin(BIDDING) & (rules["cards"] > 0)]
    frame = chosen.loc[chosen.groupby(["decision", "cards"])["cost_mt"].idxmin()].reset_index(drop=True)
    frame = frame.assign(decision=frame["decision"].map(BIDDING.__getitem__))
    return Table(
        name="rules-by-size",
        title="The cheapest rule by hand size",
        frame=frame,
        caption=run.caption(
            "Of the rules in the chart the one that cost least at each size; picked from so few hands that "
            "neighbours may change places.",
            _SIZES,
            MODEL,
            (int(frame["decisions"].sum()), "unforced decisions"),
            "Student's t",
        ),
        columns=(
            Column("decision", "decision"), Column("cards", "cards n"), Column("rule", "cheapest rule"),
            Column("decisions", "decisions", ",d"),
            *interval_columns("cost_mt", "cost, mt", ".2f", start="95 % from", bare=True),
        ),
        folded=True,
    )  # fmt: skip


def checks_of_the_choices(run: Run) -> tuple[Check, ...]:
    """Every decision has its rules, and no rule costs less than nothing."""
    rules, shares = run.tables["rules"], stored("choices")
    named = {*BIDDING, *PLAY}
    return (
        holds("rules of every decision are measured", set(rules["decision"]) == named, f"{len(named)} decisions"),
        holds("no rule costs less than the best choice", (rules["cost_mt"] >= 0).all() and (rules["low"] >= 0).all()),
        holds("every share of discards and suits lies between 0 and 1", shares["share"].between(0, 1).all()),
        holds("the dealer never passes in the second round", (
            shares[(shares["decision"] == "second round, dealer") & (shares["what"] == "pass")]["share"] == 0
        ).all()),
    )  # fmt: skip
