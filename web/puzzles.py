"""How do the puzzles of a game become a page that needs no server? It has the training's data and sentences.

Example:
    towerlab report towers --page puzzles
"""

from __future__ import annotations

from typing import Any, Final

from towerlab.analysis.catalog import GAMES
from towerlab.analysis.report.page import ReportError
from towerlab.analysis.report.render import CSP
from towerlab.analysis.report.studies import Report
from towerlab.analysis.report.write import SingleFile
from towerlab.analysis.version import exact_version
from towerlab.table.commanding import table_of
from towerlab.table.game import TableGame
from towerlab.table.puzzles import Puzzle, read_puzzles
from towerlab.table.train import GAPS, RATED, SERIES, GradedAnswer, Trainer, item_of
from towerlab.web.pages import render, static_file, training_parts

PAGE_LIMIT: Final = 800_000  # bytes
QUESTION: Final = "What would you do? Answer, and read why it is right or wrong. Puzzles that you get wrong come back."


def report_of(game: str) -> Report:
    """Return the page as `towerlab report GAME --page puzzles` writes it."""
    return Report(
        game,
        lambda runs, seed, command: build_page(table_of(game), read_puzzles(game), command),
        page="puzzles",
        file="puzzles.html",
        about="Puzzles",
    )


def build_page(game: TableGame, puzzles: tuple[Puzzle, ...], command: str) -> SingleFile:
    """Return the page.

    Args:
        game: the game's part of the table.
        puzzles: the puzzles in the order in which they are asked.
        command: the command that makes the page again.

    Raises:
        ReportError: there are no puzzles, or the page is too large.
    """
    if not puzzles:
        raise ReportError(f"{game.name} has no puzzles; expected some in table/puzzles")
    trainer = Trainer(game, None)
    title = f"{game.title}: puzzles"
    html = render(
        "puzzles.html.j2",
        title=title,
        question=QUESTION,
        game=game,
        trainer=trainer,
        puzzles=[_drawn(trainer, puzzle) for puzzle in puzzles],
        others=[other for other in GAMES.values() if other.name != game.name and read_puzzles(other.name)],
        gaps=GAPS,
        rated=RATED,
        series=SERIES,
        command=command,
        csp=CSP,
        version=exact_version(),
        style=static_file("style.css"),
        script=static_file("puzzles.js"),
    )
    if (size := len(html.encode())) > PAGE_LIMIT:
        raise ReportError(f"the puzzles page has {size:,} bytes; expected at most {PAGE_LIMIT:,}")
    return SingleFile(html, title, QUESTION, command, {f"puzzles of {game.title}": len(puzzles)})


def _drawn(trainer: Trainer, puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle's question and, apart from it, its answers."""
    item = item_of(puzzle)
    position = trainer.position(item)
    advice = puzzle.advice(trainer.game, position.engine)
    theme = puzzle.theme(trainer.game)
    choices = position.prompt(item.seat).choices
    options = [(number, advice.of(choice.action)) for number, choice in enumerate(choices, 1) if not choice.is_aside]
    answers = [(number, GradedAnswer(item, option, advice, theme)) for number, option in options if option is not None]
    return {"item": item, "answers": answers, "level": puzzle.level(trainer.game), **training_parts(trainer, item)}
