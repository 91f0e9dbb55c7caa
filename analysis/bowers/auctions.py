"""The study `rungs`: which bids win the auction between the players, how often they are made, and what they score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.bowers.simulation import warm_up
from towerlab.analysis.stats import Estimate, mean_interval, share_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.bowers import CALLS, MISERE, PASS, BowersOptions, call_key, call_level, call_trump
from towerlab.games.cards import NO_TRUMP
from towerlab.sim.bowers import simulate_units

LINEUPS: Final = {"pimc": ("pimc", "pimc", "pimc"), "novice": ("novice", "novice", "novice")}
_DEALS_A_CHUNK: Final = {"pimc": 6, "novice": 1000}
THROWN_IN: Final = "thrown in"


def plan_auctions(parameters: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Who plays and how many deals, by chunk."""
    parts = []
    for lineup, size in _DEALS_A_CHUNK.items():
        number = parameters[f"{lineup}_deals"]
        parts += [(lineup, min(size, number - first)) for first in range(0, number, size)]
    return parts


def play_auctions(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a deal: lineup, winning call (0: thrown in), made, points of its bidder less the mean of the others'."""
    lineup, deals = plan_auctions(parameters)[chunk]
    results = simulate_units("deal", 0, deals, LINEUPS[lineup], BowersOptions(**parameters["options"]), seed)
    calls, bidders = results.contracts[:, 0], results.contracts[:, 1]
    own = np.where(calls != PASS, results.points[np.arange(deals), bidders], 0.0)
    others = np.where(calls != PASS, (results.points.sum(axis=1) - own) / 2, 0.0)
    return pd.DataFrame({"lineup": lineup, "call": calls, "made": own > 0, "points": own - others})


def combine_auctions(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """How often each rung wins, is made, and what it scores, by lineup."""
    deals = pd.concat(list(chunks), ignore_index=True)
    deals["rung"] = [rung_name(call) for call in deals["call"]]
    order = list(dict.fromkeys(rung_name(call) for call in sorted(range(CALLS), key=lambda call: int(call_key(call)))))
    rows = []
    for lineup, part in deals.groupby("lineup", sort=False):
        for rung in order:
            won = part[part["rung"] == rung]
            made, score = share_interval(int(won["made"].sum()), len(won)), mean_interval(won["points"]).mean
            if len(won) == 0 or rung == THROWN_IN:
                made, score = Estimate(np.nan, np.nan, np.nan, 0), np.nan
            row = {"lineup": lineup, "rung": rung, **share_interval(len(won), len(part)).row("share", bare=True)}
            rows.append(row | made.row("made") | {"points": score, "won": len(won), "deals": len(part)})
    summary = {lineup: int((deals["lineup"] == lineup).sum()) for lineup in LINEUPS}
    return StudyResult({"rungs": pd.DataFrame(rows)}, {"deals": summary})


def rung_name(call: int) -> str:
    """The rung of a call: suits at one level share one."""
    if call == PASS:
        return THROWN_IN
    if call == MISERE:
        return "misère"
    return f"{call_level(call)}{'NT' if call_trump(call) == NO_TRUMP else ' of a suit'}"


RUNGS = Study(
    game="bowers",
    name="rungs",
    help="which bids win the auction between the players, how often they are made, and what they score",
    parameters={"pimc_deals": 96, "novice_deals": 20_000},
    count_chunks=lambda parameters: len(plan_auctions(parameters)),
    run_chunk=play_auctions,
    combine=combine_auctions,
    warm_up=warm_up,
    rule_options=BowersOptions,
)
