"""Games of Towie that many tests drive: chance, lots, and games to a wanted point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from towerlab.games.cards import cards_mask, mask_cards
from towerlab.games.towie import Phase, Towie, TowieOptions, scoring
from towerlab.games.towie.auction import PASS, parse_auction, parse_call

SUITS = [cards_mask(range(13 * suit, 13 * suit + 13)) for suit in range(4)]
ONE_SUIT_EACH = (SUITS[0], SUITS[3], SUITS[1], SUITS[2])
"""Dealer has all clubs, left all spades, right all diamonds, dummy all hearts: the stack of the goulash vectors."""


def pack_of(hands: Sequence[int]) -> list[int]:
    """A pack that deals these hands (dealer, left, right, dummy; printed masks), top first: the inverse of a deal."""
    left, dummy, right, dealer = (mask_cards(hands[hand]) for hand in (1, 3, 2, 0))
    return [card for four in zip(left, dummy, right, dealer, strict=True) for card in four]


def take_lot(game: Towie, rng: np.random.Generator) -> None:
    """Any legal card, or a call: mostly a pass or the next few bids, doubles more often than not."""
    if game.phase == Phase.AUCTION:
        legal = game.legal_calls()
        likely = legal[:4] + [call for call in legal if call > 35] * 3
        game.call(int(rng.choice(likely if rng.random() < 0.6 else [PASS])))
    else:
        game.play(int(rng.choice(mask_cards(game.legal_plays()))))


def random_game(seed: int, options: TowieOptions, deals: int = 1000) -> Towie:
    """A game played by lot, to its end or until so many deals have been played."""
    rng = np.random.default_rng(seed)
    game = Towie(options)
    while game.phase != Phase.GAME_OVER and game.state().played < deals:
        if game.to_act is None:
            game.apply(game.chance(rng))
        else:
            take_lot(game, rng)
    return game


def dealt_game(calls: str = "", hands: Sequence[int] = ONE_SUIT_EACH, options: TowieOptions | None = None) -> Towie:
    """A game whose first deal has these hands (dealer, left, right, dummy) and calls."""
    game = Towie(options)
    game.deal(pack_of(hands))
    game.expose(cards_mask(mask_cards(hands[3])[-6:]))
    for call in parse_auction(calls):
        game.call(call)
    return game


def play_out(game: Towie) -> None:
    """Everybody plays the lowest card they may."""
    while game.phase in (Phase.LEAD, Phase.PLAY):
        game.play(mask_cards(game.legal_plays())[0])


def parse_contract(text: str) -> tuple[int, int]:
    """Bid and doubling 1, 2, 4 of a contract such as ``"3NT"``, ``"4SX"``, ``"1HXX"``."""
    bid = text.rstrip("X")
    return parse_call(bid), {0: 1, 1: 2, 2: 4}[len(text) - len(bid)]


def points(contract: str, when: str, over: int, ours: int = 0, theirs: int = 0, **options: Any) -> tuple[int, int]:
    """The score of a contract when vulnerable (V) or not (NV), with tricks over it or under, and honours."""
    bid, doubling = parse_contract(contract)
    tricks = int(scoring.tricks_needed(bid)) + over
    return scoring.deal_score(bid, doubling, int(when == "V"), tricks, ours, theirs, TowieOptions(**options).rules())


class Seats:
    """Players by letter on the kernels."""

    def __init__(self, active: str, waiting: str, retiree_waits: bool = False) -> None:
        self.active = np.array([ord(name) - ord("A") for name in active])
        self.waiting = np.array([ord(name) - ord("A") for name in waiting], dtype=np.int64)
        self.games = np.zeros(len(active) + len(waiting), dtype=np.int64)
        self.retiree_waits = int(retiree_waits)

    def declares(self, name: str, made: bool) -> None:
        """A player has declared, and retires."""
        player = ord(name) - ord("A")
        self.games[player] += made
        seat = self.active.tolist().index(player)
        scoring.change_seats(self.active, self.waiting, self.games, seat, self.retiree_waits)

    @property
    def letters(self) -> tuple[str, str]:
        """Who plays, and who waits."""
        active, waiting = ("".join(chr(ord("A") + one) for one in group) for group in (self.active, self.waiting))
        return active, waiting
