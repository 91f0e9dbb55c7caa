"""The options that several commands share, and the example at the end of each help text."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from towerlab.commands import completion
from towerlab.games import cache_folder
from towerlab.games.errors import TowerlabError, plain_word

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown

Function = TypeVar("Function", bound=Callable[..., Any])
Option = Callable[[Any], Any]
_ROLES: Final = ("declarer", "left", "right")
AS_JSON = "towerlab.as_json"  # where a context keeps whether --json was given


class Words(click.Choice[str]):
    """One of some words, however it is written: ``non-dealer`` and ``Nondealer`` are ``nondealer``."""

    def normalize_choice(self, choice: Any, ctx: click.Context | None) -> str:
        return plain_word(str(choice))


class Number(click.FloatRange):
    """A decimal number that is one: neither nan nor infinite."""

    name = "number"

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


class PlayerName(click.ParamType[Any]):
    """A player: who types a command names anybody, a request only stored players and those given to `serve`.

    Args:
        game: which it plays.
    """

    name = "player"

    def __init__(self, game: str) -> None:
        self.game = game

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if ctx is None or ctx.resilient_parsing:
            return value
        from towerlab.analysis.players import find_player, stored_player
        from towerlab.analysis.present.faults import blame

        brought = ctx.obj  # of `serve`; nothing is said where somebody types
        try:
            return find_player(value, self.game) if brought is None else stored_player(value, self.game, brought)
        except TowerlabError as error:
            raise blame(error, param.name if param is not None and param.name else "") from None


def as_json(function: Function) -> Function:
    """What the command's function returns is printed as JSON, by `cli`, which also prints it otherwise."""
    return click.option("--json", is_flag=True, help="Print one JSON object.", expose_value=False, callback=_remember)(
        function
    )


def _remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.meta[AS_JSON] = value


def wants_json() -> bool:
    """Whether ``--json`` was given, for who prints many answers."""
    return bool(click.get_current_context().meta.get(AS_JSON))


def _announce(_context: click.Context, _option: click.Parameter, is_quiet: bool) -> bool:
    cache_folder.announces_compiling = not is_quiet
    return is_quiet


_quiet = partial(click.option, "--quiet", is_flag=True, callback=_announce, help="No notes and no progress on stderr.")
quiet: Final[Option] = _quiet()
hushed: Final[Option] = _quiet(expose_value=False)  # where nothing is noted but what is compiled


_lists = "A rule option; `towerlab options GAME` lists."
rule_options: Final[Option] = click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", shell_complete=completion.options, help=_lists
)
jobs: Final[Option] = click.option("--jobs", type=click.IntRange(1), help="Worker processes.  [default: all cores]")
seed: Final[Option] = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")


def until(function: Function) -> Function:
    """The anytime-valid stopping rule of a sampled command."""
    decided = "Stop as soon as a 95 % interval valid at every look decides."
    narrow = "Stop as soon as that interval is so narrow, such as 0.005."
    width = click.option("--until-width", type=Number(0, min_open=True), metavar="W", help=narrow)
    return width(click.option("--until-decided", is_flag=True, help=decided)(function))


def out(help: str) -> Callable[[Function], Function]:
    return click.option("--out", type=click.Path(path_type=Path), help=help)


def questions_file(function: Callable[..., Any]) -> Any:
    """``--from FILE`` answers a table of questions into ``--out``; the function is given `source`, and `files`: how."""

    @functools.wraps(function)
    def command(
        source: Path | None, out: Path | None, resume: bool, jobs: int | None, quiet: bool, **given: Any
    ) -> Any:
        if source is None and (out is not None or resume):
            raise TowerlabError("--out and --resume are for a file of questions; expected --from FILE with them")
        files = {"out": out, "resume": resume, "jobs": jobs, "quiet": quiet, "as_json": wants_json()}
        return function(source=source, files=files, **given)

    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    table = "Many questions: CSV or Parquet (deals: or PBN), columns named like the options, which fill gaps."
    where = "Where the answers to --from go: .csv, .json or .parquet.  [default: CSV on stdout]"
    return _with(
        (
            click.option("--from", "source", type=file, metavar="FILE", help=table),
            out(where),
            click.option("--resume", is_flag=True, help="Go on with the --out of an interrupted --from."),
            jobs,
            quiet,
        ),
        command,
    )


def claim_options(*own: Option, trump: str, seen: str, history: str) -> Option:
    """What a claim asks for in every game, and what it asks for in one.

    Args:
        own: the game's own options; they come after the hand and the trump.
        trump, seen, history: help texts.
    """
    path = click.Path(dir_okay=False, path_type=Path)
    hand, strain, played, past = _what_is_known(trump, seen, history)
    whole = "Write the whole strategy, or the whole refutation, for `towerlab check`."
    options = (
        hand,
        strain,
        *own,
        click.option("--tricks", type=int, help="Claimed, or conceded with --concede.  [default with --concede: all]"),
        played,
        past,
        click.option("--concede", is_flag=True, help="Concede the tricks instead of claiming them."),
        click.option("--certificate", type=path, metavar="FILE", help=whole),
        questions_file,
    )

    return functools.partial(_with, options)


def _what_is_known(trump: str, seen: str, history: str) -> tuple[Option, Option, Option, Option]:
    return (
        click.option("--hand", metavar="CARDS", help="What you hold now."),
        click.option("--trump", metavar="SUIT", help=trump),
        click.option("--seen", metavar="CARDS", default="", help=seen),
        click.option("--history", metavar="TRICKS", default="", help=history),
    )


def move_options(*own: Option, seen: str, history: str) -> Option:
    """What `move` asks for in every game of tricks: own options of the game come after the hand."""
    hand, _, played, past = _what_is_known("", seen, history)
    file = click.Path(dir_okay=False, path_type=Path)
    won = "Of tricks that are not in the history, how many your side took."
    options = (
        hand,
        *own,
        past,
        played,
        click.option("--won", type=click.IntRange(0), help=won),
        click.option("--game", type=file, metavar="FILE", help="A saved game instead, with --at."),
        click.option("--at", metavar="HAND.TRICK", help="Where in it: 3.2 is hand 3, trick 2; 3.2.2 its second card."),
    )
    return functools.partial(_with, options)


def _with(options: tuple[Option, ...], function: Any) -> Any:
    """The function with these options, in their order."""
    return functools.reduce(lambda made, option: option(made), reversed(options), function)


def hidden_hands_claim(*own: Option) -> Option:
    """What a claim asks for where two hands are hidden."""
    return claim_options(
        *hidden_hands("Who claims.", *own),
        click.option("--limit", type=click.IntRange(1), help="Positions a search may visit.  [default: 1000000]"),
        trump="S, H, D, C or NT.",
        seen="Cards no hidden hand holds: played, buried by you.",
        history="The tricks played, such as AH/QC/9H, the card led first.",
    )


def hidden_hands(who: str, *own: Option) -> tuple[Option, ...]:
    """What is asked wherever two hands are hidden."""
    return (
        click.option("--role", type=Words(_ROLES), default="declarer", show_default=True, help=who),
        *own,
        click.option("--lead", metavar="SEAT", help="Who leads the next trick, or has led the one under way."),
        click.option("--void", multiple=True, metavar="SEAT:SUIT", help="A suit that a hidden hand cannot hold."),
        click.option("--holds", multiple=True, metavar="SEAT:CARD", help="A card that a hidden hand surely holds."),
        click.option("--trick", metavar="CARDS", default="", help="The trick under way, in order of play."),
    )


def asks(game: str, *shared: Option) -> Callable[[Callable[..., Shown | None]], Callable[..., Shown | None]]:
    """The rest of a command that asks one question.

    Args:
        game: whose rules `rule_options` change; the function is given them read, as `options`.
        shared: the options of this file that come last; ``--json`` follows them.
    """

    def decorate(ask: Callable[..., Shown | None]) -> Callable[..., Shown | None]:
        @functools.wraps(ask)
        def command(**given: Any) -> Shown | None:
            from towerlab.analysis.catalog import find_game
            from towerlab.games.options import parse_options

            if "options" in given:
                given["options"] = parse_options(find_game(game).load("options"), given["options"])
            return ask(**given)

        asked: Callable[..., Shown | None] = _with((*shared, as_json), command)
        return asked

    return decorate


def example(*lines: str) -> str:
    """The end of a command's help: an example that works."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)
