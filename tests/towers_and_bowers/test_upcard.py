"""`analysis.towers_and_bowers.upcard` against brute force, and the command `towerlab upcard` as people and
programs use it."""

from __future__ import annotations

import random
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import towerlab as tl
from tests.conftest import exhaustive
from tests.kit.test_questions import check_rows
from tests.oracles import naive, naive_upcard
from tests.oracles.renamings import canonical
from towerlab.analysis.decision import CHANCES
from towerlab.analysis.towers_and_bowers.answers import METHODS
from towerlab.analysis.towers_and_bowers.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.position import OpponentFacts
from towerlab.analysis.towers_and_bowers.rollouts import TABLE_ROLLOUTS
from towerlab.analysis.towers_and_bowers.upcard import ask_upcard, read_question
from towerlab.games.cards import DECK_24, card_text, cards_mask, mask_cards
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding import suit_renamings, up_card_classes
from towerlab.solver.towers_and_bowers.layout_counts import dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.upcard import open_bidding

CLOSE = pytest.approx
UP = 51  # the ace of spades


def random_question(rng: random.Random, cards: int) -> tuple[frozenset[str], str]:
    dealt = rng.sample(naive.PACK, cards + 1)
    return frozenset(dealt[:-1]), dealt[-1]


def check(
    hand: frozenset[str], up: str, seat: str, second_round: bool, known: OpponentFacts | None = None, **options: Any
) -> None:
    """Every output of one question equals brute force."""
    told = known or OpponentFacts()
    words = {key: set("".join(text).split()) for key, text in told.items()}  # type: ignore[arg-type]
    seen, voids, holds = (words.get(key, set()) for key in ("seen", "opponent_void", "opponent_holds"))
    rules = TowersAndBowersOptions(**options)
    cards = len(hand)
    game = naive_upcard.OpenGame(
        cards,
        up,
        deal_value(cards - 1, rules) if cards > 1 else 0.0,
        rules.hand_rules,
        deal_value(cards, rules),
    )
    fits = lambda other: not other & seen and other >= holds and not {card[1] for card in other} & voids  # noqa: E731
    expected = naive_upcard.answer(game, hand, seat, second_round, fits)
    asked = {"second_round": second_round, "method": "pimc", "options": rules} | told
    found = ask_upcard(" ".join(hand), up, seat, **asked).to_json()  # type: ignore[arg-type]
    assert found["layouts"] == expected["layouts"]
    assert found["actions"].keys() == expected["actions"].keys()
    for name, action in expected["actions"].items():
        verdict = found["actions"][name].pop("verdict")
        assert found["actions"][name] == CLOSE(action, abs=1e-11), name
        cost = 1000 * (max(other["tower"] for other in expected["actions"].values()) - action["tower"])
        assert verdict in (("best", "as good") if cost < CHANCES.tolerance + 1e-9 else ("worse",)), (
            name,
            verdict,
            cost,
        )
    assert len(found["contracts"]) == len(expected["contracts"])
    for one, other in zip(found["contracts"], expected["contracts"], strict=True):
        assert one == CLOSE(other, abs=1e-11)
    towers = {name: action["tower"] for name, action in expected["actions"].items()}
    best = towers.pop(found["recommend"])
    assert best >= max(towers.values()) - 1e-11
    if second_round:
        assert found["margin"] == CLOSE(best - max(towers.values()), abs=1e-11)
    else:
        actions = expected["actions"]
        assert found["margin"] == CLOSE(actions["accept"]["tower"] - actions["pass"]["tower"], abs=1e-11)


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
def test_known_cards_equal_brute_force(seat: str) -> None:
    rng = random.Random(f"known{seat}")
    for cards in (1, 2, 2, 3):
        hand, up = random_question(rng, cards)
        card, gone, *_ = rng.sample(sorted(set(naive.PACK) - hand - {up}), 3)
        void = next(suit for suit in "SHDC" if suit != card[1])
        for known in ({"opponent_holds": card}, {"seen": f"{gone} {up}", "opponent_void": void}):
            check(hand, up, seat, cards != 1 and rng.random() < 0.5, OpponentFacts(**known))  # type: ignore[typeddict-item]


def test_what_is_known_is_said_and_answered_in_tables() -> None:
    asked = {"hand": "JS AS 9D TC", "up": "QS", "seat": "dealer", "opponent_holds": "KS", "opponent_void": "C"}
    answer = tl.upcard(**asked)
    told = tl.upcard(**asked).to_json()["known"]
    assert told["holds"] == ["KS"] and {"KC", "JC", "QS"} <= set(told["lacks"]) and "KH" not in told["lacks"]
    assert answer.method == "self-play" and answer.mix is None
    assert "hands the non-dealer can hold, by what you know, weighted by the bids" in " ".join(str(answer).split())
    row = tl.upcard_many(pd.DataFrame([asked, asked | {"opponent_void": "S"}]), jobs=1)
    assert row["layouts"][0] == answer.layouts == comb(13, 3) and "said to hold KS and to be void" in row["error"][1]


@pytest.mark.parametrize("second_round", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
@pytest.mark.parametrize(("cards", "count"), [(1, 8), (2, 5), (3, 1), exhaustive(3, 4)])
def test_pimc_equals_brute_force(cards: int, count: int, seat: str, second_round: bool) -> None:
    rng = random.Random(f"{cards}{seat}{second_round}")
    for _ in range(count):
        check(*random_question(rng, cards), seat, second_round)


@pytest.mark.parametrize(
    "option", [{"tie_to": "bidder"}, {"allow_discard_upcard": True}, {"force_dealer_to_name": False}], ids=str
)
@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
def test_rule_options_count(option: dict[str, Any], seat: str) -> None:
    rng = random.Random(str(option))
    for second_round in (False, True):
        check(*random_question(rng, 2), seat, second_round, **option)


@given(st.randoms(use_true_random=False), st.integers(1, 7), st.booleans())
@settings(max_examples=25)
def test_every_layout_is_counted_once(rng: random.Random, cards: int, dealer: bool) -> None:
    dealt = rng.sample(mask_cards(DECK_24), cards + 1)
    layouts = comb(23 - cards, cards)
    hands = np.array([cards_mask(dealt[:-1])])
    count = dealer_views if dealer else nondealer_views
    bidding = open_bidding(cards, [0.5] * 8, DEFAULT_RULES)
    views = count(hands, dealt[-1], None, bidding, DEFAULT_RULES)
    for name, counted in views._asdict().items():
        assert set(counted.sum(-1).ravel()) == {layouts if name.startswith("open_") else 0}, name


@pytest.mark.parametrize(
    ("cards", "classes"), [(1, 102), (2, 942), (3, 6_006), (4, 28_590), (5, 105_798), (6, 312_702), (7, 752_862)]
)
def test_the_classes_of_hand_and_up_card_are_those_counted_by_burnside(cards: int, classes: int) -> None:
    found = up_card_classes(cards)
    assert len(found.hands) == classes
    assert found.weights.sum() == comb(24, cards) * (24 - cards)
    hand = int(found.hands[classes // 3])
    up = int(found.ups[classes // 3])
    assert canonical(hand, up) == (hand, up)


@given(st.randoms(use_true_random=False), st.integers(1, 7), st.sampled_from(suit_renamings()))
def test_every_hand_has_one_class(rng: random.Random, cards: int, names: tuple[int, int, int, int]) -> None:
    dealt = rng.sample(mask_cards(DECK_24), cards + 1)
    other = [13 * names[card // 13] + card % 13 for card in dealt]
    first = canonical(cards_mask(dealt[:-1]), dealt[-1])
    assert first == canonical(cards_mask(other[:-1]), other[-1])
    classes = up_card_classes(cards)
    assert ((classes.hands == first[0]) & (classes.ups == first[1])).sum() == 1


def test_at_odd_sizes_passing_first_gains_nothing_when_all_cards_are_seen() -> None:
    rng = random.Random(3)
    for cards in (1, 3, 5):
        for _ in range(10):
            hand, up = random_question(rng, cards)
            assert ask_upcard(" ".join(hand), up, "nondealer", method="pimc").margin >= 0


# ----------------------------------------------------------------------------------------------------- the command


def test_a_table_equals_the_loop_row_by_row() -> None:
    """Both rounds, both seats, every hand size, many and few hands of a group; broken rows between them."""
    draw = random.Random(27)
    deck = mask_cards(DECK_24)
    rows: list[dict[str, Any]] = []
    for cards in (1, 2, 3, 4, 4, 4, 5, 6, 7):
        for _ in range(2):
            dealt = draw.sample(deck, cards + 1)
            question = {"hand": " ".join(map(card_text, dealt[1:])), "up": card_text(dealt[0])}
            for seat in ("dealer", "nondealer"):
                rows.append({**question, "seat": seat, "second_round": draw.random() < 0.5, "method": None})
    rows[3]["method"] = "pimc"
    rows[8]["method"] = "magic"
    rows[13]["hand"] = "JS JS"
    rows[30]["seat"] = "third"
    together = tl.upcard_many(pd.DataFrame(rows), jobs=1)
    assert len({*together} - {*rows[0], "version", "options"}) <= 27
    broken = check_rows(together, rows, lambda **row: read_question(**row).answer(rollouts=TABLE_ROLLOUTS))
    assert broken == [8, 13, 30]


@pytest.mark.parametrize("seat", ["dealer", "nondealer"])
def test_every_method_answers_a_small_question(seat: str) -> None:
    for method in METHODS:
        assert ask_upcard("JS AH KD", "QS", seat, method=method).method == method
