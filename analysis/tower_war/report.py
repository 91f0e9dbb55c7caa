"""What does the page of Tower War show? The tables in its prose, and its checks.

Example:
    towerlab report tower-war --out reports/tower-war
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.printed_rules import single_losses
from towerlab.analysis.report.page import Check, Page, check_that
from towerlab.analysis.report.plots import in_intervals
from towerlab.analysis.report.prose import one_row, read_page
from towerlab.analysis.report.studies import Report, ReportStudy, Runs
from towerlab.analysis.report.wording import cards_html
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.tower_war import studies
from towerlab.analysis.tower_war.drafting import best_splits, split_judge
from towerlab.games.cards import DECK_54, JOKER_1, JOKERS, cards_mask, mask_cards, mask_text, parse_cards, parse_mask
from towerlab.games.tower_war import TowerWarOptions
from towerlab.games.tower_war.records import NO_PYRAMIDS, ROUND_CARDS
from towerlab.sim.tower_war.players import TENS, choose_split, count_in_tens
from towerlab.solver.tower_war.model import shipped_draft, shipped_model

_FIVE: Final = "AH TC 6C 9S X1"  # split as the worked hand
_MANY: Final = 2.0  # percentage points that are many for a single split to lose
_FIVES: Final = 1_000


def build(runs: Runs, seed: int, command: str) -> Page:
    """Return the page of the studies, once they have been run."""
    arms = runs[studies.STRATEGY.name].tables["arms"]
    values = runs[studies.CARD_VALUES.name].tables["values"]
    factor = arms["arm"].str.rsplit(" ").str[-1]
    five = parse_mask(_FIVE, DECK_54)
    single = split_losses(seed + 1)
    lost = lost_by_rules(arms)
    pile = _pile(parse_cards(_FIVE, DECK_54))
    shown = {
        "draft": studies.DRAFT,
        "ties": studies.TIES,
        "battle": studies.IN_PLAY,
        "stack": studies.STACK,
        "arms": arms,
        "kappas": arms[arms["arm"].str.startswith("kappa")].assign(kappa=factor),
        "lost": lost,
        "single": single,
        "single_seed": seed + 1,
        "many": _MANY,
        "drawn": lambda cards: cards_html(parse_mask(cards, DECK_54)),
        "ranks": values.assign(**{name: values[name] / 10 for name in ("mean", "low", "high")}),
        "five": five,
        "pile": pile,
        "counts": [sum(int(count_in_tens(card)) for card in mask_cards(part)) for part in (pile, five & ~pile)],
        "model_wars": shipped_model().made["wars"],
    }
    checks = _checks(arms, values, lost)
    more: dict[str, Any] = {"runs": runs, "sources": {"model": "solver/tower_war/data/tower_war.json"}}
    return read_page("towerlab.analysis.tower_war", "page.md", shown, command=command, checks=checks, **more)


def _pile(five: Sequence[int]) -> int:
    """Return a pile of five cards as the rule splits them; of the worked hand the smaller one."""
    cards = np.array(five, dtype=np.int64)
    empty = np.zeros(4, np.int64), np.random.default_rng(0), np.zeros(4, np.int64)
    return int(choose_split(TENS, np.zeros(2, np.int64), 0, cards, shipped_draft(TowerWarOptions()), *empty))


def split_losses(seed: int, fives: int = _FIVES) -> pd.DataFrame:
    """Return the loss of the rule's first split by pimc's values of cards, in percentage points.

    Returns:
        The columns of `single_losses`, with the mean as ``cost``; the hand that loses most, the rule's pile and the
        better one.
    """
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(fives):
        five = random.permutation(DECK_54.bit_count())[:ROUND_CARDS].tolist()
        dealt = cards_mask(five)
        pile = _pile(five)
        splits = best_splits(split_judge(dealt, (0, 0), TowerWarOptions()), dealt, NO_PYRAMIDS)
        (chosen,) = (split for split in splits if pile in split.piles)
        lost = 100 * (splits[0].value - chosen.value)
        piles = {"said": pile, "best": splits[0].piles[0]}
        about = {"hand": mask_text(dealt), **{name: mask_text(part) for name, part in piles.items()}}
        rows.append(
            {"jokers": dealt & JOKERS > 0, **dict.fromkeys(("seems", "lost", "lost_low", "lost_high"), lost), **about}
        )
    hands = pd.DataFrame(rows)
    kinds = {"no joker": ~hands["jokers"].to_numpy(), "with a joker": hands["jokers"].to_numpy()}
    means = [{"kind": kind, **mean_interval(hands["lost"][chosen]).row("cost")} for kind, chosen in kinds.items()]
    return pd.DataFrame(means).merge(single_losses(kinds, hands, _MANY, ("hand", "said", "best")), on="kind")


def lost_by_rules(arms: pd.DataFrame) -> pd.DataFrame:
    """Return the loss of each rule against pimc: how far its share of wins is below one half; least first."""
    rows = arms.set_index("arm").loc[list(studies.RULES)]
    shares = rows[["won", "won_high", "won_low"]].set_axis(["mean", "low", "high"], axis=1)
    lost = (100 * (0.5 - shares)).assign(
        rule=[player.help for player in studies.RULES.values()], n=rows["observations"]
    )
    return lost.sort_values("mean").reset_index()


def _checks(arms: pd.DataFrame, values: pd.DataFrame, lost: pd.DataFrame) -> tuple[Check, ...]:
    ranks = values.set_index("name")
    kappas = arms[arms["arm"].str.startswith("kappa")]["player_one"]
    counts = {
        name: int(count_in_tens(JOKER_1 if name == "joker" else rank)) for rank, name in enumerate(studies.RANK_NAMES)
    }
    wide = float((ranks["high"] - ranks["low"]).max())
    off = max(abs(10 * count - ranks["mean"][name]) for name, count in counts.items() if count)
    return (
        in_intervals("every share lies in its interval", arms, key="won"),
        in_intervals("every mean lies in its interval", values, lost),
        check_that("the card wins more than half of the wars against novices",
              one_row(arms, arm="card against novice")["won_low"] > 0.5),
        check_that("steady hands move the chance more than the seat",
              kappas.max() - 0.5 > abs(one_row(arms, arm="novice")["player_one"] - 0.5)),
        check_that("the count in tens is the rounded fit, within an interval's width",
              off <= 5 + wide, f"{off:.1f} mt"),
        check_that("all ranks are valued", tuple(ranks.index) == studies.RANK_NAMES),
    )  # fmt: skip


# The count and the card were found on seed 0; the studies draw from a seed of their own.
REPORT: Final = Report(
    "tower-war",
    build,
    (
        ReportStudy(
            studies.CARD_VALUES, {"chunks": 20}, seed=101, small={"chunks": 4, "wars_per_chunk": 100, "resamples": 10}
        ),
        ReportStudy(studies.STRATEGY, seed=102, small={"scale": 0.001}),  # two games a chunk
        ReportStudy(studies.RULE_OPTIONS, {"games": 10_000}, seed=103, small={"games": 40}),
    ),
)
