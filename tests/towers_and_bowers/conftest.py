"""What several files of this game's tests look at."""

import pandas as pd
import pytest

from towerlab.analysis.towers_and_bowers.studies.answer_book import answer_classes, count_classes
from towerlab.solver.towers_and_bowers.bidding import up_cards

BOOK_SIZES = (1, 4)


@pytest.fixture(scope="session")
def book() -> pd.DataFrame:
    """The explorer's answer book of `BOOK_SIZES` cards."""
    tables = [
        answer_classes(cards, up, 0, count_classes(cards)).assign(cards=cards)
        for cards in BOOK_SIZES
        for up in up_cards()
    ]
    return pd.concat(tables, ignore_index=True)
