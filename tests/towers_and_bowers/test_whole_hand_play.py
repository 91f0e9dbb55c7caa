"""Where the play of a whole hand is stored, and the passes that learn it against recursions on real cards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tests.conftest import exhaustive, slow
from tests.oracles.call_values import contract_values
from tests.oracles.hidden_play import best_value
from tests.oracles.naive_equilibrium import DEALER, NONDEALER, Game, Own, SolverOdds, others_at_the_lead
from towerlab.analysis.study.workers import map_in_threads
from towerlab.games.cards import card_text
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, Schedule, Strategy, hand_game, normalise_bidding
from towerlab.solver.towers_and_bowers.whole_hand.arrays import CARDS, MIRRORED, UP_CARD, HandGame
from towerlab.solver.towers_and_bowers.whole_hand.game import list_entries, stored_block
from towerlab.solver.towers_and_bowers.whole_hand.solve import (
    best_response,
    exploitability,
    opponent_reach,
    without_mirror,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import contract_of, information_sets

JACK = 9
NEXT_DEAL = 0.8551
SEATS = NONDEALER, DEALER
image_of = MIRRORED.tolist().__getitem__


def _naive_turn(game: HandGame, contract: int, hands: list[set[int]], played: list[int]) -> tuple[int, list[int]]:
    """Who is to play and which cards, by the rules on card numbers."""
    leader = 0
    fields = game.fields[contract]
    for led, reply in zip(played[::2], played[1::2], strict=False):
        dealers, nondealers = (reply, led) if leader == 0 else (led, reply)
        leader = 0 if game.nondealer_wins[contract, leader, dealers, nondealers] else 1
    player = leader if len(played) % 2 == 0 else 1 - leader
    held = sorted(hands[player] - set(played))
    follows = [card for card in held if len(played) % 2 and fields[card] == fields[played[-1]]]
    return player, follows or held


@pytest.mark.parametrize(("cards", "hands"), [(2, 60), (3, 40), exhaustive(4, 400)])
@pytest.mark.parametrize("mirror", [False, True])
def test_random_hands_find_their_cards_in_their_block_and_nobody_elses(cards: int, hands: int, mirror: bool) -> None:
    random = np.random.default_rng(cards)
    game = hand_game(cards, JACK, NEXT_DEAL, mirror=mirror)
    starts = np.sort(game.node_starts[game.node_starts >= 0])
    owner: dict[int, object] = {}
    for _ in range(hands):
        contract = int(random.integers(8))
        deck = random.permutation(UP_CARD).tolist()
        held = [set(deck[:cards]), set(deck[cards : 2 * cards])]
        discard = -1
        if contract < 2:
            discard = held[1].pop()
            held[1].add(UP_CARD)
        played: list[int] = []
        while len(played) < 2 * cards - 2:
            player, legal = _naive_turn(game, contract, held, played)
            history = sum(card * CARDS**place for place, card in enumerate(reversed(played)))
            block = stored_block(game, contract, len(played), history)
            left = held[player] - set(played)
            put_away = discard if player == 1 else -1
            found = np.zeros(4, np.int64)
            entries = np.zeros(4, np.int64)
            mask = sum(1 << card for card in left - {UP_CARD})
            count = list_entries(block, mask, put_away, int(UP_CARD in left), found, entries)
            assert sorted(found[:count].tolist()) == legal
            if count > 1:
                past = starts[np.searchsorted(starts, block.start, side="right")] if block.start < starts[-1] else None
                for card, entry in zip(found[:count].tolist(), entries[:count].tolist(), strict=True):
                    assert block.start <= entry < (game.play_size if past is None else past)
                    names = [(contract, tuple(played), tuple(sorted(left)), put_away, card)]
                    if mirror:
                        swapped = contract + {0: 0, 1: 1, 2: -1}[(contract - 2) % 3] * (contract > 2)
                        images = [tuple(map(image_of, cards_)) for cards_ in (played, left)]
                        gone = image_of(put_away) if put_away >= 0 else -1
                        names.append((swapped, images[0], tuple(sorted(images[1])), gone, image_of(card)))
                    assert owner.setdefault(entry, sorted(names)) == sorted(names)
            played.append(int(random.choice(legal)))


def test_best_responses_are_those_of_a_recursion_on_real_cards() -> None:
    """Of 40 information sets of two cards: how far the other's shares lead there, and the first of the best cards."""
    game = hand_game(2, JACK, NEXT_DEAL)
    random = np.random.default_rng(2)
    strategy = Strategy(normalise_bidding(random.random((6, 253, 4)), 2), random.random(game.play_size))
    naive = Game(2, "JS", NEXT_DEAL)
    odds = SolverOdds(game, "JS", strategy)
    reach, answers = (
        [answer(game, strategy, seat) for seat in (0, 1)]
        for answer in (opponent_reach, lambda *asked: best_response(*asked).strategy.play)
    )
    sets = [known for known in information_sets(game, JACK) if not known.is_bidding and len(known.played) < 2]
    for known in (sets[place] for place in random.choice(len(sets), 40, replace=False)):
        own = Own(tuple(map(card_text, known.dealt)), "" if known.discard is None else card_text(known.discard))
        history, others = others_at_the_lead(naive, odds, known.player, contract_of(known), own)
        for action in (*["discards"] * (history[-1] == "accept"), *map(card_text, known.played)):
            reached = dict[Own, float]()
            for other, share in others.items():
                actions = naive.actions(other, history)
                for each, odd in zip(actions, odds(other, history, actions), strict=True):
                    then, later = naive.after(other, history, each)
                    if later[-1] == action:
                        reached[then] = share * odd
            history, others = (*history, action), reached
        assert reach[known.player][known.entries[0]] == pytest.approx(sum(others.values()), rel=1e-9)
        actions = [card_text(action) for action in known.actions]
        after = [naive.after(own, history, action) for action in actions]
        won = [best_value(naive, odds, SEATS[known.player], *then, others) for then in after]
        best = next(place for place, value in enumerate(won) if value > max(won) - 1e-12)
        assert np.flatnonzero(answers[known.player][list(known.entries)]).tolist() == [best]


@pytest.mark.slow
def test_averages_in_16_bits_are_as_hard_to_exploit() -> None:
    game = hand_game(2, 10, NEXT_DEAL, mirror=True)
    gains = []
    for compact in (False, True):
        solver = HandSolver(game, Schedule(averages_from=11, floor=1e-8), compact=compact)
        solver.run(20)
        gains.append(exploitability(game, solver.strategy()))
        assert sum(solver.measure()[1:]) == pytest.approx(gains[-1], abs=1e-7)
    assert max(gains) < 2e-4  # rounding breaks ties differently, so the ways there differ
    assert solver.play.averages.nbytes + solver.play.shares.nbytes < 0.35 * solver.play.regrets.nbytes


def _in_threads(function: Callable[[int], None], bidders: Iterable[int]) -> list[None]:
    return list(map_in_threads(function, list(bidders), 2))


@pytest.mark.parametrize("compact", [False, True])
def test_two_threads_and_an_interruption_change_not_a_byte(compact: bool) -> None:
    game = hand_game(2, 7, NEXT_DEAL, mirror=True)
    schedule = Schedule(averages_from=3, average_every=2)
    through = HandSolver(game, schedule, compact=compact)
    first = HandSolver(game, schedule, compact=compact)
    second = HandSolver(game, schedule, compact=compact, both=_in_threads)
    through.run(9)
    first.run(4)
    second.restore({name: array.copy() for name, array in first.state().items()})
    second.run(5)
    for name, array in through.state().items():
        assert np.array_equal(array, second.state()[name]), name


@pytest.mark.slow
def test_three_cards_come_near_the_value_that_the_dense_solver_found() -> None:
    """10 iterations beside a queen; that solver had all information sets in 64 bits. The gain bounds the error."""
    solver = HandSolver(hand_game(3, 10, 0.6674601238045397, mirror=True), Schedule(averages_from=6, floor=1e-8))
    solver.run(10)
    gain = sum(solver.measure()[1:])
    assert abs(solver.value - (1 - 0.6811092331477475)) < gain < 4e-3
    assert sum(map(len, itertools.islice(solver.play, 2))) < 2.5e7


def _random_strategy(cards: int, mirror: bool) -> tuple[HandGame, Strategy]:
    """Mixed play everywhere; in a mirrored game what three iterations leave."""
    game = hand_game(cards, JACK, NEXT_DEAL, mirror=mirror)
    random = np.random.default_rng(0)
    if not mirror:
        bidding = normalise_bidding(random.random((6, int(game.sets[cards]), 4)), cards)
        return game, Strategy(bidding, random.random(game.play_size) ** 3)
    solver = HandSolver(game)
    solver.run(3)
    return game, solver.strategy()


@pytest.mark.parametrize(
    ("cards", "mirror", "count"), [(2, False, 40), (2, True, 40), slow(3, True, 4), exhaustive(3, False, 60)]
)
def test_best_plays_win_what_a_recursion_on_real_cards_says(cards: int, mirror: bool, count: int) -> None:
    """Of some hands, in any contract, after any discard."""
    game, strategy = _random_strategy(cards, mirror)
    real = hand_game(cards, JACK, NEXT_DEAL)
    played = without_mirror(game, real, strategy) if mirror else strategy
    naive = Game(cards, "JS", NEXT_DEAL)
    odds = SolverOdds(real, "JS", played)
    found = [contract_values(game, strategy, seat) for seat in (0, 1)]
    random = np.random.default_rng(7)
    for _ in range(count):
        seat = int(random.integers(2))
        contract = int(random.integers(8))
        hand = int(random.integers(game.sets[cards]))
        place = int(random.integers(cards)) if seat == 1 and contract <= 1 else 0
        own = naive.hands()[hand]
        if seat == 1 and contract <= 1:
            own = Own(own.dealt, own.dealt[place])
        history, others = others_at_the_lead(naive, odds, seat, contract, own)
        expected = best_value(naive, odds, SEATS[seat], own, history, others)
        assert found[seat][hand, contract, place] == pytest.approx(expected, rel=1e-9, abs=1e-9)
