"""Is this claim sound? May I concede? The questions of TB-29 and TB-30, answered with proofs (exact).

>>> answer = judge_claim("JD 9H", trump="H", lead="them", tricks=1)
>>> answer.sound, answer.guaranteed, answer.layouts
(True, 1, 231)

The guarantee is against every hand the opponent can hold: one strategy that depends on nothing but what the claimant
has seen. Behind it are `solver.claims.two_hands` (the proof) and `solver.claims.explanation` (why a claim fails).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

from towerlab.analysis.claims import asking
from towerlab.analysis.claims.answers import AskedClaim, read_claim
from towerlab.analysis.claims.asking import many_claims
from towerlab.analysis.claims.knowledge import (
    Knowledge,
    Reading,
    ReadTrick,
    Seating,
    put_together,
    read_knowledge,
)
from towerlab.games.cards import DECK_24
from towerlab.games.errors import CardError, TowerlabError
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, ClaimQuestion, TowersAndBowersOptions, View
from towerlab.games.towers_and_bowers.links import position_asked
from towerlab.solver.claims.two_hands import guaranteed_tricks, possible_tricks

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
def _seating(most: int) -> Seating:
    return replace(SEATING, most=most, options=TowersAndBowersOptions(first_n=most))


def read_question(
    hand: str,
    trump: str | None = None,
    lead: str | None = None,
    tricks: int | None = None,
    concede: bool = False,
    options: TowersAndBowersOptions | None = None,
    **known: Unpack[Known],
) -> AskedClaim:
    """Read and check a question.

    Args:
        hand: what the claimant holds now, such as ``"JH JD AH 9H AS"``.
        trump: ``S``, ``H``, ``D`` or ``C``.
        lead: who leads the trick that comes now, or has led the one under way: ``"me"`` or ``"them"``; may be left
            out with a history.
        tricks: claimed, of those that remain; conceded, by default all.
        concede: whether they are conceded (TB-30), not claimed (TB-29).
        options: rule options, of which `first_n` counts.
        known: what else the claimant knows, see `Known`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    if options is not None:
        known["first_n"] = options.first_n
    question = read_claim(
        _seating(known.get("first_n", LARGEST_HAND)),
        role=ME,
        hand=hand,
        trump=trump,
        lead=lead,
        tricks=tricks,
        concede=concede,
        **_told(known),
    )
    _check_count(question.knowledge, known)
    link = functools.partial(position_asked, hand, trump or "", known, lead, claim=question.tricks, concede=concede)
    return replace(question, link=link)


def read_known(
    hand: str, trump: str | None, lead: str | None = None, *, strains: int = SEATING.strains, **known: Unpack[Known]
) -> Knowledge:
    """Return what a player knows, read and checked; the arguments are those of `read_question`.

    Raises:
        TowerlabError: as `read_question`.
    """
    seating = replace(_seating(known.get("first_n", LARGEST_HAND)), strains=strains)
    knowledge = read_knowledge(seating, role=ME, hand=hand, trump=trump, lead=lead, **_told(known))
    _check_count(knowledge, known)
    return knowledge


def _told(known: Known) -> dict[str, Any]:
    """As `analysis.claims.knowledge.KnownFacts` has it."""
    words, first = known.get("history", "").replace(",", " ").split(), known.get("first_lead")
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


def _check_count(knowledge: Knowledge, known: Known) -> None:
    """Refuse another number of the opponent's cards than follows from the rest."""
    stated, found = known.get("opponent_cards"), knowledge.belief.size(1)
    if stated not in (None, found):
        raise CardError(
            f"the opponent is said to hold {stated} cards; expected {found}, which goes with your own hand and the "
            "trick under way"
        )


def _of_opponent(texts: str | Iterable[str]) -> list[str]:
    """Words of one text or of several, each said of the one hidden seat."""
    together = texts if isinstance(texts, str) else " ".join(texts)
    return [f"{THEM}:{word}" for word in together.replace(",", " ").split()]


MANY: Final = many_claims(GAME, read_question, options=TowersAndBowersOptions, rows=2_000)


judge_claim: Final = functools.partial(asking.judge_claim, read_question)
"""Whether a claim of tricks is sound (TB-29), or a concession (TB-30); the arguments are those of `read_question`."""
judge_concession: Final = functools.partial(judge_claim, concede=True)


def judge(question: ClaimQuestion) -> bool:
    """The judge of an interactive match with ``claims=verified``: ``Match(options,
    judge=analysis.towers_and_bowers.claims.judge)``."""
    belief = known_in(question.view).belief
    if question.is_concession:
        return possible_tricks(belief) <= belief.tricks - question.tricks
    return guaranteed_tricks(belief) >= question.tricks


def known_in(view: View) -> Knowledge:
    """Return what a player of an interactive match knows, once there is a trump."""
    assert view.trump is not None
    table = Reading(SEATING, view.trump, {0: view.hand}, 0, {1: view.opponent_holds})
    trick = ReadTrick("", () if view.led is None else (view.led,), None)
    leader = 0 if view.leader == view.player else 1
    return put_together(table, leader, trick, view.gone, {1: set(view.opponent_voids)})


def warm_up() -> None:
    """Compile every kernel that these answers need."""
    judge_claim("JD 9H", trump="H", lead="me", tricks=1)
    judge_concession("9S", trump="H", lead="them")
