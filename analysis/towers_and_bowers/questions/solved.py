"""The up-card question of one to four cards: ``--method equilibrium``, the whole hand solved, cards hidden to the end.

Every number is the game's (`analysis.towers_and_bowers.solutions.contracts`). Every call was made at least with a
floor, with any hand, so that one solution answers wherever a player has come to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from towerlab.analysis.towers_and_bowers.questions.answers import (
    EQUILIBRIUM,
    PASS,
    BidderView,
    DiscardAnswer,
    Mix,
    UpcardAnswer,
)
from towerlab.analysis.towers_and_bowers.questions.values import Values, discard_values, make_answer, solved_values
from towerlab.analysis.towers_and_bowers.solutions.accuracy import Accuracy, accuracy_of
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    WHOLE_HAND,
    StoredBidding,
    bidding_at_hand,
    load_bidding,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.solutions.stored_side import OwnHand, StoredSide, own_hands
from towerlab.games.arrays import Ints
from towerlab.games.cards import card_text, rank_of


def answer_solved(views: Sequence[BidderView], hands: Ints, ups: Ints) -> list[UpcardAnswer]:
    """Return the solution's answers to views of one size (to four cards), rank of the up-card and seat.

    Args:
        hands, ups: int64[views], what each player was dealt and the up-card.

    Raises:
        TowerlabError: no solution of the size is at hand.
    """
    stored = bidding_at_hand(views[0].cards, rank_of(views[0].up))
    dealer = views[0].dealer
    values = _values(stored, hands, ups, dealer)
    own = own_hands(stored, ups, hands, dealer)
    return [_answer(stored, view, values, own[row], row) for row, view in enumerate(views)]


def _values(stored: StoredBidding, hands: Ints, ups: Ints, dealer: bool) -> Values:
    """Return the values of the asker's calls and contracts.

    Args:
        hands, ups: int64[hands], what each asker was dealt and the up-card beside it, of the stored rank.
    """
    side = StoredSide(stored, ups, hands)
    return solved_values(stored, side.rows, dealer).of_questions(side)


def _answer(stored: StoredBidding, view: BidderView, values: Values, own: OwnHand, row: int) -> UpcardAnswer:
    """From the values, of which this hand is a row, and its stored bids."""
    second_round = view.second_round
    likelihood = float(values.likelihood[view.second_round][row])
    discards = {} if second_round else own.discards
    mix = _mix(
        stored,
        own.second if second_round else own.first,
        {"me" if by else "them": {card: p for card, p in shares.items() if p} for by, shares in discards.items()},
        likelihood * (own.first[PASS] if second_round else 1.0),
        accuracy=accuracy_of(stored.cards, card_text(stored.up), view.seat, 1 + second_round),
    )
    return make_answer(view, values, deal_value(view.cards - 1) or None, EQUILIBRIUM, mix, row, model_error=0.0)


def discard_solved(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Which card to give for the up-card; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted, after a pass; else the other has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    values = _values(stored, np.array([hand], dtype=np.int64), np.array([up], dtype=np.int64), dealer=True)
    shares = own_hands(stored, up, np.array([hand], dtype=np.int64), True)[0].discards[asker_bids]
    mix = _mix(stored, shares, accuracy=accuracy_of(stored.cards, card_text(stored.up), "discard", int(asker_bids)))
    return DiscardAnswer(discard_values(BidderView(hand, up, True), values.contracts[asker_bids]), mix, values.layouts)


def _mix(
    stored: StoredBidding,
    shares: Mapping[str, float],
    discards: Mapping[str, Mapping[str, float]] | None = None,
    reached: float = 1.0,
    accuracy: Accuracy | None = None,
) -> Mix:
    """Return what is stored of one decision."""
    solved = stored.exploitability, stored.floor, WHOLE_HAND
    return Mix(shares, discards or {}, *solved, accuracy, reached)
