"""The command `towerlab`: parses, calls analysis, prints. No logic.

Every command imports what it needs inside its body, so that `towerlab --help` answers at once.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from games.errors import TowerlabError

Function = TypeVar("Function", bound=Callable[..., Any])


# ------------------------------------------------------------------------------------------------------- the house


def main() -> None:
    """Entry point: every error is one line on stderr; 2 = the question is wrong, 1 = we failed."""
    try:
        towerlab.main(prog_name="towerlab", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        _stop(2, error.format_message())
    except TowerlabError as error:
        _stop(2, str(error))
    except (KeyboardInterrupt, click.Abort):
        _stop(130, "interrupted")
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, MemoryError) as error:
        _stop(1, f"failed: {error}")
    except Exception as error:
        if os.environ.get("TOWERLAB_TRACEBACK"):
            raise
        _stop(1, f"failed inside: {type(error).__name__}: {error}; TOWERLAB_TRACEBACK=1 shows where")


def _stop(status: int, message: str) -> None:
    print("towerlab: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(status)


class Commands(click.Group):
    """A group that answers a mistyped command with the nearest one."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"expected one of: {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(f"unknown {self.what()} {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def what(self) -> str:
        return "command"


class GameCommands(Commands):
    """A group whose commands are games."""

    def what(self) -> str:
        return "game"


def as_json(function: Function) -> Function:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def quiet(function: Function) -> Function:
    return click.option("--quiet", is_flag=True, help="No notes and no progress on stderr.")(function)


def rule_options(function: Function) -> Function:
    return click.option(
        "--option", "options", multiple=True, metavar="NAME=VALUE", help="A rule option; `towerlab options GAME` lists."
    )(function)


def jobs(function: Function) -> Function:
    return click.option("--jobs", type=click.IntRange(1), help="Worker processes.  [default: all cores]")(function)


def seed(function: Function) -> Function:
    return click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")(function)


def out(help: str) -> Callable[[Function], Function]:
    return click.option("--out", type=click.Path(path_type=Path), help=help)


def example(*lines: str) -> str:
    """The end of a command's help: an example that works."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Every command has an example: towerlab COMMAND --help",
)
@click.version_option(package_name="towerlab")
def towerlab() -> None:
    """Decide, prove and measure in five card games: Towers & Bowers, Bowers, Towie, Towers, Tower War."""


# ------------------------------------------------------------------------------------------------- all five games


@towerlab.command(epilog=example("towerlab options towers-and-bowers"))
@click.argument("game")
@as_json
def options(game: str, as_json: bool) -> None:
    """List the rule options of GAME, their defaults and the rules they belong to."""
    from analysis import present
    from analysis.catalog import find_game
    from games.options import describe_options

    entries = describe_options(find_game(game).load("options"))
    if as_json:
        present.print_json({"game": game, "options": [vars(entry) for entry in entries]})
        return
    table = present.table("option", "default", "expected", "rule", "meaning")
    for column in table.columns:
        column.justify = "left"
    for entry in entries:
        table.add_row(entry.name, str(entry.default).lower(), entry.expected, entry.rule, entry.help)
    present.console().print(table)


if __name__ == "__main__":
    main()
