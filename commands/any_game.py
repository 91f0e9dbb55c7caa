"""What has every game? Commands for options, rules, players, studies, reports, and for compiling all of it beforehand.

Example:
    towerlab rules bowers BO-10

    towerlab options towers-and-bowers
"""

from __future__ import annotations

import functools
import importlib
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towerlab.commands import load_command, module_of
from towerlab.commands.options import (
    as_json,
    command,
    complete_games,
    complete_studies,
    jobs,
    out_option,
    quiet,
    rule_options,
    seed,
)
from towerlab.commands.question import Question

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown
    from towerlab.analysis.study import Study

_PAGES = "`explorer`, `puzzles`"
_STUDY = "towerlab.study"  # where a context keeps the words after `study`


@command
@click.argument("game", shell_complete=complete_games)
@as_json
def options(game: str) -> Shown:
    """List the rule options of GAME, their defaults and the rules they belong to.

    Example:
        towerlab options towers-and-bowers
    """
    from towerlab.analysis import present
    from towerlab.analysis.catalog import find_game
    from towerlab.games.options import describe_options

    entries = describe_options(find_game(game).load("options"))
    rows = (
        (f"{entry.name}={str(entry.default).lower()}", f"{entry.help}: {entry.expected} ({entry.rule})")
        for entry in entries
    )
    table = present.table("option=default", "meaning", rows=rows, texts=2)
    return present.Listing({"game": game, "options": [vars(entry) for entry in entries]}, table)


@command
@click.argument("game", shell_complete=complete_games)
@click.argument("rule", metavar="[ID]", required=False)
@as_json
def rules(game: str, rule: str | None) -> Shown:
    """Print the rules of GAME, or the one of that ID, as errors cite it.

    They are in our own words; "Ours" begins this program's rulings where the game's sheet is silent.

    Example:
        towerlab rules towers-and-bowers
        towerlab rules bowers BO-3
    """
    from towerlab.analysis import present
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.present import rules_text
    from towerlab.games.rulebook import read_rules

    entries = read_rules(find_game(game).rules, rule)
    return present.Listing({"game": game, "rules": [vars(entry) for entry in entries]}, rules_text(entries))


@command
@click.argument("game", shell_complete=complete_games)
@as_json
def players(game: str) -> Shown:
    """List the players that `simulate` knows for GAME, one line each.

    Example:
        towerlab players towers-and-bowers
    """
    from towerlab.analysis import present
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.players import player_lines

    entry = find_game(game)
    known = player_lines(entry)
    rows = list(known.items())
    if entry.table:
        at_table = entry.load("table")
        rows = [
            (at_table.full_name(name), "; ".join(filter(None, (how, at_table.loss_words(name))))) for name, how in rows
        ]
    table = present.table("player", "how it plays", rows=rows, texts=2)
    listed = [{"name": name, "help": help} for name, help in known.items()]
    return present.Listing({"game": game, "players": listed}, table)


def _find_study(game: str, name: str | None = None) -> Study:
    """A study of a game, or a user's by ``module:NAME``."""
    from towerlab.analysis.catalog import find_study
    from towerlab.analysis.study import own_study
    from towerlab.games.errors import TowerlabError

    if ":" not in game:
        study: Study = find_study(game, name or "")
        return study
    if name is not None:
        raise TowerlabError(f"{game} is a study; expected no further name, not {name!r}")
    return own_study(game)


class _StudyCommand(click.Command):
    """`towerlab study GAME NAME --help` also lists the parameters of that study."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_STUDY] = [word for word in args if not word.startswith("-")][:2]
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = ctx.meta.get(_STUDY, [])
        if len(names) == 2 or ":" in "".join(names):
            from towerlab.analysis.study.runner import parameter_lines

            study = _find_study(*names)
            with formatter.section(f"{study.name}: {study.help}\nParameters for --set, with their defaults"):
                formatter.write_text("\b\n" + "\n".join(parameter_lines(study) or ["none"]))
        super().format_epilog(ctx, formatter)


@functools.partial(command, cls=_StudyCommand)
@click.argument("game", shell_complete=complete_games)
@click.argument("name", required=False, shell_complete=complete_studies)
@out_option("Folder of the study: tables, summary, manifest, chunks.  [default: ./GAME-NAME]")
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
    name: str | None,
    out: Path | None,
    assignments: tuple[str, ...],
    options: tuple[str, ...],
    seed: int,
    quiet: bool,
    **how: Any,
) -> Shown:
    """Run the study NAME of GAME in parallel, into a folder that survives interruptions; without NAME list them.

    In place of GAME and NAME, mymodule:STUDY runs a study of your own.

    Example:
        towerlab study towers-and-bowers
        towerlab study towers seats --help
        towerlab study towers seats --out seats --seed 1
    """
    from towerlab.analysis import present
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.study import parse_parameters, run_study
    from towerlab.analysis.study.runner import studies_table, study_report

    if name is None and ":" not in game:
        known = find_game(game).load("studies")
        listed = [{"name": entry.name, "help": entry.help, "parameters": entry.parameters} for entry in known.values()]
        return present.Listing({"game": game, "studies": listed}, studies_table(known))
    chosen = _find_study(game, name)
    parameters = parse_parameters(chosen, assignments, options)
    if out is None:
        out = Path(f"{chosen.game}-{chosen.name}")
        present.note(f"writing to {out}", quiet)
    result = run_study(chosen, out, seed=seed, quiet=quiet, parameters=parameters, **how)
    content = {"game": chosen.game, "study": chosen.name, "out": str(out), "seed": seed, "summary": result.summary}
    return present.Listing(content, study_report(chosen, result, out))


@command
@click.argument("game", required=False, shell_complete=complete_games)
@click.option("--page", metavar="NAME", help=f"One more page of the report: {_PAGES}.")
@click.option("--all", "every", is_flag=True, help="Every page of every game, or of GAME, and the index of all pages.")
@click.option("--index", is_flag=True, help="Only the index of the pages that are there.")
@out_option("Folder of the report; with --all or --index of all reports.  [default: reports/GAME; reports]")
@click.option("--option", "options", multiple=True, hidden=True)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the report's studies here.  [default: your cache folder, until the page is written]",
)
@seed
@jobs
@quiet
@as_json
def report(
    game: str | None,
    page: str | None,
    every: bool,
    index: bool,
    out: Path | None,
    options: tuple[str, ...],
    work: Path | None,
    seed: int,
    quiet: bool,
    **how: Any,
) -> Shown:
    """Run the studies of GAME's strategy report and write it: one HTML page and its tables.

    Its sentences hold for the default rules; `towerlab compare` reports the effect of an option. The studies of an
    interrupted run are continued.

    Example:
        towerlab report towers-and-bowers --out reports/towers-and-bowers
        towerlab report towers-and-bowers --page explorer
        towerlab report --all --work work
    """
    from towerlab.analysis import present
    from towerlab.analysis.catalog import GAMES, find_report
    from towerlab.analysis.report.write import write_index
    from towerlab.games.errors import TowerlabError

    if options:
        raise TowerlabError(
            "a report's sentences are of the default rules; expected no --option "
            "(towerlab compare GAME --option NAME=VALUE tells what a rule changes)"
        )
    if every or index:
        if page or (index and (game or every)):
            raise TowerlabError("--all takes no --page, and --index neither GAME nor --all; expected one of them")
    elif game is None:
        raise TowerlabError(f"no GAME; expected one of {', '.join(GAMES)}, or --all")
    root = out or Path("reports")
    pages = []
    names = [] if index else [game] if game else list(GAMES)
    for name in names:
        first = find_report(name, page)
        for each in (first, *first.pages.values()) if every else (first,):
            folder = root / name / each.page if every else out or root / name / each.page
            studies = work and (work / f"{name}{each.page and '-'}{each.page}" if every else work)
            written = each.write(folder, seed=seed, quiet=quiet, work=studies, **how)
            present.note(f"report written to {written}", quiet)
            pages.append({"game": name, "page": each.page or None, "out": str(written), "seed": seed})
    if every or index:
        written = write_index(root, [(entry.name, entry.title) for entry in GAMES.values()])
        present.note(f"index written to {written}", quiet)
        pages.append({"game": None, "page": "index", "out": str(written), "seed": seed})
    return present.Listing({"pages": pages} if every or index else pages[0])


@command
@click.argument("game", required=False, shell_complete=complete_games)
@quiet
@as_json
def warmup(game: str | None, quiet: bool) -> Shown:
    """Compile the kernels of GAME, or of all games, so that the next answer comes at once.

    Example:
        towerlab warmup
        towerlab warmup towers-and-bowers
    """
    from towerlab.analysis import present

    return present.Listing({"games": _warm_up(game, quiet)})


def _warm_up(name: str | None = None, quiet: bool = False) -> list[str]:
    """Compile the kernels of a game, or on all cores those of every game, and return the names of the games.

    Raises:
        TowerlabError: no such game.
    """
    from towerlab.analysis.catalog import GAMES, find_game
    from towerlab.analysis.present import note
    from towerlab.analysis.study import map_chunks

    games = [find_game(name)] if name else list(GAMES.values())
    titles = ", ".join(game.title for game in games)
    note(f"compiling the kernels of {titles}: up to a minute a game and core", quiet)
    names = [game.name for game in games]
    map_chunks(_warm_up_game, len(names), parameters={"games": names}, quiet=quiet, title="games", at_once=True)
    return names


def _warm_up_game(chunk: int, _: object, parameters: Mapping[str, Any]) -> None:
    """Answer the first example of each question of a game, and let each player play against itself."""
    from towerlab.analysis.catalog import find_game
    from towerlab.analysis.simulation import simulate

    game = find_game(parameters["games"][chunk])
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, words in first_examples(game.name):
            load_command(module_of(game.name), name).main([*words, "--quiet"], standalone_mode=False)
    simulation = game.load("simulate")
    for player in game.load("players"):
        players = [player] * simulation.table_sizes[0]
        simulate(game.name, players, 1, unit=simulation.units[-1], jobs=1, quiet=True)


def first_examples(game: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each question of a game, and its arguments in the first example of its help."""
    module = f"towerlab.commands.{module_of(game)}"
    for name, function in vars(importlib.import_module(module)).items() if find_spec(module) else ():
        question = getattr(function, "question", None)
        if isinstance(question, Question) and question.examples:
            line = question.examples.replace("\\\n", " ").strip().splitlines()[0]
            yield name, [word for word in shlex.split(line)[2:] if word != game]
