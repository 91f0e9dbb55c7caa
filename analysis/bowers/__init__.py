"""What can be asked about Bowers? The call, the bury, a play, a claim, open cards.

bid           which call; score_states says what the scores are worth
bury          which cards
move          which card
claims        is this claim sound
open_hands    three hands with all cards seen
simulation    who wins
studies       what bidding rules cost, what options change
report        the page; present shows the answers in a terminal
"""

from towerlab.analysis.bowers.bid import BidAnswer, ask_bid
from towerlab.analysis.bowers.bury import BuryAnswer, ask_bury

__all__ = ["BidAnswer", "BuryAnswer", "ask_bid", "ask_bury"]
