"""Is a claim in Towers & Bowers sound, and may I concede? The questions of TB-29 and TB-30, answered by exact proofs.

A proof is one strategy that works against every hand the opponent can hold, and depends only on what the claimant has
seen. `solver.claims.search` finds it; `solver.claims.explanation` says why a claim fails.

>>> answer = judge_claim("JD 9H", trump="H", lead="them", tricks=1)
>>> answer.sound, answer.guaranteed, answer.layouts
(True, 1, 231)
"""

import functools
from dataclasses import replace
from typing import Final, Unpack

from towerlab.analysis.claims import asking
from towerlab.analysis.claims.answers import CheckedClaim, read_claim
from towerlab.analysis.claims.asking import batch_of_claims
from towerlab.analysis.towers_and_bowers.position import ME, HandFacts, check_count, known_facts, known_in, seating
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, ClaimQuestion, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.links import position_of_question
from towerlab.solver.claims.search import guaranteed_tricks, possible_tricks


def read_question(
    hand: str,
    trump: str | None = None,
    lead: str | None = None,
    tricks: int | None = None,
    concede: bool = False,
    options: TowersAndBowersOptions | None = None,
    **known: Unpack[HandFacts],
) -> CheckedClaim:
    """Read and check a question.

    Args:
        hand: what the claimant holds now, such as ``"JH JD AH 9H AS"``.
        trump: ``S``, ``H``, ``D`` or ``C``.
        lead: who leads the trick that comes now, or has led the one under way: ``"me"`` or ``"them"``; may be left
            out with a history.
        tricks: how many of the remaining tricks are claimed, or conceded (by default all).
        concede: whether they are conceded (TB-30), not claimed (TB-29).
        options: rule options, of which `first_n` counts.
        known: what else the claimant knows, see `analysis.towers_and_bowers.position.HandFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    if options is not None:
        known["first_n"] = options.first_n
    question = read_claim(
        seating(known.get("first_n", LARGEST_HAND)),
        role=ME,
        hand=hand,
        trump=trump,
        lead=lead,
        tricks=tricks,
        concede=concede,
        **known_facts(known),
    )
    check_count(question.knowledge, known)
    link = functools.partial(
        position_of_question, hand, trump or "", known, lead, claim=question.tricks, concede=concede
    )
    return replace(question, link=link)


BATCH: Final = batch_of_claims(GAME, read_question, options=TowersAndBowersOptions, rows=2_000)


judge_claim: Final = functools.partial(asking.judge_claim, read_question)
"""Whether a claim of tricks is sound (TB-29), or a concession (TB-30); the arguments are those of `read_question`."""


def judge(question: ClaimQuestion) -> bool:
    """Return the judge of an interactive match with ``claims=verified``: ``Match(options,
    judge=analysis.towers_and_bowers.claims.judge)``."""
    belief = known_in(question.view).belief
    if question.is_concession:
        return possible_tricks(belief) <= belief.tricks - question.tricks
    return guaranteed_tricks(belief) >= question.tricks
