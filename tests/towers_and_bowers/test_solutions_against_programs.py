"""The whole hand with hidden hands against a linear program, and its best responses against a recursion on card texts.

What the solver finds is bracketed without trusting it: whatever strategies it has, the value of the game lies between
what its non-dealer is sure of and what its dealer lets the best non-dealer have. The linear program knows neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import slow
from tests.oracles.hidden_play import best_value, value_by_linear_program
from tests.oracles.naive_equilibrium import PLAYERS, Game, SolverOdds
from towerlab.games.cards import DECK_24, RANKS, parse_mask
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandSolver, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.arrays import count_deals
from towerlab.solver.towers_and_bowers.whole_hand.solve import best_response_values

NEXT_DEAL = 0.8551
SEVEN = "QS JC 9S AH KH AD 9C"
PACKS = {SEVEN + " TD": "QS", "JS JC 9S AC AH JH JD 9D": "JS"}


def solved(up: str, cards: int, next_deal: float, iterations: int, pack: str | None = None) -> HandSolver:
    mask = DECK_24 if pack is None else parse_mask(pack)
    solver = HandSolver(hand_game(cards, RANKS.index(up[0]), next_deal, pack=mask))
    solver.run(iterations)
    return solver


def responses(solver: HandSolver, up: str, responder: int) -> Any:
    return best_response_values(solver.game, solver.strategy(), responder)


def bounds(solver: HandSolver, up: str) -> tuple[float, float]:
    """Between what the non-dealer's value of the game lies: their distance is the exploitability."""
    most, least = (responses(solver, up, responder).sum() / count_deals(solver.game) for responder in (0, 1))
    return 1 - float(least), float(most)


def small_game(up: str, cards: int, next_deal: float, pack: str) -> Game:
    return Game(cards, up, next_deal, frozenset(pack.split()))


# ------------------------------------------------------------------------------------------------ the value of the game


@pytest.mark.parametrize("up", [*(RANKS[rank] + "S" for rank in UP_RANKS), "JH", "9C"])
def test_one_card_agrees_with_a_linear_program_in_any_suit(up: str) -> None:
    value = value_by_linear_program(Game(1, up, 0.0))
    low, high = bounds(solved(up, 1, 0.0, 100), up)  # the solver's own up-card is the spade of that rank
    assert low - 1e-9 < value < high + 1e-9
    assert high - low < 1e-9


@pytest.mark.parametrize(
    ("cards", "pack", "iterations", "gain"), [*((2, pack, 200, 1e-7) for pack in PACKS), slow(3, SEVEN, 20, 1e-3)]
)
def test_hands_of_a_small_pack_agree_with_a_linear_program(cards: int, pack: str, iterations: int, gain: float) -> None:
    up = PACKS.get(pack, "QS")
    value = value_by_linear_program(small_game(up, cards, NEXT_DEAL, pack))
    solver = solved(up, cards, NEXT_DEAL, iterations, pack)
    low, high = bounds(solver, up)
    assert low - 1e-9 < value < high + 1e-9
    assert 0 <= high - low < gain
    assert solver.value == pytest.approx(value, abs=gain)


# ----------------------------------------------------------------------------------------------------- best responses


@pytest.mark.parametrize(("responder", "player"), list(enumerate(PLAYERS)))
def test_best_responses_agree_with_a_recursion_over_beliefs(responder: int, player: str) -> None:
    """Three iterations leave much to exploit, and mixed play everywhere."""
    solver = solved("JS", 2, NEXT_DEAL, 3)
    game = Game(2, "JS", NEXT_DEAL)
    odds = SolverOdds(solver.game, "JS", solver.strategy())
    values = responses(solver, "JS", responder)
    hands = game.hands()
    for number in (17, 101, 252):
        assert best_value(game, odds, player, hands[number]) == pytest.approx(values[number], rel=1e-12)


# ------------------------------------------------------------------------------------------------------- what must hold


def test_mirrored_hands_are_worth_the_same_to_a_best_response() -> None:
    solver = HandSolver(hand_game(2, 9, NEXT_DEAL, mirror=True))
    solver.run(3)
    low, high = bounds(solver, "JS")
    assert low + 1e-6 < high
    images = solver.game.mirror_set[2, : int(solver.game.sets[2])]
    for responder in range(2):
        values = responses(solver, "JS", responder)
        assert np.allclose(values, values[images], rtol=1e-9)
    assert (images != np.arange(len(images))).sum() > 100
