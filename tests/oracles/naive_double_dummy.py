"""The oracle of the double-dummy solver: plain minimax over every legal card, without any cleverness.

Recursive and compiled when it is first asked, without a cache: tens of thousands of small endings take a minute.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit
def _suit(card: int, trumps: int) -> int:
    """0 for a trump, else 1..4."""
    if card & trumps:
        return 0
    if card < 1 << 13:
        return 1
    if card < 1 << 26:
        return 2
    return 3 if card < 1 << 39 else 4


@numba.njit
def _minimax(
    hands: Any,
    trumps: int,
    count: int,
    seat: int,
    suit: int,
    best: int,
    best_seat: int,
    played: int,
    fewest: int,
    names: int,
) -> int:
    """Tricks of seat 0's side from here. `suit` is the one to follow, -1 before a lead."""
    if played == count:
        won = 1 if best_seat == 0 or (count == 4 and best_seat == 2) else 0
        none = np.int64(0)  # numba would compile all this anew for each constant
        return won + _minimax(hands, trumps, count, best_seat, none - 1, none, none, none, fewest, names)
    mine = hands[seat]
    if mine == 0:
        return 0
    must_follow = False
    for bit in range(56):
        if mine >> bit & 1 and _suit(1 << bit, trumps) == suit:
            must_follow = True
    wants_more = seat == 0 or (count == 4 and seat == 2)
    if fewest:
        wants_more = not wants_more
    result = -1
    for bit in range(56):
        card = 1 << bit
        if not mine & card or (must_follow and _suit(card, trumps) != suit):
            continue
        own_suit = _suit(card, trumps)
        first_named = own_suit
        last_named = own_suit
        if names and suit == -1 and card >= 1 << 54 and trumps < 1 << 56 and trumps & (1 << 53) == 0:
            # a joker led at no trump
            first_named = 1
            last_named = 4
        for named in range(first_named, last_named + 1):
            hands[seat] = mine ^ card
            if suit == -1:
                value = _minimax(
                    hands, trumps, count, (seat + 1) % count, named, card, seat, np.int64(1), fewest, names
                )
            else:
                best_trump = best & trumps != 0
                if own_suit == 0:
                    wins = card > best or not best_trump
                else:
                    wins = not best_trump and own_suit == suit and card > best
                value = _minimax(
                    hands,
                    trumps,
                    count,
                    (seat + 1) % count,
                    suit,
                    card if wins else best,
                    seat if wins else best_seat,
                    played + 1,
                    fewest,
                    names,
                )
            hands[seat] = mine
            if result == -1 or ((value > result) == wants_more and value != result):
                result = value
    return result


def naive_tricks(
    hands: tuple[int, ...],
    trumps: int,
    leader: int,
    trick: tuple[int, ...] = (),
    named: int = 0,
    declarer: int = 0,
    fewest: bool = False,
    names: bool = True,
) -> int:
    """Tricks of the declarer's side; the arguments are the fields of `solver.double_dummy.Position`."""
    count = len(hands)
    turned = np.array([hands[(declarer + step) % count] for step in range(count)], dtype=np.int64)
    seat = (leader - declarer) % count
    suit = -1
    best = 0
    best_seat = 0
    for step, card in enumerate(trick):
        own_suit = _suit(card, trumps)
        if step == 0:
            suit = _suit(named & -named, trumps) if named else own_suit
            best = card
            best_seat = seat
        elif (card & trumps and (card > best or not best & trumps)) or (
            not best & trumps and own_suit == suit and card > best
        ):
            best = card
            best_seat = seat
        seat = (seat + 1) % count
    return int(_minimax(turned, trumps, count, seat, suit, best, best_seat, len(trick), int(fewest), int(names)))
