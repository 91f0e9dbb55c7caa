"""The questions of the command line that a form of the browser can ask."""

from __future__ import annotations

import functools
from typing import Final

from towerlab.commands import COMMANDS, Games, load_command, module_of
from towerlab.web.questions import QuestionForm

_FIRST: Final = ("upcard", "discard", "claim", "solve", "bid", "bury")
ASKED: Final = (*_FIRST, "move", "step", "split", "pick", "build", "battle")


def question_forms() -> list[QuestionForm]:
    """Return every question of the command line that a form can ask, without the functions that answer."""
    forms = []
    for name in ASKED:
        place = COMMANDS[name]
        for game in place.names if isinstance(place, Games) else (str(place).replace("_", "-"),):
            load = functools.partial(load_command, module_of(game), name)
            forms.append(QuestionForm(f"{name}/{game}" if isinstance(place, Games) else name, load, game))
    return forms
