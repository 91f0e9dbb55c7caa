"""The whole hand of one to three cards as a game of hidden information: solutions and how exploitable they are."""

from __future__ import annotations

from fractions import Fraction

import pytest

from towerlab.games.cards import DECK_24, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.rules import card_led_wins
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandSolver, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.arrays import UP_SUIT
from towerlab.solver.towers_and_bowers.whole_hand.solve import exploitability


@pytest.mark.parametrize("rank", UP_RANKS)
def test_one_card_is_worth_what_the_accepted_game_gives(rank: int) -> None:
    """At odd n either player can force the accepted game; with one card that is a race against the up-card."""
    up = 13 * UP_SUIT + rank
    others = mask_cards(DECK_24 & ~(1 << up))
    beating = sum(bool(card_led_wins(1 << card, 1 << up, UP_SUIT)) for card in others)
    solver = HandSolver(hand_game(1, rank, 0.0))
    solver.run(100)
    assert solver.value == pytest.approx(float(Fraction(beating, 23)), abs=1e-12)
    assert 0 <= exploitability(solver.game, solver.strategy()) < 1e-9


def test_two_cards_become_less_and_less_exploitable() -> None:
    solver = HandSolver(hand_game(2, 10, 0.8551))
    found = []
    for steps in (5, 20, 75):
        solver.run(steps)
        found.append(exploitability(solver.game, solver.strategy()))
    assert found[0] > 3 * found[1] > 9 * found[2] > 0
    assert found[2] < 2e-5


def test_larger_hands_are_refused() -> None:
    with pytest.raises(TowerlabError, match=r"expected 1\.\.4"):
        hand_game(5, 10, 0.7)
