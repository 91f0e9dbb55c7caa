"""How is the whole hand of one to four cards solved with hidden hands? Bidding, discard and play.

arrays       the game as arrays: cards, contracts, payoffs; what the cards played so far tell
game         makes the arrays; its information sets and where they are stored
iteration    what an iteration has learnt; the bidding around the play
update       counterfactual regret minimisation over the play of a contract
last_tricks  the end of a pass, worked out at once for all hands, over pairs of cards
strategies   strategies, the best calls for known values of play, bidding by class; information sets by name
solve        `HandSolver`; values against a given strategy: best responses, two strategies against each other, calls
"""

from towerlab.solver.towers_and_bowers.whole_hand.arrays import UP_RANKS, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.game import hand_game
from towerlab.solver.towers_and_bowers.whole_hand.iteration import normalise_bidding
from towerlab.solver.towers_and_bowers.whole_hand.solve import HandSolver, Schedule
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy
