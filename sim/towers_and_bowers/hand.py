"""One hand between two players, from the deal to its result, in one kernel.

Seats of a hand are `NONDEALER` 0 and `DEALER` 1. What happened is written into a record, an int64 array of
`RECORD_SIZE` places that `read_record` makes readable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from games.arrays import Ints
from games.bits import lowest_index, popcount
from games.cards import DECK_24, TRUMP_FIELD, to_play_order, to_printed
from games.jit import kernel
from games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_SWEEPS,
    LARGEST_HAND,
    hand_result,
    result_is_settled,
)
from games.tricks import field_of, leader_wins
from sim.choices import random_card
from sim.towers_and_bowers.knowledge import NO_CARD, PASS, Course, Mind, Rules, Situation
from sim.towers_and_bowers.players import follows_habits, habitual_bids, habitual_play, searched_bids, searched_play
from sim.towers_and_bowers.solved_play import with_card

NONDEALER: Final = 0
DEALER: Final = 1

NOT_MADE: Final = -2  # a call that was not reached
THROWN_IN: Final = -1  # in place of the seat that won

# Places of a record: four calls in the order of the rounds, tricks of both seats, cards in the order of play.
_CALLS, _DISCARD, _BIDDER, _TRUMP, _TAKEN, WINNER, IS_TOWER, _PLAYED, _PLAYS = 0, 4, 5, 6, 7, 9, 10, 11, 12
RECORD_SIZE: Final = _PLAYS + 2 * LARGEST_HAND


@dataclass(frozen=True)
class PlayedHand:
    """What happened in a hand.

    Attributes:
        calls: of non-dealer, dealer, non-dealer, dealer, as far as made: a suit or `PASS`; the up-card's suit is an
            acceptance.
        discard: the dealer's (card id), or None.
        bidder: seat, or None if the hand was thrown in; likewise `trump`.
        taken: tricks of non-dealer and dealer when the hand stopped.
        winner: the seat that takes the tower or deals next, or None if the hand was thrown in.
        is_tower: whether the declarer takes the tower.
        plays: card ids in the order of play.
    """

    calls: tuple[int, ...]
    discard: int | None
    bidder: int | None
    trump: int | None
    taken: tuple[int, int]
    winner: int | None
    is_tower: bool
    plays: tuple[int, ...]


def new_record() -> Ints:
    """An empty record."""
    return np.zeros(RECORD_SIZE, dtype=np.int64)


def read_record(record: Ints) -> PlayedHand:
    """The record of one hand in words."""
    calls, bidder = record[_CALLS:_DISCARD], int(record[_BIDDER])
    played_on = bidder != THROWN_IN
    return PlayedHand(
        calls=tuple(int(call) for call in calls if call != NOT_MADE),
        discard=None if record[_DISCARD] == NO_CARD else int(record[_DISCARD]),
        bidder=bidder if played_on else None,
        trump=int(record[_TRUMP]) if played_on else None,
        taken=(int(record[_TAKEN]), int(record[_TAKEN + 1])),
        winner=int(record[WINNER]) if played_on else None,
        is_tower=bool(record[IS_TOWER]),
        plays=tuple(int(card) for card in record[_PLAYS : _PLAYS + record[_PLAYED]]),
    )


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def deal_hand(n: int, random: Any) -> tuple[int, int, int]:
    """Deal n cards each and an up-card, every deal alike: printed masks of non-dealer and dealer, and a card id.

    It draws 2 n + 1 numbers, whoever plays: the same generator deals the same hands to other players.
    """
    left, nondealer, dealer = DECK_24, 0, 0
    for _ in range(n):
        card = random_card(left, random)
        nondealer |= card
        left ^= card
        card = random_card(left, random)
        dealer |= card
        left ^= card
    return nondealer, dealer, lowest_index(random_card(left, random))


@kernel
def play_hand(
    players: tuple[int, int], hands: tuple[int, int], up: int, rules: Rules, mind: Mind, random: Any, record: Any
) -> None:
    """Bid and play one hand that has been dealt.

    Args:
        players: of non-dealer and dealer, `sim.towers_and_bowers.players.RANDOM` ….
        hands: their printed masks, of equal size.
        up: the up-card.
        rules, mind: as the game is played.
        random: a numpy Generator for players who toss coins.
        record: filled.
    """
    record[:] = 0
    make_calls(players, hands, up, rules, mind, random, record)
    if record[_BIDDER] == THROWN_IN:
        record[WINNER] = THROWN_IN
        return
    _play_tricks(players, hands, up, rules, mind, random, record)
    bidder = record[_BIDDER]
    result = hand_result(popcount(hands[NONDEALER]), record[_TAKEN + bidder], rules.tie_to_bidder)
    bidder_gains = result in (BIDDER_SWEEPS, BIDDER_DEALS)
    record[WINNER] = bidder if bidder_gains else 1 - bidder
    record[IS_TOWER] = result in (BIDDER_SWEEPS, DEFENDER_SWEEPS)


@kernel
def make_calls(
    players: tuple[int, int], hands: tuple[int, int], up: int, rules: Rules, mind: Mind, random: Any, record: Any
) -> None:
    """Both rounds of bidding and the discard (TB-10 .. TB-13); arguments as for `play_hand`."""
    record[_CALLS:_DISCARD] = NOT_MADE
    record[_DISCARD], record[_BIDDER] = NO_CARD, THROWN_IN
    calls = np.empty((2, 2), dtype=np.int64)  # by round and seat
    discards = np.empty(2, dtype=np.int64)  # by the seat that accepts
    for seat in range(2):  # one place that calls the players: every other is compiled anew
        if follows_habits(players[seat]):
            plan = habitual_bids(players[seat], hands[seat], up, seat == DEALER, rules, random)
        else:
            plan = searched_bids(players[seat], hands[seat], up, seat == DEALER, rules, mind, random)
        calls[0, seat] = up // 13 if plan.accepts else PASS
        calls[1, seat] = plan.names
        discards[NONDEALER], discards[DEALER] = plan.discard_for_other, plan.discard  # the last plan is the dealer's
    for place in range(_CALLS, _DISCARD):
        turn, seat = place // 2, place % 2
        call = calls[turn, seat]
        record[place] = call
        if call != PASS:
            record[_BIDDER], record[_TRUMP] = seat, call
            if turn == 0:
                record[_DISCARD] = discards[seat]
            return


@kernel
def _play_tricks(
    players: tuple[int, int], hands: tuple[int, int], up: int, rules: Rules, mind: Mind, random: Any, record: Any
) -> None:
    """The play of a hand that has been bid (TB-16 .. TB-21). What each seat knows is kept apart from what is so."""
    n, bidder, trump, discard = popcount(hands[NONDEALER]), record[_BIDDER], record[_TRUMP], record[_DISCARD]
    held, sure, pool = cards_known(hands, up, trump, discard, rules.allow_discard_upcard)
    leader, history = NONDEALER, 0
    for _ in range(n):
        led = 0
        for turn in range(2):
            seat = leader if turn == 0 else 1 - leader
            situation = Situation(n, record[_TAKEN + seat], held[seat], sure[seat], pool[seat], led)
            # As `choose_play`, without handing a mind to who needs none: its many arrays would take half the time.
            if follows_habits(players[seat]):
                card = habitual_play(players[seat], situation, random)
            else:
                own_discard = discard if seat == DEALER else NO_CARD
                course = Course(up, trump, seat == DEALER, seat == bidder, own_discard, history)
                values = mind.payoffs[n, int(seat == bidder)]
                card = searched_play(players[seat], situation, course, values, mind, random)
            played = lowest_index(to_printed(card, trump, True))
            history = with_card(history, played)
            record[_PLAYS + record[_PLAYED]] = played
            record[_PLAYED] += 1
            held[seat] ^= card
            sure[1 - seat] &= ~card
            pool[1 - seat] &= ~card
            if turn == 0:
                led = card
                continue
            field = field_of(led, TRUMP_FIELD)
            if card & field == 0:
                pool[1 - seat] &= ~field  # has shown out
            if not leader_wins(led, card, TRUMP_FIELD):
                leader = seat
        record[_TAKEN + leader] += 1
        taken = record[_TAKEN + bidder]
        if rules.stops_early and result_is_settled(n, taken, record[_TAKEN + 1 - bidder], rules.tie_to_bidder):
            return


@kernel
def play_contracts(
    players: tuple[int, int],
    hands: Any,
    up: int,
    contracts: Any,
    rules: Rules,
    mind: Mind,
    random: Any,
    record: Any,
    taken: Any,
) -> None:
    """Play hands whose bidding and discard are over.

    Args:
        players, up, mind, random, record: as for `play_hand`.
        hands: int64[hands, 2], printed masks of non-dealer and dealer as they were dealt.
        contracts: int64[hands, 3], the bidder's seat, the trump suit, and the dealer's discard or `NO_CARD`.
        rules: without early stop, or the tricks are those until the result was settled.
        taken: int64[hands], filled with the non-dealer's tricks.
    """
    for row in range(contracts.shape[0]):
        record[:] = 0
        record[_BIDDER], record[_TRUMP], record[_DISCARD] = contracts[row, 0], contracts[row, 1], contracts[row, 2]
        _play_tricks(players, (hands[row, 0], hands[row, 1]), up, rules, mind, random, record)
        taken[row] = record[_TAKEN + NONDEALER]


@kernel
def cards_known(hands: tuple[int, int], up: int, trump: int, discard: int, allow_discard_upcard: bool) -> Any:
    """In play order and by seat: cards held, cards the other surely holds, cards the other may hold (int64[3, 2])."""
    known = np.zeros((3, 2), dtype=np.int64)
    for seat in range(2):
        held, sure, gone = hands[seat], 0, 1 << up
        if discard != NO_CARD and seat == DEALER:
            held, gone = (held | (1 << up)) & ~(1 << discard), (1 << discard) | (1 << up)
        elif discard != NO_CARD and allow_discard_upcard:
            gone = 0
        elif discard != NO_CARD:
            sure = 1 << up
        pool = DECK_24 & ~(held | gone)
        known[0, seat] = to_play_order(held, trump, True)
        known[1, seat] = to_play_order(sure, trump, True)
        known[2, seat] = to_play_order(pool, trump, True)
    return known
