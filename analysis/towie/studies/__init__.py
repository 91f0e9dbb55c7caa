"""Which studies has Towie, by name?

rule_options      what each rule option changes
bidding_accuracy  what bidding rules cost
bid_precision     how sure bids are
claim_accuracy    how many tricks can be claimed
"""

from typing import Final

from towerlab.analysis.study import Study
from towerlab.analysis.towie import simulation
from towerlab.analysis.towie.bid import ask_bid
from towerlab.analysis.towie.studies.bid_precision import BID_PRECISION, TRICK_ESTIMATE
from towerlab.analysis.towie.studies.bidding_accuracy import BIDDING_ACCURACY
from towerlab.analysis.towie.studies.claim_accuracy import CLAIMING
from towerlab.analysis.towie.studies.rule_options import RULE_OPTIONS

STUDIES: Final[dict[str, Study]] = {
    study.name: study for study in (CLAIMING, BIDDING_ACCURACY, RULE_OPTIONS, BID_PRECISION, TRICK_ESTIMATE)
}
