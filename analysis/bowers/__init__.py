"""Questions of Bowers: the call, the bury, and the studies of the report.

bid, bury  the two questions
"""

from towerlab.analysis.bowers.bid import BidAnswer, ask_bid
from towerlab.analysis.bowers.bury import BuryAnswer, ask_bury

__all__ = ["BidAnswer", "BuryAnswer", "ask_bid", "ask_bury"]
