"""How often does a hand survive a misère? The study `misere` counts it for random hands by low cards and aces.

The bidder leads. Layouts of one hand depend on each other, so a hand is one observation.

    towerlab study bowers misere --out folder
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.bowers.bury import draw_hands
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.bowers import HAND_SIZE, MISERE, BowersOptions, bid_trumps
from towerlab.games.cards import cards_mask, mask_cards
from towerlab.sim.bowers.continuation import PlayedBid
from towerlab.solver.double_dummy import shared_solver

LAYOUTS: Final = 12  # a hand
LOW_CARDS: Final = (4, 5, 6, 7, 8)  # sevens, eights and nines in hand; fewer and more count with the ends
_HANDS_A_CHUNK: Final = 500
# ranks
_ACE = 12
_TEN = 8


def observe_hands(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each hand: its low cards and aces, and the share of layouts in which it takes no trick."""
    number = min(_HANDS_A_CHUNK, int(parameters["hands"]) - chunk * _HANDS_A_CHUNK)
    rng = np.random.default_rng(seed)
    deck = BowersOptions().deck
    return pd.DataFrame([_hand_row(rng, deck) for _ in range(number)])


def _hand_row(rng: np.random.Generator, deck: int) -> dict[str, Any]:
    hand = cards_mask(rng.permutation(mask_cards(deck))[:HAND_SIZE].tolist())
    order = PlayedBid(MISERE)
    layouts = order.orders(draw_hands(deck & ~hand, LAYOUTS, rng, HAND_SIZE))
    deals = np.column_stack((np.full(LAYOUTS, order.order(hand), dtype=np.int64), layouts))
    ranks = [card % 13 for card in mask_cards(hand)]
    fails = shared_solver().many_at_least(deals, 1, int(bid_trumps(MISERE)), 0, fewest=True)
    return {"low": sum(rank < _TEN for rank in ranks), "aces": ranks.count(_ACE), "succeeds": 1 - fails.mean()}


def combine_hands(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``misere-hands``: aces (none, or some), low_cards, mean (low, high) share that succeeds, n."""
    rows = pd.concat(list(chunks), ignore_index=True)
    low = rows["low"].clip(LOW_CARDS[0], LOW_CARDS[-1])
    shares = [
        {"aces": named, "low_cards": _low_name(cards), **mean_interval(part["succeeds"]).within(0.0, 1.0)._asdict()}
        for some, named in ((False, "no ace"), (True, "an ace or more"))
        for cards in LOW_CARDS
        if len(part := rows[(low == cards) & ((rows["aces"] > 0) == some)]) > 1
    ]
    return StudyResult({"misere-hands": pd.DataFrame(shares)}, {"hands": len(rows)})


def _low_name(cards: int) -> str:
    if cards == LOW_CARDS[0]:
        return f"{cards} or fewer"
    return f"{cards} or more" if cards == LOW_CARDS[-1] else str(cards)


MISERE_HANDS: Final = Study(
    game="bowers",
    name="misere",
    help="which hands succeed at a misère",
    parameters={"hands": 30_000},
    count_chunks=lambda parameters: -(-int(parameters["hands"]) // _HANDS_A_CHUNK),
    run_chunk=observe_hands,
    combine=combine_hands,
)
