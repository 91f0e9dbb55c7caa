"""Questions of Bowers: the call, the bury, a play, a claim, open cards; and the studies of the report."""

from towerlab.analysis.bowers.bid import BidAnswer, ask_bid
from towerlab.analysis.bowers.bury import BuryAnswer, ask_bury

__all__ = ["BidAnswer", "BuryAnswer", "ask_bid", "ask_bury"]
