"""Deals of Towers & Bowers played by the simulator and again in the engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracles.match_driver import deal_hands
from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP, card_text, mask_text
from towerlab.games.towers_and_bowers import HandRules, Match, TowersAndBowersOptions
from towerlab.sim.own_players import Act
from towerlab.sim.towers_and_bowers import match
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, NO_SUIT
from towerlab.sim.towers_and_bowers.match import NO_SEAT, NOT_MADE, RECORD_IS_TOWER, RECORD_WINNER, deal_hand
from towerlab.sim.towers_and_bowers.seats import take_step

Deal = tuple[int, int, int]
STANDARD = TowersAndBowersOptions()


OPTIONS_OF_A_HAND: dict[str, tuple[Any, ...]] = {  # the default first
    field.name: tuple(sorted(field.metadata["choices"] or (False, True), key=lambda value: value != field.default))
    for field in dataclasses.fields(TowersAndBowersOptions)
    if field.name in HandRules._fields
}
OTHER_RULES = TowersAndBowersOptions(  # simulated players always follow suit
    **{name: values[1] for name, values in OPTIONS_OF_A_HAND.items() if name != "renege_mode"}
)


def deals(n: int, count: int, seed: int = 0) -> Iterator[Deal]:
    """Non-dealer's hand, dealer's hand, up-card."""
    random = np.random.default_rng(seed)
    return (deal_hand(n, random) for _ in range(count))


def dealt_match(deal: Deal, options: TowersAndBowersOptions) -> Match:
    """The interactive engine with the same cards: player 0 deals."""
    hands = (mask_text(mask, NO_TRUMP) for mask in deal[:2])
    changed = {name: getattr(options, name) for name in OPTIONS_OF_A_HAND}
    return deal_hands(*hands, card_text(deal[2]), **changed)


@dataclass(frozen=True)
class PlayedHand:
    """What happened in a hand.

    Attributes:
        calls: of non-dealer, dealer, non-dealer, dealer, as far as made: a suit or `NO_SUIT`; the up-card's suit is an
            acceptance.
        discard: the dealer's (card id), or None.
        bidder: seat, or None if the hand was thrown in; likewise `trump`.
        taken: tricks of non-dealer and dealer when the hand stopped.
        winner: the seat that takes the tower or deals next, or None if the hand was thrown in.
        is_tower: whether the declarer takes the tower.
        plays: card ids in the order of play.
    """

    calls: tuple[int, ...]
    discard: int | None
    bidder: int | None
    trump: int | None
    taken: tuple[int, int]
    winner: int | None
    is_tower: bool
    plays: tuple[int, ...]


def read_record(record: Ints) -> PlayedHand:
    """The record of one hand in words."""
    calls = record[match.RECORD_CALLS : match.RECORD_DISCARD]
    bidder = int(record[match.RECORD_BIDDER])
    played_on = bidder != NO_SEAT
    return PlayedHand(
        calls=tuple(int(call) for call in calls if call != NOT_MADE),
        discard=None if record[match.RECORD_DISCARD] == NO_CARD else int(record[match.RECORD_DISCARD]),
        bidder=bidder if played_on else None,
        trump=int(record[match.RECORD_TRUMP]) if played_on else None,
        taken=(int(record[match.RECORD_TRICKS]), int(record[match.RECORD_TRICKS + 1])),
        winner=int(record[RECORD_WINNER]) if played_on else None,
        is_tower=bool(record[RECORD_IS_TOWER]),
        plays=tuple(
            int(card) for card in record[match.RECORD_PLAYS : match.RECORD_PLAYS + record[match.RECORD_PLAYED]]
        ),
    )


def replay(match: Match, played: PlayedHand) -> None:
    """Take the actions of a simulated hand in the interactive engine."""
    for call in played.calls:
        if call == NO_SUIT:
            match.pass_()
        elif match.can_accept():
            match.accept()
        else:
            match.name(call)
    if played.discard is not None:
        match.discard(played.discard)
    for card in played.plays:
        match.play(card)


def play_match(match: Match, acts: tuple[Act, Act], random: np.random.Generator) -> None:
    """Drive a match to its end: chance by `random`, every decision by the player whose turn it is.

    Nobody claims or accuses; a cut is declined. A match already begun is played on from where it stands.

    Raises:
        IllegalAction: a player's decision breaks a rule.
    """
    while match.winner is None:
        take_step(match, acts, random)
