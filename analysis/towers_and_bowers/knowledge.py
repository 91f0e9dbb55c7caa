"""A player's knowledge of the opponent's hand in Towers & Bowers, read from a question or from a view of a match."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

from towerlab.analysis.knowledge import (
    Knowledge,
    Reading,
    ReadTrick,
    Seating,
    put_together,
    read_knowledge,
)
from towerlab.games.cards import DECK_24
from towerlab.games.errors import CardError, TowerlabError
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, TowersAndBowersOptions, View

ME: Final = "me"
THEM: Final = "them"
SEATING: Final = Seating(
    GAME, (ME, THEM), None, DECK_24, True, LARGEST_HAND, True, strains=4, said=("you", "the opponent")
)


class OfHand(TypedDict, total=False):
    """Facts about the opponent's hand; every part may be left out.

    Attributes:
        seen: cards that cannot be in it: played, turned down, one's own discard.
        opponent_void: suits it cannot hold (the left bower is a trump; with nothing trump yet cards are as printed).
        opponent_holds: cards it surely holds.
    """

    seen: str
    opponent_void: str | Iterable[str]
    opponent_holds: str | Iterable[str]


class Known(OfHand, total=False):
    """Facts besides the hand, the trump and the lead; every part may be left out.

    Attributes:
        opponent_cards: how many the opponent holds; follows from the rest and is only checked.
        history: tricks played, the card led first: ``"9C/AC AH/QC"``; the last may be unfinished (``AH/``).
        first_lead: who led the first of them, ``"me"`` or ``"them"``.
        first_n: the largest hand of the match (rule option).
    """

    opponent_cards: int | None
    history: str
    first_lead: str | None
    first_n: int


@functools.cache
def seating(most: int) -> Seating:
    """Return the seating of a match whose largest hand has `most` cards."""
    return replace(SEATING, most=most, options=TowersAndBowersOptions(first_n=most))


def read_known(
    hand: str, trump: str | None, lead: str | None = None, *, strains: int = SEATING.strains, **known: Unpack[Known]
) -> Knowledge:
    """Return a player's knowledge, read and checked.

    Args:
        hand, trump, lead: as of `analysis.knowledge.read_knowledge`.
        strains: how many suits can be trumps; one more for no trump.
        known: the rest.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    table = replace(seating(known.get("first_n", LARGEST_HAND)), strains=strains)
    knowledge = read_knowledge(table, role=ME, hand=hand, trump=trump, lead=lead, **known_facts(known))
    check_count(knowledge, known)
    return knowledge


def known_facts(known: Known) -> dict[str, Any]:
    """Return the facts as `analysis.knowledge.KnownFacts` has them.

    Raises:
        TowerlabError: a history without its first leader.
    """
    words = known.get("history", "").replace(",", " ").split()
    first = known.get("first_lead")
    if words and first is None:
        raise TowerlabError(f"a history needs to know who led first; expected a first-lead of {ME} or {THEM}")
    return {
        "seen": known.get("seen", ""),
        "void": _of_opponent(known.get("opponent_void", "")),
        "holds": _of_opponent(known.get("opponent_holds", "")),
        "trick": words.pop() if words and words[-1].endswith("/") else "",
        "history": " ".join(words),
        "first": first,
    }


def check_count(knowledge: Knowledge, known: Known) -> None:
    """Refuse a number of the opponent's cards that contradicts the rest.

    Raises:
        CardError: it names the number that follows.
    """
    stated = known.get("opponent_cards")
    implied = knowledge.belief.size(1)
    if stated not in (None, implied):
        raise CardError(
            f"the opponent is said to hold {stated} cards; expected {implied}, which goes with your own hand and the "
            "trick under way"
        )


def _of_opponent(texts: str | Iterable[str]) -> list[str]:
    """Return the words of a text, or of several, each as a fact of the hidden seat."""
    together = texts if isinstance(texts, str) else " ".join(texts)
    return [f"{THEM}:{word}" for word in together.replace(",", " ").split()]


def known_in(view: View) -> Knowledge:
    """Return a player's knowledge in a match, once there is a trump."""
    assert view.trump is not None
    table = Reading(SEATING, view.trump, {0: view.hand}, 0, {1: view.opponent_holds})
    trick = ReadTrick("", () if view.led is None else (view.led,), None)
    leader = 0 if view.leader == view.player else 1
    return put_together(table, leader, trick, view.gone, {1: set(view.opponent_voids)})
