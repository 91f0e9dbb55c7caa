"""Every player of ours at every table of its game: a game comes to its end, or one line says why not."""

from __future__ import annotations

import itertools
from itertools import cycle

import pytest

import towerlab
from tests.conftest import exhaustive
from tests.kit.test_play import ONES, TABLES, begin, play
from towerlab.analysis.catalog import GAMES
from towerlab.games.errors import TowerlabError
from towerlab.sim.own_players import KnownPlayer

SHORT: dict[str, dict[str, object]] = {
    "towers-and-bowers": {"first_n": 3, "towers_to_win": 1},
    "bowers": {"target": 10},
}
DEAR = {"towie": "pimc"}  # three seconds a game of three, a minute of sixty
EVERY_SIZE = [False, exhaustive(True)]


def sizes_of(game: str, every_size: bool) -> tuple[int, ...]:
    """Numbers of seats that a game can have: the least, the next and the most, or all."""
    sizes = tuple(GAMES[game].load("simulate").table_sizes)
    return sizes if every_size else tuple(sorted({*sizes[:2], sizes[-1]}))


def simulate(game: str, *players: str) -> towerlab.analysis.simulation.SimulationResult:  # type: ignore[name-defined]
    unit = GAMES[game].load("simulate").units[-1]
    return towerlab.simulate(game, players, 1, unit=unit, options=SHORT.get(game), jobs=1, quiet=True)


@pytest.mark.parametrize("game", GAMES)
def test_every_player_has_the_record_that_everything_reads(game: str) -> None:
    """The catalog loads players by name, so that no type checker sees what a game gives."""
    for name, known in GAMES[game].load("players").items():
        assert isinstance(known, KnownPlayer) and known.help, name


@pytest.mark.parametrize("every_size", EVERY_SIZE)
@pytest.mark.parametrize("game", GAMES)
def test_simulate_plays_a_game_to_its_end(game: str, every_size: bool) -> None:
    """Of two players in turn at the smallest table; at others two players, or all."""
    names = [*GAMES[game].load("players")]
    pairs = [*zip(names, names[1:] + names[:1], strict=True)]
    for size in (sizes := sizes_of(game, every_size)):
        for pair in pairs if every_size or size == sizes[0] else [("novice", "random")]:
            if DEAR.get(game) not in pair or size == sizes[0]:
                players = [*itertools.islice(itertools.cycle(pair), size)]
                result = simulate(game, *players)
                assert result.games == 1 and sum(result.wins) + result.draws == 1, players
                assert list(result.players) == players


@pytest.mark.parametrize("game", GAMES)
def test_simulate_says_in_one_line_why_it_does_not_play(game: str) -> None:
    names = GAMES[game].load("players")
    sizes = GAMES[game].load("simulate").table_sizes
    others = {name for other in GAMES.values() for name in other.load("players") if ":" not in name}
    for name in names:
        for size in {0, min(sizes) - 1, max(sizes) + 1}:
            with pytest.raises(TowerlabError, match=rf"^{size} players? cannot play {game}; expected [^\n]*$"):
                simulate(game, *[name] * size)
    for name in sorted(others - {*names}):
        with pytest.raises(TowerlabError, match=rf"^unknown player '{name}' of {game}; [^\n]*$"):
            simulate(game, *[name] * min(sizes))


@pytest.mark.parametrize("every_size", EVERY_SIZE)
@pytest.mark.parametrize("game", TABLES)
def test_play_comes_to_an_end_against_every_player(game: str, every_size: bool) -> None:
    """At the usual table each, novices at others."""
    for player in GAMES[game].load("players"):
        if player != DEAR.get(game):
            assert play(begin(game, None, player, **SHORT.get(game, {})), cycle(ONES))[0], player
    simulation = GAMES[game].load("simulate")
    for seats in sizes_of(game, every_size)[: None if every_size else 2] if simulation.players_option else ():
        options = {**SHORT.get(game, {}), simulation.players_option: seats}
        session = begin(game, None, "novice", **options)
        assert len(session.seating.players) == seats and play(session, cycle(ONES))[0], seats
