"""The whole hand of one to four cards solved with hidden hands: bidding, discard and play.

hand_game      the game as tables: cards, contracts, information sets and where they are stored
update         counterfactual regret minimisation over the play of a contract, its end in `last_tricks`
hand           the bidding around it
solve          `HandSolver`: iterations, schedule, averages, best responses by the same passes
strategies     strategies, and best calls beside known values of play
"""

from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_RANKS, HandGame, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.solve import HandSolver, Schedule
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy, normalised
