"""The up-card book: every class of (hand, up-card) at one hand size, both seats, accept against pass.

One row a class (`solver.towers_and_bowers.classes`), exact over every hand of the opponent under the
perfect-information model of `analysis.towers_and_bowers.upcard.open_cards`. Columns:

- ``hand`` (printed mask), ``up`` (card id, a spade), ``weight`` (pairs of hand and up-card the class stands for),
  ``trumps`` (effective trumps among the dealt cards if the up-card's suit is trump);
- for ``nondealer`` and ``dealer``, each with the seat in front: ``accept``, ``pass`` (P(win the tower)); ``sweep``,
  ``make``, ``set``, ``swept`` (how an accepted hand ends, adding up to 1: make and set without the sweeps);
  ``pass_sweep``, ``pass_ahead``, ``pass_behind``, ``pass_swept`` (how the hand ends after a pass: ahead = deals next);
- ``discard`` (card id): the dealer's best one for all layouts.

Made by ``towerlab study towers-and-bowers upcard-book``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import DIGITS
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED, Side, discard_order
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import TRUMP_FIELD, mask_cards, to_play_order
from towerlab.solver.towers_and_bowers.bidding.views import dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.classes import up_card_classes
from towerlab.solver.towers_and_bowers.open_bidding import THROWN_IN, OpenBidding, open_bidding, value_of_endings

SEATS: Final = ("nondealer", "dealer")
ENDS: Final = ("sweep", "make", "set", "swept")
PASS_ENDS: Final = ("pass_sweep", "pass_ahead", "pass_behind", "pass_swept")
_CLASSES_A_CHUNK = 4_000


def book_rows(cards: int, first: int, last: int) -> pd.DataFrame:
    """The rows of the book for classes first..last−1 of that hand size."""
    classes = up_card_classes(cards)
    hands, ups, weights = (column[first:last] for column in classes)
    next_deal = deal_value(cards - 1) if cards > 1 else 0.0
    bidding = open_bidding(cards, next_deal)
    table = pd.DataFrame({"hand": hands, "up": ups.astype(np.int8), "weight": weights.astype(np.int8)})
    table["trumps"] = [
        popcount(to_play_order(hand, up // 13, True) & TRUMP_FIELD)
        for hand, up in zip(hands.tolist(), ups.tolist(), strict=True)
    ]
    table["trumps"] = table["trumps"].astype(np.int8)
    for seat in SEATS:
        tricks, endings, *discards = _summaries(seat, cards, hands, ups, bidding, next_deal)
        for name, values in _columns(seat, tricks, endings, next_deal, bidding).items():
            table[f"{seat}_{name}"] = values
        if discards:
            table["discard"] = discards[0].astype(np.int8)
    return table


def _summaries(seat: str, cards: int, hands: Ints, ups: Ints, bidding: OpenBidding, next_deal: float) -> list[Ints]:
    """Layouts by the non-dealer's tricks after accepting and by ending after a pass; the dealer's discards."""
    parts: list[tuple[Ints, ...]] = []
    for up in np.unique(ups).tolist():
        own = hands[ups == up]
        if seat == "nondealer":
            seen = nondealer_views(own, up, None, bidding)
            parts.append((seen.open_accepted, seen.open_passed))
            continue
        views, rows = dealer_views(own, up, None, bidding), np.arange(len(own))
        values = Side(cards, True, next_deal).with_open_cards(views, bidding)
        best = discard_order(values.contracts[True, ACCEPTED], own, up)[:, 0]
        given = np.array([mask_cards(int(hand)) for hand in own])[rows, best]
        parts.append((views.open_own[rows, best], views.open_passed, given))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _columns(
    seat: str,
    tricks: Ints,
    endings: Ints,
    next_deal: float,
    bidding: OpenBidding,
) -> dict[str, Floats]:
    """The seat's own view of the counts, as shares of the layouts."""
    dealer = seat == "dealer"
    bids = bidding.dealer_bids if dealer else bidding.nondealer_bids
    accepted = np.stack([tricks[:, bids.code == code].sum(1) for code in range(THROWN_IN + 1)], axis=1)
    columns = {}
    for action, names, counts in (("accept", ENDS, accepted), ("pass", PASS_ENDS, endings)):
        value = value_of_endings(counts, next_deal)
        columns[action] = (1 - value if dealer else value).round(DIGITS)
        shares = counts[:, :THROWN_IN] / counts.sum(1, keepdims=True)  # the non-dealer's endings, best first
        columns |= dict(zip(names, (shares[:, ::-1] if dealer else shares).T, strict=True))
    return columns


# ------------------------------------------------------------------------------------------------------- the study


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    return -(-len(up_card_classes(parameters["cards"]).ups) // _CLASSES_A_CHUNK)


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    first = chunk * _CLASSES_A_CHUNK
    return book_rows(parameters["cards"], first, first + _CLASSES_A_CHUNK)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    book = pd.concat(tables, ignore_index=True)
    cards = int(parameters["cards"])
    return StudyResult({"book": book}, {"cards": cards, "classes": len(book), **_summary(book)})


def _summary(book: pd.DataFrame) -> dict[str, Any]:
    """How often accepting is right and what the right choice is worth, over all hands and up-cards."""
    pairs = int(book["weight"].sum())
    summary: dict[str, Any] = {"pairs": pairs, "exact": True}
    for seat in SEATS:
        accept, passing = book[f"{seat}_accept"], book[f"{seat}_pass"]
        summary[seat] = {
            "accepts": float((book["weight"] * (accept >= passing)).sum() / pairs),
            "value": float((book["weight"] * np.maximum(accept, passing)).sum() / pairs),
        }
    return summary


def _warm_up() -> None:
    book_rows(2, 0, 2)


BOOK: Final = Study(
    game="towers-and-bowers",
    name="upcard-book",
    help="Accept or pass for every class of hand and up-card, both seats, exact under perfect information.",
    parameters={"cards": 7},
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
