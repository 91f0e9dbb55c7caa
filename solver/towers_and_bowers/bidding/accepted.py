"""The accepted game: the up-card is trumps whatever is bid, the dealer discards not seeing the other hand.

At odd hand sizes this is the whole game's value. Somebody always has the majority, so the payoff does not depend on
who bid. The non-dealer can force acceptance by accepting; the dealer can by accepting after a pass with the discard
he would have made anyway, and then a pass has told him nothing that he uses. Each guarantees himself the value of the
accepted game, hence it is the value, in the double-dummy model as in the game itself.
"""

from __future__ import annotations

import numpy as np

from games.arrays import Ints
from games.cards import DECK_24
from solver.towers_and_bowers.bidding.strategies import payoffs
from solver.towers_and_bowers.classes import UpCardClasses
from solver.towers_and_bowers.upcard import OUTCOMES, subsets, summarize_for_dealer
from solver.two_hands.tablebase import load_tables


def accepted_outcomes(classes: UpCardClasses, next_deal: float, nondealer_accepts: bool = True) -> Ints:
    """Deals by the non-dealer's tricks when the dealer makes the discard that is best for each class.

    Args:
        classes: hands of the dealer with their up-cards, all of one size.
        next_deal: W(n - 1), which the discard depends on.
        nondealer_accepts: who is the bidder; no matter at odd sizes.

    Returns:
        int64[classes, 8], for one hand of each class.
    """
    cards = int(classes.hands[0]).bit_count()
    worth = payoffs(cards, next_deal)[0 if nondealer_accepts else 1]
    tricks = np.zeros((len(classes.hands), OUTCOMES), dtype=np.int64)
    passed = np.zeros((len(classes.hands), 1), dtype=np.int64)
    discards = np.zeros(len(classes.hands), dtype=np.int64)
    codes = np.zeros((OUTCOMES, OUTCOMES), dtype=np.int8)
    layouts = subsets(DECK_24.bit_count() - 1 - cards, cards)
    summarize_for_dealer(load_tables(), classes.hands, classes.ups, layouts, codes, worth, discards, tricks, passed)
    return tricks


def accepted_value(classes: UpCardClasses, next_deal: float, nondealer_accepts: bool = True) -> float:
    """P(the dealer wins the tower) of the accepted game over some classes, each with its weight."""
    cards = int(classes.hands[0]).bit_count()
    counts = classes.weights @ accepted_outcomes(classes, next_deal, nondealer_accepts)
    worth = payoffs(cards, next_deal)[0 if nondealer_accepts else 1]
    return float(1 - counts @ worth / counts.sum())
