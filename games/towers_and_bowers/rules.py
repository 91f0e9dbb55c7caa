"""Which rules do engine, simulators and solvers share? Each stands here once (TB-8, TB-13, TB-16..TB-22).

Following and winning on play-order masks are `games.tricks`; what stands here beside them takes printed masks.
A hand has `n` cards a player and so `n` tricks; who took how many decides its result (TB-20), one of four codes::

    BIDDER_SWEEPS    0    the bidder took all n tricks and gets the tower
    DEFENDER_SWEEPS  1    the defender took all n tricks and gets the tower
    BIDDER_DEALS     2    no sweep; the bidder kept the contract and deals the hand of n - 1 cards
    DEFENDER_DEALS   3    no sweep; the contract was defeated and the defender deals it
"""

from __future__ import annotations

from typing import Final, NamedTuple

from towerlab.games.cards import TRUMP_FIELD, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers

LARGEST_HAND: Final = 7
SMALLEST_PART: Final = 4  # of a pack that has been cut (TB-7)

BIDDER_SWEEPS: Final = 0
DEFENDER_SWEEPS: Final = 1
BIDDER_DEALS: Final = 2
DEFENDER_DEALS: Final = 3


class HandRules(NamedTuple):
    """The options that change a hand, by their names, as the kernels read them: all int64, 1 for true.

    `TowersAndBowersOptions.hand_rules` makes it; kernels, solvers and simulators pass it on whole.

    Attributes:
        allow_discard_upcard: whether the dealer may discard the up-card itself (TB-11).
        force_dealer_to_name: whether the dealer must name a trump after three passes (TB-12).
        tie_to: 1 if the bidder deals next after an even split, 0 if the defender does (TB-20).
        renege_mode: 1 if reneges are possible and punished (TB-22).
        early_stop: whether a hand may stop when nothing can change (TB-21).
    """

    allow_discard_upcard: int
    force_dealer_to_name: int
    tie_to: int
    renege_mode: int
    early_stop: int


# ------------------------------------------------------------------------------------------------ results of a hand


@kernel
def majority(n: int) -> int:
    """Tricks the bidder of a hand of n cards contracts for (TB-13): 4 4 3 3 2 2 1 for n = 7..1."""
    return n // 2 + 1


@kernel
def tricks_to_deal_next(n: int, rules: HandRules) -> int:
    """Tricks with which the bidder deals next (TB-20): a majority, or half if ties are won (option `tie_to`)."""
    return (n + 1) // 2 if rules.tie_to else majority(n)


@kernel
def hand_result(n: int, bidder_tricks: int, rules: HandRules) -> int:
    """The code of the result when the bidder took so many of the n tricks (TB-20).

    For a hand that stopped early (TB-21) the tricks of the bidder by then give the same code.
    """
    if bidder_tricks == n:
        return BIDDER_SWEEPS
    if bidder_tricks == 0:
        return DEFENDER_SWEEPS
    return BIDDER_DEALS if bidder_tricks >= tricks_to_deal_next(n, rules) else DEFENDER_DEALS


@kernel
def result_is_settled(n: int, bidder_tricks: int, defender_tricks: int, rules: HandRules) -> bool:
    """Whether the tricks left can change nothing (TB-21): with none or with all of them the bidder has one result."""
    return hand_result(n, bidder_tricks, rules) == hand_result(n, n - defender_tricks, rules)


@kernel
def hand_is_over(n: int, bidder_tricks: int, defender_tricks: int, rules: HandRules) -> bool:
    """Whether a hand ends with these tricks: all are played, or the result is settled and the hand stops early.

    It never stops early where reneges are enforced, which would take away accusations (TB-21).
    """
    if rules.early_stop and not rules.renege_mode:
        return result_is_settled(n, bidder_tricks, defender_tricks, rules)
    return bidder_tricks + defender_tricks == n


@kernel
def result_value(result: int, is_bidder: bool, deal_value: float) -> float:
    """The value of a result to one player: the probability of taking the tower.

    Args:
        result: code of the result.
        is_bidder: whether the value is the bidder's; the defender's is one minus it.
        deal_value: W(n - 1), the value of dealing the next hand to its dealer; not read after a sweep.
    """
    if result == BIDDER_SWEEPS:
        bidder = 1.0
    elif result == DEFENDER_SWEEPS:
        bidder = 0.0
    elif result == BIDDER_DEALS:
        bidder = deal_value
    else:
        bidder = 1.0 - deal_value
    return bidder if is_bidder else 1.0 - bidder


# ------------------------------------------------------------------------------------- following, on printed masks


@kernel
def legal_replies(hand: int, led: int, trump: int) -> int:
    """Cards of a printed hand that may be played to a card led: its effective suit if held, else any (TB-17, TB-18).

    Args:
        hand: printed mask, not empty.
        led: printed mask of the card led.
        trump: suit 0..3.
    """
    field = field_of(to_play_order(led, trump, True), TRUMP_FIELD)
    return to_printed(legal_followers(to_play_order(hand, trump, True), field), trump, True)


@kernel
def is_renege(hand: int, led: int, reply: int, trump: int) -> bool:
    """Whether replying with a card of a printed hand (the reply still in it) fails to follow though able (TB-22)."""
    return (legal_replies(hand, led, trump) & reply) == 0


@kernel
def card_led_wins(led: int, reply: int, trump: int) -> bool:
    """Whether the card led wins its trick (TB-19); both are printed masks of one card."""
    return leader_wins(to_play_order(led, trump, True), to_play_order(reply, trump, True), TRUMP_FIELD)


# ------------------------------------------------------------------------------------------------------ the dealing


def packet_schedules(n: int) -> tuple[tuple[int, ...], ...]:
    """The sizes of packets in which n cards a player may be dealt (TB-8): twos and threes, one card singly.

    >>> packet_schedules(5)
    ((2, 3), (3, 2))
    """
    if n == 1:
        return ((1,),)

    def ways(left: int) -> list[tuple[int, ...]]:
        if left == 0:
            return [()]
        return [(size, *rest) for size in (2, 3) if size <= left for rest in ways(left - size)]

    return tuple(ways(n))
