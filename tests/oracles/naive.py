"""Oracles: slow, obvious versions of kernels, written on card texts and sharing no code with them."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Any, NamedTuple

MATES = {"S": "C", "C": "S", "H": "D", "D": "H"}
PACK = tuple(rank + suit for suit in "SHDC" for rank in "AKQJT9")


@cache
def place_of(card: str, trump: str, bowers: bool = True) -> tuple[str, int]:
    """The suit a card is followed in, ``X`` for a joker at no trump, and its place there: higher wins."""
    if card == "X1":
        return "X" if trump == "NT" else trump, 100
    if bowers and trump != "NT" and card in ("J" + trump, "J" + MATES[trump]):
        return trump, 99 if card[1] == trump else 98
    return card[1], "23456789TJQKA".index(card[0])


def suit_followed(card: str, trump: str) -> str:
    return place_of(card, trump)[0]


def strength(card: str, trump: str) -> int:
    return place_of(card, trump)[1]


def is_trump(card: str, trump: str) -> bool:
    return suit_followed(card, trump) == trump


def play_order(card: str, trump: str) -> tuple[int, int]:
    """Plain suits of the other colour in the order C D H S, then the mate, then trumps; low to high."""
    suits = [suit for suit in "CDHS" if suit not in (trump, MATES[trump])] + [MATES[trump], trump]
    suit, place = place_of(card, trump)
    return suits.index(suit), place


def legal_replies(hand: Collection[str], led: str, trump: str) -> list[str]:
    following = [card for card in hand if suit_followed(card, trump) == suit_followed(led, trump)]
    return sorted(following or hand)


def leader_wins(led: str, reply: str, trump: str) -> bool:
    if suit_followed(led, trump) == suit_followed(reply, trump):
        return strength(led, trump) > strength(reply, trump)
    return not is_trump(reply, trump)


class Result(NamedTuple):
    """Who gains by a hand of Towers & Bowers, and whether it is the tower or the next deal."""

    bidder_gains: bool
    is_tower: bool


def hand_result(cards: int, bidder_tricks: int, rules: Any) -> Result:
    """TB-20; `rules` are options of the hand by name, a choice as its place among them."""
    if bidder_tricks in (0, cards):
        return Result(bidder_tricks == cards, True)
    half = 2 * bidder_tricks == cards
    return Result(2 * bidder_tricks > cards or bool(half and rules.tie_to), False)


def hand_is_over(cards: int, bidder_tricks: int, defender_tricks: int, rules: Any) -> bool:
    """TB-21: every trick has been played, or however the others fall the result is one."""
    left = cards - bidder_tricks - defender_tricks
    results = {hand_result(cards, bidder_tricks + more, rules) for more in range(left + 1)}
    return left == 0 or bool(rules.early_stop and not rules.renege_mode and len(results) == 1)


@lru_cache(maxsize=200_000)
def leader_tricks(leader: frozenset[str], follower: frozenset[str], trump: str) -> int:
    """Tricks of the leader when both see all cards, by plain minimax."""
    if not leader:
        return 0
    return max(
        min(tricks_after(leader, follower, trump, led, reply) for reply in legal_replies(follower, led, trump))
        for led in leader
    )


def tricks_after(leader: frozenset[str], follower: frozenset[str], trump: str, led: str, reply: str) -> int:
    """Tricks of the leader, this one included, once these two cards are played."""
    leader, follower = leader - {led}, follower - {reply}
    if leader_wins(led, reply, trump):
        return 1 + leader_tricks(leader, follower, trump)
    return len(leader) - leader_tricks(follower, leader, trump)


def hands_of(pool: frozenset[str], cards: int) -> list[frozenset[str]]:
    return [frozenset(hand) for hand in itertools.combinations(sorted(pool), cards)]
