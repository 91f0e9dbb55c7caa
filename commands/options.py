"""What do commands share? Options, what Tab offers after them, and the example at the end of each help text.

Tab offers games, and what the game that was typed has; nothing where it is unknown::

    towerlab simulate towers --players bui<Tab>
"""

import functools
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from towerlab.commands.question import OptionSpec, Question, allowed_words, docstring_of, docstring_parts, types_of
from towerlab.games import cache_folder
from towerlab.games.errors import TowerlabError, plain_word
from towerlab.games.untrusted import formats

Function = TypeVar("Function", bound=Callable[..., Any])
Option = Callable[[Any], Any]
AS_JSON = "towerlab.as_json"  # where a context keeps whether --json was given


def complete_games(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from towerlab.analysis.catalog import GAMES

    return _beginning(typed, GAMES)


def complete_studies(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    return _beginning(typed, _part(ctx, "studies") or ())


def complete_players(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the last of several names with commas between them."""
    before, comma, last = typed.rpartition(",")
    return [before + comma + name for name in _beginning(last, _part(ctx, "players") or ())]


def complete_options(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from towerlab.games.options import describe_options

    kind = _part(ctx, "options")
    return _beginning(typed, [f"{option.name}=" for option in describe_options(kind)] if kind else [])


def _part(ctx: click.Context, part: str) -> Any:
    """Return a part of the game that was typed; None where there is none."""
    from towerlab.analysis.catalog import find_game

    try:
        return find_game(_game(ctx)).load(part)
    except TowerlabError:
        return None


def _game(ctx: click.Context) -> str:
    """Return the game as typed, even before an unfinished option, or that of the command's file."""
    typed = ctx.params.get("game") or next(iter(ctx.args), None)
    module = ctx.command.callback.__module__.rpartition(".")[2] if ctx.command.callback else ""
    return str(typed or module.replace("_", "-"))


def _beginning(typed: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(typed)]


_COMPLETIONS: Final = {"games": complete_games, "players": complete_players, "options": complete_options}


class Words(click.Choice[str]):
    """One of some words, however it is written: ``non-dealer`` and ``Nondealer`` are ``nondealer``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        words = {plain_word(word): word for word in self.choices}
        return super().convert(words.get(plain_word(str(value)), value), param, ctx)


class Number(click.FloatRange):
    """A decimal number that is one: neither nan nor infinite."""

    name = "number"

    def _describe_range(self) -> str:
        return "" if self.min is self.max else super()._describe_range()  # click says x<=None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number; expected one such as 0.05", param, ctx)
        return number


class Seat(click.IntRange):
    """A seat as people count, from 1; from 0 for programs."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(value, param, ctx) - 1


SEAT = Seat(1)


class PlayerName(click.ParamType):  # type: ignore[type-arg]
    """Read a player: a command may name any player, a request only stored ones and those given to `serve`.

    Args:
        game: the game that the player plays.
    """

    name = "player"

    def __init__(self, game: str) -> None:
        self.game = game

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if ctx is None or ctx.resilient_parsing:
            return value
        from towerlab.analysis.players import find_player, stored_player
        from towerlab.games.errors import blame

        brought = ctx.obj  # of `serve`; no note at a terminal
        try:
            return find_player(value, self.game) if brought is None else stored_player(value, self.game, brought)
        except TowerlabError as error:
            raise blame(error, param.name if param is not None and param.name else "") from None


def as_json(function: Function) -> Function:
    """Add ``--json``, with which `cli` prints the command's result as JSON."""
    return click.option("--json", is_flag=True, help="Print one JSON object.", expose_value=False, callback=_remember)(
        function
    )


def _remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[AS_JSON] = value


def wants_json() -> bool:
    """Return whether ``--json`` was given, for commands that print many answers."""
    return bool(click.get_current_context().meta.get(AS_JSON))


def _announce(_context: click.Context, _option: click.Parameter, is_quiet: bool) -> bool:
    cache_folder.announces_compiling = not is_quiet
    return is_quiet


_quiet = partial(click.option, "--quiet", is_flag=True, callback=_announce, help="No notes and no progress on stderr.")
quiet: Final[Option] = _quiet()
hushed: Final[Option] = _quiet(expose_value=False)  # where only compilation is noted


_lists = "A rule option; `towerlab options GAME` lists."
rule_options: Final[Option] = click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", shell_complete=complete_options, help=_lists
)
jobs: Final[Option] = click.option("--jobs", type=click.IntRange(1), help="Worker processes.  [default: all cores]")
seed: Final[Option] = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")


def out_option(help: str) -> Callable[[Function], Function]:
    return click.option("--out", type=click.Path(path_type=Path), help=help)


_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def tables(of_deals: bool) -> tuple[Option, ...]:
    """Return the options of a command that answers tables of questions."""
    questions = f"Many questions, columns named like the options, which fill gaps: {formats(of_deals)}."
    answers = f"Where the answers to --from go: {formats(of_deals, written=True)}.  [default: CSV on stdout]"
    return (
        click.option("--from", "source", type=_FILE, metavar="FILE", help=questions),
        out_option(answers),
        click.option("--resume", is_flag=True, help="Go on with the --out of an interrupted --from."),
        jobs,
        quiet,
    )


def _add_options(options: tuple[Option, ...], function: Any) -> Any:
    """Return the function with options added, in their order."""
    return functools.reduce(lambda made, option: option(made), reversed(options), function)


_WRITTEN: Final = ("out", "transcripts", "certificate", "export")
_SHARED: Final = ("options", "seed", "jobs", "quiet")  # they come last


def command_of(name: str, function: Callable[..., Any]) -> click.Command:
    """Return the command of a declared question (`commands.question`)."""
    question: Question = function.__dict__["question"]
    typed = question.typed
    of_tables = ("jobs", "quiet") if question.tables else ()
    first = [_option(question, key, how) for key, how in typed.items() if key not in _SHARED]
    ready = {"quiet": quiet} | ({} if "options" in typed else {"options": rule_options})
    last = [
        ready.get(key) or _option(question, key, typed[key])
        for key in question.parameters
        if key in _SHARED and key not in of_tables
    ]
    silent = [] if question.tables or "quiet" in typed else [hushed]
    options = (*first, *(tables("deal" in typed) if question.tables else ()), *last, *silent, as_json)

    def answer(**values: Any) -> Any:
        from towerlab.analysis.catalog import find_game
        from towerlab.games.options import parse_options

        if "options" in values and "options" not in typed:
            kind = find_game(question.game or values["game"]).load("options")
            values["options"] = parse_options(kind, values["options"])
        with note_replaced(*map(values.get, _WRITTEN), quiet=values.get("quiet", False)):
            return question.answer(**values) if question.tables is None else _answer_or_table(question, **values)

    answer.__module__ = function.__module__  # by which completion knows the game
    return click.command(name, help=question.help, epilog=_example(question.examples))(_add_options(options, answer))


@contextmanager
def note_replaced(*paths: Path | None, quiet: bool) -> Iterator[None]:
    """Note on stderr which of these files, written within the context, replaced an earlier one."""
    replaced = [path for path in paths if path is not None and path.is_file()]
    yield
    if replaced:
        from towerlab.analysis.present.progress import note

        for path in replaced:
            note(f"{path} was there before and has been replaced", quiet)


def _answer_or_table(
    question: Question,
    *,
    source: Path | None,
    out: Path | None,
    jobs: int | None,
    resume: bool,
    quiet: bool,
    **values: Any,
) -> Any:
    """Answer the question, or with ``--from`` a table of them, for which the other options fill empty cells."""
    options = values.pop("options", None)
    values = {name: value for name, value in values.items() if value is not None}
    if source is not None:
        from towerlab.analysis.batches import answer_file

        batch = pkgutil.resolve_name(question.tables or "")
        if single := [name for name, value in values.items() if value and name not in batch.columns]:
            raise TowerlabError(f"--{single[0]} is for a single question; expected no --from beside it")
        answer_file(batch, source, out, values, options, jobs=jobs, resume=resume, quiet=quiet, as_json=wants_json())
        return None
    if out is not None or resume:
        raise TowerlabError("--out and --resume are for a file of questions; expected --from FILE with them")
    for name, parameter in question.parameters.items():
        if parameter.default is parameter.empty and name not in values:
            from towerlab.games.errors import blame

            option = "--" + name.replace("_", "-")
            raise blame(TowerlabError(f"no {option} is given; expected it, or a file of questions with --from"), name)
    shared = {"options": options, "quiet": quiet}
    return question.answer(**values, **{name: value for name, value in shared.items() if name in question.parameters})


def _option(question: Question, key: str, how: OptionSpec) -> Option:
    """Return a parameter as an option, or as an argument if it has no option."""
    parameter = question.parameters[key]
    kinds = types_of(parameter)
    needed = parameter.default is parameter.empty
    default = None if needed or how.several else parameter.default
    complete = _COMPLETIONS.get(how.completes)
    if how.name == "":
        kind = _type(question, kinds, how) if Path in kinds else None
        optional = {} if needed else {"default": default}
        return click.argument(key, type=kind, metavar=how.metavar, shell_complete=complete, **optional)
    return click.option(
        *filter(None, (how.name or f"--{key.replace('_', '-')}", how.also)),
        key,
        type=_type(question, kinds, how),
        is_flag=True if bool in kinds else None,  # False would mean an option whose value may be left out
        multiple=how.several,
        **({} if needed or how.several else {"default": default}),
        show_default=default not in (None, "", ()) and default is not False,
        required=needed and question.tables is None,
        metavar=how.metavar,
        shell_complete=complete,
        help=how.help,
    )


def _type(question: Question, kinds: tuple[Any, ...], how: OptionSpec) -> click.ParamType[Any] | type[Any]:
    if words := allowed_words(kinds):
        return Words(words)
    if Path in kinds:
        return click.Path(dir_okay=False, exists=how.exists, path_type=Path)
    if float in kinds:
        return Number(how.least, how.most, min_open=how.above)
    if int in kinds:
        least, most = (None if bound is None else int(bound) for bound in (how.least, how.most))
        return int if least is most else click.IntRange(least, most)
    if object in kinds:
        return PlayerName(question.game)
    return bool if bool in kinds else str


def command(function: Callable[..., Any], cls: type[click.Command] = click.Command) -> click.Command:
    """Make the command of a function with its options above it and examples at the end of its docstring."""
    help, parts = docstring_parts(docstring_of(function))
    return click.command(cls=cls, help=help, epilog=_example(parts["Example"]))(function)


def _example(lines: str) -> str:
    """Return the examples at the end of a command's help."""
    return "\b\nExample:\n" + "".join(f"  {line}\n" for line in inspect.cleandoc(lines).splitlines()).rstrip()
