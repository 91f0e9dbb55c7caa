"""The last cards with hidden hands against a linear program on words, written from the rules."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest

from tests.oracles.naive_endings import NaiveEnding, Own, Played, drawn_ending, mask_of
from towerlab.games.cards import SUITS, card_text, parse_card
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.endings import TARGET, Ending, Outside, SolvedEnding, solve_ending

FEW, MANY = (60, 12), (300, 60)  # endings of two and three cards


def _state(own: Own) -> tuple[int, int]:
    return mask_of(own.held), mask_of(frozenset({own.away} - {""}))


def _as_ending(naive: NaiveEnding) -> Ending:
    up, led = (parse_card(card) if card else None for card in (naive.up, naive.led))
    unseen = mask_of(frozenset(naive.unseen) - {naive.up})
    trump = SUITS.index(naive.trump)
    return Ending(trump, unseen, naive.cards, naive.leader, naive.payoffs, naive.hides, up, led)


def _solved(naive: NaiveEnding, target: float = TARGET) -> tuple[SolvedEnding, list[dict[tuple[int, int], int]]]:
    """The ending solved, and by player the places of the states."""
    ending, weights, places = _as_ending(naive), [], []
    for player in range(2):
        states = [(hand, away) for hand, away in ending.states(player).tolist()]
        places.append({state: place for place, state in enumerate(states)})
        of_states = np.zeros(len(states))
        for own, weight in naive.ranges[player].items():
            of_states[places[player][_state(own)]] = weight
        weights.append(of_states)
    return solve_ending(ending, (weights[0], weights[1]), target, seconds=60), places


@pytest.mark.parametrize(
    ("endings", "seed"), [(FEW, 1), pytest.param(MANY, 2, marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("cards", [2, 3])
def test_values_are_those_of_a_linear_program(cards: int, endings: tuple[int, int], seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(endings[cards - 2]):
        naive = drawn_ending(draw, cards, most_hands=8, unseen=draw.randint(2 * cards + 1, 11))
        found = _solved(naive)[0]
        assert found.gain <= TARGET
        assert found.value == pytest.approx(naive.value_by_linear_program(), abs=TARGET), naive


@pytest.mark.parametrize("cards", [2, 3])
def test_gains_are_those_of_best_answers_on_words(cards: int) -> None:
    draw = random.Random(3)
    for _ in range(6):
        naive = drawn_ending(draw, cards, most_hands=5, unseen=9)
        found, places = _solved(naive, target=1.0)

        def mix(own: Own, played: Played, found: SolvedEnding = found) -> dict[str, float]:
            cards = [parse_card(card) for card in played]
            hand, away = _state(Own(own.held - set(played), own.away))
            return {card_text(card): share for card, share in found.mix(hand, away, cards).items()}

        gains, whole = 0.0, sum(weight for *_, weight in naive.pairs())
        for player in range(2):
            for own in naive.ranges[player]:
                beside = sum(pair[2] for pair in naive.pairs() if pair[player] == own)
                if beside:
                    best = naive.best_answer(player, own, mix)
                    place = places[player][_state(own)]
                    assert found.values[player][place] == pytest.approx(best, abs=1e-9)
                    gains += beside * best / whole
                    _check_cards(naive, found, player, own, best)
        assert found.gain == pytest.approx(gains - 1, abs=1e-9)


def _check_cards(naive: NaiveEnding, found: SolvedEnding, player: int, own: Own, best: float) -> None:
    """The best card of who is to play is worth what the hand is."""
    if player == (naive.leader if not naive.led else 1 - naive.leader):
        cards = found.card_values(*_state(own))
        played = (naive.led,) if naive.led else ()
        assert set(map(card_text, cards)) == set(naive.actions(own, played))
        assert max(cards.values()) == pytest.approx(best, abs=1e-9)


def test_with_what_hands_had_no_hand_wins_more_than_that() -> None:
    """The gadget: what is found for the other player leaves no hand more than it had, also those thought unlikely."""
    draw, found_more = random.Random(4), 0
    for _ in range(8):
        naive = drawn_ending(draw, 2, most_hands=8, unseen=10)
        ending, player = _as_ending(naive), draw.randrange(2)
        every = tuple(np.ones(len(ending.states(seat))) for seat in range(2))
        had = solve_ending(ending, every, 1e-5).values[player]
        narrow = np.array([draw.random() ** 8 + 1e-9 for _ in had])
        ranges = (narrow, every[1]) if player == 0 else (every[0], narrow)
        plain = solve_ending(ending, ranges, 1e-5)
        safe = solve_ending(ending, (every[0], every[1]), 1e-5, outside=Outside(player, had))
        found_more += bool((plain.values[player] > had + 2e-3).any())
        assert (safe.values[player] <= had + 1e-3).all()
    assert found_more > 0


def test_what_is_no_ending_is_refused() -> None:
    ending = Ending(0, mask_of(frozenset({"JS", "JC", "AC", "KC", "9D"})), 1, 0, (0.0, 1.0))
    with pytest.raises(TowerlabError, match="an ending of 1 cards is not solved; expected 2 to 4"):
        solve_ending(ending, (np.ones(5), np.ones(5)))
    ending = Ending(0, ending.unseen, 2, 0, (0.0, 0.5, 1.0))
    empty = functools.partial(np.zeros, len(ending.states(0)))
    with pytest.raises(TowerlabError, match="leave no pair of hands"):
        solve_ending(ending, (empty(), np.ones(len(ending.states(1)))))
