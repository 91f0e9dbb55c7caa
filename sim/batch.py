"""How is a simulator asked for a batch of games, and who sits in which seat?

`BatchRequest`, `BatchResult` and `GameSimulation` are the same for every game. `Seats` plays a game in its engine, with
a player object in each seat, and draws the same random numbers as the game's kernels.

>>> first, again = (generator_of_draw(7, CHANCE, 0) for _ in range(2))  # of one seed, for one use
>>> int(first.integers(52)) == int(again.integers(52))
True
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from towerlab.games.engine import Engine
from towerlab.games.transcript import Action
from towerlab.sim.own_players import Act, KnownPlayer, OwnPlayer, offered_actions

UNITS_PER_CHUNK = 100


Decider: TypeAlias = Callable[[Any, np.random.Generator], Action]
"""Decides for a seat, shown that seat's view."""
CHANCE: Final = 0
PLAYER_CHOICES: Final = 1


def generator_of_draw(seed: int, use: int, count: int) -> np.random.Generator:
    """Return the generator of a game's `count`-th draw for a use; draws for other uses do not change it.

    Args:
        seed: the seed of the game.
        use: `CHANCE`, or `PLAYER_CHOICES` for a player that randomises.
        count: the number of draws of chance, or of actions, before.
    """
    return np.random.default_rng([seed, use, count])


class Stream(NamedTuple):
    """The random draws of one game of a batch, number by number as the simulator's kernels draw them.

    Attributes:
        chance: engine → a record of chance.
        choices: engine → the random generator of the player on turn.
    """

    chance: Callable[[Any], Action]
    choices: Callable[[Any], np.random.Generator]


def make_constant(value: Any) -> Callable[[Any], Any]:
    """Return a function of an engine that ignores it and returns this value."""
    return lambda _: value


class Seats:
    """The functions that act in the seats of one game.

    Args:
        seat: (player, options) → an object that acts like that player, as `GameSimulation.seat`.
        players: the player in each seat, a name or a `sim.own_players.OwnPlayer`; any value for seats that never act.
        options: rule options.
        seed: the seed of all that chance and the players draw.
        stream: the draws of chance and the players, in place of those by the seed.
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

    def next_action(self, engine: Engine[Any, Any], chances: int) -> Action:
        """Return the action of chance or of the player on turn.

        Args:
            engine: the game, not over.
            chances: the number of times that chance has acted in it.

        Raises:
            PlayerError: a player of the user's has no answer.
        """
        seat = engine.to_act
        stream = self._stream
        if seat is None:
            return stream.chance(engine) if stream else engine.chance(generator_of_draw(self._seed, CHANCE, chances))
        player = self._players[seat]
        if seat not in self._acts:
            self._acts[seat] = self._seat(player, self._options)
        legal = offered_actions(engine, seat) if isinstance(player, OwnPlayer) else ()
        random = stream.choices(engine) if stream else generator_of_draw(self._seed, PLAYER_CHOICES, engine.length)
        action = self._acts[seat](engine.view(seat), legal, random)
        return {**action, "player": seat}


@dataclass(frozen=True)
class BatchRequest:
    """Some units to play.

    Attributes:
        players: for each a name, or a `sim.own_players.OwnPlayer`; player p sits in seat (p + unit) % len(players).
        first_unit: number of the batch's first unit within the whole simulation.
        units: the number of units to play.
        seed: the seed of this batch alone.
        unit: the unit of play, one of `GameSimulation.units`.
        cards: hand size, or None for the game's own.
        options: the game's options dataclass.
        where: a condition on the deals (`sim.deals`), or nothing.
        recorded: whether to return transcripts.
    """

    players: tuple[Any, ...]
    first_unit: int
    units: int
    seed: np.random.SeedSequence
    unit: str
    cards: int | None
    options: Any
    where: str = ""
    recorded: bool = False


@dataclass(frozen=True)
class BatchResult:
    """The results of a batch.

    Attributes:
        winners: int [units], the index of the player who won alone, −1 where nobody did.
        points: float [units, players], towers or points made in each unit.
        failure: the illegal move of a user's player; the units before it are complete.
        transcripts: the transcript of every unit, JSON lines, each with its line end; empty unless `recorded`.
    """

    winners: NDArray[np.int64]
    points: NDArray[np.float64]
    failure: str = ""
    transcripts: tuple[str, ...] = ()


def play_whole_games(simulate: Callable[..., Any], request: BatchRequest) -> BatchResult:
    """Return a batch of whole games as `simulate` of a game plays them: (players, units, seed, options, first game)."""
    result = simulate(request.players, request.units, request.seed, request.options, first_game=request.first_unit)
    return BatchResult(result.winners, result.points.astype(np.float64))


@dataclass(frozen=True)
class GameSimulation:
    """How a game is simulated; its catalog entry names one.

    Attributes:
        play_batch: a function that plays a batch; module-level and pure.
        start: options → a new engine.
        decider: (player's name, or a player with arrays, options) → an object that decides like that player.
        units: the units of play, the default first.
        table_sizes: the numbers of players that can sit down.
        hand_sizes: the values of ``--cards``; empty if the game has no such choice.
        takes_conditions: whether its deals may be made to fit a condition (``--where``).
        units_per_chunk: units played at once, by unit; `UNITS_PER_CHUNK` where missing. Some tenths of a second
            of work is right: less drowns in overhead, more leaves workers idle at the end.
        searched_units_per_chunk: the same when a player that takes a number, or one with arrays, plays.
        named_player: name of one of ours → the object that decides; None where kernels do.
        trained_player: a folder of the user's → a player that takes a number, with the training in it.
        counts: the unit of `BatchResult.points`: towers, points, wars.
        plays_own: whether `play_batch` also plays with Python players, and records.
        takes_arrays: whether players may have ``probabilities(views)`` (`sim.own_players`) in place of `act`.
        streams: the draws of each game of a batch, so that the engine plays the games that `play_batch` plays; of games
            that do not record themselves.
        paired_units: the units in which the players change seats on the same deal.
        players_option: the rule option that says how many sit at the table; empty where it is always as many.
    """

    play_batch: Callable[[BatchRequest], BatchResult]
    start: Callable[[Any], Engine[Any, Any]]
    decider: Callable[[Any, Any], Decider]
    units: tuple[str, ...] = ("match",)
    table_sizes: tuple[int, ...] = (2,)
    hand_sizes: tuple[int, ...] = ()
    takes_conditions: bool = False
    units_per_chunk: Mapping[str, int] = field(default_factory=dict)
    searched_units_per_chunk: Mapping[str, int] = field(default_factory=dict)
    counts: str = "points"
    named_player: Callable[[str], OwnPlayer | None] = lambda name: None
    trained_player: Callable[[str], OwnPlayer] | None = None
    plays_own: bool = False
    takes_arrays: bool = False
    streams: Callable[[BatchRequest], Iterator[Stream | None]] | None = None
    paired_units: tuple[str, ...] = ()
    players_option: str = ""

    def chunk_size(self, unit: str, players: Sequence[object], known: Mapping[str, KnownPlayer]) -> int:
        """Return how many units such players play at once; `known` are the game's own by name."""
        counted = {name for name, player in known.items() if player.is_counted}
        searched = any(
            str(player).partition(":")[0] in counted
            or (isinstance(player, OwnPlayer) and self.takes_arrays and player.takes_arrays)
            for player in players
        )
        sizes = self.searched_units_per_chunk if searched else self.units_per_chunk
        return sizes.get(unit, UNITS_PER_CHUNK)

    def seat(self, player: Any, options: Any) -> Act:
        """Return an object that acts like a player in a seat of a game in the engine.

        Raises:
            TowerlabError: rules that the player cannot play.
        """
        if isinstance(player, OwnPlayer) and not (self.takes_arrays and player.takes_arrays):
            return player.seat()
        decide = self.decider(player, options)

        def act(view: Any, legal: Sequence[Action], random: np.random.Generator) -> Action:
            return decide(view, random)

        return player.with_checks(act) if isinstance(player, OwnPlayer) else act
