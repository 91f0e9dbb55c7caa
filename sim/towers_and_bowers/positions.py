"""A hand in the middle: who holds what, who knows what, a card later, and played on to its end by two players."""

from __future__ import annotations

from typing import Any, Final

from games.bits import lowest_index, popcount
from games.cards import TRUMP_FIELD, to_printed
from games.jit import kernel
from games.tricks import field_of, leader_wins
from sim.towers_and_bowers.hand import DEALER, NONDEALER, cards_known
from sim.towers_and_bowers.knowledge import NO_CARD, Course, Mind, Situation
from sim.towers_and_bowers.players import choose_play
from sim.towers_and_bowers.solved_play import with_card

# Places of a position: cards held, cards the other surely or possibly holds, tricks, each by seat; then what is said.
HELD, SURE, POOL, TAKEN, LEADER, LED, HISTORY, BIDDER, TRUMP, DISCARD, UP, SIZE = (
    0,
    2,
    4,
    6,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
)
POSITION_SIZE: Final = 16


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def lay_out(hands: tuple[int, int], up: int, bidder: int, trump: int, discard: int, allowed: bool, at: Any) -> None:
    """A position before the first lead; `discard` is `NO_CARD` where a suit was named."""
    known = cards_known(hands, up, trump, discard, allowed)
    at[:] = 0
    for seat in range(2):
        at[HELD + seat], at[SURE + seat], at[POOL + seat] = known[0, seat], known[1, seat], known[2, seat]
    at[LEADER], at[BIDDER], at[TRUMP], at[DISCARD], at[UP] = NONDEALER, bidder, trump, discard, up
    at[SIZE] = popcount(hands[NONDEALER])


@kernel
def turn(at: Any) -> int:
    """The seat that is to play a card."""
    return int(at[LEADER] if at[LED] == 0 else 1 - at[LEADER])


@kernel
def situation_at(at: Any, seat: int) -> Situation:
    """What a seat knows of a position."""
    return Situation(at[SIZE], at[TAKEN + seat], at[HELD + seat], at[SURE + seat], at[POOL + seat], at[LED])


@kernel
def choose_card(player: int, at: Any, mind: Mind, random: Any) -> int:
    """The card (play order) that a player plays whose turn it is."""
    seat = turn(at)
    situation = situation_at(at, seat)
    discard = at[DISCARD] if seat == DEALER else NO_CARD
    course = Course(at[UP], at[TRUMP], seat == DEALER, seat == at[BIDDER], discard, at[HISTORY])
    values = mind.payoffs[at[SIZE], int(seat == at[BIDDER])]
    return choose_play(player, situation, course, values, mind, random)


@kernel
def put_card(at: Any, card: int) -> None:
    """A card later (TB-18, TB-19), and what both have learnt."""
    seat, led = turn(at), at[LED]
    other = 1 - seat
    at[HISTORY] = with_card(at[HISTORY], lowest_index(to_printed(card, at[TRUMP], True)))
    at[HELD + seat] ^= card
    at[SURE + other] &= ~card
    at[POOL + other] &= ~card
    if led == 0:
        at[LED] = card
        return
    field = field_of(led, TRUMP_FIELD)
    if card & field == 0:
        at[POOL + other] &= ~field  # has shown out
    if not leader_wins(led, card, TRUMP_FIELD):
        at[LEADER] = seat
    at[TAKEN + at[LEADER]] += 1
    at[LED] = 0


@kernel
def finish(players: tuple[int, int], at: Any, mind: Mind, random: Any) -> None:
    """Play on to the last card; `players` by seat."""
    while at[HELD] | at[HELD + 1]:
        put_card(at, choose_card(players[turn(at)], at, mind, random))


@kernel
def worth_of(at: Any, seat: int, worth: Any) -> float:
    """What a hand that has been played is worth to a seat; `worth` is float64[2, 8] by being the bidder and tricks."""
    return float(worth[int(seat == at[BIDDER]), at[TAKEN + seat]])


@kernel
def by_seat(seat: int, own: int, other: int) -> tuple[int, int]:
    """Of the non-dealer and of the dealer."""
    return (own, other) if seat == NONDEALER else (other, own)
