"""The whole hand of one, two or three cards solved with hidden hands: bidding, discard and play.

hand_game      the game as tables: cards, contracts, information sets
update         counterfactual regret minimisation over the play of a contract
hand           the bidding around it
solve          `HandSolver`: iterations, schedule, averages
best_response  exploitability, exact, sharing nothing with the updates but the rules
"""

from solver.towers_and_bowers.whole_hand.best_response import Strategy, best_response_values, exploitability, normalised
from solver.towers_and_bowers.whole_hand.hand_game import UP_RANKS, HandGame, hand_game
from solver.towers_and_bowers.whole_hand.solve import HandSolver, Schedule
