"""Grade a recorded match of Towers & Bowers: what every decision cost, and what was luck (`towerlab review`).

steps       the transcript replayed, with what each player saw at every action
reference   what every alternative of a decision is worth to a player who sees only his own side
equity      P(win the match) when all cards are seen, for the ledger of luck
grading     decisions, their costs and marks; players; hands
review      the whole answer

The reference is perfect information *after* the decision (*pimc*): each alternative is worth the mean, over every hand
the opponent can hold, of P(win the tower) when both see all cards from then on. Within that model all costs are exact.
"""

from analysis.review.grading import BLUNDER_MT, DOUBTFUL_MT, MISTAKE_MT, Decision, Mark
from analysis.review.ledger import HandReview
from analysis.review.reference import MODEL, warm_up
from analysis.review.review import GAME, PlayerReview, Review, review_file, review_transcript

__all__ = [
    "BLUNDER_MT",
    "DOUBTFUL_MT",
    "GAME",
    "MISTAKE_MT",
    "MODEL",
    "Decision",
    "HandReview",
    "Mark",
    "PlayerReview",
    "Review",
    "review_file",
    "review_transcript",
    "warm_up",
]
