"""What the bids tell of the opponent's hand during the play: how likely the equilibrium bids so with each."""

from __future__ import annotations

import numpy as np

from analysis.moves.weighing import Likelihood
from analysis.towers_and_bowers.solutions.bidding import load_bidding
from analysis.towers_and_bowers.solutions.departures import bids_everywhere
from analysis.towers_and_bowers.solutions.stored_side import StoredSide
from games.arrays import Floats, Ints
from games.cards import DECK_24, mask_cards, rank_of, suit_of, to_printed
from games.towers_and_bowers import View
from solver.towers_and_bowers.upcard import named_suits


def bids_likelihood(view: View, played: tuple[int, int]) -> Likelihood | None:
    """How likely the calls and the exchange are with each hand that the opponent can hold; None where nothing tells.

    Args:
        view: of the player who is to play.
        played: printed masks of all the cards that the player, and the opponent, have played in this hand.
    """
    up, trump, dealer = view.up_card, view.trump, view.dealer
    if up is None or trump is None or dealer is None or played[1].bit_count() + view.opponent_cards != view.n:
        return None
    stored = load_bidding(view.n, rank_of(up))
    if stored is None:
        return None
    solved, by_me, accepted = bids_everywhere(stored), view.bidder == view.player, suit_of(up) == trump
    may_be_given = mask_cards(DECK_24 & ~(view.hand | played[0] | 1 << up))

    def of_nondealer(dealt: Ints) -> Floats:
        side = StoredSide(solved, up, dealt)
        way = side.nondealer()
        if accepted:
            return 1 - way.accepts if by_me else way.accepts
        named: Floats = (1 - way.accepts) * way.names[:, 3 if by_me else named_suits(up).index(trump)]
        return named

    def of_dealer(dealt: Ints) -> Floats:
        side = StoredSide(solved, up, dealt)
        way = side.dealer()
        passed: Floats = 1 - way.answers
        return passed if by_me else passed * way.left[:, named_suits(up).index(trump)]

    def exchanged(held: Ints) -> Floats:
        """Every card that the dealer may have given for the up-card, as likely as it is given."""
        kept, likely = held & ~(1 << up), np.zeros(len(held))
        for card in may_be_given:
            place = 1 << card
            rows = np.flatnonzero((held & place) == 0)
            dealt = kept[rows] | place
            way = StoredSide(solved, up, dealt).dealer()
            column = np.bitwise_count(dealt & (place - 1)).astype(np.int64)
            given = (way.discards if by_me else way.own_discards)[np.arange(len(rows)), column]
            likely[rows] += given if by_me else way.answers * given
        return likely

    def likelihood(hands: Ints) -> Floats:
        held = np.array([int(to_printed(hand, trump, True)) for hand in hands[:, 0].tolist()]) | played[1]
        if dealer == view.player:
            return of_nondealer(held)
        return exchanged(held) if accepted else of_dealer(held)

    return likelihood
