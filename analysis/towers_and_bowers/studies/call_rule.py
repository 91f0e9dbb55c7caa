"""Which simple rule is there for the first call, and what does it cost? The rule for the table, printed and measured.

``data/table_rules.csv`` has the cost of the rule, and of accepting with a number of trumps or more, for every number of
cards and seat. (The study `answer-book` makes it again, under the name ``table-rules``.) All pairs of a hand and an
up-card count alike; the dealer decides after a pass. Columns:

- ``cards``, ``seat``, ``trumps``: accept with at least so many trumps; 0 is always, one more than the cards is never;
  `THE_RULE` is the rule for the table;
- ``accepts``: the share of hands that accept;
- ``cost_mt``: the mean loss of a decision against the better call, in mt, while the opponent calls as in equilibrium;
- ``over``: the share of hands that lose more than `MUCH`;
- ``worst_mt``, ``worst_hand``, ``worst_up``: the hand that loses most;
- ``hands``: number of pairs of a hand and an up-card;
- ``sampled``: number of classes that were drawn and played out to stand for all; 0 if all were counted.

    towerlab study towers-and-bowers answer-book --set most_cards=2 --out book
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from towerlab.analysis.towers_and_bowers.answers import SEATS
from towerlab.analysis.towers_and_bowers.shipped import shipped_frame
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import halves_of, loss, other_jacks, trumps_held
from towerlab.games.arrays import Bools, Ints
from towerlab.games.cards import SUIT_BITS, bower_cards, card_text, mask_text
from towerlab.solver.towers_and_bowers.bidding import SPADES

THE_RULE: Final = -1
MUCH: Final = 20.0  # mt
_RED: Final = (13, 26)  # first bits of the suits of the other colour, spades being trumps


@dataclass(frozen=True)
class CallRule:
    """The rule for the first call of a seat.

    Attributes:
        usual: ``"accept"`` or ``"pass"``.
        exception: when the other call is right, as it is printed.
        holds: (cards, hands as printed masks with spades as trumps, their up-cards) → bool[hands], the exceptions.
    """

    usual: str
    exception: str
    holds: Callable[[int, Ints, Ints], Bools]


def _weak(cards: int, hands: Ints, ups: Ints) -> Bools:
    """Return which hands hold no trump, a club, a red jack, and no red suit of more than half of the cards."""
    longest = np.max([np.bitwise_count(hands & SUIT_BITS << suit) for suit in _RED], axis=0)
    clubs = hands & SUIT_BITS
    jacks = other_jacks(hands)
    exceptions: Bools = (trumps_held(hands) == 0) & (clubs > 0) & (jacks > 0) & (2 * longest <= cards)
    return exceptions if cards % 2 == 0 else np.zeros(len(hands), dtype=bool)


RULE: Final[Mapping[str, CallRule]] = {
    "dealer": CallRule(
        "accept",
        "Pass only with 2, 4 or 6 cards, no trump, a card of the up-card's colour (♠♣/♥♦), a jack of the other colour, "
        "at most half your cards in each of its suits",
        _weak,
    ),
    "nondealer": CallRule(
        "pass",
        "Accept only with an odd number of cards, or 4+ trumps, no jack up and not both jacks of the other colour",
        lambda cards, hands, ups: (
            (trumps_held(hands) >= 4) & (ups != bower_cards(SPADES)[0]) & (other_jacks(hands) < 2) | (cards % 2 == 1)
        ),
    ),
}
"""Found on a random half of the hands of two, four and six cards; on the other half it costs as much (0.02 points)."""


def sentence(seat: str) -> str:
    """Return the rule of a seat as it is printed.

    >>> sentence("dealer").partition(",")[0]
    'accept. Pass only with 2'
    """
    return f"{RULE[seat].usual}. {RULE[seat].exception}"


def accepts(seat: str, cards: int, hands: Ints, ups: Ints) -> Bools:
    """Return the hands with which the rule of a seat accepts these up-cards, bool[hands]; spades are trumps."""
    return np.asarray(RULE[seat].holds(cards, hands, ups) != (RULE[seat].usual == "accept"))


def rule_costs(book: pd.DataFrame) -> pd.DataFrame:
    """Return the cost of the rule and of every threshold, from the table of the study `answer-book`."""
    rows = [
        _rule(part, int(cards), seat, trumps)
        for cards in sorted(book["cards"].unique())
        for part in [book[book["cards"] == cards]]
        for seat in SEATS
        for trumps in range(THE_RULE, int(cards) + 2)
    ]
    return pd.DataFrame(rows)


def best_rules(rules: pd.DataFrame) -> pd.DataFrame:
    """Return the cheapest threshold of every number of cards and seat; of equals the one that accepts more."""
    rules = rules[rules["trumps"] != THE_RULE].sort_values(["cost_mt", "trumps"], kind="stable")
    return rules.groupby(["cards", "seat"], as_index=False).first()


def stored_rules() -> pd.DataFrame:
    """Return the table that ships."""
    return shipped_frame("table_rules.csv")


def _rule(part: pd.DataFrame, cards: int, seat: str, trumps: int) -> dict[str, object]:
    hands, ups = (part[name].to_numpy(np.int64) for name in ("hand", "up"))
    pairs = part["pairs"].to_numpy()
    accepting = accepts(seat, cards, hands, ups) if trumps == THE_RULE else trumps_held(hands) >= trumps
    lost = loss(*halves_of(part, seat), accepting)
    worst = int(lost.argmax())
    return {
        "cards": cards,
        "seat": seat,
        "trumps": trumps,
        "accepts": round(float(pairs @ accepting / pairs.sum()), 6),
        "cost_mt": round(float(pairs @ lost / pairs.sum()), 4),
        "over": round(float(pairs @ (lost > MUCH) / pairs.sum()), 6),
        "worst_mt": round(float(lost[worst]), 1),
        "worst_hand": mask_text(int(hands[worst]), SPADES, True),
        "worst_up": card_text(int(part["up"].iloc[worst])),
        "hands": round(pairs.sum()),
        "sampled": len(part) if f"{seat}_1_error" in part and part[f"{seat}_1_error"].notna().all() else 0,
    }
