"""The Tower War report: the tables that its file of prose shows, and its checks."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from towerlab.analysis.report.checks import Check, holds
from towerlab.analysis.report.intervals import in_intervals
from towerlab.analysis.report.page import Page
from towerlab.analysis.report.prose import one_row, read_page
from towerlab.analysis.report.studies import Part, Report, Runs
from towerlab.analysis.tower_war.studies.card_values import CARD_VALUES, RANK_NAMES
from towerlab.analysis.tower_war.studies.strategy import BATTLE, DRAFT, RULE_OPTIONS, RULES, STACK, STRATEGY, TIES
from towerlab.games.cards import DECK_54, JOKER_1, mask_cards, parse_cards, parse_mask
from towerlab.games.tower_war import TowerWarOptions
from towerlab.sim.tower_war.players import TENS, choose_split, count_in_tens
from towerlab.solver.tower_war.model import shipped_draft, shipped_model

_FIVE: Final = "AH TC 6C 9S X1"  # split as the worked hand


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    arms, values = runs[STRATEGY.name].tables["arms"], runs[CARD_VALUES.name].tables["values"]
    factor = arms["arm"].str.rsplit(" ").str[-1]
    lost, pile, five = lost_by_rules(arms), _pile(), parse_mask(_FIVE, DECK_54)
    return read_page(
        "towerlab.analysis.tower_war",
        "page.md",
        {
            "draft": DRAFT,
            "ties": TIES,
            "battle": BATTLE,
            "stack": STACK,
            "arms": arms,
            "novice": one_row(arms, arm="novice"),
            "card": one_row(arms, arm="card against novice"),
            "kappas": arms[arms["arm"].str.startswith("kappa")].assign(kappa=factor),
            "lost": lost,
            "ranks": values.assign(**{name: values[name] / 10 for name in ("mean", "low", "high")}),
            "five": five,
            "pile": pile,
            "counts": [sum(int(count_in_tens(card)) for card in mask_cards(part)) for part in (pile, five & ~pile)],
            "model_wars": shipped_model().made["wars"],
        },
        command=command,
        checks=_checks(arms, values, lost),
        runs=runs,
        sources={"model": "solver/tower_war/data/tower_war.json"},
    )


def _pile() -> int:
    """The smaller pile of the worked hand, as the rule splits it."""
    cards = np.array(parse_cards(_FIVE, DECK_54), dtype=np.int64)
    nothing = np.zeros(4, np.int64), np.random.default_rng(0), np.zeros(4, np.int64)
    return int(choose_split(TENS, np.zeros(2, np.int64), 0, cards, shipped_draft(TowerWarOptions()), *nothing))


def lost_by_rules(arms: pd.DataFrame) -> pd.DataFrame:
    """Return the loss of each rule against pimc: how far its share of wins is below one half; least first."""
    rows = arms.set_index("arm").loc[list(RULES)]
    shares = rows[["won", "won_high", "won_low"]].set_axis(["mean", "low", "high"], axis=1)
    lost = (100 * (0.5 - shares)).assign(rule=[player.help for player in RULES.values()], n=rows["observations"])
    return lost.sort_values("mean").reset_index()


def _checks(arms: pd.DataFrame, values: pd.DataFrame, lost: pd.DataFrame) -> tuple[Check, ...]:
    ranks = values.set_index("name")
    kappas = arms[arms["arm"].str.startswith("kappa")]["player_one"]
    counts = {name: int(count_in_tens(JOKER_1 if name == "joker" else rank)) for rank, name in enumerate(RANK_NAMES)}
    wide = float((ranks["high"] - ranks["low"]).max())
    off = max(abs(10 * count - ranks["mean"][name]) for name, count in counts.items() if count)
    return (
        in_intervals("every share lies in its interval", arms, key="won"),
        in_intervals("every mean lies in its interval", values, lost),
        holds("the card wins more than half of the wars against novices",
              one_row(arms, arm="card against novice")["won_low"] > 0.5),
        holds("steady hands move the chance more than the seat",
              kappas.max() - 0.5 > abs(one_row(arms, arm="novice")["player_one"] - 0.5)),
        holds("the count in tens is the fit's, rounded, within an interval's width", off <= 5 + wide, f"{off:.1f} mt"),
        holds("all ranks are valued", tuple(ranks.index) == RANK_NAMES),
    )  # fmt: skip


# The count and the card were found on seed 0; the studies draw from a seed of their own.
REPORT: Final = Report(
    "tower-war",
    build,
    (
        Part(CARD_VALUES, {"chunks": 20}, seed=101),
        Part(STRATEGY, seed=102),
        Part(RULE_OPTIONS, {"games": 10_000}, seed=103),
    ),
)
