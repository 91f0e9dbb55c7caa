"""Which pairs of cards may each player hold before the last two tricks, and how far do choices lead to each?

The buffers have the pairs, and the tables of reach, payoffs and values over them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import CARDS, DEALER, OTHERS, UP_CARD, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.workspace import AnyFloats, WalkBuffers, discards_of

ZERO: Final = np.float32(0.0)
ONE: Final = np.float32(1.0)
HALF: Final = np.float32(0.5)
STEPS: Final = np.float32(65534.0)  # of a share in 16 bits, which is one more: 0 stands for none
_PAIRS: Final = CARDS * (CARDS - 1) // 2
COUNT, NUMBER, ROWS = range(3)  # of `CardPairs.size`
UNSEEN, LEAD, GONE, GONE_ROW = range(4)  # of `LastTricks.led`


class CardPairs(NamedTuple):
    """The pairs of cards that one player may hold: a lower and a higher card, by their places among the cards.

    Attributes:
        size: int64[3], how many cards, pairs, and rows: discards of each pair.
        cards: int64[24], the cards, of the follower those of the suit led first.
        place: int64[24], the place of each card number, -1 for none.
        low, high: int64[276], the places of both.
        number: int64[24, 24], of the pair by both places, -1 for none.
        reach, comes: float[276 * 24], by pair and discard: how far the player's choices lead here, and how much has
            gone into its averages on the way here.
        share: how often the lower card is played.
        of_card: float[2, 276 * 24], the values of playing the lower card, and the higher one; `value`: of the choice.
    """

    size: Ints
    cards: Ints
    place: Ints
    low: Ints
    high: Ints
    number: Ints
    reach: AnyFloats
    comes: AnyFloats
    share: AnyFloats
    of_card: AnyFloats
    value: AnyFloats


class LastTricks(NamedTuple):
    """Buffers; cards are places of `CardPairs`, discards are rows: places among the unseen cards.

    Attributes:
        leader, follower: their pairs.
        unseen, row_of: int64[24], the unseen cards, and the row of each card, -1 for none.
        led: int64[4], how many cards are unseen, and of the card led its place among the leader's, among the
            follower's, and its row; -1 for none.
        wins: int64[24], 1 where a card of the follower's takes the trick.
        last: float[24, 24], how often the leader keeps a card, by discard.
        total, by_card, by_row: float[24], the same over all discards by the leader's place, the follower's, by row.
        payoff: float[2, 24, 24], by who took the trick (0 the leader), the leader's last card, the follower's.
        same: the same where the leader's last card is what the follower has played.
        put: the same by the follower's last card and the row of the leader's.
        out: float[2, 24, 24], what is taken out of a follower's values for the own discard.
        card_value: float[24, 24], the value to the follower of playing a card and keeping another.
        played: float[24, 24], how often the follower does that; `played_by_row` by discard too.
        keeping: float[2, 24], sums by who takes the trick and what the follower keeps.
        last_value: float[24, 24], the value of the leader's last card, by discard.
    """

    leader: CardPairs
    follower: CardPairs
    unseen: Ints
    row_of: Ints
    led: Ints
    wins: Ints
    last: AnyFloats
    total: AnyFloats
    by_card: AnyFloats
    by_row: AnyFloats
    payoff: AnyFloats
    same: AnyFloats
    put: AnyFloats
    out: AnyFloats
    card_value: AnyFloats
    played: AnyFloats
    played_by_row: AnyFloats
    keeping: AnyFloats
    last_value: AnyFloats


def make_last_tricks(kind: type[Any]) -> LastTricks:
    """Buffers for passes of any hand size over what has been learnt in numbers of a kind."""

    def floats(*shape: int) -> AnyFloats:
        return np.zeros(shape, dtype=kind)

    two = (CARDS, CARDS)
    three = (2, CARDS, CARDS)
    return LastTricks(
        *(_new_pairs(floats), _new_pairs(floats)),
        *(_integers(CARDS), _integers(CARDS), _integers(4), _integers(CARDS)),
        *(floats(*two), floats(CARDS), floats(CARDS), floats(CARDS)),
        *(floats(*three), floats(*three), floats(*three), floats(*three)),
        *(floats(*two), floats(*two), floats(CARDS, CARDS, CARDS), floats(2, CARDS), floats(*two)),
    )


def _new_pairs(floats: Callable[..., AnyFloats]) -> CardPairs:
    places = _integers(3), _integers(CARDS), _integers(CARDS)
    pairs = _integers(_PAIRS), _integers(_PAIRS), _integers(CARDS, CARDS)
    size = _PAIRS * CARDS
    return CardPairs(*places, *pairs, floats(size), floats(size), floats(size), floats(2, size), floats(size))


def _integers(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)


@fast_kernel
def list_unseen(seen: int, t: LastTricks) -> None:
    """Fill `unseen`, how many there are, and `row_of`."""
    rows = 0
    for card in range(OTHERS):
        t.row_of[card] = -1
        if not seen >> card & 1:
            t.unseen[rows] = card
            t.row_of[card] = rows
            rows += 1
    t.row_of[UP_CARD] = -1
    t.led[UNSEEN] = rows


@fast_kernel
def _list_cards(allowed: int, p: CardPairs, count: int) -> int:
    """Put cards after the first so many; returns how many there are then."""
    for card in range(CARDS):
        if allowed >> card & 1:
            p.cards[count] = card
            p.place[card] = count
            count += 1
    return count


@fast_kernel
def _list_pairs(first: int, end: int, holds: bool, number: int, p: CardPairs) -> int:
    """Pairs of the cards at places first..end - 1; if the up-card is held only those with it, the last one."""
    for h in range(end - 1 if holds else first + 1, end):
        for k in range(first, h):
            number = _add_pair(k, h, number, p)
    return number


@fast_kernel
def _add_pair(low: int, high: int, number: int, p: CardPairs) -> int:
    """One more pair; returns how many there are then."""
    p.low[number] = low
    p.high[number] = high
    p.number[high, low] = p.number[low, high] = number
    return number + 1


@fast_kernel
def _start_list(contract: int, depth: int, player: int, work: WalkBuffers, p: CardPairs, t: LastTricks) -> bool:
    """Forget the cards and pairs of before; whether the player holds the up-card."""
    p.size[ROWS] = t.led[UNSEEN] if discards_of(contract, player) > 1 else 1
    for card in range(CARDS):
        p.place[card] = -1
    return player == DEALER and work.holds_up_card[depth] > 0


@fast_kernel
def list_leads(contract: int, depth: int, leader: int, work: WalkBuffers, t: LastTricks) -> None:
    """The leader's cards and pairs."""
    p = t.leader
    holds = _start_list(contract, depth, leader, work, p, t)
    for i in range(CARDS):
        for j in range(CARDS):
            p.number[i, j] = -1
    p.size[COUNT] = _list_cards(work.allowed[leader, depth], p, 0)
    p.size[NUMBER] = _list_pairs(0, p.size[COUNT], holds, 0, p)


@fast_kernel
def list_follows(
    game: HandGame, contract: int, field: int, depth: int, follower: int, work: WalkBuffers, t: LastTricks
) -> tuple[int, int]:
    """The follower's cards and pairs; how many are without the suit led, and have a choice: those and pairs of it."""
    p = t.follower
    allowed = work.allowed[follower, depth]
    led = game.field_masks[contract, field]
    holds = _start_list(contract, depth, follower, work, p, t)
    suited = _list_cards(allowed & led, p, 0)
    p.size[COUNT] = count = _list_cards(allowed & ~led, p, suited)
    up_led = holds and suited > 0 and p.cards[suited - 1] == UP_CARD
    others = 0 if up_led else _list_pairs(suited, count, holds, 0, p)
    number = both = _list_pairs(0, suited, holds, others, p) if up_led or not holds else others
    for h in range(suited, count):
        for k in range(suited):
            if not holds or p.cards[k] == UP_CARD or p.cards[h] == UP_CARD:
                number = _add_pair(k, h, number, p)
    p.size[NUMBER] = number
    return others, both


@fast_kernel
def first_state(game: HandGame, contract: int, player: int, a: int, b: int) -> int:
    """Where the pair begins in the vectors of a player."""
    number = b if a == UP_CARD else a if b == UP_CARD else game.join[1, a, b]
    return number * discards_of(contract, player)


@fast_kernel
def read_reach(
    game: HandGame, contract: int, depth: int, player: int, work: WalkBuffers, p: CardPairs, t: LastTricks
) -> None:
    """`reach` and `comes` of every pair, zero for a discard that is one of its cards."""
    rows = p.size[ROWS]
    at = work.reach_at[player, depth]
    for pair in range(p.size[NUMBER]):
        a, b = p.cards[p.low[pair]], p.cards[p.high[pair]]
        state = first_state(game, contract, player, a, b)
        for r in range(rows):
            put = t.unseen[r] if rows > 1 else 0
            p.reach[pair * rows + r] = work.reach[player, at, state + put]
            p.comes[pair * rows + r] = work.comes[at, state + put]
        if rows > 1:
            if a != UP_CARD:
                p.reach[pair * rows + t.row_of[a]] = ZERO
            if b != UP_CARD:
                p.reach[pair * rows + t.row_of[b]] = ZERO
