"""The bidding of Towers & Bowers as a game of hidden hands, the play after it with all cards seen.

The double-dummy model: the deal is hidden while players bid and discard; what follows is the tablebase's. The game of
hand size n is zero-sum in P(win the tower), given W(n - 1). `deals` lists the hands beside an up-card, `pairs` what
two of them yield, `strategies` measures a strategy and its exploitability, `solve` finds the equilibrium, `packed`
rounds it to what ships, `layouts` answers for one hand against any bidding strategy, `views` for many.
"""

from towerlab.solver.towers_and_bowers.bidding.deals import Deals, make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.solve import FLOOR, Solution, settle_second_round, solve_up_card
from towerlab.solver.towers_and_bowers.bidding.strategies import (
    ActionValues,
    BiddingStrategies,
    Exploitability,
    evaluate,
    exploitability,
    payoffs,
)
