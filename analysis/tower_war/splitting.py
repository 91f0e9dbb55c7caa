"""The study `splitting`: what rules for splitting five cards cost by the fitted model, over whole drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.stats import mean_interval
from analysis.study import Study, StudyResult
from analysis.tower_war.simulation import warm_up
from games.cards import cards_mask
from games.tower_war import TowerWarOptions
from games.tower_war.draft import ROUND_CARDS, ROUNDS, pile_splits
from sim.tower_war.players import POINTS, TENS, sum_worths
from solver.tower_war.model import shipped_draft
from solver.tower_war.pools import pile_gains

Piles = tuple[int, int]
ALL_ROUNDS: Final = "all"


def uneven(kind: int, piles: Piles) -> float:
    """By how much two piles differ, counted by points or in tens."""
    return abs(float(sum_worths(kind, piles[0])) - float(sum_worths(kind, piles[1])))


def three_to_two(piles: Piles) -> bool:
    """Whether no card lies alone."""
    return piles[0].bit_count() in (2, 3)


# A rule: (piles, their value by the model) → what the rule wants most of.
RULES: Final[dict[str, Callable[[Piles, float], float]]] = {
    "even by the count in tens": lambda piles, value: -uneven(TENS, piles),
    "even in points": lambda piles, value: -uneven(POINTS, piles),
    "three to two, the best of them by the model": lambda piles, value: value if three_to_two(piles) else -1.0,
    "three to two, even in points": lambda piles, value: -uneven(POINTS, piles) - 1000 * (not three_to_two(piles)),
}


def split_drafts(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a round of a draft in which both split and pick by the model: what each rule would have cost, in mt."""
    rng, drafts = np.random.default_rng(seed), int(parameters["drafts_per_chunk"])
    rows = [
        {"draft": chunk * drafts + number, **row}
        for number in range(drafts)
        for row in _draft(rng.permutation(54).tolist(), int(parameters["options"]["deck_size"]))
    ]
    return pd.DataFrame(rows)


def _draft(pack: list[int], size: int) -> Iterable[dict[str, Any]]:
    values = shipped_draft(TowerWarOptions(deck_size=size))
    pools = np.zeros(2, np.int64)
    for number in range(ROUNDS):
        splitter = number % 2
        splits = pile_splits(cards_mask(pack[ROUND_CARDS * number : ROUND_CARDS * (number + 1)]))
        gains = [pile_gains(pools, splitter, *split, values) for split in splits]
        chances = special.expit(np.min(gains, axis=1))
        best = int(np.argmax(chances))
        row: dict[str, Any] = {"round": number + 1, "alone": float(not three_to_two(splits[best]))}
        for name, wants in RULES.items():
            chosen = max(range(len(splits)), key=lambda place: wants(splits[place], chances[place]))
            row[name] = 1000 * float(chances[best] - chances[chosen])
        yield row
        keep = int(np.argmin(gains[best]))  # the pile that is left to the splitter
        pools[splitter] |= splits[best][keep]
        pools[1 - splitter] |= splits[best][1 - keep]


def combine_drafts(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Mean costs by rule and round with intervals, and over all rounds with a draft as one observation."""
    rounds = pd.concat(list(chunks), ignore_index=True)
    drafts = rounds.groupby("draft", sort=False)[[*RULES, "alone"]].mean()
    table = [
        {"rule": rule, "round": name, **mean_interval(values[rule].to_numpy())._asdict()}
        for name, values in (*((str(name), part) for name, part in rounds.groupby("round")), (ALL_ROUNDS, drafts))
        for rule in (*RULES, "alone")
    ]
    return StudyResult({"costs": pd.DataFrame(table)}, {"drafts": len(drafts)})


SPLITTING = Study(
    game="tower-war",
    name="splitting",
    help="what rules for splitting five cards cost by the fitted model",
    parameters={"chunks": 8, "drafts_per_chunk": 100},
    run_chunk=split_drafts,
    combine=combine_drafts,
    warm_up=warm_up,
    rule_options=TowerWarOptions,
)
