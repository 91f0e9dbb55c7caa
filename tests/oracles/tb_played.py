"""Deals of Towers & Bowers played by the simulator and again in the engine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from games.cards import NO_TRUMP, card_text, mask_text
from games.towers_and_bowers import Match, TowersAndBowersOptions
from sim.towers_and_bowers.hand import PlayedHand, deal_hand
from sim.towers_and_bowers.knowledge import PASS
from tests.oracles.tb_tables import deal_hands

Deal = tuple[int, int, int]
STANDARD = TowersAndBowersOptions()


OTHER_RULES = TowersAndBowersOptions(
    allow_discard_upcard=True, force_dealer_to_name=False, tie_to="bidder", early_stop=False
)


def random_generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def deals(n: int, count: int, seed: int = 0) -> Iterator[Deal]:
    """Non-dealer's hand, dealer's hand, up-card."""
    random = random_generator(seed)
    return (deal_hand(n, random) for _ in range(count))


def dealt_match(deal: Deal, options: TowersAndBowersOptions) -> Match:
    """The interactive engine with the same cards: player 0 deals."""
    hands = (mask_text(mask, NO_TRUMP) for mask in deal[:2])
    changed = {
        name: getattr(options, name)
        for name in ("allow_discard_upcard", "force_dealer_to_name", "tie_to", "early_stop")
    }
    return deal_hands(*hands, card_text(deal[2]), **changed)


def replay(match: Match, hand: PlayedHand) -> None:
    """Take the actions of a simulated hand in the interactive engine."""
    for call in hand.calls:
        if call == PASS:
            match.pass_()
        elif match.can_accept():
            match.accept()
        else:
            match.name(call)
    if hand.discard is not None:
        match.discard(hand.discard)
    for card in hand.plays:
        match.play(card)
