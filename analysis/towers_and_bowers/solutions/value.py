"""`towerlab value`: the value of dealing, hands hidden, by hand size.

Up to the hand size that has been solved the numbers are the game's; above it they are those of the learned policy
against itself, sampled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import note, open_progress
from towerlab.analysis.towers_and_bowers.solutions.bidding import check_solved
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import ValueOfDeal, best_deal_value, hidden_value
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import SIZES, export_strategy, measure_whole_hand
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import GAME, TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.bidding import up_cards
from towerlab.solver.two_hands.tablebase import MOST_CARDS

_TOO_LONG: Final = "takes minutes: ask for it with --cards"
_NOT_SOLVED: Final = "is not solved: nobody knows how exploitable the learned policy is there"


@dataclass(frozen=True)
class ValueAnswer(
    Answer,
    game=GAME,
    shown_by="towerlab.analysis.towers_and_bowers.present:value_report",
    table="values",
    keys="values unchecked?",
):
    """The answer of `towerlab value`."""

    values: tuple[ValueOfDeal, ...]
    unchecked: Mapping[int, str] = field(default_factory=dict)  # by hand size, why it was not checked though asked for
    cards: int | None = None  # the one that was asked for


def ask_value(
    cards: int | None = None,
    check: bool = False,
    quiet: bool = True,
    options: TowersAndBowersOptions | None = None,
    export: Path | None = None,
) -> ValueAnswer:
    """Return the value of dealing a hand of `cards`, or of every size that is at hand.

    Args:
        cards: 1..7, None for all.
        check: compute the best responses again; without `cards` of the sizes where that takes seconds.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.
        export: a file to write the whole strategy of one and two cards to.

    Raises:
        TowerlabError: a hand size that is not at hand or cannot be checked; rules not solved.
    """
    if export is not None:
        note(f"{export_strategy(export, cards):,} rows written to {export}", quiet)
    check_solved(options)
    sizes = range(1, MOST_CARDS + 1)
    values = [value for value in map(hidden_value, sizes) if value] if cards is None else [best_deal_value(cards)]
    if not check:
        return ValueAnswer(tuple(values), cards=cards, options=options)
    unchecked = {value.cards: _NOT_SOLVED for value in values if value.exploitability is None}
    if cards is not None and unchecked:
        raise TowerlabError(f"a hand of {cards} cards {_NOT_SOLVED}; expected the question without --check")
    if cards is None:
        unchecked = {value.cards: _TOO_LONG for value in values if value.cards not in SIZES} | unchecked
    checked = [value if value.cards in unchecked else _checked(value, quiet) for value in values]
    return ValueAnswer(tuple(checked), unchecked, cards, options=options)


def _checked(value: ValueOfDeal, quiet: bool) -> ValueOfDeal:
    """With its exploitability computed again."""
    with open_progress(f"best responses, {number_of(value.cards, 'card')}", len(up_cards()), quiet) as advance:
        return replace(value, checked=measure_whole_hand(value.cards, advance))
