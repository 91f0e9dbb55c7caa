"""How hands are bid, by class, and the layouts that the bids of the other player leave.

`deals` lists the hands with an up-card, `strategies` describes how both seats bid them, `packed` rounds that to what
ships, `views` counts the
layouts of the other hand, weighted by such bids or alike, all cards seen after the bidding.
"""

from towerlab.solver.towers_and_bowers.bidding.deals import Deals, make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import BiddingStrategies, payoffs
