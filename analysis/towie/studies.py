"""The studies of Towie, by name."""

from __future__ import annotations

from typing import Final

from analysis.study import Study
from analysis.towie import goulash, simulation
from analysis.towie.auction import AUCTION
from analysis.towie.bidding_accuracy import BIDDING_ACCURACY
from analysis.towie.claim_accuracy import CLAIMING
from analysis.towie.duplicate import DUPLICATE
from analysis.towie.exposed import EXPOSED
from analysis.towie.goulash import GOULASH
from analysis.towie.options_compared import RULE_OPTIONS

STUDIES: Final[dict[str, Study]] = {
    study.name: study for study in (GOULASH, EXPOSED, AUCTION, CLAIMING, BIDDING_ACCURACY, DUPLICATE, RULE_OPTIONS)
}


def warm_up() -> None:
    """Compile every kernel of Towie."""
    simulation.warm_up()
    goulash.warm_up()
