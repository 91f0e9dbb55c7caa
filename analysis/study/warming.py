"""Compile the kernels of games beforehand, each game in a process of its own."""

from __future__ import annotations

from typing import Any

from towerlab.analysis.catalog import GAMES, find_game
from towerlab.analysis.present.progress import note
from towerlab.analysis.study.runner import map_chunks


def warm_up(name: str | None = None, quiet: bool = False, jobs: int | None = None) -> list[str]:
    """Compile the kernels of one game, or on all cores those of every game that has any; the names of these games.

    Raises:
        TowerlabError: no such game.
    """
    games = [find_game(name)] if name else [game for game in GAMES.values() if game.warm_up]
    titles = ", ".join(game.title for game in games)
    note(f"compiling the kernels of {titles}: up to a minute a game and core", quiet)
    if name:
        games[0].load("warm_up")()
    else:
        names = {"names": [game.name for game in games]}
        map_chunks(_warm_up_one, len(games), parameters=names, jobs=jobs, quiet=quiet, title="games", at_once=True)
    return [game.name for game in games]


def _warm_up_one(chunk: int, _: Any, parameters: Any) -> None:
    """In a process of its own, whose compiled kernels the others find in the cache."""
    find_game(parameters["names"][chunk]).load("warm_up")()
