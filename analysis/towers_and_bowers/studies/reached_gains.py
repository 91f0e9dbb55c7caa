"""The study `reached-gains`: what a best reply gains against the bidding of 5 to 7 cards, given that it comes there.

The exploitability of a solution counts every decision as often as it is met. A second call that hardly anybody comes to
may be badly decided and cost nothing there. Here each decision is measured for itself: the hands are those that bid
their way to it, every bid made at least with its floor; the gain is that of the best calls and discards from there on
over the stored ones, against all hands of the other as they bid, with double-dummy play.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.stats import ratio_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding

PARAMETERS: Final = {"cards": [5, 6, 7], "hands": 1_500}


def measure_up_card(stored: StoredBidding, hands: Ints) -> pd.DataFrame:
    """A row a decision and hand: ``reach``, how often it comes there; ``gain``, P(win the tower) to be won, times that.

    Args:
        stored: a solution of the bidding.
        hands: int64[hands], printed masks beside the stored up-card.
    """
    next_deal = stored.next_deal or 0.0
    as_bidder, as_defender = payoffs(stored.cards, next_deal)
    bidding, deals = open_bidding(stored.cards, next_deal), make_deals(stored.cards, stored.up)
    every, own = StoredSide(stored, stored.up, deals.classes), StoredSide(stored, stored.up, hands)
    layouts = float(deals.opponents)

    dealing = dealer_views(hands, stored.up, every.nondealer(), bidding)
    made = own.dealer()
    passed, takes = dealing.own[:, 0].sum(1), dealing.own @ as_defender
    named, left = (dealing.named @ as_bidder).sum(1), dealing.left @ as_defender
    accepts, passes = (made.own_discards * takes).sum(1), named + (made.left * left).sum(1)
    follows = made.answers * accepts + (1 - made.answers) * passes
    best = np.minimum(takes.min(1), named + left.min(1))
    rows = [_rows("dealer", 1, follows - best, passed / layouts, layouts)]
    reach = (1 - made.answers) * dealing.left[:, 0].sum(1)
    gain = (1 - made.answers) * ((made.left * left).sum(1) - left.min(1))
    rows.append(_rows("dealer", 2, gain, reach / layouts, layouts))

    leading = nondealer_views(hands, stored.up, every.dealer(), bidding)
    bids = own.nondealer()
    calls = np.column_stack((leading.named @ as_bidder, (leading.left @ as_defender).sum(1)))
    passes_first = 1 - bids.accepts
    gain = passes_first * (calls.max(1) - (bids.names * calls).sum(1))
    reach = passes_first * leading.named[:, 0].sum(1)
    rows.append(_rows("nondealer", 2, gain, reach / layouts, layouts))
    return pd.concat(rows, ignore_index=True)


def _rows(seat: str, number: int, gain: Floats, reach: Floats, layouts: float) -> pd.DataFrame:
    return pd.DataFrame({"seat": seat, "round": number, "gain": gain / layouts, "reach": reach})


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(int(cards), up) for cards in parameters["cards"] for up in up_cards()]


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Hands drawn at random beside one up-card, all different."""
    cards, up = _chunks(parameters)[chunk]
    stored = bidding_at_hand(cards, up % 13, model=True)
    hands = make_deals(cards, up).hands
    count = min(int(parameters["hands"]), len(hands))
    drawn = np.random.default_rng(seed).choice(hands, count, replace=False)
    return measure_up_card(stored, np.sort(drawn)).assign(cards=cards, up=up)


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """The table of decisions."""
    found = pd.concat(tables, ignore_index=True)
    rows: list[dict[str, Any]] = []
    for (cards, seat, number), part in found.groupby(["cards", "seat", "round"]):
        named = {"cards": cards, "seat": seat, "round": number, "hands": len(part), "reached": part.reach.mean()}
        rows.append(named | ratio_interval(part.gain, part.reach).scaled(MT).row("gain_mt"))
    table = pd.DataFrame(rows)
    return StudyResult({"reached_gains": table}, {"worst_mt": float(table.gain_mt.max())})


REACHED_GAINS: Final = Study(
    game="towers-and-bowers",
    name="reached-gains",
    help="What a best reply gains against the bidding equilibrium, given that it comes to a decision; 5 to 7 cards.",
    parameters=PARAMETERS,
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=run_chunk,
    combine=combine_chunks,
)
