"""Questions of Bowers: the call, the bury, and the studies of the report.

layouts    kitties and hands drawn from the unseen cards, and their double-dummy tricks
burying    which cards to bury, without sight of the other hands
ranking    several actions tried on the same layouts, and when one of them is surely the best
bid, bury  the two questions
"""

from towerlab.analysis.bowers.bid import BidAnswer, ask_bid
from towerlab.analysis.bowers.bury import BuryAnswer, ask_bury

__all__ = ["BidAnswer", "BuryAnswer", "ask_bid", "ask_bury"]
