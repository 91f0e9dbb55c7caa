"""The words that Tab offers after a command: games, and those of the game that was typed; none where it is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from towerlab.games.errors import TowerlabError


def games(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from towerlab.analysis.catalog import GAMES

    return _beginning(typed, GAMES)


def studies(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    return _beginning(typed, _part(ctx, "studies") or ())


def players(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the last of several names with commas between them."""
    before, comma, last = typed.rpartition(",")
    return [before + comma + name for name in _beginning(last, _part(ctx, "players") or ())]


def options(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    from towerlab.games.options import describe_options

    kind = _part(ctx, "options")
    return _beginning(typed, [f"{option.name}=" for option in describe_options(kind)] if kind else [])


def _part(ctx: click.Context, part: str) -> Any:
    """Of the game that was typed; None where there is none."""
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
