"""The questions of the command line that a form of the browser can ask: of `GROUPS`, under "Ask", in that order."""

from __future__ import annotations

import functools

import click

from towerlab.commands import COMMANDS, GROUPS, Games, load_command, module_of
from towerlab.web.questions import QuestionForm


def question_forms() -> list[QuestionForm]:
    """Return every question whose arguments are all options, without the functions that answer."""
    forms = []
    for name in GROUPS["Ask"]:
        place = COMMANDS[name]
        for game in place.names if isinstance(place, Games) else (str(place).replace("_", "-"),):
            load = functools.partial(load_command, module_of(game), name)
            if not any(isinstance(parameter, click.Argument) for parameter in load().params):
                forms.append(QuestionForm(f"{name}/{game}" if isinstance(place, Games) else name, load, game))
    return forms
