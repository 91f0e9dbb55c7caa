"""The commands that can be typed: each parses, calls a function of analysis, shows the answer. No logic.

How to add a question. Declare it in the game's file of this folder under `question.question`: a function with the name
of the command, whose annotations describe each option (`question.Typed`; `arguments.py` has those that
several questions share), whose docstring ends with examples that work, and whose body imports and calls the function
that answers. Its command, its help, its form in the browser and its function in Python are made of that. Then name it
in `COMMANDS`: by its file, or, if several games have the word, by the games (`bid bowers` is `bid` in `bowers.py`); and
for Python in `towerlab/__init__.py`.

How to add another command. Write it in `any_game.py` or `table.py` under `options.command`, with an example that works
in its docstring, its shared options from `options.py`. Its body imports whatever is not click, so that
`towerlab --help` answers at once. `cli.py` loads a command when it is typed; nothing here imports cli.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click


@dataclass(frozen=True)
class Games:
    """A word that several games have as a command, each in its own file.

    Attributes:
        help: one line for all of them.
        names: the games, as they are typed.
        default: the game that answers when none is named, or None.
    """

    help: str
    names: tuple[str, ...]
    default: str | None = None


COMMANDS: Final[dict[str, str | Games]] = {
    "battle": Games("Play the hand of a battle.", ("tower-war",)),
    "bid": Games("Find the best call of an auction.", ("bowers", "towie")),
    "build": Games("Choose a deck out of what was drafted.", ("tower-war",)),
    "bury": Games("Choose the cards to bury.", ("bowers",)),
    "check": "simulations",
    "claim": Games(
        "Prove or refute a claim of tricks, or a concession.",
        ("towers-and-bowers", "bowers", "towie"),
        default="towers-and-bowers",
    ),
    "compare": "simulations",
    "discard": "towers_and_bowers",
    "exploit": "towers_and_bowers",
    "move": Games(
        "Rank the legal plays of a position.",
        ("towers-and-bowers", "bowers", "towie", "towers", "tower-war"),
        default="towers-and-bowers",
    ),
    "open": "towers_and_bowers",
    "options": "any_game",
    "pick": Games("Choose between the piles of a draft.", ("tower-war",)),
    "play": "table",
    "players": "any_game",
    "record": "table",
    "report": "any_game",
    "rules": "any_game",
    "review": "table",
    "serve": "table",
    "show": "table",
    "simulate": "simulations",
    "solve": Games("Best play when all cards are seen.", ("towers-and-bowers", "bowers", "towie")),
    "split": Games("Divide the cards of a draft.", ("tower-war",)),
    "step": Games("Score a move or a battle as it was played.", ("tower-war", "towers")),
    "study": "any_game",
    "train": "table",
    "upcard": "towers_and_bowers",
    "value": "value",
    "warmup": "any_game",
}


def module_of(game: str) -> str:
    """The file of a game's commands: ``"tower-war"`` is in ``tower_war``."""
    return game.replace("-", "_")


@functools.cache
def load_command(module: str, name: str) -> click.Command:
    """Return a command of a file of this folder; of a declared question it is made here."""
    command = getattr(importlib.import_module(f"towerlab.commands.{module}"), name)
    if not hasattr(command, "question"):
        return command  # type: ignore[no-any-return]
    from towerlab.commands.options import command_of

    return command_of(name, command)
