"""The root command, how every mistake is answered, and the groups whose commands are games."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from games.errors import TowerlabError, did_you_mean


def main() -> None:
    """Entry point: every error is one line on stderr; 2 = the question is wrong, 1 = we failed."""
    try:
        _run()
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


def _run() -> None:
    try:
        towerlab.main(prog_name="towerlab", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as bare:  # `towerlab` or `towerlab solve` alone: no mistake
        print(bare.format_message())


def _stop(status: int, message: str) -> None:
    print("towerlab: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(status)


class Commands(click.Group):
    """A group that answers a mistyped command with the nearest one."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            hint = did_you_mean(name, self.list_commands(ctx))
            raise click.UsageError(f"unknown {self.what()} {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def what(self) -> str:
        return "command"


class GameCommands(Commands):
    """A group whose commands are games."""

    def what(self) -> str:
        return "game"


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Every command has an example: towerlab COMMAND --help",
)
@click.version_option(package_name="towerlab")
def towerlab() -> None:
    """Decide, prove and measure in five card games: Towers & Bowers, Bowers, Towie, Towers, Tower War."""


@towerlab.group(cls=GameCommands)
def solve() -> None:
    """Best play when all cards are seen."""


@towerlab.group(cls=GameCommands)
def step() -> None:
    """Score a move or a battle as it was played."""


@towerlab.group(cls=GameCommands)
def bid() -> None:
    """Find the best call of an auction."""
