"""The up-card book: its rows are the answers of `upcard`, and what it says adds up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from towerlab.analysis.study import run_study
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import ContractValue, View
from towerlab.analysis.towers_and_bowers.upcard.book import BOOK, SEATS, book_rows
from towerlab.analysis.towers_and_bowers.upcard.open_cards import evaluate_view
from towerlab.games.cards import card_text
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.solver.towers_and_bowers.classes import up_card_classes


@pytest.mark.parametrize(("cards", "first"), [(1, 0), (2, 500), (3, 4000), (4, 20_000), (7, 400_000)])
def test_rows_are_the_answers_of_upcard(cards: int, first: int) -> None:
    for row in book_rows(cards, first, first + 6).itertuples():
        for seat in SEATS:
            answer = evaluate_view(View(int(row.hand), int(row.up), seat == "dealer"), False, TowersAndBowersOptions())
            accept = answer.actions["accept"]
            assert isinstance(accept, ContractValue)
            assert getattr(row, f"{seat}_accept") == pytest.approx(accept.tower, abs=1e-11)
            assert getattr(row, f"{seat}_sweep") == pytest.approx(accept.sweep, abs=1e-11)
            assert getattr(row, f"{seat}_swept") == pytest.approx(accept.swept, abs=1e-11)
            made = getattr(row, f"{seat}_make") + getattr(row, f"{seat}_sweep")
            assert made == pytest.approx(accept.make, abs=1e-11)
            assert getattr(row, f"{seat}_pass") == pytest.approx(answer.tower("pass"), abs=1e-11)
            if seat == "dealer":
                assert card_text(int(row.discard)) == accept.discard


@pytest.fixture(scope="module")
def whole_book() -> pd.DataFrame:
    return book_rows(3, 0, len(up_card_classes(3).ups))


def test_outcomes_add_up_to_the_values(whole_book: pd.DataFrame) -> None:
    worth = np.array([1.0, deal_value(2), 1 - deal_value(2), 0.0])
    for seat in SEATS:
        accepted = whole_book[[f"{seat}_{name}" for name in ("sweep", "make", "set", "swept")]].to_numpy()
        passed = whole_book[[f"{seat}_pass_{name}" for name in ("sweep", "ahead", "behind", "swept")]].to_numpy()
        assert np.allclose(accepted.sum(1), 1) and np.allclose(passed.sum(1), 1)
        assert np.allclose(accepted @ worth, whole_book[f"{seat}_accept"], atol=1e-11)
        assert np.allclose(passed @ worth, whole_book[f"{seat}_pass"], atol=1e-11)


def test_at_an_odd_size_the_non_dealer_never_gains_by_passing(whole_book: pd.DataFrame) -> None:
    assert (whole_book["nondealer_accept"] >= whole_book["nondealer_pass"]).all()
    value = (whole_book["weight"] * whole_book["nondealer_accept"]).sum() / whole_book["weight"].sum()
    assert value == pytest.approx(1 - deal_value(3), abs=1e-11)  # so accepting at once is all the deal is worth


def test_the_study_counts_every_pair_once(tmp_path: Path) -> None:
    result = run_study(BOOK, tmp_path / "book", parameters={"cards": 2}, jobs=1, quiet=True)
    assert result.summary["classes"] == len(result.tables["book"]) == 942
    assert result.summary["pairs"] == 6072
    assert (tmp_path / "book" / "book.parquet").exists()
