"""The pairs of cards that each player may hold before the last two tricks, and how far choices lead to them."""

from __future__ import annotations

from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import CARDS, DEALER, OTHERS, UP_CARD, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks.buffers import (
    COUNT,
    NUMBER,
    ROWS,
    UNSEEN,
    ZERO,
    CardPairs,
    LastTricks,
)
from towerlab.solver.towers_and_bowers.whole_hand.workspace import WalkBuffers, discards_of


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
