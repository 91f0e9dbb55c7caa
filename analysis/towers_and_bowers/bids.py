"""What the bids tell of the opponent's hand during the play: how likely the equilibrium bids so with each."""

from __future__ import annotations

import numpy as np

from towerlab.analysis.moves.weighing import Likelihood
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding
from towerlab.analysis.towers_and_bowers.solutions.departures import bids_everywhere
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, mask_cards, rank_of, suit_of
from towerlab.games.towers_and_bowers import View
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order
from towerlab.solver.towers_and_bowers.upcard import named_suits


def played_cards(view: View) -> tuple[int, int]:
    """Printed masks of what the player, and the opponent, have played."""
    masks = [0, 0]
    for trick in view.tricks:
        for seat in (0, 1):
            masks[seat != view.player] |= 1 << trick.card_of(seat)
    if view.led is not None:
        masks[view.leader != view.player] |= 1 << view.led
    return masks[0], masks[1]


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

    def known(call: Floats) -> Floats:
        """A call that the solution never makes is made with any hand alike."""
        return np.ones(len(call)) if len(call) and call.mean() <= stored.least_likelihood else call

    def of_nondealer(dealt: Ints) -> Floats:
        way = StoredSide(solved, up, dealt).nondealer()
        if accepted and not by_me:
            return known(way.accepts)
        named = 1.0 if accepted else known(way.names[:, 3 if by_me else named_suits(up).index(trump)])
        return known(1 - way.accepts) * named

    def of_dealer(dealt: Ints) -> Floats:
        way = StoredSide(solved, up, dealt).dealer()
        return known(1 - way.answers) * (1.0 if by_me else known(way.left[:, named_suits(up).index(trump)]))

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
            likely[rows] += given if by_me else known(way.answers) * given
        return likely

    def likelihood(hands: Ints) -> Floats:
        held = np.full(len(hands), played[1])
        for card in mask_cards(DECK_24):
            moved = int(in_play_order(np.array([1 << card]), trump)[0])
            held |= ((hands[:, 0] & moved) != 0).astype(np.int64) << card
        if dealer == view.player:
            return of_nondealer(held)
        return exchanged(held) if accepted else of_dealer(held)

    return likelihood
