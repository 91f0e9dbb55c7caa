"""The up-card question where both sides see all cards after the call: ``--method pimc``.

Perfect-information Monte Carlo without the Monte Carlo: at the decision the player fixes one action for all layouts
(for a dealer who accepts: one discard); everything afterwards is played with all cards seen, each side maximising its
P(win the tower). Layouts weigh equally; W(n - 1) is `analysis.towers_and_bowers.solutions.deal_value`'s.
"""

from __future__ import annotations

from analysis.towers_and_bowers.solutions.deal_value import deal_value
from analysis.towers_and_bowers.upcard.answers import (
    ContractValue,
    DiscardAnswer,
    Prospects,
    UpcardAnswer,
    View,
    make_answer,
    rounded,
    shares_of,
)
from games.arrays import Ints
from games.cards import card_text
from games.towers_and_bowers import TowersAndBowersOptions
from solver.towers_and_bowers.open_bidding import Ending, count_endings, open_bidding, value_of_endings
from solver.towers_and_bowers.upcard import best_discard, count_layouts


def evaluate_upcard(
    hand: int,
    up: int,
    dealer: bool,
    second_round: bool = False,
    options: TowersAndBowersOptions | None = None,
) -> UpcardAnswer:
    """Answer a question given as masks.

    Args:
        hand: printed mask of the 1..7 dealt cards.
        up: the up-card, a card id.
        dealer: whether the asker deals.
        second_round: whether the up-card has been turned down.
        options: the rules.
    """
    options = options or TowersAndBowersOptions()
    cards = hand.bit_count()
    view = View.of(hand, up, dealer, options.tie_to_bidder)
    counts = count_layouts(hand, up, dealer, options.allow_discard_upcard)
    next_deal = deal_value(cards - 1, options) if cards > 1 else None
    same_deal = None if options.force_dealer_to_name else deal_value(cards, options)
    bidding = open_bidding(cards, next_deal or 0.0, options.tie_to_bidder, same_deal)

    def mean(tricks: Ints, ending: Ending) -> float:
        return float(value_of_endings(count_endings(tricks, ending), next_deal or 0.0, same_deal))

    def contract(tricks: Ints, asker_bids: bool, discard: str | None = None) -> ContractValue:
        ending = bidding.dealer_bids if asker_bids == dealer else bidding.nondealer_bids
        return view.contract(shares_of(tricks, cards), mean(tricks, ending), asker_bids, discard)

    accepted, passing = {}, None
    if second_round:
        if not dealer:
            passing = view.mine(mean(counts.joint.sum((0, 1)), bidding.dealer_names))
        elif same_deal is not None:
            passing = rounded(same_deal)
    else:
        accepted = {asker_bids: contract(counts.joint.sum((1, 2)), asker_bids) for asker_bids in (True, False)}
        if dealer:  # his own acceptance: one discard for all layouts
            row = best_discard(counts, up, bidding.dealer_bids.value)
            accepted[True] = contract(counts.exchanged[row], True, card_text(counts.discards[row]))
            passing = view.mine(mean(counts.joint.sum(0), bidding.second_round))
        else:
            passing = view.mine(mean(counts.joint, bidding.dealer_answers))
    named = {
        asker_bids: {suit: contract(counts.named[place], asker_bids) for suit, place in view.suits.items()}
        for asker_bids in (True, False)
    }
    return make_answer(view, Prospects(accepted, named, passing), counts.layouts, next_deal, "pimc")


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
    options, cards = options or TowersAndBowersOptions(), hand.bit_count()
    counts = count_layouts(hand, up, True, options.allow_discard_upcard)
    bidding = open_bidding(cards, deal_value(cards - 1, options) if cards > 1 else 0.0, options.tie_to_bidder)
    nondealer = counts.exchanged @ (bidding.dealer_bids if asker_bids else bidding.nondealer_bids).value
    values = {card_text(card): 1 - float(nondealer[row]) / counts.layouts for row, card in enumerate(counts.discards)}
    ordered = sorted(values.items(), key=lambda item: -item[1])
    return DiscardAnswer(dict(ordered), None, counts.layouts)
