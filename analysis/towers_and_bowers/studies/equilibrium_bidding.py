"""The study `equilibrium-bidding`: the bidding equilibrium on double-dummy play, one chunk an up-card.

`analysis.towers_and_bowers.solutions.bidding` tells what the model is and reads what the study writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    DOUBLE_DUMMY,
    MEASURED,
    class_table,
    shipped_files,
)
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import next_deal_of
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding import (
    FLOOR,
    evaluate,
    exploitability,
    make_deals,
    payoffs,
    settle_second_round,
    solve_up_card,
    up_cards,
)
from towerlab.solver.towers_and_bowers.bidding.packed import pack, unpack

STEPS: Final = {1: 50, 2: 400, 3: 400, 4: 30, 5: 25, 6: 14, 7: 12}  # of learning: larger games need fewer

SETTLED: Final = (5, 7)  # hand sizes whose second round hardly anybody comes to


def solve_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Solve one up-card and measure it as it ships (nothing is drawn: the seed is not used)."""
    cards, up = int(parameters["cards"]), up_cards()[chunk]
    next_deal = next_deal_of(parameters)
    deals = make_deals(cards, up)
    floor, steps = float(parameters["floor"]), parameters["steps"]
    made = solve_up_card(deals, next_deal, floor=floor, steps=STEPS[cards] if steps is None else int(steps)).strategies
    if cards in SETTLED:
        made = settle_second_round(deals, made, next_deal, floor=floor)
    packed = pack(made)
    strategies = unpack(packed, cards)
    measured = exploitability(deals, strategies, evaluate(deals, strategies, payoffs(cards, next_deal)))
    reported = (measured.value, measured.nondealer_gain, measured.dealer_gain, next_deal, floor)
    return class_table(cards, up, deals.classes, packed, dict(zip(MEASURED, reported, strict=True)))


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """``bidding-N.npz`` and the table ``bidding-N-up-cards``: the files that ship."""
    cards = int(parameters["cards"])
    classes = pd.concat(tables, ignore_index=True)
    stored, by_up = shipped_files(cards, classes)
    gains = by_up["nondealer_gain"] + by_up["dealer_gain"]
    summary = {
        "cards": cards,
        "classes": len(classes),
        "model": DOUBLE_DUMMY,
        "next_deal": float(by_up["next_deal"].iloc[0]) if cards > 1 else None,
        "dealer": float(1 - by_up["nondealer"].mean()),
        "exploitability": float(gains.mean()),
        "worst_exploitability": float(gains.max()),
        "exploitability_of": DOUBLE_DUMMY,
        "floor": float(parameters["floor"]),
    }
    return StudyResult(
        {f"bidding-{cards}-up-cards": by_up}, summary, {f"bidding-{cards}.npz": stored} | stamped(f"bidding-{cards}")
    )


def count_chunks(parameters: Mapping[str, Any]) -> int:
    if not 1 <= int(parameters["cards"]) <= 7:
        raise TowerlabError(f"cards={parameters['cards']} is no hand size; expected 1 to 7")
    return len(up_cards())


EQUILIBRIUM_BIDDING: Final = Study(
    game="towers-and-bowers",
    name="equilibrium-bidding",
    help="The bidding equilibrium on double-dummy play, for every class of hand and up-card, with its exploitability.",
    parameters={"cards": 4, "next_deal": None, "steps": None, "floor": FLOOR},
    count_chunks=count_chunks,
    run_chunk=solve_chunk,
    combine=combine_chunks,
)
