"""The up-card question against an opponent who bids in a known way: that of ``--method equilibrium``.

Every hand the opponent can hold is counted, weighted by how likely the bids so far are with it; the opponent's later
bids follow the same strategy, the asker's own are best from here on, and the play is double-dummy. Under
``equilibrium`` the way of bidding is the stored one (`analysis.towers_and_bowers.solutions.bidding`), each bid made at
least with its floor; under ``--against`` it is a player's rule (`analysis.towers_and_bowers.upcard.against`), without
a floor.

Where the whole hand has been solved (the smallest ones), every number is the game's, hidden hands to the end
(`analysis.towers_and_bowers.solutions.contracts`). Every call was made at least with a floor, with any hand, so that
one solution answers wherever a player has come to.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.accuracy import Accuracy, accuracy_of, model_errors
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    WHOLE_HAND,
    StoredBidding,
    bidding_at_hand,
    load_bidding,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.solutions.stored_side import OwnHand, StoredSide, own_hands
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    PASS,
    BidderView,
    DiscardAnswer,
    Mix,
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
from towerlab.games.cards import card_text, rank_of
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


# ----------------------------------------------------------------------------------------------------- the equilibrium


def answer_equilibria(views: Sequence[BidderView]) -> list[UpcardAnswer | None]:
    """The equilibrium of the bidding, or of the whole hand; None where no solution is at hand.

    Args:
        views: what players see, nothing else being known.
    """
    answers: list[UpcardAnswer | None] = [None] * len(views)
    groups: dict[tuple[int, int, bool], list[int]] = {}
    for place, view in enumerate(views):
        groups.setdefault((view.cards, rank_of(view.up), view.dealer), []).append(place)
    for (cards, rank, dealer), places in groups.items():
        stored = load_bidding(cards, rank)
        if stored is None:
            continue
        hands, ups = np.array([(views[place].hand, views[place].up) for place in places], dtype=np.int64).T
        values = stored_values(stored, hands, ups, dealer)
        own = own_hands(stored, ups, hands, dealer)
        for row, place in enumerate(places):
            answers[place] = _answer(stored, views[place], values, own[row], row)
    return answers


def _answer(stored: StoredBidding, view: BidderView, values: Values, own: OwnHand, row: int) -> UpcardAnswer:
    """From the values, of which this hand is a row, and its stored bids."""
    second_round, likelihood = view.second_round, float(values.likelihood[view.second_round][row])
    discards = {} if second_round else own.discards
    mix = _mix(
        stored,
        own.second if second_round else own.first,
        {"me" if by else "them": {card: p for card, p in shares.items() if p} for by, shares in discards.items()},
        likelihood * (own.first[PASS] if second_round else 1.0),
        accuracy=accuracy_of(stored.cards, card_text(stored.up), view.seat, 1 + second_round),
    )
    measured = None if second_round else model_errors().get((view.cards, view.seat))
    answer = make_answer(view, values, deal_value(view.cards - 1) or None, "equilibrium", mix, row)
    off = 0.0 if mix.values_of == WHOLE_HAND else measured
    return replace(answer, likelihood=rounded(likelihood), model_error=off)


def answer_discard(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Which card to give for the up-card; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted, after a pass; else the other has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    values = stored_values(stored, np.array([hand], dtype=np.int64), np.array([up], dtype=np.int64), dealer=True)
    shares = own_hands(stored, up, np.array([hand], dtype=np.int64), True)[0].discards[asker_bids]
    mix = _mix(stored, shares, accuracy=accuracy_of(stored.cards, card_text(stored.up), "discard", int(asker_bids)))
    return DiscardAnswer(discard_values(BidderView(hand, up, True), values.contracts[asker_bids]), mix, values.layouts)


def stored_values(stored: StoredBidding, hands: Ints, ups: Ints, dealer: bool) -> Values:
    """Return the values of the asker's calls and contracts, in the game itself where it is solved, else its model.

    Args:
        hands, ups: int64[hands], what each asker was dealt and the up-card beside it, of the stored rank.
    """
    side, next_deal = StoredSide(stored, ups, hands), deal_value(stored.cards - 1)
    if stored.worth is not None:
        return solved_values(stored, side.rows, dealer).asked(side)
    standing = stored.hands[side.rows]
    if len(hands) < _FEW:
        asked = [BidderView(hand, stored.up, dealer) for hand in standing.tolist()]
        bidding = open_bidding(stored.cards, next_deal)
        alone = [count_layouts(of, way_against(stored, of), bidding) for of in asked]
        views = type(alone[0])(*map(np.concatenate, zip(*alone, strict=True)))
    else:
        views = class_views(stored, standing, dealer)
    return weighted_values(views, stored.cards, next_deal).asked(side)


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


def answer_knowing(view: BidderView) -> UpcardAnswer | None:
    """With cards known of the other, who bids as in the equilibrium, not knowing that; after it both see all cards."""
    stored = load_bidding(view.cards, rank_of(view.up), model=True)
    if stored is None:
        return None
    next_deal = deal_value(view.cards - 1)
    values = weigh(view, way_against(stored, view), next_deal)
    likelihood = rounded(float(values.likelihood[view.second_round][0]))
    return replace(make_answer(view, values, next_deal or None, "equilibrium"), likelihood=likelihood)


def _mix(
    stored: StoredBidding,
    shares: Mapping[str, float],
    discards: Mapping[str, Mapping[str, float]] | None = None,
    reached: float = 1.0,
    accuracy: Accuracy | None = None,
) -> Mix:
    """Return what is stored of one decision."""
    solved = stored.exploitability, stored.floor, stored.exploitability_of
    return Mix(shares, discards or {}, *solved, accuracy, reached)
