"""Which decisions are puzzles? Stored ones of each game whose best alternative leads by a mistake, easy ones first.

A line of ``GAME.jsonl`` is the game as recorded up to a decision, and the table's advice on it. Training, the terminal
and the page of puzzles read them here; ``python -m towerlab.table.puzzles GAME`` makes them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from towerlab.analysis.advice import Advice, AdvisedAction
from towerlab.analysis.present import capital
from towerlab.analysis.stats import Estimate
from towerlab.games.engine import Engine
from towerlab.games.transcript import Action
from towerlab.table.game import NOVICE, TableGame
from towerlab.table.rows import sentences


@dataclass(frozen=True)
class Puzzle:
    """A decision with its answer.

    Attributes:
        start: the place in a match where the game begins, as `Engine.starting_from` takes it; empty at the beginning.
        actions: the game before the decision.
        seat: the seat that decides.
        kind: ``"call"``, ``"card"``, ``"discard"`` …
        players: the action of each player of the simulator here and what it costs, by player.
        answers: all alternatives, the best first: text, value, cost with its interval and n, note, reason.
        about: the other fields of the advice: basis, drawn, draws, model, remark.
    """

    start: Mapping[str, Sequence[int]]
    actions: tuple[Action, ...]
    seat: int
    kind: str
    players: Mapping[str, tuple[str, float]]
    answers: tuple[tuple[str, float, tuple[float, float, float, int], str, str], ...]
    about: Mapping[str, Any]

    @property
    def difficulty(self) -> float:
        """The mean loss of the simulator's players on the puzzle."""
        return sum(cost for _, cost in self.players.values()) / len(self.players)

    @property
    def thumb(self) -> float:
        """The loss of the player that follows the rule of thumb."""
        return self.players[NOVICE][1]

    @property
    def worst(self) -> float:
        """The loss of the worst answer."""
        return max(cost[0] for _, _, cost, _, _ in self.answers)

    def level(self, game: TableGame) -> str:
        """Return how hard it is, by how many players of the simulator lose something: easy, medium or hard."""
        wrong = sum(cost > game.scale.tolerance for _, cost in self.players.values())
        return "easy" if not wrong else "hard" if 2 * wrong >= len(self.players) else "medium"

    def theme(self, game: TableGame) -> str:
        """Return how hard it is and who falls for what, which tells the answer."""
        levels = {player: level for level, (player, _) in game.levels.items()}
        wrong = {name: (text, cost) for name, (text, cost) in self.players.items() if cost > game.scale.tolerance}
        name, (tempting, cost) = [*wrong.items()][-1] if wrong else ("", ("", 0.0))
        (theme,) = sentences(
            "templates/puzzle.txt",
            level=self.level(game),
            tempting=tempting.removeprefix("play "),
            player=levels.get(name, name),
            cost=game.scale.words(cost),
        )
        return theme

    def position(self, game: TableGame, options: Any) -> Engine[Any, Any]:
        """Return the game before the decision."""
        engine = game.start(options).starting_from(self.start)
        for action in self.actions:
            engine.apply(action)
        return engine

    def advice(self, game: TableGame, engine: Engine[Any, Any]) -> Advice:
        """Return the stored advice.

        Args:
            engine: the game before the decision.
        """
        actions = {choice.text: choice.action for choice in game.ask(engine, self.seat).choices}
        rows = (
            AdvisedAction(text, value, Estimate(*cost), actions[text], note, reason)
            for text, value, cost, note, reason in self.answers
        )
        return Advice(tuple(rows), game.scale, **self.about)


@functools.cache
def read_puzzles(game: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a game in the order in which they are asked; none of a game without a file."""
    path = Path(__file__).with_name(f"{game}.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return tuple(_read(json.loads(line)) for line in lines)


def _read(line: dict[str, Any]) -> Puzzle:
    listed = {name: tuple(map(tuple, line[name])) for name in ("answers",)}
    return Puzzle(**{**line, **listed, "actions": tuple(line["actions"])})
