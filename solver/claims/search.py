"""Does the claimant take `need` tricks against every layout and every play?

A depth-first AND/OR search over beliefs with a stack of its own. Results at the starts of tricks are kept in a table as
bounds on the tricks to come. A search that has visited its limit of nodes answers `NOT_SETTLED`.

>>> state = SearchState(known=0b11, first=0, second=0, turn=0, led=0, best=0, best_seat=0, played=0, tricks=1)
>>> proof = make_proof_arrays(SMALL_TABLE_BITS)
>>> [int(bound) for bound in known_bounds(proof, state)]  # nothing has been searched yet
[0, 1]
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.beating import cards_that_beat
from towerlab.games.bits import highest_bit
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of
from towerlab.solver.claims.belief import (
    CARDS_OF_PLAY,
    MOST_SEATS,
    NAMINGS,
    UNSEEN_DISCARD,
    Belief,
    ClaimRules,
    SearchState,
    after_play,
    plays_of,
)
from towerlab.solver.claims.bounds import trick_bounds

NOT_SETTLED: Final = -1
REFUTED: Final = 0
PROVED: Final = 1

MOST_TRICKS: Final = 13
UNLIMITED: Final = 1 << 62
# The stack: a row a node on the way from the root.
_KNOWN, _FIRST, _SECOND, _TURN, _LED, _BEST, _BEST_SEAT, _PLAYED, _TRICKS, _NEED, _PLAYS, _COLUMNS = range(12)
MOST_PLIES: Final = MOST_SEATS * MOST_TRICKS + 1
TABLE_BITS: Final = 17
SMALL_TABLE_BITS: Final = 10  # enough with one hidden hand
# Control words.
_GENERATION, _NODES, _LIMIT, _CONTROL_SIZE = range(4)


class ProofArrays(NamedTuple):
    """The arrays of a search.

    Attributes:
        entries: int64[2**bits, 4], the table: ``known | turn << 56``, the two pools, ``generation << 16 | fewest << 8 |
            most``.
        frames: int64[53, 11], the stack.
        control: int64[3]; its generation must be of the hand and its rules.
    """

    entries: Ints
    frames: Ints
    control: Ints


def make_proof_arrays(bits: int = TABLE_BITS) -> ProofArrays:
    """Return empty arrays of a search, with ``2**bits`` entries in the table."""
    frames = np.zeros((MOST_PLIES, _COLUMNS), np.int64)
    control = np.zeros(_CONTROL_SIZE, np.int64)
    return ProofArrays(np.zeros((1 << bits, 4), np.int64), frames, control)


@kernel
def slot_of(known: int, first: int, second: int, size: int) -> int:
    """Return a node's place in a table of a power of two of entries."""
    mixed = known * 0x1E3779B97F4A7C15 ^ first * 0x2545F4914F6CDD1D ^ second * 0x165667B19E3779F9
    mixed ^= (mixed >> 31) & 0x1FFFFFFFF
    mixed *= 0x1E3779B97F4A7C15
    return (mixed >> 40) & (size - 1)


@kernel
def state_of(frame: Ints) -> SearchState:
    """Return the position in a row of the stack, int64[11]."""
    return SearchState(
        frame[_KNOWN], frame[_FIRST], frame[_SECOND], frame[_TURN], frame[_LED], frame[_BEST], frame[_BEST_SEAT],
        frame[_PLAYED], frame[_TRICKS],
    )  # fmt: skip


@kernel
def known_bounds(workspace: ProofArrays, state: SearchState) -> tuple[int, int]:
    """Return the table's bounds for the start of a trick: fewest and most tricks."""
    key = state.known | state.turn << 56
    entries = workspace.entries
    entry = entries[slot_of(key, state.first, state.second, entries.shape[0])]
    is_here = entry[0] == key and entry[1] == state.first and entry[2] == state.second
    if is_here and entry[3] >> 16 == workspace.control[_GENERATION]:
        return entry[3] >> 8 & 255, entry[3] & 255
    return 0, state.tricks


@kernel
def store_bounds(workspace: ProofArrays, frame: Ints, taken: bool) -> None:
    """Write into the table whether the tricks that a frame needs can be had."""
    low, high = known_bounds(workspace, state_of(frame))
    if taken:
        low = max(low, frame[_NEED])
    else:
        high = min(high, frame[_NEED] - 1)
    key = frame[_KNOWN] | frame[_TURN] << 56
    first = frame[_FIRST]
    second = frame[_SECOND]
    entry = workspace.entries[slot_of(key, first, second, workspace.entries.shape[0])]
    entry[0] = key
    entry[1] = first
    entry[2] = second
    entry[3] = workspace.control[_GENERATION] << 16 | low << 8 | high


@kernel
def most_promising_play(own: Ints, rules: ClaimRules, frame: Ints) -> int:
    """Return the untried play of a frame that is most likely to decide it."""
    plays = int(frame[_PLAYS])
    led = int(frame[_LED])
    best = int(frame[_BEST])
    turn = int(frame[_TURN])
    trumps = rules.trumps
    cards = plays & CARDS_OF_PLAY
    wants = (rules.claimant >> turn & 1) == (rules.scoring >> turn & 1)  # the trick for its own hand
    if led == 0:
        if not wants:
            return plays & -plays
        live = frame[_KNOWN] | frame[_FIRST] | frame[_SECOND]
        hidden_turn = turn == rules.first or turn == rules.second
        rivals = 0
        for seat in range(rules.seats):
            same = (rules.claimant >> seat & 1) == (rules.claimant >> turn & 1)
            if not same and seat != rules.first and seat != rules.second:
                rivals |= own[seat] & frame[_KNOWN]
        if not hidden_turn:
            rivals |= live & ~own[turn] & ~rivals if rules.claimant >> turn & 1 == 0 else frame[_FIRST] | frame[_SECOND]
            for seat in (rules.first, rules.second):
                if seat >= 0:
                    rivals |= own[seat] & frame[_KNOWN]
        winners = 0
        left = cards
        while left:
            high = highest_bit(left)
            field = field_of(high, trumps)
            if rivals & field & ~(high | high - 1) == 0:
                winners |= high
            left &= ~field
        if winners:
            return highest_bit(winners)
        if plays & NAMINGS:
            return plays & -plays
        return cards & -cards
    best_seat = frame[_BEST_SEAT]
    ours = (rules.claimant >> best_seat & 1) == (rules.claimant >> turn & 1)
    winners = cards_that_beat(cards, best, trumps)
    if wants and not ours and winners:
        ruffs = winners & ~led
        if ruffs and (turn == rules.first or turn == rules.second):
            return ruffs & -ruffs
        return winners & -winners
    if plays & UNSEEN_DISCARD:
        return UNSEEN_DISCARD
    if not wants:  # tricks are to be lost: the highest card that does not win, else the highest
        losers = cards & ~winners
        return highest_bit(losers) if losers else highest_bit(cards) if cards else plays & -plays
    return cards & -cards if cards else plays & -plays


@kernel
def takes(own: Ints, rules: ClaimRules, state: SearchState, need: int, workspace: ProofArrays) -> int:
    """Return whether `need` tricks can be had from a position: `PROVED`, `REFUTED` or `NOT_SETTLED`.

    Args:
        own, rules, state: the arrays that `Belief.arguments` returns.
        need: tricks of the scoring seats.
        workspace: arrays of the search.
    """
    frames = workspace.frames
    control = workspace.control
    depth = 0
    while True:
        low, high = 0, state.tricks
        if state.played == 0 and low < need <= high:
            low, high = known_bounds(workspace, state)
            if low < need <= high:
                least, most = trick_bounds(own, rules, state)
                low, high = max(low, least), min(high, most)
        if low < need <= high:
            control[_NODES] += 1
            if control[_NODES] > control[_LIMIT]:
                return NOT_SETTLED
            frame = frames[depth]
            for column in range(_NEED):
                frame[column] = state[column]
            frame[_NEED] = need
            frame[_PLAYS] = plays_of(own, rules, state, 0)
            depth += 1
        else:
            taken = need <= low
            # Leave every node with this verdict: the player there got the wanted one, or has no play left.
            while depth > 0:
                frame = frames[depth - 1]
                wanted = rules.cooperative or rules.claimant >> frame[_TURN] & 1
                if taken != (wanted != 0) and frame[_PLAYS]:
                    break
                depth -= 1
                if frame[_PLAYED] == 0:
                    store_bounds(workspace, frame, taken)
            if depth == 0:
                return PROVED if taken else REFUTED
        frame = frames[depth - 1]
        play = most_promising_play(own, rules, frame)
        frame[_PLAYS] ^= play
        state, counted = after_play(own, rules, state_of(frame), play)
        need = frame[_NEED] - counted


@kernel
def most_tricks(own: Ints, rules: ClaimRules, state: SearchState, workspace: ProofArrays) -> int:
    """Return the most tricks that can be had from a position, however many nodes it takes; arguments as of `takes`."""
    workspace.control[_GENERATION] += 1
    workspace.control[_NODES] = 0
    workspace.control[_LIMIT] = UNLIMITED
    need = 0
    while need < state.tricks and takes(own, rules, state, need + 1, workspace) == PROVED:
        need += 1
    return need


# --------------------------------------------------------------------------------------------------- friendly side


class Prover:
    """A search and its arrays (4 MB).

    Results about a hand are kept as long as the questions are about positions of that hand.

    Attributes:
        visited: nodes of all questions so far.
    """

    def __init__(self) -> None:
        self.visited = 0
        self._workspace = make_proof_arrays()
        self._last: tuple[ClaimRules, Ints] | None = None

    @property
    def nodes(self) -> int:
        """Nodes visited by the last question."""
        return int(self._workspace.control[_NODES])

    def takes(self, belief: Belief, need: int, limit: int, *, cooperative: bool = False, unseen: bool = False) -> int:
        """Return whether `need` tricks can be taken: `PROVED`, `REFUTED` or `NOT_SETTLED` within `limit` nodes.

        Args:
            belief: the knowledge of the claimant.
            need: tricks of the scoring seats, of those that are left.
            limit: nodes to visit at most.
            cooperative: all seats play for these tricks, instead of the claimant alone.
            unseen: whether discards of hidden hands are hidden, easier for these hands: only `PROVED` is conclusive.
        """
        own, rules, state = belief.arguments(cooperative, unseen)
        control = self._workspace.control
        # Stored results stay valid as long as every live card has the owner or pool of the last question.
        if self._last is None or self._last[0] != rules or not (self._last[1] & state.known == own).all():
            control[_GENERATION] += 1
            self._last = rules, own
        control[_NODES] = 0
        control[_LIMIT] = limit
        with np.errstate(over="ignore"):  # of hashes, where kernels run as plain Python
            outcome = int(takes(own, rules, state, need, self._workspace))
        self.visited += self.nodes
        return outcome

    def forget(self) -> None:
        """Drop the stored results, as for another hand."""
        self._last = None


@cache
def prover() -> Prover:
    """Return the prover of this process."""
    return Prover()


# ------------------------------------------------------------------------------------------------- one hidden hand


def guaranteed_tricks(belief: Belief, *, cooperative: bool = False) -> int:
    """Return the tricks that one strategy takes against every hand the opponent can hold and every defence (TB-29).

    Args:
        belief: the knowledge of the claimant, with one hidden hand.
        cooperative: whether the opponent helps.

    Raises:
        CardError: the opponent can hold no hand.
    """
    belief.check()
    return int(most_tricks(*belief.arguments(cooperative), make_proof_arrays(SMALL_TABLE_BITS)))


def possible_tricks(belief: Belief) -> int:
    """Return the most tricks that a player takes in any continuation, with any hand of the opponent's (TB-30)."""
    return guaranteed_tricks(belief, cooperative=True)


def play_values(belief: Belief, *, cooperative: bool = False) -> dict[int, int]:
    """Return `guaranteed_tricks` after each play: leads from the highest down, replies from the lowest up."""
    own, rules, state = belief.arguments(cooperative)
    values = {}
    workspace = make_proof_arrays(SMALL_TABLE_BITS)
    for play in belief.plays()[:: 1 if belief.trick else -1]:
        left, won = after_play(own, rules, state, play)
        values[play] = int(won + most_tricks(own, rules, left, workspace))
    return values


def principal_variation(belief: Belief) -> tuple[int, ...]:
    """Return cards in order of play: the claimant keeps the most that is guaranteed, the opponent leaves the least."""
    line = []
    while belief.tricks:
        values = play_values(belief)
        line.append((max if belief.is_claimants_turn else min)(values, key=values.__getitem__))
        belief, _ = belief.after(line[-1])
    return tuple(line)
