"""Grade a recorded match of Towers & Bowers: what every decision cost, and what was luck (`towerlab review`).

steps       the transcript replayed, with what each player saw at every action
reference   the value of every alternative of a decision to a player who sees one side only
equity      P(win the match) when all cards are seen, for the ledger of luck
grading     decisions, their costs and marks; players; hands
review      the whole answer

The reference of bids and discards is the equilibrium of the bidding with hidden hands, where a solution is at hand:
the opponent's hands are weighted by how they are bid in it, and indifferent alternatives cost nothing. That of plays,
claims and everything else is perfect information *after* the decision: each alternative has the mean, over every hand
the opponent can hold, weighted by the bids too, of P(win the tower) when both see all cards from then on. Without a
solution all hands count alike (*pimc*). Within the models all costs are exact.
"""

from towerlab.analysis.towers_and_bowers.review.grading import MARKS, Decision
from towerlab.analysis.towers_and_bowers.review.reference import EQUILIBRIUM, PIMC, warm_up
from towerlab.analysis.towers_and_bowers.review.review import grade
