"""Is a claim in Towie sound? The declarer plays with the open dummy, a defender against all the others.

All 52 cards are dealt, so the unseen cards are in the two hidden hands; `seen` or `history` lists the played cards.
Without both, a hidden hand may hold any unseen card: a proof then holds whatever has been played. A goulash or a double
changes nothing, since a claim is about tricks.

>>> from towerlab.analysis.towie.claims import judge_claim
>>> judge_claim("AS KS", dummy="QS 2H", trump="NT", lead="declarer", tricks=2, seen=SEEN_OF_EXAMPLE).sound
True
"""

import functools
from typing import Any, Final, Unpack

from towerlab.analysis.claims import asking
from towerlab.analysis.claims.answers import CheckedClaim, More, read_claim
from towerlab.analysis.claims.asking import batch_of_claims, trick_text
from towerlab.analysis.player_knowledge import Seating
from towerlab.games.cards import DECK_52, TRUMPS, card_texts, mask_cards, mask_text, parse_mask
from towerlab.games.towie.dealing import hand_at
from towerlab.games.towie.records import View

SEATS: Final = ("declarer", "left", "dummy", "right")
SEATING: Final = Seating("towie", SEATS, 2, DECK_52, False, 13, False)

SEEN_OF_EXAMPLE: Final = " ".join(card_texts(mask_cards(DECK_52 & ~parse_mask("AS KS QS 2H JS TS AH KH"))[::-1]))
"""Everything played when four hands of two cards are left: for the example above."""


def read_question(
    hand: str,
    dummy: str | None = None,
    trump: str | None = None,
    lead: str | None = None,
    tricks: int | None = None,
    **more: Unpack[More],
) -> CheckedClaim:
    """Read and check a question.

    Args:
        hand: the claimant's cards now, as cards or in PBN (``"AK.Q..2"``).
        dummy: dummy's cards now.
        trump: S, H, D, C or NT.
        lead: the leader of the next trick, or of the one under way: ``"declarer"``, ``"left"``, ``"dummy"`` or
            ``"right"``.
        tricks: how many of the remaining tricks are claimed for the claimant's side.
        more: ``role``, ``concede``, ``limit`` (positions a search may visit) and the fields of
            `analysis.player_knowledge.KnownFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules.
    """
    return read_claim(SEATING, hand=hand, dummy=dummy, trump=trump, lead=lead, tricks=tricks, **more)


judge_claim: Final = functools.partial(asking.judge_claim, read_question)
"""Whether a claim is sound; the arguments are those of `read_question`."""
BATCH: Final = batch_of_claims("towie", read_question, rows=20)


def question_of(view: View) -> dict[str, Any]:
    """Return a player's question once dummy is open: the options of ``towerlab claim towie`` but for the tricks."""
    contract = view.contract
    assert contract is not None and view.leader is not None and view.caller is not None and view.dummy is not None
    by_role = [int(hand_at(role, contract.declarer)) for role in range(len(SEATS))]
    # Hands that refused claims have shown, by role.
    shown = {SEATS[by_role.index(caller)]: mask for caller, mask in enumerate(view.shown) if caller != view.caller}
    holds = [f"{seat}:{card}" for seat, mask in shown.items() for card in mask_text(mask).split()]
    return {
        "role": SEATS[by_role.index(view.caller)],
        "hand": mask_text(view.hand),
        "dummy": mask_text(view.dummy),
        "trump": TRUMPS[contract.strain],
        "lead": SEATS[view.leader],
        "trick": trick_text(view.plays) if view.plays else "",
        "history": " ".join(trick_text(trick.cards) for trick in view.tricks),
    } | ({"holds": holds} if holds else {})
