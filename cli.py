"""The command `towerlab`: parses, calls analysis, prints. No logic.

Every command imports what it needs inside its body, so that `towerlab --help` answers at once.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from games.errors import TowerlabError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])


# ------------------------------------------------------------------------------------------------------- the house


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


def until(function: Function) -> Function:
    """The anytime-valid stopping rule of a sampled command."""
    function = click.option(
        "--until-decided", is_flag=True, help="Stop as soon as a 95 % interval valid at every look decides."
    )(function)
    return click.option(
        "--until-width", type=float, metavar="W", help="Stop as soon as that interval is this narrow, such as 0.005."
    )(function)


def out(help: str) -> Callable[[Function], Function]:
    return click.option("--out", type=click.Path(path_type=Path), help=help)


def questions_file(function: Function) -> Function:
    """``--from FILE.csv`` answers a table of questions into ``--out``."""
    function = out("Where the answers to --from go: .csv, .json or .parquet.  [default: CSV on stdout]")(function)
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    help = "A CSV of questions; its columns are named like the options."
    return click.option("--from", "source", type=file, metavar="FILE.csv", help=help)(function)


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


@towerlab.command(epilog=example("towerlab players towers-and-bowers"))
@click.argument("game")
@as_json
def players(game: str, as_json: bool) -> None:
    """List the players that `simulate` knows for GAME, one line each."""
    from analysis import present
    from analysis.catalog import find_game

    known = find_game(game).load("players")
    if as_json:
        present.print_json({"game": game, "players": [{"name": name, "help": help} for name, help in known.items()]})
        return
    table = present.table("player", "how he plays")
    table.columns[1].justify = "left"
    for name, help in known.items():
        table.add_row(name, help)
    present.console().print(table)


@towerlab.command(
    epilog=example(
        "towerlab simulate towers-and-bowers --players pimc,family --games 2000",
        "towerlab simulate towers-and-bowers --players pimc,family --games 100000 --until-decided",
    )
)
@click.argument("game")
@click.option("--players", required=True, metavar="A,B[,C…]", help="Who plays; `towerlab players GAME` lists them.")
@click.option("--games", type=click.IntRange(1), required=True, help="Units to play (at most, with --until-…).")
@click.option("--unit", metavar="UNIT", help="What is counted: match, tower, hand.  [default: the game's first]")
@click.option("--cards", type=click.IntRange(1), help="Hand size, where the game has several.")
@until
@rule_options
@seed
@jobs
@quiet
@as_json
def simulate(
    game: str,
    players: str,
    games: int,
    unit: str | None,
    cards: int | None,
    until_width: float | None,
    until_decided: bool,
    options: tuple[str, ...],
    seed: int,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let players play GAME against each other, seats rotating, and count who wins."""
    from analysis import present
    from analysis.catalog import find_game
    from analysis.present.simulation import simulation_report
    from analysis.simulation import simulate
    from analysis.stats import StoppingRule
    from games.options import parse_options

    found = find_game(game)
    result = simulate(
        found,
        [name.strip() for name in players.split(",")],
        games,
        unit=unit,
        cards=cards,
        options=parse_options(found.load("options"), options),
        seed=seed,
        jobs=jobs,
        quiet=quiet,
        until=StoppingRule(until_width, until_decided),
    )
    if as_json:
        present.print_json(result.to_json())
    else:
        present.console().print(simulation_report(result))


@towerlab.command(epilog=example("towerlab study towers-and-bowers tournament --out tournament --seed 1"))
@click.argument("game")
@click.argument("name")
@out("Folder of the study: tables, summary, manifest, chunks.  [default: ./GAME-NAME]")
@click.option("--resume", is_flag=True, help="Go on in a folder where the study was interrupted.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Change a parameter of the study.")
@rule_options
@seed
@jobs
@quiet
@as_json
def study(
    game: str,
    name: str,
    out: Path | None,
    resume: bool,
    scheduler: str | None,
    assignments: tuple[str, ...],
    options: tuple[str, ...],
    seed: int,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run the study NAME of GAME in parallel, into a folder that survives interruptions."""
    from analysis import present
    from analysis.catalog import find_study
    from analysis.present.study import study_report
    from analysis.study import parse_parameters, run_study

    found = find_study(game, name)
    parameters = parse_parameters(found, assignments, options)
    if out is None:
        out = Path(f"{game}-{name}")
        present.note(f"writing to {out}", quiet)
    result = run_study(
        found,
        out,
        seed=seed,
        jobs=jobs,
        resume=resume,
        scheduler=scheduler,
        quiet=quiet,
        parameters=parameters,
    )
    if as_json:
        present.print_json({"game": game, "study": name, "out": str(out), "seed": seed, "summary": result.summary})
    else:
        present.console().print(study_report(found, result, out))


@towerlab.command(epilog=example("towerlab report towers-and-bowers --out reports/towers-and-bowers"))
@click.argument("game")
@out("Folder of the report.  [default: reports/GAME]")
@seed
@jobs
@quiet
def report(game: str, out: Path | None, seed: int, jobs: int | None, quiet: bool) -> None:
    """Write the strategy report of GAME: one HTML page and its tables."""
    from analysis import present
    from analysis.catalog import find_game

    write_report = find_game(game).load("report")
    folder = out or Path("reports") / game
    write_report(folder, seed=seed, jobs=jobs, quiet=quiet)
    present.note(f"report written to {folder}", quiet)


@towerlab.command(epilog=example("towerlab warmup", "towerlab warmup towers-and-bowers"))
@click.argument("game", required=False)
@quiet
def warmup(game: str | None, quiet: bool) -> None:
    """Compile the kernels of GAME, or of all games, so that the next answer comes at once."""
    from analysis.catalog import warm_up

    warm_up(game, quiet)


# ------------------------------------------------------------------------------------------------ Towers & Bowers


@towerlab.command(
    epilog=example(
        'towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer',
        'towerlab upcard --hand "AH KH 9C" --up JD --seat dealer --second-round --json',
    )
)
@click.option("--hand", metavar="CARDS", help="Your 1 to 7 dealt cards, without the up-card.")
@click.option("--up", metavar="CARD", help="The up-card.")
@click.option("--seat", type=click.Choice(["dealer", "nondealer"]), help="Where you sit.")
@click.option("--second-round", is_flag=True, help="The up-card was turned down: which suit to name, or pass?")
@click.option("--method", type=click.Choice(["pimc"]), help="How later play is modelled.  [default: pimc]")
@questions_file
@rule_options
@quiet
@as_json
def upcard(
    source: Path | None, out: Path | None, options: tuple[str, ...], quiet: bool, as_json: bool, **question: Any
) -> None:
    """Should I accept the up-card? Exact over every hand the opponent can hold."""
    from analysis import present
    from analysis.present.upcard import upcard_report
    from analysis.questions import answer_asked_file, require
    from analysis.upcard import COLUMNS, answer_row, read_question
    from games.options import parse_options
    from games.towers_and_bowers import TowersAndBowersOptions

    rules = parse_options(TowersAndBowersOptions, options)
    if source is not None or out is not None:
        answer_asked_file(source, out, question, COLUMNS, lambda row: answer_row(row, rules), as_json)
        return
    require(question, "hand", "up", "seat")
    asked = read_question(**question)
    present.note_compiling("solver.upcard", quiet)
    answer = asked.answer(rules)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(upcard_report(answer))


@towerlab.command(
    epilog=example(
        'towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5',
        'towerlab claim --hand "9H TH" --trump H --history "AH/QC" --first-lead me --tricks 2',
        'towerlab claim --hand "TS 9S 9C" --trump H --lead them --concede',
    )
)
@click.option("--hand", metavar="CARDS", help="What you hold now.")
@click.option("--trump", metavar="SUIT", help="S, H, D or C.")
@click.option("--lead", type=click.Choice(["me", "them"]), help="Who leads the next trick, or led the one under way.")
@click.option("--tricks", type=int, help="Tricks claimed; with --concede conceded.  [default with --concede: all]")
@click.option("--seen", metavar="CARDS", default="", help="Cards the opponent cannot hold: played, turned down, …")
@click.option("--opponent-void", multiple=True, metavar="SUIT", help="A suit he cannot hold (the left bower is trump).")
@click.option("--opponent-holds", multiple=True, metavar="CARD", help="A card he surely holds, such as the up-card.")
@click.option("--opponent-cards", type=int, help="How many cards he holds.  [default: follows from the rest]")
@click.option("--history", metavar="TRICKS", default="", help='Tricks played: "9C/AC AH/QC"; the last may be "AH/".')
@click.option("--first-lead", type=click.Choice(["me", "them"]), help="Who led the first trick of the history.")
@click.option("--concede", is_flag=True, help="Concede the tricks instead of claiming them.")
@questions_file
@rule_options
@quiet
@as_json
def claim(
    source: Path | None, out: Path | None, options: tuple[str, ...], quiet: bool, as_json: bool, **question: Any
) -> None:
    """Prove or refute a claim of tricks, or a concession, in Towers & Bowers.

    A claim is sound if one way of playing takes the tricks against every hand the opponent can hold.
    """
    from analysis import claims, present
    from analysis.present.claims import report
    from analysis.questions import answer_asked_file, require
    from games.options import parse_options
    from games.towers_and_bowers import TowersAndBowersOptions

    first_n = parse_options(TowersAndBowersOptions, options).first_n
    if source is not None or out is not None:
        answer_asked_file(source, out, question, claims.COLUMNS, lambda row: claims.answer_row(row, first_n), as_json)
        return
    require(question, "hand", "trump")
    asked = claims.read_question(**question, first_n=first_n)
    present.note_compiling("solver.refutation", quiet)
    answer = asked.answer()
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(report(answer))


@towerlab.command(
    epilog=example(
        "towerlab review tests/golden/towers-and-bowers-match.jsonl",
        "towerlab review tests/golden/towers-and-bowers-match.jsonl --out review.html",
    )
)
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@out("Where the page goes: FILE.html.  [default: no page]")
@quiet
@as_json
def review(transcript: Path, out: Path | None, quiet: bool, as_json: bool) -> None:
    """Grade a recorded match of Towers & Bowers: what every decision cost, and what was luck.

    TRANSCRIPT holds the JSON lines of a match, finished or not. A cost is in mt, thousandths of a tower.
    """
    from analysis import present
    from analysis.present.review import review_report
    from analysis.report.review import check_page_path, write_review
    from analysis.review import review_file

    if out is not None:
        check_page_path(out)
    present.note_compiling("solver.play_values", quiet)
    graded = review_file(transcript)
    if out is not None:
        write_review(out, graded, shlex.join(["towerlab", "review", str(transcript), "--out", str(out)]))
        present.note(f"page written to {out}", quiet)
    if as_json:
        present.print_json(graded.to_json())
    else:
        present.console().print(review_report(graded))


@towerlab.group(cls=GameCommands)
def solve() -> None:
    """Best play when all cards are seen."""


@solve.command(
    "towers-and-bowers",
    epilog=example('towerlab solve towers-and-bowers --trump H --leader "JH 9S" --follower "AH AS"'),
)
@click.option("--trump", required=True, metavar="SUIT", help="S, H, D or C.")
@click.option("--leader", required=True, metavar="CARDS", help="The hand that leads, 1 to 7 cards.")
@click.option("--follower", required=True, metavar="CARDS", help="The other hand, as many cards.")
@quiet
@as_json
def solve_towers_and_bowers(trump: str, leader: str, follower: str, quiet: bool, as_json: bool) -> None:
    """Tricks of two hands, of every lead, and a line of best play."""
    from analysis import present
    from analysis.open_hands import solve_open_hands
    from analysis.present.upcard import open_hands_report

    present.note_compiling("solver.tablebase", quiet)
    answer = solve_open_hands(leader, follower, trump)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(open_hands_report(answer))


# ------------------------------------------------------------------------------------------------------- Tower War


@towerlab.group(cls=GameCommands)
def step() -> None:
    """Score a move or a battle as it was played."""


@step.command(
    "tower-war",
    epilog=example(
        'towerlab step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"',
        'towerlab step tower-war --mine "TC 9C X1=TC" --theirs "AS KS 9D" --leader them',
    ),
)
@click.option("--mine", required=True, metavar="CARDS", help="My cards in the order played; a joker as X1=TC.")
@click.option("--theirs", required=True, metavar="CARDS", help="Their cards in the order played.")
@click.option("--leader", type=click.Choice(["me", "them"]), default="me", show_default=True, help="Who led.")
@rule_options
@as_json
def step_tower_war(mine: str, theirs: str, leader: str, options: tuple[str, ...], as_json: bool) -> None:
    """Score a battle: values when played, who adds pyramids, who loses."""
    from analysis import present
    from analysis.present.tower_war import battle_report
    from analysis.tower_war import step_battle
    from games.options import parse_options
    from games.tower_war import TowerWarOptions

    answer = step_battle(mine, theirs, leader, parse_options(TowerWarOptions, options))
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(battle_report(answer))


def pools(function: Function) -> Function:
    function = click.option("--theirs", default="", metavar="CARDS", help="What they have drafted before.")(function)
    return click.option("--mine", default="", metavar="CARDS", help="What I have drafted before.")(function)


@towerlab.group(cls=GameCommands)
def split() -> None:
    """Divide the cards of a draft."""


@split.command(
    "tower-war",
    epilog=example('towerlab split tower-war --cards "AH TC 6C 9S X1" --mine "KC QC" --theirs "AS 9H 2D"'),
)
@click.option("--cards", required=True, metavar="CARDS", help="The five cards dealt.")
@pools
@click.option("--third-stash", metavar="LLMS…", help="Advanced draft: what is left of it.  [default: all fifteen]")
@rule_options
@as_json
def split_tower_war(
    cards: str, mine: str, theirs: str, third_stash: str | None, options: tuple[str, ...], as_json: bool
) -> None:
    """Find the best division of five cards, and what each pile is worth."""
    from analysis import present
    from analysis.present.tower_war import split_report
    from analysis.tower_war import split_cards
    from games.options import parse_options
    from games.tower_war import TowerWarOptions

    answer = split_cards(cards, mine, theirs, parse_options(TowerWarOptions, options), third_stash)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(split_report(answer))


@towerlab.group(cls=GameCommands)
def pick() -> None:
    """Choose between the piles of a draft."""


@pick.command(
    "tower-war",
    epilog=example('towerlab pick tower-war --piles "AH TC | 6C 9S 2D" --mine "KC QC" --theirs "AS 9H 3D"'),
)
@click.option("--piles", required=True, metavar="'CARDS | CARDS'", help="The two piles.")
@pools
@click.option("--pyramids", default="", metavar="LLS…", help="Advanced draft: pyramids beside one of the piles.")
@click.option("--beside", type=click.Choice(["first", "second"]), default="first", help="The pile they lie beside.")
@rule_options
@as_json
def pick_tower_war(
    piles: str, mine: str, theirs: str, pyramids: str, beside: str, options: tuple[str, ...], as_json: bool
) -> None:
    """Find the better of two piles."""
    from analysis import present
    from analysis.present.tower_war import pick_report
    from analysis.tower_war import pick_pile
    from games.options import parse_options
    from games.tower_war import TowerWarOptions

    chosen = parse_options(TowerWarOptions, options)
    answer = pick_pile(piles, mine, theirs, chosen, pyramids, ("first", "second").index(beside))
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(pick_report(answer))


@towerlab.group(cls=GameCommands)
def build() -> None:
    """Choose a deck out of what was drafted."""


@build.command(
    "tower-war",
    epilog=example('towerlab build tower-war --pool "AC KC QC TC 8C 5C AH KH 9H 8H 7S 5S 4D 3D TD 9D 2S JS X1"'),
)
@click.option("--pool", required=True, metavar="CARDS", help="The cards drafted.")
@rule_options
@as_json
def build_tower_war(pool: str, options: tuple[str, ...], as_json: bool) -> None:
    """Find the best fifteen cards of a pool, by looking at every fifteen where they are up to four million."""
    from analysis import present
    from analysis.present.tower_war import build_report
    from analysis.tower_war import build_deck
    from games.options import parse_options
    from games.tower_war import TowerWarOptions

    answer = build_deck(pool, parse_options(TowerWarOptions, options))
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(build_report(answer))


# ---------------------------------------------------------------------------------------------------------- Towers


@step.command(
    "towers",
    epilog=example(
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4',
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | 4" --raze 2',
    ),
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--play", metavar="CARD:COLUMN", help="A card and its column 1..4, or two for a bridge: J:4, 5:2-3.")
@click.option("--raze", type=int, metavar="COLUMN", help="Raze a tower instead, forced or not.")
@rule_options
@as_json
def step_towers(board: str, play: str | None, raze: int | None, options: tuple[str, ...], as_json: bool) -> None:
    """Play one card or raze one tower, and show what is destroyed step by step."""
    from analysis import present
    from analysis.present.towers import step_report
    from analysis.towers import step
    from games.options import parse_options
    from games.towers import TowersOptions

    answer = step(board, play, raze, parse_options(TowersOptions, options))
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(step_report(answer))


@towerlab.group(cls=GameCommands)
def move() -> None:
    """Rank the legal plays of a position."""


@move.command(
    "towers",
    epilog=example(
        'towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"',
        'towerlab move towers --board "8 5 Tb | Q 9 Tb | K | -" --hand "5 3" --gone "A A J J" --seconds 5',
    ),
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--hand", required=True, metavar="RANKS", help="The hand of the player on turn.")
@click.option("--gone", default="", metavar="RANKS", help="Cards out of the game.  [default: none]")
@click.option("--players", type=int, default=2, show_default=True, help="Players at the table.")
@click.option("--samples", type=int, default=1000, show_default=True, help="Deals of the unseen cards.")
@click.option("--seconds", type=float, help="Deal for so long instead.")
@rule_options
@seed
@quiet
@as_json
def move_towers(
    board: str,
    hand: str,
    gone: str,
    players: int,
    samples: int,
    seconds: float | None,
    options: tuple[str, ...],
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Rank every legal play by the expected difference of points; exact once all cards are known."""
    from analysis import present
    from analysis.present.towers import move_report
    from analysis.towers import move
    from games.options import parse_options
    from games.towers import TowersOptions

    answer = move(
        board,
        hand,
        gone,
        players,
        parse_options(TowersOptions, options),
        samples=samples,
        seconds=seconds,
        seed=seed,
        on_start=lambda: present.note_compiling("solver.towers.search", quiet),
    )
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(move_report(answer))


# ------------------------------------------------------------------------------------------- Bowers and Towie


@solve.command(
    "bowers",
    epilog=example(
        'towerlab solve bowers --trump C --declarer "JC JS AC 9H" --left "KC QC AH KH" --right "TC 7C AD 7H"',
        'towerlab solve bowers --trump NT --declarer "7S 8H" --left "8S 7H" --right "9S 9H" --lead left --misere',
    ),
)
@click.option("--trump", required=True, metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--declarer", required=True, metavar="CARDS", help="The declarer's hand.")
@click.option("--left", required=True, metavar="CARDS", help="The hand on his left.")
@click.option("--right", required=True, metavar="CARDS", help="The hand on his right.")
@click.option(
    "--lead", type=click.Choice(["declarer", "left", "right"]), default="declarer", show_default=True, help="Who leads."
)
@click.option("--misere", is_flag=True, help="The declarer wants as few tricks as possible.")
@click.option("--at-least", type=int, metavar="K", help="Also say whether the declarer takes at least so many.")
@quiet
@as_json
def solve_bowers(
    trump: str,
    declarer: str,
    left: str,
    right: str,
    lead: str,
    misere: bool,
    at_least: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Solve three open hands: the declarer against the other two."""
    from analysis import double_dummy, present
    from analysis.present.double_dummy import report

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = double_dummy.solve_bowers(declarer, left, right, trump=trump, lead=lead, misere=misere, at_least=at_least)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(report(answer))


@solve.command(
    "towie",
    epilog=example(
        'towerlab solve towie --deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.." --trump NT --lead W',
        'towerlab solve towie --deal "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763" '
        "--trump S --lead W --table",
    ),
)
@click.option("--deal", required=True, metavar="PBN", help='"N:AKQ.J2..T9 …": hands clockwise, suits S.H.D.C.')
@click.option("--trump", required=True, metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--lead", required=True, metavar="SEAT", help="Who leads: N, E, S or W.")
@click.option("--table", is_flag=True, help="Also the tricks of every declarer in every trump.")
@quiet
@as_json
def solve_towie(deal: str, trump: str, lead: str, table: bool, quiet: bool, as_json: bool) -> None:
    """Solve four open hands: North and South against East and West."""
    from analysis import double_dummy, present
    from analysis.present.double_dummy import report

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = double_dummy.solve_towie(deal, trump=trump, lead=lead, table=table)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(report(answer))


if __name__ == "__main__":
    main()
