"""The claim prover against a search over explicit layouts, against strategies written out, and under symmetry."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import exhaustive, slow
from tests.oracles import claims as oracle
from tests.oracles.naive import MATES, PACK
from tests.oracles.tb_claims import CLAIMANT, Position, belief_of, play_mask, positions, random_position
from towerlab.games.cards import SUITS
from towerlab.games.errors import CardError
from towerlab.solver.claims.search import guaranteed_tricks, play_values, possible_tricks, principal_variation


@pytest.mark.parametrize(
    ("count", "most_cards", "most_pool"),
    [
        (800, 3, 7),
        (150, 4, 7),
        slow(150, 5, 8),
        exhaustive(1500, 5, 8),
    ],
)
def test_tb_29_prover_equals_a_search_over_explicit_layouts(count: int, most_cards: int, most_pool: int) -> None:
    seen = set()
    for position in positions(count, most_cards, most_pool, seed=1):
        expected = oracle.guaranteed(position.hand, position.layouts, *position.rest)
        assert guaranteed_tricks(position.belief) == expected, position
        seen.add((expected, position.led is None, position.turn))
    assert len(seen) > 10  # every kind of position, with different answers


def test_tb_30_possible_tricks_equal_the_most_over_every_hand_and_continuation() -> None:
    answers = set()
    for position in positions(1500, 4, 6, seed=4):
        expected = max(oracle.possible(position.hand, theirs, *position.rest) for theirs in position.layouts)
        assert possible_tricks(position.belief) == expected, position
        answers.add(expected)
    assert answers >= {0, 1, 2, 3, 4}


def test_the_value_is_that_of_the_best_play_and_of_the_worst_answer() -> None:
    for position in positions(300, 5, 9, seed=6):
        belief = position.belief
        best = (max if belief.turn == CLAIMANT else min)(play_values(belief).values())
        assert guaranteed_tricks(belief) == best


def test_a_principal_variation_takes_exactly_the_guarantee() -> None:
    for position in positions(200, 5, 9, seed=7):
        belief, taken = position.belief, 0
        line = principal_variation(belief)
        assert len(line) == 2 * belief.tricks - len(belief.trick)
        for play in line:
            assert play in belief.plays()
            belief, won = belief.after(play)
            assert belief.layouts >= 1
            taken += won
        assert taken == guaranteed_tricks(position.belief)


position_seeds = st.integers(0, 2**32).map(lambda seed: random_position(random.Random(seed), 7, 16))


@given(position_seeds, st.permutations(range(2)))
def test_renaming_the_suits_changes_nothing(position: Position, plain: list[int]) -> None:
    """Any suit may be the trump, its mate goes with it, and the two plain suits may change places."""
    for trump in SUITS:
        old_plain = [suit for suit in SUITS if suit not in (position.trump, MATES[position.trump])]
        new_plain = [suit for suit in SUITS if suit not in (trump, MATES[trump])]
        rename = {position.trump: trump, MATES[position.trump]: MATES[trump]}
        rename |= {old: new_plain[i] for old, i in zip(old_plain, plain, strict=True)}

        def move(cards: Iterable[str], rename: dict[str, str] = rename) -> frozenset[str]:
            return frozenset(card[0] + rename[card[1]] for card in cards)

        led = None if position.led is None else next(iter(move([position.led])))
        moved = Position(move(position.hand), move(position.sure), move(position.pool), led, position.turn, trump)
        assert guaranteed_tricks(moved.belief) == guaranteed_tricks(position.belief)
        assert possible_tricks(moved.belief) == possible_tricks(position.belief)


@given(position_seeds, st.integers(0, 2**32))
def test_more_knowledge_never_lowers_the_guarantee(position: Position, seed: int) -> None:
    belief, draw = position.belief, random.Random(seed)
    before = guaranteed_tricks(belief)
    assume(position.pool)
    card = play_mask([draw.choice(sorted(position.pool))], position.trump)
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


@given(position_seeds)
def test_what_is_guaranteed_is_possible(position: Position) -> None:
    belief = position.belief
    assert 0 <= guaranteed_tricks(belief) <= possible_tricks(belief) <= belief.tricks


@given(position_seeds)
def test_playing_conserves_the_cards(position: Position) -> None:
    belief = position.belief
    for play in play_values(belief):
        left, _ = belief.after(play)
        before, after = (one.known | one.pools[0] for one in (belief, left))
        assert before & play and not after & (play | ~before)
        assert left.layouts >= 1
        assert left.size(0) + left.size(1) + 1 == belief.size(0) + belief.size(1)
