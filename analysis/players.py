"""How does a name become a player? It may be a player of the package (``pimc:32`` with a setting), your own, or a file.

`find_player` is for names that the user types, on the command line or in Python: it may import modules and read files.
`stored_player` is for names in files and requests: it never imports a module or reads a file.

>>> find_player("pimc:32", "bowers")
'pimc:32'
"""

from collections.abc import Collection
from typing import Final, TypeAlias

from towerlab.analysis.catalog import GAMES, Game, find_game
from towerlab.games.errors import TowerlabError, did_you_mean, quote_value
from towerlab.sim.own_players import KnownPlayer, OwnPlayer, load_player, wrap_player

Player: TypeAlias = str | OwnPlayer
FILE: Final = ".parquet"
_OWN: Final = "own:"  # before the name of an object in a transcript


def stored_player(name: str, game: Game | str, brought: Collection[str] = ()) -> Player:
    """Return the player that a name in a file or in a request means.

    Args:
        name: the name as it is written there.
        game: the game that the player plays.
        brought: the names that the user gave to this program, which are allowed as well.

    Raises:
        TowerlabError: it is neither one of ours nor one of those.
    """
    game = find_game(game)
    if name in brought:
        return find_player(name, game)
    if _is_ours(name, game):
        return _ours(name, game)
    if is_foreign(name, game):
        raise TowerlabError(
            f"{name} was not brought; in files and in forms expected one of `towerlab players {game.name}`"
        )
    raise _unknown(name, game)


def find_player(given: object, game: Game | str) -> Player:
    """Return the player that the user means: the name of one of ours, or one of the user's.

    Args:
        given: a name; ``module:attribute`` or a strategy file; a class, an object or a function (`sim.own_players`).
        game: the game that the player plays.

    Raises:
        TowerlabError: there is none, or it cannot play this game.
    """
    game = find_game(game)
    if isinstance(given, str):
        if _is_ours(given, game):
            return _ours(given, game)
        base, colon, rest = given.partition(":")
        simulation = game.load("simulate")
        if given.endswith(FILE):
            player: OwnPlayer | None = game.load("strategy_file")(given)
        elif rest and _is_counted(base, game) and simulation.trained_player is not None:
            player = simulation.trained_player(rest)
        elif colon and base not in game.load("players"):
            player = load_player(given)
        else:
            raise _unknown(given, game)
    else:
        player = given if isinstance(given, OwnPlayer) else wrap_player(given)
    if player is None:
        raise TowerlabError(
            f"player {quote_value(given)} is no name; expected one of: {', '.join(game.load('players'))}"
        )
    if player.takes_arrays and not hasattr(player.implementation, "act") and not game.load("simulate").takes_arrays:
        takers = ", ".join(name for name in GAMES if find_game(name).load("simulate").takes_arrays)
        raise TowerlabError(
            f"{player} has probabilities(views), which {takers} alone takes; "
            f"{game.name} expects act(view, legal, random)"
        )
    return player


def player_lines(game: Game | str) -> dict[str, str]:
    """Return the names of a game's players, with a line about each."""
    return {name: player.help for name, player in find_game(game).load("players").items()}


def is_foreign(name: str, game: Game | str) -> bool:
    """Return whether a name in a transcript is that of a user's own player."""
    game = find_game(game)
    return (name.endswith(FILE) or ":" in name) and not _is_ours(name, game)


def written_name(player: Player) -> str:
    """Return the name of a player in transcripts."""
    is_named = isinstance(player, str) or player.text or player.is_ours
    return str(player) if is_named else f"{_OWN}{player}"


def _is_ours(name: str, game: Game) -> bool:
    base, _, rest = name.partition(":")
    if base not in game.load("players") or not rest:
        return name in game.load("players")
    return _is_counted(base, game) and rest.isdecimal() and int(rest) >= 1


def _is_counted(name: str, game: Game) -> bool:
    """Return whether one of ours takes a number after a colon: ``pimc:32``."""
    player: KnownPlayer | None = game.load("players").get(name)
    return player is not None and player.is_counted


def _ours(name: str, game: Game) -> Player:
    """Return a player of the package: the object that decides, or its name where kernels do."""
    return game.load("simulate").named_player(name) or name


def _unknown(name: str, game: Game) -> TowerlabError:
    return TowerlabError(f"unknown player {name!r} of {game.name}; {did_you_mean(name, game.load('players'))}")
