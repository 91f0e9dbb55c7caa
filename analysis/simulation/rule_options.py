"""What does a rule option change? The same games by the usual rules and by others: `towerlab compare`.

A game's study `rule-options` looks at each of its options alone; `compare_rules` runs the same chunks for any
combinations and any players, without a folder.

    towerlab compare towers --option layout=square --games 400
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.catalog import Game, find_game, find_study
from towerlab.analysis.players import Player, find_player
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.question_rows import frame_rows
from towerlab.analysis.simulation import check_players, play_recorded
from towerlab.analysis.stats import LEVEL, normal_quantile, share_interval
from towerlab.analysis.study import Study, StudyResult, parse_parameters, stream_chunks
from towerlab.games.arrays import Floats
from towerlab.games.errors import OptionError, TowerlabError
from towerlab.games.options import changed_options, parse_options, typed_text
from towerlab.sim.batch import BatchRequest
from towerlab.sim.own_players import PlayerError, any_in_python


class Played(NamedTuple):
    """Results of played games.

    Attributes:
        measure: the compared number, float64[games].
        outcome: numbers or texts that differ wherever two games went differently, [games, k].
        winners: int[games], the place of the only winner, −1 where there is none.
    """

    measure: Floats
    outcome: Any
    winners: Any


Play = Callable[[Sequence[Any], Any, np.random.SeedSequence, int], Played]
"""(players, options, seed, games) → games.

A game must depend on the seed and its own number alone, so that it is the same where an option never came up.
"""
CHUNKS: Final = 4  # for each change
LEAD: Final = "winner's lead over the mean of the others, points"
SUM: Final = "points of all players together"
FEWEST_CHANGED: Final = 20  # games, for an interval of their mean: fewer do not represent the next sample
_COLUMNS: Final = ["option", "rule", "measure", "games", "before", "added", "squares", "changed"]


def sum_of_points(points: NDArray[Any]) -> Floats:
    """Return the sum of all players' points (`SUM`), float64[games], from float64[games, players]."""
    return np.asarray(points.sum(axis=1), dtype=np.float64)


def winners_lead(points: NDArray[Any]) -> Floats:
    """Return the winner's lead (`LEAD`), float64[games], from float64[games, players]."""
    best = points.max(axis=1)
    lead: Floats = best - (points.sum(axis=1) - best) / (points.shape[1] - 1)
    return lead


OF_POINTS: Final = {LEAD: winners_lead, SUM: sum_of_points}


def changed_games(
    game: str,
    play: Play,
    measure: str,
    words: Mapping[str, str],
    usual: type[Any],
    chunk: int,
    seed: np.random.SeedSequence,
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the moments of the difference that one change makes in some games; no row where it is in force already.

    Args:
        game: the game's name in the catalog.
        play: the function that plays games.
        measure: the name of the compared number, with its unit.
        words: each change in words.
        usual: the class of the options.
        chunk: `CHUNKS` for each change, in order.
        seed: the seed of the games.
        parameters: the study's parameters.
    """
    change = parameters["changes"][chunk // CHUNKS]
    games = parameters["games"] // CHUNKS
    players = [find_player(name, game) for name in parameters["players"]]
    if any_in_python(players) and not find_game(game).load("simulate").plays_own:
        play = functools.partial(_play_in_engine, game, measure)
    before = usual(**parameters["options"])
    after = usual(**{**parameters["options"], **changed_options(parse_options(usual, change.split()))})
    if after == before:
        return pd.DataFrame([], columns=_COLUMNS)
    old, new = (
        play(players, options, np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key), games)
        for options in (before, after)
    )
    measures = {measure: (old.measure, new.measure)}
    if len(set(players)) > 1:
        for name in dict.fromkeys(players):  # of several by one name the mean share
            places = [place for place, player in enumerate(players) if player == name]
            first, second = (np.isin(played.winners, places) / len(places) for played in (old, new))
            measures[str(name)] = first, second
    differs = int((np.asarray(old.outcome) != np.asarray(new.outcome)).any(axis=1).sum())
    rows = []
    for name, (first, second) in measures.items():
        added = np.asarray(second, np.float64) - first
        moments = len(added), first.sum(), added.sum(), (added**2).sum(), differs
        rows.append((change, words.get(change, change), name, *moments))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _play_in_engine(
    game: str, measure: str, players: Sequence[Player], options: Any, seed: np.random.SeedSequence, games: int
) -> Played:
    """Play games in the engine, for Python players; the outcome is points and actions.

    Raises:
        TowerlabError: a measure that is not of points.
        PlayerError: a player makes an illegal move.
    """
    if measure not in OF_POINTS:
        raise TowerlabError(f"{measure} are counted of our players only; expected of `towerlab players {game}`")
    played = []
    for number, child in enumerate(seed.spawn(games)):
        played.append(play_recorded(game, BatchRequest(tuple(players), number, 1, child, "", None, options)))
        if played[-1].failure:
            raise PlayerError(played[-1].failure)
    points, winners = (np.concatenate([getattr(result, part) for result in played]) for part in ("points", "winners"))
    # Without the transcript's head, which holds the rules.
    outcomes = [f"{result.points} {result.transcripts[0].partition(chr(10))[2]}" for result in played]
    return Played(OF_POINTS[measure](points), np.array(outcomes)[:, None], winners)


def combine_changes(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``changes`` and, for different players, ``wins``: the same for each player's share of the games.

    Columns: option, rule (in words), usual, change (low, high), came_up (share of games), most, n.

    Where fewer than `FEWEST_CHANGED` games changed, or all by the same amount, `low` and `high` are nan: only the
    frequency of the change is known.
    """
    moments = [chunk for chunk in chunks if len(chunk)]
    if not moments:
        raise OptionError("these are the usual rules; expected an option that differs from them")
    sums = pd.concat(moments).groupby(["option", "rule", "measure"], sort=False).sum()
    n = sums["games"]
    mean = sums["added"] / n
    variance = (sums["squares"] / n - mean**2).clip(lower=0).astype(float) / (n - 1)
    half = normal_quantile(LEVEL) * variance**0.5
    half = half.where((sums["changed"] >= FEWEST_CHANGED) & (half > 1e-9), np.nan)
    table = sums.assign(usual=sums["before"] / n, change=mean, low=mean - half, high=mean + half, n=n)
    shares = [share_interval(int(some), int(all_)) for some, all_ in zip(sums["changed"], n, strict=True)]
    table = table.assign(came_up=[share.mean for share in shares], most=[share.high for share in shares]).reset_index()
    columns = ["option", "rule", "usual", "change", "low", "high", "came_up", "most", "n"]
    measure = table["measure"].iloc[0]
    of_players = table["measure"] != measure
    tables = {"changes": table.loc[~of_players, columns].reset_index(drop=True)}
    if of_players.any():
        tables["wins"] = table.loc[of_players, ["measure", *columns]].rename(columns={"measure": "player"})
    return StudyResult(tables, {"games": int(n.min()), "measure": measure})


def rule_options_study(
    game: str,
    options: type[Any],
    play: Play,
    measure: str,
    changes: Mapping[str, str],
    *,
    players: int,
    games: int,
) -> Study:
    """Return the study `rule-options` of a game.

    Args:
        options: the class of its options.
        play: the function that plays games.
        measure: the name of the compared number, with its unit.
        changes: the changes in words, by ``"name=value"``.
        players: how many novices play.
        games: how many games are played for each change.
    """
    run_chunk = functools.partial(changed_games, game, play, measure, changes, options)
    return Study(
        game=game,
        name="rule-options",
        help="what each rule option changes, the same games between novices with and without it",
        count_chunks=lambda parameters: CHUNKS * len(parameters["changes"]),
        combine=combine_changes,
        rule_options=options,
        run_chunk=functools.update_wrapper(run_chunk, play),  # it is written where `play` is
        parameters={"players": ["novice"] * players, "changes": list(changes), "games": games},
        players=("players",),
    )


@dataclass(frozen=True)
class Comparison(
    Answer, method="sampled", shown_by="towerlab.analysis.simulation.present:comparison_report", table="changes"
):
    """Changes that other rules make in the same games.

    Attributes:
        measure: the compared number, with its unit.
        changes: a row a combination: option, rule, usual, change with low and high, came_up, most, n.
        wins: a row a combination and player where different players play.
    """

    game: str
    players: tuple[str, ...]
    games: int
    measure: str
    changes: tuple[Mapping[str, Any], ...]
    wins: tuple[Mapping[str, Any], ...]


def compare_rules(
    game: str | Game,
    options: Mapping[str, object] | Sequence[str] | None = None,
    players: Sequence[object] | None = None,
    games: int = 2_000,
    *,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
) -> Comparison:
    """Play every combination of options against the usual rules, on the same deals.

    Args:
        game: a game of the catalog, or its name.
        options: texts like ``"layout=line,square"``, or by name a value or a list of values; every combination is
            played. Without any each option alone.
        players: the players, as in `simulate`; None for novices.
        games: how many games each combination plays, a multiple of four.

    Raises:
        TowerlabError: options or players that cannot be, or rules that the players do not know.
    """
    game = find_game(game)
    study: Study = find_study(game.name, "rule-options")
    kind = game.load("options")
    usual = parse_parameters(study, ())
    if isinstance(options, Mapping):
        each = {name: values if isinstance(values, (list, tuple)) else [values] for name, values in options.items()}
        options = [f"{name}={','.join(map(typed_text, values))}" for name, values in each.items()]
    if options:
        usual["changes"] = combinations(kind, options)
    usual["players"] = list(check_players(game, players or usual["players"], game.load("simulate")))
    usual["games"] = max(games, CHUNKS)
    how: dict[str, Any] = {"seed": seed, "jobs": jobs, "quiet": quiet, "title": "rules compared"}
    chunks = stream_chunks(study.run_chunk, study.count_chunks(usual), parameters=usual, **how)
    result = study.combine(chunks, usual)
    tables = result.tables["changes"], result.tables.get("wins", pd.DataFrame())
    changes, wins = (tuple(frame_rows(frame.astype(object).where(frame.notna(), None))) for frame in tables)
    names = tuple(map(str, usual["players"]))
    count = result.summary["games"]
    measure = result.summary["measure"]
    return Comparison(game.name, names, count, measure, changes, wins, seed=seed, options=kind())


def combinations(kind: type[Any], assignments: Sequence[str]) -> list[str]:
    """Return every combination of the named values as a text of assignments, without the usual rules.

    >>> from towerlab.games.towers import TowersOptions
    >>> combinations(TowersOptions, ["layout=line,square", "ace_strength=13"])
    ['ace_strength=13', 'layout=square ace_strength=13']
    """
    values: dict[str, list[str]] = {}
    for assignment in assignments:
        name, _, texts = assignment.partition("=")
        parse_options(kind, [f"{name}={text}" for text in texts.split(",")] if texts else [assignment])
        values.setdefault(name.strip(), []).extend(text.strip() for text in texts.split(","))
    chosen = [
        changed_options(parse_options(kind, [f"{name}={text}" for name, text in zip(values, texts, strict=True)]))
        for texts in product(*values.values())
    ]
    changes = [
        " ".join(f"{name}={str(value).lower()}" for name, value in options.items()) for options in chosen if options
    ]
    if not changes:
        raise OptionError("these are the usual rules; expected an option that differs from them")
    return list(dict.fromkeys(changes))
