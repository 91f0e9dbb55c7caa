"""`towerlab discard`: equal to `upcard` where the dealer accepted, to brute force where the other did."""

from __future__ import annotations

import random

import pytest

from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard import BIDDERS, ask_discard, ask_upcard
from towerlab.games.towers_and_bowers import TowersAndBowersOptions


@pytest.mark.parametrize(("cards", "count"), [(2, 6), (3, 6), (5, 2), (7, 1)])
@pytest.mark.parametrize("method", [None, "pimc"])
def test_tb_10_a_dealer_who_accepted_gives_the_card_that_upcard_says(
    cards: int, count: int, method: str | None
) -> None:
    dice = random.Random(cards)
    for _ in range(count):
        hand = (dealt := dice.sample(naive.PACK, cards + 1))[1:]
        up = dealt[0]
        answer = ask_discard(" ".join(hand), up, "me", method=method)
        accept = ask_upcard(" ".join(hand), up, "dealer", method=method).actions["accept"]
        values = {one.card: one.tower for one in answer.discards}
        if answer.method == "self-play":
            assert values[accept.discard] == accept.tower == max(values.values())
            assert answer.recommend == accept.discard and answer.discards[0].interval[0] == 0
            continue
        assert values[accept.discard] == pytest.approx(accept.tower, abs=1e-9) == max(values.values())
        assert values[answer.recommend] == pytest.approx(max(values.values()), abs=1e-3)


@pytest.mark.parametrize("bidder", BIDDERS)
def test_tb_10_all_hands_alike_each_discard_is_counted_by_brute_force(bidder: str) -> None:
    dice = random.Random(9)
    for cards in (2, 2, 2, 3):
        hand = frozenset((dealt := dice.sample(naive.PACK, cards + 1))[1:])
        up = dealt[0]
        answer = ask_discard(" ".join(hand), up, bidder, method="pimc")
        deals_next = deal_value(cards - 1, TowersAndBowersOptions())
        wanted = {}
        others = naive.hands_of(frozenset(naive.PACK) - hand - {up}, cards)
        for card in hand:
            chances = []
            for other in others:
                lost = naive.leader_tricks(other, (hand | {up}) - {card}, up[1])  # the non-dealer leads
                bidders = cards - lost if bidder == "me" else lost
                i_deal = (2 * bidders > cards) == (bidder == "me")
                next_one = deals_next if i_deal else 1 - deals_next
                chances.append(1.0 if lost == 0 else 0.0 if lost == cards else next_one)
            wanted[card] = sum(chances) / len(chances)
        assert {one.card: one.tower for one in answer.discards} == pytest.approx(wanted, abs=1e-9)
        assert answer.layouts == len(others) and answer.discards[0].tower == pytest.approx(max(wanted.values()))
