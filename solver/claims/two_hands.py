"""The claim prover: how many tricks one strategy takes against every hand the opponent can hold (TB-29, TB-30).

The claimant sees every card that is played, so a strategy may depend on them and on nothing else. The opponent
may therefore *fix the hand lazily*: holding the `sure` cards and any others of the `pool`, and deciding which only
when one is played. The guaranteed number of tricks is the minimax value of that game; a failure to follow
takes the field that was led out of the pool.

A card never changes its owner's class during a search, so a node is one mask of the `live` cards: those of the
claimant's hand, of the sure cards and of the pool that are still there. All masks are in play order. A trick under
way has the card `led`, which belongs to neither hand any more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.bits import highest_bit, popcount
from towerlab.games.errors import CardError
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers
from towerlab.solver.claims.belief import Belief, bits_upward, lowest_run
from towerlab.solver.claims.bounds import highest_cards, matched

CLAIMANT: Final = 0
OPPONENT: Final = 1

MOST_TRICKS: Final = 7

# The stack holds the nodes on the way from the root: a column for each part of a node, and its untried plays.
_LIVE, _LED, _TURN, _NEED, _PLAYS, _COLUMNS = 0, 1, 2, 3, 4, 5
_MOST_PLIES: Final = 2 * MOST_TRICKS
# A table entry is ``live << 7 | turn << 6 | fewest << 3 | most``: bounds on the tricks from that trick start on.
_TABLE_SIZE: Final = 1 << 12
# Two odd numbers of 31 bits that spread the lower and the upper half of a node; no product overflows.
_LOW_HALF: Final = (1 << 28) - 1
_LOW_SPREAD: Final = 0x5F356495
_HIGH_SPREAD: Final = 0x2545F491


# ------------------------------------------------------------------------------------------------- plays of a node


@kernel
def opponent_plays(hand: int, sure: int, pool: int, led: int, trumps: int) -> int:
    """Every card that the opponent may play with some hand that is possible.

    Args:
        hand: the claimant's cards.
        sure: cards the opponent holds for certain.
        pool: cards of which the opponent holds as many as make up the number.
        led: the claimant's card in this trick, or 0 when the opponent leads.
        trumps: the trump field.
    """
    from_pool = popcount(hand) + (led != 0) - popcount(sure)
    holdable = sure | pool if from_pool > 0 else sure
    if led == 0:
        return holdable
    followed = field_of(led, trumps)
    can_be_void = sure & followed == 0 and popcount(pool & ~followed) >= from_pool
    return holdable if can_be_void else holdable & followed


@kernel
def _representatives(plays: int, others: int, sure: int, trumps: int) -> int:
    """One play of each run that no card of the other side interrupts; all of a run win and lose alike.

    Of the opponent's run a sure card represents it: giving up a card of the pool instead leaves fewer hands to
    choose from and nothing better to play.
    """
    chosen = 0
    while plays:
        run = lowest_run(plays, others, trumps)
        preferred = run & sure if run & sure else run
        chosen |= preferred & -preferred
        plays &= ~run
    return chosen


@kernel
def _promising(plays: int, led: int, trumps: int) -> int:
    """The play to try first: the highest lead, the cheapest card that wins, else the lowest."""
    if led == 0:
        return highest_bit(plays)
    winners = plays & field_of(led, trumps) & -led
    if led & trumps == 0:
        winners |= plays & trumps
    return winners & -winners if winners else plays & -plays


# ---------------------------------------------------------------------------------------------------------- bounds


@kernel
def _trick_bounds(hand: int, sure: int, pool: int, trumps: int) -> tuple[int, int]:
    """Fewest and most tricks for the claimant at the start of a trick, from the trumps alone.

    A trump loses only to a higher trump in the same trick. So the claimant's trumps take at least their number less
    those that can be matched with higher ones; and so do the opponent's, who may choose the highest of the pool.
    """
    cards = popcount(hand)
    mine = hand & trumps
    sure_trumps = sure & trumps
    pool_trumps = pool & trumps
    drawn = min(popcount(pool_trumps), cards - popcount(sure))
    theirs = popcount(sure_trumps) + drawn
    low = popcount(mine) - min(theirs, matched(mine, sure_trumps | pool_trumps))
    high = cards - theirs + matched(sure_trumps | highest_cards(pool_trumps, drawn), mine)
    return low, min(cards, high)


# ---------------------------------------------------------------------------------------------------------- search


@kernel
def after_play(live: int, pool: int, led: int, turn: int, play: int, trumps: int) -> tuple[int, int, int, int]:
    """Return what a play leaves: the live cards, the card led, whose turn it is, and 1 if the claimant took a trick.

    Args:
        live: all cards still held or holdable.
        pool: those of them that the opponent may or may not hold, or any set that adds only dead cards.
        led: the card led to this trick, or 0 when `play` leads.
        turn: who plays.
        play: the card.
        trumps: the trump field.
    """
    live &= ~play
    if led == 0:
        return live, play, 1 - turn, 0
    followed = field_of(led, trumps)
    if turn == OPPONENT and play & followed == 0:
        live &= ~(pool & followed)
    winner = 1 - turn if leader_wins(led, play, trumps) else turn
    return live, 0, winner, int(winner == CLAIMANT)


@kernel
def _slot(node: int) -> int:
    return ((node & _LOW_HALF) * _LOW_SPREAD + (node >> 28) * _HIGH_SPREAD) >> 32 & (_TABLE_SIZE - 1)


@kernel
def _known_bounds(table: NDArray[np.int64], live: int, turn: int) -> tuple[int, int]:
    """Return what the table knows of a trick start: fewest and most tricks."""
    node = live << 1 | turn
    entry = table[_slot(node)]
    return (entry >> 3 & 7, entry & 7) if entry >> 6 == node else (0, 7)


@kernel
def _learn(table: NDArray[np.int64], live: int, turn: int, need: int, taken: bool) -> None:
    """Write into the table whether `need` tricks can be had from a trick start."""
    low, high = _known_bounds(table, live, turn)
    if taken:
        low = max(low, need)
    else:
        high = min(high, need - 1)
    node = live << 1 | turn
    table[_slot(node)] = node << 6 | low << 3 | high


@kernel
def _bounds(
    hand: int, sure: int, pool: int, led: int, turn: int, trumps: int, cooperative: bool, table: NDArray[np.int64]
) -> tuple[int, int]:
    """Fewest and most tricks from a node on, as far as they are known without a search."""
    tricks = popcount(hand) + (led != 0 and turn == OPPONENT)
    if led != 0:
        return 0, tricks
    low, high = _known_bounds(table, hand | sure | pool, turn)
    if cooperative:
        return low, min(high, tricks)
    trump_low, trump_high = _trick_bounds(hand, sure, pool, trumps)
    return max(low, trump_low), min(high, trump_high)


@kernel
def _plays_to_try(hand: int, sure: int, pool: int, led: int, turn: int, trumps: int) -> int:
    """The plays of a node, one for each run of equal ones."""
    if turn == OPPONENT:
        plays = opponent_plays(hand, sure, pool, led, trumps)
        return _representatives(plays, hand | led, sure, trumps)
    plays = hand if led == 0 else legal_followers(hand, field_of(led, trumps))
    return _representatives(plays, sure | pool | led, 0, trumps)


@kernel
def _takes(
    hand: int,
    sure: int,
    pool: int,
    led: int,
    turn: int,
    need: int,
    trumps: int,
    cooperative: bool,
    table: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> bool:
    """Whether the claimant takes `need` tricks: a depth-first AND/OR search with its own stack."""
    owned, certain, hidden = hand, sure, pool
    live = hand | sure | pool
    depth = 0
    while True:
        hand, sure, pool = live & owned, live & certain, live & hidden
        low, high = _bounds(hand, sure, pool, led, turn, trumps, cooperative, table)
        if low < need <= high:
            stack[depth, _LIVE] = live
            stack[depth, _LED] = led
            stack[depth, _TURN] = turn
            stack[depth, _NEED] = need
            stack[depth, _PLAYS] = _plays_to_try(hand, sure, pool, led, turn, trumps)
            depth += 1
        else:
            taken = need <= low
            # Leave every node whose verdict this is: the player there got the wanted one, or has no play left.
            while depth > 0:
                turn = stack[depth - 1, _TURN]
                wanted = cooperative or turn == CLAIMANT
                if taken != wanted and stack[depth - 1, _PLAYS]:
                    break
                depth -= 1
                if stack[depth, _LED] == 0:
                    _learn(table, stack[depth, _LIVE], turn, stack[depth, _NEED], taken)
            if depth == 0:
                return taken
        led = stack[depth - 1, _LED]
        play = _promising(stack[depth - 1, _PLAYS], led, trumps)
        stack[depth - 1, _PLAYS] ^= play
        turn = stack[depth - 1, _TURN]
        live, led, turn, won = after_play(stack[depth - 1, _LIVE], hidden, led, turn, play, trumps)
        need = stack[depth - 1, _NEED] - won


@kernel
def guaranteed_kernel(
    hand: int,
    sure: int,
    pool: int,
    led: int,
    turn: int,
    trumps: int,
    cooperative: bool,
    table: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> int:
    """The claimant's tricks from here on; see `guaranteed_tricks` and `possible_tricks`.

    Args:
        hand, sure, pool, led, turn, trumps: as in `Belief`.
        cooperative: whether the opponent helps the claimant rather than resists.
        table, stack: a `workspace`; what it holds is overwritten.
    """
    table[:] = 0
    tricks = popcount(hand) + (led != 0 and turn == OPPONENT)
    taken = 0
    while taken < tricks and _takes(hand, sure, pool, led, turn, taken + 1, trumps, cooperative, table, stack):
        taken += 1
    return taken


def workspace() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The arrays a search works in (35 kB); one pair serves any number of searches, one after the other."""
    return np.zeros(_TABLE_SIZE, np.int64), np.zeros((_MOST_PLIES, _COLUMNS), np.int64)


# ------------------------------------------------------------------------------------------------- friendly side


def parts(belief: Belief) -> tuple[int, int, int, int, int, int]:
    """A belief with one hidden hand, the second, as the kernels take it: hand, sure, pool, led, turn, trumps."""
    led = belief.trick[0] if belief.trick else 0
    return belief.own[CLAIMANT], belief.own[OPPONENT], belief.pools[0], led, belief.turn, belief.trumps


class TwoHands(Belief):
    """A belief with one hidden hand, moved on by the kernels of this file, which are compiled sooner."""

    def plays(self, every: bool = True) -> list[int]:
        """As `Belief.plays`; of a run in the opponent's hand a sure card stands for the rest."""
        hand, sure, pool, led, turn, trumps = parts(self)
        if not every:
            return bits_upward(int(_plays_to_try(hand, sure, pool, led, turn, trumps)))
        if turn == OPPONENT:
            return bits_upward(int(opponent_plays(hand, sure, pool, led, trumps)))
        return bits_upward(int(legal_followers(hand, field_of(led, trumps))) if led else hand)

    def after(self, play: int) -> tuple[TwoHands, int]:
        """As `Belief.after`."""
        *_, pool, led, turn, trumps = parts(self)
        live, led, turn, won = (int(part) for part in after_play(self.known | pool, pool, led, turn, play, trumps))
        own, trick = tuple(cards & live for cards in self.own), (led,) if led else ()
        left = replace(self, own=own, pools=(pool & live,), turn=turn, trick=trick, tricks=self.tricks - (led == 0))
        return left, won

    def card_of(self, play: int) -> int:
        """The play: no joker names a suit."""
        return play


def guaranteed_tricks(belief: Belief) -> int:
    """Tricks that one strategy takes against every hand the opponent can hold and every defence (TB-29).

    Raises:
        CardError: more than seven tricks, or no hand that the opponent can hold.
    """
    return _search(belief, cooperative=False)


def possible_tricks(belief: Belief) -> int:
    """The most tricks the player takes in any continuation, with any hand of the opponent's (TB-30).

    Raises:
        CardError: as `guaranteed_tricks`.
    """
    return _search(belief, cooperative=True)


def play_values(belief: Belief, cooperative: bool = False) -> dict[int, int]:
    """The guarantee after each card that may be played now: leads from the highest down, replies from the lowest up.

    In the opponent's turn the lowest of these values is the guarantee.

    Args:
        belief: what the claimant knows.
        cooperative: whether to count the tricks that are possible instead of those that are guaranteed.
    """
    values = {}
    for play in belief.plays()[:: 1 if belief.trick else -1]:
        left, won = belief.after(play)
        values[play] = won + _search(left, cooperative)
    return values


def principal_variation(belief: Belief) -> tuple[int, ...]:
    """Cards in order of play: the claimant keeps the most that is guaranteed, the opponent leaves the least."""
    line = []
    while belief.tricks:
        values = play_values(belief)
        play = (max if belief.turn == CLAIMANT else min)(values, key=values.__getitem__)
        line.append(play)
        belief, _ = belief.after(play)
    return tuple(line)


def _search(belief: Belief, cooperative: bool) -> int:
    if belief.tricks > MOST_TRICKS:
        raise CardError(f"{belief.tricks} tricks; expected at most {MOST_TRICKS}")
    belief.check()
    return int(guaranteed_kernel(*parts(belief), cooperative, *workspace()))
