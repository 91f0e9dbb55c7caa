"""Study `auction`: games at tables of three to five novices, or pimc, under the usual rules and two others.

How often an auction reaches game, what over-bidding costs, how long a game lasts, and who sits when vulnerable players
must wait (TO-20). What each number means stands in `analysis.towie.played.STATISTICS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towie.played import contracts_table, play_games, statistics_table
from towerlab.games.towie import TowieOptions
from towerlab.sim.towie.games import simulate_games

NOVICE: Final = "novice"
PIMC: Final = "pimc"
TABLES: Final = (3, 4, 5)


@dataclass(frozen=True)
class Arm:
    """Games of one kind.

    Attributes:
        player: who sits in every seat.
        players: how many.
        options: what differs from the rules that the study is given.
    """

    player: str
    players: int
    options: Mapping[str, Any] = field(default_factory=dict)


ARMS: Final[dict[str, Arm]] = {
    **{f"{n} novices": Arm(NOVICE, n) for n in TABLES},
    **{f"{n} novices, retiree may stay": Arm(NOVICE, n, {"retiree_waits": True}) for n in TABLES[1:]},
    "3 novices, doubles do not count": Arm(NOVICE, 3, {"doubled_counts": False}),
    **{f"{n} pimc": Arm(PIMC, n) for n in TABLES},
}


def _arm_chunks(parameters: Mapping[str, Any]) -> list[tuple[str, Arm, int, int]]:
    """Name, arm, first game and games of every chunk."""
    chunks = []
    for name, arm in ARMS.items():
        slow = arm.player == PIMC
        games, size = int(parameters["pimc_games" if slow else "games"]), 2 if slow else 500
        chunks += [(name, arm, first, min(size, games - first)) for first in range(0, games, size)]
    return chunks


def _run_arm(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    name, arm, first, games = _arm_chunks(parameters)[chunk]
    players = [arm.player] * arm.players
    options = TowieOptions(**{**parameters["options"], **arm.options})
    played = play_games(players, games, seed, options, first_game=first, samples=int(parameters["samples"]))
    return played.assign(arm=name)


def _combine_arms(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``statistics`` and ``contracts``, one row an arm and a statistic or a kind of contract."""
    deals = pd.concat(list(tables), ignore_index=True)
    arms = {
        name: (deals[deals["arm"] == name].reset_index(drop=True), arm.players)
        for name, arm in ARMS.items()
        if (deals["arm"] == name).any()
    }
    statistics = statistics_table(arms)
    by_name = {(row["arm"], row["statistic"]): row for row in statistics.to_dict("records")}
    length = [by_name[f"{n} novices", "played"]["mean"] for n in TABLES]
    sits = by_name["5 novices", "vulnerable_active"]
    reach = by_name["3 novices", "reach"]
    summary = {
        "games": {name: int(of_arm["game"].nunique()) for name, (of_arm, _) in arms.items()},
        "samples": int(parameters["samples"]),
        "finding": (
            f"Among novices {reach['mean']:.0%} of auctions reach game (95 % {reach['low']:.0%} to "
            f"{reach['high']:.0%}); a game lasts {length[0]:.1f}, {length[1]:.1f} and {length[2]:.1f} played deals "
            f"with 3, 4 and 5 players; of five players a vulnerable one sits {sits['mean']:.0%} of the time, where "
            "60 % would be that player's share."
        ),
    }
    return StudyResult({"statistics": statistics, "contracts": contracts_table(arms)}, summary)


def warm_up() -> None:
    """Compile the kernels of the players and of the solver."""
    simulate_games([NOVICE] * 3, 1, np.random.SeedSequence(1))
    simulate_games([PIMC] * 3, 1, np.random.SeedSequence(1), samples=1)


AUCTION: Final = Study(
    game="towie",
    name="auction",
    help="How often an auction reaches game, what over-bidding costs, how long games last, who sits: 3 to 5 players.",
    parameters={"games": 3000, "pimc_games": 24, "samples": 4},
    count_chunks=lambda parameters: len(_arm_chunks(parameters)),
    run_chunk=_run_arm,
    combine=_combine_arms,
    warm_up=warm_up,
    rule_options=TowieOptions,
)
