"""Answers about claims with hidden hands: frozen records with their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any, Final

from analysis.claims.knowledge import Knowledge, Known, Seating, describe, read_knowledge
from analysis.present.answers import Answer
from analysis.questions import require, truth, whole_number
from games.cards import SUITS, card_text, card_texts, first_card, sorted_cards, to_printed
from games.errors import TowerlabError
from games.written import CardId
from solver.claims.belief import NAMING_SHIFT, NAMINGS
from solver.claims.explanation import LAYOUT, Branch, Leaf, Refutation, given_line, refute, resisted_line
from solver.claims.judging import NODES, Verdict, guaranteed_between, judge, most_possible
from solver.claims.layouts import Layout
from solver.claims.search import NOT_SETTLED, PROVED, REFUTED


@dataclass(frozen=True)
class ClaimAnswer(Answer, shown_by="analysis.claims.present:claim_report"):
    """Whether a claim is sound, and why.

    Attributes:
        knowledge: what the claimant knows.
        claim: tricks claimed; of a misère the most that the declarer takes (the least, if a defender claims).
        sound: None if the claim was not settled within the limit.
        low, high: the side's tricks that were proved, and that could not be excluded; equal if all was settled.
        layouts: how many layouts fit what is known.
        nodes: positions searched for this claim.
        limit: how many a search may visit.
        line: if sound, cards (ids) in order of play against the best resistance found.
        refutation: if unsound, why (in play order).
    """

    knowledge: Annotated[Knowledge, describe]
    claim: int
    sound: bool | None
    low: int
    high: int
    layouts: Annotated[int, "{:,}".format]
    nodes: int
    limit: int
    line: tuple[CardId, ...] | None
    refutation: Annotated[Refutation, attrgetter("kind")] | None

    @property
    def remaining(self) -> int:
        """Tricks left, the one under way included."""
        return self.knowledge.belief.tricks

    @property
    def is_upper(self) -> bool:
        """Whether the claim is a most (the declarer of a misère) and not a least."""
        return self.knowledge.misere and self.knowledge.role == 0

    @property
    def guaranteed(self) -> int:
        """Tricks that one strategy is proved to take; of a misère's declarer the most he can be forced to take."""
        return self.remaining - self.low if self.is_upper else self.low

    @property
    def at_most(self) -> int:
        """What `guaranteed` might still be; the same if all was settled."""
        return self.remaining - self.high if self.is_upper else self.high

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab claim bowers|towie --json`.

        `sound` is null if the claim is not settled; `guaranteed` is what was proved and `best_case` what could not be
        excluded (the same number when everything is settled). A `refutation` is as that of Towers & Bowers with a hand
        for each hidden seat: ``{kind, layout: {seat: cards}, line, tree}``; `kind` is ``layout``, ``guess`` or, when
        the tree would have too many leaves to be read, ``search``. A branch of the tree is
        ``{"others": cards, "you": {card: …}}``.
        """
        return {
            "game": self.knowledge.seating.game,
            "role": self.knowledge.seating.seats[self.knowledge.role],
            "misere": self.knowledge.misere,
            "claim": self.claim,
            "sound": self.sound,
            "guaranteed": self.guaranteed,
            "best_case": self.at_most,
            "layouts": self.layouts,
            "nodes": self.nodes,
            "proof": None if self.line is None else {"line": card_texts(self.line)},
            "refutation": None if self.refutation is None else refutation_json(self.refutation, self.knowledge),
        }


@dataclass(frozen=True)
class ConcessionAnswer(Answer, shown_by="analysis.claims.present:concession_report"):
    """Whether a concession gives nothing away.

    Attributes:
        knowledge: what the conceder knows.
        claim: tricks conceded.
        low, high: the most tricks of his side in any continuation with any layout: found, and not excluded.
        low_guaranteed: tricks that one strategy of his is proved to take.
        best_play_takes_all: whether the others' best play takes every trick against each layout, all cards seen;
            None if that was not settled.
        layouts: how many layouts fit what is known.
        limit: as of a claim.
        given: if unsound, a layout and a continuation in which the side gets `low` tricks (in play order).
    """

    knowledge: Annotated[Knowledge, describe]
    claim: int
    low: int
    high: int
    low_guaranteed: int
    best_play_takes_all: bool | None
    layouts: Annotated[int, "{:,}".format]
    limit: int
    given: Annotated[Refutation, attrgetter("kind")] | None

    @property
    def remaining(self) -> int:
        """Tricks left, the one under way included."""
        return self.knowledge.belief.tricks

    @property
    def sound(self) -> bool | None:
        """Whether no continuation gives the side more than it keeps; None if not settled."""
        kept = self.remaining - self.claim
        return True if self.high <= kept else False if self.low > kept else None

    def to_json(self) -> dict[str, Any]:
        """The object of `towerlab claim bowers|towie --concede --json`; a `refutation` is a continuation."""
        return {
            "game": self.knowledge.seating.game,
            "role": self.knowledge.seating.seats[self.knowledge.role],
            "claim": self.claim,
            "sound": self.sound,
            "possible": self.low,
            "best_play_takes_all": self.best_play_takes_all,
            "guaranteed": self.low_guaranteed,
            "layouts": self.layouts,
            "proof": None,
            "refutation": None if self.given is None else refutation_json(self.given, self.knowledge),
        }


def answer_claim(knowledge: Knowledge, tricks: int | None, limit: int = NODES) -> ClaimAnswer:
    """Judge a claim.

    Args:
        knowledge: what the claimant knows.
        tricks: claimed of those that are left; of a misère by default none (one, if a defender claims).
        limit: positions a search may visit.

    Raises:
        TowerlabError: no number, or one that cannot be.
    """
    belief, remaining = knowledge.belief, knowledge.belief.tricks
    is_upper = knowledge.misere and knowledge.role == 0
    least = 0 if is_upper else 1
    if tricks is None:
        if not knowledge.misere:
            raise TowerlabError(f"no number of tricks is claimed; expected tricks of 1 to {remaining}")
        tricks = least
    if not least <= tricks <= remaining:
        raise TowerlabError(f"{tricks} tricks are claimed and {remaining} remain; expected {least} to {remaining}")
    need = remaining - tricks if is_upper else tricks
    verdict = judge(belief, need, limit)
    low, high = _between(knowledge, need, verdict, limit)
    return ClaimAnswer(
        knowledge=knowledge,
        claim=tricks,
        sound={PROVED: True, REFUTED: False, NOT_SETTLED: None}[verdict.outcome],
        low=low,
        high=high,
        layouts=belief.layouts,
        nodes=verdict.nodes,
        limit=limit,
        line=printed_line(resisted_line(belief, need, limit), knowledge) if verdict.outcome == PROVED else None,
        refutation=refute(belief, need, limit, verdict.layout) if verdict.outcome == REFUTED else None,
    )


def _between(knowledge: Knowledge, need: int, verdict: Verdict, limit: int) -> tuple[int, int]:
    if verdict.outcome == PROVED:
        return guaranteed_between(knowledge.belief, limit, low=need)
    return guaranteed_between(knowledge.belief, limit, high=need - 1 if verdict.outcome == REFUTED else None)


def answer_concession(knowledge: Knowledge, tricks: int | None, limit: int = NODES) -> ConcessionAnswer:
    """Judge a concession of `tricks` tricks, by default of all that are left.

    Raises:
        TowerlabError: a misère, or a number that cannot be.
    """
    belief, remaining = knowledge.belief, knowledge.belief.tricks
    if knowledge.misere:
        raise TowerlabError("a misère cannot be conceded; expected a claim without --concede")
    tricks = remaining if tricks is None else tricks
    if not 1 <= tricks <= remaining:
        raise TowerlabError(f"{tricks} tricks are conceded and {remaining} remain; expected 1 to {remaining}")
    possible = most_possible(belief, limit)
    leaf = given_line(belief, possible.low, limit) if possible.low > remaining - tricks else None
    return ConcessionAnswer(
        knowledge=knowledge,
        claim=tricks,
        low=possible.low,
        high=possible.high,
        low_guaranteed=guaranteed_between(belief, limit)[0],
        best_play_takes_all=possible.best_play_takes_all,
        layouts=belief.layouts,
        limit=limit,
        given=None if leaf is None else Refutation(LAYOUT, leaf.layout, leaf.line),
    )


# ----------------------------------------------------------------------------------------------------------- print


def printed_card(card: int, knowledge: Knowledge) -> int:
    """The id of a card in play order."""
    return first_card(int(to_printed(card, knowledge.trump, knowledge.seating.bowers)))


def printed_line(line: Iterable[int], knowledge: Knowledge) -> tuple[int, ...]:
    """The ids of cards in play order, in the order they are played."""
    return tuple(printed_card(card, knowledge) for card in line)


def play_text(play: int, knowledge: Knowledge) -> str:
    """A play as JSON has it: a card, or a joker with the suit it names (``X1:S``)."""
    if play & NAMINGS:
        return f"X1:{SUITS[(play >> NAMING_SHIFT).bit_length() - 1]}"
    return card_text(printed_card(play, knowledge))


def hidden_hands(layout: Layout, knowledge: Knowledge) -> Mapping[int, int]:
    """Printed masks of the hidden hands by seat."""
    printed = (int(to_printed(hand, knowledge.trump, knowledge.seating.bowers)) for hand in layout)
    return dict(zip(knowledge.belief.hidden, printed, strict=True))


def refutation_json(refutation: Refutation, knowledge: Knowledge) -> dict[str, Any]:
    """A refutation as `to_json` describes it; of a single hidden hand (Towers & Bowers) a layout is its cards alone."""
    return {
        "kind": refutation.kind,
        "layout": None if refutation.layout is None else _layout_json(refutation.layout, knowledge),
        "line": card_texts(printed_line(refutation.line, knowledge)) if refutation.line else None,
        "tree": None if refutation.tree is None else _tree_json(refutation.tree, knowledge),
    }


def _layout_json(layout: Layout, knowledge: Knowledge) -> dict[str, list[str]] | list[str]:
    texts = {
        knowledge.seating.seats[seat]: card_texts(sorted_cards(hand, knowledge.trump, knowledge.seating.bowers))
        for seat, hand in hidden_hands(layout, knowledge).items()
    }
    return next(iter(texts.values())) if len(texts) == 1 else texts


def _tree_json(node: Leaf | Branch, knowledge: Knowledge) -> dict[str, Any]:
    if isinstance(node, Leaf):
        line = card_texts(printed_line(node.line, knowledge))
        return {"layout": _layout_json(node.layout, knowledge), "line": line}
    you = {play_text(play, knowledge): _tree_json(after, knowledge) for play, after in node.you.items()}
    others = "opponent" if len(knowledge.belief.hidden) == 1 else "others"
    return {others: card_texts(printed_line(node.others, knowledge)), "you": you}


# ------------------------------------------------------------------------------------------------------- questions


COLUMNS: Final = (
    *("role", "hand", "trump", "lead", "tricks", "seen", "void", "holds", "trick", "history", "concede", "limit"),
)


@dataclass(frozen=True)
class Question:
    """A question that has been read and checked; `answer` settles it."""

    knowledge: Knowledge
    tricks: int | None
    concede: bool
    limit: int

    def answer(self) -> ClaimAnswer | ConcessionAnswer:
        """Prove or refute.

        Raises:
            TowerlabError: a number of tricks that cannot be.
        """
        return (answer_concession if self.concede else answer_claim)(self.knowledge, self.tricks, self.limit)


def read_claim(
    seating: Seating,
    *,
    hand: str,
    trump: str | None,
    lead: str | None,
    tricks: int | None = None,
    role: str = "declarer",
    dummy: str | None = None,
    misere: bool = False,
    concede: bool = False,
    limit: int = NODES,
    **known: Any,
) -> Question:
    """Read and check a question; `known` are the fields of `Known`.

    Raises:
        TowerlabError: as `read_knowledge`.
    """
    knowledge = read_knowledge(
        seating, role=role, hand=hand, trump=trump, lead=lead, dummy=dummy, misere=misere, known=Known(**known)
    )
    return Question(knowledge, tricks, concede, limit)


def answer_row(seating: Seating, cells: Mapping[str, str]) -> dict[str, Any]:
    """Answer one row of a table of questions (`analysis.questions`).

    Raises:
        TowerlabError: as `read_claim`.
    """
    texts = {name: cells[name] for name in ("role", "trump", "lead", "dummy") if name in cells}
    known = {name: cells.get(name, "") for name in ("seen", "void", "holds", "trick", "history")}
    require({"hand": cells.get("hand")}, "hand")
    question = read_claim(
        seating,
        hand=cells["hand"],
        trump=texts.pop("trump", None),
        lead=texts.pop("lead", None),
        tricks=whole_number(cells, "tricks"),
        concede=truth(cells, "concede"),
        misere=truth(cells, "misere"),
        limit=whole_number(cells, "limit") or NODES,
        **texts,
        **known,
    )
    return question.answer().to_json()
