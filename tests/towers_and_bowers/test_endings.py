"""The last cards with hidden hands against a linear program on words, written from the rules."""

from __future__ import annotations

import dataclasses
import functools
import math
import random

import numpy as np
import pytest

from tests.conftest import exhaustive
from tests.oracles.hidden_play import Odds, best_ends, best_value, value_by_linear_program
from tests.oracles.naive_endings import NaiveEnding, Own, Played, drawn_ending, mask_of, odds_of
from towerlab.games.arrays import Bools
from towerlab.games.cards import DECK_24, SUITS, card_text, mask_cards, parse_card
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.ending_solver import (
    TARGET,
    PublicState,
    SolvedEnding,
    solve_consistently,
    solve_ending,
)
from towerlab.solver.towers_and_bowers.whole_hand import Strategy
from towerlab.solver.towers_and_bowers.whole_hand.solve import without_mirror

# endings of two and three cards
FEW = (60, 12)
MANY = (300, 60)


def _state(own: Own) -> tuple[int, int]:
    return mask_of(own.held), mask_of(frozenset({own.away} - {""}))


def _as_ending(naive: NaiveEnding) -> PublicState:
    up, led = (parse_card(card) if card else None for card in (naive.up, naive.led))
    unseen = mask_of(frozenset(naive.unseen) - {naive.up})
    trump = SUITS.index(naive.trump)
    return PublicState(trump, unseen, naive.cards, naive.leader, naive.payoffs, naive.hides, up, led)


def _solved(naive: NaiveEnding, target: float = TARGET) -> tuple[SolvedEnding, list[dict[tuple[int, int], int]]]:
    """The ending solved, and by player the places of the states."""
    ending = _as_ending(naive)
    weights = []
    places = []
    for player in range(2):
        states = [(hand, away) for hand, away in ending.states(player).tolist()]
        places.append({state: place for place, state in enumerate(states)})
        of_states = np.zeros(len(states))
        for own, weight in naive.ranges[player].items():
            of_states[places[player][_state(own)]] = weight
        weights.append(of_states)
    return solve_ending(ending, (weights[0], weights[1]), target, seconds=60), places


@pytest.mark.parametrize(("endings", "seed"), [(FEW, 1), exhaustive(MANY, 2)], ids=["few", "many"])
@pytest.mark.parametrize("cards", [2, 3])
def test_values_are_those_of_a_linear_program(cards: int, endings: tuple[int, int], seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(endings[cards - 2]):
        naive = drawn_ending(draw, cards, most_hands=8, unseen=draw.randint(2 * cards + 1, 11))
        found = _solved(naive)[0]
        assert found.gain <= TARGET
        assert found.value == pytest.approx(value_by_linear_program(naive), abs=TARGET), naive


@pytest.mark.parametrize("cards", [2, 3])
def test_gains_are_those_of_best_answers_on_words(cards: int) -> None:
    draw = random.Random(3)
    for _ in range(6):
        naive = drawn_ending(draw, cards, most_hands=5, unseen=9)
        found, places = _solved(naive, target=1.0)

        gains = 0.0
        whole = sum(weight for *_, weight in naive.deals)
        for player in range(2):
            for own in naive.ranges[player]:
                beside = sum(pair[2] for pair in naive.deals if pair[player] == own)
                if beside:
                    others = naive.others(player, own)
                    best = best_value(naive, odds_of(found), player, own, (), others) / sum(others.values())
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


def _legal(naive: NaiveEnding, player: int, own: Own, line: Played) -> bool:
    """Whether a hand can have played, or seen, these cards."""
    for place, card in enumerate(line):
        mine = naive.standing(line[:place])[0] == player
        if (card not in naive.actions(own, line[:place])) if mine else (card in (*own.held, own.away)):
            return False
    return True


def _after(naive: NaiveEnding, line: Played) -> NaiveEnding:
    """The public state after some cards, with the hands that can have played so."""
    gone = set(line[: len(line) // 2 * 2])
    leader = naive.leader if not gone else naive.standing(line)[0]
    left = [
        {Own(own.held - gone, own.away): 1.0 for own in naive.ranges[player] if _legal(naive, player, own, line)}
        for player in range(2)
    ]
    return dataclasses.replace(
        naive,
        leader=leader,
        payoffs=naive.payoffs[naive.standing(line)[1] :][: naive.cards - len(gone) // 2 + 1],
        led=line[-1] if len(line) % 2 else "",
        up="" if naive.up in gone else naive.up,
        unseen=tuple(card for card in naive.unseen if card not in gone),
        ranges=(left[0], left[1]),
    )


def _possible(naive: NaiveEnding) -> tuple[Bools, Bools]:
    """By player, which of `PublicState.states` are in its range."""
    ending = _as_ending(naive)
    reached = [set(map(_state, of)) for of in naive.ranges]
    found = [np.array([tuple(state) in reached[seat] for state in ending.states(seat).tolist()]) for seat in range(2)]
    return found[0], found[1]


def test_after_some_cards_values_are_those_of_best_answers_to_the_same_strategies() -> None:
    draw = random.Random(5)
    checked = [0, 0, 0]
    while min(checked[1:]) < 6:
        naive = drawn_ending(draw, 3, most_hands=6, unseen=11)
        if naive.led or not naive.deals:
            continue
        owns = draw.choice(naive.deals)[:2]
        line = ()
        for _ in range(draw.choice((1, 2))):
            line = (*line, draw.choice(naive.actions(owns[naive.standing(line)[0]], line)))
        child = _after(naive, line)
        whole = _solved(naive, target=1e-3)[0]

        odds = odds_of(whole)

        def played_with(other: Own, before: Played, card: str, naive: NaiveEnding = naive, odds: Odds = odds) -> float:
            actions = naive.actions(other, before)
            return odds(other, before, actions)[actions.index(card)]

        ending = _as_ending(child)
        states = [list(map(tuple, ending.states(player).tolist())) for player in range(2)]
        found: SolvedEnding | None = whole
        for place, card in enumerate(line):
            after = _after(naive, line[: place + 1])
            found = found and found.after_card(_as_ending(after), parse_card(card), _possible(after))
        for player in range(2):
            for own in naive.ranges[player]:
                others = {pair[1 - player]: pair[2] for pair in naive.deals if pair[player] == own}
                for place, card in enumerate(line):
                    if naive.standing(line[:place])[0] != player:
                        others = {
                            other: weight * played_with(other, line[:place], card)
                            for other, weight in others.items()
                            if _legal(naive, 1 - player, other, line[: place + 1])
                        }
                others = {other: weight / naive.ranges[player][own] for other, weight in others.items() if weight > 0}
                if sum(others.values()) < 1e-6 or not _legal(naive, player, own, line) or found is None:
                    continue
                best = best_value(naive, odds, player, own, line, others) / sum(others.values())
                state = _state(Own(own.held - set(line[: len(line) // 2 * 2]), own.away))
                assert found.values[player][states[player].index(state)] == pytest.approx(best, abs=1e-9)
                if naive.standing(line)[0] == player:
                    assert max(found.card_values(*state).values()) == pytest.approx(best, abs=1e-9)
                    led = [parse_card(card) for card in line[len(line) // 2 * 2 :]]
                    shares = {card_text(card): share for card, share in found.mix(*state, led).items()}
                    assert [*shares.values()] == odds(own, line, [*shares])
                    means = found.mean_values(*state, child.payoffs)
                    for card, value in means.items():
                        later = (*line, card_text(card))
                        follow, _ = best_ends(naive, odds, player, own, later, others, odds)
                        assert value == pytest.approx(follow / sum(others.values()), abs=1e-9)
                checked[len(line)] += 1


@pytest.mark.parametrize("hides", [False, True])
def test_the_mirror_leaves_values_and_gains_as_they_are(hides: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    up = parse_card("KD")
    ranges = []
    ending = PublicState(
        2 if not hides else 1, DECK_24 & ~(1 << up), 2, 0, (0.0, 0.3, 1.0), hides, up if hides else None
    )
    for player in range(2):
        ranks = np.array([sum(card % 13 for card in mask_cards(hand)) for hand, _ in ending.states(player).tolist()])
        ranges.append(1 / ranks)
    mirrored = solve_ending(ending, (ranges[0], ranges[1]), most=12)
    monkeypatch.setattr(SolvedEnding, "_is_symmetric", lambda *_: False)
    plain = solve_ending(ending, (ranges[0], ranges[1]), most=12)
    assert plain.value == pytest.approx(mirrored.value, abs=plain.gain + mirrored.gain)
    assert (mirrored.game.uses_mirror, plain.game.uses_mirror) == (True, False)
    stored = Strategy(np.zeros(0), mirrored.play.averages)
    plain.play.averages[:] = without_mirror(mirrored.game, plain.game, stored).play
    plain.measure()
    assert (plain.value, plain.gain) == pytest.approx((mirrored.value, mirrored.gain), abs=1e-9)
    for player in range(2):
        np.testing.assert_allclose(plain.values[player], mirrored.values[player], atol=1e-9)


def test_with_what_hands_had_no_hand_wins_more_than_that() -> None:
    """The gadget: what is found for the other player leaves no hand more than it had, also those thought unlikely."""
    draw = random.Random(4)
    found_more = 0
    for _ in range(3):
        naive = drawn_ending(draw, 2, most_hands=8, unseen=10)
        ending = _as_ending(naive)
        player = draw.randrange(2)
        every = tuple(np.ones(len(ending.states(seat))) for seat in range(2))
        had = solve_ending(ending, (every[0], every[1]), 1e-5).values
        narrow = np.array([draw.random() ** 8 + 1e-9 for _ in had[player]])
        ranges = (narrow, every[1]) if player == 0 else (every[0], narrow)
        plain = solve_ending(ending, ranges, 1e-5)
        safe = solve_consistently(ending, (every[0], every[1]), had)
        found_more += bool((plain.values[player] > had[player] + 2e-3).any())
        for seat in range(2):
            assert (safe.values[seat] <= had[seat] + 1e-3).all()
    assert found_more > 0


@pytest.mark.parametrize("rest", [0.0, 1e-12])
def test_a_hand_that_the_other_never_meets_has_no_value(rest: float) -> None:
    """Also where it meets so little that rounding would decide, now and after a card."""
    ending = PublicState(0, mask_of(frozenset({"JS", "TS", "AC", "KC", "9D", "9C"})), 3, 0, (0.0, 0.3, 0.6, 1.0))
    masks = ending.states(0)[:, 0]
    lone = masks == mask_of(frozenset({"JS", "TS", "AC"}))
    found = solve_ending(ending, (np.where(lone, 1.0, rest), np.ones(len(masks))))
    meets = masks & masks[lone] == 0
    assert np.isfinite(found.values[1]).tolist() == meets.tolist()
    for card in (parse_card("JS"), parse_card("AC")):
        led = dataclasses.replace(ending, led=card)
        later = found.after_card(led, card, (led.states(0)[:, 0] >= 0, masks >> card & 1 == 0))
        if later is not None and found.mix(int(masks[lone][0]))[card] > 1e-3:
            assert np.isfinite(later.values[1]).tolist() == meets.tolist()
            for hand, met in zip(masks.tolist(), meets.tolist(), strict=True):
                if not hand >> card & 1:
                    assert set(map(math.isfinite, later.card_values(hand).values())) == {met}


def test_what_is_no_ending_is_refused() -> None:
    ending = PublicState(0, mask_of(frozenset({"JS", "JC", "AC", "KC", "9D"})), 1, 0, (0.0, 1.0))
    with pytest.raises(TowerlabError, match="an ending of 1 cards is not solved; expected 2 to 4"):
        solve_ending(ending, (np.ones(5), np.ones(5)))
    ending = PublicState(0, ending.unseen, 2, 0, (0.0, 0.5, 1.0))
    empty = functools.partial(np.zeros, len(ending.states(0)))
    with pytest.raises(TowerlabError, match="leave no pair of hands"):
        solve_ending(ending, (empty(), np.ones(len(ending.states(1)))))
