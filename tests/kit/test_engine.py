"""What holds for every engine: random games replay, records that cannot be are refused, views hide what is hidden."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from games.bowers import BowersGame
from games.engine import Choices, Engine
from games.errors import TowerlabError
from games.tower_war import TowerWar
from games.towers import TowersGame
from games.towers_and_bowers import ClaimQuestion, Match
from games.towie import Towie

MOST_RECORDS = 1500


def judge(question: ClaimQuestion) -> bool:
    """As good as drawn by lot, and the same for the same question."""
    return hash(dataclasses.astuple(question)) % 3 == 0


GAMES: dict[str, tuple[type[Engine[Any, Any]], dict[str, Any]]] = {
    "towers-and-bowers": (Match, {"judge": judge}),
    "bowers": (BowersGame, {}),
    "tower-war": (TowerWar, {}),
    "towers": (TowersGame, {}),
    "towie": (Towie, {}),
}
each_game = pytest.mark.parametrize("name", GAMES)


def random_options(kind: type[Any], rng: np.random.Generator) -> Any:
    """Every option drawn by lot: a word, a truth, or a number near the lower end of what is allowed."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        choices, low, high = (field.metadata[key] for key in ("choices", "low", "high"))
        if choices is not None:
            values[field.name] = choices[int(rng.integers(len(choices)))]
        elif isinstance(field.default, bool):
            values[field.name] = bool(rng.integers(2))
        elif isinstance(field.default, float):
            values[field.name] = float(rng.uniform(low, min(high, 2)))
        else:
            values[field.name] = int(rng.integers(low, min(high or low + 12, low + 12) + 1))
    return kind(**values)


def start(name: str, rng: np.random.Generator) -> Engine[Any, Any]:
    """A game by random options."""
    kind, given = GAMES[name]
    return kind(random_options(kind.OPTIONS, rng), **given)


def step(game: Engine[Any, Any], rng: np.random.Generator) -> Any:
    """The next record of a random game, chance or choice, applied."""
    record = game.chance(rng) if game.to_act is None else game.legal().sample(rng)
    assert game.can(record), record
    return game.apply(record)


def random_game(name: str, seed: int, steps: int = MOST_RECORDS) -> Engine[Any, Any]:
    """A random game by random options, to its end or so many records."""
    rng = np.random.default_rng(seed)
    game = start(name, rng)
    for _ in range(steps):
        if game.result is not None:
            break
        step(game, rng)
    return game


def check_replays(name: str, games: int) -> None:
    """Random games replay to the identical state."""
    kind, given = GAMES[name]
    ended = 0
    for seed in range(games):
        game = random_game(name, seed)
        again = kind.from_transcript(game.transcript(), **given)
        assert again.state() == game.state(), seed
        assert again.actions == game.actions and again.result == game.result
        ended += game.result is not None
    assert ended > 0.8 * games or name == "towie"  # few contracts are made by lot, and two games end it


@each_game
def test_random_games_replay_to_the_identical_state(name: str) -> None:
    check_replays(name, 8)


@pytest.mark.slow
@each_game
def test_300_random_games_replay_to_the_identical_state(name: str) -> None:
    check_replays(name, 300)


@each_game
def test_chance_is_due_exactly_when_nobody_is_to_act(name: str) -> None:
    rng = np.random.default_rng(3)
    game = start(name, rng)
    for _ in range(300):
        if game.result is not None:
            break
        before = game.state()
        if game.to_act is None:
            assert game.can(game.chance(rng))
        else:
            assert game.to_act in game.seats and len(game.legal(game.to_act))
            with pytest.raises(TowerlabError, match="nothing is left to chance"):
                game.chance(rng)
        assert game.state() == before  # looking changes nothing
        step(game, rng)


@each_game
def test_a_copy_goes_its_own_way_and_records_cannot_be_changed_from_outside(name: str) -> None:
    game = random_game(name, 5, steps=12)
    twin, state, lines = game.copy(), game.state(), list(game.transcript())
    for record in game.actions:
        for value in record.values():
            if isinstance(value, list):
                value.clear()
    step(twin, np.random.default_rng(0))
    assert game.state() == state and list(game.transcript()) == lines
    assert len(twin.actions) == len(game.actions) + 1


@each_game
@pytest.mark.parametrize("seat", [-1, 99, 1.0, True, None, "0"])
def test_a_seat_that_does_not_exist_is_refused(name: str, seat: Any) -> None:
    game = random_game(name, 1, steps=5)
    calls: list[Callable[[Any], Any]] = [game.view] if seat is None else [game.view, game.legal]
    for call in calls:
        with pytest.raises(TowerlabError, match="is no player; expected 0 to "):
            call(seat)


def test_choices_are_a_lazy_list() -> None:
    made: list[int] = []
    decks = Choices.of_subsets(range(25), 15, lambda chosen: made.append(1) or {"deck": chosen})  # type: ignore[func-returns-value]
    both = Choices.of([{"pass": 1}]) + decks
    assert len(both) == 1 + 3_268_760 and made == []
    assert both[0] == {"pass": 1} and both[1] == {"deck": list(range(15))} and both[-1] == {"deck": list(range(10, 25))}
    assert [one["deck"][-1] for one in both[1:4]] == [14, 15, 16]
    assert len(both.sample(np.random.default_rng(0))["deck"]) == 15
    with pytest.raises(TowerlabError, match="no action is possible"):
        Choices().sample(np.random.default_rng(0))
