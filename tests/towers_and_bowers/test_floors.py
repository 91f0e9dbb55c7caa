"""Solutions with a floor on every call: one answers everywhere, by a recursion over beliefs on card texts."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT, exhaustive
from tests.oracles.call_values import contract_values
from tests.oracles.hidden_play import best_ends, best_value
from tests.oracles.naive_equilibrium import DEALER, NONDEALER, Game, Own, SolverOdds, others_at_the_lead
from towerlab.analysis.towers_and_bowers.shipped import FOLDER_VARIABLE
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    CHANCE_STEPS,
    DECISION_NAMES,
    GAINS,
    StoredBidding,
    StoredSide,
    all_value_columns,
    contract_rows,
    load_bidding,
    pack_chances,
    unpack_chances,
    unpack_tricks,
    up_card_rows,
)
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard
from towerlab.analysis.towers_and_bowers.whole_strategies import load_strategy, stored_strategy
from towerlab.games.cards import card_text, mask_cards
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding import MOST_LOSS, make_deals, payoffs, purify, up_cards
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, HandSolver, Schedule, Strategy, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.solve import PlayPasses, contract_outcomes, gains_inside
from towerlab.solver.towers_and_bowers.whole_hand.strategies import as_strategy

NEXT_DEAL = 0.855
SEATS = (NONDEALER, DEALER)
FLOOR = 1 / 3000
MADE = Path(os.environ.get(FOLDER_VARIABLE, os.devnull))


def shipped(cards: int, rank: int) -> StoredBidding:
    stored = load_bidding(cards, rank)
    assert stored is not None and stored.values is not None and stored.tricks is not None
    return stored


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_best_replies_gain_little_wherever_it_comes(cards: int) -> None:
    for row in up_card_rows(f"exact-bidding-{cards}"):
        assert max(float(row[name]) for name in GAINS) < 2e-3
        assert float(row["floor"]) == pytest.approx(FLOOR)
        assert float(row["floored_nondealer_gain"]) + float(row["floored_dealer_gain"]) < 2.5e-4


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_what_ships_adds_up(cards: int) -> None:
    names = all_value_columns(cards)
    rows = contract_rows(cards)
    for up in up_cards():
        stored = shipped(cards, up % 13)
        assert stored.values is not None and stored.tricks is not None
        bidder, defender = payoffs(cards, stored.next_deal or 0.0, DEFAULT_RULES)
        worth = stored.values.astype(np.float64)
        tricks = unpack_tricks(stored.tricks)
        assert (tricks >= -1e-12).all()
        for place, (name, (seat, contract, _)) in enumerate(rows.items()):
            pay = (bidder if contract == 0 or 2 <= contract < 5 else defender)[: cards + 1]
            by_own_tricks = 1 - pay[::-1] if seat else pay
            assert tricks[:, place] @ by_own_tricks == pytest.approx(worth[:, names.index(name)], abs=5e-5)
        own = [worth[:, names.index(f"own_discard_{place}")] for place in range(1, cards + 1)]
        assert worth[:, names.index("answer")] == pytest.approx(np.max(own, axis=0), abs=1e-6)


def floored(cards: int, rank: int) -> tuple[StoredBidding, Strategy]:
    """The whole strategy that ships, each call made at least with the floor."""
    stored = shipped(cards, rank)
    game, strategy = solved(cards, rank)
    deals = make_deals(cards, stored.up)
    return stored, as_strategy(game, rank, deals, stored.strategies, strategy.play, stored.floor)


def solved(cards: int, rank: int) -> tuple[HandGame, Strategy]:
    """Of three cards the play that the study has left (TOWERLAB_DATA): it does not ship."""
    return load_strategy(cards, rank) if cards < 3 else stored_strategy(cards, rank)


@pytest.mark.parametrize("cards", [1, 2, exhaustive(3)])
def test_contracts_that_ship_agree_with_a_recursion_over_beliefs(cards: int) -> None:
    """On the path and off it: every contract of some hands, against the whole strategy with its floors."""
    if cards == 3 and not (MADE / "exact-play-3.npy").is_file():
        pytest.skip(f"{FOLDER_VARIABLE} names no play of three cards")
    random = np.random.default_rng(cards)
    for rank in (9, 12):
        stored, strategy = floored(cards, rank)
        assert stored.values is not None
        game = Game(cards, card_text(stored.up), stored.next_deal or 0.0)
        odds = SolverOdds(solved(cards, rank)[0], card_text(stored.up), strategy)
        for row in random.choice(len(stored.hands), 3, replace=False):
            dealt = tuple(map(card_text, mask_cards(int(stored.hands[row]))))
            for name, (seat, contract, place) in contract_rows(cards).items():
                own = Own(dealt, dealt[place] if seat == 1 and contract <= 1 else None)
                history, others = others_at_the_lead(game, odds, seat, contract, own)
                value = best_value(game, odds, SEATS[seat], own, history, others) / sum(others.values())
                column = all_value_columns(cards).index(name)
                assert stored.values[row, column] == pytest.approx(value, abs=2e-5), (name, dealt)


@pytest.mark.parametrize("seat", [0, 1])
def test_tricks_of_the_best_play_agree_with_a_recursion_over_beliefs(seat: int) -> None:
    """Three iterations leave mixed play everywhere."""
    solver = HandSolver(hand_game(2, 9, NEXT_DEAL), Schedule(floor=FLOOR))
    solver.run(3)
    game = Game(2, "JS", NEXT_DEAL)
    odds = SolverOdds(solver.game, "JS", solver.strategy())
    passes = PlayPasses(solver.game, solver.play)
    bids = solver.bids()
    table = contract_outcomes(passes, bids, [passes.best_plays(bids, one) for one in (0, 1)])
    for number in (17, 101):
        own = game.hands()[number]
        history, others = others_at_the_lead(game, odds, seat, 2, own)
        won, ends = best_ends(game, odds, SEATS[seat], own, history, others)
        comes = sum(others.values())
        assert table.values[seat, number, 2, 0] == pytest.approx(won / comes, rel=1e-9)
        shares = [ends.get(2 - taken if seat else taken, 0.0) / comes for taken in range(3)]
        assert table.tricks[seat, number, 2, 0].tolist() == pytest.approx(shares, abs=1e-6)


def test_gains_inside_the_parts_of_a_solution() -> None:
    """Of two cards, by all pairs of hands: what both best replies win beside what they would if nothing were gained."""
    strategy = floored(2, 12)[1]
    game = load_strategy(2, 12)[0]
    own, theirs = (contract_values(game, strategy, seat) for seat in (0, 1))
    found = gains_inside(game, strategy.bidding, (own, theirs))
    first = strategy.bidding[0, :, 1]
    answer = strategy.bidding[1, :, 1]
    second = strategy.bidding[2, :, 3]
    meets = (game.set_masks[2, : len(first), None] & game.set_masks[2, : len(first)]) == 0
    named = np.maximum(own[:, 2:5, 0].max(1), own[:, 5:, 0].sum(1))
    last = theirs[:, 5:, 0].max(1)
    later = theirs[:, 2:5, 0].sum(1) + theirs[:, 5:, 0].max(1)
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
    assert {name: found[name] for name in parts} == pytest.approx(
        {name: won / comes - 1 for name, (won, comes) in parts.items()}, abs=1e-9
    )
    row = next(row for row in up_card_rows("exact-bidding-2") if row["up"] == "AS")
    assert {name: float(row[name]) for name in parts} == pytest.approx({name: found[name] for name in parts}, abs=1e-5)


def test_advice_leaves_out_what_loses_and_keeps_the_rest_in_proportion() -> None:
    stored = shipped(4, 9)
    assert stored.values is not None
    first = 0
    advised = purify(stored.strategies, stored.values.astype(float))
    for (_, mix), (_, left) in zip(stored.strategies.arrays(), advised.arrays(), strict=True):
        mixes = [np.stack([of, 1 - of], axis=1) if of.ndim == 1 else of for of in (mix, left)]
        values = stored.values[:, first : first + mixes[0].shape[1]].astype(float)
        first += mixes[0].shape[1]
        for row in range(0, len(mix), 97):
            sound = values[row] >= values[row].max() - MOST_LOSS
            kept = np.where(sound, mixes[0][row], 0.0)
            expected = kept / kept.sum() if kept.any() else values[row] == values[row].max()
            assert mixes[1][row] == pytest.approx(expected)


def test_chances_of_four_cards_ship_in_steps() -> None:
    chances = np.random.default_rng(5).random((3, 7))
    assert pack_chances(chances, 3).dtype == np.float32
    assert unpack_chances(pack_chances(chances, 4)) == pytest.approx(chances, abs=0.5 / CHANCE_STEPS + 1e-7)


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_no_mix_goes_to_a_call_that_loses_where_it_is_asked(cards: int) -> None:
    """Of every hand, seat, round and discard what is advised."""
    for rank in UP_RANKS:
        stored = shipped(cards, rank)
        assert stored.values is not None and np.isfinite(stored.values).all()
        advised = StoredSide(stored, stored.up, stored.hands, advised=True).strategies
        for (_, mix), (_, without) in zip(advised.arrays(), purify(advised, stored.values).arrays(), strict=True):
            assert np.abs(mix - without).max() < 0.01


def rows_of_document(first: str) -> list[list[str]]:
    """The rows of the table in docs/methods/whole-hands.md whose heading begins so, without the heading."""
    text = (ROOT / "docs" / "methods" / "whole-hands.md").read_text()
    _, _, *rows = text[text.index(f"| {first}") :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_calls_that_lose_are_as_many_and_as_large_as_the_document_says() -> None:
    """Of what ships, before advice leaves them out: made once in a hundred times at least, losing more than 1 mt."""
    rows = []
    for cards in (1, 2, 3, 4):
        hands = np.zeros(6, dtype=int)
        worst = np.zeros(6)
        lost = np.zeros(6)
        count = 0
        for rank in UP_RANKS:
            stored = shipped(cards, rank)
            assert stored.values is not None
            values = stored.values.astype(float)
            weights = make_deals(cards, stored.up).weights
            first = 0
            count += len(values)
            for place, (_, part) in enumerate(stored.strategies.arrays()):
                mix = np.stack([part, 1 - part], axis=1) if part.ndim == 1 else part
                won = values[:, first : first + mix.shape[1]]
                first += mix.shape[1]
                losses = won.max(1, keepdims=True) - won
                loses = losses > MOST_LOSS
                hands[place] += int((loses & (mix >= 0.01)).any(1).sum())
                worst[place] = max(worst[place], (losses * (loses & (mix >= 0.01))).max())
                lost[place] += weights @ (mix * losses * loses).sum(1) / weights.sum() / len(UP_RANKS)
        for place in (0, 3, 1, 5, 2, 4):  # in the order of the auction
            rows.append(
                [str(cards), f"{hands[place]:,} of {count:,}", f"{1e3 * worst[place]:.1f}", f"{1e3 * lost[place]:.3f}"]
            )
    assert [[row[0], *row[2:]] for row in rows_of_document("cards | decision")] == rows


def test_the_spread_of_two_solutions_is_as_the_document_says() -> None:
    """Points, the mean of all hands and the 95 % quantile, by size, up-card and decision."""
    rows = []
    for cards in (1, 2, 3):
        for row in up_card_rows(f"exact-bidding-{cards}"):
            spread = {
                name: (100 * float(row[f"{name}_spread"]), 100 * float(row[f"{name}_spread_most"]))
                for name in DECISION_NAMES
            }
            names = ("accept", "answer", "name", "left", "discard")
            rows.append(
                [str(cards), row["up"][0], *(f"{mean:.2f} ({most:.2f})" for mean, most in map(spread.get, names))]
            )
    assert rows_of_document("cards | up-card") == rows
    assert all("accept_spread" not in row for row in up_card_rows("exact-bidding-4"))


@pytest.mark.parametrize(("hand", "up"), [("AC JD 9H TH", "JS"), ("JD JH KH AH", "AS")])
def test_hands_whose_mixes_were_not_learnt(hand: str, up: str) -> None:
    """Their second rounds gave 48 % to a suit 14 points worse, 19 % to a pass below every suit."""
    for seat in ("nondealer", "dealer"):
        answer = ask_upcard(hand, up, seat, second_round=True)
        assert answer.mix is not None
        towers = {call: answer.tower(call) for call in answer.actions}
        lost = sum(share * (max(towers.values()) - towers[call]) for call, share in answer.mix.probabilities.items())
        assert lost < 2e-3
