"""The study `renege`: what a deliberate renege gains against somebody who notices it with some chance (TB-22..26).

Exact at one and two cards. Every pair of hands counts alike, all cards are seen, spades are trumps (suits are alike).
With one card nobody can renege. With two only the dealer can, in the first trick: the non-dealer leads the card that
is best against an honest dealer, of equal ones the higher in play order; the dealer follows as is best, or reneges
with the other card where both suits are held. A renege that is noticed costs the tower; else play goes on as it
stands. The dealer reneges only where that gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.games.cards import DECK_24, mask_cards, to_play_order, trump_field
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.tricks import beats, field_of

POINTS: Final = 100.0
TRUMP: Final = 3
PARAMETERS: Final = {"noticed": [0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0]}
BIDDERS: Final = ("nondealer", "dealer")


def two_card_plays() -> pd.DataFrame:
    """A row for every pair of two-card hands: the dealer's tricks ``honest``, and ``reneging``, -1 where nobody can."""
    trumps = int(trump_field(TRUMP))
    deck = [1 << card for card in mask_cards(int(to_play_order(DECK_24, TRUMP, True)))]
    fields = {card: int(field_of(card, trumps)) for card in deck}
    wins = {(led, card): bool(beats(card, led, trumps)) for led in deck for card in deck if card != led}
    rows = []
    for leader in combinations(deck, 2):
        for dealer in combinations([card for card in deck if card not in leader], 2):
            found = [_follow(lead, other, dealer, fields, wins) for other, lead in (leader, leader[::-1])]
            rows.append(min(found, key=lambda tricks: tricks[0]))  # the first is led by the higher card
    return pd.DataFrame(rows, columns=["honest", "reneging"])


def _follow(
    led: int, other: int, dealer: tuple[int, ...], fields: Mapping[int, int], wins: Mapping[tuple[int, int], bool]
) -> tuple[int, int]:
    """The dealer's tricks after a lead, the leader's other card last: the best honest ones, and by a renege or -1."""
    tricks = {}
    for card, last in (dealer, dealer[::-1]):
        took = wins[led, card]
        tricks[card] = took + (not wins[last, other] if took else wins[other, last])
    following = [card for card in dealer if card & fields[led]]
    reneges = [tricks[card] for card in dealer if following and card not in following]
    return max(tricks[card] for card in following or dealer), max(reneges, default=-1)


def weigh_reneges(plays: pd.DataFrame, noticed: float, dealer_bids: bool, deals_next: float) -> dict[str, float]:
    """Return how often a renege gains, and what it gains on average over all hands, in percentage points.

    Args:
        plays: of `two_card_plays`.
        noticed: the chance that a renege is noticed.
        dealer_bids: whether the dealer is the bidder, who then has to take both tricks.
        deals_next: P(win the tower) of who deals the hand of one card.
    """
    values = np.array([0.0, 1 - deals_next if dealer_bids else deals_next, 1.0])
    honest, able = values[plays.honest], plays.reneging.to_numpy() >= 0
    gain = np.where(able, (1 - noticed) * values[plays.reneging.clip(lower=0)] - honest, 0.0)
    gains = gain > 0
    return {
        "share_able": able.mean(),
        "share_gains": gains.mean(),
        "gain_points": POINTS * np.where(gains, gain, 0).mean(),
        "loss_points_if_always": POINTS * -np.where(able, gain, 0).mean(),
    }


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """All of it."""
    plays, deals_next = two_card_plays(), deal_value(1, TowersAndBowersOptions())
    none = dict.fromkeys(("share_able", "share_gains", "gain_points", "loss_points_if_always"), 0.0)
    rows = []
    for bidder in BIDDERS:
        for chance in parameters["noticed"]:
            counted = {"bidder": bidder, "noticed": float(chance)}
            found = weigh_reneges(plays, chance, bidder == "dealer", deals_next)
            rows += [{"cards": 1, "n": 24 * 23, **counted, **none}, {"cards": 2, "n": len(plays), **counted, **found}]
    return pd.DataFrame(rows)


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """The table, and how much a renege gains at most that nobody notices."""
    table = pd.concat(tables, ignore_index=True)
    return StudyResult({"renege": table}, {"most_gain_points": float(table.gain_points.max())})


RENEGE: Final = Study(
    game="towers-and-bowers",
    name="renege",
    help="What a deliberate renege gains against somebody who notices it with some chance; exact, one and two cards.",
    parameters=PARAMETERS,
    count_chunks=lambda parameters: 1,
    run_chunk=run_chunk,
    combine=combine_chunks,
)
