"""Where best play has left its path: the games after a departure, again by a recursion over beliefs on card texts."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.oracles.naive_equilibrium import DEALER, NONDEALER, Game, History, Own, SolverOdds, best_ends, best_value
from towerlab.analysis.towers_and_bowers.solutions.bidding import (
    CHANCE_STEPS,
    MOST_GAIN,
    StoredBidding,
    as_chances,
    load_bidding,
    stored_chances,
    up_card_rows,
)
from towerlab.analysis.towers_and_bowers.solutions.departures import (
    GAINS,
    Departures,
    choice_columns,
    contract_rows,
    load_departures,
    trick_shares,
    worth_columns,
)
from towerlab.analysis.towers_and_bowers.solutions.stored_side import choices_off_the_path
from towerlab.analysis.towers_and_bowers.solutions.whole_hand import load_strategy
from towerlab.analysis.towers_and_bowers.studies import hand_departures
from towerlab.analysis.towers_and_bowers.studies.hand_departures import gains_inside
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED as ACCEPTED_SUIT
from towerlab.analysis.towers_and_bowers.upcard.values import Numbers, Values
from towerlab.games.cards import card_text, mask_cards, parse_card
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, Schedule, exploitability, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.best_response import Strategy, best_response_values, contract_values
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.departures import Source, contract_table
from towerlab.solver.towers_and_bowers.whole_hand.hand import ACCEPTED, PASSED

TWICE, THRICE = PASSED + 1, PASSED + 2
NEXT_DEAL = 0.855
SEATS = (NONDEALER, DEALER)


def shipped(cards: int, up: str) -> tuple[StoredBidding, Departures]:
    stored = load_bidding(cards, parse_card(up) % 13)
    assert stored is not None
    found = load_departures(stored)
    assert found is not None
    return stored, found


def worth_of(cards: int, up: str, dealt: tuple[str, ...]) -> dict[str, float]:
    """What ships of a hand that stands for its class."""
    stored, found = shipped(cards, up)
    row = stored.hands.tolist().index(sum(1 << parse_card(card) for card in dealt))
    return dict(zip(worth_columns(cards), found.worth[row].tolist(), strict=True))


@functools.cache
def solved(cards: int, up: str, part: int, steps: int) -> HandSolver:
    stored, _ = shipped(cards, up)
    game = hand_game(cards, parse_card(up) % 13, stored.next_deal or 0.0)
    solver = HandSolver(game, Schedule(averages_from=steps // 2 + 1, floor=1e-8), part)
    solver.run(steps)
    return solver


def mean(game: Game, odds: SolverOdds, player: str, own: Own, history: History) -> float:
    """All hands of the other alike."""
    others = dict.fromkeys(game.hands(own.dealt), 1.0)
    return best_value(game, odds, player, own, history, others) / len(others)


@pytest.mark.parametrize("up", ["JS", "AS"])
def test_one_card_after_the_passes(up: str) -> None:
    stored, _ = shipped(1, up)
    game, odds = Game(1, up, 0.0), {}
    for part in (ACCEPTED, TWICE, THRICE):
        solver = solved(1, up, part, 30)
        odds[part] = SolverOdds(solver.game, up, solver.strategy())
    twice, thrice = ("pass",) * 2, ("pass",) * 3
    for hand in stored.hands.tolist():
        own = Own(tuple(map(card_text, mask_cards(hand))))
        found = worth_of(1, up, own.dealt)
        expected = {"answered": mean(game, odds[ACCEPTED], NONDEALER, own, ("pass", "accept"))}
        expected["answer"] = mean(game, odds[ACCEPTED], DEALER, own, ("pass", "accept"))
        expected["name_pass"] = mean(game, odds[THRICE], NONDEALER, own, thrice)
        for suit in "CDH":
            expected[f"name_{suit}"] = mean(game, odds[TWICE], NONDEALER, own, (*twice, suit))
            expected[f"left_{suit}"] = mean(game, odds[THRICE], DEALER, own, (*thrice, suit))
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)
        assert found["answer_pass"] <= found["answer"]


def test_discards_of_two_cards_for_a_non_dealer_who_never_accepts() -> None:
    """Beside a jack; the play after the discard is solved once more."""
    solver = solved(2, "JS", ACCEPTED, 400)
    assert exploitability(solver.game, 9, solver.strategy(), ACCEPTED) < 1e-5
    game = Game(2, "JS", shipped(2, "JS")[0].next_deal or 0.0)
    odds = SolverOdds(solver.game, "JS", solver.strategy())
    for dealt in (("AD", "KH"), ("9C", "JC"), ("QD", "AS")):
        found = worth_of(2, "JS", dealt)
        for place, card in enumerate(dealt, 1):
            value = mean(game, odds, DEALER, Own(dealt, card), ("accept", "discards"))
            assert found[f"discard_{place}"] == pytest.approx(value, abs=2e-5)


@pytest.mark.parametrize("seat", [0, 1])
def test_tricks_of_the_best_play_agree_with_a_recursion_over_beliefs(seat: int) -> None:
    """Three iterations leave mixed play everywhere."""
    solver = HandSolver(hand_game(2, 9, NEXT_DEAL))
    solver.run(3)
    game, hands = Game(2, "JS", NEXT_DEAL), np.array([17, 101])
    odds = SolverOdds(solver.game, "JS", solver.strategy())
    tricks = np.zeros((2, 8, 2, 3))
    contract_values(solver.game, 9, solver.strategy(), seat, hands, tricks=tricks)
    for number, of in zip(hands, tricks, strict=True):
        own = game.hands()[number]
        others = dict.fromkeys(game.hands(own.dealt), 1.0)
        answered = (
            {other: odds(other, ("pass",), ["accept", "pass"])[1] for other in others}
            if seat == 0
            else {other: odds(other, (), ["accept", "pass"])[1] for other in others}
        )
        if seat == 1:
            answered = {
                other: share * odds(other, ("pass", "pass"), ["C", "D", "H", "pass"])[0]
                for other, share in answered.items()
            }
        _, ends = best_ends(game, odds, SEATS[seat], own, ("pass", "pass", "C"), answered)
        assert of[2, 0].tolist() == pytest.approx([ends.get(taken, 0.0) for taken in range(3)], rel=1e-9)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_what_ships_adds_up(cards: int) -> None:
    names, rows = worth_columns(cards), contract_rows(cards)
    assert all(float(row[name]) <= MOST_GAIN for row in up_card_rows(f"departures-{cards}") for name in GAINS)
    for up in map(card_text, up_cards()):
        stored, found = shipped(cards, up)
        bidder, defender = payoffs(cards, stored.next_deal or 0.0)
        worth, tricks = found.worth.astype(np.float64), trick_shares(found.tricks)
        assert (tricks >= -1e-12).all()
        for place, (seat, contract, _) in enumerate(rows.values()):
            pay = (bidder if contract == 0 or 2 <= contract < 5 else defender)[: cards + 1]
            by_own_tricks = 1 - pay[::-1] if seat else pay
            close = 2e-3 if cards == 3 and contract < 2 else 3e-5  # those are valued by an earlier run of the same game
            assert tricks[:, place] @ by_own_tricks == pytest.approx(worth[:, place], abs=close)
        own = [worth[:, names.index(f"own_discard_{place}")] for place in range(1, cards + 1)]
        assert worth[:, names.index("answer")] == pytest.approx(np.max(own, axis=0), abs=1e-6)
        off = choices_off_the_path(stored)
        for places, of in zip(choice_columns(cards), off.T, strict=True):
            assert (found.shares[:, places].any(1) == of).all()
        if stored.values is not None and cards == 2:  # on the path what the solution says
            assert worth[:, names.index("name_C")] == pytest.approx(stored.values[:, 2], abs=1e-6)


@pytest.mark.parametrize(
    ("seat", "part", "stem", "first"),
    [
        pytest.param(1, THRICE, "left", 5, marks=pytest.mark.slow),
        pytest.param(0, TWICE, "name", 2, marks=pytest.mark.exhaustive),
    ],
)
def test_two_hundred_second_rounds_of_three_cards_agree_with_another_run(
    seat: int, part: int, stem: str, first: int
) -> None:
    """The game after the passes beside an ace, once more without the mirror and not as far; a few by recursion."""
    stored, found = shipped(3, "AS")
    solver = solved(3, "AS", part, 24)
    strategy, numbers = solver.strategy(), numbers_of(solver.game, 12)
    rows = np.random.default_rng(27).choice(len(stored.hands), 200, replace=False)
    hands = np.array([numbers[int(hand)] for hand in stored.hands[rows]])
    suits = slice(first, first + 3)
    values = contract_values(solver.game, 12, strategy, seat, hands, range(8)[suits])[:, suits, 0]
    values /= 1140  # hands of the other
    shipped_worth = found.worth[rows][:, [worth_columns(3).index(f"{stem}_{suit}") for suit in "CDH"]]
    assert np.abs(values - shipped_worth).mean() < 1.5e-3
    lost = shipped_worth.max(1) - shipped_worth[np.arange(200), values.argmax(1)]
    assert lost.max() < 4e-3
    game, odds = Game(3, "AS", stored.next_deal or 0.0), SolverOdds(solver.game, "AS", strategy)
    passes = ("pass",) * (part - PASSED + 1)
    for row, found_here in zip(rows[:4], values, strict=False):
        own = Own(tuple(map(card_text, mask_cards(int(stored.hands[row])))))
        expected = [mean(game, odds, SEATS[seat], own, (*passes, suit)) for suit in "CDH"]
        assert found_here.tolist() == pytest.approx(expected, rel=1e-9)


def test_a_part_begins_where_its_calls_lead() -> None:
    """What it is worth is what best replies make of it, and both together no more than the whole."""
    game = hand_game(2, 9, NEXT_DEAL, mirror=True)
    for part in (*range(PASSED, 9), 10, 11):  # hearts are solved as diamonds
        solver = HandSolver(game, Schedule(floor=1e-8), part)
        solver.run(60)
        strategy = solver.strategy()
        assert -1e-9 < exploitability(game, 9, strategy, part) < 0.02
        assert isinstance(strategy, Strategy) and (best_response_values(game, 9, strategy, 0, part) >= 0).all()


def test_gains_inside_the_parts_of_a_solution() -> None:
    """Of two cards, by all pairs of hands: what both best replies win beside what they would if nothing were gained."""
    stored, _ = shipped(2, "AS")
    game, strategy = load_strategy(2, 12)
    numbers = numbers_of(game, 12)
    hands = np.array([numbers[int(hand)] for hand in stored.hands])
    strategy = as_strategy(game, 12, make_deals(2, stored.up), stored.strategies, strategy.play)
    found = gains_inside(
        stored, contract_table(game, 12, hands, lambda contract: [lambda: Source(strategy, contract, 0.0)])
    )
    first, answer, second = strategy.bidding[0, :, 1], strategy.bidding[1, :, 1], strategy.bidding[2, :, 3]
    own, theirs = (contract_values(game, 12, strategy, seat, np.arange(len(first))) for seat in (0, 1))
    meets = (game.set_masks[2, : len(first), None] & game.set_masks[2, : len(first)]) == 0
    named = np.maximum(own[:, 2:5, 0].max(1), own[:, 5:, 0].sum(1))
    last, later = theirs[:, 5:, 0].max(1), theirs[:, 2:5, 0].sum(1) + theirs[:, 5:, 0].max(1)
    parts = {
        "accepted_gain": ((1 - first) @ own[:, 0, 0] + theirs[:, 0].max(1).sum(), (1 - first) @ meets.sum(1)),
        "passed_gain": (
            first @ (own[:, 1, 0] + named) + np.maximum(theirs[:, 1].max(1), later).sum(),
            first @ meets.sum(1),
        ),
        "passed_twice_gain": (first @ named + answer @ later, first @ meets @ answer),
        "passed_thrice_gain": (
            (first * second) @ own[:, 5:, 0].sum(1) + answer @ last,
            (first * second) @ meets @ answer,
        ),
    }
    assert found == pytest.approx({name: won / comes - 1 for name, (won, comes) in parts.items()}, abs=1e-9)


@pytest.mark.parametrize("rank", [9, 12])
def test_what_is_valued_in_the_solution_is_patched_after_an_acceptance(
    rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of four cards, with two: gains stay those of the solution, discards that never come those of their game."""
    monkeypatch.setattr(hand_departures, "are_solved", lambda cards: False)
    found = hand_departures.solve_up_card(rank, 2, 1e-5, lambda text: None)
    stored = load_bidding(2, rank)
    assert stored is not None
    kept = load_departures(stored)
    assert kept is not None and choices_off_the_path(stored)[:, 1].any()
    for place in (1, 2):
        column = worth_columns(2).index(f"discard_{place}")
        assert found[f"worth_discard_{place}"].to_numpy() == pytest.approx(kept.worth[:, column], abs=1e-6)
    assert found[list(GAINS)].abs().to_numpy().max() < 1e-4


def test_chances_of_four_cards_ship_in_steps() -> None:
    chances = np.random.default_rng(5).random((3, 7))
    assert stored_chances(chances, 3).dtype == np.float32
    assert as_chances(stored_chances(chances, 4)) == pytest.approx(chances, abs=0.5 / CHANCE_STEPS + 1e-7)


def test_where_best_play_does_not_come_a_model_stands() -> None:
    """Of a hand that the other's bids lead to often, and of one that they do not; the accepted game is solved."""
    contracts = {(False, ACCEPTED_SUIT): Numbers(*np.full((5, 2, 3), 0.25)), (True, 0): Numbers(*np.full((5, 2), 0.25))}
    model = {contract: Numbers(*(of + 0.5 for of in numbers)) for contract, numbers in contracts.items()}
    often, off = np.array([0.5, 0.001]), dict.fromkeys(contracts, np.array([False, True]))
    passing = np.array([0.25, 0.25])
    here = Values(contracts, (passing, passing), (np.ones(2), often), off, 3)
    found = here.unless_off_path(Values(model, (passing + 0.5, passing + 0.5), (often, often), {}, 3), 0.002)
    assert found.contracts[False, ACCEPTED_SUIT] == contracts[False, ACCEPTED_SUIT]
    assert found.contracts[True, 0].make.tolist() == [0.25, 0.75]
    assert [of.tolist() for of in found.passing if of is not None] == [[0.25, 0.25], [0.25, 0.75]]
