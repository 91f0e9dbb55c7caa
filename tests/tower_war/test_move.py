"""`towerlab move tower-war`: cards and pyramids in mid-battle against a naive tree of every hand; what is refused."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from tests.oracles.naive_tower_war import PACK, adder, loser_of_battle, ways_to_play
from towerlab.analysis.tower_war.move import ask_move
from towerlab.games.errors import IllegalAction
from towerlab.games.tower_war import BASIC_STASH, TowerWarOptions
from towerlab.games.tower_war.rules import add_pyramid, new_tower
from towerlab.solver.tower_war.battle import battle_payoffs
from towerlab.solver.tower_war.model import battle_stakes

SIDES = ("leader", "follower")


def starts(hand: Sequence[str], side: Sequence[str]) -> list[list[str]]:
    """Every way to go on with one card more."""
    found = {tuple(way[: len(side) + 1]) for way in ways_to_play(list(hand)) if way[: len(side)] == list(side)}
    return [list(start) for start in sorted(found)]


def value(hands: Sequence[Sequence[str]], sides: Sequence[list[str]], size: int | None, payoffs: np.ndarray) -> float:
    """P(the leader wins the war) when both see both hands; the size of the level is None until somebody adds."""
    done = len(sides[1])
    is_even = len(sides[0]) == len(sides[1])
    if is_even and done and size is None:
        who = adder(*sides, done - 1, False) or (loser_of_battle(*sides) if done == 3 else None)
        if who is not None:
            best = max if who == "leader" else min
            return best(value(hands, sides, one, payoffs) for one in range(3))
    if is_even and done == 3:
        digits = [*(adder(*sides, k, False) for k in range(3)), loser_of_battle(*sides)]
        code = sum((SIDES.index(who) if who else 2) * 3 ** (3 - k) for k, who in enumerate(digits))
        return float(payoffs[code, size or 0])
    mover = 0 if is_even else 1
    further = [[start, sides[1]] if mover == 0 else [sides[0], start] for start in starts(hands[mover], sides[mover])]
    return (max, min)[mover](value(hands, after, size, payoffs) for after in further)


def naive(
    mine: list[str], deck: list[str], played: list[str], theirs: list[str], leads: bool, size: int | None, choose: bool
) -> dict[str, float]:
    """P(I win the war) of each next card of mine, or of each size, every hand of theirs counted alike."""
    sides = [played, theirs] if leads else [theirs, played]
    tower = new_tower(BASIC_STASH, BASIC_STASH)
    done = min(len(played), len(theirs))
    if size is not None:
        for who in filter(None, (adder(*sides, k, False) for k in range(done))):
            add_pyramid(tower, int((who == "leader") != leads), size)
    payoffs = battle_payoffs(tower, 0 if leads else 1, done - choose, battle_stakes(TowerWarOptions(), tower))
    gone = [card.split(":")[0] for card in theirs]
    found: dict[str, list[float]] = {}
    for rest in itertools.combinations([card for card in deck if card not in gone], 3 - len(gone)):
        hands = [mine, [*gone, *rest]] if leads else [[*gone, *rest], mine]
        for start in [played] if choose else starts(mine, played):
            after = [start, theirs] if leads else [theirs, start]
            for one in range(3) if choose else [size]:
                chance = value(hands, after, one, payoffs)
                name = "LMS"[one or 0] if choose else start[-1]
                found.setdefault(name, []).append(chance if leads else 1 - chance)
    return {name: float(np.mean(chances)) for name, chances in found.items()}


def test_tw_10_to_17_mid_battle_answers_are_those_of_the_naive_tree() -> None:
    dice = random.Random(3)
    compared = {"card": 0, "size": 0}
    while min(compared.values()) < 12:
        pack = [joker for joker in ("X1", "X2") if dice.random() < 0.3] + dice.sample(PACK[:52], 9)
        cards = dice.sample(pack[:8], 8)
        mine = cards[:3]
        deck = cards[3:]
        leads = dice.random() < 0.5
        played = dice.choice(ways_to_play(mine))
        theirs = dice.choice(ways_to_play(deck[:3]))
        ply = dice.randint(1, 6)
        first, second = (ply + 1) // 2, ply // 2
        played, theirs = (played[:first], theirs[:second]) if leads else (played[:second], theirs[:first])
        sides = [played, theirs] if leads else [theirs, played]
        size = dice.choice([None, 0, 1, 2])
        asked = {
            "hand": " ".join(card for card in mine if card not in [one.split(":")[0] for one in played]),
            "played": " ".join(played), "their_played": " ".join(theirs),
            "their_deck": " ".join(deck) if len(theirs) < 3 else "",
            "leader": "me" if leads else "them", "size": None if size is None else "LMS"[size],
        }  # fmt: skip
        try:
            answer = ask_move(**asked)
        except IllegalAction:
            continue
        choose = answer.decides == "size"
        if choose:
            who = adder(*sides, second - 1, False) or loser_of_battle(*sides)
            assert size is None and (who == "leader") == leads
        wanted = naive(mine, deck, played, theirs, leads, size, choose)
        assert {one.play: one.win for one in answer.plays} == pytest.approx(wanted, abs=1e-9)
        assert answer.plays[0].win == pytest.approx(max(wanted.values()))
        compared[answer.decides] += 1
