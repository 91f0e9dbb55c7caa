"""The report's rule as it is printed, read a second time: a program written from the sentences alone, card by card."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.conftest import exhaustive, slow
from towerlab.analysis.tower_war.studies import DRAFT, IN_PLAY, RULES, STACK, TIES
from towerlab.games.cards import card_text, mask_cards
from towerlab.games.tower_war import TowerWar, TowerWarOptions
from towerlab.sim.tower_war import PLAYERS
from towerlab.sim.tower_war.seats import SeatedPlayer

COUNT = {"X": 11, "A": 6, "K": 4, "Q": 3, "J": 2, "T": 1}
HIGH = "23456789TJQKA X"


def count(cards):
    return sum(COUNT.get(card[0], 0) for card in cards)


def height(card):
    """Rank, then spades, hearts, diamonds, clubs; of the jokers the second."""
    return HIGH.index(card[0]), "CDHS12".index(card[1])


def descending(cards):
    return sorted(map(height, cards), reverse=True)


def split(cards):
    """The piles: counts nearest, then as `TIES` says."""

    def liked(pile):
        other = [card for card in cards if card not in pile]
        less, more = sorted((pile, other), key=count)
        fewer = min(pile, other, key=len)
        lying = len(less) if count(less) != count(more) else -abs(len(less) - len(more))
        return -(count(more) - count(less)), lying, descending(fewer)

    return max((list(some) for n in (1, 2) for some in combinations(cards, n)), key=liked)


def take(piles):
    return max((0, 1), key=lambda place: (count(piles[place]), descending(piles[place])))


def build(cards):
    return sorted(cards, key=lambda card: (count([card]), height(card)), reverse=True)[:15]


def points(card):
    return int(card[0]) if card[0].isdigit() else 10


def value(shown, played):
    product = points(shown)
    for card in played:
        product *= points(card) if card[1] == shown[1] else 1
    return product


def play(legal, mine, against):
    """Of (card, card as played), jokers' copies in the order in which they were played; `against` is led, or None."""

    def judged(option):
        worth = value(option[1], mine), HIGH.index(option[1][0])
        liked = (worth <= against, *worth) if against is not None else tuple(-part for part in worth)
        return *liked, "CDHSX".index(option[0][option[0][0] != "X"]), legal.index(option)

    return min(legal, key=judged)


def test_the_sentences_are_the_ones_that_are_read_here():
    assert DRAFT == ("count joker 11, ace 6, king 4, queen 3, jack 2, ten 1, others nothing. Make two piles that "
                     "count as nearly the same as can be; of two piles take the one that counts more; build your deck "
                     "of the cards that count most")  # fmt: skip
    assert TIES.startswith("Of splits equally near, the pile that counts less gets as many cards as it can; if both")
    assert "answer with the lowest value that wins, else with the lowest. " in IN_PLAY
    assert "the size of which you hold most, of equal ones the largest" in STACK


@pytest.mark.parametrize("games", [slow(12), exhaustive(400)])
def test_the_program_that_is_measured_plays_what_the_sentences_say(games, monkeypatch):
    monkeypatch.setitem(PLAYERS, "card", RULES["card"])
    player = SeatedPlayer("card", TowerWarOptions())
    random = np.random.default_rng(3)
    asked = dict.fromkeys(("split", "take", "build", "play", "add", "cap"), 0)
    for _ in range(games):
        war = TowerWar(TowerWarOptions())
        while war.result is None:
            if war.to_act is None:
                war.apply(war.chance(random))
                continue
            view = war.view(war.to_act)
            record = player.choose(view, random)
            said = read(view, record["action"])
            if said is not None:
                asked[record["action"]] += 1
                assert said == {key: as_read(record[key]) for key in said}, (view, record)
            war.apply(record)
    assert min(asked.values()) > games


def as_read(value):
    if isinstance(value, list) and value and isinstance(value[0], list):
        return {frozenset(pile) for pile in value}
    return set(value) if isinstance(value, list) else value


def read(view, action):
    """What the sentences say here."""
    mine, theirs = view.player, 1 - view.player
    names = lambda mask: [card_text(card) for card in mask_cards(mask)]  # noqa: E731
    if action == "split":
        cards = names(view.face_up)
        pile = split(cards)
        return {"piles": {frozenset(pile), frozenset(set(cards) - set(pile))}}
    if action == "take":
        return {"pile": take([names(pile) for pile in view.piles])}
    if action == "build":
        return {"cards": set(build(names(view.pools[mine])))}
    if action == "add":
        stash = list(view.stashes[mine])
        return {"size": "LMS"[stash.index(max(stash))]} if view.top_size is None else None
    if action == "cap":
        lowest = lambda card: (11 if card[0] == "X" else points(card), HIGH.index(card[0]), "CDHS12".index(card[1]))  # noqa: E731
        return {"card": min((card_text(card) for card in view.played[mine] if card is not None), key=lowest)}
    if action != "play":
        return None
    shown = [[card_text(card) for card in view.shown[seat] if card is not None] for seat in (mine, theirs)]
    held = names(view.hand)
    legal = [(card, card) for card in held if card[0] != "X"]
    legal += [(card, copied) for card in held if card[0] == "X" for copied in dict.fromkeys(shown[0])]
    if not legal:
        return None
    against = None
    if mine != view.leader and len(view.shown[theirs]) > len(view.shown[mine]) and view.shown[theirs][-1] is not None:
        against = value(shown[1][-1], shown[1][:-1]), HIGH.index(shown[1][-1][0])
    card, copied = play(legal, shown[0], against)
    return {"card": card} | ({"copies": copied} if card != copied else {})
