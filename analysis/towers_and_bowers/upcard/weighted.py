"""The up-card question against an opponent who bids by a known strategy, both seeing all cards after the bidding.

Every hand of the opponent is counted, weighted by how likely the calls so far are with it; the opponent's later calls
follow the same strategy, the asker's own are best from here on. The strategy is a player's under ``--against``
(`analysis.towers_and_bowers.upcard.against`). Where cards of the opponent are known it is that of the solution or of
the learned policy (`stored_side.bids_of`).
"""

from __future__ import annotations

from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.solutions.stored_side import bids_of
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    SELF_PLAY,
    BidderView,
    UpcardAnswer,
)
from towerlab.analysis.towers_and_bowers.upcard.values import (
    Values,
    count_layouts,
    make_answer,
    weighted_values,
)
from towerlab.games.arrays import Ints
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.views import layout_hands
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding


def weigh(view: BidderView, way: NondealerBids | DealerBids, options: TowersAndBowersOptions) -> Values:
    """Both decisions of a player, a batch of one, the other bidding in a known way with each layout (`layouts_of`)."""
    bidding = open_bidding(view.cards, deal_values(options), options.hand_rules)
    views = count_layouts(view, way, bidding, options.hand_rules)
    return weighted_values(views, view.cards, deal_value(view.cards - 1, options), options.hand_rules)


def layouts_of(view: BidderView) -> Ints:
    """int64[layouts]: every hand that the other can hold with what is known, printed masks."""
    hands = layout_hands(view.hand, view.up)
    return hands if view.known is None else hands[view.known.among(hands)]


def answer_knowing(view: BidderView, method: str) -> UpcardAnswer:
    """Return the answer where cards of the other are known, who bids not knowing that; then both see all cards.

    Args:
        view: what the asker sees, and what else is known.
        method: ``"equilibrium"`` or ``"self-play"``: how the other bids.
    """
    options = TowersAndBowersOptions()
    side = bids_of(view.up, layouts_of(view), method == SELF_PLAY)
    assert side is not None
    values = weigh(view, side.nondealer() if view.dealer else side.dealer(), options)
    return make_answer(view, values, deal_value(view.cards - 1) or None, method)
