"""The tricks of a hand of Towers & Bowers when both see all cards, from the first card on."""

from __future__ import annotations

from typing import Final

from towerlab.analysis.present import number_of
from towerlab.analysis.towers_and_bowers.equity import open_tricks
from towerlab.games.towers_and_bowers import Match, Phase
from towerlab.games.towers_and_bowers.rules import BIDDER_DEALS, BIDDER_SWEEPS, hand_result
from towerlab.table.hindsight import OpenCards

_PLAYED: Final = (Phase.PLAY, Phase.CONSENT)


def open_cards(match: Match, seat: int) -> OpenCards | None:
    """Return what a player makes of the hand: it is won by taking the tower or dealing next."""
    state = match.state()
    hand = state.hand
    if hand is None or hand.bidder is None:
        return None
    over = hand.outcome
    if over is not None:
        if over.next_dealer is None and over.tower_to is None:
            return None  # thrown in
        won = seat in (over.tower_to, over.next_dealer)
        taken = over.taken[seat]
        return OpenCards(f"hand of {hand.n}", won, number_of(taken, "trick"), is_over=True, made=taken)
    if state.phase not in _PLAYED:
        return None
    tricks = open_tricks(hand, seat)
    bidder = tricks if seat == hand.bidder else hand.n - tricks
    bidder_wins = int(hand_result(hand.n, bidder, match.options.hand_rules)) in (BIDDER_SWEEPS, BIDDER_DEALS)
    return OpenCards(f"hand of {hand.n}", bidder_wins == (seat == hand.bidder), number_of(tricks, "trick"), made=tricks)
