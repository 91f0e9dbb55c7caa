"""Answers by the solution, and against a player: what ships, brute force, renaming of suits, faults."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Answer, exhaustive
from tests.oracles import naive, naive_upcard
from tests.oracles.call_values import call_values
from towerlab.analysis.decision import INDIFFERENT
from towerlab.analysis.towers_and_bowers.answers import ContractValue, DiscardAnswer, losses_of_values
from towerlab.analysis.towers_and_bowers.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.shipped import FOLDER_VARIABLE, stamp_files
from towerlab.analysis.towers_and_bowers.stored_bidding import load_bidding, pack_archive
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard, best_method, value_discards
from towerlab.analysis.towers_and_bowers.whole_strategies import load_strategy
from towerlab.games.cards import card_text, parse_card, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import uncompiled
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.info_state import NO_SUIT, make_model
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, plan_bids
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_card_classes, value_columns
from towerlab.solver.towers_and_bowers.whole_hand.arrays import card_numbers
from towerlab.solver.towers_and_bowers.whole_hand.strategies import as_strategy

DATA = Path(__file__).parents[2] / "analysis" / "towers_and_bowers" / "data"


@pytest.mark.parametrize("cards", range(1, 5))
def test_what_ships_is_whole(cards: int) -> None:
    for rank in range(7, 13):
        stored = load_bidding(cards, rank)  # checks its checksum
        classes = up_card_classes(cards)
        assert (stored.hands == classes.hands[classes.ups == stored.up]).all()
        assert len(stored.strategies.accepts) == len(stored.hands)
        for _, array in stored.strategies.arrays():
            assert (array >= 0).all()
            assert array.ndim == 1 or np.allclose(array.sum(1), 1, atol=1e-6)


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(DATA / "exact-bidding-1-up-cards.csv", tmp_path)
    stamp_files(tmp_path, "exact-bidding-1.npz", "exact-bidding-1-up-cards.csv")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with np.load(DATA / "exact-bidding-1.npz") as stored:
        arrays = dict(stored)
    arrays["9S-shares"][0, 0] = 10_000 - arrays["9S-shares"][0, 0]
    for content in (pack_archive(arrays), (DATA / "exact-bidding-1.npz").read_bytes()[:-100], b"", b"not an archive"):
        (tmp_path / "exact-bidding-1.npz").write_bytes(content)
        with pytest.raises(TowerlabError, match="damaged"):
            load_bidding.__wrapped__(1, 7)


def discard_of(hand: int, up: int, asker_bids: bool) -> DiscardAnswer:
    options = TowersAndBowersOptions()
    return value_discards(hand, up, asker_bids, options, best_method(hand.bit_count(), options))


def towers(answer: Any) -> dict[str, float]:
    return {name: answer.tower(name) for name in answer.actions}


@pytest.mark.parametrize("cards", [1, 2])
def test_where_the_game_is_solved_answers_are_its_own(cards: int) -> None:
    """Against the whole strategy that ships, whose play the model does not know."""
    rng = random.Random(cards)
    for _ in range(3):
        up = rng.choice("9TJQKA") + "S"
        hand = [card for card in rng.sample(naive.PACK, cards + 1) if card != up][:cards]
        rank = parse_card(up) % 13
        game, strategy = load_strategy(cards, rank)
        stored = load_bidding(cards, rank)
        assert stored is not None
        numbers = card_numbers(rank)
        deals = make_deals(cards, stored.up)
        strategy = as_strategy(game, rank, deals, stored.strategies, strategy.play, stored.floor)
        held = sorted(numbers.index(parse_card(card)) for card in hand)
        number = game.members[cards, : int(game.sets[cards]), :cards].tolist().index(held)
        found = call_values(game, strategy, np.array([number]))[0].tolist()
        values = dict(zip(value_columns(cards), found, strict=True))
        rounds = [("nondealer", False, {"accept": "accept", "pass": "pass"})]
        rounds += [("nondealer", True, {"C": "name_C", "D": "name_D", "H": "name_H", "pass": "name_pass"})]
        rounds += [("dealer", False, {"accept": "answer", "pass": "answer_pass"})]
        rounds += [("dealer", True, {"C": "left_C", "D": "left_D", "H": "left_H"})]
        for seat, second_round, names in rounds:
            answer = ask_upcard(" ".join(hand), up, seat, second_round=second_round)
            assert answer.mix.values_of == "game"
            expected = {call: values[column] for call, column in names.items() if not np.isnan(values[column])}
            assert {call: answer.tower(call) for call in expected} == pytest.approx(expected, abs=2e-5)
            assert answer.mix.costs[answer.mix.usual] < 1e-3  # the most frequent call is a best one
        for asker_bids, stem in ((False, "discard"), (True, "own_discard")):
            told = discard_of(parse_mask(" ".join(hand)), parse_card(up), asker_bids)
            for place, card in enumerate(held, 1):
                value = values[f"{stem}_{place}"]
                assert told.values[card_text(numbers[card])] == pytest.approx(value, abs=2e-5)


def test_indifferent_choices_cost_nothing() -> None:
    values = {"accept": 0.5, "pass": 0.5 + 0.9 * INDIFFERENT, "S": 0.5 - 2 * INDIFFERENT}
    assert losses_of_values(values, "pass").of == pytest.approx(
        {"accept": 0.9 * INDIFFERENT, "pass": 0, "S": 2.9 * INDIFFERENT}
    )
    assert losses_of_values(values, "pass", True).of == pytest.approx({"accept": 0, "pass": 0, "S": 2.9 * INDIFFERENT})


@pytest.mark.parametrize("second_round", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize(("cards", "player"), [(1, "random"), (1, "pimc"), (2, "novice"), exhaustive(2, "family")])
def test_against_a_player_equals_brute_force(cards: int, player: str, seat: str, second_round: bool) -> None:
    rng = random.Random(f"{cards}{player}{seat}")
    dealt = rng.sample(naive.PACK, cards + 1)
    hand = frozenset(dealt[:-1])
    up = dealt[-1]
    options = TowersAndBowersOptions(tie_to="bidder")  # under the default rules calls are played out
    game = naive_upcard.OpenGame(cards, up, deal_value(cards - 1, options), options.hand_rules)
    others = frozenset(naive.PACK) - hand - {up}
    ways = {other: way_of_player(player, other, up, seat != "dealer") for other in naive.hands_of(others, cards)}
    expected = naive_upcard.best_answer(game, hand, seat == "dealer", ways, second_round)
    answer = ask_upcard(" ".join(hand), up, seat, second_round=second_round, against=player, options=options)
    reached = any((1 - way.accepts) * (way.names["pass"] if seat == "dealer" else 1) for way in ways.values())
    if second_round and not reached:
        pytest.skip("this player never lets it come to that")
    assert towers(answer) == pytest.approx(expected, abs=1e-9)
    assert answer.to_json()["against"] == player


def way_of_player(player: str, hand: frozenset[str], up: str, dealer: bool) -> naive_upcard.Way:
    suits = [suit for suit in "CDHS" if suit != up[1]]
    if player == "random":
        calls = suits if dealer else [*suits, "pass"]
        alike = {card: 1 / len(hand) for card in hand}
        return naive_upcard.Way(0.5, {"pass": 0.0, **{call: 1 / len(calls) for call in calls}}, alike, alike)
    mate = {"C": "S", "S": "C", "D": "H", "H": "D"}
    others = [suit for suit in suits if suit != mate[up[1]]]
    both = [
        _asked_with_a_spade(player, hand, up, dealer, up[1] + mate[up[1]] + "".join(o)) for o in (others, others[::-1])
    ]
    names, *discards = (
        {name: (one.get(name, 0) + other.get(name, 0)) / 2 for name in one | other}
        for one, other in zip(both[0][1:], both[1][1:], strict=True)
    )
    return naive_upcard.Way((both[0][0] + both[1][0]) / 2, names, *discards)


def _asked_with_a_spade(
    player: str, hand: frozenset[str], up: str, dealer: bool, order: str
) -> tuple[float, dict[str, float], dict[str, float], dict[str, float]]:
    """The player's bids once the suits in this order are called S, C, D, H, in the suits of the question."""
    there = str.maketrans(order, "SCDH")
    back = str.maketrans("SCDH", order)
    options = TowersAndBowersOptions()
    model = make_model(options, deal_values(options))
    renamed = [card[0] + card[1].translate(there) for card in (*hand, up)]
    asked = parse_mask(" ".join(renamed[:-1])), parse_card(renamed[-1])
    plan = uncompiled(plan_bids)(
        PLAYER_IDS[player], *asked, dealer, options.hand_rules, model, np.random.default_rng(0)
    )
    names = dict.fromkeys((*order[1:], "pass"), 0.0)
    names["pass" if plan.names == NO_SUIT else "CDHS"[plan.names].translate(back)] = 1.0
    given = [card_text(card) for card in (plan.discard_for_other, plan.discard)] if dealer else []
    discards = [{card[0] + card[1].translate(back): 1.0} for card in given] or [{}, {}]
    return float(plan.accepts), names, *discards


def test_without_a_solution_pimc_answers_and_says_so(inside: Callable[..., Answer]) -> None:
    asked = ("upcard", "--hand", "KH QH", "--up", "9D", "--seat", "dealer", "--option", "tie_to=bidder", "--json")
    answer = inside(*asked)
    assert answer.json["method"] == "pimc"
    assert "pimc answers" in answer.stderr
    assert isinstance(ask_upcard("KH QH", "9D", "dealer", method="pimc").actions["accept"], ContractValue)


@pytest.mark.slow
def test_a_check_counts_what_is_done(inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.analysis.present.progress.SECONDS_BETWEEN_LINES", 0.0)
    answer = inside("value", "--cards", "2", "--check", "--json")
    (entry,) = answer.json["values"]
    assert entry["exploitability"] < 1e-7  # of the run without floors, which W(2) is of
    assert entry["checked"] == pytest.approx(entry["floored"]["without_floor"], rel=1e-6)
    assert entry["checked"] < 1e-5 and abs(entry["dealer"] - entry["floored"]["dealer"]) < entry["floored"]["floor"]
    told = [line for line in answer.stderr.splitlines() if line.startswith("best responses, 2 cards: ")]
    told = [line for line in told if " 0 of " not in line]  # the first chunk compiles for all
    assert len(told) >= 5 and all(line.endswith(" left") for line in told[1:])


def test_a_check_that_is_impossible_is_refused(
    inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = inside("value", "--check", "--json").json
    assert [entry["cards"] for entry in told["values"] if "checked" in entry] == [1, 2]
    assert list(told["unchecked"]) == [str(entry["cards"]) for entry in told["values"]][2:]
