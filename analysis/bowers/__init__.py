"""Questions of Bowers: what to bid, what to bury, and the studies behind the report.

layouts    kitties and hands drawn from the cards that are not seen, and what best play takes in them
burying    which cards to bury, without sight of the other hands
ranking    several actions tried on the same layouts, and when one of them is surely the best
bid, bury  the two questions
"""

from towerlab.analysis.bowers.bid import BidAnswer, ask_bid
from towerlab.analysis.bowers.bury import BuryAnswer, ask_bury

__all__ = ["BidAnswer", "BuryAnswer", "ask_bid", "ask_bury"]
