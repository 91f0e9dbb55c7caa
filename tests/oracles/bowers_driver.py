"""Games of Bowers that many tests begin at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from towerlab.games.bowers import OPEN, THROWN_IN, WON, BowersGame, BowersOptions, deal_points, parse_call
from towerlab.games.cards import mask_cards, parse_mask

STATUS = {OPEN: "open", WON: "won", THROWN_IN: "thrown in"}


def dealt_game(hands: Sequence[str] | None = None, calls: str = "", **options: Any) -> BowersGame:
    """A game in its first deal, player 2 the dealer: so the hands are those of the first, second, third speaker."""
    rules = BowersOptions(**options)
    game = BowersGame(rules)
    pack = mask_cards(rules.deck)
    if hands is not None:
        held = [parse_mask(text, rules.deck, count=10) for text in hands]
        assert held[0] | held[1] | held[2] == held[0] ^ held[1] ^ held[2]
        kitty = mask_cards(rules.deck & ~(held[0] | held[1] | held[2]))
        rows = [mask_cards(hand) for hand in held]
        pack = [rows[place % 3][place // 3] for place in range(30)] + kitty
    game.deal(pack, dealer=2)
    for call in calls.split():
        game.call(parse_call(call))
    return game


def points(call: str, tricks: int, left: int = 0, factor: int = 1, **options: Any) -> tuple[int, int, int]:
    """The points of bidder, left and right after a deal."""
    return deal_points(parse_call(call), tricks, left, factor, BowersOptions(**options).rules())
