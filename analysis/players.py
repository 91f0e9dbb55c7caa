"""Where a name becomes a player: one of ours, one with a setting (``pimc:32``), one of your own, a strategy file."""

from __future__ import annotations

from typing import Final, TypeAlias

from towerlab.analysis.catalog import GAMES, Game, find_game
from towerlab.games.errors import TowerlabError, did_you_mean, shown
from towerlab.sim.batch import GameSimulation
from towerlab.sim.own import OwnPlayer, load_player, own_player

Player: TypeAlias = str | OwnPlayer
FILE: Final = ".parquet"
_OWN: Final = "own:"  # before the name of an object in a transcript


def find_player(given: object, game: Game | str) -> Player:
    """The player that is meant: the name of one of ours, or one of the user's.

    Args:
        given: a name; ``module:attribute`` or a strategy file; a class, an object or a function (`sim.own`).
        game: which it plays.

    Raises:
        TowerlabError: there is none, or it cannot play this game.
    """
    game = find_game(game) if isinstance(game, str) else game
    if isinstance(given, str):
        known, simulation = game.load("players"), game.load("simulate")
        base, colon, rest = given.partition(":")
        if given in known or (base in simulation.counted_players and rest.isdecimal() and int(rest) >= 1):
            return given
        if given.endswith(FILE):
            found: OwnPlayer | None = game.load("strategy_file")(given)
        elif colon and base not in known:
            found = load_player(given)
        else:
            raise TowerlabError(f"unknown player {given!r} of {game.name}; {did_you_mean(given, known)}")
    else:
        found = given if isinstance(given, OwnPlayer) else own_player(given)
    if found is None:
        raise TowerlabError(f"player {shown(given)} is no name; expected one of: {', '.join(game.load('players'))}")
    return _checked(found, game.name, game.load("simulate"))


def is_foreign(name: str) -> bool:
    """Whether a name in a transcript is that of a player of somebody's own."""
    _, colon, rest = name.partition(":")
    return name.endswith(FILE) or bool(colon and not rest.isdecimal())


def written_name(player: Player) -> str:
    """What a transcript calls a player."""
    return str(player) if isinstance(player, str) or player.text else f"{_OWN}{player.name}"


def _checked(player: OwnPlayer, game: str, simulation: GameSimulation) -> OwnPlayer:
    """A player of the user's, if it can play the game.

    Raises:
        TowerlabError: its kernels are those of another game.
    """
    given, needed = set(player.kernels), simulation.kernels
    if given and given != set(needed):
        takers = ", ".join(name for name in GAMES if find_game(name).load("simulate").kernels)
        in_python = f"act(view, legal, random): kernels play {takers} only"
        expected = f"the kernels {' and '.join(needed)}" if needed else in_python
        raise TowerlabError(f"{player.name} has the kernels {', '.join(sorted(given))}; {game} expects {expected}")
    return player
