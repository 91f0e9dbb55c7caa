"""Every player against every other: hands on duplicate deals, towers, matches, and what the deal is worth to each.

A hand of every size is played twice with the same cards, the seats swapped: the pair is one observation, and a player's
score in it is the mean of their two hands (1 for winning: the tower, else the next deal). Towers and matches have cards
of their own, seats rotating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.players import find_player
from towerlab.analysis.stats import Estimate, mean_interval, share_interval, wilson
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.simulation import play_units, warm_up
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from towerlab.sim.own import PlayerError
from towerlab.sim.towers_and_bowers import PLAYERS

SCORES: Final = (0.0, 0.5, 1.0)  # of one player over a pair of hands
LONGER_UNITS: Final = ("tower", "match")


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    if len(set(parameters["players"])) < 2:
        raise TowerlabError("a tournament of fewer than two players; expected --set players=NAME,NAME…")
    return int(parameters["chunks"])


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Counts, one row a pairing and unit: hands by score of the first player; units by who won."""
    rows: list[dict[str, Any]] = []
    for a, b in combinations_with_replacement(parameters["players"], 2):
        for cards in range(1, LARGEST_HAND + 1):
            rows.append({"unit": "hand", "cards": cards, "a": a, "b": b} | _pairs((a, b), cards, seed, parameters))
    for a, b in combinations(parameters["players"], 2):
        for unit in LONGER_UNITS:
            count = int(parameters[f"{unit}_units"])
            winners = _simulate(unit, 0, count, (a, b), TowersAndBowersOptions(), seed)
            won = int((winners == 0).sum())
            rows.append({"unit": unit, "cards": LARGEST_HAND, "a": a, "b": b, "lost": count - won, "won": won})
    return pd.DataFrame(rows).fillna(0)


def _pairs(
    players: tuple[str, str], cards: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]
) -> dict[str, int]:
    """Pairs of hands by the first player's score, and hands that the dealer won."""
    options = TowersAndBowersOptions(first_n=cards)
    pairs = int(parameters["pairs"])
    # The same seed deals the same cards; the first unit's number decides who sits where.
    first, second = (_simulate("hand", start, pairs, players, options, seed) for start in (0, 1))
    wins = (first == 0).astype(int) + (second == 0)
    lost, split, won = np.bincount(wins, minlength=3).tolist()
    dealers = np.arange(pairs) % 2  # player p sits in seat (p + unit number) % 2, and seat 0 deals
    dealer_won = int((first == dealers).sum() + (second == 1 - dealers).sum())
    return {"lost": lost, "split": split, "won": won, "dealer_won": dealer_won}


def _simulate(
    unit: str,
    first: int,
    count: int,
    players: tuple[str, str],
    options: TowersAndBowersOptions,
    seed: np.random.SeedSequence,
) -> Any:
    found = tuple(find_player(player, "towers-and-bowers") for player in players)
    played = play_units(unit, first, count, found, options, seed)
    if played.failure:
        raise PlayerError(played.failure)
    return played.winners


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``hands`` (paired), ``units`` (towers and matches) and ``dealer`` (between two alike)."""
    keys = ["unit", "cards", "a", "b"]
    counts = pd.concat(tables, ignore_index=True).groupby(keys, as_index=False, sort=False).sum()
    played = counts[(counts["unit"] == "hand") & (counts["a"] != counts["b"])]
    alike = counts[(counts["unit"] == "hand") & (counts["a"] == counts["b"])]
    hands = pd.DataFrame([_hand_row(row) for row in played.to_dict("records")])
    units = pd.DataFrame([_unit_row(row) for row in counts[counts["unit"] != "hand"].to_dict("records")])
    dealer = pd.DataFrame([_dealer_row(row) for row in alike.to_dict("records")])
    return StudyResult({"hands": hands, "units": units, "dealer": dealer}, _summary(units, dealer, parameters))


def _hand_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    pairs = [int(row[name]) for name in ("lost", "split", "won")]
    score = mean_interval(np.repeat(SCORES, pairs))
    if not 0 < score.width < 1:  # pairs that all ended alike say nothing of their spread
        score = Estimate(score.mean, *wilson(round(score.mean * score.n), score.n), score.n)
    named = {"cards": row["cards"], "a": row["a"], "b": row["b"], "pairs": score.n}
    return named | score.row("share", bare=True)


def _unit_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    won, count = int(row["won"]), int(row["won"] + row["lost"])
    named = {"unit": row["unit"], "a": row["a"], "b": row["b"], "units": count}
    return named | share_interval(won, count).row("share", bare=True)


def _dealer_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    hands = 2 * int(row["lost"] + row["split"] + row["won"])
    share = share_interval(int(row["dealer_won"]), hands).row("share", bare=True)
    return {"player": row["a"], "cards": row["cards"], "hands": hands, **share}


def _summary(units: pd.DataFrame, dealer: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    matches = both_ways(units[units["unit"] == "match"])
    shares = matches.groupby("a")["share"].mean()
    ranking = sorted(dict.fromkeys(parameters["players"]), key=lambda player: -shares[player])
    best = matches[(matches["a"] == ranking[0]) & (matches["b"] == ranking[1])].to_dict("records")[0]
    share, low, high, count = (best[name] for name in ("share", "low", "high", "units"))
    return {
        "ranking": ranking,
        "match_share": {player: float(shares[player]) for player in ranking},
        "best_against_second": {"share": share, "interval": [low, high], "n": count},
        "dealer_share": {
            str(player): dict(zip(rows["cards"].astype(str), rows["share"], strict=True))
            for player, rows in dealer.groupby("player")
        },
    }


def both_ways(units: pd.DataFrame) -> pd.DataFrame:
    """Rows of pairings, then all of them the other way round: the share of a against b with its interval."""
    ends = {"share": 1 - units["share"], "low": 1 - units["high"], "high": 1 - units["low"]}
    return pd.concat([units, units.rename(columns={"a": "b", "b": "a"}).assign(**ends)], ignore_index=True)


TOURNAMENT: Final = Study(
    game="towers-and-bowers",
    name="tournament",
    help="Every player against every other: hands on duplicate deals, towers, matches, and the dealer's share.",
    parameters={"players": list(PLAYERS), "chunks": 20, "pairs": 100, "tower_units": 20, "match_units": 20},
    choices={"players": PLAYERS},
    players=("players",),
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
