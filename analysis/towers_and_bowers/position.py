"""What a player knows, and views with their suits renamed: questions that differ by names of suits alone are one.

A solution that iterates, or a sample, differs in its last digits between two orders of the same cards; an ending has
many equilibria. So views are answered under their standard names and the answer is renamed back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from towerlab.analysis.towers_and_bowers.solutions.stored_side import rename
from towerlab.games.arrays import Ints
from towerlab.games.cards import former_names, rename_card, suit_of
from towerlab.games.towers_and_bowers import Call, Phase, View
from towerlab.solver.towers_and_bowers.classes import suit_renamings

Names = tuple[int, int, int, int]  # the new name of each suit C D H S = 0..3


def cards_played(view: View) -> list[int]:
    """Return the cards played in a hand, in order."""
    played = [card for trick in view.tricks for card in (trick.led, trick.reply)]
    return played if view.led is None else [*played, view.led]


def played_cards(view: View) -> tuple[int, int]:
    """Printed masks of what the player, and the opponent, have played."""
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
        return -names[first], names[view.trump or 0], [rename_card(card, names) for card in played], own

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
    """int64[names, hands]: hands under the former names, of each of `names`."""
    return np.stack([rename(hands, former_names(to)) for to in names])
