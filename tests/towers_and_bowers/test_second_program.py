"""Three cards with floors, as the solver learns them, against a second program that has its own rules and solver."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.oracles.second_program import MIRRORED, NOBODY, SPADES, Array, Calls, Hand, States, solve_calls
from towerlab.analysis.towers_and_bowers.studies.hand_equilibrium import FIRST_REGRETS, FLOOR, SCHEDULES, STEPS
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import RANKS
from towerlab.games.jit import JIT_ENABLED, kernel
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, HandSolver, Schedule, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.arrays import CARDS, DEALER_ACCEPTS, UP_CARD
from towerlab.solver.towers_and_bowers.whole_hand.game import stored_block
from towerlab.solver.towers_and_bowers.whole_hand.solve import values_of_calls
from towerlab.solver.towers_and_bowers.whole_hand.strategies import CardMix, card_shares

DATA = ROOT / "analysis" / "towers_and_bowers" / "data"
DECISIONS = {  # in the order of the file's values
    "accept": ("accept", "pass"),
    "name": ("name_C", "name_D", "name_H", "name_pass"),
    "discard": ("discard_1", "discard_2", "discard_3"),
    "answer": ("answer", "answer_pass"),
    "own_discard": ("own_discard_1", "own_discard_2", "own_discard_3"),
    "left": ("left_C", "left_D", "left_H"),
}
PLACES = {"accept": 0, "answer": 1, "name_C": 2, "name_H": 4, "left_C": 5, "left_H": 7}  # of contracts in `HandGame`
SPREAD = np.array([13 * (card // 6) + 7 + card % 6 for card in range(24)])  # the bit of each card in the file

pytestmark = pytest.mark.skipif(not JIT_ENABLED, reason="walks every pair of hands")


class Beside(NamedTuple):
    """The hands of three cards beside an up-card.

    Attributes:
        up: the up-card in the second program.
        deal: P(the dealer of two cards wins the tower).
        hands: int64[H, 3], the hands in the second program.
        numbers: int64[24], the number of each of its cards in the solver.
        sets: int64[H], the number of each hand in the solver.
        solver: of the same game, before it has learnt.
        row: the up-card in the table that ships.
    """

    up: int
    deal: float
    hands: Array
    numbers: Array
    sets: Array
    solver: HandSolver
    row: dict[str, str]


def beside(rank: str) -> Beside:
    with (DATA / "exact-bidding-3-up-cards.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["up"] == f"{rank}S")
    up = 6 * SPADES + "9TJQKA".index(rank)
    deal = float(row["next_deal"])
    solver = HandSolver(
        hand_game(3, RANKS.index(rank), deal, mirror=True),
        replace(SCHEDULES[0], averages_from=STEPS[3] // 2 + 1, floor=FLOOR),
    )
    pack = [card for card in range(24) if card != up]
    hands = np.array(list(itertools.combinations(pack, 3)))
    numbers = np.full(24, UP_CARD)
    numbers[pack] = range(23)
    sets = {tuple(held[:3]): number for number, held in enumerate(solver.game.members[3].tolist())}
    return Beside(
        up, deal, hands, numbers, np.array([sets[tuple(held)] for held in numbers[hands].tolist()]), solver, row
    )


@kernel
def may_hold(card: int, held: int, away: int, up_card: bool) -> bool:
    """Whether the other may have a card of that number; `up_card` says so of the up-card."""
    return up_card if card == UP_CARD else card != away and not held >> card & 1


@kernel
def list_mix(
    game: HandGame, contract: int, depth: int, history: int, play: Floats, held: int, away: int, mix: CardMix
) -> int:
    """`card_shares` after a history; none where the other is to play."""
    block = stored_block(game, contract, depth, history)
    if block.start < 0:
        return 0
    return card_shares(block, play, held & ~(1 << UP_CARD), away, held >> UP_CARD & 1, mix)


@kernel
def copy_play(
    game: HandGame, contract: int, play: Floats, numbers: Ints, away: Ints, dealers: int, states: States
) -> None:
    """Fill in the play of a contract.

    Args:
        game, contract, play: of the solver.
        numbers: int64[24], the solver's number of each card.
        away: int64[S], the number of the card put away with each row, or -1.
        dealers: the first row of the dealer's.
        states: of the second program, filled.
    """
    mix = CardMix(np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4))
    for row in range(len(away)):
        own = numbers[states.cards[row]]
        gone = away[row]
        leads = row < dealers
        held = (1 << own).sum()
        up_card = leads and contract <= DEALER_ACCEPTS
        for met in range(NOBODY + 1):  # by the other to the first trick
            theirs = numbers[met] if met < NOBODY else 0
            if met < NOBODY and not may_hold(theirs, held, gone, up_card):
                continue
            if leads == (met == NOBODY):
                count = list_mix(game, contract, 1 - leads, theirs, play, held, gone, mix)
                for choice, place in np.ndindex(count, 3):
                    if own[place] == mix.cards[choice]:
                        states.first[row, met, place] = mix.plays[choice]
            if met == NOBODY:
                continue
            for place, led in np.ndindex(3, NOBODY + 1):
                history = own[place] * CARDS + theirs if leads else theirs * CARDS + own[place]
                depth = 2
                if led < NOBODY:
                    history, depth = history * CARDS + numbers[led], 3
                    if led == met or not may_hold(numbers[led], held, gone, up_card):
                        continue
                count = list_mix(game, contract, depth, history, play, held & ~(1 << own[place]), gone, mix)
                for choice in range(count):
                    if mix.cards[choice] == own[1 if place == 0 else 0]:
                        states.second[row, place, met, led] = mix.plays[choice]
                    elif count == 1:
                        states.second[row, place, met, led] = 0.0


def second_values(here: Beside) -> tuple[dict[str, Array], float]:
    """What the second program says of the mean strategy of the solver."""
    strategy = here.solver.strategy()
    hand = Hand(here.up, here.hands, here.deal)
    first, answer, names, left, discards, own_discards = strategy.bidding[:, here.sets]
    for name, contract in hand.contracts.items():
        away = np.full(len(contract.states.cards), -1)
        if PLACES[name] <= DEALER_ACCEPTS:
            away[len(here.hands) :] = here.numbers[here.hands].T.ravel()
        arguments = here.solver.game, PLACES[name], strategy.play, here.numbers, away
        copy_play(*arguments, contract.dealers, contract.states)
    first_calls = first[:, 0], names, discards[:, :3]
    return hand.values(Calls(here.hands, *first_calls, answer[:, 0], own_discards[:, :3], left[:, :3]), FLOOR)


def begin_at(here: Beside, calls: Calls) -> None:
    """Let the solver begin with the calls of the second program; plays are still alike."""
    first, answer = (np.stack([part, 1 - part], axis=1) for part in (calls.accept, calls.answer))
    mixes = first, answer, calls.names, calls.left, calls.discards, calls.own_discards
    for decision, mix in enumerate(mixes):
        here.solver.bidding.regrets[decision, here.sets, : mix.shape[1]] = FIRST_REGRETS * mix


@pytest.mark.exhaustive  # half a minute of processor
def test_a_second_program_values_every_call_of_every_hand_alike() -> None:
    """What each call and discard wins with best replies after it, and what best replies of both gain."""
    here = beside("J")
    here.solver.schedule = Schedule(floor=FLOOR)
    here.solver.run(3)
    found, gain = second_values(here)
    passes = here.solver.passes
    bids = here.solver.bids()
    values = values_of_calls(
        here.solver.game, bids, here.sets, *(passes.best_plays(bids, seat)[here.sets] for seat in (0, 1))
    )
    for name, ours in zip(itertools.chain.from_iterable(DECISIONS.values()), values.T, strict=True):
        assert np.abs(found[name] - ours).max() < 1e-6, name
    assert gain == pytest.approx(sum(here.solver.measure(FLOOR)[1:]), abs=1e-8)
    assert gain > 0.01  # much is left to learn, and most is mixed


@pytest.mark.exhaustive
@pytest.mark.parametrize("rank", "TQA")
def test_the_calls_that_a_second_program_learns_lead_to_what_ships(rank: str) -> None:
    """It learns calls, discards and play to 0.3 mt; the solver goes on from its calls until best replies gain no more
    than against what ships. By decision, values of hands are then as far apart as is said of another start.

    Seven minutes of processor an up-card.
    """
    here = beside(rank)
    calls, gain = solve_calls(here.up, here.hands, here.deal, FLOOR, 40)
    print(f"the second program's gain {1e3 * gain:.3f} mt, accepts {calls.accept.mean():.3f}")
    assert gain < 4e-4
    begin_at(here, calls)
    goal = sum(float(here.row[f"floored_{seat}_gain"]) for seat in ("nondealer", "dealer"))
    while here.solver.iterations < 160 or sum(here.solver.measure(FLOOR)[1:]) > goal:
        assert here.solver.iterations < 2 * STEPS[3]
        here.solver.run(40)
    found, gain = second_values(here)
    print(f"{here.solver.iterations} iterations later {1e3 * gain:.4f} mt")
    assert gain <= goal + 1e-8
    stored = np.load(DATA / "exact-bidding-3.npz")
    masks = (1 << SPREAD[here.hands]).sum(1).tolist()
    rows = [masks.index(mask) for mask in np.cumsum(stored[f"{rank}S-hands"])]
    weights = 2 - (np.sort(MIRRORED[here.hands], 1) == here.hands).all(1)[rows]
    ships = iter(stored[f"{rank}S-values"])
    for decision, calls_there in DECISIONS.items():
        theirs = np.stack([found[call][rows] for call in calls_there], axis=1)
        ours = np.stack([next(ships) for _ in calls_there], axis=1)
        apart = np.abs(theirs.max(1) - ours.max(1))
        lost = theirs.max(1) - theirs[np.arange(len(ours)), ours.argmax(1)]
        mean = np.average(apart, weights=weights)
        spread = float(here.row[f"{decision}_spread"])
        print(
            f"{decision}: mt apart, that ships, worst, best call loses:",
            *np.round(1e3 * np.array([mean, spread, apart.max(), lost.max()]), 2),
        )
        assert mean <= spread + 1e-4, decision
        assert lost.max() <= 0.01, decision  # no call that is named as the best loses more than a point
