"""The claim prover against a search over explicit layouts, against strategies written out, and under symmetry."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import exhaustive
from tests.oracles import hidden_hands as oracle
from tests.oracles.claim_beliefs import CLAIMANT, belief_of, play_mask
from tests.oracles.hidden_positions import two_handed_cases
from tests.oracles.naive import PACK
from towerlab.games.cards import mask_cards
from towerlab.games.errors import CardError
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.search import guaranteed_tricks, play_values, possible_tricks, principal_variation


@pytest.mark.parametrize(("count", "most_cards"), [(200, 3), (60, 4), exhaustive(1500, 5)])
def test_tb_29_prover_equals_a_search_over_explicit_layouts(count: int, most_cards: int) -> None:
    seen = set()
    for game, state, belief in two_handed_cases(count, most_cards, seed=1):
        expected = oracle.value(state, game)
        assert guaranteed_tricks(belief) == expected, state
        seen.add((expected, not belief.trick, belief.turn))
    assert len(seen) > 10  # every kind of position, with different answers


def test_tb_30_possible_tricks_equal_the_most_over_every_hand_and_continuation() -> None:
    answers = set()
    for game, state, belief in two_handed_cases(120, 4, seed=4, most_layouts=40):
        expected = oracle.value(state, game._replace(cooperative=True))
        assert possible_tricks(belief) == expected, state
        answers.add(expected)
    assert answers >= {0, 1, 2, 3, 4}


def test_the_value_is_that_of_the_best_play_and_of_the_worst_answer() -> None:
    for _, _, belief in two_handed_cases(300, 5, seed=6, most_layouts=None):
        best = (max if belief.turn == CLAIMANT else min)(play_values(belief).values())
        assert guaranteed_tricks(belief) == best


def test_a_principal_variation_takes_exactly_the_guarantee() -> None:
    for _, _, start in two_handed_cases(200, 5, seed=7, most_layouts=None):
        belief = start
        taken = 0
        line = principal_variation(belief)
        assert len(line) == 2 * belief.tricks - len(belief.trick)
        for play in line:
            assert play in belief.plays()
            belief, won = belief.after(play)
            assert belief.layouts >= 1
            taken += won
        assert taken == guaranteed_tricks(start)


beliefs = st.integers(0, 2**32).map(lambda seed: two_handed_cases(1, 7, seed, None, 8)[0].belief)


@given(beliefs, st.integers(0, 2**32))
def test_more_knowledge_never_lowers_the_guarantee(belief: Belief, seed: int) -> None:
    """And what is guaranteed is possible."""
    before = guaranteed_tricks(belief)
    assert 0 <= before <= possible_tricks(belief) <= belief.tricks
    assume(belief.pools[0])
    card = 1 << random.Random(seed).choice(mask_cards(belief.pools[0]))
    gone = replace(belief, pools=(belief.pools[0] & ~card,))
    if gone.layouts:
        assert guaranteed_tricks(gone) >= before
        assert possible_tricks(gone) <= possible_tricks(belief)
    held = replace(gone, own=(belief.own[0], belief.own[1] | card))
    if held.layouts:
        assert guaranteed_tricks(held) >= before
        assert possible_tricks(held) <= possible_tricks(belief)


def test_impossible_knowledge_is_refused() -> None:
    with pytest.raises(CardError, match="no layout"):
        guaranteed_tricks(belief_of(play_mask(PACK[:1], "C"), 0, 0))


@given(beliefs)
def test_playing_conserves_the_cards(belief: Belief) -> None:
    for play in play_values(belief):
        left, _ = belief.after(play)
        before, after = (one.known | one.pools[0] for one in (belief, left))
        assert before & play and not after & (play | ~before)
        assert left.layouts >= 1
        assert left.size(0) + left.size(1) + 1 == belief.size(0) + belief.size(1)
