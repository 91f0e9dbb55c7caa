"""The whole hand of one to four cards solved with hidden hands: bidding, discard and play.

hand_game      the game as tables: cards, contracts, information sets and their places
update         counterfactual regret minimisation over the play of a contract, its end in `last_tricks`
hand           the bidding around it
solve          `HandSolver`: iterations, schedule, averages, best responses by the same passes
strategies     strategies, the best calls for known values of play, and the bidding by class of hands
best_response  best responses to a whole strategy, exact
meetings       two strategies against each other, and the costliest decisions
information_sets  every information set by name
call_values    the values of calls, discards and contracts against a strategy
"""

from towerlab.solver.towers_and_bowers.whole_hand.hand import normalised
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_RANKS, HandGame, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.solve import HandSolver, Schedule
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy
