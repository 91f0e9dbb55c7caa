"""What the page is made of: every class's decisions in equilibrium, and how often each is reached."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.towers_and_bowers.explorer.kinds import side_points
from analysis.towers_and_bowers.explorer.kinds import trump_sets as trumps_of
from analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding, load_model_bidding
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.arrays import Floats, Ints
from games.cards import DECK_24, JACK, mask_cards
from solver.towers_and_bowers.bidding import BiddingStrategies, evaluate, exploitability, make_deals, payoffs, up_cards
from solver.towers_and_bowers.bidding.deals import mirror
from solver.towers_and_bowers.bidding.strategies import symmetric
from solver.towers_and_bowers.classes import up_card_classes

SURE: Final = 0.95  # a call made at least so often is not a mix
DECISIONS: Final = {
    "nondealer": "non-dealer: accept or pass",
    "dealer": "dealer after a pass: accept or pass",
    "second": "non-dealer's second call",
    "left": "dealer left to name",
}
_CHECKED: Final = 25  # mixed decisions of a kind whose two values are computed


@dataclass(frozen=True)
class Decisions:
    """One hand size in equilibrium.

    Attributes:
        cards: n.
        frame: a row a class of (hand, up-card): ``hand``, ``up``, ``weight`` (pairs it stands for), ``trumps``,
            ``bowers``, ``side``; by decision of `DECISIONS` ``NAME_reached`` (how often it is reached, given the hand
            and the seat) and ``NAME_most`` (P of the likeliest call); ``nondealer_accepts`` and ``dealer_accepts`` (P).
        solved: ``"game"`` or ``"double-dummy model"``.
        floor: least probability of a bid in the perturbed game.
    """

    cards: int
    frame: pd.DataFrame
    solved: str
    floor: float


def load_decisions(cards: int) -> Decisions | None:
    """The equilibrium of a hand size; None unless it is at hand for all up-cards."""
    stored = [load_bidding(cards, up % 13) for up in up_cards()]
    found = [each for each in stored if each is not None]
    if len(found) < len(stored):
        return None
    frame = pd.concat([_up_card_frame(each) for each in found], ignore_index=True)
    return Decisions(cards, frame, found[0].exploitability_of, found[0].floor)


def _up_card_frame(stored: StoredBidding) -> pd.DataFrame:
    classes = up_card_classes(stored.cards)
    here = classes.ups == stored.up
    hands, play = classes.hands[here], stored.strategies
    meets = DisjointMeans(hands, stored.up, stored.cards)
    passes, leaves = 1 - play.accepts, 1 - play.answers
    held = trumps_of(hands)
    trumps, bowers = np.bitwise_count(held).astype(np.int64), np.zeros(len(hands), dtype=np.int64)
    for suit in (0, 39):
        bowers += hands >> suit + JACK & 1
    return pd.DataFrame(
        {
            "hand": hands,
            "up": stored.up,
            "weight": classes.weights[here],
            "trumps": trumps,
            "bowers": bowers,
            "side": side_points(hands),
            "nondealer_accepts": play.accepts,
            "dealer_accepts": play.answers,
            "nondealer_reached": 1.0,
            "dealer_reached": meets.mean(passes),
            "second_reached": passes * meets.mean(leaves),
            "left_reached": leaves * meets.mean(passes * play.names[:, 3]),
            "nondealer_most": np.maximum(play.accepts, passes),
            "dealer_most": np.maximum(play.answers, leaves),
            "second_most": play.names.max(1),
            "left_most": play.left.max(1),
        }
    )


class DisjointMeans:
    """Means over the hands an opponent can hold beside one's own, by inclusion and exclusion over one's cards.

    Args:
        classes: int64[classes], hands of n cards, one of two mirrored ones (`solver.towers_and_bowers.classes`).
        up: the up-card, which nobody holds.
        cards: n.
    """

    def __init__(self, classes: Ints, up: int, cards: int) -> None:
        others = mask_cards(DECK_24 & ~(1 << up))
        self._images = mirror(classes) != classes
        self._places = len(others)
        everyone = np.concatenate([classes, mirror(classes)[self._images]])
        left = np.zeros_like(everyone)
        for place, card in enumerate(others):
            left |= (everyone >> card & 1) << place
        bits = np.empty((cards, len(everyone)), dtype=np.int64)
        for row in bits:
            row[:] = left & -left
            left ^= row
        self._bits, self._classes = bits, len(classes)
        self._opponents = comb(self._places - cards, cards)

    def mean(self, values: Floats) -> Floats:
        """float64[classes]: mean of a value by class over the hands that share no card with it."""
        spread = np.concatenate([values, values[self._images]])
        sums = np.zeros(1 << self._places)
        found = np.zeros(self._classes)
        for pattern in range(1 << len(self._bits)):
            np.add.at(sums, self._chosen(pattern), spread)
        for pattern in range(1 << len(self._bits)):
            found += (-1) ** pattern.bit_count() * sums[self._chosen(pattern)[: self._classes]]
        means: Floats = np.maximum(found / self._opponents, 0.0)
        return means

    def _chosen(self, pattern: int) -> Ints:
        """Some of each hand's cards."""
        chosen = np.zeros(self._bits.shape[1], dtype=np.int64)
        for place, row in enumerate(self._bits):
            if pattern >> place & 1:
                chosen |= row
        return chosen


# -------------------------------------------------------------------------------------------------------------- mixes


def mixes(found: Decisions) -> pd.DataFrame:
    """How often each decision is reached and mixed, and how much the calls of a mix differ.

    Columns: ``cards``, ``solved``, ``decision``, ``reached`` (share of deals), ``mixed`` (share of what is reached in
    which no call has `SURE`), ``checked`` (classes whose calls were compared, the most frequent ones), ``difference``
    (mt, the largest among them).
    """
    frame, rows = found.frame, []
    weight = frame["weight"].to_numpy(float)
    for name, words in DECISIONS.items():
        reached = weight * frame[f"{name}_reached"].to_numpy()
        mixed = frame[f"{name}_most"].to_numpy() < SURE
        total = reached.sum()
        row: dict[str, Any] = {"cards": found.cards, "solved": found.solved, "decision": words}
        row["reached"] = total / weight.sum()
        row["mixed"] = float(reached @ mixed / total) if total else np.nan
        compared = _differences(found, name, reached * mixed) if name in ("nondealer", "dealer") else []
        row |= {"checked": len(compared), "difference": max(compared, default=np.nan)}
        rows.append(row)
    return pd.DataFrame(rows)


def _differences(found: Decisions, seat: str, often: Floats) -> list[float]:
    """Accepting against passing, in mt, for the classes that mix most often."""
    order = np.argsort(-often, kind="stable")[:_CHECKED]
    chosen = found.frame.iloc[order[often[order] > 0]]
    differences = []
    for hand, up in zip(chosen["hand"].tolist(), chosen["up"].tolist(), strict=True):
        answer = UpcardQuestion(hand, up, seat == "dealer", method="equilibrium").answer()
        differences.append(1000 * abs(answer.tower("accept") - answer.tower("pass")))
    return differences


def guarantees(cards: int) -> pd.DataFrame | None:
    """What ways of bidding are sure of in the double-dummy model, against a best response.

    Columns: ``cards``, ``bidding``, ``nondealer``, ``dealer`` (P(win the tower); the other seat's best response is
    computed over every pair of hands).
    """
    ways = ("as solved", "likeliest call only", "non-dealer always accepts")
    sure: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for up in up_cards():
        stored = load_model_bidding(cards, up % 13)
        if stored is None:
            return None
        deals, play = make_deals(cards, up), stored.strategies
        accepting = dataclasses.replace(play, accepts=np.ones_like(play.accepts))
        for way, changed in zip(ways, (play, symmetric(deals, _pure(play)), accepting), strict=True):
            worth = evaluate(deals, changed, payoffs(cards, stored.next_deal or 0.0))
            measured = exploitability(deals, changed, worth)
            sure[way].append((measured.value - measured.dealer_gain, 1 - measured.value - measured.nondealer_gain))
    rows = [(cards, way, *np.mean(parts, axis=0).tolist()) for way, parts in sure.items()]
    return pd.DataFrame(rows, columns=["cards", "bidding", "nondealer", "dealer"])


def _pure(play: BiddingStrategies) -> BiddingStrategies:
    """Every call that is not the likeliest left out; discards as they are."""
    names, left = np.eye(4)[play.names.argmax(1)], np.eye(3)[play.left.argmax(1)]
    return dataclasses.replace(
        play, accepts=np.rint(play.accepts), answers=np.rint(play.answers), names=names, left=left
    )
