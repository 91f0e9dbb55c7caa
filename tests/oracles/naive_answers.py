"""Up-card answers once more, from what is stated with them: the layouts counted, their weights, the model.

Hands are looked up in the stored bidding by trying every renaming, layouts are weighted one by one; only tricks are
looked up in the tablebase.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards
from towerlab.solver.towers_and_bowers.classes import suit_renamings
from towerlab.solver.two_hands.tablebase import load_tables, printed_tricks

Shares = dict[str, float]


@dataclass(frozen=True)
class Bids:
    """What is stored of one hand, in its own suits and cards, without floors."""

    row: int
    suits: list[str]  # what is called clubs, diamonds, hearts
    given: list[str]  # its cards, as they are counted
    accepts: float
    names: Shares
    discards: Shares
    answers: float
    own_discards: Shares
    left: Shares


@functools.cache
def stored_rows(cards: int, rank: int) -> tuple[StoredBidding, dict[int, int]]:
    found = load_bidding(cards, rank)
    return found, {hand: row for row, hand in enumerate(found.hands.tolist())}


def bids_of(hand: int, up: int) -> Bids:
    """By the first renaming that makes the up-card a spade and the hand one that is stored."""
    held = mask_cards(hand)
    stored, rows = stored_rows(len(held), up % 13)
    for names in suit_renamings():
        renamed = {card: 13 * names[card // 13] + card % 13 for card in held}
        row = rows.get(sum(1 << card for card in renamed.values()))
        if names[up // 13] == 3 and row is not None:
            break
    assert row is not None
    shares = (stored.packed[row] / stored.scale).tolist()
    suits = [SUITS[names.index(suit)] for suit in range(3)]
    given = [card_text(card) for card in sorted(held, key=renamed.__getitem__)]
    n = len(held)

    def choice(first: int, words: list[str]) -> Shares:
        part = shares[first : first + len(words)]
        return {word: share / sum(part) for word, share in zip(words, part, strict=True)}

    return Bids(
        row,
        suits,
        given,
        shares[0],
        choice(1, [*suits, "pass"]),
        choice(5, given),
        shares[5 + n],
        choice(6 + n, given),
        choice(6 + 2 * n, suits),
    )


def tricks(nondealer: int, dealer: int, trump: str) -> int:
    return int(printed_tricks(load_tables(), nondealer, dealer, SUITS.index(trump)))


class Expected:
    """What is stated of one seat's view: both rounds."""

    def __init__(self, hand: int, up: int, is_dealer: bool, holds: int = 0, lacks: int = 0) -> None:
        self.hand, self.up, self.is_dealer, self.n = hand, up, is_dealer, hand.bit_count()
        stored, _ = stored_rows(self.n, up % 13)
        self.next_deal = deal_value(stored.cards - 1)
        self.solved = not holds | lacks
        self.suits = [suit for suit in "SHDC" if suit != SUITS[up // 13]]
        pool = mask_cards(DECK_24 & ~hand & ~(1 << up))
        layouts = [sum(1 << card for card in other) for other in itertools.combinations(pool, self.n)]
        self.layouts = [other for other in layouts if other & holds == holds and not other & lacks]
        ways = [bids_of(other, up) for other in self.layouts]
        floor = stored.floor

        def raised(share: float, calls: int) -> float:
            return floor + (1 - calls * floor) * share

        nothing = dict.fromkeys(("first", "second", "accepted", *self.suits), 0.0)
        self.reach: list[Shares] = []
        self.later: list[Shares] = []  # of a dealing opponent who is left to name
        for way in ways:
            if is_dealer:
                passes = 1 - raised(way.accepts, 2)
                weights = {"first": passes, "second": passes * raised(way.names["pass"], 4), "accepted": 1 - passes}
                named = {suit: passes * raised(way.names[suit], 4) for suit in self.suits}
            else:
                passes = 1 - raised(way.answers, 2)
                weights = {"first": 1.0, "second": passes, "accepted": 1 - passes}
                named = {suit: passes * raised(way.left[suit], 3) for suit in self.suits}
            self.reach.append(nothing | weights | named)
        self.ways = ways
        self.likelihood = {key: sum(weights[key] for weights in self.reach) / len(ways) for key in nothing}
        pairs = [(other, hand) if is_dealer else (hand, other) for other in self.layouts]
        self.named = {suit: [tricks(*pair, suit) for pair in pairs] for suit in self.suits}

    def off_path(self, key: str) -> bool:
        """Whether the opponent never leads there."""
        return self.likelihood[key] <= 0.0

    def weights(self, key: str) -> list[float]:
        return [1.0 if self.off_path(key) else reach[key] for reach in self.reach]

    def worth(self, nondealer: int, nondealer_bids: bool) -> float:
        """P(the non-dealer wins the tower)."""
        if nondealer in (0, self.n):
            return float(nondealer == self.n)
        bidder = nondealer if nondealer_bids else self.n - nondealer
        return self.next_deal if (2 * bidder > self.n) == nondealer_bids else 1 - self.next_deal

    def contract(self, parts: list[tuple[float, int]], asker_bids: bool) -> Shares:
        """From (weight, the non-dealer's tricks): the asker's numbers."""
        total = sum(weight for weight, _ in parts)
        n, deals = self.n, self.is_dealer

        def mean(values: list[float]) -> float:
            return sum(weight * value for (weight, _), value in zip(parts, values, strict=True)) / total

        own = [n - taken if deals else taken for _, taken in parts]
        worth = [self.worth(taken, asker_bids != deals) for _, taken in parts]
        return {
            "make": mean([float(2 * (t if asker_bids else n - t) > n) for t in own]),
            "sweep": mean([float(t == n) for t in own]),
            "swept": mean([float(t == 0) for t in own]),
            "tricks": mean([float(t) for t in own]),
            "tower": mean([1 - value if deals else value for value in worth]),
        }

    def suit_contract(self, suit: str, asker_bids: bool) -> Shares:
        weights = self.weights("second" if asker_bids else suit)
        return self.contract(list(zip(weights, self.named[suit], strict=True)), asker_bids)

    def accepted(self, asker_bids: bool, discard: str | None) -> Shares:
        """A dealing asker discards that card; a dealing opponent as is stored."""
        weights, trump = self.weights("first" if asker_bids else "accepted"), SUITS[self.up // 13]
        parts: list[tuple[float, int]] = []
        for weight, other, way in zip(weights, self.layouts, self.ways, strict=True):
            if discard is not None:
                parts.append((weight, tricks(other, self._kept(self.hand, discard), trump)))
                continue
            for card, share in (way.discards if asker_bids else way.own_discards).items():
                if share:
                    parts.append((weight * share, tricks(self.hand, self._kept(other, card), trump)))
        return self.contract(parts, asker_bids)

    def _kept(self, hand: int, discard: str) -> int:
        return hand & ~sum(1 << card for card in mask_cards(hand) if card_text(card) == discard) | 1 << self.up

    def passing(self, second_round: bool) -> float:
        """P(the asker wins the tower) of a pass in the model, the asker's later call the best one."""
        if second_round:
            return self._left(self.weights("second"))
        weights = self.weights("first")
        total = sum(weights)
        later = 0.0
        if self.is_dealer:
            for suit in self.suits:
                reached = [w * self._second_share(way, suit) for w, way in zip(weights, self.ways, strict=True)]
                later += sum(r * (1 - self.worth(t, True)) for r, t in zip(reached, self.named[suit], strict=True))
            left = [w * self._second_share(way, "pass") for w, way in zip(weights, self.ways, strict=True)]
            best = max(
                sum(r * (1 - self.worth(t, False)) for r, t in zip(left, self.named[suit], strict=True))
                for suit in self.suits
            )
            return (later + best) / total
        answered = self.accepted(False, None)["tower"] * self.likelihood["accepted"]
        rest = [reach["second"] for reach in self.reach]
        best = max(
            sum(r * self.worth(t, True) for r, t in zip(rest, self.named[suit], strict=True)) for suit in self.suits
        )
        return answered + max(best / total, self._left(rest) * sum(rest) / total)

    def _second_share(self, way: Bids, call: str) -> float:
        stored, _ = stored_rows(self.n, self.up % 13)
        return stored.floor + (1 - 4 * stored.floor) * way.names[call]

    def _left(self, weights: list[float]) -> float:
        """The dealing opponent names."""
        stored, _ = stored_rows(self.n, self.up % 13)
        total, won = sum(weights), 0.0
        for suit in self.suits:
            for weight, way, taken in zip(weights, self.ways, self.named[suit], strict=True):
                won += weight * (stored.floor + (1 - 3 * stored.floor) * way.left[suit]) * self.worth(taken, False)
        return won / total
