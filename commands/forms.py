"""The questions of the command line as forms of the browser: names, help and types are read off the commands.

A question is answered by its command; what it would show is taken instead of printed (`present.taken`).
"""

from __future__ import annotations

import importlib
import itertools
import re
import shlex
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

import click

from analysis import present
from analysis.catalog import GAMES
from commands import COMMANDS, Games, module_of
from games.errors import TowerlabError
from web.questions import Field, Question, QuestionError

ASKED: Final = ("upcard", "claim", "solve", "bid", "bury", "move", "step", "split", "pick", "build", "battle")
_NOT_ASKED: Final = ("json", "quiet", "hushed", "source", "out", "certificate", "jobs", "columns", "chunk", "workers")
_ANSWERING: Final = threading.Lock()  # questions are answered one at a time: solvers keep their tables


def question_forms() -> list[Question]:
    """Every question that can be asked in a form; loads the commands, not what answers them."""
    found = []
    for name in ASKED:
        place = COMMANDS[name]
        games = place.names if isinstance(place, Games) else (str(place).replace("_", "-"),)
        for game in games:
            command = getattr(importlib.import_module(f"commands.{module_of(game)}"), name)
            path = f"{name}/{game}" if isinstance(place, Games) else name
            found.append(_question(path, command, game))
    return found


def _question(path: str, command: click.Command, game: str) -> Question:
    example = _example(command, path)
    fields = [
        _field(one, example.get(str(one.name), ""))
        for one in command.params
        if isinstance(one, click.Option) and one.name not in _NOT_ASKED
    ]
    fields.sort(key=lambda field: not (field.is_required or field.example))
    title = f"{path.partition('/')[0].replace('upcard', 'up-card').capitalize()}, {GAMES[game].title}"
    help = " ".join((command.help or "").split())
    return Question(path, title, help, tuple(fields), _answerer(command), game)


def _field(option: click.Option, example: str) -> Field:
    kind, choices = "text", tuple[str, ...]()
    if option.is_flag:
        kind = "flag"
    elif isinstance(option.type, click.Choice):
        kind, choices = "choice", tuple(map(str, option.type.choices))
    elif not isinstance(option.type, click.types.StringParamType):
        kind = "number"
    hint = "" if kind in ("flag", "choice") or not option.metavar else option.metavar
    if option.show_default and option.default is not None and kind != "flag":
        hint = f"{hint}; left empty: {option.default}".lstrip("; ")
    if option.multiple:
        hint = f"{hint}; several are separated by blanks".lstrip("; ")
    help = " ".join((option.help or "").replace("`", "").split())
    return Field(_name(option), help, kind, choices, hint, option.required, example)


def _name(option: click.Parameter) -> str:
    return max(option.opts, key=len).lstrip("-")


def _example(command: click.Command, path: str) -> dict[str, str]:
    """The values of the first example of the command's help, by parameter."""
    text = (command.epilog or "").replace("\\\n", " ").partition("Example:")[2].strip()
    words = shlex.split(text.splitlines()[0]) if text else []
    options = list(itertools.dropwhile(lambda word: not word.startswith("-"), words))
    made = command.make_context(path, options, resilient_parsing=True, help_option_names=["-h", "--help"])
    shown = {}
    for name, value in made.params.items():
        if made.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            shown[name] = (
                " ".join(map(str, value)) if isinstance(value, tuple) else "1" if value is True else str(value)
            )
    return shown


def _answerer(command: click.Command) -> Callable[[Mapping[str, str]], present.Shown]:
    options = {_name(one): one for one in command.params if isinstance(one, click.Option)}

    def answer(values: Mapping[str, str]) -> present.Shown:
        words = [f"--{name}" for name in ("quiet",) if name in options]
        words += [f"--{name}=1" for name in ("jobs",) if name in options]
        for name, value in values.items():
            option = options[name]
            if option.is_flag:
                words.append(f"--{name}")
            else:
                words += [f"--{name}={one}" for one in (value.split() if option.multiple else [value])]
        try:
            with _ANSWERING, command.make_context(command.name, words) as asked:
                answer: present.Shown = command.invoke(asked)
        except click.UsageError as error:
            raise QuestionError(error.format_message(), _at_fault(error, options, values)) from error
        except TowerlabError as error:
            raise QuestionError(str(error), _meant(str(error), options, values)) from error
        return answer

    return answer


def _at_fault(error: Any, options: Mapping[str, click.Option], values: Mapping[str, str]) -> str:
    option = getattr(error, "param", None)
    return _name(option) if isinstance(option, click.Option) else _meant(error.format_message(), options, values)


def _meant(message: str, options: Mapping[str, click.Option], values: Mapping[str, str]) -> str:
    """The field that a complaint speaks of: by its option or its name, or by what it alone was filled with."""
    words = "".join(sign if sign.isalnum() or sign == "-" else " " for sign in message).split()
    named = [word.lstrip("-") for word in words if word.startswith("--")]
    found = next((name for name in (*named, *words) if name in options and name not in _NOT_ASKED), "")
    if not found:
        quoted = re.findall(r"'([^']+)'", message)
        holding = [name for name, value in values.items() if any(word in value for word in quoted)]
        found = holding[0] if len(holding) == 1 else ""
    return found
