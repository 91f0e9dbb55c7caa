"""The study `renege`: hands of two cards against the naive rules, and what the numbers have to obey."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.studies.renege import PARAMETERS, run_chunk, two_card_plays


def naive_tricks(led: str, other: str, dealer: tuple[str, ...]) -> tuple[int, int]:
    """The dealer's tricks after a lead: the best legal reply, the best renege or -1."""
    legal = naive.legal_replies(frozenset(dealer), led, "S")
    found = {}
    for card, last in (dealer, dealer[::-1]):
        took = not naive.leader_wins(led, card, "S")
        found[card] = took + (naive.leader_wins(last, other, "S") if took else not naive.leader_wins(other, last, "S"))
    return max(found[card] for card in legal), max((found[card] for card in dealer if card not in legal), default=-1)


def test_tb_22_every_pair_of_two_card_hands_is_counted_by_the_rules() -> None:
    wanted, honest_tricks = set[tuple[int, ...]](), [0, 0, 0]
    for number, leader in enumerate(combinations(naive.PACK, 2)):
        for dealer in combinations([card for card in naive.PACK if card not in leader], 2):
            found = [naive_tricks(lead, other, dealer) for other, lead in (leader, leader[::-1])]
            least = min(honest for honest, _ in found)
            wanted |= {pair for pair in found if pair[0] == least}  # of equal leads either may be the one
            honest_tricks[least] += 1
            assert number % 20 or least == 2 - naive.leader_tricks(frozenset(leader), frozenset(dealer), "S")
    plays = two_card_plays()
    assert len(plays) == 276 * 231 and set(map(tuple, plays.to_numpy().tolist())) <= wanted
    assert plays.honest.value_counts().sort_index().tolist() == honest_tricks


def test_tb_24_the_more_is_noticed_the_less_a_renege_gains() -> None:
    table = run_chunk(0, np.random.SeedSequence(1), PARAMETERS)
    assert (table[table.cards == 1].gain_points == 0).all()
    for _, part in table[table.cards == 2].groupby("bidder"):
        assert part.gain_points.is_monotonic_decreasing and part.gain_points.iloc[0] > 0
        assert part.gain_points.iloc[-1] == 0 and (part.share_gains <= part.share_able).all()
        assert -part.loss_points_if_always.iloc[0] <= part.gain_points.iloc[0] + 1e-12
        assert part.loss_points_if_always.iloc[-1] > 0
    assert table.share_able.max() == pytest.approx(table[table.cards == 2].share_able.min())
