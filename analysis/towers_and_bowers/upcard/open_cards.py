"""The up-card question where both sides see all cards after the call: ``--method pimc``.

Perfect-information Monte Carlo without the Monte Carlo: at the decision the player fixes one action for all layouts
(for a dealer who accepts: one discard); everything afterwards is played with all cards seen, each side maximising its
P(win the tower). Layouts weigh equally; W(n - 1) is `analysis.towers_and_bowers.solutions.deal_value`'s.
"""

from __future__ import annotations

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import DiscardAnswer, UpcardAnswer, View, make_answer
from towerlab.analysis.towers_and_bowers.upcard.values import Side, discard_values, make_prospects
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding.views import (
    DealerViews,
    NondealerViews,
    dealer_views,
    layout_hands,
    nondealer_views,
)
from towerlab.solver.towers_and_bowers.open_bidding import OpenBidding, open_bidding


def evaluate_view(view: View, second_round: bool, options: TowersAndBowersOptions) -> UpcardAnswer:
    """The answer to what the asker sees and knows, in the second round or the first."""
    side, views, bidding, same_deal = _counted(view, options)
    values = side.with_open_cards(views, bidding, same_deal)
    next_deal = side.next_deal if view.cards > 1 else None
    return make_answer(view, make_prospects(view, values, second_round), values.layouts, next_deal, "pimc")


def _counted(
    view: View, options: TowersAndBowersOptions
) -> tuple[Side, DealerViews | NondealerViews, OpenBidding, float | None]:
    """A batch of one hand; beside it the bidding, and the W(n) of a hand that can be thrown in."""
    cards, hands = view.cards, np.array([view.hand], dtype=np.int64)
    next_deal = deal_value(cards - 1, options)
    same_deal = None if options.force_dealer_to_name else deal_value(cards, options)
    bidding = open_bidding(cards, next_deal, options.tie_to_bidder, same_deal)
    count = dealer_views if view.dealer else nondealer_views
    fits = None if view.known is None else view.known.among(layout_hands(view.hand, view.up))
    views: DealerViews | NondealerViews = count(hands, view.up, None, bidding, options.allow_discard_upcard, fits)
    return Side(cards, view.dealer, next_deal, options.tie_to_bidder), views, bidding, same_deal


def evaluate_discard(
    hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions | None = None
) -> DiscardAnswer:
    """What each card given for the up-card is worth to the dealer, all hands of the other counting alike.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer has accepted; else the other has.
        options: the rules.
    """
    view = View(hand, up, True)
    side, views, *_ = _counted(view, options or TowersAndBowersOptions())
    values = side.weighted(views)  # no bids are known: all layouts alike
    return DiscardAnswer(discard_values(view, values, asker_bids), None, values.layouts)
