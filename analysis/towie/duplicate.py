"""Study `duplicate`: what a player's bidding gains against another's on the same deals, all contracts played alike.

Each deal is bid twice, by the same two others and, in one seat after the other, by either of two players; every third
deal also by three players of a kind. Their difference on a deal is one observation; of shares it is that of the two
ratios, linearised. Who has won a game is drawn at random, alike for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.stats import paired_difference, ratio_residuals
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.arrays import Floats
from towerlab.games.towie.auction import CALLERS, level_of
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import tricks_needed
from towerlab.sim.towie.duplicate import COLUMNS, Duplicate
from towerlab.sim.towie.pimc import SLAM_LEVEL

LIMIT: Final = 3  # goulashes, then the deal counts nothing
PLAYER, OTHER = "player", "other"
ONE, THREE = "one beside two others", "three alike"
THREE_EVERY: Final = 3
POINTS, OPEN_POINTS = "points a deal, as played", "points a deal, double-dummy"
FAILED, OPEN_FAILED = "of its contracts fail, as played", "of its contracts fail, double-dummy"
CONTRACTS, SLAMS = "of deals it declares", "of deals it declares a slam"
SLAMS_FAILED, SLAMS_LOST = "of its slams fail, as played", "of deals its slam fails, as played"


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a bidding of a deal: who sat in which seat beside whom, and `COLUMNS`."""
    options = TowieOptions(**parameters["options"])
    if options.max_goulash == TowieOptions().max_goulash:
        options = replace(options, max_goulash=LIMIT)
    table = Duplicate(options, int(parameters["samples"]))
    other, rows = str(parameters[OTHER]), []
    for place, deal in enumerate(seed.spawn(int(parameters["deals"]))):
        number = chunk * int(parameters["deals"]) + place
        vulnerable, seat = int(np.random.default_rng(deal).integers(1 << CALLERS)), number % CALLERS
        for name in (str(parameters[PLAYER]), other):
            tables = {ONE: [name if place == seat else other for place in range(CALLERS)]}
            if number % THREE_EVERY == 0:
                tables[THREE] = [name] * CALLERS
            for seating, players in tables.items():
                found = dict(zip(COLUMNS, table.bid(players, vulnerable, deal), strict=True))
                got = {points: found[f"{points}_{seat}"] for points in ("points", "open_points")}
                own = found["bid"] > 0 and (seating == THREE or found["declarer"] == seat)
                rows.append({"deal": number, "seating": seating, "name": name, "own": own, **found, **got})
    return pd.DataFrame(rows)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``compared``: by seating and measure what either player gets and their difference on the same deals."""
    bids = pd.concat(list(tables), ignore_index=True)
    names = (str(parameters[PLAYER]), str(parameters[OTHER]))
    rows: list[dict[str, Any]] = []
    for seating in (ONE, THREE):
        group = bids[bids["seating"] == seating].sort_values("deal")
        new, old = (_measured(group[group["name"] == name]) for name in names)
        for what in new:
            if what in old and not (seating == THREE and what in (POINTS, OPEN_POINTS)):
                means = {"new": new[what].mean(), "old": old[what].mean()}
                rows.append(
                    {"seating": seating, "what": what, **means, **paired_difference(new[what], old[what])._asdict()}
                )
    compared = pd.DataFrame(rows).rename(columns={"n": "deals"})
    return StudyResult({"compared": compared, "bids": bids}, _summary(names, compared))


def _measures(bids: pd.DataFrame) -> dict[str, tuple[Any, Any]]:
    """What is compared → what is counted and of what, by row."""
    needed = np.array([int(tricks_needed(int(bid))) for bid in bids["bid"]])
    own = bids["own"].to_numpy()
    slam = own & np.array([int(level_of(int(bid))) >= SLAM_LEVEL for bid in bids["bid"]])
    failed, open_failed = own & (bids["tricks"] < needed), own & (bids["open_tricks"] < needed)
    deals = np.ones(len(bids))
    return {
        POINTS: (bids["points"], deals),
        OPEN_POINTS: (bids["open_points"], deals),
        CONTRACTS: (own, deals),
        FAILED: (failed, own),
        OPEN_FAILED: (open_failed, own),
        SLAMS: (slam, deals),
        SLAMS_FAILED: (slam & failed, slam),
        SLAMS_LOST: (slam & failed, deals),
    }


def _measured(bids: pd.DataFrame) -> dict[str, Floats]:
    """By deal, numbers whose mean is the measure and whose spread is that of the ratio, linearised."""
    found = {}
    for what, (above, below) in _measures(bids).items():
        if np.any(below):
            ratio, residuals = ratio_residuals(above, below)
            found[what] = ratio + residuals
    return found


def _summary(names: tuple[str, str], compared: pd.DataFrame) -> dict[str, Any]:
    found = {str(row["what"]): row for row in compared[compared["seating"] == ONE].to_dict("records")}
    gain, failed = found[POINTS], found.get(FAILED)
    words = ""
    if failed is not None:
        words = (
            f" Of its contracts {failed['new']:.0%} fail, of the other's {failed['old']:.0%} (difference "
            f"{failed['low']:+.0%} to {failed['high']:+.0%})."
        )
    return {
        "deals": int(gain["deals"]),
        "finding": (
            f"Beside two {names[1]}, {names[0]} gets {gain['mean']:+.0f} points a deal more than a third {names[1]} "
            f"(95 % {gain['low']:+.0f} to {gain['high']:+.0f}, {int(gain['deals'])} deals, played by pimc).{words}"
        ),
    }


def _warm_up() -> None:
    Duplicate(TowieOptions(max_goulash=1), 2).bid(["pimc", "novice", "novice"], 0, np.random.SeedSequence(1))


DUPLICATE: Final = Study(
    game="towie",
    name="duplicate",
    help="What a player's bidding gains against another's on the same deals, all contracts played alike.",
    parameters={PLAYER: "pimc", OTHER: "novice", "chunks": 20, "deals": 15, "samples": 8},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
    rule_options=TowieOptions,
)
