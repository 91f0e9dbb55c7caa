"""The up-card question where both sides see all cards after the call: ``--method pimc``.

Perfect-information Monte Carlo without the Monte Carlo: at the decision the player fixes one action for all layouts
(for a dealer who accepts: one discard); everything afterwards is played with all cards seen, each side maximising its
P(win the tower). Layouts weigh equally; W(n - 1) is `analysis.towers_and_bowers.solutions.deal_value`'s.
"""

from __future__ import annotations

from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import BidderView, DiscardAnswer, UpcardAnswer
from towerlab.analysis.towers_and_bowers.upcard.values import (
    count_layouts,
    discard_values,
    make_answer,
    numbers_of,
    open_counts,
    open_values,
)
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding


def evaluate_view(view: BidderView, options: TowersAndBowersOptions) -> UpcardAnswer:
    """The answer to what the asker sees and knows."""
    next_deal = deal_value(view.cards - 1, options)
    same_deal = None if options.force_dealer_to_name else deal_value(view.cards, options)
    bidding = open_bidding(view.cards, next_deal, options.tie_to_bidder, same_deal)
    views = count_layouts(view, None, bidding, options.allow_discard_upcard)
    values = open_values(views, bidding, view.cards, next_deal, options.tie_to_bidder, same_deal)
    return make_answer(view, values, next_deal or None, "pimc")


def evaluate_discard(
    hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions | None = None
) -> DiscardAnswer:
    """Return the value to the dealer of each card given for the up-card, all hands of the other counting alike.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer has accepted; else the other has.
        options: the rules.
    """
    view, options = BidderView(hand, up, True), options or TowersAndBowersOptions()
    next_deal = deal_value(view.cards - 1, options)
    bidding = open_bidding(view.cards, next_deal, options.tie_to_bidder)
    views = count_layouts(view, None, bidding, options.allow_discard_upcard)
    numbers = numbers_of(open_counts(views), asker_bids, True, view.cards, next_deal, options.tie_to_bidder)
    return DiscardAnswer(discard_values(view, numbers), None, int(views.open_passed[0].sum()))
