"""Study `duplicate`: what a player's bidding gains against another's on the same deals, contracts played double-dummy.

Each deal is bid twice by the same two others and, in one seat after the other, by either of two players; their
difference is one observation. Three players of a kind among themselves tell how their contracts fare. Who has won a
game is drawn by lot, alike for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats import finite_or_none, paired_difference, wilson
from analysis.study import Study, StudyResult
from games.towie.auction import CALLERS, level_of
from games.towie.options import TowieOptions
from games.towie.scoring import tricks_needed
from sim.towie.duplicate import COLUMNS, Duplicate

SLAM_LEVEL: Final = 6
LIMIT: Final = 3  # goulashes, then the deal counts nothing
PLAYER, OTHER = "player", "other"
ALIKE: Final = "three alike"


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a bidding of a deal: who sat in which seat against whom, and `COLUMNS`."""
    table = Duplicate(TowieOptions(max_goulash=LIMIT), int(parameters["samples"]))
    names = (str(parameters[PLAYER]), str(parameters[OTHER]))
    rows = []
    for number, deal in enumerate(seed.spawn(int(parameters["deals"]))):
        vulnerable = int(np.random.default_rng(deal).integers(1 << CALLERS))
        seat = (chunk + number) % CALLERS
        about = {"deal": chunk * int(parameters["deals"]) + number, "seat": seat}
        for name in names:
            tables = {ALIKE: [name] * CALLERS}
            tables |= {other: [name if place == seat else other for place in range(CALLERS)] for other in names}
            for others, players in tables.items():
                if others == name:
                    continue  # as three alike
                found = dict(zip(COLUMNS, table.bid(players, vulnerable, deal), strict=True))
                rows.append({**about, "name": name, "others": others, **found, "points": found[f"points_{seat}"]})
    return pd.DataFrame(rows)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``gains`` (points a deal, by who the others are) and ``contracts`` (of three alike)."""
    bids = pd.concat(list(tables), ignore_index=True)
    names = (str(parameters[PLAYER]), str(parameters[OTHER]))
    points = {
        (name, others): of_both.sort_values("deal")["points"].to_numpy()
        for (name, others), of_both in bids.groupby(["name", "others"])
    }
    points |= {(name, name): points[name, ALIKE] for name in names}
    gains = []
    for others in names:
        gain = paired_difference(points[names[0], others], points[names[1], others])
        gains.append({"others": others, **gain._asdict()})
    gains_table = pd.DataFrame(gains).rename(columns={"n": "deals"})
    contracts = pd.DataFrame([_contracts_row(name, bids) for name in names])
    return StudyResult({"gains": gains_table, "contracts": contracts}, _summary(names, gains_table, contracts))


def _contracts_row(name: str, bids: pd.DataFrame) -> dict[str, Any]:
    alike = bids[(bids["name"] == name) & (bids["others"] == ALIKE)]
    played = alike[alike["bid"] > 0]
    slam = np.array([int(level_of(int(bid))) >= SLAM_LEVEL for bid in played["bid"]], dtype=np.bool_)
    made = played["tricks"].to_numpy() >= [int(tricks_needed(int(bid))) for bid in played["bid"]]
    counts = {
        "played": (len(played), len(alike)),
        "made": (int(made.sum()), len(played)),
        "slam": (int(slam.sum()), len(alike)),
        "slam_made": (int((slam & made).sum()), int(slam.sum())),
        "slam_failed": (int((slam & ~made).sum()), len(alike)),
        "doubled": (int((played["doubling"] > 1).sum()), len(played)),
    }
    row: dict[str, Any] = {"name": name, "deals": len(alike)}
    for key, (count, of) in counts.items():
        low, high = wilson(count, of)
        row |= {key: count / of if of else np.nan, f"{key}_low": low, f"{key}_high": high}
    return row


def _summary(names: tuple[str, str], gains: pd.DataFrame, contracts: pd.DataFrame) -> dict[str, Any]:
    found = {str(row["others"]): row for row in gains.to_dict("records")}
    fare = {str(row["name"]): row for row in contracts.to_dict("records")}
    gain = found[names[1]]
    return {
        "deals": int(gains["deals"].iloc[0]),
        "gains": {
            others: [finite_or_none(row[key]) for key in ("mean", "low", "high")] for others, row in found.items()
        },
        "finding": (
            f"Against two {names[1]}, {names[0]} gets {gain['mean']:+.0f} points a deal more than a third {names[1]} "
            f"(95 % {gain['low']:+.0f} to {gain['high']:+.0f}, {gain['deals']} deals). Three {names[0]} reach slam in "
            f"{fare[names[0]]['slam']:.0%} of deals and make {fare[names[0]]['slam_made']:.0%} of those; three "
            f"{names[1]} in {fare[names[1]]['slam']:.0%} and {fare[names[1]]['slam_made']:.0%}."
        ),
    }


def _warm_up() -> None:
    Duplicate(TowieOptions(max_goulash=1), 2).bid(["pimc", "novice", "shortsighted"], 0, np.random.SeedSequence(1))


DUPLICATE: Final = Study(
    game="towie",
    name="duplicate",
    help="What a player's bidding gains against another's on the same deals, contracts played double-dummy.",
    parameters={PLAYER: "pimc", OTHER: "shortsighted", "chunks": 20, "deals": 15, "samples": 8},
    count_chunks=lambda parameters: int(parameters["chunks"]),
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
