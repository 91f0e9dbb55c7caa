"""How does one file answer any bidding question by itself? `towerlab report towers-and-bowers --page explorer`.

It holds the study `answer-book`, packed as columns of small numbers; its script ranks a hand into
its class and looks it up. Its numbers are checked before it is written.

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

    towerlab report towers-and-bowers --page explorer --out explorer
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import zlib
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from towerlab.analysis.decision import CHANCES, Verdict
from towerlab.analysis.present import printed
from towerlab.analysis.report.page import Check, check_sum, check_that, run_checks
from towerlab.analysis.report.studies import Report, ReportStudy
from towerlab.analysis.report.write import SingleFile, render_file
from towerlab.analysis.towers_and_bowers.answers import SEATS
from towerlab.analysis.towers_and_bowers.deal_value import MT, accuracy_of, accuracy_words
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.report.page import SHADES, SIZES
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.stored_bidding import bidding_at_hand, stored_suits
from towerlab.analysis.towers_and_bowers.studies.answer_book import (
    ANSWER_BOOK,
    FIRST_CALLS,
    QUESTIONS,
    SECOND_CALLS,
    TABLE,
)
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import side_points
from towerlab.analysis.towers_and_bowers.upcard import UpcardQuestion
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import (
    DECK_24,
    RANKS,
    SUITS,
    TRUMP_FIELD,
    card_text,
    mask_cards,
    parse_card,
    parse_mask,
    rank_of,
    to_play_order,
)
from towerlab.games.towers_and_bowers.links import DEALERS_TURN
from towerlab.solver.towers_and_bowers.bidding import up_card_classes, up_cards

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
    """Return the compressed block of every number of cards.

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
    """Return [columns, classes]: differences from the up-card before."""
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


def unpack_block(block: bytes) -> tuple[Bytes, Ints]:
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
    """Return thousandths, int64[solved columns, classes]."""
    return np.rint(THOUSAND * np.stack([_chances(book, *column) for column in SOLVED_COLUMNS])).astype(np.int64)


def _chances(book: pd.DataFrame, question: str, name: str) -> Floats:
    """Return a column of `SOLVED_COLUMNS`, float64[classes]."""
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
    """Return thousandths by which accepting leads passing; in the second round the best call leads the next.

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
    """Return the calls as `ORDERS` has them, int64[classes, calls]."""
    calls = [name for name in SECOND_CALLS if f"{question}_tower_{name}" in book and question + name != "dealer_2pass"]
    towers = np.stack([book[f"{question}_tower_{name}"].to_numpy() for name in calls], axis=1)
    number = np.arange(len(calls))
    first, suit = (number == book[f"{question}_{name}"].to_numpy()[:, None] for name in ("call", "suit"))
    return np.lexsort((~suit, -towers, ~first), axis=1)


def gap_steps(margins: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return steps of P(win the tower).

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
        columns, solved: the bytes and numbers that `unpack_block` returns.
        question: one of `QUESTIONS`.
    """
    gaps = _GAPS[columns[COLUMNS.index((question, "gap"))]]
    leads = _leads(solved, question)
    return np.where(np.abs(leads) >= WIDE, leads, gaps)


_PACKAGE: Final = "towerlab.analysis.towers_and_bowers.report"
PAGE_LIMIT: Final = 8_000_000  # bytes
MODEL: Final = (
    f"cards hidden to the end, up to {SIZES[LARGEST_STORED]}: the game's solution. A player where best play would not "
    "have come holds any hand alike"
)
TITLE: Final = "Look your hand up"
QUESTION: Final = "Towers & Bowers: accept or pass? Tap the up-card and your cards."
_EXAMPLE: Final = ("JS KS JD 9D", "9S")
_BASE_85: Final = "".join(base64.b85encode(bytes((0, 0, 0, digit))).decode()[-1] for digit in range(85))
_UNMARKED: Final = str.maketrans("<>&{", ",.:[")  # what begins marks, and letters that base 85 has no use for
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_ROUNDING: Final = 2e-6  # of the book
_ASKED: Final = 21  # questions that the command answers when the page is built


def build_page(book: pd.DataFrame, seed: int, command: str) -> SingleFile:
    """Return the page.

    Args:
        book: table of the study `answer-book`; above `LARGEST_STORED` cards it is a sample, which is not shown.
        seed: the seed of the questions that are asked for the page's checks.
        command: the command that makes the page again.

    Raises:
        ReportError: the page does not add up, is too large or not sound.
    """
    book = book[book["cards"] <= LARGEST_STORED]
    blocks = pack(book)
    checks = (*_checks_of_book(book, blocks), *_checks_of_questions(book, seed))
    run_checks(checks)
    return render_file(
        _PACKAGE,
        "explorer",
        PAGE_LIMIT,
        TITLE,
        QUESTION,
        command,
        {"classes": len(book)},
        blocks={cards: Markup(_letters(block)) for cards, block in sorted(blocks.items())},
        layout=Markup(json.dumps(_layout(), separators=(",", ":"))),
        classes=len(book),
        model=MODEL,
        step=printed(f"{STEP:.0%}"),
        least=f"{LEAST / 10:.2g}",
        checks=checks,
    )


def _letters(block: bytes) -> str:
    """Return bytes as text that can stand in a script element: base 85, five letters for four bytes."""
    return base64.b85encode(block).decode().translate(_UNMARKED)


def _layout() -> dict[str, Any]:
    """Return the cards, scales and columns that the script has to know; cards are suit · 6 + rank, suits C D H S."""
    pack_ = mask_cards(DECK_24)
    ranks = [RANKS[card % 13] for card in pack_[:6]]
    place = {card: number for number, card in enumerate(pack_)}
    hand = parse_mask(_EXAMPLE[0], DECK_24, "the hand")
    up = parse_card(_EXAMPLE[1])
    return {
        "suits": SUITS[:4],
        "ranks": "".join(ranks),
        "columns": ["_".join(column) for column in COLUMNS],
        "solvedColumns": ["_".join(column) for column in SOLVED_COLUMNS],
        "accuracy": _accuracies(),
        "wide": WIDE,
        "letters": _BASE_85.translate(_UNMARKED),
        "upOrder": UP_ORDER,
        "orders": ORDERS,
        "turns": {calls: [SEATS[not dealer], 1 + len(calls) // 2] for calls, dealer in DEALERS_TURN.items()},
        "renamings": [stored_suits(13 * suit) for suit in range(4)],
        "trumps": [
            [int(bool(to_play_order(1 << card, suit, True) & TRUMP_FIELD)) for card in pack_] for suit in range(4)
        ],
        "side": side_points(np.array([1 << card for card in pack_[:6]], dtype=np.int64)).tolist(),
        "least": LEAST,
        "ratio": RATIO,
        "shades": SHADES,
        "tolerance": CHANCES.tolerance,
        "asGood": CHANCES.as_good_words,
        "noun": CHANCES.noun,
        "even": Verdict.AS_GOOD,
        "largest": LARGEST_STORED,
        "example": {"hand": [place[card] for card in mask_cards(hand)], "up": place[up]},
    }


def _accuracies() -> dict[str, Any]:
    """Return the accuracy that `upcard` reports, by hand size, rank of the up-card, seat and round.

    Returns:
        Sentences with `#` for each number, and by question the sentence's place and its numbers.
    """
    sentences: dict[str, int] = {}
    numbers: dict[str, list[Any]] = {}
    for cards, up, seat, turn in itertools.product(range(1, LARGEST_STORED + 1), up_cards(), SEATS, (1, 2)):
        stored = bidding_at_hand(cards, rank_of(up))
        measured = accuracy_of(cards, card_text(up), seat, turn)
        words = accuracy_words(stored.exploitability, measured)
        place = sentences.setdefault(_NUMBER.sub("#", words), len(sentences))
        numbers[f"{cards} {RANKS[rank_of(up)]} {seat} {turn}"] = [place, *_NUMBER.findall(words)]
    return {"sentences": [*sentences], "numbers": numbers}


def _checks_of_book(book: pd.DataFrame, blocks: dict[int, bytes]) -> tuple[Check, ...]:
    sizes = sorted(blocks)
    expected = sum(len(up_card_classes(cards).hands) for cards in sizes)
    packed = {cards: unpack_block(block) for cards, block in blocks.items()}
    bytes_of_columns = [columns.size for columns, _ in packed.values()]
    worst = max(_worst_gap(book[book["cards"] == cards], *packed[cards]) for cards in sizes)
    return (
        check_sum(
            f"every class of hands of {sizes[0]} to {sizes[-1]} cards is in the book once",
            [len(book), -len(book.drop_duplicates(["cards", "up", "hand"])) + expected],
            expected,
        ),
        check_sum(
            "every column has a byte a class",
            bytes_of_columns,
            len(COLUMNS) * len(book),
        ),
        check_that(
            f"every gap is within {STEP:.1%} or {LEAST / 10:.2g} points of what was computed", worst <= 1 + 1e-4
        ),
    )


def _worst_gap(part: pd.DataFrame, columns: Bytes, solved: Ints) -> float:
    """Return the largest error of a gap, as a multiple of what is allowed."""
    worst = 0.0
    for question in QUESTIONS:
        # Sorted alike: the classes stand in another order in the packed columns.
        packed_mt = np.sort(gaps_of(columns, solved, question))
        mt = 1000 * np.sort(part[f"{question}_margin"])
        worst = max(worst, float(np.max(np.abs(packed_mt - mt) / np.maximum(STEP * np.abs(mt), LEAST))))
    return worst


def _checks_of_questions(book: pd.DataFrame, seed: int) -> tuple[Check, ...]:
    """Return questions drawn at random, answered one by one as `towerlab upcard` does."""
    random = np.random.default_rng(seed)
    sizes = book["cards"].unique()
    wrong = []
    for number in range(_ASKED):
        part = book[book["cards"] == sizes[number % len(sizes)]]
        question = QUESTIONS[number % len(QUESTIONS)]
        row = part.iloc[int(random.integers(len(part)))]
        arguments = int(row["hand"]), int(row["up"]), question.startswith("dealer"), question.endswith("2")
        answer = UpcardQuestion(calling_view(*arguments)).answer()
        margin = row[f"{question}_margin"]
        call = CALLS[question][int(row[f"{question}_call"])]
        far = max(abs(margin - answer.gap), abs(row[f"{question}_tower"] - answer.tower(call))) > _ROUNDING
        if far or (abs(margin) > _ROUNDING and call != answer.recommend):
            wrong.append(arguments)
    claim = f"{_ASKED} questions drawn at random get the answer of towerlab upcard"
    return (check_that(claim, not wrong, f"not so: {wrong}" if wrong else f"seed {seed}"),)


EXPLORER_PAGE: Final = Report(
    ANSWER_BOOK.game,
    lambda runs, seed, command: build_page(runs[ANSWER_BOOK.name].tables[TABLE], seed, command),
    (ReportStudy(ANSWER_BOOK, {"most_cards": LARGEST_STORED}, seed=None),),
    page="explorer",
    file="explorer.html",
    about="Look your hand up",
)
