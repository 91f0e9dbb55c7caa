"""How are the puzzles of a game made? ``python -m towerlab.table.puzzles GAME --seed 0``.

Novices play; some of their decisions are put to the table's advice, which asks what the commands ask. A decision is a
puzzle where half of the alternatives or more surely cost a mistake, and the others are as good as the best. On half of
the puzzles or more players of the simulator lose something. Of calls, to pass is right in half of those of each phase.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
import numpy as np

from towerlab.analysis.advice import Advice, AdvisedAction
from towerlab.analysis.decision import Verdict
from towerlab.analysis.players import find_player
from towerlab.analysis.whole_files import write_whole
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.sim.own_players import offered_actions
from towerlab.table.commanding import table_of
from towerlab.table.game import NOVICE, TableGame
from towerlab.table.puzzles import Puzzle
from towerlab.table.session import KINDS, Lineup, Session

LONGEST: Final = 120  # actions of a game
CALL: Final = KINDS["pass"]
STEP: Final = 0.5  # share of the decisions that are looked at
QUICK: Final = 24  # layouts of a first look, after which most decisions are left out
_DIGITS: Final = 4  # of stored numbers
_RIGHT: Final = (Verdict.BEST, Verdict.AS_GOOD)
Group: TypeAlias = tuple[str, str, bool]
"""Of puzzles: the kind of decision; of calls the phase, and whether to pass is right."""


class Maker:
    """Looks for the puzzles of a game.

    Args:
        game: the game's part of the table.
        wanted: the number of puzzles of each kind of decision; an even number of calls.
        seed: the seed of the games.

    Attributes:
        groups: the puzzles that it has found, by group.
    """

    def __init__(self, game: TableGame, wanted: Mapping[str, int], seed: int = 0) -> None:
        self.game = game
        self.wanted = wanted
        self.groups: dict[Group, list[Puzzle]] = {}
        self._plain = Counter[str]()
        self._random = np.random.default_rng(seed)
        self._options = game.start(None).options
        names = dict.fromkeys([NOVICE, *(player for player, _ in game.levels.values())])
        self._players = {name: game.simulation.seat(find_player(name, game.name), self._options) for name in names}

    @property
    def puzzles(self) -> list[Puzzle]:
        """Return what is found so far, easy ones first; of the calls of a phase, to pass is right in half."""
        chosen = [puzzle for kind, count in self.wanted.items() for puzzle in self._of(kind)[:count]]
        return sorted(chosen, key=lambda puzzle: puzzle.difficulty)

    def _of(self, kind: str) -> list[Puzzle]:
        if kind != CALL:
            return self.groups.get((kind, "", False), [])
        phases = dict.fromkeys(phase for other, phase, _ in self.groups if other == kind)
        pairs = (
            zip(*(self.groups.get((kind, phase, is_pass), ()) for is_pass in (True, False)), strict=False)
            for phase in phases
        )
        return [puzzle for phase in pairs for pair in phase for puzzle in pair]

    def search(self) -> Iterator[None]:
        """Play games until all is found; yields after each puzzle."""
        while any(len(self._of(kind)) < count for kind, count in self.wanted.items()):
            start = self.game.puzzle_starts[int(self._random.integers(len(self.game.puzzle_starts)))]
            lineup = Lineup((NOVICE,) * self.game.seats(self._options), int(self._random.integers(2**31)))
            session = Session(self.game, self.game.start(self._options).starting_from(start), lineup, None)
            for engine, seat in self._decisions(session):
                name = str(engine.legal(seat)[0]["action"])
                kind = KINDS.get(name, name)
                if len(self._of(kind)) < self.wanted.get(kind, 0) and self._look(engine, start, seat, kind):
                    yield

    def _decisions(self, session: Session) -> Iterator[tuple[Engine[Any, Any], int]]:
        """Yield some decisions of a game, up to the end of its first hand."""
        names = [""] * len(session.engine.seats)
        had_ended = False
        while (engine := session.engine).result is None and session.length < LONGEST:
            seat = engine.to_act
            if seat is None:
                has_ended = self.game.hand_end(engine.view(0), names, self._options) is not None
                if had_ended and not has_ended:
                    return
                had_ended = has_ended
            elif self._random.random() < STEP and len(engine.legal(seat)) > 1:
                yield engine, seat
            session.step()

    def _look(self, engine: Engine[Any, Any], start: Mapping[str, Sequence[int]], seat: int, kind: str) -> bool:
        """Consider a decision, and return whether it is one more puzzle."""
        view = engine.view(seat)
        prompt = self.game.ask(engine, seat)
        advice = None if prompt.pick else self._advise(view, QUICK)
        if advice is None or not all(self._may_be_one(option.cost.mean) for option in advice.alternatives):
            return False
        advice = self._advise(view, None)
        if advice is None or not is_decided(advice):
            return False
        listed = {choice.text for choice in prompt.choices if not choice.is_aside}
        is_pass = kind == CALL and advice.best.text == "pass"
        group = self.groups.setdefault((kind, view.phase.name if kind == CALL else "", is_pass), [])
        if listed != {option.text for option in advice.alternatives} or len(group) >= self.wanted[kind]:
            return False
        players = dict(self._choices(engine, seat, advice))
        is_plain = all(cost <= self.game.scale.tolerance for _, cost in players.values())
        if NOVICE not in players or (is_plain and self._plain[kind] >= self.wanted[kind] // 2):
            return False
        self._plain[kind] += is_plain
        rows = tuple(map(_row, advice.alternatives))
        about = {name: getattr(advice, name) for name in ("basis", "drawn", "draws", "model", "remark")}
        group.append(Puzzle(start, engine.actions, seat, kind, players, rows, about))
        return True

    def _advise(self, view: Any, layouts: int | None) -> Advice | None:
        try:
            return self.game.advise(view, self._options, 0, layouts)
        except TowerlabError:
            return None

    def _may_be_one(self, cost: float) -> bool:
        """Return whether a cost that a few layouts gave may be nothing, or a mistake."""
        scale = self.game.scale
        return not scale.tolerance < cost < scale.mistake / 2

    def _choices(self, engine: Engine[Any, Any], seat: int, advice: Advice) -> Iterator[tuple[str, tuple[str, float]]]:
        """Yield what opponents of the table do, and what it costs."""
        for player, act in self._players.items():
            action = act(engine.view(seat), offered_actions(engine, seat), np.random.default_rng([engine.length, 1]))
            option = advice.of({**action, "player": seat})
            if option is not None:
                yield player, (option.text, round(option.cost.mean, _DIGITS))


def is_decided(advice: Advice) -> bool:
    """Return whether half of the alternatives or more surely cost a mistake, and the others are as good as the best."""
    wrong = [option for option in advice.alternatives if advice.verdict(option) not in _RIGHT]
    is_found = 2 * len(wrong) >= len(advice.alternatives)
    return is_found and all(
        advice.verdict(option) == Verdict.WORSE and option.cost.mean >= advice.scale.mistake for option in wrong
    )


def _row(option: AdvisedAction) -> tuple[str, float, tuple[float, float, float, int], str, str]:
    mean, low, high = (round(number, _DIGITS) for number in option.cost[:3])
    return option.text, round(option.value, _DIGITS), (mean, low, high, option.cost.n), option.note, option.reason


@click.command()
@click.argument("game")
@click.option("--seed", type=int, default=0)
def main(game: str, seed: int) -> None:
    """Write the puzzles of GAME beside this file."""
    table = table_of(game)
    maker = Maker(table, table.puzzles, seed)
    for _ in maker.search():
        lines = (
            json.dumps(vars(puzzle), separators=(",", ":"), ensure_ascii=False, default=dict)
            for puzzle in maker.puzzles
        )
        write_whole(Path(__file__).with_name(f"{game}.jsonl"), "".join(f"{line}\n" for line in lines))
        click.echo(f"{game}: {Counter(puzzle.kind for puzzle in maker.puzzles)}", err=True)


if __name__ == "__main__":
    main()
