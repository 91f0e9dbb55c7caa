"""The studies of Bowers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.bowers.auctions import RUNGS
from analysis.bowers.bid import ask_bid
from analysis.bowers.bidding_accuracy import BIDDING
from analysis.bowers.claim_accuracy import CLAIMING
from analysis.bowers.claims import judge_claim
from analysis.bowers.findings import combine
from analysis.bowers.observations import observe, plan
from analysis.bowers.options_compared import RULE_OPTIONS
from analysis.bowers.simulation import warm_up as warm_up_simulator
from analysis.study import Study
from games.errors import OptionError

FEWEST: Final = {"hands": 4, "kitties": 2, "misere_hands": 2, "bury_hands": 2}


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """Chunks of the study `bids`.

    Raises:
        OptionError: too few hands to say anything about.
    """
    for name, fewest in FEWEST.items():
        if parameters[name] < fewest:
            raise OptionError(f"{name}={parameters[name]} is too few for the study bids; expected at least {fewest}")
    return len(plan(parameters))


BIDS = Study(
    game="bowers",
    name="bids",
    help="what hands make what, what the kitty and a good bury are worth, and what misère should be worth",
    parameters={"hands": 480, "kitties": 8, "misere_hands": 20_000, "bury_hands": 96, "joker_share": 0.2},
    count_chunks=count_chunks,
    run_chunk=observe,
    combine=combine,
    warm_up=warm_up_simulator,
)

STUDIES: dict[str, Study] = {study.name: study for study in (BIDS, RUNGS, BIDDING, CLAIMING, RULE_OPTIONS)}


def warm_up() -> None:
    """Compile every kernel that an answer of this game needs."""
    warm_up_simulator()
    ask_bid("JS JC AS KS 8S 9D TD AH QD 7C", "P 5H", kitties=1, jobs=1, quiet=True)
    judge_claim(hand="JC JS AC", trump="C", lead="declarer", tricks=3)
