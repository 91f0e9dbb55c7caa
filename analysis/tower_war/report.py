"""The Tower War report: the tables that its file of prose shows, and its checks."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from analysis.report.cards import cards_html
from analysis.report.checks import Check, holds
from analysis.report.intervals import FINDING, findings, in_intervals, told
from analysis.report.page import Page
from analysis.report.prose import one_row, read_page
from analysis.report.studies import Part, Report, Runs
from analysis.tower_war.card_values import CARD_VALUES, RANK_NAMES
from analysis.tower_war.drafting import split_cards
from analysis.tower_war.splitting import ALL_ROUNDS, SPLITTING, uneven
from analysis.tower_war.splitting import RULES as SPLIT_RULES
from analysis.tower_war.strategy import RULES, STRATEGY
from games.cards import JOKER_1
from games.tower_war.draft import ROUNDS
from sim.tower_war.players import TENS, count_in_tens, sum_worths
from solver.tower_war.model import shipped_model

_FIVE: Final = "AH TC 6C 9S X1"  # split as the worked hand
_TOWERS: Final = {"hazard 0": "no falls", "novice": "default hazard", "hazard 4": "hazard × 4"}
_PLAYER_ARMS: Final = {
    "pimc against novice": "pimc against novice",
    "pimc against random": "pimc against random", "novice against random": "novice against random",
    "pimc": "pimc against itself", "novice": "novice against itself",
    "advanced pimc": "advanced draft: pimc against itself",
    "advanced pimc against novice": "advanced draft: pimc against novice",
}  # fmt: skip


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    arms, heights, values, costs = (
        {name: table for run in runs.values() for name, table in run.tables.items()}[name]
        for name in ("arms", "heights", "values", "costs")
    )
    factor = arms["arm"].str.rsplit(" ").str[-1]
    by_rule = costs[costs["rule"].isin(SPLIT_RULES)]
    lost = lost_by_rules(arms)
    ranks, steps, pairs = (values[values["kind"] == kind] for kind in ("card", "step", "pair"))
    counts = [(name, int(count_in_tens(JOKER_1 if name == "joker" else rank))) for rank, name in enumerate(RANK_NAMES)]
    five = split_cards(_FIVE)
    chosen = min(five.splits, key=lambda split: uneven(TENS, split.piles))

    def against(arm: str) -> str:
        """What a rule loses a war against pimc, or gains."""
        row = one_row(lost, arm=arm)
        turned = {"mean": -row["mean"], "low": -row["high"], "high": -row["low"]}
        return f"loses {told(row, '.0f')} mt" if row["mean"] >= 0 else f"gains {told(turned, '.0f')} mt"

    return read_page(
        "analysis.tower_war",
        "page.md",
        {
            "arms": arms,
            "played": arms.assign(arm=arms["arm"].map(_PLAYER_ARMS)).dropna(subset="arm"),
            "kappas": arms[arms["arm"].str.startswith("kappa")].assign(kappa=factor),
            "hazards": arms[arms["arm"].str.contains("hazard")].assign(times=factor).astype({"times": float}),
            "towers": heights.assign(tower=heights["arm"].map(_TOWERS)).dropna(subset="tower"),
            "in_towers": arms.loc[arms["arm"].isin(_TOWERS), "observations"].sum(),
            "lost": lost,
            "against": against,
            "ranks": ranks,
            "steps": steps,
            "worths": pd.concat([ranks, steps]),
            "pairs": pairs.sort_values("mean"),
            "wars": int(values["n"].max()),
            "costs": by_rule,
            "overall": by_rule[by_rule["round"] == ALL_ROUNDS],
            "alone": one_row(costs, rule="alone", round=ALL_ROUNDS)["mean"],
            "counts": [(name, count) for name, count in reversed(counts) if count],
            "five": five,
            "best": five.splits[0],
            "chosen": chosen,
            "chosen_counts": [round(sum_worths(TENS, pile)) for pile in chosen.piles],
            "cards": cards_html,
            "findings": findings,
            "finding": FINDING,
            "model_wars": shipped_model().made["wars"],
            "rules": runs[STRATEGY.name].rules,
            "seed": seed,
        },
        command=command,
        checks=_checks(arms, heights, by_rule, values, lost, dict(counts)),
        sources={
            "studies": [CARD_VALUES.name, SPLITTING.name, STRATEGY.name],
            "seed": seed,
            "model": "solver/tower_war/data/tower_war.json",
        },
        rules=runs[STRATEGY.name].rules,
    ).checked_in_tables()


def lost_by_rules(arms: pd.DataFrame) -> pd.DataFrame:
    """What each rule loses against pimc, in mt a war: how far its share of wins is below one half; least first."""
    rows = arms.set_index("arm").loc[list(RULES)]
    shares = rows[["won", "won_high", "won_low"]].set_axis(["mean", "low", "high"], axis=1)
    lost = (1000 * (0.5 - shares)).assign(rule=[player.help for player in RULES.values()], n=rows["observations"])
    return lost.sort_values("mean").reset_index()


def _checks(
    arms: pd.DataFrame,
    heights: pd.DataFrame,
    costs: pd.DataFrame,
    values: pd.DataFrame,
    lost: pd.DataFrame,
    counts: dict[str, int],
) -> tuple[Check, ...]:
    ranks = values[values["kind"] == "card"].set_index("name")
    falling = heights.groupby("arm")["share"].apply(lambda share: share.is_monotonic_decreasing)
    fitted = ranks["mean"].to_dict()
    wide = float((ranks["high"] - ranks["low"]).max())
    off = max(abs(10 * count - fitted[name]) for name, count in counts.items() if count)
    overall = costs[costs["round"] == ALL_ROUNDS].set_index("rule")["mean"]
    leads: dict[str, Any] = {way: one_row(lost, arm=f"{way} lead") for way in ("high", "low")}
    return (
        in_intervals("every share lies in its interval", arms, key="won"),
        holds("every tower has a base", (heights[heights["level"] == 1]["share"] == 1).all()),
        holds("higher levels are rarer", falling.all()),
        holds("nothing falls without hazard", one_row(arms, arm="hazard 0")["falls"] == 0),
        in_intervals("every mean lies in its interval", values, lost),
        holds("the count in tens is the fit's, rounded, within an interval's width", off <= 5 + wide, f"{off:.1f} mt"),
        holds("no rule of splitting beats the model's own split", (costs["mean"] >= -1e-9).all()),
        holds("the count in tens costs less a round than points do", overall.iloc[0] < overall.iloc[1]),
        holds("leading high is not clearly worse than leading low", leads["high"]["low"] <= leads["low"]["high"]),
        holds("every round of the draft has its costs", len(costs) == (ROUNDS + 1) * len(SPLIT_RULES)),
        holds("the pairs of players are as many as said", arms["arm"].isin(_PLAYER_ARMS).sum() == len(_PLAYER_ARMS)),
        holds("all ranks are valued", tuple(ranks.index) == RANK_NAMES),
    )


REPORT: Final = Report("tower-war", build, (Part(CARD_VALUES), Part(SPLITTING), Part(STRATEGY, {"scale": 0.5})))
