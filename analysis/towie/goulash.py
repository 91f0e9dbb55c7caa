"""Study `goulash`: suit lengths and makeable contracts after a goulash, against ordinary deals.

A goulash starts from an ordinary deal, whatever its auction would have been. Contracts are judged double-dummy: each
of the three players in turn declares opposite the dummy, in the best strain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.stats import mean_interval, share_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towie.contracts import lowest_game
from towerlab.analysis.towie.layouts import LEFT, ME, RIGHT, STRAINS, solve_makes
from towerlab.games.arrays import Ints
from towerlab.games.cards import SUIT_BITS
from towerlab.games.towie.dealing import HANDS, PACK_SIZE, deal_singly, goulash
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import tricks_needed

PLAYERS: Final = (ME, LEFT, RIGHT)
SLAM_TRICKS: Final = 12
ORDINARY: Final = "ordinary"


@dataclass(frozen=True)
class Arm:
    """A way of dealing: so many goulashes after an ordinary deal, under some options."""

    goulashes: int
    options: TowieOptions


ARMS: Final[dict[str, Arm]] = {
    ORDINARY: Arm(0, TowieOptions()),
    "goulash": Arm(1, TowieOptions()),
    "second goulash": Arm(2, TowieOptions()),
    "sorted by rank": Arm(1, TowieOptions(goulash_sort="rank_desc")),
    "cut in the middle": Arm(1, TowieOptions(goulash_cut=26)),
    "not cut": Arm(1, TowieOptions(goulash_cut=0)),
}


def game_tricks() -> tuple[int, ...]:
    """Tricks of the lowest undoubled game by strain C D H S NT."""
    return tuple(int(tricks_needed(lowest_game(strain))) for strain in range(STRAINS))


def deal_hands(arm: Arm, count: int, random: np.random.Generator) -> Ints:
    """Deals [count, 4] of dealer, left, dummy, right, as in `analysis.towie.layouts`."""
    deals = np.zeros((count, HANDS), dtype=np.int64)
    hands = np.zeros(HANDS, dtype=np.int64)
    piles, pack = np.zeros((HANDS, 13), dtype=np.int64), np.zeros(PACK_SIZE, dtype=np.int64)
    rules = arm.options.rules()
    for deal in deals:
        deal_singly(random.permutation(PACK_SIZE), hands)
        for _ in range(arm.goulashes):
            goulash(hands, rules, random, piles, pack)
        deal[:] = hands[[0, 1, 3, 2]]
    return deals


def suit_lengths(deals: Ints) -> Ints:
    """Cards [count, 4, 4] of each hand in each suit, the longest suit first."""
    suits = (deals[:, :, None] >> (13 * np.arange(4, dtype=np.int64))) & SUIT_BITS
    lengths = np.bitwise_count(suits).astype(np.int64)
    return -np.sort(-lengths, axis=2)


def games_and_slams(deals: Ints) -> tuple[Ints, Ints]:
    """How many of the three players can make a game [count], and a small slam [count], all cards seen."""
    games, slams = np.zeros(len(deals), dtype=np.int64), np.zeros(len(deals), dtype=np.int64)
    for player in PLAYERS:
        game, slam = np.zeros(len(deals), dtype=np.bool_), np.zeros(len(deals), dtype=np.bool_)
        for strain, tricks in enumerate(game_tricks()):
            made = solve_makes(deals, strain, tricks, player)
            game |= made
            open_to_slam = np.flatnonzero(made & ~slam)
            slam[open_to_slam] = solve_makes(deals[open_to_slam], strain, SLAM_TRICKS, player)
        games += game
        slams += slam
    return games, slams


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a deal; games and slams are −1 where they were not asked for."""
    name = list(ARMS)[chunk % len(ARMS)]
    deals = deal_hands(ARMS[name], int(parameters["deals"]), np.random.default_rng(seed))
    lengths = suit_lengths(deals)
    solved = int(parameters["solved"])
    games, slams = np.full(len(deals), -1), np.full(len(deals), -1)
    games[:solved], slams[:solved] = games_and_slams(deals[:solved])
    longest = {f"longest {n}": (lengths[:, :, 0] == n).sum(axis=1) for n in range(4, 14)}
    voids = (lengths[:, :, 3] == 0).sum(axis=1)
    return pd.DataFrame(
        {"arm": name, "mean_longest": lengths[:, :, 0].mean(axis=1), "voids": voids, "games": games, "slams": slams}
        | longest
    )


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``shapes`` and ``contracts``, one row an arm, and ``longest``, one row an arm and length."""
    deals = pd.concat(list(tables), ignore_index=True)
    by_arm = {name: deals[deals["arm"] == name] for name in ARMS}
    shapes = pd.DataFrame([_shape_row(name, of_arm) for name, of_arm in by_arm.items()])
    contracts = pd.DataFrame([_contract_row(name, of_arm[of_arm["games"] >= 0]) for name, of_arm in by_arm.items()])
    longest = pd.DataFrame(
        [
            {"arm": name, "longest": n, "share": float(of_arm[f"longest {n}"].mean()) / HANDS}
            for name, of_arm in by_arm.items()
            for n in range(4, 14)
        ]
    )
    return StudyResult(
        {"shapes": shapes, "contracts": contracts, "longest": longest}, _summary(shapes, contracts, parameters)
    )


def _shape_row(arm: str, deals: pd.DataFrame) -> dict[str, Any]:
    """Hands of a deal hang together: a deal is one observation."""
    row: dict[str, Any] = {"arm": arm, "deals": len(deals)}
    long = sum(deals[f"longest {n}"] for n in range(7, 14))
    for key, values in (("longest", deals["mean_longest"]), ("seven", long / HANDS), ("void", deals["voids"] / HANDS)):
        row |= mean_interval(values).row(key)
    return row


def _contract_row(arm: str, deals: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"arm": arm, "deals": len(deals)}
    for key, column, least in (("game", "games", 1), ("two", "games", 2), ("slam", "slams", 1)):
        row |= share_interval(int((deals[column] >= least).sum()), len(deals)).row(key)
    return row | mean_interval(deals["games"]).row("players")


def _summary(shapes: pd.DataFrame, contracts: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    game = {str(row["arm"]): row for row in contracts.to_dict("records")}
    plain, goulashed = game[ORDINARY], game["goulash"]
    verdict = "more often" if goulashed["game_low"] > plain["game_high"] else "not measurably more often"
    return {
        "deals": int(shapes["deals"].iloc[0]),
        "solved": int(plain["deals"]),
        "longest": dict(zip(shapes["arm"], shapes["longest"], strict=True)),
        "game": {arm: [row["game"], row["game_low"], row["game_high"]] for arm, row in game.items()},
        "finding": (
            f"After a goulash somebody can make a game {verdict}: {goulashed['game']:.0%} of deals (95 % "
            f"{goulashed['game_low']:.0%} to {goulashed['game_high']:.0%}) against {plain['game']:.0%} "
            f"({plain['game_low']:.0%} to {plain['game_high']:.0%}); {int(plain['deals'])} deals of each, double-dummy."
        ),
    }


def warm_up() -> None:
    """Compile the kernels of deals, goulashes and the solver."""
    deals = deal_hands(ARMS["goulash"], 1, np.random.default_rng(0))
    # A hand of thirteen spades opposite nothing: solved at once.
    suits = np.array([[SUIT_BITS << 13 * suit for suit in (3, 2, 1, 0)]], dtype=np.int64)
    games_and_slams(suits)
    suit_lengths(deals)


GOULASH: Final = Study(
    game="towie",
    name="goulash",
    help="Suit lengths and makeable contracts after a goulash, by its sorting and cut, against ordinary deals.",
    parameters={"chunks_per_arm": 10, "deals": 1000, "solved": 30},
    count_chunks=lambda parameters: len(ARMS) * int(parameters["chunks_per_arm"]),
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
