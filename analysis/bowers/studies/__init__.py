"""The studies of Bowers by name."""

from __future__ import annotations

from towerlab.analysis.bowers.bid import ask_bid
from towerlab.analysis.bowers.claims import judge_claim
from towerlab.analysis.bowers.simulation import warm_up as warm_up_simulator
from towerlab.analysis.bowers.studies.bidding_accuracy import BIDDING
from towerlab.analysis.bowers.studies.claim_accuracy import CLAIMING
from towerlab.analysis.bowers.studies.misere import MISERE_HANDS
from towerlab.analysis.bowers.studies.rule_options import RULE_OPTIONS
from towerlab.analysis.study import Study

STUDIES: dict[str, Study] = {study.name: study for study in (MISERE_HANDS, BIDDING, CLAIMING, RULE_OPTIONS)}


def warm_up() -> None:
    """Compile every kernel that an answer of this game needs."""
    warm_up_simulator()
    ask_bid("JS JC AS KS 8S 9D TD AH QD 7C", "P 5H", kitties=1, jobs=1, quiet=True)
    judge_claim(hand="JC JS AC", trump="C", lead="declarer", tricks=3)
