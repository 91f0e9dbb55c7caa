"""Which commands can be typed? Each parses, calls a function of analysis, shows the answer. No logic.

question     how a question is declared
options      what commands share
bowers, tower_war, towers, towers_and_bowers, towie: the questions of a game
any_game     options, rules, players, studies, reports; simulations plays games; table plays, records, reviews

How to add a question. Declare it in the game's file of this folder under `question.question`: a function with the name
of the command, whose annotations describe each option (`question.OptionSpec`; `question.py` has those that
several questions share), whose docstring ends with examples that work, and whose body imports and calls the function
that answers. Its command, its help and its function in Python are made of that, and its form in the browser if all
its arguments are options. Then name it in `COMMANDS`: by its file, or, if several games have the word, by the games
(`bid bowers` is `bid` in `bowers.py`); give it a line in `GROUPS`, under "Ask"; and name it for Python in
`towerlab/__init__.py`.

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
        names: the games, as they are typed.
        default: the game that answers when none is named, or None.
    """

    names: tuple[str, ...]
    default: str | None = None


GROUPS: Final[dict[str, dict[str, str]]] = {
    "Ask": {
        "upcard": "Accept the up-card, name a suit or pass?",
        "discard": "Which card to give for the up-card?",
        "claim": "Prove or refute a claim.",
        "solve": "Play with all cards seen.",
        "bid": "Find the best call of an auction.",
        "bury": "Choose the cards to bury.",
        "move": "Rank the legal plays of a position.",
        "step": "Score a move or a battle as it was played.",
        "split": "Divide the cards of a draft.",
        "pick": "Choose between the piles of a draft.",
        "build": "Choose a deck out of what was drafted.",
        "battle": "Play the hand of a battle.",
        "open": "Answer a position that is written as a link.",
    },
    "Play": {
        "play": "Play in the terminal.",
        "serve": "Play, ask and look back in a browser.",
        "train": "Answer puzzles, easy ones first, until they are right.",
        "record": "Enter a real game as you saw it at the table.",
        "players": "List the players of a game.",
        "rules": "Print the rules of a game.",
        "options": "List the rule options of a game.",
    },
    "Measure": {
        "simulate": "Let players play each other, and count the wins.",
        "compare": "Play the same games by the usual rules and by others.",
        "value": "What is it worth to deal?",
        "exploit": "How much does a best response take?",
        "study": "Run a study on all cores or a cluster.",
        "report": "Write the strategy report of a game.",
        "warmup": "Compile kernels beforehand.",
    },
    "Files": {
        "show": "Print a recorded game, all hands open.",
        "review": "Grade a recorded game: what every decision cost.",
        "check": "Check the certificate of a claim.",
    },
}
"""What can be typed, in the order of `towerlab --help`: a line for each command."""

COMMANDS: Final[dict[str, str | Games]] = {
    "battle": Games(("tower-war",)),
    "bid": Games(("bowers", "towie")),
    "build": Games(("tower-war",)),
    "bury": Games(("bowers",)),
    "check": "simulations",
    "claim": Games(("towers-and-bowers", "bowers", "towie"), default="towers-and-bowers"),
    "compare": "simulations",
    "discard": "towers_and_bowers",
    "exploit": "towers_and_bowers",
    "move": Games(
        ("towers-and-bowers", "bowers", "towie", "towers", "tower-war"),
        default="towers-and-bowers",
    ),
    "open": "towers_and_bowers",
    "options": "any_game",
    "pick": Games(("tower-war",)),
    "play": "table",
    "players": "any_game",
    "record": "table",
    "report": "any_game",
    "rules": "any_game",
    "review": "table",
    "serve": "table",
    "show": "table",
    "simulate": "simulations",
    "solve": Games(("towers-and-bowers", "bowers", "towie")),
    "split": Games(("tower-war",)),
    "step": Games(("tower-war", "towers")),
    "study": "any_game",
    "train": "table",
    "upcard": "towers_and_bowers",
    "value": "towers_and_bowers",
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
