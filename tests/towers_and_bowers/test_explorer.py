"""The answer book of the explorer: the batch pass, its packing and the study, against `ask_upcard` one by one."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import exhaustive
from towerlab.analysis.study import run_study
from towerlab.analysis.towers_and_bowers.answers import SEATS, ContractValue
from towerlab.analysis.towers_and_bowers.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.ranges import policy_calls, range_of
from towerlab.analysis.towers_and_bowers.report.explorer import pack
from towerlab.analysis.towers_and_bowers.studies.answer_book import (
    ANSWER_BOOK,
    BOOK_DIGITS,
    FIRST_CALLS,
    QUESTIONS,
    SECOND_CALLS,
    TABLE,
    answer_classes,
    count_classes,
    sample_answers,
)
from towerlab.analysis.towers_and_bowers.studies.call_rule import best_rules, rule_costs, stored_rules
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import holdings, kinds, other_jacks, stored_kinds, weights
from towerlab.analysis.towers_and_bowers.upcard import ask_discard, ask_upcard
from towerlab.games.cards import DECK_24, SUITS, card_text, effective_suit, mask_cards, mask_text
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards

SIZES = [1, 4]


def asked(hand: int, up: int, question: str, method: str | None = None):  # type: ignore[no-untyped-def]
    seat, number = question.split("_")
    return ask_upcard(mask_text(hand), card_text(up), seat, second_round=number == "2", method=method)


def check_row(row: dict[str, float]) -> None:
    """One row of the book against the command's answers."""
    hand = int(row["hand"])
    up = int(row["up"])
    held = [card_text(card) for card in mask_cards(hand)]
    for question in QUESTIONS:
        answer = asked(hand, up, question)
        open_answer = asked(hand, up, question, "pimc")
        calls = SECOND_CALLS if answer.second_round else FIRST_CALLS
        assert calls[int(row[f"{question}_call"])] == answer.recommend
        assert calls[int(row[f"{question}_open_call"])] == open_answer.recommend
        suit = SUITS[int(row[f"{question}_suit"])] if answer.second_round else "accept"
        contract = answer.actions[suit]
        assert isinstance(contract, ContractValue)
        told = [row[f"{question}_{name}"] for name in ("tower", "margin", "make", "open_margin")]
        expected = [answer.tower(answer.recommend), answer.gap, contract.make, open_answer.gap]
        assert told == pytest.approx(expected, abs=1e-10)
        if question == "dealer_1":
            assert held[int(row["dealer_1_discard"])] == contract.discard
            theirs = ask_discard(mask_text(hand), card_text(up), "them")
            assert held[int(row["dealer_1_their_discard"])] == theirs.recommend


FEW = [(1, 3), (2, 3), (3, 2), (4, 4)]
MANY = [exhaustive(4, 15)]


@pytest.mark.parametrize(("cards", "rows"), FEW + MANY)
def test_the_batch_pass_gives_what_the_command_answers(cards: int, rows: int) -> None:
    random = np.random.default_rng(cards)
    for up in up_cards()[:: 1 if cards < 5 or rows == 15 else 3]:
        first = int(random.integers(0, count_classes(cards) - rows))
        for row in answer_classes(cards, up, first, first + rows).to_dict("records"):
            check_row(row)  # type: ignore[arg-type]


def test_above_four_cards_hands_of_every_kind_are_drawn_and_played_out() -> None:
    up = up_cards()[3]
    drawn = sample_answers(5, up, 1, 20, 7)
    classes = make_deals(5, up).classes
    every = {(holding, int(jacks)) for holding, jacks in zip(holdings(classes), other_jacks(classes), strict=True)}
    hands = drawn["hand"].to_numpy()
    assert {(of, int(jacks)) for of, jacks in zip(holdings(hands), other_jacks(hands), strict=True)} == every
    assert drawn["pairs"].sum() == pytest.approx(weights(classes).sum())
    row = drawn.iloc[0]
    view = calling_view(int(row["hand"]), up, False)
    play = PlayedCalls(view, range_of(view, policy_calls), policy_calls, 20, 7, is_whole=False)
    assert (
        row["nondealer_1_margin"]
        == play.gap()
        == pytest.approx((row["nondealer_1_margin_1"] + row["nondealer_1_margin_2"]) / 2)
    )
    made = kinds(drawn.assign(cards=5))
    assert (made["low"] <= made["gap"]).all() and (made["hands"] == 1).all()


def test_rules_of_one_card_cost_what_every_deal_says(book: pd.DataFrame) -> None:
    found = rule_costs(book[book["cards"] == 1]).set_index(["seat", "trumps"])
    pairs = itertools.permutations(map(card_text, mask_cards(DECK_24)), 2)
    deals = pd.DataFrame([(card, up) for card, up in pairs if up[1] == "S"], columns=["hand", "up"])  # or its images
    for seat in SEATS:
        lost = dict.fromkeys(range(3), 0.0)
        accepts = dict.fromkeys(range(3), 0)
        for row in tl.upcard_many(deals, seat=seat, jobs=1).to_dict("records"):
            trumps = row["hand"][1] == "S" or row["hand"] == "JC"
            towers = {call: row[f"{call}_percent"] / 100 for call in ("accept", "pass")}
            for needed in range(3):
                call = "accept" if trumps >= needed else "pass"
                lost[needed] += max(towers.values()) - towers[call]
                accepts[needed] += call == "accept"
        for needed in range(3):
            assert found.loc[(seat, needed), "cost_mt"] == pytest.approx(1000 * lost[needed] / 138, abs=1e-3)
            assert found.loc[(seat, needed), "accepts"] == pytest.approx(accepts[needed] / 138, abs=1e-6)


def test_the_rules_that_ship_are_those_of_the_book(book: pd.DataFrame) -> None:
    shipped = stored_rules()
    assert shipped["cards"].unique().tolist() == [1, 2, 3, 4, 5, 6, 7]
    for cards in SIZES:
        made = rule_costs(book[book["cards"] == cards]).reset_index(drop=True)
        stored_part = shipped[shipped["cards"] == cards].reset_index(drop=True)
        pd.testing.assert_frame_equal(made[list(shipped)], stored_part, atol=1e-3)
    assert len(best_rules(shipped)) == 14


def test_the_kinds_that_ship_are_those_of_the_book(book: pd.DataFrame) -> None:
    rounded = book.round(BOOK_DIGITS)
    words = ["decides", "example"]  # equals may change places
    made, shipped = (
        frame[frame["cards"].isin(SIZES)].reset_index(drop=True).drop(columns=words).astype({"cards": int})
        for frame in (kinds(rounded), stored_kinds())
    )
    pd.testing.assert_frame_equal(made[list(shipped)], shipped, atol=0.02, check_dtype=False)


def test_kinds_count_hands_card_by_card(book: pd.DataFrame) -> None:
    whole = kinds(book)
    pack_ = [card for card in mask_cards(DECK_24) if card_text(card) != "QS"]
    found = 0
    for cards in itertools.combinations(pack_, 4):
        jacks = sum(card_text(card) in ("JD", "JH") for card in cards)
        found += jacks == 1 and not any(effective_suit(card, 3, True) == 3 for card in cards)
    kind = "cards == 4 and seat == 'dealer' and other_jacks == 1 and holding == 'none' and up == 'Q'"
    row = whole.query(kind).iloc[0]
    assert row["pairs"] == 4 * found
    lost = row["passing_costs"] - row["accepting_costs"]
    assert lost == pytest.approx(row["gap"], abs=0.01)


def test_the_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    parameters = {"most_cards": 1}
    first = run_study(ANSWER_BOOK, tmp_path / "book", jobs=1, quiet=True, parameters=parameters).tables[TABLE]
    again = run_study(ANSWER_BOOK, tmp_path / "book", jobs=1, resume=True, quiet=True, parameters=parameters)
    pd.testing.assert_frame_equal(first, again.tables[TABLE], check_dtype=False)
    assert len(first) == 102
    assert set(pack(first)) == {1}


def test_the_study_refuses_a_hand_of_eight_cards(tmp_path: Path) -> None:
    with pytest.raises(TowerlabError, match="most_cards=8 is no hand size; expected 1 to 7"):
        run_study(ANSWER_BOOK, tmp_path, quiet=True, parameters={"most_cards": 8})
