"""Oracle for Tower War's battles: written on card texts from the rule sheet, sharing no code with games/tower_war.

A side is a list like ``["TC", "9C", "X1:TC"]`` in the order played.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from math import prod

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
PACK = [rank + suit for suit in "CDHS" for rank in ORDER] + ["X1", "X2"]


def what_it_is(played: str) -> str:
    return played.split(":")[-1]


def points(card: str) -> int:
    return int(card[0]) if card[0].isdigit() else 10


def value_when_played(side: list[str], k: int) -> int:
    """The product of the points of all own cards of the suit up to and including the k-th."""
    cards = [what_it_is(played) for played in side[: k + 1]]
    return prod(points(card) for card in cards if card[1] == cards[k][1])


def total(side: list[str]) -> int:
    suits: dict[str, list[int]] = {}
    for played in side:
        card = what_it_is(played)
        suits.setdefault(card[1], []).append(points(card))
    return sum(prod(of_suit) for of_suit in suits.values())


def is_double(side: list[str], k: int) -> bool:
    ranks = [what_it_is(played)[0] for played in side]
    return ranks[k] in ranks[:k]


def winner(leader: list[str], follower: list[str], k: int, tens_only: bool) -> str | None:
    values = value_when_played(leader, k), value_when_played(follower, k)
    if values[0] > values[1]:
        return "leader"
    if values[0] < values[1]:
        return "follower"
    ranks = [what_it_is(side[k])[0] for side in (leader, follower)]
    if ranks[0] == ranks[1] or (tens_only and not set(ranks) <= set("TJQKA")):
        return None
    return "leader" if ORDER.index(ranks[0]) > ORDER.index(ranks[1]) else "follower"


def adder(leader: list[str], follower: list[str], k: int, tens_only: bool) -> str | None:
    won = winner(leader, follower, k, tens_only)
    if won is None:
        return None
    loser, side = ("follower", follower) if won == "leader" else ("leader", leader)
    return None if is_double(side, k) else loser


def loser_of_battle(leader: list[str], follower: list[str]) -> str | None:
    totals = total(leader), total(follower)
    if totals[0] == totals[1]:
        return None
    return "leader" if totals[0] < totals[1] else "follower"


def ways_to_play(hand: list[str]) -> list[list[str]]:
    """Every order of a hand with every choice of what a joker copies."""
    ways = []
    for order in itertools.permutations(hand):
        sides: list[list[str]] = [[]]
        for card in order:
            if card[0] != "X":
                sides = [[*side, card] for side in sides]
            else:
                sides = [[*side, f"{card}:{what_it_is(old)}"] for side in sides for old in side]
        ways += [side for side in sides if side]
    return [list(side) for side in sorted(set(map(tuple, ways)))]


def random_battle(dice: random.Random) -> tuple[list[str], list[str]]:
    """Two random hands of three in a random legal order; jokers ten times as often as in a pack."""
    pack = PACK[:52]
    dice.shuffle(pack)
    pack[:0] = [joker for joker in ("X1", "X2") if dice.random() < 0.5]
    cards = dice.sample(pack[:12], 6)
    return dice.choice(ways_to_play(cards[:3])), dice.choice(ways_to_play(cards[3:]))


# ----------------------------------------------------------------------------------------- battles as a game tree


def battle_value(
    leader: list[str], follower: list[str], pay: dict[str | None, Fraction], adds: dict[str, Fraction]
) -> Fraction:
    """What the leader gets when both see both hands: `pay` by the loser of the battle, `adds` by who adds a pyramid."""

    def choices(hand: list[str], side: list[str]) -> list[list[str]]:
        starts = {tuple(way[: len(side) + 1]) for way in ways_to_play(hand) if way[: len(side)] == side}
        return [list(start) for start in sorted(starts)]

    def best(mine: list[str], theirs: list[str]) -> Fraction:
        if len(mine) == len(theirs) == 3:
            added = Counter(adder(mine, theirs, k, False) for k in range(3))
            worth = sum((adds[who] * count for who, count in added.items() if who), Fraction(0))
            return worth + pay[loser_of_battle(mine, theirs)]
        if len(mine) == len(theirs):
            return max(best(side, theirs) for side in choices(leader, mine))
        return min(best(mine, side) for side in choices(follower, theirs))

    return best([], [])
