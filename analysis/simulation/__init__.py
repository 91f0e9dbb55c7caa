"""How often does one player beat another? `towerlab simulate`, for all games. (rule_options: `towerlab compare`;
present: the text of both.)

A game supplies `play_batch`. This module cuts the work into chunks of a fixed size, runs them, and adds up the results
with their intervals; the result does not depend on the number of workers. Seats rotate: in unit u, player p sits in
seat (p + u) % players.

The engine plays games that are recorded (``--transcripts``) and games of players in Python. Players then decide by the
engine's views and draw the same random numbers as in kernels, so the games are the same and only take longer.

>>> seats_of(["pimc", "family", "novice"], unit=1)
('novice', 'pimc', 'family')
"""

from __future__ import annotations

import dataclasses
import functools
import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import combinations, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.catalog import Game, find_game
from towerlab.analysis.players import Player, find_player, written_name
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import note
from towerlab.analysis.saved_games import header_line
from towerlab.analysis.stats import Estimate, SequentialMean, bounded_interval, wilson
from towerlab.analysis.study import stream_chunks
from towerlab.analysis.whole_files import whole_file
from towerlab.games.engine import Engine, Result
from towerlab.games.errors import TowerlabError
from towerlab.games.transcript import Action
from towerlab.sim.batch import BatchRequest, BatchResult, GameSimulation, Seats, Stream
from towerlab.sim.own_players import Act, PlayerError, any_in_python

if TYPE_CHECKING:
    import pandas as pd


MOST_ACTIONS: Final = (
    20_000  # of a game: players may never end one; of a million games at random some hundred are as long
)
_ENDLESS: Final = "expected players that end their games"


@dataclass(frozen=True)
class SimulationResult(
    Answer,
    method="sampled",
    shown_by="towerlab.analysis.simulation.present:simulation_report",
    keys="players games unit wins draws mean interval interval_kind decided seconds games_per_second",
):
    """How often each player won.

    Attributes:
        wins: how many units each won alone, by player.
        draws: how many units nobody won alone; Σ wins + draws = games.
        mean: the mean of `counts` in a unit, by player.
        interval: the 95 % interval of wins / games, by player.
        interval_kind: ``"wilson"``; ``"paired"`` if all players sat in every seat of a deal, whose mean is then one
            observation; ``"anytime"`` if the run was allowed to stop early.
        lead: the best player, the next one, and the difference of their shares of units won.
        decided: the index of the player who wins more often than every other; None if the sample does not decide it.
        counts: what `mean` counts: ``"points"`` or ``"towers"``.
        cards: hand size; None for whole matches or the game's usual hands.
    """

    game: str
    players: tuple[str, ...]
    games: int
    unit: str
    wins: tuple[int, ...]
    draws: int
    mean: tuple[float, ...]
    interval: tuple[tuple[float, float], ...]
    interval_kind: str
    lead: tuple[int, int, Estimate]
    decided: int | None
    seconds: float = dataclasses.field(compare=False)
    counts: str = "points"
    cards: int | None = None

    @property
    def games_per_second(self) -> float:
        return self.games / max(self.seconds, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """Return the keys of `towerlab simulate --json`."""
        times = {"seconds": round(self.seconds, 3), "games_per_second": round(self.games_per_second, 1)}
        decided = None if self.decided is None else self.players[self.decided]
        return super().to_json() | {"decided": decided, **times}

    def to_frame(self, table: str = "") -> pd.DataFrame:
        """Return a row a player: name, wins, share of the units won with its interval, mean."""
        import pandas as pd

        if table:
            return super().to_frame(table)
        low, high = zip(*self.interval, strict=True)
        share = [wins / self.games for wins in self.wins]
        columns = {"player": self.players, "wins": self.wins, "share": share, "low": low, "high": high}
        frame = pd.DataFrame(columns | {f"mean_{self.counts}": self.mean})
        frame.attrs = dict(self.about().items())
        return frame


def simulate(
    game: str | Game,
    players: Sequence[object],
    games: int,
    *,
    unit: str | None = None,
    cards: int | None = None,
    where: str = "",
    options: Any = None,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
    until_width: float | None = None,
    until_decided: bool = False,
    transcripts: Path | None = None,
) -> SimulationResult:
    """Play units between players and return how often each wins.

    Args:
        game: a game of the catalog, or its name.
        players: a player for every seat: a name that `towerlab players GAME` lists, or your own
            (`analysis.players.find_player`). A player may come twice. Names may be one text, with commas between them.
        games: how many units to play; the most if `until_width` or `until_decided` is given.
        unit: one of the game's units; None for its usual one.
        cards: hand size, where the game has hands of several sizes.
        where: a condition on the deals (`sim.deals`), where the game takes one.
        options: the game's rule options; None for the defaults.
        seed: the seed of the whole simulation.
        jobs: worker processes; the result does not depend on it.
        until_width: the width at which to stop: every interval of a share is then at most this wide.
        until_decided: whether to stop when no interval of a difference from the best player includes zero.
        transcripts: a file for the transcripts of all games, one after the other, each with its header
            (`games.transcript`); only for whole games on the usual deals.

    Raises:
        TowerlabError: an unknown player or unit, or a number of players or a hand size that the game does not have.
        PlayerError: your own player makes an illegal move; the games before it are reported and kept.
    """
    game = find_game(game)
    simulation: GameSimulation = game.load("simulate")
    seated = check_players(game, players, simulation)
    unit = _check_unit(game, simulation, unit, cards, where)
    if options is None:
        options = game.load("options")()
    is_whole = unit == simulation.units[0] and cards is None and not where
    recorded = transcripts is not None
    play_batch, size = _choose_play(game, seated, unit, recorded, is_whole)
    names = tuple(map(str, seated))
    batch = {"players": seated, "unit": unit, "cards": cards, "options": options, "where": where, "recorded": recorded}
    request = {"play_batch": play_batch, "games": games, "size": size, "batch": batch}
    is_paired = unit in simulation.paired_units or (play_batch is not simulation.play_batch and any_in_python(seated))
    may_stop = until_width is not None or until_decided
    kind = "anytime" if may_stop else "paired" if is_paired and games >= len(names) else "wilson"
    count = _Count(len(names), kind)

    def is_enough() -> bool:
        is_narrow = until_width is not None and count.widest_interval() <= until_width
        return is_narrow or (until_decided and count.find_winner() is not None)

    began = time.monotonic()
    chunks = stream_chunks(
        _play_chunk, -(-games // size), seed=seed, jobs=jobs, parameters=request, quiet=quiet, title=game.title
    )
    failure = _count_batches(chunks, count, is_enough, transcripts, unit)
    if failure:
        raise PlayerError(f"{failure}; before: {count.summary(names)}")
    seconds = time.monotonic() - began
    best, following = np.argsort(-count.wins, kind="stable")[:2].tolist()
    return SimulationResult(
        game=game.name,
        players=names,
        games=count.games,
        unit=unit,
        wins=tuple(int(wins) for wins in count.wins),
        draws=int(count.games - count.wins.sum()),
        mean=tuple(float(mean) for mean in count.points / count.games),
        interval=count.intervals(),
        interval_kind=kind,
        lead=(best, following, count.lead(best, following)),
        decided=count.find_winner(),
        seed=seed,
        seconds=seconds,
        counts=simulation.counts,
        cards=cards,
        options=options,
    )


def _check_unit(game: Game, simulation: GameSimulation, unit: str | None, cards: int | None, where: str) -> str:
    """Return the unit to play; refuse a unit, a hand size or a condition that the game does not have."""
    if unit is not None and unit not in simulation.units:
        raise TowerlabError(f"{game.name} has no unit {unit!r}; expected one of: {', '.join(simulation.units)}")
    if cards is not None and cards not in simulation.hand_sizes:
        sizes = ", ".join(map(str, simulation.hand_sizes))
        raise TowerlabError(f"{game.name} has no hands of {cards} cards; expected {sizes or 'no --cards'}")
    if where and not simulation.takes_conditions:
        raise TowerlabError(f"{game.name} takes no condition on its deals; expected no --where")
    return unit or simulation.units[0]


def _count_batches(
    chunks: Generator[BatchResult, None, None],
    count: _Count,
    is_enough: Callable[[], bool],
    transcripts: Path | None,
    unit: str,
) -> str:
    """Count batches until they are enough and write their transcripts; return the failure of a player, or "".

    The file of transcripts appears at the end, also after a failure or an interruption, with the games played so far.
    """
    written = 0
    finished = 0
    stopped = None
    with ExitStack() as opened:
        opened.enter_context(closing(chunks))
        file = None
        if transcripts is not None:
            unfinished = opened.enter_context(whole_file(transcripts))
            file = opened.enter_context(unfinished.open("w", encoding="utf-8"))
        try:
            for batch in chunks:
                count.add(batch)
                if file is not None:
                    file.writelines(batch.transcripts)
                    written = file.tell()
                    finished = count.games
                if batch.failure or is_enough():
                    return batch.failure
        except KeyboardInterrupt as error:
            if file is None or not finished:
                raise
            file.truncate(file.seek(written))
            stopped = error
    if stopped is not None:
        note(f"{number_of(finished, unit)} kept in {transcripts}")
        raise stopped
    return ""


def check_players(game: Game, players: Sequence[object], simulation: GameSimulation) -> tuple[Player, ...]:
    """Return the players of a game.

    Raises:
        TowerlabError: the game does not have such a player, or is not played by that many.
    """
    players = [name.strip() for name in players.split(",")] if isinstance(players, str) else players
    seated = tuple(find_player(player, game) for player in players)
    if len(players) not in simulation.table_sizes:
        sizes = simulation.table_sizes
        expected = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 4 else " or ".join(str(size) for size in sizes)
        whys = {option.name: option.metadata["why"] for option in dataclasses.fields(game.load("options"))}
        why = f", as {whys['n_players']}" if whys.get("n_players") else ""
        many = f"{len(players)} player{'s' * (len(players) != 1)}"
        raise TowerlabError(f"{many} cannot play {game.name}; expected {expected}{why}")
    return seated


def _choose_play(
    game: Game, players: Sequence[Player], unit: str, recorded: bool, is_whole: bool
) -> tuple[Callable[[BatchRequest], BatchResult], int]:
    """Return the function that plays a batch (by kernels, or by the engine), and the number of units in a batch."""
    simulation: GameSimulation = game.load("simulate")
    asks = any_in_python(players) and not simulation.plays_own
    if (recorded or asks) and not is_whole:
        who = "transcripts are" if recorded else f"players of your own play {game.name} in the engine, results are"
        whole = simulation.units[0]
        raise TowerlabError(f"{who} of a whole {whole}; expected no other unit, no --cards, no --where")
    in_engine = asks or (recorded and not simulation.plays_own)
    play_batch = functools.partial(play_recorded, game.name) if in_engine else simulation.play_batch
    return play_batch, len(players) if asks else simulation.chunk_size(unit, players, game.load("players"))


def _play_chunk(chunk: int, seed: np.random.SeedSequence, request: Mapping[str, Any]) -> BatchResult:
    first = chunk * request["size"]
    units = min(request["size"], request["games"] - first)
    batch = BatchRequest(first_unit=first, units=units, seed=seed, **request["batch"])
    result: BatchResult = request["play_batch"](batch)
    return result


class _Count:
    """The sums over batches, in the order of units.

    Units with different seats have different distributions; whole rotations (as many units as players) have the same
    one. So differences, and all intervals that may be looked at early, take the mean of a rotation as one observation.
    """

    def __init__(self, players: int, kind: str) -> None:
        self._players = players
        self._kind = kind
        self.games = 0
        self.wins = np.zeros(players, dtype=np.int64)
        self.points = np.zeros(players)
        self._unfinished = np.empty(0, dtype=np.int64)  # winners of a rotation still to be completed
        self._rotations: list[NDArray[np.float64]] = []  # share of wins [rotation, player]
        self._shares = [SequentialMean(0.0, 1.0) for _ in range(players)]
        pairs = list(combinations(range(players), 2))
        self._level = 1 - 0.05 / max(1, len(pairs))  # Bonferroni: every pair is compared
        self._differences = {pair: SequentialMean(-1.0, 1.0, self._level) for pair in pairs}

    def add(self, batch: BatchResult) -> None:
        """Take the next batch."""
        self.games += len(batch.winners)
        self.points += batch.points.sum(axis=0)
        self.wins += np.bincount(batch.winners[batch.winners >= 0], minlength=self._players)
        winners = np.concatenate((self._unfinished, batch.winners))
        whole = len(winners) - len(winners) % self._players
        self._unfinished = winners[whole:]
        won = winners[:whole, None] == np.arange(self._players)
        rotations = won.reshape(-1, self._players, self._players).mean(axis=1)
        if self._kind != "anytime":
            self._rotations.append(rotations)
            return
        for player, share in enumerate(self._shares):
            share.add(rotations[:, player])
        for (a, b), difference in self._differences.items():
            difference.add(rotations[:, a] - rotations[:, b])

    def summary(self, names: Sequence[str]) -> str:
        """Return the units played so far and their winners, in words."""
        won = ", ".join(f"{name} {wins}" for name, wins in zip(names, self.wins, strict=True))
        return f"{self.games} played, won by {won}"

    def widest_interval(self) -> float:
        """Return the width of the widest interval of a share."""
        return max(high - low for low, high in self.intervals())

    def find_winner(self) -> int | None:
        """Return the player who wins more often than every other, at 95 % for all comparisons; None if open."""
        best = int(np.argmax(self.wins))
        rivals = [player for player in range(self._players) if player != best]
        return best if rivals and all(self.lead(best, rival).low > 0 for rival in rivals) else None

    def lead(self, a: int, b: int) -> Estimate:
        """Return the difference of the shares of units that `a` and `b` win."""
        if self._kind == "anytime":
            estimate = self._differences[min(a, b), max(a, b)].estimate
            return estimate if a < b else Estimate(-estimate.mean, -estimate.high, -estimate.low, estimate.n)
        rotations = np.concatenate(self._rotations)
        return bounded_interval(rotations[:, a] - rotations[:, b], -1.0, 1.0, self._level)

    def intervals(self) -> tuple[tuple[float, float], ...]:
        """Return the 95 % interval of every player's share of wins."""
        if self._kind == "anytime":
            return tuple((share.estimate.low, share.estimate.high) for share in self._shares)
        if self._kind == "paired":
            rotations = np.concatenate(self._rotations)
            return tuple(bounded_interval(shares, 0.0, 1.0).ends for shares in rotations.T)
        return tuple(wilson(int(wins), self.games) for wins in self.wins)


# ------------------------------------------------------------------------------------------------- played in the engine


def play_recorded(game: str, request: BatchRequest) -> BatchResult:
    """Play a batch of whole games in the engine; a pure function, like `GameSimulation.play_batch`.

    If a player decides in Python, the batch is a rotation: its games have the same cards and draws.

    Raises:
        TowerlabError: the players cannot play together.
    """
    simulation: GameSimulation = find_game(game).load("simulate")
    players = request.players
    if simulation.players_option:
        options = dataclasses.replace(request.options, **{simulation.players_option: len(players)})
        request = dataclasses.replace(request, options=options)
    seeds = seeds_of(request)
    streams = simulation.streams
    if any_in_python(players):
        seeds = seeds[:1] * len(seeds)
    if any_in_python(players) or streams is None:
        streams = lambda _: repeat(None)  # noqa: E731
    draws = zip(seeds, streams(request), strict=False)
    return play_in_engine(game, request, draws, simulation.start, simulation.seat)


def play_in_engine(
    game: str,
    request: BatchRequest,
    draws: Iterable[tuple[int, Stream | None]],
    start: Callable[[Any], Engine[Any, Any]],
    seat: Callable[[Any, Any], Act],
    result_of: Callable[[Any], Result | None] = lambda engine: engine.result,
) -> BatchResult:
    """Play the units of a batch in the engine.

    Args:
        game: the game's name.
        request: the batch.
        draws: the seed of each unit, with a stream of random numbers to use instead, or None.
        start, seat: the same as in `GameSimulation`.
        result_of: (engine) → the result of a unit; None while it goes on.
    """
    players = request.players
    winners = np.full(request.units, -1, dtype=np.int64)
    points = np.zeros((request.units, len(players)))
    written: list[str] = []
    for place, (seed, stream) in enumerate(draws):
        turn = request.first_unit + place  # player p sits in seat p + turn
        seats = seats_of(players, turn)
        engine = start(request.options)
        table = Seats(seat, seats, request.options, seed, stream)
        chances = actions = 0
        try:
            while (result := result_of(engine)) is None:
                by_chance = engine.to_act is None
                engine.apply(table.next_action(engine, chances))
                chances, actions = chances + by_chance, actions + 1
                if actions == MOST_ACTIONS:
                    raise PlayerError(f"game {turn + 1} is not over after {MOST_ACTIONS:,} actions; {_ENDLESS}")
        except PlayerError as error:
            return BatchResult(winners[:place], points[:place], str(error), tuple(written))
        if result.winner is not None:
            winners[place] = (result.winner - turn) % len(players)
        points[place] = [result.scores[(player + turn) % len(players)] for player in range(len(players))]
        if request.recorded:
            written.append(transcript(game, request.options, seats, seed, engine.actions))
    return BatchResult(winners, points, transcripts=tuple(written))


def seeds_of(request: BatchRequest) -> list[int]:
    """Return the seed of each unit of a batch, as its transcript has it."""
    return [int(seed >> np.uint64(2)) for seed in request.seed.generate_state(request.units, np.uint64)]


def seats_of(players: Sequence[Any], unit: int) -> tuple[Any, ...]:
    """Return the players of a unit by seat: player p sits in seat p + unit."""
    return tuple(players[(seat - unit) % len(players)] for seat in range(len(players)))


def transcript(game: str, options: Any, seats: Sequence[Any], seed: int, actions: Iterable[Action]) -> str:
    """Return a game as lines of a file of transcripts."""
    head = header_line(game, options, {"players": list(map(written_name, seats)), "seed": seed})
    return "".join(f"{line}\n" for line in (head, *map(json.dumps, actions)))
