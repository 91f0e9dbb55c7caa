"""How does a command line become an answer? The root command loads the command from `commands/`; errors are one line.

Example:
    towerlab upcard --hand "JS AS" --up 9S --seat nondealer
"""

import codecs
import copy
import errno
import io
import os
import signal
import sys
import threading
import unicodedata
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any

import click

from towerlab.commands import COMMANDS, GROUPS, Games, load_command, module_of
from towerlab.commands.options import wants_json
from towerlab.commands.question import docstring_of
from towerlab.games import cache_folder
from towerlab.games.errors import CardError, TowerlabError, did_you_mean, strip_controls

_PATHS = (
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP),
    *(errno.EACCES, errno.EPERM, errno.EROFS),
)
_AGAIN_SECONDS = 0.01
_LETTERS = dict(zip("♠♥♦♣–—−×≥≤Σ→·“”‘’", "SHDC---x><S>.\"\"''", strict=True)) | {"…": "...", "≥": ">=", "≤": "<="}


def main() -> None:
    """Entry point: every error is one line on stderr; 2 = the question is wrong, 1 = we failed."""
    _open_what_is_closed()
    _write_letters_where_symbols_cannot_be()
    end_tidily()
    cache_folder.announces_compiling = True
    try:
        _run()
        sys.stdout.flush()
    except click.ClickException as error:
        _stop(2, error.format_message() + _missing_quotes(sys.argv[1:], error) + _example(error))
    except TowerlabError as error:
        _stop(1 if getattr(error.__cause__, "errno", None) == errno.ENOSPC else 2, str(error))
    except (KeyboardInterrupt, click.Abort) as error:
        _stop(128 + getattr(error.__cause__ or error, "signal", signal.SIGINT), "interrupted")
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, MemoryError) as error:  # a path that cannot be was a wish; a full disk was not
        _stop(2 if getattr(error, "errno", None) in _PATHS else 1, f"failed: {error}")
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
    print("towerlab: " + " ".join(strip_controls(message).split()), file=sys.stderr)
    sys.exit(status)


def _missing_quotes(words: list[str], error: click.ClickException) -> str:
    """Return advice about ``--hand JS AS``, where the second card is an argument of its own."""
    if not isinstance(error, click.UsageError):
        return ""
    for option, first, second in zip(words, words[1:], words[2:], strict=False):
        if option.startswith("--") and _is_card(first) and _is_card(second):
            held = " ".join([first, *takewhile(_is_card, words[words.index(option) + 2 :])])
            return f'; several cards want quotes: {option} "{held}"'
    return ""


def _example(error: click.ClickException) -> str:
    """Return an example of a command that lacks an argument or an option."""
    if not isinstance(error, click.MissingParameter) or error.ctx is None:
        return ""
    lines = map(str.strip, (error.ctx.command.epilog or "").splitlines())
    examples = [line for line in lines if line.startswith(error.ctx.command_path)]
    return f" For example: {examples[0].rstrip(chr(92))}" if examples else ""


def _is_card(word: str) -> bool:
    from towerlab.games.cards import parse_card

    try:
        parse_card(word.rstrip(","))
    except CardError:
        return False
    return True


def _open_what_is_closed() -> None:
    """Read closed standard input (``<&-``) as an empty file, and discard closed output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


class _Ended(KeyboardInterrupt):
    """A signal that ends a program."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def end_tidily() -> None:
    """A program that is ended, or whose terminal is closed, keeps and removes what it does after Ctrl-C.

    numba takes a Generator apart with `ctypes.cast` and does not look for an exception there: one would crash the
    process. A signal that comes at that moment is sent again a little later.
    """

    def end(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_globals.get("__name__") == "ctypes":
            threading.Timer(_AGAIN_SECONDS, _send_to_main_thread, (number,)).start()
        else:
            raise _Ended(number)

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Windows has no terminal that says that it closes
            number = getattr(signal, name, None)
            usual = (signal.SIG_DFL, signal.default_int_handler)
            if number is not None and signal.getsignal(number) in usual:  # `nohup` ignores it
                signal.signal(number, end)


def _send_to_main_thread(number: int) -> None:
    """Send a signal so that it also ends a wait of the main thread, which a signal to another thread leaves waiting."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # Windows
        signal.raise_signal(number)


def _write_letters_where_symbols_cannot_be() -> None:
    """Write letters for suits (and hyphens for dashes) where the terminal's encoding has no suit symbols."""
    codecs.register_error("towerlab", _in_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().replace("-", "").startswith("utf"):
            stream.reconfigure(errors="towerlab")


def _in_letters(error: Exception) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(_letter, error.object[error.start : error.end])), error.end


def _letter(sign: str) -> str:
    return _LETTERS.get(sign) or unicodedata.normalize("NFKD", sign).encode("ascii", "replace").decode()[0]


class _Group(click.Group):
    """Commands that are imported by name on use; a mistyped one gets the nearest name."""

    what = "command"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            raise click.UsageError(f"unknown {self.what} {name!r}; {did_you_mean(name, self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


class _Root(_Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for, each with a line and the games that have it."""
        for title, lines in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line + _games_of(COMMANDS[name])) for name, line in lines.items()])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        place = COMMANDS.get(name)
        if isinstance(place, Games):
            return _GamesGroup(name, place)
        return None if place is None else load_command(place, name)


def _games_of(place: str | Games) -> str:
    """Return ``"  [bowers, towie]"``; nothing of a command whose argument is the game."""
    if isinstance(place, Games):
        games = {game for each in COMMANDS.values() if isinstance(each, Games) for game in each.names}
        return "  [every game]" if games == {*place.names} else f"  [{', '.join(place.names)}]"
    return "  [towers-and-bowers]" if place == module_of("towers-and-bowers") else ""


class _GamesGroup(_Group):
    """The commands of one name that several games have."""

    what = "game"

    def __init__(self, name: str, games: Games) -> None:
        super().__init__(name, help=next(lines[name] for lines in GROUPS.values() if name in lines))
        self._games = games

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._games.names)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._games.names:
            return None
        command = self._load(name)
        if name == self._games.default:  # its help is the group's as well
            command = copy.copy(command)
            command.epilog = self._examples()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the games, each with the first sentence of its command, whole."""
        with formatter.section("Games"):
            formatter.write_dl([(name, (self._load(name).help or "").split("\n\n")[0]) for name in self._games.names])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments; without a game the default one is put in, for --help as well."""
        if self._games.default is not None and (not args or args[0].startswith("-")):
            args = [self._games.default, *args]
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = self._examples()
        super().format_epilog(ctx, formatter)

    def _load(self, game: str) -> click.Command:
        return load_command(module_of(game), str(self.name))

    def _examples(self) -> str:
        """Return the examples of every game."""
        epilogs = [self._load(name).epilog or "" for name in self._games.names]
        return "\n".join([epilogs[0], *(epilog.split("\n", 2)[2] for epilog in epilogs[1:])])


def _print_version(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    if is_asked and not context.resilient_parsing:
        from towerlab.analysis.version import exact_version

        click.echo(f"towerlab {exact_version()}")
        context.exit()


@click.group(
    cls=_Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Every command has an example: towerlab COMMAND --help",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def towerlab() -> None:
    """Decide, prove and measure in five card games: Towers & Bowers, Bowers, Towie, Towers, Tower War."""


towerlab.help = docstring_of(towerlab.callback)  # type: ignore[arg-type]  # of a group there always is one


@towerlab.result_callback()
def show(answer: Any) -> None:
    """Print the answer of a command; None if the command has printed it."""
    if answer is not None:
        from towerlab.analysis import present

        present.show(answer, wants_json())
        sys.stdout.flush()
        if getattr(answer, "failed", False):
            sys.exit(1)
        if problem := getattr(answer, "unanswered", ""):  # the rest is answered and shown
            raise TowerlabError(problem)


if __name__ == "__main__":
    main()
