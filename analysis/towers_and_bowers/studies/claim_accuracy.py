"""The study `claim-accuracy` of Towers & Bowers: what both players could claim in played matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from towerlab.analysis.claims.accuracy import accuracy_study
from towerlab.analysis.claims.asking import FEWEST_TRICKS, Claimant
from towerlab.analysis.players import find_player
from towerlab.analysis.towers_and_bowers.position import known_in
from towerlab.analysis.towers_and_bowers.simulation import seat_in_match
from towerlab.games.cards import to_play_order
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.players.seats import take_step

OPTIONS: Final = TowersAndBowersOptions(claims="off")


def positions_of_match(player: str, random: np.random.Generator) -> Iterator[Claimant]:
    """Every start of a trick of a match of a player against itself: both players are asked."""
    act = seat_in_match(find_player(player, "towers-and-bowers"), OPTIONS)
    match = Match(OPTIONS)
    while match.winner is None:
        hand = match.state().hand
        if match.phase == Phase.PLAY and hand is not None and hand.led is None and hand.tricks_left >= FEWEST_TRICKS:
            for seat in range(2):
                yield position_of(match, seat)
        take_step(match, (act, act), random)


def position_of(match: Match, seat: int) -> Claimant:
    """Return what a player knows at the start of a trick, and how the cards lie."""
    hand = match.state().hand
    assert hand is not None and hand.trump is not None
    hands = tuple(int(to_play_order(hand.hands[place], hand.trump, True)) for place in (seat, 1 - seat))
    return Claimant(f"{hand.n} cards", known_in(match.view(seat)), hands)


def _positions(parameters: Mapping[str, Any], number: int, random: np.random.Generator) -> Iterator[Claimant]:
    return positions_of_match(parameters["player"], random)


CLAIMING: Final = accuracy_study("towers-and-bowers", _positions, None, chunks=20, deals=10, player="pimc")
