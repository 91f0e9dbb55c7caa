"""What calls and discards are worth against a strategy of the whole hand: by a recursion over beliefs on card texts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.call_values import call_values
from tests.oracles.hidden_play import History, best_value
from tests.oracles.naive_equilibrium import DEALER, NONDEALER, Game, Own, SolverOdds
from towerlab.solver.towers_and_bowers.bidding import value_columns
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, hand_game

NEXT_DEAL = 0.855
JACK = 9  # rank
SUITS = "CDH"  # those that can be named beside a spade


def naive_values(game: Game, odds: SolverOdds, own: Own) -> dict[str, float]:
    """By column."""
    every = dict.fromkeys(game.hands(own.dealt), 1.0)

    def called(reach: dict[Own, float], history: History, word: str) -> dict[Own, float]:
        words = {other: game.actions(other, history) for other in reach}
        shares = {other: odds(other, history, words[other])[words[other].index(word)] for other in reach}
        return {other: share * shares[other] for other, share in reach.items() if share * shares[other] > 0}

    def mean(player: str, holds: Own, history: History, reach: dict[Own, float]) -> float:
        return best_value(game, odds, player, holds, history, reach) / sum(reach.values())

    answered = called(every, ("pass",), "pass")
    accepted = called(every, (), "accept")
    passed = called(every, (), "pass")
    left = called(passed, ("pass", "pass"), "pass")
    once = ("pass",)
    twice = ("pass",) * 2
    thrice = ("pass",) * 3
    found = {"accept": mean(NONDEALER, own, ("accept",), every), "pass": mean(NONDEALER, own, once, every)}
    found |= {f"name_{suit}": mean(NONDEALER, own, (*twice, suit), answered) for suit in SUITS}
    found |= {"name_pass": mean(NONDEALER, own, thrice, answered)}
    for place, card in enumerate(own.dealt, 1):
        holds = Own(own.dealt, card)
        found[f"discard_{place}"] = mean(DEALER, holds, ("accept", "discards"), accepted)
        found[f"own_discard_{place}"] = mean(DEALER, holds, (*once, "accept", "discards"), passed)
    found |= {"answer": mean(DEALER, own, (*once, "accept"), passed), "answer_pass": mean(DEALER, own, twice, passed)}
    return found | {f"left_{suit}": mean(DEALER, own, (*thrice, suit), left) for suit in SUITS}


@pytest.mark.parametrize(("cards", "numbers"), [(1, range(23)), (2, (17, 101, 252))])
def test_values_agree_with_a_recursion_over_beliefs(cards: int, numbers: range | tuple[int, ...]) -> None:
    """Three iterations leave mixed play everywhere."""
    solver = HandSolver(hand_game(cards, JACK, NEXT_DEAL))
    solver.run(3)
    game = Game(cards, "JS", NEXT_DEAL)
    odds = SolverOdds(solver.game, "JS", solver.strategy())
    hands = game.hands()
    found = call_values(solver.game, solver.strategy(), np.array(numbers))
    for number, values in zip(numbers, found, strict=True):
        told = dict(zip(value_columns(cards), values.tolist(), strict=True))
        assert told == pytest.approx(naive_values(game, odds, hands[number]), rel=1e-9)


def test_what_the_other_never_does_has_no_value() -> None:
    solver = HandSolver(hand_game(1, JACK, 0.0))
    solver.run(3)
    strategy = solver.strategy()
    strategy.bidding[0] = [1.0, 0.0, 0.0, 0.0]  # they always accept
    values = call_values(solver.game, strategy, np.array([4]))[0]
    known = dict(zip(value_columns(1), ~np.isnan(values), strict=True))
    asked_for = {"accept", "pass", "name_C", "name_D", "name_H", "name_pass", "discard_1"}
    assert {name for name, is_known in known.items() if is_known} == asked_for
