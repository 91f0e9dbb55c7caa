"""What a deal is worth to whom before anybody has bid: the baseline that luck is measured with.

Control variates in the manner of AIVAT (Burch, Schmid, Moravčík, Morrill & Bowling 2018): over a game the sum of (value
after − expected value before) at every event of chance is nought on average, however the players play, as long as the
expectation is exactly that of the value used. Taking this *luck* away leaves the difference in skill unbiased.

The value of a deal is a table by three trick counts of the non-dealer (`solver.towers_and_bowers.upcard`): in the
accepted contract, most and fewest in a named suit. How many deals have each triple is known exactly
(`deal_value.deal_outcomes`), and so is the table's mean over all deals: W(n) of this baseline is one minus that mean,
whatever the table says. Under the default rules the table is how the hands of two `equilibrium` players ended
(``data/luck_baseline.csv``, made by the study `luck-correction` between them); a triple they met less often leans on
the perfect-information model, and so does every other rule.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_outcomes, open_deal_values
from towerlab.analysis.towers_and_bowers.solutions.rules import SHIPPED, is_current
from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.open_bidding import OpenBidding, open_bidding, value_of_endings
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES

KEYS: Final = ("cards", "accepted", "most", "fewest")
ENDINGS: Final = ("sweep", "deals_next", "opponent_deals_next", "swept")
"""Columns of the data file: a triple, and how many hands with it ended how for the non-dealer."""
_PRIOR: Final = 20  # hands that the model's value counts for beside those that were played


class Baseline(NamedTuple):
    """Values of deals.

    Attributes:
        nondealer: float64[8, 8, 8, 8], the non-dealer's P(win the tower) by hand size and the trick counts of a deal.
        dealer: W(0) … W(7), P(the dealer wins the tower) before a hand of that size is dealt; W(0) stands for nothing.
        is_played: whether it comes from hands that were played, not from the perfect-information model alone.
    """

    nondealer: Floats
    dealer: tuple[float, ...]
    is_played: bool


def model_bidding(cards: int, options: TowersAndBowersOptions, dealer: tuple[float, ...]) -> OpenBidding:
    """The bidding of a hand size with all cards seen.

    Args:
        dealer: W(0), W(1) … as far as the size below this one.
    """
    same_deal = None if options.force_dealer_to_name else open_deal_values(options)[cards - 1].dealer
    return open_bidding(cards, dealer[cards - 1], options.tie_to_bidder, same_deal)


@functools.lru_cache(maxsize=8)
def luck_baseline(options: TowersAndBowersOptions) -> Baseline:
    """The baseline under some rules."""
    played = _played_endings() if rules_are_solved(options) else None
    return make_baseline(options, played)


def make_baseline(options: TowersAndBowersOptions, played: Ints | None) -> Baseline:
    """A baseline from hands that were played.

    Args:
        played: int64[8, 8, 8, 8, 5], hands by size, trick counts and ending; None for the model alone.
    """
    values = np.zeros((LARGEST_HAND + 1, OUTCOMES, OUTCOMES, OUTCOMES))
    dealer: tuple[float, ...] = (0.0,)
    for cards in range(1, LARGEST_HAND + 1):
        values[cards] = model_bidding(cards, options, dealer).first_round.value
        if played is not None:
            hands = played[cards].sum(-1)
            seen = value_of_endings(played[cards] + (hands == 0)[..., None], dealer[cards - 1])
            values[cards] = (hands * seen + _PRIOR * values[cards]) / (hands + _PRIOR)
        deals = deal_outcomes(cards, options.allow_discard_upcard)
        dealer += (1 - float((deals * values[cards]).sum() / deals.sum()),)
    return Baseline(values, dealer, played is not None)


def _played_endings() -> Ints | None:
    if not is_current(SHIPPED, "luck_baseline.csv"):
        return None
    with SHIPPED.joinpath("luck_baseline.csv").open() as lines:
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", skiprows=1)
    played = np.zeros((LARGEST_HAND + 1, OUTCOMES, OUTCOMES, OUTCOMES, len(ENDINGS) + 1), dtype=np.int64)
    played[tuple(rows[:, : len(KEYS)].T)] = np.pad(rows[:, len(KEYS) :], ((0, 0), (0, 1)))
    return played
