"""Hands whose cards are shown after some tricks: against a recursion, a linear program and the solved game."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.naive_equilibrium import (
    DEALER,
    NONDEALER,
    OpenedGame,
    Own,
    SolverOdds,
    best_value,
    value_by_linear_program,
)
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding, load_model_bidding
from towerlab.games.cards import RANKS, card_text, parse_card, parse_mask
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, Schedule, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.best_response import best_calls
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import card_numbers

NEXT_DEAL = 0.6674
PACKS = {"QS": "QS JC 9S AH KH AD 9C TD", "JS": "JS JC 9S AC AH JH JD 9D"}


@pytest.mark.parametrize(
    ("up", "cards", "hidden", "moves"),
    [("QS", 2, 0, False), ("JS", 2, 1, True), ("QS", 3, 1, False), ("JS", 3, 0, True)],
)
def test_a_small_pack_agrees_with_a_recursion_and_a_linear_program(
    up: str, cards: int, hidden: int, moves: bool
) -> None:
    rank = RANKS.index(up[0])
    game = hand_game(cards, rank, NEXT_DEAL, pack=parse_mask(PACKS[up]), hidden_tricks=hidden)
    numbers = [card_text(card) for card in card_numbers(rank)]
    hands = {
        frozenset(numbers[card] for card in game.members[cards, hand, :cards].tolist()): hand
        for hand in np.flatnonzero(game.dealt).tolist()
    }
    solver = HandSolver(game)
    moved = np.random.default_rng(cards).normal(0, 0.1, (2, int(game.sets[cards]), 8, cards))
    if moves:
        solver.passes.moved = moved
    solver.run(20)

    def adds(one: Own, other: Own, history: tuple[str, ...]) -> float:
        calls = [word for word in history if len(word) == 1 or word in ("accept", "pass")]
        suits = 3 * (len(calls) - 2) - 1  # named by the non-dealer from 2 on, by the dealer from 5
        contract = calls.count("pass") if calls[-1] == "accept" else suits + "CDH".index(calls[-1])
        held = sorted(other.dealt, key=parse_card)
        place = held.index(other.discard) if other.discard else 0
        ours, theirs = (hands[frozenset(own.dealt)] for own in (one, other))
        return float(moved[0, ours, contract, 0] + moved[1, theirs, contract, place])

    naive = OpenedGame(
        cards, up, NEXT_DEAL, frozenset(PACKS[up].split()), hidden_tricks=hidden, moved=adds if moves else None
    )
    odds = SolverOdds(game, up, solver.strategy())
    for seat, player in enumerate((NONDEALER, DEALER)):
        won = best_calls(game, solver.best_plays(solver.bids(), seat), seat)[0]
        for own in naive.hands()[::3]:
            expected = best_value(naive, odds, player, own)
            assert won[hands[frozenset(own.dealt)]] == pytest.approx(expected, abs=1e-9)
    found = solver.measure()
    if cards == 2:
        low, high = found.nondealer - found.dealer_gain, found.nondealer + found.nondealer_gain
        assert low - 1e-9 < value_by_linear_program(naive) < high + 1e-9


@pytest.mark.parametrize("cards", [2, 3])
def test_who_shows_the_last_card_alone_plays_the_game(cards: int) -> None:
    random, found, learnt = np.random.default_rng(cards), [], np.zeros(0)
    for hidden in (None, cards - 1):
        game = hand_game(cards, 11, NEXT_DEAL, pack=parse_mask(PACKS["JS"] + " KS"), hidden_tricks=hidden)
        solver = HandSolver(game)
        learnt = learnt if len(learnt) else random.random(game.play_size)
        solver.play.averages[:] = learnt  # both number their decisions alike
        found.append([solver.best_plays(solver.bids(), seat) for seat in (0, 1)])
    assert np.abs(np.subtract(*found)).max() < 1e-9


def test_two_cards_with_a_hidden_trick_are_the_solved_game_and_without_one_the_model() -> None:
    for hidden, stored in ((1, load_bidding(2, 9)), (0, load_model_bidding(2, 9))):
        assert stored is not None
        game = hand_game(2, 9, stored.next_deal or 0.0, mirror=True, hidden_tricks=hidden)
        solver = HandSolver(game, Schedule(alpha=2.0, beta=0.0))
        solver.run(60)
        found = solver.measure()
        assert found.nondealer == pytest.approx(
            1 - stored.dealer, abs=stored.exploitability + found.nondealer_gain + found.dealer_gain + 1e-9
        )
