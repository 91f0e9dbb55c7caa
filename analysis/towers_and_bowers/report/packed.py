"""The answer book as columns of small numbers, compressed: what the explorer holds; its script reads it.

For each number of cards there is one block: the columns of `COLUMNS` one after another, each a byte a class, deflated.
Within a column classes stand by up-card (`up_cards`), then by their diamonds, hearts, clubs and spades as sets of
ranks, the first of them slowest: so the page finds a class's place by counting. A number is stored as
its difference (modulo 256) from that of the class at the same place with the up-card before, in the order `UP_ORDER`:
most are small.

- a gap is a step of a logarithmic scale, signed: step k stands for `LEAST` · `RATIO`^(k − ½) mt and is at most
  `STEP` of that off; step 0 is less than `LEAST`;
- ``order`` of the second round is a place in `ORDERS` of so many calls: the one that is recommended, then the others
  from the best;
- a discard is a place in the class's hand, the one when the other has accepted as a difference from it, modulo n.

Blocks go on with `SOLVED_COLUMNS`, in thousandths: the chance to win the tower with each call, how often the call is
made, how often the contract is made. Their differences are stored as whole numbers (0, -1, 1, -2 … as 0, 1, 2, 3 …),
first the high bytes of all columns, then the low bytes. A gap of `WIDE` thousandths or more is 0: the chances give it.
"""

from __future__ import annotations

import itertools
import zlib
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.decision import CHANCES
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT
from towerlab.analysis.towers_and_bowers.studies.answer_book import FIRST_CALLS, QUESTIONS, SECOND_CALLS
from towerlab.games.arrays import Floats, Ints

RATIO: Final = 1.15
LEAST: Final = CHANCES.tolerance / RATIO**26  # mt; a step ends at the tolerance: steps tell what is as good
STEP: Final = RATIO**0.5 - 1  # the largest relative error of a gap
_OWN: Final = {
    "nondealer_1": ("call",),
    "nondealer_2": ("order",),
    "dealer_1": ("call", "discard", "their_discard"),
    "dealer_2": ("order",),
}
COLUMNS: Final = tuple((question, kind) for question in _OWN for kind in (*_OWN[question], "gap", "open_call"))
CALLS: Final = {
    question: FIRST_CALLS if question.endswith("1") else SECOND_CALLS[: 3 if question == "dealer_2" else 4]
    for question in QUESTIONS
}
SOLVED_COLUMNS: Final = tuple(
    (question, name)
    for question, calls in CALLS.items()
    for name in (*(f"{kind}_{call}" for kind in ("wins", "mix") for call in calls), "made")
)
THOUSAND: Final = 1000
WIDE: Final = 20
ORDERS: Final = {calls: tuple(itertools.permutations(range(calls))) for calls in (3, 4)}
UP_ORDER: Final = (0, 1, 3, 4, 5, 2)  # up-cards (`up_cards`) by how alike their answers are: the jack is last
_LOWEST_RANK = 7  # the nine
_RANKS = 6
Bytes = NDArray[np.uint8]


def pack(book: pd.DataFrame) -> dict[int, bytes]:
    """The compressed block of every number of cards.

    Args:
        book: the table of the study `answer-book`, hands that are solved whole.
    """
    return {cards: _pack_size(book[book["cards"] == cards], cards) for cards in map(int, book["cards"].unique())}


def _pack_size(part: pd.DataFrame, cards: int) -> bytes:
    ordered = part.iloc[_in_order(part["hand"].to_numpy(), part["up"].to_numpy())]
    solved = _solved_columns(ordered)
    columns = np.stack([_packed_column(ordered, *column, cards) for column in COLUMNS]).astype(np.uint8)
    for question in QUESTIONS:
        columns[COLUMNS.index((question, "gap")), np.abs(_leads(solved, question)) >= WIDE] = 0
    changes = _changes(solved)
    wide = np.where(changes < 0, -2 * changes - 1, 2 * changes)
    stored = np.concatenate([_changes(columns).astype(np.uint8), wide >> 8, wide & 255]).astype(np.uint8)
    smaller = zlib.compressobj(9, memLevel=5)  # more tables of letters: columns are unlike each other
    return smaller.compress(stored.tobytes()) + smaller.flush()


def _changes(columns: NDArray[Any]) -> NDArray[Any]:
    """[columns, classes]: differences from the up-card before."""
    by_up = columns.reshape(len(columns), _RANKS, columns.shape[1] // _RANKS)[:, list(UP_ORDER)]
    changes = np.empty_like(by_up)
    changes[:, list(UP_ORDER)] = np.diff(by_up, axis=1, prepend=np.zeros_like(by_up[:, :1]))
    return changes.reshape(columns.shape)


def _sums(changes: NDArray[Any]) -> NDArray[Any]:
    """Return the inverse of `_changes`."""
    by_up = changes.reshape(len(changes), _RANKS, changes.shape[1] // _RANKS)
    columns = np.empty_like(by_up)
    columns[:, list(UP_ORDER)] = np.cumsum(by_up[:, list(UP_ORDER)], axis=1, dtype=changes.dtype)
    return columns.reshape(changes.shape)


def unpacked(block: bytes) -> tuple[Bytes, Ints]:
    """Return uint8[columns, classes] and int64[solved columns, classes] of a block."""
    wide = len(SOLVED_COLUMNS)
    rows = np.frombuffer(zlib.decompress(block), dtype=np.uint8).reshape(len(COLUMNS) + 2 * wide, -1)
    columns, high, low = np.split(rows, [len(COLUMNS), len(COLUMNS) + wide])
    stored = high.astype(np.int64) << 8 | low
    return _sums(columns), _sums(np.where(stored & 1, -(stored + 1) // 2, stored // 2))


def _in_order(hands: Ints, ups: NDArray[Any]) -> Ints:
    clubs, diamonds, hearts, spades = (hands >> 13 * suit + _LOWEST_RANK & 63 for suit in range(4))
    return np.lexsort((spades, clubs, hearts, diamonds, ups))


def _packed_column(book: pd.DataFrame, question: str, kind: str, cards: int) -> NDArray[Any]:
    if kind == "gap":
        return gap_steps(book[f"{question}_margin"].to_numpy())
    if kind == "order":
        order = _ranked(book, question)
        codes = {calls: code for code, calls in enumerate(ORDERS[order.shape[1]])}
        return np.array([codes[calls] for calls in map(tuple, order.tolist())])
    values = book[f"{question}_{kind}"].to_numpy()
    return values if kind != "their_discard" else (values - book[f"{question}_discard"].to_numpy()) % cards


def _solved_columns(book: pd.DataFrame) -> Ints:
    """int64[solved columns, classes], thousandths."""
    return np.rint(THOUSAND * np.stack([_chances(book, *column) for column in SOLVED_COLUMNS])).astype(np.int64)


def _chances(book: pd.DataFrame, question: str, name: str) -> Floats:
    """float64[classes], one of `SOLVED_COLUMNS`."""
    kind, _, call = name.partition("_")
    if kind != "wins":
        chances: Floats = book[f"{question}_{'make' if kind == 'made' else name}"].to_numpy()
        return chances
    if question.endswith("2"):
        return book[f"{question}_tower_{call}"].to_numpy()
    margin = book[f"{question}_margin"].to_numpy()
    best = book[f"{question}_tower"].to_numpy()
    other = best - margin * np.where(book[f"{question}_call"] == 0, 1, -1)
    return np.where(book[f"{question}_call"] == FIRST_CALLS.index(call), best, other)


def _leads(solved: Ints, question: str) -> Ints:
    """Thousandths by which accepting leads passing; in the second round the best call leads the next.

    Args:
        solved: int64[solved columns, ...].
        question: one of `QUESTIONS`.
    """
    first = SOLVED_COLUMNS.index((question, f"wins_{CALLS[question][0]}"))
    wins = solved[first : first + len(CALLS[question])]
    if question.endswith("2"):
        wins = np.sort(wins, axis=0)[::-1]
    leads: Ints = wins[0] - wins[1]
    return leads


def _ranked(book: pd.DataFrame, question: str) -> Ints:
    """int64[classes, calls], the calls as `ORDERS` has them."""
    calls = [name for name in SECOND_CALLS if f"{question}_tower_{name}" in book and question + name != "dealer_2pass"]
    towers = np.stack([book[f"{question}_tower_{name}"].to_numpy() for name in calls], axis=1)
    number = np.arange(len(calls))
    first, suit = (number == book[f"{question}_{name}"].to_numpy()[:, None] for name in ("call", "suit"))
    return np.lexsort((~suit, -towers, ~first), axis=1)


def gap_steps(margins: NDArray[np.float64]) -> NDArray[np.int8]:
    """Steps of P(win the tower).

    >>> gap_steps(np.array([0.0001, 0.00027, -0.033])).tolist()
    [0, 1, -35]
    """
    size = np.abs(margins) * MT
    steps = 1 + np.floor(np.log(np.maximum(size, LEAST) / LEAST) / np.log(RATIO))
    return (np.where(size < LEAST, 0, steps) * np.sign(margins)).astype(np.int8)


_STEPS: Final = np.arange(256, dtype=np.uint8).astype(np.int8)
_GAPS: Final = np.sign(_STEPS) * LEAST * RATIO ** (np.abs(_STEPS.astype(np.float64)) - 0.5)  # mt, by byte


def gaps_of(columns: Bytes, solved: Ints, question: str) -> Floats:
    """Return the gaps of classes in mt, float64, in the order of the columns.

    Args:
        columns, solved: of `unpacked`.
        question: one of `QUESTIONS`.
    """
    gaps = _GAPS[columns[COLUMNS.index((question, "gap"))]]
    leads = _leads(solved, question)
    return np.where(np.abs(leads) >= WIDE, leads, gaps)
