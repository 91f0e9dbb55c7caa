"""Views of the play with their suits renamed, so that questions that differ by names of suits alone are one question.

A solution that iterates, or a sample, differs in its last digits between two orders of the same cards; an ending has
many equilibria. So views are answered under their standard names and the answer is renamed back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from towerlab.analysis.towers_and_bowers.bids import cards_played
from towerlab.analysis.towers_and_bowers.solutions.stored_side import rename
from towerlab.games.arrays import Ints
from towerlab.games.cards import former_names, rename_card, suit_of
from towerlab.games.towers_and_bowers import View
from towerlab.solver.towers_and_bowers.classes import suit_renamings

Names = tuple[int, int, int, int]  # the new name of each suit C D H S = 0..3


def standard_names(view: View) -> list[Names]:
    """Return the names under which a view of the play is answered: two where the view is its own mirror image.

    The up-card is a spade, or the trump is where none is known; what the other player knows as well decides before what
    only this one does.
    """
    assert view.trump is not None
    first = view.trump if view.up_card is None else suit_of(view.up_card)
    played = cards_played(view)

    def key(names: Names) -> tuple[Any, ...]:
        own = rename(np.array([view.gone, view.opponent_holds, view.hand]), names).tolist()
        return -names[first], names[view.trump or 0], [rename_card(card, names) for card in played], own

    keys = {names: key(names) for names in suit_renamings()}
    return [names for names in keys if keys[names] == min(keys.values())]


def rename_view(view: View, names: Names) -> View:
    """Return a view of the play with its suits renamed; calls and what waits for an answer stay as they are."""

    def optional(card: int | None) -> int | None:
        return None if card is None else rename_card(card, names)

    hand, legal, gone, opponent_holds = rename(
        np.array([view.hand, view.legal, view.gone, view.opponent_holds]), names
    ).tolist()
    tricks = tuple(
        replace(trick, led=rename_card(trick.led, names), reply=rename_card(trick.reply, names))
        for trick in view.tricks
    )
    assert view.trump is not None
    return replace(
        view,
        hand=hand,
        legal=legal,
        gone=gone,
        opponent_holds=opponent_holds,
        up_card=optional(view.up_card),
        discard=optional(view.discard),
        led=optional(view.led),
        trump=names[view.trump],
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
