"""Which studies has Bowers, by name?

rule_options      what each rule option changes
bidding_accuracy  what bidding rules cost
bid_precision     how sure bids are
claim_accuracy    how many tricks can be claimed
misere            how often a hand survives a misère
"""

from towerlab.analysis.bowers.bid import ask_bid
from towerlab.analysis.bowers.claims import judge_claim
from towerlab.analysis.bowers.studies.bid_precision import BID_PRECISION, TRICK_ESTIMATE
from towerlab.analysis.bowers.studies.bidding_accuracy import BIDDING
from towerlab.analysis.bowers.studies.claim_accuracy import CLAIMING
from towerlab.analysis.bowers.studies.misere import MISERE_HANDS
from towerlab.analysis.bowers.studies.rule_options import RULE_OPTIONS
from towerlab.analysis.study import Study

STUDIES: dict[str, Study] = {
    study.name: study for study in (MISERE_HANDS, BIDDING, CLAIMING, RULE_OPTIONS, BID_PRECISION, TRICK_ESTIMATE)
}
