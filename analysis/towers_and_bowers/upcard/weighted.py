"""The up-card question against an opponent who bids by a known strategy, both seeing all cards after the bidding.

Every hand of the opponent is counted, weighted by how likely the calls so far are with it; the opponent's later calls
follow the same strategy, the asker's own are best from here on. The strategy is a player's under ``--against``
(`analysis.towers_and_bowers.upcard.against`). Where cards of the opponent are known it is that of the solution or of
the learned policy (`stored_side.bids_of`), and so it is where a dealer of five to seven cards asks for the discard.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    WHOLE_HAND,
    StoredBidding,
    bidding_at_hand,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.solutions.stored_side import LearnedSide, StoredSide, bids_of
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    SELF_PLAY,
    BidderView,
    DiscardAnswer,
    UpcardAnswer,
    rounded,
)
from towerlab.analysis.towers_and_bowers.upcard.values import (
    Values,
    count_layouts,
    discard_values,
    make_answer,
    solved_values,
    views_of,
    weighted_values,
)
from towerlab.games.arrays import Ints
from towerlab.games.cards import card_text, mask_cards, rank_of
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.views import (
    DealerViews,
    NondealerViews,
    layout_hands,
)
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding

_FEW: Final = 8  # hands of one size, up-card and seat: for fewer, bids are read layout by layout


def weigh(
    view: BidderView, way: NondealerBids | DealerBids, next_deal: float, *, tie_to_bidder: bool = False
) -> Values:
    """Both decisions of a player, a batch of one, the other bidding in a known way with each layout (`layouts_of`)."""
    views = count_layouts(view, way, open_bidding(view.cards, next_deal, tie_to_bidder))
    return weighted_values(views, view.cards, next_deal, tie_to_bidder)


def layouts_of(view: BidderView) -> Ints:
    """int64[layouts]: every hand that the other can hold with what is known, printed masks."""
    hands = layout_hands(view.hand, view.up)
    return hands if view.known is None else hands[view.known.among(hands)]


def stored_values(stored: StoredBidding, hands: Ints, ups: Ints, dealer: bool) -> Values:
    """Return the values of the asker's calls and contracts, in the game itself where it is solved, else its model.

    Args:
        hands, ups: int64[hands], what each asker was dealt and the up-card beside it, of the stored rank.
    """
    side, next_deal = StoredSide(stored, ups, hands), deal_value(stored.cards - 1)
    if stored.worth is not None:
        return solved_values(stored, side.rows, dealer).of_questions(side)
    standing = stored.hands[side.rows]
    if len(hands) < _FEW:
        asked = [BidderView(hand, stored.up, dealer) for hand in standing.tolist()]
        bidding = open_bidding(stored.cards, next_deal)
        alone = [count_layouts(of, way_against(stored, of), bidding) for of in asked]
        views = type(alone[0])(*map(np.concatenate, zip(*alone, strict=True)))
    else:
        views = class_views(stored, standing, dealer)
    return weighted_values(views, stored.cards, next_deal).of_questions(side)


def class_views(stored: StoredBidding, hands: Ints, dealer: bool) -> DealerViews | NondealerViews:
    """Return what classes of hands (`StoredBidding.hands`) see of the other, who bids as is stored."""
    way = _class_bids(stored.exploitability_of, stored.cards, stored.up, dealer)
    bidding = open_bidding(stored.cards, deal_value(stored.cards - 1))
    return views_of(hands, stored.up, dealer, way, bidding)


@functools.lru_cache(maxsize=2)
def _class_bids(solved: str, cards: int, up: int, dealer: bool) -> NondealerBids | DealerBids:
    """How the other bids with every class in what was solved; a table comes to one up-card after the other."""
    stored = bidding_at_hand(cards, rank_of(up), model=solved != WHOLE_HAND)
    every = StoredSide(stored, stored.up, stored.hands)
    return every.nondealer() if dealer else every.dealer()


def way_against(stored: StoredBidding, view: BidderView) -> NondealerBids | DealerBids:
    """How the other bids each layout (`layouts_of`), as is stored."""
    side = StoredSide(stored, view.up, layouts_of(view))
    return side.nondealer() if view.dealer else side.dealer()


def answer_knowing(view: BidderView, method: str) -> UpcardAnswer:
    """Return the answer where cards of the other are known, who bids not knowing that; then both see all cards.

    Args:
        view: what the asker sees, and what else is known.
        method: ``"equilibrium"`` or ``"self-play"``: how the other bids.
    """
    next_deal, side = deal_value(view.cards - 1), bids_of(view.up, layouts_of(view), method == SELF_PLAY)
    assert side is not None
    values = weigh(view, side.nondealer() if view.dealer else side.dealer(), next_deal)
    likelihood = rounded(float(values.likelihood[view.second_round][0]))
    return replace(make_answer(view, values, next_deal or None, method), likelihood=likelihood)


def discard_learned(hand: int, up: int, asker_bids: bool) -> DiscardAnswer:
    """Which card to give for the up-card: the learned policy's.

    The hands of the other are as likely as the policy bids so with them; after the discard both see all cards.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted, after a pass; else the other has.
    """
    view = BidderView(hand, up, True)
    values = weigh(view, LearnedSide(up, layouts_of(view)).nondealer(), deal_value(view.cards - 1))
    own = LearnedSide(up, np.array([hand])).dealer()
    shares = (own.own_discards if asker_bids else own.discards)[0].tolist()
    made = dict(zip(map(card_text, mask_cards(hand)), shares, strict=True))
    return DiscardAnswer(discard_values(view, values.contracts[asker_bids]), None, values.layouts, made)
