"""Answers about claims as frozen records, the judge of the interactive game, and rows of a table of questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, Unpack

from analysis.claims.answers import printed_card, printed_line, refutation_json
from analysis.claims.certificates import write_proof
from analysis.present.answers import Answer
from analysis.questions import require, truth, whole_number
from analysis.towers_and_bowers.claims.history import ME, THEM
from analysis.towers_and_bowers.claims.position import Knowledge, Position, read_position
from games.cards import card_texts, sorted_cards, to_printed
from games.errors import TowerlabError
from games.towers_and_bowers import GAME, LARGEST_HAND, ClaimQuestion
from games.written import CardId, Mask
from solver.claims import refutation as two_hands
from solver.claims.explanation import Branch, Leaf, Refutation
from solver.claims.two_hands import (
    CLAIMANT,
    Belief,
    guaranteed_tricks,
    play_values,
    possible_tricks,
    principal_variation,
)
from solver.two_hands.tablebase import load_tables

COLUMNS: Final = (
    *("hand", "trump", "lead", "tricks", "seen", "opponent_void", "opponent_holds", "opponent_cards"),
    *("history", "first_lead", "concede"),
)


@dataclass(frozen=True)
class ClaimAnswer(Answer, shown_by="analysis.towers_and_bowers.present.claims:report"):
    """Whether a claim is sound (TB-29), and why. Every number is exact.

    Attributes:
        position: what the claimant knows.
        claim: tricks claimed.
        guaranteed: tricks that one strategy takes against every layout.
        layouts: how many hands the opponent can hold.
        plays: in the claimant's turn, what each of his cards (ids) still guarantees; empty in the opponent's.
        line: if sound, a principal variation: cards (ids) in order of play.
        refutation: if unsound, why (in play order, as of any number of hidden hands).
    """

    position: Position
    claim: int
    guaranteed: int
    layouts: int
    plays: Mapping[CardId, int]
    line: tuple[CardId, ...] | None
    refutation: Annotated[Refutation, attrgetter("kind")] | None

    @property
    def sound(self) -> bool:
        return self.guaranteed >= self.claim

    @property
    def remaining(self) -> int:
        """Tricks still to be taken, the one under way included."""
        return self.position.belief.tricks

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab claim --json`.

        A `refutation.tree` nests two kinds of objects. A branch is ``{"opponent": cards, "you": {card: …}}``: the
        opponent plays these cards in order (perhaps none, perhaps a reply and then a lead), and for each of your
        legal plays `you` says what follows, a branch or a leaf. A leaf is ``{"layout": cards, "line": cards}``: if
        the opponent holds exactly this hand at that point, best play from there on is this line, and it leaves you
        below the claim.
        """
        return {
            "game": GAME,
            "claim": self.claim,
            "sound": self.sound,
            "guaranteed": self.guaranteed,
            "layouts": self.layouts,
            "proof": None if self.line is None else {"line": card_texts(self.line)},
            "refutation": None if self.refutation is None else refutation_json(self.refutation, self.position.general),
        }


@dataclass(frozen=True)
class ConcessionAnswer(Answer, shown_by="analysis.towers_and_bowers.present.claims:report"):
    """Whether a concession is sound (TB-30). Every number is exact.

    Attributes:
        position: what the conceder knows.
        claim: tricks conceded.
        possible: the most tricks he takes in any continuation, with any hand of the opponent's.
        guaranteed: tricks that one strategy of his takes against every layout.
        best_play_takes_all: the weaker notion: whichever hand the opponent holds, his best play (all cards seen)
            takes every trick.
        layouts: how many hands the opponent can hold.
        layout, line: if unsound, a hand of the opponent's (printed mask) and a continuation that takes `possible`.
    """

    position: Position
    claim: int
    possible: int
    guaranteed: int
    best_play_takes_all: bool
    layouts: int
    layout: Mask | None
    line: tuple[CardId, ...] | None

    @property
    def sound(self) -> bool:
        return self.possible <= self.remaining - self.claim

    @property
    def remaining(self) -> int:
        """Tricks still to be taken, the one under way included."""
        return self.position.belief.tricks

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab claim --concede --json`; an unsound one's `refutation` is a continuation."""
        refutation = None
        if self.layout is not None and self.line is not None:
            refutation = {
                "kind": "layout",
                "layout": card_texts(sorted_cards(self.layout, self.position.trump, bowers=True)),
                "line": card_texts(self.line),
                "tree": None,
            }
        return {
            "game": GAME,
            "claim": self.claim,
            "sound": self.sound,
            "possible": self.possible,
            "best_play_takes_all": self.best_play_takes_all,
            "guaranteed": self.guaranteed,
            "layouts": self.layouts,
            "proof": None,
            "refutation": refutation,
        }


# ------------------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True)
class Question:
    """A question that has been read and checked; `answer` solves it."""

    position: Position
    tricks: int
    concede: bool

    def answer(self) -> ClaimAnswer | ConcessionAnswer:
        """Prove or refute."""
        return (_answer_concession if self.concede else _answer_claim)(self.position, self.tricks)


def read_question(
    hand: str,
    trump: str,
    lead: str | None = None,
    tricks: int | None = None,
    concede: bool = False,
    **known: Unpack[Knowledge],
) -> Question:
    """Read and check a question; the arguments are those of `judge_claim`, or of `judge_concession` with `concede`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    position = read_position(hand, trump, lead, **known)
    remaining = position.belief.tricks
    if tricks is None:
        if not concede:
            raise TowerlabError(f"no number of tricks is claimed; expected tricks of 1 to {remaining}")
        tricks = remaining
    if not 1 <= tricks <= remaining:
        what = "conceded" if concede else "claimed"
        raise TowerlabError(f"{tricks} tricks are {what} and {remaining} remain; expected 1 to {remaining}")
    return Question(position, tricks, concede)


def judge_claim(
    hand: str, trump: str, lead: str | None = None, tricks: int | None = None, **known: Unpack[Knowledge]
) -> ClaimAnswer:
    """Whether a claim of `tricks` tricks is sound (TB-29).

    Args:
        hand: what the claimant holds now, such as ``"JH JD AH 9H AS"``.
        trump: ``S``, ``H``, ``D`` or ``C``.
        lead: who leads the trick that comes now, or has led the one under way: ``"me"`` or ``"them"``; may be left
            out with a history.
        tricks: claimed, of those that remain.
        known: what else he knows, see `Knowledge`.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    question = read_question(hand, trump, lead, tricks, **known)
    return _answer_claim(question.position, question.tricks)


def judge_concession(
    hand: str, trump: str, lead: str | None = None, tricks: int | None = None, **known: Unpack[Knowledge]
) -> ConcessionAnswer:
    """Whether a concession of `tricks` tricks (default: all that remain) gives nothing away (TB-30).

    The arguments are those of `judge_claim`, with the conceder in the claimant's place.

    Raises:
        TowerlabError: as `judge_claim`.
    """
    question = read_question(hand, trump, lead, tricks, concede=True, **known)
    return _answer_concession(question.position, question.tricks)


def _answer_claim(position: Position, tricks: int) -> ClaimAnswer:
    belief, known = position.belief, position.general
    guaranteed = guaranteed_tricks(belief)
    sound = guaranteed >= tricks
    values = play_values(belief) if belief.turn == CLAIMANT else {}
    return ClaimAnswer(
        position=position,
        claim=tricks,
        guaranteed=guaranteed,
        layouts=belief.layouts,
        plays={printed_card(play, known): value for play, value in values.items()},
        line=printed_line(principal_variation(belief), known) if sound else None,
        refutation=None if sound else explained(two_hands.refute(belief, tricks, load_tables())),
    )


def _answer_concession(position: Position, tricks: int) -> ConcessionAnswer:
    belief = position.belief
    possible = possible_tricks(belief)
    sound = possible <= belief.tricks - tricks
    line = None if sound else principal_variation(belief, cooperative=True)
    return ConcessionAnswer(
        position=position,
        claim=tricks,
        possible=possible,
        guaranteed=guaranteed_tricks(belief),
        best_play_takes_all=two_hands.best_layout(belief, load_tables())[1] == 0,
        layouts=belief.layouts,
        layout=None if line is None else _opponent_cards_of(line, belief, position.trump),
        line=None if line is None else printed_line(line, position.general),
    )


def judge(question: ClaimQuestion) -> bool:
    """The judge of an interactive match with ``claims=verified``: ``Match(options,
    judge=analysis.towers_and_bowers.claims.judge)``."""
    belief = position_of(question).belief
    if question.is_concession:
        return possible_tricks(belief) <= belief.tricks - question.tricks
    return guaranteed_tricks(belief) >= question.tricks


def position_of(question: ClaimQuestion) -> Position:
    """What the claimant of an interactive match knows."""
    return Position(
        hand=question.hand,
        trump=question.trump,
        gone=question.gone,
        voids=frozenset(question.opponent_voids),
        sure=question.opponent_holds,
        led=question.led,
        leader=ME if question.claimant_leads else THEM,
    )


def answer_row(cells: Mapping[str, str], first_n: int = LARGEST_HAND) -> dict[str, Any]:
    """Answer one row of a table of questions (`analysis.questions`), whose columns are `COLUMNS`.

    Raises:
        TowerlabError: as `judge_claim`.
    """
    require({name: cells.get(name) for name in COLUMNS}, "hand", "trump")
    question = read_question(
        hand=cells["hand"],
        trump=cells["trump"],
        lead=cells.get("lead"),
        tricks=whole_number(cells, "tricks"),
        concede=truth(cells, "concede"),
        seen=cells.get("seen", ""),
        opponent_void=cells.get("opponent_void", ""),
        opponent_holds=cells.get("opponent_holds", ""),
        opponent_cards=whole_number(cells, "opponent_cards"),
        history=cells.get("history", ""),
        first_lead=cells.get("first_lead"),
        first_n=first_n,
    )
    return question.answer().to_json()


def write_certificate(path: Path, answer: ClaimAnswer | ConcessionAnswer) -> None:
    """Write the whole strategy of a sound claim, or the whole refutation, for `towerlab check`.

    Raises:
        TowerlabError: a concession.
    """
    if not isinstance(answer, ClaimAnswer):
        raise TowerlabError("a concession has no strategy to write; expected --certificate without --concede")
    write_proof(path, answer.position.general, answer.claim, answer.sound)


def warm_up() -> None:
    """Compile every kernel that these answers need."""
    judge_claim("JD 9H", trump="H", lead="me", tricks=1)
    judge_concession("9S", trump="H", lead="them")


def explained(refutation: two_hands.Refutation | None) -> Refutation | None:
    """A refutation as of any number of hidden hands."""
    if refutation is None:
        return None
    tree = None if refutation.tree is None else _explained_branch(refutation.tree)
    return Refutation(refutation.kind, (refutation.layout,), refutation.line, tree)


def _explained_branch(branch: two_hands.Branch) -> Branch:
    you = {
        play: Leaf((after.layout,), after.line) if isinstance(after, two_hands.Leaf) else _explained_branch(after)
        for play, after in branch.you.items()
    }
    return Branch(branch.opponent, you)


def _opponent_cards_of(line: Iterable[int], belief: Belief, trump: int) -> int:
    """Printed mask of the cards that the opponent plays in a line to the end of the hand."""
    layout = 0
    for play in line:
        if belief.turn != CLAIMANT:
            layout |= play
        belief, _ = belief.after(play)
    return int(to_printed(layout, trump, True))
