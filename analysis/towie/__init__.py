"""What can be asked about Towie? The call with six exposed cards, a play, a claim, open cards, a played match.

bid           which call; calls values each, contracts says what a contract pays
move          which card
claims        is this claim sound
open_hands    four hands with all cards seen; par is the score of best bidding
played        what each card of a played board cost
simulation    who wins
studies       what bidding rules cost, what options change
report        the page; present shows the answers in a terminal
"""

from towerlab.analysis.towie.bid import BidAnswer, ask_bid

__all__ = ["BidAnswer", "ask_bid"]
