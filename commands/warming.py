"""Compile the kernels of games before the first question."""

from __future__ import annotations

import importlib
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from importlib.util import find_spec
from typing import Any

from towerlab.analysis.catalog import GAMES, find_game
from towerlab.analysis.present.progress import note
from towerlab.analysis.simulation import simulate
from towerlab.analysis.study import map_chunks
from towerlab.commands import load_command, module_of
from towerlab.commands.question import Question


def warm_up(name: str | None = None, quiet: bool = False) -> list[str]:
    """Compile the kernels of a game, or on all cores those of every game, and return the names of the games.

    Raises:
        TowerlabError: no such game.
    """
    games = [find_game(name)] if name else list(GAMES.values())
    titles = ", ".join(game.title for game in games)
    note(f"compiling the kernels of {titles}: up to a minute a game and core", quiet)
    names = [game.name for game in games]
    map_chunks(_warm_up_game, len(names), parameters={"games": names}, quiet=quiet, title="games", at_once=True)
    return names


def _warm_up_game(chunk: int, _: Any, parameters: Mapping[str, Any]) -> None:
    """Answer the first example of each question of a game, and let each player play against itself."""
    game = find_game(parameters["games"][chunk])
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, words in first_examples(game.name):
            load_command(module_of(game.name), name).main([*words, "--quiet"], standalone_mode=False)
    simulation = game.load("simulate")
    for player in game.load("players"):
        players = [player] * simulation.table_sizes[0]
        simulate(game.name, players, 1, unit=simulation.units[-1], jobs=1, quiet=True)


def first_examples(game: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each question of a game, and its arguments in the first example of its help."""
    module = f"towerlab.commands.{module_of(game)}"
    for name, function in vars(importlib.import_module(module)).items() if find_spec(module) else ():
        question = getattr(function, "question", None)
        if isinstance(question, Question) and question.examples:
            line = question.examples.replace("\\\n", " ").strip().splitlines()[0]
            yield name, [word for word in shlex.split(line)[2:] if word != game]
