"""What can be typed: each command parses, asks analysis, shows the answer. No logic.

How to add a command. Write it in a file of this folder (a file a game; `any_game.py` for what every game has) as a
`click.command` named like the word that is typed, with an example that works (`options.example`), its shared options
from `options.py`; a question is asked under `options.asks`, which reads the rules and shows the answer. Whatever is not
click is imported inside its body, so that `towerlab --help` answers at once. Then name it in `COMMANDS`: by its file;
or, if several games have the word, by the games (`bid bowers` is the command `bid` in `bowers.py`). `cli.py` loads it
when it is asked for; nothing here imports cli. A command of one game is a question: name its function in
`towerlab/__init__.py`, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


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
    "check": "any_game",
    "claim": Games(
        "Prove or refute a claim of tricks, or a concession.",
        ("towers-and-bowers", "bowers", "towie"),
        default="towers-and-bowers",
    ),
    "compare": "any_game",
    "exploit": "towers_and_bowers",
    "move": Games(
        "Rank the legal plays of a position.",
        ("towers-and-bowers", "bowers", "towie", "towers"),
        default="towers-and-bowers",
    ),
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
    "simulate": "any_game",
    "solve": Games("Best play when all cards are seen.", ("towers-and-bowers", "bowers", "towie")),
    "split": Games("Divide the cards of a draft.", ("tower-war",)),
    "step": Games("Score a move or a battle as it was played.", ("tower-war", "towers")),
    "study": "any_game",
    "train": "table",
    "upcard": "towers_and_bowers",
    "value": "towers_and_bowers",
    "warmup": "any_game",
}


def module_of(game: str) -> str:
    """The file of a game's commands: ``"tower-war"`` is in ``tower_war``."""
    return game.replace("-", "_")
