"""A player who is asked in Python in the place of a kernel: kernels that call back, one player at a time.

What a kernel shows of a hand is shown as the engine's view. An answer that cannot be is kept until Python is there to
raise it; the kernel goes on with a card that may be played.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from towerlab.games.cards import mask_cards, suit_of, to_play_order, to_printed
from towerlab.games.own_kernels import own_kernel
from towerlab.games.towers_and_bowers import Phase
from towerlab.sim.own import OwnPlayer, PlayerError
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, PASS, BidPlan, InfoState, legal_plays
from towerlab.sim.towers_and_bowers.own import Asked, Views, bidding_views
from towerlab.sim.towers_and_bowers.solved_play import last_card
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import CARDS

_answers: list[Asked] = []  # who is asked now
_failures: list[PlayerError] = []


@contextmanager
def answering(asked: Asked) -> Iterator[None]:
    """Let a player answer for `ASKED`.

    Raises:
        PlayerError: the first answer that cannot be.
    """
    _answers.append(asked)
    try:
        yield
        if _failures:
            raise _failures[0]
    finally:
        _answers.clear()
        _failures.clear()


def _chosen(views: Views) -> int:
    """What is chosen of what is possible in the only row, by its place; the first after a failure."""
    if not _failures:
        try:
            return _answers[-1].choose(views)
        except PlayerError as error:
            _failures.append(error)
    return 0


def _plan(hand: int, up: int, is_dealer: int) -> int:
    """The fields of a `BidPlan` in one number; what will not come up is not asked."""

    def ask(phase: Phase, bidder: int = -1) -> int:
        return _chosen(bidding_views(np.array([hand]), up, phase, bidder))

    cards, suits = mask_cards(hand), [suit for suit in range(4) if suit != suit_of(up)]
    accepts = ask(Phase.BID1_D if is_dealer else Phase.BID1_ND) == 0
    named = 3 if accepts else ask(Phase.BID2_D if is_dealer else Phase.BID2_ND)
    names = suits[named] if named < 3 else PASS
    own = cards[ask(Phase.DISCARD, 1)] if is_dealer and accepts else NO_CARD
    for_other = cards[ask(Phase.DISCARD, 0)] if is_dealer else NO_CARD
    return int(accepts) | (names + 1) << 1 | (own + 1) << 4 | (for_other + 1) << 11


def _card(n: int, taken: int, hand: int, sure: int, pool: int, led: int, *bid: int) -> int:
    """The card played, a play-order mask; the arguments are the fields of an `InfoState` and of a `History`."""
    up, trump, is_dealer, is_bidder, discard, past = bid
    legal = int(legal_plays(InfoState(n, taken, hand, sure, pool, led)))
    if legal & (legal - 1) == 0:
        return legal
    played = np.full((1, 2 * n), -1)
    for place in range(2 * (n - hand.bit_count()) + (led != 0) - 1, -1, -1):
        played[0, place] = last_card(past)
        past //= CARDS
    masks = [np.array([int(to_printed(mask, trump, True))]) for mask in (hand, legal, sure, pool)]
    bidder = is_dealer if is_bidder else 1 - is_dealer
    known = masks[0], np.array([discard]), played, masks[1], masks[2], masks[3], np.array([taken])
    views = Views(n, up, str(Phase.PLAY), bool(is_dealer), bidder, trump, *known)
    return int(to_play_order(1 << mask_cards(int(masks[1][0]))[_chosen(views)], trump, True))


_call_plan: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(_plan)
_call_card: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 13)(_card)


class _Kernels:
    @staticmethod
    @own_kernel
    def bids(hand: int, up: int, is_dealer: bool, rules: Any, random: Any) -> BidPlan:
        plan = _call_plan(hand, up, int(is_dealer))
        return BidPlan(plan & 1 == 1, (plan >> 1 & 7) - 1, (plan >> 4 & 127) - 1, (plan >> 11 & 127) - 1)

    @staticmethod
    @own_kernel
    def play(state: Any, history: Any, random: Any) -> int:
        bid = history.up, history.trump, int(history.is_dealer), int(history.is_bidder), history.discard, history.cards
        return int(_call_card(state.n, state.taken, state.hand, state.sure, state.pool, state.led, *bid))


ASKED: Final = OwnPlayer("asked in Python", _Kernels)
