"""What does an answer about a claim hold? Frozen records with their JSON.

Example:
    towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5 --json
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Annotated, Any

from towerlab.analysis.player_knowledge import Knowledge, KnownFacts, Seating, describe, read_knowledge
from towerlab.analysis.present.answers import Answer
from towerlab.games.beating import LineTrick, tricks_of_line
from towerlab.games.cards import JOKER_1, card_texts, first_card, sorted_cards, to_printed
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.written import CardId, PlayId, named_card, play_text
from towerlab.solver.claims.belief import NAMING_SHIFT, NAMINGS
from towerlab.solver.claims.explanation import LAYOUT, Branch, Leaf, Refutation, helpful_line, refute, resisted_line
from towerlab.solver.claims.judging import NODES, HiddenHands, guaranteed_between, judge, most_possible
from towerlab.solver.claims.search import NOT_SETTLED, PROVED, REFUTED, play_values, prover


class ProvedAnswer(Answer, method="proof", table="played"):
    """Base of the answers about claims and concessions."""

    knowledge: Knowledge
    layouts: int
    nodes: int

    @property
    def shown_line(self) -> Iterable[int]:
        """The line that is printed, cards (ids) in order of play; empty where there is none."""
        raise NotImplementedError

    @property
    def played(self) -> list[dict[str, Any]]:
        """The shown line trick by trick: its leader, each seat's card, the seat that takes it."""
        seats = self.knowledge.seating.seats
        return [
            {"trick": number, "lead": seats[trick.leader]}
            | {seats[(trick.leader + place) % len(seats)]: play_text(card) for place, card in enumerate(trick.cards)}
            | {"taken_by": seats[trick.taker]}
            for number, trick in enumerate(line_tricks(self.knowledge, self.shown_line), 1)
        ]

    def searched(self, best_case: int) -> dict[str, int]:
        """Return the columns of a row that say how far the search went; with one hidden hand it always ends."""
        if self.knowledge.belief.is_two_handed:
            return {"layouts": self.layouts}
        return {"best_case_tricks": best_case, "layouts": self.layouts, "nodes": self.nodes}

    @property
    def game(self) -> str:
        return self.knowledge.seating.game

    @property
    def cards(self) -> int:
        """The number of cards of a hand, the trick under way included."""
        return self.remaining

    @property
    def remaining(self) -> int:
        """The number of tricks left, the one under way included."""
        return self.knowledge.belief.tricks


@dataclass(frozen=True)
class ClaimAnswer(ProvedAnswer, shown_by="towerlab.analysis.claims.present:claim_report"):
    """Whether a claim is sound, and why.

    Attributes:
        knowledge: what the claimant knows.
        claim: the tricks claimed; in a misère the most that the declarer takes (the least, if a defender claims).
        sound: whether the claim is sound; None if that was not settled within the limit.
        low: the side's tricks that are proved.
        high: the side's tricks that are not excluded; equal to `low` if all was settled.
        layouts: how many layouts fit the knowledge.
        nodes: how many positions were searched for the answer.
        limit: how many positions a search may visit.
        line: if the claim is sound, the cards (ids) in order of play against the best resistance.
        refutation: why the claim fails, if it is unsound (in play order).
        plays: the tricks guaranteed after each card (id) with one hidden hand, on the claimant's turn; else empty.
    """

    knowledge: Annotated[Knowledge, describe]
    claim: int
    sound: bool | None
    low: int
    high: int
    layouts: Annotated[int, "{:,}".format]
    nodes: int
    limit: int
    line: tuple[PlayId, ...] | None
    refutation: Annotated[Refutation, attrgetter("kind")] | None
    plays: Mapping[CardId, int]

    @property
    def shown_line(self) -> Iterable[int]:
        against = self.refutation
        return self.line or () if against is None else printed_line(against.line or (), self.knowledge)

    @property
    def is_upper(self) -> bool:
        """Whether the claim is an upper bound of tricks (the declarer of a misère), else a lower one."""
        return self.knowledge.misere and self.knowledge.role == 0

    @property
    def guaranteed(self) -> int:
        """The tricks that a strategy surely takes; for a misère's declarer, the most that the others can force."""
        return self.remaining - self.low if self.is_upper else self.low

    @property
    def at_most(self) -> int:
        """The largest possible value of `guaranteed`; equal to it if all was settled."""
        return self.remaining - self.high if self.is_upper else self.high

    def to_json(self) -> dict[str, Any]:
        """Return the object of `towerlab claim --json`.

        `sound` is null if the claim is not settled; `guaranteed` is the number of tricks proved and `best_case` the
        number not excluded (equal when everything is settled). A `refutation` is ``{kind, layout, line, tree}``; `kind`
        is ``layout``, ``guess`` or, when the tree has too many leaves to read, ``search``. A tree nests two kinds of
        objects. A branch is ``{"others": cards, "you": {card: …}}``: the others play these cards in order (perhaps
        none), and `you` has a branch or a leaf for each of your legal plays. A leaf is ``{"layout": …, "line":
        cards}``: if the hidden hands hold exactly these cards at that point, best play from there on is this line, and
        it leaves you below the claim. A layout is ``{seat: cards}``. With one hidden hand it is the cards alone, a
        branch has ``opponent`` for ``others``, and `role`, `misere`, `best_case` and `nodes` are left out.
        """
        known = self.knowledge
        alone = known.belief.is_two_handed
        return self.about() | {
            **({} if alone else {"role": known.seating.seats[known.role], "misere": known.misere}),
            "claim": self.claim,
            "sound": self.sound,
            "guaranteed": self.guaranteed,
            **({} if alone else {"best_case": self.at_most}),
            "layouts": self.layouts,
            **({} if alone else {"nodes": self.nodes}),
            "proof": None if self.line is None else {"line": list(map(play_text, self.line))},
            "refutation": None if self.refutation is None else refutation_json(self.refutation, known),
        }

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers."""
        return {"sound": self.sound, "guaranteed_tricks": self.guaranteed, **self.searched(self.at_most)}


@dataclass(frozen=True)
class ConcessionAnswer(ProvedAnswer, shown_by="towerlab.analysis.claims.present:concession_report"):
    """Whether a concession gives nothing away.

    Attributes:
        knowledge: what the conceder knows.
        claim: the tricks conceded.
        possible: the most tricks of the side in any continuation of any layout that was found.
        high: the most that are not excluded.
        guaranteed: the tricks that a strategy of the conceder's surely takes.
        best_case: the most such tricks that are not excluded.
        best_play_takes_all: whether the other side's double-dummy play takes every trick in each layout; None if that
            was not settled.
        layouts: how many layouts fit the knowledge.
        nodes, limit: the same as in `ClaimAnswer`.
        given: a layout and a continuation in which the side gets `possible` tricks (in play order), if the
            concession is unsound.
    """

    knowledge: Annotated[Knowledge, describe]
    claim: int
    possible: int
    high: int
    guaranteed: int
    best_case: int
    best_play_takes_all: bool | None
    layouts: Annotated[int, "{:,}".format]
    nodes: int
    limit: int
    given: Annotated[Refutation, attrgetter("kind")] | None

    @property
    def shown_line(self) -> Iterable[int]:
        return () if self.given is None else printed_line(self.given.line, self.knowledge)

    @property
    def sound(self) -> bool | None:
        """Whether no continuation gives the side a conceded trick; None if that was not settled."""
        rest = self.remaining - self.claim
        return True if self.high <= rest else False if self.possible > rest else None

    def to_json(self) -> dict[str, Any]:
        """Return the object of `towerlab claim --concede --json`; a `refutation` is a continuation."""
        known = self.knowledge
        alone = known.belief.is_two_handed
        return self.about() | {
            **({} if alone else {"role": known.seating.seats[known.role]}),
            "claim": self.claim,
            "sound": self.sound,
            "possible": self.possible,
            "best_play_takes_all": self.best_play_takes_all,
            "guaranteed": self.guaranteed,
            **({} if alone else {"best_case": self.best_case}),
            "layouts": self.layouts,
            **({} if alone else {"nodes": self.nodes}),
            "proof": None,
            "refutation": None if self.given is None else refutation_json(self.given, known),
        }

    def to_row(self) -> dict[str, Any]:
        """Return the row of a table of answers."""
        return {
            "sound": self.sound,
            "guaranteed_tricks": self.guaranteed,
            "possible_tricks": self.possible,
            "best_play_takes_all": self.best_play_takes_all,
            **self.searched(self.best_case),
        }


def _answer_claim(knowledge: Knowledge, tricks: int, limit: int, explained: bool) -> ClaimAnswer:
    belief = knowledge.belief
    before = prover().visited
    is_upper = knowledge.misere and knowledge.role == 0
    need = belief.tricks - tricks if is_upper else tricks
    verdict = judge(belief, need, limit)
    known = {PROVED: {"low": need}, REFUTED: {"high": need - 1}}.get(verdict.outcome, {})
    low, high = guaranteed_between(belief, limit, **known)
    values = play_values(belief) if explained and belief.is_two_handed and belief.is_claimants_turn else {}
    proved, refuted = (explained and verdict.outcome == outcome for outcome in (PROVED, REFUTED))
    line = printed_line(resisted_line(belief, need, limit), knowledge) if proved else None
    refutation = refute(belief, need, limit, verdict.layout) if refuted else None
    return ClaimAnswer(
        knowledge=knowledge,
        claim=tricks,
        sound={PROVED: True, REFUTED: False, NOT_SETTLED: None}[verdict.outcome],
        low=low,
        high=high,
        layouts=belief.layouts,
        nodes=prover().visited - before,
        limit=limit,
        line=line,
        refutation=refutation,
        plays={printed_card(play, knowledge): value for play, value in values.items()},
        options=knowledge.seating.options,
    )


def _answer_concession(knowledge: Knowledge, tricks: int, limit: int, explained: bool) -> ConcessionAnswer:
    belief = knowledge.belief
    before = prover().visited
    possible = most_possible(belief, limit)
    leaf = helpful_line(belief, possible.low, limit) if explained and possible.low > belief.tricks - tricks else None
    guaranteed, best_case = guaranteed_between(belief, limit)
    return ConcessionAnswer(
        knowledge=knowledge,
        claim=tricks,
        possible=possible.low,
        high=possible.high,
        guaranteed=guaranteed,
        best_case=best_case,
        best_play_takes_all=possible.best_play_takes_all,
        layouts=belief.layouts,
        nodes=prover().visited - before,
        limit=limit,
        given=None if leaf is None else Refutation(LAYOUT, leaf.layout, leaf.line),
        options=knowledge.seating.options,
    )


# ----------------------------------------------------------------------------------------------------------- print


def printed_card(card: int, knowledge: Knowledge) -> int:
    """Return the id of a card in play order."""
    return first_card(int(to_printed(card, knowledge.trump, knowledge.seating.bowers)))


def printed_play(play: int, knowledge: Knowledge) -> int:
    """Return a play of the provers as a `games.written.PlayId`."""
    if play & NAMINGS:
        return named_card(JOKER_1, (play >> NAMING_SHIFT).bit_length() - 1)
    return printed_card(play, knowledge)


def printed_line(line: Iterable[int], knowledge: Knowledge) -> tuple[int, ...]:
    """Return plays of the provers as `games.written.PlayId`."""
    return tuple(printed_play(play, knowledge) for play in line)


def line_tricks(knowledge: Knowledge, line: Iterable[int]) -> Iterator[LineTrick]:
    """Yield the whole tricks of a line of printed cards, the one under way first."""
    belief = knowledge.belief
    seating = knowledge.seating
    under_way = [printed_card(card, knowledge) for card in belief.trick]
    if belief.named:
        under_way[0] = named_card(under_way[0], belief.named.bit_length() // 13 - 1)
    seats = len(seating.seats)
    played = (*under_way, *line)
    tricks = tricks_of_line(played, seats, belief.leader, knowledge.trump, seating.bowers)
    return (trick for trick in tricks if len(trick.cards) == seats)


def hidden_hands(layout: HiddenHands, knowledge: Knowledge) -> Mapping[int, int]:
    """Return the hidden hands of a layout as printed masks by seat."""
    printed = (int(to_printed(hand, knowledge.trump, knowledge.seating.bowers)) for hand in layout)
    return dict(zip(knowledge.belief.hidden, printed, strict=True))


def refutation_json(refutation: Refutation, knowledge: Knowledge) -> dict[str, Any]:
    """Return a refutation as `ClaimAnswer.to_json` describes it."""
    return {
        "kind": refutation.kind,
        "layout": None if refutation.layout is None else _layout_json(refutation.layout, knowledge),
        "line": _texts(refutation.line, knowledge) if refutation.line else None,
        "tree": None if refutation.tree is None else _tree_json(refutation.tree, knowledge),
    }


def _texts(line: Iterable[int], knowledge: Knowledge) -> list[str]:
    return list(map(play_text, printed_line(line, knowledge)))


def _layout_json(layout: HiddenHands, knowledge: Knowledge) -> dict[str, list[str]] | list[str]:
    texts = {
        knowledge.seating.seats[seat]: card_texts(sorted_cards(hand, knowledge.trump, knowledge.seating.bowers))
        for seat, hand in hidden_hands(layout, knowledge).items()
    }
    return next(iter(texts.values())) if len(texts) == 1 else texts


def _tree_json(node: Leaf | Branch, knowledge: Knowledge) -> dict[str, Any]:
    if isinstance(node, Leaf):
        line = _texts(node.line, knowledge)
        return {"layout": _layout_json(node.layout, knowledge), "line": line}
    you = {play_text(printed_play(play, knowledge)): _tree_json(after, knowledge) for play, after in node.you.items()}
    others = "opponent" if len(knowledge.belief.hidden) == 1 else "others"
    return {others: _texts(node.others, knowledge), "you": you}


# ------------------------------------------------------------------------------------------------------- questions


class More(KnownFacts, total=False):
    """The further arguments of `read_claim` for a claim with two hidden hands."""

    role: str
    concede: bool
    limit: int


@dataclass(frozen=True)
class CheckedClaim:
    """A question that has been read and checked; `answer` settles it.

    Attributes:
        knowledge: what the claimant knows.
        tricks: how many of the remaining tricks are claimed or conceded; in a misère the same as `ClaimAnswer.claim`.
        concede: whether they are conceded.
        limit: how many positions a search may visit.
        link: a function that returns the position as a short text, in games that have one.
    """

    knowledge: Knowledge
    tricks: int
    concede: bool
    limit: int
    link: Callable[[], object] = str

    def answer(self, explained: bool = True) -> ClaimAnswer | ConcessionAnswer:
        """Prove or refute the claim; if `explained`, with the line of play or the refutation."""
        answer = _answer_concession if self.concede else _answer_claim
        result = answer(self.knowledge, self.tricks, self.limit, explained)
        return replace(result, link=str(self.link())) if explained else result


def read_claim(
    seating: Seating,
    tricks: int | None = None,
    role: str = "declarer",
    misere: bool = False,
    concede: bool = False,
    limit: int = NODES,
    **known: Any,
) -> CheckedClaim:
    """Return a claim or concession, read and checked.

    Args:
        seating, role, misere: the same as in `read_knowledge`.
        tricks: how many of the remaining tricks are claimed; None for all in a concession, none in a misère (one for a
            defender).
        concede: whether the tricks are conceded.
        limit: how many positions a search may visit.
        known: the other arguments of `read_knowledge`.

    Raises:
        TowerlabError: as `read_knowledge`, or an impossible number of tricks.
    """
    knowledge = read_knowledge(seating, role=role, misere=misere, **known)
    remaining = knowledge.belief.tricks
    if concede and misere:
        raise blame(TowerlabError("a misère cannot be conceded; expected a claim without --concede"), "concede")
    least = 0 if misere and knowledge.role == 0 else 1
    if tricks is None and not (concede or misere):
        raise blame(TowerlabError(f"no number of tricks is claimed; expected tricks of 1 to {remaining}"), "tricks")
    if tricks is None:
        tricks = remaining if concede else least
    if not least <= tricks <= remaining:
        what = "conceded" if concede else "claimed"
        wrong = f"{tricks} tricks are {what} and {remaining} remain; expected {least} to {remaining}"
        raise blame(TowerlabError(wrong), "tricks")
    return CheckedClaim(knowledge, tricks, concede, limit)
