"""Contracts in a solution of the whole hand: their names, their values and the tricks taken in them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.bidding.packed import value_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE: Final = 65_535  # stored for a share of 1
OF_BYTE: Final = 257  # ONE / 255: shares of four cards are stored as bytes
_SUITS: Final = "CDH"


@functools.cache
def contract_rows(cards: int) -> dict[str, tuple[int, int, int]]:
    """Return every contract of either seat by name: (seat, contract 0..7, place of the dealer's discard).

    A suit that the non-dealer names is ``name_C`` to the non-dealer and ``met_C`` to the dealer; one that the dealer
    names is ``left_C`` to the dealer and ``named_C`` to the non-dealer.
    """
    rows = {"accept": (0, 0, 0), "answered": (0, 1, 0)}
    for seat, stems in ((0, ("name", "named")), (1, ("met", "left"))):
        rows |= {
            f"{stem}_{suit}": (seat, first + place, 0)
            for first, stem in zip((2, 5), stems, strict=True)
            for place, suit in enumerate(_SUITS)
        }
    for contract, stem in enumerate(("discard", "own_discard")):
        rows |= {f"{stem}_{place + 1}": (1, contract, place) for place in range(cards)}
    return rows


def names_of(cards: int, dealer: bool, bids: bool) -> list[str]:
    """Return the names in `contract_rows` of the contracts that a seat bids, or defends.

    The suits named come first, then the up-card accepted, for a dealer by the discard.
    """
    stem = ("left" if bids else "met") if dealer else ("name" if bids else "named")
    discards = [f"{'own_' * bids}discard_{place + 1}" for place in range(cards)]
    return [*(f"{stem}_{suit}" for suit in _SUITS), *(discards if dealer else ["accept" if bids else "answered"])]


def by_row(cards: int, table: Floats, hands: Ints) -> Floats:
    """Return the rows of a contract table for the given hands, float64[hands, 14 + 2 n, ..], by `contract_rows`.

    Args:
        cards: n.
        table: `ContractTable.values` or `.tricks`.
        hands: int64[hands], numbers of sets of n cards.
    """
    seats, contracts, places = np.array(list(contract_rows(cards).values())).T
    rows: Floats = table[seats[:, None], hands, contracts[:, None], places[:, None]].swapaxes(0, 1)
    return rows


def worth_columns(cards: int) -> list[str]:
    """Return `value_columns`, then the other contracts."""
    values = value_columns(cards)
    return [*values, *(name for name in contract_rows(cards) if name not in values)]


def contract_worth(cards: int, values: Floats, contracts: Floats) -> Floats:
    """Return the values of calls and contracts, float64[classes, 2 n + 18], by `worth_columns`.

    Args:
        cards: n.
        values: float64[classes, 2 n + 11], by `value_columns`.
        contracts: float64[classes, 14 + 2 n], by `contract_rows`.
    """
    rows = list(contract_rows(cards))
    rest = [rows.index(name) for name in worth_columns(cards)[values.shape[1] :]]
    return np.hstack((values, contracts[:, rest]))


def trick_columns(cards: int) -> list[str]:
    """Return the names of the shares of 1..n tricks in each of `contract_rows`."""
    return [f"tricks_{row}_{taken}" for row in contract_rows(cards) for taken in range(1, cards + 1)]


def trick_shares(tricks: NDArray[np.uint16]) -> Floats:
    """Return the chances of 0..n tricks, float64[..., n + 1], from the stored shares of 1..n tricks."""
    some = tricks / ONE
    shares: Floats = np.concatenate([1 - some.sum(-1, keepdims=True), some], axis=-1)
    return shares


def match_values(shares: Floats, payoff: Floats, values: Floats) -> Floats:
    """Return the nearest shares whose mean payoff is the value, since values are stored more finely than shares.

    Args:
        shares: float64[.., n + 1], chances of 0..n tricks.
        payoff: float64[n + 1], P(win the tower) by tricks.
        values: float64[..], P(win the tower).
    """
    matched = shares
    free = np.ones(shares.shape, dtype=bool)
    for _ in payoff:  # each round may leave another share at 0
        mean = free @ payoff / free.sum(-1)
        spread = free * (payoff - mean[..., None])
        positive = free * shares
        missing = 1 - positive.sum(-1)
        step = (values - positive @ payoff - missing * mean) / np.maximum((spread**2).sum(-1), 1e-12)
        matched = positive + free * (missing / free.sum(-1))[..., None] + step[..., None] * spread
        free = free & (matched > 0)
    return np.clip(matched, 0.0, 1.0)


def stored_tricks(shares: Floats, cards: int, stepped: bool) -> NDArray[Any]:
    """Return shares as whole numbers, int[classes, (14 + 2 n) n]; those of a contract sum to at most `ONE`, or 255.

    Args:
        shares: float64[classes, (14 + 2 n) n], by `trick_columns`.
        cards: n.
        stepped: store bytes.
    """
    whole, kind = (ONE // OF_BYTE, np.uint8) if stepped else (ONE, np.uint16)
    by_row = np.rint(np.maximum(shares, 0.0) * whole).astype(np.int64).reshape(len(shares), -1, cards)
    over = np.maximum(by_row.sum(-1) - whole, 0)
    most: Ints = by_row.argmax(-1)[..., None]
    np.put_along_axis(by_row, most, np.take_along_axis(by_row, most, -1) - over[..., None], -1)
    packed: NDArray[Any] = by_row.reshape(len(shares), -1).astype(kind)
    return packed
