"""What does a player know in a hand, read from a question or a view of a match, under standard names of the suits?

Questions that differ by names of suits alone are one question. A solution that iterates, or a sample, differs in its
last digits between two orders of the same cards; an ending has many equilibria. So views are answered under their
standard names and the answer is renamed back.

>>> read_known("AH 9S", "H", "me").belief.tricks
2
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, Final, TypedDict, Unpack

import numpy as np

from towerlab.analysis.player_knowledge import Knowledge, Reading, ReadTrick, Seating, build_knowledge, read_knowledge
from towerlab.games.arrays import Ints
from towerlab.games.cards import DECK_24, former_names, rename_card, suit_of
from towerlab.games.engine import require
from towerlab.games.errors import CardError, TowerlabError
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, Call, Phase, TowersAndBowersOptions, View
from towerlab.solver.towers_and_bowers.bidding import rename, suit_renamings

ME: Final = "me"
THEM: Final = "them"
SEATING: Final = Seating(
    GAME, (ME, THEM), None, DECK_24, True, LARGEST_HAND, True, strains=4, said=("you", "the opponent")
)


class OpponentFacts(TypedDict, total=False):
    """Facts about the opponent's hand; every part may be left out.

    Attributes:
        seen: cards that cannot be in it: played, turned down, one's own discard.
        opponent_void: suits it cannot hold (the left bower is a trump; with nothing trump yet cards are as printed).
        opponent_holds: cards it surely holds.
    """

    seen: str
    opponent_void: str | Iterable[str]
    opponent_holds: str | Iterable[str]


class HandFacts(OpponentFacts, total=False):
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
    hand: str, trump: str | None, lead: str | None = None, *, strains: int = SEATING.strains, **known: Unpack[HandFacts]
) -> Knowledge:
    """Return a player's knowledge, read and checked.

    Args:
        hand, trump, lead: the same as in `analysis.player_knowledge.read_knowledge`.
        strains: how many suits can be trumps; one more for no trump.
        known: the rest.

    Raises:
        TowerlabError: a question that contradicts itself or the rules; the message names what.
    """
    seats = replace(seating(known.get("first_n", LARGEST_HAND)), strains=strains)
    knowledge = read_knowledge(seats, role=ME, hand=hand, trump=trump, lead=lead, **known_facts(known))
    check_count(knowledge, known)
    return knowledge


def known_facts(known: HandFacts) -> dict[str, Any]:
    """Return the facts as `analysis.player_knowledge.KnownFacts` has them.

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


def check_count(knowledge: Knowledge, known: HandFacts) -> None:
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
    reading = Reading(SEATING, require(view.trump), {0: view.hand}, 0, {1: view.opponent_holds})
    trick = ReadTrick("", () if view.led is None else (view.led,), None)
    leader = 0 if view.leader == view.player else 1
    return build_knowledge(reading, leader, trick, view.gone, {1: set(view.opponent_voids)})


Names = tuple[int, int, int, int]  # the new name of each suit C D H S = 0..3


def cards_played(view: View) -> list[int]:
    """Return the cards played in a hand, in order."""
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    return played if view.led is None else [*played, view.led]


def played_cards(view: View) -> tuple[int, int]:
    """Return printed masks of what the player, and the opponent, have played."""
    masks = [0, 0]
    for trick in view.tricks:
        for seat in (0, 1):
            masks[seat != view.player] |= 1 << trick.card_of(seat)
    if view.led is not None:
        masks[view.leader != view.player] |= 1 << view.led
    return masks[0], masks[1]


def calling_view(hand: int, up: int, dealer: bool, second_round: bool = False, gone: int = 0, holds: int = 0) -> View:
    """Return the view of a player who is to call; the player has seat 0.

    Args:
        hand: printed mask of the dealt cards.
        up: the up-card.
        dealer: whether the player deals.
        second_round: whether the up-card has been turned down.
        gone, holds: printed masks of other cards that the other cannot hold, and that the other holds.
    """
    n = hand.bit_count()
    passes = dealer + 2 * second_round
    phases = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D)
    calls = tuple(Call((passes - place) % 2, "pass") for place in range(passes))
    return View(
        player=0,
        phase=phases[passes],
        to_act=0,
        towers=(0, 0),
        n=n,
        dealer=0 if dealer else 1,
        hand=hand,
        up_card=up,
        calls=calls,
        gone=gone | 1 << up,
        opponent_cards=n,
        opponent_holds=holds,
    )


def standard_names(view: View) -> list[Names]:
    """Return the names under which a view of the play is answered: two where the view is its own mirror image.

    The up-card is a spade, or the trump is where none is known; what the other player knows as well decides before what
    only this one does.
    """
    first = view.trump if view.up_card is None else suit_of(view.up_card)
    assert first is not None
    played = cards_played(view)

    def key(names: Names) -> tuple[Any, ...]:
        own = rename(np.array([view.gone, view.opponent_holds, view.hand]), names).tolist()
        return (
            -names[first],
            names[first if view.trump is None else view.trump],
            [rename_card(card, names) for card in played],
            own,
        )

    keys = {names: key(names) for names in suit_renamings()}
    return [names for names in keys if keys[names] == min(keys.values())]


def rename_view(view: View, names: Names) -> View:
    """Return a view with its suits renamed; calls and what waits for an answer stay as they are."""

    def optional(card: int | None) -> int | None:
        return None if card is None else rename_card(card, names)

    hand, legal, gone, opponent_holds = rename(
        np.array([view.hand, view.legal, view.gone, view.opponent_holds]), names
    ).tolist()
    tricks = tuple(
        replace(trick, led=rename_card(trick.led, names), reply=rename_card(trick.reply, names))
        for trick in view.tricks
    )
    return replace(
        view,
        hand=hand,
        legal=legal,
        gone=gone,
        opponent_holds=opponent_holds,
        up_card=optional(view.up_card),
        discard=optional(view.discard),
        led=optional(view.led),
        trump=None if view.trump is None else names[view.trump],
        tricks=tricks,
        opponent_voids=tuple(sorted(names[suit] for suit in view.opponent_voids)),
    )


def by_former_names(values: Mapping[int, float], names: Sequence[Names]) -> dict[int, float]:
    """Return numbers by card under the former names; of two names their mean."""
    back = former_names(names[0])
    cards = [rename_card(card, back) for card in values]
    return {card: fmean(values[rename_card(card, to)] for to in names) for card in cards}


def hands_by_former_names(hands: Ints, names: Sequence[Names]) -> Ints:
    """Return hands under the former names, of each of `names`, int64[names, hands]."""
    return np.stack([rename(hands, former_names(to)) for to in names])
