"""Which play is best before the ending? On sampled deals of the unseen cards every action is tried, then greedy play.

Model: the unseen cards are distributed at random over the other hands and the source, without inferences from plays
(cards shown to raze keep their place if the question names them). After the action every player takes the most points
at once, by the lowest card. Every action is tried on the same deals, so that differences between actions are paired.

    towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.bits import lowest_index, nth_bit
from towerlab.games.jit import kernel, lean_kernel
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.towers.rules import (
    COLUMNS,
    KING,
    NO_LOG,
    PACK_SIZE,
    highest_placeable,
    meets_equal,
    new_board,
    open_columns,
    open_spans,
    resolve,
)
from towerlab.games.towers.state import (
    HANDS,
    MOST_ACTIONS,
    NOBODY,
    ON_TURN,
    PACK,
    act,
    copy_board,
    copy_state,
    legal_actions,
    new_state,
)


@lean_kernel
def choose_at_random(state: Array, rules: Array, rng: np.random.Generator) -> int:
    """Return an action drawn uniformly from the legal ones (equal cards count once); a column when forced to raze.

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    hand = state[HANDS + state[ON_TURN, 0]]
    spans = open_spans(state, rules)
    bridges = (spans >> 4 & 1) + (spans >> 5 & 1) + (spans >> 6 & 1) + (spans >> 7 & 1)
    most_0 = highest_placeable(state, 0)
    most_1 = highest_placeable(state, 1)
    most_2 = highest_placeable(state, 2)
    most_3 = highest_placeable(state, 3)
    total = 0
    for value in range(1, KING + 1):  # without branches: this loop decides how fast random games are
        places = bridges + (most_0 >= value) + (most_1 >= value) + (most_2 >= value) + (most_3 >= value)
        total += (hand[value] > 0) * places
    if total == 0:
        return int(rng.random() * COLUMNS)
    left = int(rng.random() * total)
    for value in range(1, KING + 1):
        places = bridges + (most_0 >= value) + (most_1 >= value) + (most_2 >= value) + (most_3 >= value)
        places *= hand[value] > 0
        if left < places:
            return 8 * value + lowest_index(nth_bit(open_columns(state, value) | spans, left))
        left -= places
    return -1


@lean_kernel
def points_of(board: Array, action: int, rules: Array, scratch: Array, log: Array) -> int:
    """Return the sections that an action would collect now; the board stays as it is, `scratch` is overwritten.

    Arrays: board int64[4, 53], rules int64[9], scratch int64[4, 53], log int64[54, 3] or int64[0, 3].
    """
    if action >= 8 and not meets_equal(board, action & 7, action >> 3, rules):
        return 0
    copy_board(board, scratch)
    return resolve(scratch, action, rules, log)


@lean_kernel
def choose_greedily(
    state: Array,
    low_first: bool,
    rules: Array,
    rng: np.random.Generator,
    scratch: Array,
    actions: Array,
    log: Array,
) -> int:
    """Return the action with the most points now; equal ones at random, with `low_first` only the lowest cards.

    Arrays: state int64[6 + players, 53], rules int64[9], scratch int64[4, 53], actions int64[MOST_ACTIONS],
        log int64[54, 3] or int64[0, 3].
    """
    count = legal_actions(state, rules, actions)
    best = actions[0]
    most = -1
    ties = 0
    for i in range(count):
        points = points_of(state, actions[i], rules, scratch, log)
        if points > most:
            best = actions[i]
            most = points
            ties = 1
        elif points == most and not (low_first and actions[i] >> 3 > best >> 3):
            ties += 1
            if rng.random() * ties < 1.0:
                best = actions[i]
    return int(best)


WHOLE_GAME: Final = 1 << 20


class Sampler(NamedTuple):
    """Working memory of a search: one deal of the unseen cards, one line played out on it, and scraps.

    Attributes:
        shown: int64[players, 14], how many cards of each value a hand has shown and still holds, ``[seat, 0]`` in all.
    """

    shown: Array
    world: Array
    trial: Array
    counts: Array
    unseen: Array
    actions: Array
    scratch: Array
    log: Array


def new_sampler(n_players: int) -> Sampler:
    """Return a workspace for games of so many players."""
    return Sampler(
        np.zeros((n_players, KING + 1), dtype=np.int64),
        new_state(n_players),
        new_state(n_players),
        np.zeros(KING + 1, dtype=np.int64),
        np.zeros(PACK_SIZE, dtype=np.int64),
        np.zeros(MOST_ACTIONS, dtype=np.int64),
        new_board(),
        NO_LOG,
    )


@lean_kernel
def count_unseen(state: Array, player: int, unseen: Array) -> int:
    """Cards of each value that a player cannot see, in other hands or in the source; ``unseen[0]`` in all.

    Arrays: state int64[6 + players, 53].
    """
    total = 0
    for value in range(1, KING + 1):
        unseen[value] = 0
        for hand in range(HANDS, state.shape[0]):
            if hand != HANDS + player:
                unseen[value] += state[hand, value]
        total += unseen[value]
    for i in range(state[PACK, 0] + 1, PACK_SIZE + 1):
        unseen[state[PACK, i]] += 1
        total += 1
    unseen[0] = total
    return int(total)


@lean_kernel
def redeal(state: Array, player: int, shown: Array, counts: Array, unseen: Array, rng: np.random.Generator) -> None:
    """Deal a player's unseen cards at random: the other hands, except cards shown, and the source.

    How the hidden cards lay before makes no difference to the deal. `counts` and `unseen` are scrap.

    Arrays: state int64[6 + players, 53], shown int64[players, 14], counts int64[14], unseen int64[52].
    """
    count_unseen(state, player, counts)
    total = 0
    for value in range(1, KING + 1):
        hidden = counts[value]
        for seat in range(shown.shape[0]):
            hidden -= shown[seat, value]
        for _ in range(hidden):
            unseen[total] = value
            total += 1
    shuffle_cards(unseen, total, rng)
    count = 0
    for hand in range(HANDS, state.shape[0]):
        if hand == HANDS + player:
            continue
        seat = hand - HANDS
        for value in range(1, KING + 1):
            state[hand, value] = shown[seat, value]
        for _ in range(state[hand, 0] - shown[seat, 0]):
            state[hand, unseen[count]] += 1
            count += 1
    for place in range(state[PACK, 0] + 1, PACK_SIZE + 1):
        state[PACK, place] = unseen[count]
        count += 1


@lean_kernel
def lead_of(state: Array, player: int) -> int:
    """Return a player's points minus those of the best other player.

    Arrays: state int64[6 + players, 53].
    """
    best = -1
    for other in range(state.shape[0] - HANDS):
        if other != player and state[ON_TURN, 1 + other] > best:
            best = state[ON_TURN, 1 + other]
    return int(state[ON_TURN, 1 + player] - best)


@lean_kernel
def sample_actions(
    state: Array,
    actions: Array,
    samples: int,
    horizon: int,
    rules: Array,
    rng: np.random.Generator,
    work: Sampler,
    leads: Array,
) -> None:
    """Fill ``leads[:samples, :actions]``: by how much the player's lead grows when they take the action on that deal.

    Args:
        state: a state whose hidden cards may be in any order; only their number by value matters.
        actions: the actions of the player on turn.
        horizon: turns played on after the action; `WHOLE_GAME` for all.
        leads: the answer, int64[≥ samples, `MOST_ACTIONS`]; a lead is over the best other player.

    Arrays: state int64[6 + players, 53], actions int64[actions], rules int64[9].
    """
    player = state[ON_TURN, 0]
    before = lead_of(state, player)
    for sample in range(samples):
        copy_state(state, work.world)
        redeal(work.world, player, work.shown, work.counts, work.unseen, rng)
        for i in range(actions.shape[0]):
            trial = work.trial
            copy_state(work.world, trial)
            act(trial, actions[i], rules, work.log)
            turns = 0
            while turns < horizon and trial[ON_TURN, 0] != NOBODY:
                reply = choose_greedily(trial, True, rules, rng, work.scratch, work.actions, work.log)
                act(trial, reply, rules, work.log)
                turns += 1
            leads[sample, i] = lead_of(trial, player) - before


@kernel
def choose_by_sampling(
    state: Array, samples: int, horizon: int, rules: Array, rng: np.random.Generator, work: Sampler, leads: Array
) -> int:
    """Return the action that gains most on average; the first of equals. `leads` is int64[samples, `MOST_ACTIONS`].

    Arrays: state int64[6 + players, 53], rules int64[9].
    """
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    count = legal_actions(state, rules, actions)
    if count == 1:
        return int(actions[0])
    sample_actions(state, actions[:count], samples, horizon, rules, rng, work, leads)
    return int(actions[leads[:samples, :count].sum(axis=0).argmax()])
