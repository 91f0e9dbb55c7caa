"""The studies of Towie, by name."""

from __future__ import annotations

from typing import Final

from towerlab.analysis.study import Study
from towerlab.analysis.towie import goulash, simulation
from towerlab.analysis.towie.auction import AUCTION
from towerlab.analysis.towie.bidding_accuracy import BIDDING_ACCURACY
from towerlab.analysis.towie.claim_accuracy import CLAIMING
from towerlab.analysis.towie.duplicate import DUPLICATE
from towerlab.analysis.towie.exposed import EXPOSED
from towerlab.analysis.towie.goulash import GOULASH
from towerlab.analysis.towie.options_compared import RULE_OPTIONS

STUDIES: Final[dict[str, Study]] = {
    study.name: study for study in (GOULASH, EXPOSED, AUCTION, CLAIMING, BIDDING_ACCURACY, DUPLICATE, RULE_OPTIONS)
}


def warm_up() -> None:
    """Compile every kernel of Towie."""
    simulation.warm_up()
    goulash.warm_up()
