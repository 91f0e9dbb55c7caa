"""The learned policy played out in plain numpy, without the package's rules, encoding, kernels or control variate.

Hands are truth tables over the 24 cards of `frame`; the inputs are those that ``docs/methods/self-play.md`` lists. All
hands of a batch have the same size and go through the same decisions at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RANKS = "9TJQKA"
SUITS = {"S": "SCHD", "C": "CSHD", "H": "HDSC", "D": "DHSC"}  # the up-card's, its colour's, then the others: S H D C
Array = NDArray[np.float64]


def up_frame(up: str) -> list[str]:
    """The cards by their numbers before there is a trump."""
    return [rank + suit for suit in SUITS[up[1]] for rank in RANKS]


def trump_frame(up: str, trump: str) -> list[str]:
    """The cards by their numbers once there is a trump."""
    order = SUITS[up[1]]
    place = order.index(trump)
    mate = order[place ^ 1]
    rest = [suit for suit in order if suit not in (trump, mate)]
    trumps = [rank + trump for rank in "9TQKA"] + ["J" + mate, "J" + trump]
    return trumps + [rank + mate for rank in "9TQKA"] + [rank + suit for suit in rest for rank in RANKS]


class Twin:
    """A policy read from a file, and how it plays hands of one size with one up-card."""

    def __init__(self, path: Path, cards: int, up: str, random: np.random.Generator) -> None:
        file = {name: array.astype(np.float64) for name, array in np.load(path).items()}
        self.symmetric = bool(file.pop("is_symmetric", False))
        self.layers = file
        self.cards, self.up, self.random = cards, up, random
        self.up_names = up_frame(up)

    def probabilities(self, inputs: Array, legal: NDArray[np.bool_]) -> Array:
        """float64[rows, 30]."""
        last = sum(name.endswith("_weight") for name in self.layers) - 1
        x = inputs
        for number in range(last):
            weight, bias, scale, shift = (self.layers[f"layer{number}_{name}"] for name in WEIGHTS)
            y = x @ weight + bias
            y = (y - y.mean(1, keepdims=True)) / np.sqrt(y.var(1, keepdims=True) + 1e-5) * scale + shift
            x = np.maximum(y, 0) + (x if number else 0)
        logits = np.where(legal, x @ self.layers[f"layer{last}_weight"] + self.layers[f"layer{last}_bias"], -np.inf)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(odds / odds.sum(1, keepdims=True))

    def decide(self, inputs: Array, legal: NDArray[np.bool_]) -> Array:
        """As `probabilities`, of a symmetric policy with the suits in its standard order."""
        if not self.symmetric:
            return self.probabilities(inputs, legal)
        swaps, ties = standard_order(inputs)
        shown = np.where((swaps & ~ties)[:, None], mirrored(inputs), inputs)
        last = np.flatnonzero(shown[:, 20])
        shown[last, 20], shown[last, 19] = 0, 1
        named = inputs[:, 21] == 0
        back = np.where(swaps[:, None], mirror_actions(named), np.arange(30))
        permuted = np.take_along_axis(legal, back, 1)
        shares = self.logits_mean(shown, permuted, ties, named)
        return np.take_along_axis(shares, back, 1)

    def logits_mean(
        self, shown: Array, legal: NDArray[np.bool_], ties: NDArray[np.bool_], named: NDArray[np.bool_]
    ) -> Array:
        """Probabilities, where tied of the mean of the logits of both orders."""
        every = np.ones_like(legal)
        logits = np.log(self.probabilities(shown, every))
        other = np.take_along_axis(logits, mirror_actions(named), 1)
        logits = np.where(legal, np.where(ties[:, None], (logits + other) / 2, logits), -np.inf)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(odds / odds.sum(1, keepdims=True))

    def call_shares(self, hands: NDArray[np.bool_], seat: int, second: bool) -> Array:
        """float64[rows, 30] of a call; hands in the up-card's frame."""
        rows = len(hands)
        legal = np.zeros((rows, 30), dtype=bool)
        legal[:, [26, 27, 28] + [29] * (seat == 0) if second else [24, 25]] = True
        up = self.cards_of([self.up], self.up_names)
        view = View(rows, self.cards, int(second), np.full(rows, seat), hands, up)
        view.possible = ~(hands | up)
        view.turned_down[:] = second
        return self.decide(view.inputs(), legal)

    @staticmethod
    def cards_of(cards: Sequence[str], names: list[str]) -> NDArray[np.bool_]:
        """bool[24]: cards in a frame."""
        return np.isin(names, list(cards))

    def choose(self, shares: Array) -> NDArray[np.int64]:
        draws = self.random.random(len(shares))
        return np.minimum((np.cumsum(shares, 1) <= draws[:, None]).sum(1), 29)

    def play(self, hands: NDArray[np.bool_], trump: str, bidder: int, given: str | None = None) -> NDArray[np.int64]:
        """int64[rows]: the non-dealer's tricks; hands are bool[rows, 2, 24] in the up-card's frame.

        Args:
            given: what the dealer discards for the up-card that was accepted; None where the policy chooses.
        """
        names = trump_frame(self.up, trump)
        order = [self.up_names.index(name) for name in names]
        held = hands[:, :, order].copy()
        rows = len(held)
        up = self.cards_of([self.up], names)
        table = Table(rows, self.cards, held, up, SUITS[self.up[1]].index(trump), bidder)
        if table.accepted:
            if given is None:
                view = table.view(2, np.ones(rows, dtype=np.int64))
                gone = self.choose(self.decide(view.inputs(), pad(held[:, 1])))
            else:
                gone = np.full(rows, names.index(given))
            table.discard[np.arange(rows), gone] = True
            held[:, 1] |= up
            held[:, 1] &= ~table.discard
        while table.tricks.sum(1).min() < self.cards:
            for leads in (True, False):
                view = table.view(3 if leads else 4, table.turn)
                legal = table.legal(leads)
                table.put(self.choose(self.decide(view.inputs(), pad(legal))), leads)
        return table.tricks[:, 0]


WEIGHTS = ("weight", "bias", "scale", "shift")
FIELDS = (range(7), range(7, 12), range(12, 18), range(18, 24))


def pad(cards: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.concatenate([cards, np.zeros((len(cards), 6), dtype=bool)], axis=1)


def field_of(card: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted([7, 12, 18], card, side="right")


class View:
    """What the seat on turn sees, by the names of the inputs."""

    def __init__(
        self,
        rows: int,
        cards: int,
        decision: int,
        seat: NDArray[np.int64],
        hand: NDArray[np.bool_],
        up: NDArray[np.bool_],
    ) -> None:
        empty = np.zeros((rows, 24), dtype=bool)
        self.rows, self.cards, self.decision, self.seat = rows, cards, decision, seat
        self.hand, self.up = hand, np.broadcast_to(up, (rows, 24))
        self.surely = self.possible = self.discard = self.played = self.others = empty
        self.led, self.others_led, self.card_led = empty, empty, empty
        self.trump, self.bidder, self.accepted = 4, 2, False
        self.turned_down = np.zeros(rows, dtype=bool)
        self.voids = self.others_voids = np.zeros((rows, 4), dtype=bool)
        self.tricks = self.others_tricks = np.zeros(rows, dtype=np.int64)

    def inputs(self) -> Array:
        """float64[rows, 304], number by number as the list has them."""
        has_trump = self.trump < 4
        whole = self.tricks + self.others_tricks
        is_bidder = self.seat == self.bidder
        needed = np.where(is_bidder, self.cards // 2 + 1, self.cards - self.cards // 2)
        flags = [
            self.seat == 1,
            is_bidder & has_trump,
            *(np.full(self.rows, is_so) for is_so in (has_trump, self.accepted)),
        ]
        masks = (
            *(self.hand, self.up, self.surely, self.possible, self.discard, self.played),
            *(self.others, self.led, self.others_led, self.card_led),
        )
        counts = (self.tricks, self.others_tricks, self.cards - whole, np.maximum(needed - self.tricks, 0))
        parts = [
            np.tile(np.eye(7)[self.cards - 1], (self.rows, 1)),
            np.tile(np.eye(5)[self.decision], (self.rows, 1)),
            np.stack([*flags, self.turned_down], axis=1),
            np.tile(np.eye(5)[self.trump], (self.rows, 1)),
            *masks,
            *(self.others_voids, self.voids),
            *(np.eye(8)[count] for count in counts),
            np.stack([self.tricks == whole, self.others_tricks == whole], axis=1),
        ]
        return np.concatenate([np.asarray(part, dtype=np.float64) for part in parts], axis=1)


class Table:
    """The play of hands after the calls."""

    def __init__(
        self, rows: int, cards: int, held: NDArray[np.bool_], up: NDArray[np.bool_], trump: int, bidder: int
    ) -> None:
        self.rows, self.cards, self.held, self.up, self.trump, self.bidder = rows, cards, held, up, trump, bidder
        self.accepted = trump == 0
        self.discard = np.zeros((rows, 24), dtype=bool)
        self.played, self.led = np.zeros((2, rows, 2, 24), dtype=bool)
        self.voids = np.zeros((rows, 2, 4), dtype=bool)
        self.tricks = np.zeros((rows, 2), dtype=np.int64)
        self.turn = np.zeros(rows, dtype=np.int64)
        self.card = np.full(rows, -1)

    def view(self, decision: int, seat: NDArray[np.int64]) -> View:
        at, other = (np.arange(self.rows), seat), (np.arange(self.rows), 1 - seat)
        view = View(self.rows, self.cards, decision, seat, self.held[at], self.up)
        view.trump, view.bidder, view.accepted = self.trump, self.bidder, self.accepted
        view.turned_down[:] = not self.accepted
        view.discard = self.discard & (seat == 1)[:, None]
        view.played, view.others, view.led, view.others_led = (
            of[by] for of in (self.played, self.led) for by in (at, other)
        )
        view.voids, view.others_voids = self.voids[at], self.voids[other]
        view.tricks, view.others_tricks = self.tricks[at], self.tricks[other]
        if decision == 4:
            view.card_led = np.eye(24, dtype=bool)[self.card]
        if self.accepted and decision > 2:
            view.surely = self.up & ~self.played[:, 1] & (seat == 0)[:, None]
        lacks = np.repeat(view.others_voids, [7, 5, 6, 6], axis=1)
        seen = view.hand | view.discard | self.played.any(1) | (self.up & ~view.surely)
        view.possible = ~(seen | lacks)
        return view

    def legal(self, leads: bool) -> NDArray[np.bool_]:
        hand = self.held[np.arange(self.rows), self.turn]
        if leads:
            return hand
        suited = hand & (field_of(np.arange(24)) == field_of(self.card)[:, None])
        return np.where(suited.any(1)[:, None], suited, hand)

    def put(self, card: NDArray[np.int64], leads: bool) -> None:
        rows = np.arange(self.rows)
        self.held[rows, self.turn, card] = False
        self.played[rows, self.turn, card] = True
        if leads:
            self.led[rows, self.turn, card] = True
            self.card = card
            self.turn = 1 - self.turn
            return
        follows = field_of(card) == field_of(self.card)
        self.voids[rows[~follows], self.turn[~follows], field_of(self.card[~follows])] = True
        wins = np.where(follows, card > self.card, field_of(card) == 0)
        self.turn = np.where(wins, self.turn, 1 - self.turn)
        self.tricks[rows, self.turn] += 1


# ------------------------------------------------------------------------------------------------- the standard order


def block(inputs: Array, mask: int, half: int) -> Array:
    """Of a mask of cards the number whose bits are the six cards of a suit of the other colour, the ace highest."""
    first = 22 + 24 * mask + 12 + 6 * half
    return inputs[:, first : first + 6] @ 2.0 ** np.arange(6)


def standard_order(inputs: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """bool[rows] twice: whether the two suits are exchanged, whether nothing tells them apart."""
    keys = []
    for half in (0, 1):
        own = block(inputs, 0, half) + block(inputs, 5, half) + block(inputs, 4, half)
        others = [block(inputs, mask, half) for mask in (6, 0, 7, 8, 9, 4)]
        key = np.zeros(len(inputs))
        for part in (own, *others):
            key = key * 64 + part
        keys.append(4 * key + 2 * inputs[:, 266 + 2 + half] + inputs[:, 262 + 2 + half])
    is_named = (inputs[:, 19] + inputs[:, 20]) > 0
    return (keys[0] < keys[1]) & ~is_named, (keys[0] == keys[1]) & ~is_named


def mirrored(inputs: Array) -> Array:
    """The inputs with the two suits of the other colour exchanged."""
    swapped = inputs.copy()
    for mask in range(10):
        first = 22 + 24 * mask + 12
        swapped[:, first : first + 12] = inputs[:, [*range(first + 6, first + 12), *range(first, first + 6)]]
    for first in (262, 266):
        swapped[:, [first + 2, first + 3]] = inputs[:, [first + 3, first + 2]]
    return swapped


def mirror_actions(named: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64[rows, 30]: the actions with these suits exchanged; their names too while there is no trump."""
    cards = [*range(12), *range(18, 24), *range(12, 18), 24, 25, 26]
    return np.where(named[:, None], [*cards, 27, 28, 29], [*cards, 28, 27, 29])


def every_hand(names: list[str], seen: set[str], cards: int) -> NDArray[np.bool_]:
    """bool[hands, 24]: every hand of so many cards that are not seen."""
    unseen = [place for place, name in enumerate(names) if name not in seen]
    chosen = np.array(list(itertools.combinations(unseen, cards)))
    hands = np.zeros((len(chosen), 24), dtype=bool)
    hands[np.arange(len(chosen))[:, None], chosen] = True
    return hands
