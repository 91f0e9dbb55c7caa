"""The studies of Towie, by name."""

from __future__ import annotations

from typing import Final

from analysis.study import Study
from analysis.towie.bid import ask_bid
from analysis.towie.bidding_accuracy import BIDDING_ACCURACY
from analysis.towie.claim_accuracy import CLAIMING
from analysis.towie.duplicate import DUPLICATE
from analysis.towie.options_compared import RULE_OPTIONS
from analysis.towie.simulation import warm_up as warm_up_simulator

STUDIES: Final[dict[str, Study]] = {
    study.name: study for study in (CLAIMING, BIDDING_ACCURACY, DUPLICATE, RULE_OPTIONS)
}


def warm_up() -> None:
    """Compile every kernel that an answer of this game needs."""
    warm_up_simulator()
    ask_bid("AKQ94.AK3.QJ7.82", "JS 6S QH JH AC 4D", layouts=2, width=1.0, jobs=1, quiet=True)
