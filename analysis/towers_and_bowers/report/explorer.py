"""`towerlab report towers-and-bowers --page explorer`: one file that answers any bidding question by itself.

It holds the study `answer-book`, packed by `analysis.towers_and_bowers.report.packed`; its script ranks a hand into
its class and looks it up. Its numbers are checked before it is written.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from towerlab.analysis.decision import CHANCES, Verdict
from towerlab.analysis.present import printed
from towerlab.analysis.report.page import Check, adds_up, holds, run_checks
from towerlab.analysis.report.studies import Report, ReportStudy
from towerlab.analysis.report.write import SingleFile, render_file
from towerlab.analysis.towers_and_bowers.questions.answers import SEATS
from towerlab.analysis.towers_and_bowers.questions.upcard import UpcardQuestion
from towerlab.analysis.towers_and_bowers.report.packed import (
    CALLS,
    COLUMNS,
    LEAST,
    ORDERS,
    RATIO,
    SOLVED_COLUMNS,
    STEP,
    UP_ORDER,
    WIDE,
    Bytes,
    gaps_of,
    pack,
    unpacked,
)
from towerlab.analysis.towers_and_bowers.report.view import SHADES, SIZES
from towerlab.analysis.towers_and_bowers.solutions.accuracy import (
    accuracy_of,
    accuracy_words,
)
from towerlab.analysis.towers_and_bowers.solutions.bidding import bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import stored_suits
from towerlab.analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK, QUESTIONS, TABLE
from towerlab.analysis.towers_and_bowers.studies.kinds import side_points
from towerlab.games.arrays import Ints
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
from towerlab.solver.towers_and_bowers.bidding.deals import up_cards
from towerlab.solver.towers_and_bowers.classes import up_card_classes

_PACKAGE: Final = "towerlab.analysis.towers_and_bowers.report"
PAGE_LIMIT: Final = 8_000_000  # bytes
MODEL: Final = (
    f"cards hidden to the end, up to {SIZES[LARGEST_STORED]}: the game's solution. A player where best play would not "
    "have come holds any hand alike"
)
TITLE: Final = "Look your hand up"
QUESTION: Final = "Towers & Bowers: tap the up-card and your cards. Accept or pass?"
_EXAMPLE: Final = ("JS KS JD 9D", "9S")
_BASE_85: Final = "".join(base64.b85encode(bytes((0, 0, 0, digit))).decode()[-1] for digit in range(85))
_UNMARKED: Final = str.maketrans("<>&{", ",.:[")  # what begins marks, and letters that base 85 has no use for
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_ROUNDING: Final = 2e-6  # of the book
_ASKED: Final = 21  # questions that the command answers when the page is built


def build_page(book: pd.DataFrame, seed: int, command: str) -> SingleFile:
    """The page.

    Args:
        book: table of the study `answer-book`; above `LARGEST_STORED` cards it is a sample, which is not shown.
        seed: of the questions that are asked for the page's checks.
        command: makes the page again.

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
    """Bytes as text that can stand in a script element: base 85, five letters for four bytes."""
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
    packed = {cards: unpacked(block) for cards, block in blocks.items()}
    bytes_of_columns = [columns.size for columns, _ in packed.values()]
    worst = max(_worst_gap(book[book["cards"] == cards], *packed[cards]) for cards in sizes)
    return (
        adds_up(
            f"every class of hands of {sizes[0]} to {sizes[-1]} cards is in the book once",
            [len(book), -len(book.drop_duplicates(["cards", "up", "hand"])) + expected],
            expected,
        ),
        adds_up(
            "every column has a byte a class",
            bytes_of_columns,
            len(COLUMNS) * len(book),
        ),
        holds(f"every gap is within {STEP:.1%} or {LEAST / 10:.2g} points of what was computed", worst <= 1 + 1e-4),
    )


def _worst_gap(part: pd.DataFrame, columns: Bytes, solved: Ints) -> float:
    """The largest error of a gap, as a multiple of what is allowed."""
    worst = 0.0
    for question in QUESTIONS:
        # Sorted alike: the classes stand in another order in the packed columns.
        packed_mt = np.sort(gaps_of(columns, solved, question))
        mt = 1000 * np.sort(part[f"{question}_margin"])
        worst = max(worst, float(np.max(np.abs(packed_mt - mt) / np.maximum(STEP * np.abs(mt), LEAST))))
    return worst


def _checks_of_questions(book: pd.DataFrame, seed: int) -> tuple[Check, ...]:
    """Questions drawn at random, answered one by one as `towerlab upcard` does."""
    random = np.random.default_rng(seed)
    sizes = book["cards"].unique()
    wrong = []
    for number in range(_ASKED):
        part = book[book["cards"] == sizes[number % len(sizes)]]
        question = QUESTIONS[number % len(QUESTIONS)]
        row = part.iloc[int(random.integers(len(part)))]
        arguments = int(row["hand"]), int(row["up"]), question.startswith("dealer"), question.endswith("2")
        answer = UpcardQuestion(*arguments).answer()
        margin = row[f"{question}_margin"]
        call = CALLS[question][int(row[f"{question}_call"])]
        far = max(abs(margin - answer.gap), abs(row[f"{question}_tower"] - answer.tower(call))) > _ROUNDING
        if far or (abs(margin) > _ROUNDING and call != answer.recommend):
            wrong.append(arguments)
    claim = f"{_ASKED} questions drawn at random get the answer of towerlab upcard"
    return (holds(claim, not wrong, f"not so: {wrong}" if wrong else f"seed {seed}"),)


EXPLORER_PAGE: Final = Report(
    ANSWER_BOOK.game,
    lambda runs, seed, command: build_page(runs[ANSWER_BOOK.name].tables[TABLE], seed, command),
    (ReportStudy(ANSWER_BOOK, {"most_cards": LARGEST_STORED}, seed=None),),
    page="explorer",
    file="explorer.html",
    about="Look your hand up",
)
