"""The studies of Bowers by name."""

from __future__ import annotations

from analysis.bowers.auctions import RUNGS
from analysis.bowers.findings import combine
from analysis.bowers.observations import observe, plan
from analysis.bowers.simulation import warm_up
from analysis.study import Study

BIDS = Study(
    game="bowers",
    name="bids",
    help="what hands make what, what the kitty and a good bury are worth, and what misère should be worth",
    parameters={"hands": 480, "kitties": 8, "misere_hands": 20_000, "bury_hands": 96, "joker_share": 0.2},
    count_chunks=lambda parameters: len(plan(parameters)),
    run_chunk=observe,
    combine=combine,
    warm_up=warm_up,
)

STUDIES: dict[str, Study] = {study.name: study for study in (BIDS, RUNGS)}
