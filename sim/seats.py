"""A game played in its engine, with a player object for each seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.games.engine import Action, Engine
from towerlab.sim.own import Act, OwnPlayer, offered

Decider: TypeAlias = Callable[[Any, np.random.Generator], Action]
"""Decides for a seat, shown that seat's view."""
CHANCE: Final = 0
LOTS: Final = 1


def draws(seed: int, use: int, count: int) -> np.random.Generator:
    """Return the generator of a game's `count`-th draw for a use: the same, whatever was drawn for the others.

    Args:
        seed: of the game.
        use: `CHANCE` or the `LOTS` of players.
        count: of the draws of chance, or of the actions, before.
    """
    return np.random.default_rng([seed, use, count])


class Stream(NamedTuple):
    """The draws of one game of a batch, number by number as the simulator's kernels draw it.

    Attributes:
        chance: engine → a record of chance.
        lots: engine → the random generator of the player on turn.
    """

    chance: Callable[[Any], Action]
    lots: Callable[[Any], np.random.Generator]


def always(value: Any) -> Callable[[Any], Any]:
    """Return a function of an engine that returns this whatever the engine."""
    return lambda _: value


class Seats:
    """The functions that act in the seats of one game.

    Args:
        seat: (player, options) → an object that acts like that player, as `GameSimulation.seat`.
        players: by seat: a name or a `sim.own.OwnPlayer`; seats that never act may have any value.
        options: rule options.
        seed: of all that chance and the players draw.
        stream: draws for them instead.
    """

    def __init__(
        self,
        seat: Callable[[Any, Any], Act],
        players: Sequence[Any],
        options: Any,
        seed: int,
        stream: Stream | None = None,
    ) -> None:
        self._seat = seat
        self._players = players
        self._options = options
        self._seed = seed
        self._stream = stream
        self._acts: dict[int, Act] = {}

    def next(self, engine: Engine[Any, Any], chances: int) -> Action:
        """Return the action of chance or of the player on turn.

        Args:
            engine: the game, not over.
            chances: how often chance has acted in it.

        Raises:
            PlayerError: a player of the user's has no answer.
        """
        seat = engine.to_act
        stream = self._stream
        if seat is None:
            return stream.chance(engine) if stream else engine.chance(draws(self._seed, CHANCE, chances))
        player = self._players[seat]
        if seat not in self._acts:
            self._acts[seat] = self._seat(player, self._options)
        legal = offered(engine, seat) if isinstance(player, OwnPlayer) else ()
        random = stream.lots(engine) if stream else draws(self._seed, LOTS, engine.length)
        action = self._acts[seat](engine.view(seat), legal, random)
        return {**action, "player": seat}
