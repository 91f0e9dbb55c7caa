"""Which commands are for playing? `play`, `record`, `serve`, `show`, `review`, `train`; and the questions that `serve`
has forms for.

    towerlab play bowers
"""

from __future__ import annotations

import functools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towerlab.commands import COMMANDS, GROUPS, Games, load_command, module_of
from towerlab.commands.options import (
    SEAT,
    as_json,
    command,
    complete_games,
    complete_players,
    jobs,
    note_replaced,
    out_option,
    quiet,
    rule_options,
)
from towerlab.games.cache_folder import run_first_in_python

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown
    from towerlab.web.questions import QuestionForm


_OTHERS = "Who plays the other seats: of `towerlab players GAME`, your own module:Player, a strategy FILE.parquet."
_GAMES = "A folder of your games: begin with the decisions that cost you most in them."
_BEGIN = "Begin in the middle of a match: score, dealer, cards (Towers & Bowers), factor (Bowers), games (Towie)."
_WHOSE = "Whose decisions.  [default: everybody's]"


@command
@click.argument("game", required=False, shell_complete=complete_games)
@click.option("--against", metavar="A[,B…]", shell_complete=complete_players, help=_OTHERS)
@click.option("--seat", type=SEAT, help="Where you sit.  [default: 1; in Tower War drawn]")
@click.option("--people", type=click.IntRange(1), default=1, show_default=True, help="How many share the screen.")
@click.option("--advice", type=click.Choice(["off", "ask", "always"]), default="ask", show_default=True)
@click.option("--by-hand", is_flag=True, help="Cut, sort and turn up cards yourself; play what an early stop leaves.")
@click.option("--lesson", is_flag=True, help="A first game of three hands, explained (Towers & Bowers).")
@click.option("--record", type=click.Path(path_type=Path), help="Where the game is saved.  [default: your data folder]")
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a saved game.")
@click.option("--seed", type=click.IntRange(0), help="Of the cards and draws.  [default: drawn]")
@rule_options
def play(advice: str, **options: Any) -> None:
    """Play GAME in the terminal, against players of the simulator or with people at one screen.

    Answers are numbers or cards; ? asks for advice, u takes back, s saves, q leaves. Every action is saved at once.
    Lines from a pipe are answers as well.

    Example:
        towerlab play towers-and-bowers
        towerlab play towers-and-bowers --lesson
        towerlab play bowers --against pimc,novice --advice always
        towerlab play towers --record game.jsonl
        towerlab play --resume game.jsonl
    """
    from towerlab.table.commanding import open_session
    from towerlab.table.play import play_at_terminal

    with run_first_in_python():
        play_at_terminal(open_session(**options), advice)


@command
@click.argument("game", required=False, shell_complete=complete_games)
@click.option("--seat", type=SEAT, default=1, show_default=True, help="Where you sat.")
@click.option("--out", "record", type=click.Path(path_type=Path), help="Where it goes.  [default: your data folder]")
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a record.")
@click.option("--begin", multiple=True, metavar="NAME=N[,N…]", help=_BEGIN)
@rule_options
def record(**options: Any) -> None:
    """Enter a real game of GAME as you saw it at the table, for `towerlab review`.

    Your cards, the up-card, calls, cards as they fell, one by one or many in a line (9C/AC AH/QC); ? for what you did
    not see. Cards that leave another hand face down and your own forced ones are not asked for. #7 QC changes the
    seventh answer; what cannot have been is refused.

    Example:
        towerlab record towers-and-bowers --out match.jsonl
        towerlab record towers-and-bowers --begin score=1,2 --begin cards=4 --begin dealer=1
        towerlab record --resume match.jsonl
    """
    from towerlab.table.commanding import open_recording
    from towerlab.table.play import record_at_terminal

    with run_first_in_python():
        record_at_terminal(open_recording(**options))


@command
@click.argument("game")
@click.option("--folder", type=click.Path(path_type=Path), help="Where it is kept.  [default: your data folder]")
@click.option("--games", type=click.Path(exists=True, file_okay=False, path_type=Path), help=_GAMES)
@click.option("--series", metavar="KIND", default="", help="Only decisions of a kind: call, card, discard, take, cap.")
def train(game: str, folder: Path | None, games: Path | None, series: str) -> None:
    """Answer puzzles of GAME, easy ones first, until they are right.

    A puzzle is a decision whose best answer leads by a mistake; the advice of `play` grades it; the best action
    and the reason follow. A wrong answer comes back after 2, 5, 12 and 30 others. The rating, after 20 puzzles, is the
    mean cost of your first answers, with a 95 % interval.

    Example:
        towerlab train towers-and-bowers
        towerlab train towers-and-bowers --series discard
        towerlab train bowers --folder training
    """
    from towerlab.analysis.saved_games import default_folder
    from towerlab.table.commanding import open_training
    from towerlab.table.play import train_at_terminal

    with run_first_in_python():
        train_at_terminal(open_training(game, folder or default_folder() / "training", games, series))


@command
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 for any that is free.")
@click.option("--no-browser", is_flag=True, help="Do not open a page.")
@click.option("--against", default="", metavar="A[,B…]", help="Your own players, module:Player, offered besides ours.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where games are saved.  [default: your data folder]")
@quiet
def serve(port: int, no_browser: bool, against: str, folder: Path | None, quiet: bool) -> None:
    """Play, be advised, ask and look back in a browser on this computer.

    Open the printed address: it holds a key, without which no page is shown. Every page with ?format=json
    (&format=json after other fields) is the same as JSON.

    Example:
        towerlab serve
        towerlab serve --port 8090 --no-browser
    """
    from towerlab.analysis.saved_games import default_folder
    from towerlab.web.serving import serve as run

    own = [name for name in against.split(",") if name]
    with run_first_in_python():
        run(folder or default_folder(), port, not no_browser, quiet, questions=question_forms(), own=own)


@command
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only say whether it can be played: one line.")
@click.option("--pbn", is_flag=True, help="Towie: the played deals in the Portable Bridge Notation.")
@as_json
def show(transcript: Path, check: bool, pbn: bool) -> Shown:
    """Print a recorded game in words, card by card, all hands open.

    Example:
        towerlab simulate towie --players novice,novice,novice --games 1 --transcripts towie.jsonl
        towerlab show towie.jsonl
        towerlab show towie.jsonl --pbn
        towerlab show towie.jsonl --check
    """
    from rich.text import Text

    from towerlab.analysis import present
    from towerlab.table.commanding import of_every_game, show_all
    from towerlab.table.showing import to_pbn

    if pbn:
        deals = of_every_game(transcript, to_pbn)
        return present.Listing({"pbn": deals}, Text("\n".join(deals)))
    games = show_all(transcript)
    shown = present.join_answers(games)
    lines = [f"{transcript}: a sound game of {game.title}, {game.actions} actions. {game.verdict}" for game in games]
    return present.Listing(shown.to_json(), Text("\n".join(lines))) if check else shown


@command
@click.argument("transcript", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--reference",
    metavar="equilibrium|pimc|PLAYER",
    default="equilibrium",
    help="Towers & Bowers: what grades bids and discards.  [default: equilibrium where it is at hand, else pimc] "
    "Or a player, such as your own module:Player, whose answers are graded as well.",
)
@click.option("--seat", "seats", type=SEAT, multiple=True, help=_WHOSE)
@out_option("The page: FILE.html; for bridge deals the cost of each card: .csv, .json or .parquet.")
@jobs
@quiet
@as_json
def review(
    transcript: Path, reference: str, seats: tuple[int, ...], out: Path | None, jobs: int | None, quiet: bool
) -> Shown:
    """Grade a recorded game: the cost of every decision; in Towers & Bowers also the luck.

    TRANSCRIPT holds the JSON lines of a game, finished or not; bridge deals (PBN or LIN); or a folder of games. Costs
    in Towers & Bowers are percentage points of the chance to win the tower (in the JSON mt, a tenth of one);
    indifferent bids and discards cost nothing; below 2 points a decision is good enough, as in `train`. In the other
    games costs are points of the game, from layouts of the cards that the player could not see. For bridge deals they
    are double-dummy tricks, of every card, opening lead and claim, and in all of every player. For a folder they are
    means over its games by kind of decision, the largest first, with 95 % intervals over games. Players are numbered
    from 1, in the JSON from 0.

    Example:
        towerlab simulate towers-and-bowers --players novice,family --games 1 --transcripts tb.jsonl
        towerlab review tb.jsonl
        towerlab review tb.jsonl --out review.html
        towerlab review tb.jsonl --seat 1
    """
    from towerlab.analysis import present
    from towerlab.analysis.saved_games import check_page_path
    from towerlab.analysis.whole_files import write_whole
    from towerlab.games.untrusted import FORMATS, suffix_of
    from towerlab.table.commanding import review_all
    from towerlab.web.reviews import review_page

    format = FORMATS.get(suffix_of(transcript))
    if format is not None and format.of_deals:
        from towerlab.analysis.towie.played import review_boards

        with note_replaced(out, quiet=quiet):
            return review_boards(transcript, out, jobs=jobs, quiet=quiet)
    if transcript.is_dir():
        from towerlab.table.many_games import review_folder

        if out is not None:
            raise click.UsageError("--out is the page of one game; expected a file, or a folder without --out")
        return review_folder(
            transcript, reference, seats or None, lambda name: present.note(f"reviewing {name}", quiet)
        )
    if out is not None:
        check_page_path(out)

    graded = review_all(transcript, reference, seats or None, quiet)
    for caution in (game.grading.caution for game in graded if game.grading.caution):
        present.note(caution, quiet)
    if out is not None:
        command = ["towerlab", "review", str(transcript), "--reference", reference, "--out", str(out)]
        for number, game in enumerate(graded, 1):
            page = out if len(graded) == 1 else out.with_stem(f"{out.stem}-{number}")
            with note_replaced(page, quiet=quiet):
                write_whole(page, review_page(game, alone=True, command=shlex.join(command)))
            present.note(f"page written to {page}", quiet)
    return present.join_answers(graded)


def question_forms() -> list[QuestionForm]:
    """Return the questions under "Ask" whose arguments are all options, in that order, without what answers them."""
    from towerlab.web.questions import QuestionForm

    forms = []
    for name in GROUPS["Ask"]:
        place = COMMANDS[name]
        for game in place.names if isinstance(place, Games) else (str(place).replace("_", "-"),):
            load = functools.partial(load_command, module_of(game), name)
            if not any(isinstance(parameter, click.Argument) for parameter in load().params):
                forms.append(QuestionForm(f"{name}/{game}" if isinstance(place, Games) else name, load, game))
    return forms
