"""The worked situations row by row: plays and razes, boards that cannot stand, turns (TR-1 .. TR-11)."""

from __future__ import annotations

from typing import Any

from tests.conftest import ROOT
from tests.oracles.situations import situations
from towerlab.analysis.towers import step
from towerlab.games.errors import IllegalAction
from towerlab.games.towers import Board, TowersGame, TowersOptions

GOLDEN = ROOT / "tests" / "golden" / "towers.jsonl"


def begin(words: str, options: dict[str, Any]) -> TowersGame:
    """A game whose pack has been dealt as it is sorted, or one in which a tower must be razed."""
    if words == "stuck":
        return TowersGame.from_transcript(GOLDEN.read_text().splitlines()[:39])
    first = options.pop("first", 0)
    game = TowersGame(TowersOptions(**options))
    game.deal("A23456789TJQK" * 4, first)
    return game


def written(board: object) -> str:
    """A board in one word."""
    return str(board).replace(" | ", "|").replace(" ", ",")


def act(board: str, play: str | None = None, raze: int | None = None, **options: Any) -> str:
    """The board after an action, and what was taken off it, step by step; unchanged after an illegal one."""
    answer = step(board, play=play, raze=raze, options=TowersOptions(**options))
    if not answer.legal:
        assert answer.before == answer.after
        raise IllegalAction(answer.reason.rpartition(" (")[0], answer.reason.rpartition("(")[2].strip(")"))
    log = [f"{entry.step} {' '.join(entry.cards)}" for entry in answer.log]
    assert [*answer.removed, *answer.collected] == [card for entry in answer.log for card in entry.cards]
    return f"{written(answer.after)} {', '.join(log)}".strip()


def reached(*plays: str) -> str:
    """The board that plays build."""
    board = "-|-|-|-"
    for play in plays:
        board = act(board, play)
    return board


test_towers_goes_as_the_rules_say = situations(
    "towers",
    begin,
    0,
    act=act,
    board=lambda text, **options: written(Board.parse(str(text), TowersOptions(**options))),
    may=lambda board, play, **options: act(board, play, **options) and "yes",
    options=TowersOptions,
    play=act,
    raze=lambda board, column, **options: act(board, raze=column, **options),
    reached=reached,
)
