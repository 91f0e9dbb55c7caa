"""How are whole games of Towie simulated? Many at a time, between players of the package.

For example::

    towerlab simulate towie --players novice,random,random --games 3
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.engine import require
from towerlab.games.errors import OptionError
from towerlab.games.jit import kernel
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import NOBODY, game_is_over, overall_winner
from towerlab.sim.towie.pimc import SAMPLES, Pimc
from towerlab.sim.towie.players import NOVICE, PIMC, PLAYERS, choose
from towerlab.sim.towie.state import (
    ALL_GOULASHES,
    CHANCE,
    DEALS,
    OVER,
    PASSED_OUT,
    PHASE,
    PLAYED_DEALS,
    TowieState,
    act,
    caller_to_act,
    deal_cards,
    new_state,
    player_of,
    start_game,
)

Generators: TypeAlias = tuple[np.random.Generator, np.random.Generator]


@dataclass(frozen=True)
class GameResults:
    """Games between players.

    Attributes:
        winners: int64[games], the player with the highest total (TO-21); -1 where several share it or the game was
            broken off after `sim.towie.state.MOST_DEALS` deals.
        points: int64[games, players], totals.
        deals: int64[games, 4]: deals dealt, of them played, of them passed out at the limit of goulashes; goulashes.
    """

    winners: Ints
    points: Ints
    deals: Ints


@kernel
def play_on(state: TowieState, kinds: Ints, deal_rng: np.random.Generator, choice_rng: np.random.Generator) -> None:
    """Let chance and players who are kernels act until another kind of player has to, or the game is over.

    Args:
        kinds: int64[players], numbers of `sim.towie.players`.
        deal_rng: the generator of the cards; choice_rng: that of the players' random choices.
    """
    while state.now[PHASE] != OVER:
        if state.now[PHASE] == CHANCE:
            deal_cards(state, deal_rng)
        kind = kinds[player_of(state, caller_to_act(state))]
        if kind >= PIMC:
            return
        act(state, choose(kind, state, choice_rng))


def play_game(
    state: TowieState, kinds: Ints, deal_rng: np.random.Generator, choice_rng: np.random.Generator, pimc: Pimc | None
) -> None:
    """Play a started game to its end; `pimc` decides for every player of that kind."""
    play_on(state, kinds, deal_rng, choice_rng)
    while state.now[PHASE] != OVER:
        act(state, require(pimc).choose(state, choice_rng))
        play_on(state, kinds, deal_rng, choice_rng)


def seats_of(game: int, players: int) -> list[int]:
    """Return the players in the order of the seats, waiting ones last: player p sits in seat (p + game) % players."""
    return [(seat - game) % players for seat in range(players)]


def rests_of_games(
    games: Sequence[int], goulash: bool, count: int, seed: np.random.SeedSequence, options: TowieOptions
) -> Ints:
    """Return the points of novices from a deal to the end of the game [count, players], the dealer first.

    Args:
        games: the games won by the dealer, the left, the right and the waiting players in order, before it: 0 or 1.
        goulash: whether the deal is a goulash after an ordinary deal.
        count: the number of games.
        seed: the seed of the cards.
        options: rule options.
    """
    players = len(games)
    state = new_state(options, players)
    kinds = np.full(players, NOVICE)
    cards = np.random.default_rng(seed)
    added = np.zeros((count, players), dtype=np.int64)
    for game in range(count):
        start_game(state, np.arange(players))
        state.games[:] = games
        if goulash:
            deal_cards(state, cards)
            state.now[PHASE] = CHANCE
        play_on(state, kinds, cards, cards)
        added[game] = state.ledger
    return added


def check_players(options: TowieOptions, players: int) -> TowieOptions:
    """Return the options for so many players.

    Raises:
        OptionError: `n_players` is another number than its default or this one.
    """
    if options.n_players not in (players, TowieOptions().n_players):
        raise OptionError(f"option n_players={options.n_players} contradicts the {players} players named (TO-1)")
    return TowieOptions(**(vars(options) | {"n_players": players}))


def generators(seed: np.random.SeedSequence, first_game: int, games: int, repeats: int) -> Iterator[Generators]:
    """Yield the generators of a game's cards and of its players' random choices.

    Args:
        seed: the seed of the batch.
        first_game: the number of the first game.
        games: the number of games.
        repeats: the number of games in a row that have one generator of cards.
    """
    card_seeds, choice_seeds = seed.spawn(2)
    cards = card_seeds.spawn(games)
    choices = choice_seeds.spawn(games)
    for game in range(games):
        first = max(0, game - (first_game + game) % repeats)  # of its rotation, that is played here
        yield np.random.default_rng(cards[first]), np.random.default_rng(choices[game])


def simulate_games(
    players: Sequence[str],
    games: int,
    seed: np.random.SeedSequence,
    options: TowieOptions | None = None,
    *,
    first_game: int = 0,
    samples: int = SAMPLES,
    same_cards: bool = True,
) -> GameResults:
    """Play whole games, until a player has two games, seats rotating; seat 0 deals first.

    Every game has a generator for its cards and one for the players' random choices, so that the first deal does not
    depend on the players; later ones do, through the number of goulashes.

    Args:
        players: names of `PLAYERS`, at least 3.
        games: the number of games.
        seed: the seed of cards and of random choices.
        options: rule options; `n_players` must be its default or the number of players.
        first_game: number of the first game, for the rotation.
        samples: layouts that ``pimc`` deals for a card in the later tricks; fewer in the first ones.
        same_cards: whether a whole rotation has one generator of cards, so that players are compared on the same deals.

    Raises:
        OptionError: `n_players` is another number.
    """
    count = len(players)
    options = check_players(options or TowieOptions(), count)
    kinds = np.array([PLAYERS[name].kind for name in players], dtype=np.int64)
    pimc = Pimc(options, samples) if PIMC in kinds else None
    state = new_state(options, count)
    results = GameResults(
        np.full(games, NOBODY, dtype=np.int64),
        np.zeros((games, count), dtype=np.int64),
        np.zeros((games, 4), dtype=np.int64),
    )
    for game, (deal_rng, choice_rng) in enumerate(generators(seed, first_game, games, count if same_cards else 1)):
        seats = np.array(seats_of(first_game + game, count), dtype=np.int64)
        start_game(state, seats)
        play_game(state, kinds, deal_rng, choice_rng, pimc)
        if game_is_over(state.games):
            results.winners[game] = overall_winner(state.ledger)
        results.points[game] = state.ledger
        results.deals[game] = state.now[[DEALS, PLAYED_DEALS, PASSED_OUT, ALL_GOULASHES]]
    return results
