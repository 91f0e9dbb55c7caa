"""How are whole games of Bowers simulated? One kernel takes a game from decision to decision; batches of games are
played by it.

The kernel decides for `random` and `novice` itself. For a player who solves deals it stops and hands the decision out,
so that it need not be compiled together with the solver.

    towerlab simulate bowers --players novice,random,random --games 20
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.random import Generator

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers.options import BowersOptions, BowersRules
from towerlab.games.bowers.rules import PLAYERS as SEATS
from towerlab.games.bowers.state import (
    DEAL,
    DEALS,
    DEALT_BY,
    OVER,
    PHASE,
    POINTS,
    SCORES,
    TO_ACT,
    WINNER,
    act,
    deal,
    new_state,
    start_game,
)
from towerlab.games.cards import mask_cards
from towerlab.games.engine import require
from towerlab.games.jit import kernel
from towerlab.games.shuffling import shuffle_cards
from towerlab.sim.bowers.deciding import NOVICE, OUTSIDE, RANDOM, choose
from towerlab.sim.bowers.pimc import SAMPLES, Pimc
from towerlab.sim.choices import draw_number
from towerlab.sim.own_players import KnownPlayer

PLAYERS: Final = {
    "random": KnownPlayer(
        "passes half the time or takes the next rung of the ladder; buries and plays legal cards at random",
        RANDOM,
        is_measured=False,
    ),
    "novice": KnownPlayer(
        "bids the tricks it counts on; buries from short suits, draws trumps, cashes masters, wins cheaply", NOVICE
    ),
    "pimc": KnownPlayer(
        f"deals the unseen cards {SAMPLES} times and solves them; slow; pimc:32 samples 32 layouts a card",
        OUTSIDE,
        is_counted=True,
    ),
}

UNITS: Final = ("match", "deal")
MOST_DEALS: Final = 10_000
"""A game that nobody has won after so many deals is called off: three who never bid would play for ever."""


@kernel
def advance(
    state: Ints, kinds: Ints, rules: BowersRules, pack: Ints, deals: Generator, choices: Generator, most_deals: int
) -> None:
    """Play on until a player has won, so many deals are over, or an `OUTSIDE` player has to decide.

    Args:
        state: the state of the game, see `games.bowers.state`.
        kinds: int64[3], the kind of the player in each seat.
        rules: the rules by which the game is played.
        pack: int64[32 or 33], shuffled in place for each deal.
        deals, choices: numpy Generators, one for the cards and the first dealer and one for everything else.
        most_deals: the most deals of one game.
    """
    while state[PHASE] != OVER:
        if state[PHASE] == DEAL:
            if state[DEALS] == most_deals:
                return
            shuffle_cards(pack, pack.shape[0], deals)
            deal(state, pack)
        elif kinds[state[TO_ACT]] == OUTSIDE:
            return
        else:
            choice, named = choose(state, kinds[state[TO_ACT]], rules, choices)
            act(state, choice, named, rules)


# ------------------------------------------------------------------------------------------------------- whole games


class Results(NamedTuple):
    """The results of some units.

    Attributes:
        winners: int64[units], the place of each unit's winner among the players, -1 where no player won alone (a deal
            thrown in, one that two opponents won alike, a game called off after `MOST_DEALS` deals).
        points: float64[units, 3], of each player.
        dealers: int64[units], the player who dealt the unit's last deal.
    """

    winners: Ints
    points: Floats
    dealers: Ints


@kernel
def play_units(
    first_unit: int,
    row: int,
    players: Ints,
    rules: BowersRules,
    pack: Ints,
    deals: Generator,
    choices: Generator,
    most_deals: int,
    state: Ints,
    results: Results,
) -> int:
    """Play units, the first of which has begun, until all are over or an `OUTSIDE` player has to decide.

    Args:
        first_unit, row: numbers of the first of all units, and of this one among them; player p sits in seat
            (p + unit number) % 3.
        players: int64[3], the kinds of the players.
        results: the results, filled.
        The rest is as of `advance`.

    Returns:
        the row of the unit under way; their number once all are over.
    """
    kinds = np.empty(SEATS, dtype=np.int64)
    units = results.winners.shape[0]
    while row < units:
        shift = (first_unit + row) % SEATS
        for player in range(SEATS):
            kinds[(player + shift) % SEATS] = players[player]
        advance(state, kinds, rules, pack, deals, choices, most_deals)
        if state[PHASE] != DEAL and state[PHASE] != OVER:
            break
        store_result(state, shift, most_deals, results, row)
        row += 1
        if row < units:
            start_game(state, draw_number(deals, SEATS))
    return row


@kernel
def store_result(state: Ints, shift: int, most_deals: int, results: Results, row: int) -> None:
    """Store the result of a unit, by player instead of seat."""
    place = SCORES if most_deals > 1 else POINTS
    winner = state[WINNER]
    if most_deals == 1:
        best = max(state[POINTS], state[POINTS + 1], state[POINTS + 2])
        winner = -1
        for seat in range(SEATS):
            if state[POINTS + seat] == best:
                winner = seat if winner == -1 else -2
    results.winners[row] = -1 if winner < 0 else (winner - shift) % SEATS
    for player in range(SEATS):
        results.points[row, player] = state[place + (player + shift) % SEATS]
    results.dealers[row] = (state[DEALT_BY] - shift) % SEATS


def seat_player(name: str, options: BowersOptions, random: Generator) -> tuple[int, Pimc | None]:
    """Return the kind of one of `PLAYERS` and the decider of an `OUTSIDE` one; ``pimc:N`` samples N layouts.

    Raises:
        TowerlabError: options it cannot play.
    """
    base, _, count = name.partition(":")
    kind = PLAYERS[base].kind
    return kind, Pimc(options, random, int(count or SAMPLES)) if kind == OUTSIDE else None


def simulate_units(
    unit: str,
    first_unit: int,
    units: int,
    players: Sequence[str],
    options: BowersOptions,
    seed: np.random.SeedSequence,
) -> Results:
    """Play some units between three players.

    Args:
        unit: ``"match"``, a game to `options.target`, or ``"deal"``, one deal at single stakes.
        first_unit: number of the first unit: player p sits in seat (p + unit number) % 3.
        units: the number of units.
        players: names, keys of `PLAYERS`; ``pimc:N`` samples N layouts a decision.
        options: the options of the rules.
        seed: decides the cards and, in streams of their own, all choices left to chance: single deals are the same
            whoever plays them.

    Returns:
        see `Results`.

    Raises:
        TowerlabError: options that a player cannot play.
    """
    deals, choices, *own = generators(seed)
    seated = [seat_player(name, options, random) for name, random in zip(players, own, strict=True)]
    rules = options.rules()
    most_deals = 1 if unit == "deal" else MOST_DEALS
    pack = np.array(mask_cards(options.deck), dtype=np.int64)
    results = Results(np.empty(units, dtype=np.int64), np.empty((units, SEATS)), np.empty(units, dtype=np.int64))
    state = new_state()
    kinds = np.array([kind for kind, _ in seated], dtype=np.int64)
    row = 0
    start_game(state, draw_number(deals, SEATS))
    while True:
        row = play_units(first_unit, row, kinds, rules, pack, deals, choices, most_deals, state, results)
        if row == units:
            return results
        _, outside = seated[(int(state[TO_ACT]) - first_unit - row) % SEATS]
        act(state, *require(outside).choose(state), rules)


def generators(seed: np.random.SeedSequence) -> list[Generator]:
    """Return the generators of a batch: of the cards and first dealers, of choices, of each player's solver."""
    return [np.random.default_rng(words) for words in seed.generate_state(4 * (2 + SEATS)).reshape(2 + SEATS, 4)]
