"""What a player at the table knows, from the words of a question to a `solver.claims.two_hands.Belief`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypedDict, Unpack

from analysis.claims import knowledge as claims
from analysis.towers_and_bowers.claims.history import ME, THEM, History, read_history
from games.cards import (
    DECK_24,
    SYMBOLS,
    cards_mask,
    effective_suit,
    mask_cards,
    mask_text,
    parse_mask,
    parse_suit,
    to_play_order,
)
from games.errors import CardError, TowerlabError
from games.towers_and_bowers import GAME, LARGEST_HAND
from games.written import CardId, Mask, Record, SuitId
from solver.claims.belief import Belief as HiddenHands
from solver.claims.two_hands import CLAIMANT, OPPONENT, Belief

SEATING: Final = claims.Seating(
    GAME, (ME, THEM), None, DECK_24, True, LARGEST_HAND, True, strains=4, said=("you", "he")
)


class Knowledge(TypedDict, total=False):
    """What the claimant knows besides his hand, the trump and the lead; every part may be left out.

    Attributes:
        seen: cards that cannot be in the opponent's hand: played, turned down, the claimant's own discard.
        opponent_void: suits the opponent cannot hold (the left bower is a trump).
        opponent_holds: cards the opponent surely holds.
        opponent_cards: how many he holds; follows from the rest and is only checked.
        history: tricks played, the card led first: ``"9C/AC AH/QC"``; the last may be unfinished (``AH/``).
        first_lead: who led the first of them, ``"me"`` or ``"them"``.
        first_n: the largest hand of the match (rule option).
    """

    seen: str
    opponent_void: str | Iterable[str]
    opponent_holds: str | Iterable[str]
    opponent_cards: int | None
    history: str
    first_lead: str | None
    first_n: int


@dataclass(frozen=True)
class Position(Record):
    """What the claimant knows, in printed cards.

    Attributes:
        hand: mask of his cards.
        trump: suit 0..3.
        gone: mask of cards that are in neither hand; the card led is one of them.
        voids: effective suits the opponent cannot hold.
        sure: mask of cards the opponent surely holds.
        led: card of the trick under way, or None.
        leader: `ME` or `THEM`, who leads or has led the trick that comes now.
    """

    hand: Mask
    trump: SuitId
    gone: Mask
    voids: frozenset[SuitId]
    sure: Mask
    led: CardId | None
    leader: str

    @property
    def belief(self) -> Belief:
        """The same in play order, as the prover takes it."""
        unseen = DECK_24 & ~(self.hand | self.gone | self.sure)
        pool = cards_mask(
            card for card in mask_cards(unseen) if effective_suit(card, self.trump, bowers=True) not in self.voids
        )
        led = 0 if self.led is None else 1 << self.led
        hand, sure, pool, led = (
            int(to_play_order(mask, self.trump, True)) for mask in (self.hand, self.sure, pool, led)
        )
        turn = CLAIMANT if (self.leader == ME) == (self.led is None) else OPPONENT
        return Belief(hand, sure, pool, led, turn)

    @property
    def general(self) -> claims.Knowledge:
        """The same as at a table with any number of hidden hands."""
        one, me = self.belief, frozenset({0})
        trick = (one.led,) if one.led else ()
        belief = HiddenHands((one.hand, one.sure), (1,), (one.pool,), me, me, one.tricks, one.turn, one.trumps, trick)
        return claims.Knowledge(SEATING, 0, self.trump, False, belief)


def read_position(hand: str, trump: str, lead: str | None = None, **known: Unpack[Knowledge]) -> Position:
    """Read a question; the arguments are those of `analysis.towers_and_bowers.claims.judge_claim`.

    Raises:
        TowerlabError: cards unknown, twice or contradictory, a history that breaks the rules, a wrong number of
            cards, or no hand that the opponent could hold.
    """
    trump_suit = parse_suit(trump)
    mine = parse_mask(hand, DECK_24, "your hand")
    gone = parse_mask(known.get("seen", ""), DECK_24, "the seen cards")
    sure = parse_mask(" ".join(_words(known.get("opponent_holds", ""))), DECK_24, "the opponent's known cards")
    voids = frozenset(parse_suit(word) for word in _words(known.get("opponent_void", "")))
    _check_apart(mine, gone, "stands both in your hand and among the seen cards")
    _check_apart(mine, sure, "stands both in your hand and among the opponent's known cards")
    _check_apart(gone, sure, "is seen elsewhere, yet the opponent is said to hold it")
    _check_voids(sure, voids, trump_suit)
    played = _read_history_or_lead(known.get("history", ""), known.get("first_lead"), lead, mine, trump_suit, sure)
    _check_size(mine, played, known.get("first_n", LARGEST_HAND))
    position = Position(
        hand=mine,
        trump=trump_suit,
        gone=gone | played.mine | played.theirs,
        voids=voids | played.voids,
        sure=sure,
        led=played.led,
        leader=played.leader,
    )
    _check_opponent(position.belief, known.get("opponent_cards"))
    return position


def _words(texts: str | Iterable[str]) -> list[str]:
    """The words of one text or of several, separated by spaces or commas."""
    together = texts if isinstance(texts, str) else " ".join(texts)
    return together.replace(",", " ").split()


def _read_history_or_lead(
    text: str, first_lead: str | None, lead: str | None, hand: int, trump: int, sure: int
) -> History:
    """The tricks played so far; without a history only who leads."""
    for name, value in (("lead", lead), ("first-lead", first_lead)):
        if value not in (None, ME, THEM):
            raise TowerlabError(f"{name} is {value!r}; expected {ME} or {THEM}")
    if not text.strip():
        if lead is None:
            raise TowerlabError(f"nobody is on lead; expected a lead ({ME} or {THEM}), or a history")
        if first_lead not in (None, lead):
            raise TowerlabError(f"first-lead {first_lead} contradicts lead {lead}: no trick has been played")
        return read_history("", lead, hand, trump)
    if first_lead is None:
        raise TowerlabError(f"a history needs to know who led first; expected a first-lead of {ME} or {THEM}")
    history = read_history(text, first_lead, hand, trump, sure)
    if lead not in (None, history.leader):
        whose = "your" if history.leader == ME else "the opponent's"
        raise TowerlabError(f"lead {lead} contradicts the history: after {text.split()[-1]} it is {whose} lead")
    return history


def _check_apart(one: int, other: int, problem: str) -> None:
    if one & other:
        raise CardError(f"{mask_text(one & other).split()[0]} {problem}; expected every card in one place")


def _check_voids(sure: int, voids: frozenset[int], trump: int) -> None:
    for card in mask_cards(sure):
        suit = effective_suit(card, trump, bowers=True)
        if suit in voids:
            raise CardError(
                f"the opponent is said to hold {mask_text(1 << card)} and to be void in {SYMBOLS[suit]}; "
                "expected one or the other (the left bower is a trump)"
            )


def _check_size(hand: int, history: History, first_n: int) -> None:
    played = history.mine.bit_count()
    if hand == 0 and not (history.led is not None and history.leader == ME):
        raise CardError(f"your hand is empty; expected 1 to {first_n} cards")
    if hand.bit_count() + played > first_n:
        with_played = f" and {played} played" if played else ""
        raise CardError(f"your hand has {hand.bit_count()} cards{with_played}; expected at most {first_n} in all")


def _check_opponent(belief: Belief, stated: int | None) -> None:
    """The opponent's number of cards is as stated, and enough unseen cards are left for it."""
    needed = belief.opponent_cards if stated is None else stated
    known, unseen = belief.sure.bit_count(), belief.pool.bit_count()
    if known > needed:
        raise CardError(f"the opponent is said to hold {known} cards; expected at most his {needed}")
    if known + unseen < needed:
        raise CardError(f"only {known + unseen} unseen cards are left for the opponent; expected at least his {needed}")
    if needed != belief.opponent_cards:
        raise CardError(
            f"the opponent is said to hold {stated} cards; expected {belief.opponent_cards}, "
            "which goes with your own hand and the trick under way"
        )
