"""The study `value-bounds`: what the player of the bounds is sure to get, in sampled hands of who responds to them.

It makes ``data/value_bounds.csv``; `analysis.towers_and_bowers.solutions.hidden_values` tells what follows from it.
They bid by the stored equilibrium of the double-dummy model and play as `pimc`. Hands of the responder are drawn; of
the player's hands beside each all are listed, or in large hands as many as are drawn. What the best response in the
double-dummy model wins with the same hand goes along as a control: its mean over all hands is known.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, bidding_at_hand, up_card_rows
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import SEATS
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import BidderView
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED
from towerlab.analysis.towers_and_bowers.upcard.weighted import layouts_of, weigh
from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.best_response import best_response_to
from towerlab.sim.towers_and_bowers.hand import NONDEALER
from towerlab.sim.towers_and_bowers.knowledge import Model, make_model, payoff_table
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids

HANDS: Final = {1: 1000, 2: 1000, 3: 60, 4: 30, 5: 12, 6: 8, 7: 6}  # of either seat, a chunk and rank of the up-card
LAYOUTS: Final = {5: 2000, 6: 500, 7: 150}  # drawn for each; else all
NEXT_DEALS: Final = {5: (0.628, 0.655), 6: (0.61, 0.65), 7: (0.56, 0.62)}  # W(n - 1), where it is not known


def next_deals(cards: int) -> tuple[float, ...]:
    """The W(n - 1) that hands are played for."""
    return NEXT_DEALS.get(cards) or (deal_value(cards - 1),)


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Some hands of either seat beside one up-card."""
    cards, rank = int(parameters["cards"]), chunk % len(up_cards())
    up, random = up_cards()[rank], np.random.default_rng(seed)
    stored = bidding_at_hand(cards, up % 13, model=True)
    hands, (model, ends) = make_deals(cards, up).hands, _thinking(cards)
    rows = []
    for seat, name in enumerate(SEATS):
        for hand in random.choice(hands, min(HANDS[cards], len(hands)), replace=False).tolist():
            others = hands[hands & hand == 0]
            if len(others) > LAYOUTS.get(cards, len(others)):
                others = random.choice(others, LAYOUTS[cards], replace=False)
            won = best_response_to(_way(stored, seat, others), hand, up, others, ends, model)
            control = model_response(stored, seat, hand) - model_mean(cards, rank, seat)
            rows += [
                (cards, name, up, hand, len(others), deal, value, control)
                for deal, value in zip(next_deals(cards), won.tolist(), strict=True)
            ]
    return pd.DataFrame(rows, columns=["cards", "seat", "up", "hand", "layouts", "next_deal", "won", "control"])


@functools.lru_cache(maxsize=1)
def _thinking(cards: int) -> tuple[Model, Floats]:
    """Return the player's model, and payoffs of who responds, float64[ends, 2, n + 1]."""
    options = TowersAndBowersOptions()
    deals = deal_values()
    ends = []
    for deal in next_deals(cards):
        known = (*deals[: cards - 1], deal, *deals[cards:]) if cards > 1 else deals
        ends.append(payoff_table(options, known)[cards, :, : cards + 1])
    return make_model(options, deals), np.array(ends)


def _way(stored: StoredBidding, seat: int, others: Ints) -> DealerBids | NondealerBids:
    """How the player bids their hands against who sits in a seat."""
    side = StoredSide(stored, stored.up, others, floor=0.0)
    return side.dealer() if seat == NONDEALER else side.nondealer()


def model_response(stored: StoredBidding, seat: int, hand: int) -> float:
    """Return what the best response of a hand wins in the double-dummy model, all layouts counted."""
    view = BidderView(hand, stored.up, seat != NONDEALER)
    values = weigh(view, _way(stored, seat, layouts_of(view)), stored.next_deal or 0.0)
    best = np.nanmax(
        [values.contracts[True].tower[:, ACCEPTED:].max(), values.passing[0][0]]
    )  # a pass that never comes has no value
    if not view.dealer:
        return float(best)
    passed = values.likelihood[0][0]
    return float(passed * best + (1 - passed) * values.contracts[False].tower[:, ACCEPTED:].max())


def model_mean(cards: int, rank: int, seat: int) -> float:
    """The mean of `model_response` over all hands beside an up-card, as was measured when the bidding was made."""
    row = up_card_rows(f"bidding-{cards}")[rank]
    value = float(row["nondealer"])
    return value + float(row["nondealer_gain"]) if seat == NONDEALER else 1 - value + float(row["dealer_gain"])


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Means and their errors: table ``value_bounds`` is the part of the data file of this hand size.

    Every up-card rank is a stratum, with as many hands as every other.
    """
    found = pd.concat(tables)
    rows = []
    for (cards, seat, deal), part in found.groupby(["cards", "seat", "next_deal"], sort=True):
        less = part["won"] - part["control"]
        strata = less.groupby(part["up"])
        error = float(np.sqrt((strata.var() / strata.size()).sum()) / len(strata))
        if len(part) == len(up_cards()) * len(make_deals(int(str(cards)), up_cards()[0]).hands):
            less, error = part["won"], 0.0  # every hand has been looked at
        rows.append((cards, seat, deal, float(less.mean()), error, len(part), int(part["layouts"].max())))
    columns = ["cards", "seat", "next_deal", "won", "error", "hands", "layouts"]
    bounds = pd.DataFrame(rows, columns=columns)
    return StudyResult({"value_bounds": bounds, "hands": found}, {"hands": len(found)})


VALUE_BOUNDS: Final = Study(
    game="towers-and-bowers",
    name="value-bounds",
    help="Bounds of W(n): the best response to a fixed strategy, in sampled hands of who responds.",
    parameters={"cards": 4, "chunks": 1},
    count_chunks=lambda parameters: len(up_cards()) * int(parameters["chunks"]),
    run_chunk=_run_chunk,
    combine=_combine,
)
