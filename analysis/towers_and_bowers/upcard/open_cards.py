"""The up-card question where both sides see all cards after the call: ``--method pimc``.

Perfect-information Monte Carlo without the Monte Carlo: at the decision the player fixes one action for all layouts
(for a dealer who accepts: one discard); everything afterwards is played with all cards seen, each side maximising its
P(win the tower). Layouts weigh equally; W(n - 1) is `analysis.towers_and_bowers.solutions.deal_value`'s.
"""

from __future__ import annotations

from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
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
    worth = deal_values(options)
    bidding = open_bidding(view.cards, worth, options.hand_rules)
    views = count_layouts(view, None, bidding, options.hand_rules)
    values = open_values(views, bidding, view.cards, worth, options.hand_rules)
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
    rules = options.hand_rules
    bidding = open_bidding(view.cards, deal_values(options), rules)
    views = count_layouts(view, None, bidding, rules)
    numbers = numbers_of(open_counts(views), asker_bids, True, view.cards, next_deal, rules)
    return DiscardAnswer(discard_values(view, numbers), None, int(views.open_passed[0].sum()))
