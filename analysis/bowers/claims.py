"""Is a claim in Bowers sound? The declarer plays against two hidden hands, a defender against the other two.

A defender claims for both defenders. The partner's hand is hidden as well, and the proof lets the partner play as badly
as possible: only the claimant's own play is sure.

>>> from towerlab.analysis.bowers.claims import judge_claim
>>> answer = judge_claim("JC JS AC", trump="C", lead="declarer", tricks=3)
>>> answer.sound, answer.guaranteed
(True, 3)
"""

import functools
from typing import Final, Unpack

from towerlab.analysis.claims import asking
from towerlab.analysis.claims.answers import CheckedClaim, More, read_claim
from towerlab.analysis.claims.asking import batch_of_claims, trick_text
from towerlab.analysis.player_knowledge import Seating
from towerlab.games.bowers import HAND_SIZE, BowersOptions
from towerlab.games.bowers.records import View
from towerlab.games.bowers.rules import MISERE, PLAYERS, call_trump
from towerlab.games.cards import TRUMPS, mask_text

SEATS: Final = ("declarer", "left", "right")


def seating(options: BowersOptions | None = None) -> Seating:
    """Return the table under rule options: they say whether there is a joker, and whether it names a suit when led."""
    rules = BowersOptions() if options is None else options
    return Seating(
        "bowers", SEATS, None, rules.deck, True, HAND_SIZE, True, rules.joker_names_suit, misere=True, options=rules
    )


SEATING: Final = seating(BowersOptions(joker="add"))
"""With every card that an option can bring in."""


def read_question(
    hand: str,
    trump: str | None = None,
    lead: str | None = None,
    tricks: int | None = None,
    *,
    misere: bool = False,
    options: BowersOptions | None = None,
    **more: Unpack[More],
) -> CheckedClaim:
    """Read and check a question.

    Args:
        hand: the claimant's cards now, such as ``"JC JS AC"``.
        trump: S, H, D, C or NT; may be left out with ``misere=True``.
        lead: the leader of the next trick, or of the one under way: ``"declarer"``, ``"left"`` or ``"right"``.
        tricks: the number of the remaining tricks that are claimed.
        misere: the declarer claims to take at most `tricks`, by default none.
        options: rule options.
        more: ``role``, ``concede``, ``limit`` (positions a search may visit) and the fields of
            `analysis.player_knowledge.KnownFacts`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules.
    """
    return read_claim(seating(options), hand=hand, trump=trump, lead=lead, tricks=tricks, misere=misere, **more)


judge_claim: Final = functools.partial(asking.judge_claim, read_question)
"""Whether a claim is sound; the arguments are those of `read_question`."""
BATCH: Final = batch_of_claims("bowers", read_question, options=BowersOptions, rows=20)


def question_of(view: View) -> dict[str, str]:
    """Return the question of a player on turn, as the options of ``towerlab claim bowers`` but for the tricks."""
    assert view.bidder is not None and view.leader is not None
    return {
        "role": SEATS[(view.player - view.bidder) % PLAYERS],
        "hand": mask_text(view.hand),
        "misere": "yes" if view.call == MISERE else "",
        "trump": "" if view.call == MISERE else TRUMPS[int(call_trump(view.call))],
        "lead": SEATS[(view.leader - view.bidder) % PLAYERS],
        "seen": mask_text(view.buried),
        "trick": trick_text(view.plays, view.named) if view.plays else "",
        "history": " ".join(trick_text(trick.cards, trick.named) for trick in view.tricks),
    }
