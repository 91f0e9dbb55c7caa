"""Contracts in a solution of the whole hand: their names, values, and how many tricks are taken in each."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.bidding.packed import value_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE: Final = 65_535  # in so many parts a share of tricks is stored
OF_BYTE: Final = 257  # ONE / 255: of four cards it is in one byte
_SUITS: Final = "CDH"


@functools.cache
def contract_rows(cards: int) -> dict[str, tuple[int, int, int]]:
    """Every contract as a seat meets it: (seat, contract 0..7, place of the dealer's discard).

    ``name_C`` and ``met_C`` are named by the non-dealer, as that player and as the dealer meets it; ``named_C`` and
    ``left_C`` by the dealer.
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
    """Return which of `contract_rows` a seat meets as the bidder or the other.

    By the suit named, then of the up-card accepted, which a dealer plays after each discard.
    """
    stem = ("left" if bids else "met") if dealer else ("name" if bids else "named")
    discards = [f"{'own_' * bids}discard_{place + 1}" for place in range(cards)]
    return [*(f"{stem}_{suit}" for suit in _SUITS), *(discards if dealer else ["accept" if bids else "answered"])]


def by_row(cards: int, found: Floats, hands: Ints) -> Floats:
    """float64[hands, 14 + 2 n, ..]: of `ContractTable.worth` or `.tricks` what `contract_rows` have, of some sets."""
    seats, contracts, places = np.array(list(contract_rows(cards).values())).T
    rows: Floats = found[seats[:, None], hands, contracts[:, None], places[:, None]].swapaxes(0, 1)
    return rows


def worth_columns(cards: int) -> list[str]:
    """`value_columns`, then the contracts that are not among them."""
    values = value_columns(cards)
    return [*values, *(name for name in contract_rows(cards) if name not in values)]


def contract_worth(cards: int, values: Floats, contracts: Floats) -> Floats:
    """float64[classes, 2 n + 18] by `worth_columns`.

    Args:
        cards: n.
        values: float64[classes, 2 n + 11], by `value_columns`.
        contracts: float64[classes, 14 + 2 n], by `contract_rows`.
    """
    rows = list(contract_rows(cards))
    rest = [rows.index(name) for name in worth_columns(cards)[values.shape[1] :]]
    return np.hstack((values, contracts[:, rest]))


def trick_columns(cards: int) -> list[str]:
    """How likely a hand takes 1..n tricks in each of `contract_rows`."""
    return [f"tricks_{row}_{taken}" for row in contract_rows(cards) for taken in range(1, cards + 1)]


def trick_shares(tricks: NDArray[np.uint16]) -> Floats:
    """float64[..., n + 1]: how likely 0..n tricks are, from what is stored of 1..n."""
    some = tricks / ONE
    found: Floats = np.concatenate([1 - some.sum(-1, keepdims=True), some], axis=-1)
    return found


def adding_up(shares: Floats, payoff: Floats, values: Floats) -> Floats:
    """Return shares moved as little as makes them give the values, which are stored more finely.

    Args:
        shares: float64[.., n + 1], how likely 0..n tricks are.
        payoff: float64[n + 1], P(win the tower) by tricks.
        values: float64[..], P(win the tower).
    """
    moved, free = shares, np.ones(shares.shape, dtype=bool)
    for _ in payoff:  # each round may leave another share at 0
        mean = free @ payoff / free.sum(-1)
        spread = free * (payoff - mean[..., None])
        kept = free * shares
        missing = 1 - kept.sum(-1)
        step = (values - kept @ payoff - missing * mean) / np.maximum((spread**2).sum(-1), 1e-12)
        moved = kept + free * (missing / free.sum(-1))[..., None] + step[..., None] * spread
        free = free & (moved > 0)
    return np.clip(moved, 0.0, 1.0)


def stored_tricks(shares: Floats, cards: int, stepped: bool) -> NDArray[Any]:
    """int[classes, (14 + 2 n) n] in parts of `ONE`, or in bytes; those of a contract never add up to more.

    Args:
        shares: float64[classes, (14 + 2 n) n], by `trick_columns`.
        cards: n.
        stepped: whether one byte is to do.
    """
    one, kind = (ONE // OF_BYTE, np.uint8) if stepped else (ONE, np.uint16)
    by_row = np.rint(np.maximum(shares, 0.0) * one).astype(np.int64).reshape(len(shares), -1, cards)
    over = np.maximum(by_row.sum(-1) - one, 0)
    most: Ints = by_row.argmax(-1)[..., None]
    np.put_along_axis(by_row, most, np.take_along_axis(by_row, most, -1) - over[..., None], -1)
    packed: NDArray[Any] = by_row.reshape(len(shares), -1).astype(kind)
    return packed
