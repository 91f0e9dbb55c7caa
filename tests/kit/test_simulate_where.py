"""`simulate --where`: only deals that fit are played, and all that fit alike."""

from __future__ import annotations

import numpy as np
import pytest

from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.games.errors import DealError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.batch import BatchRequest
from towerlab.sim.towers_and_bowers import simulate_units

OPTIONS = TowersAndBowersOptions(first_n=3)
VALUES = deal_values(OPTIONS)


def hands(units: int, opponent: str = "pimc", where: str = "") -> tuple[np.ndarray, np.ndarray]:
    seed = np.random.SeedSequence(5)
    return simulate_units(BatchRequest(("pimc", opponent), 0, units, seed, "hand", None, OPTIONS, where), VALUES)


def dealers_share(winners: np.ndarray) -> float:
    return float(
        (winners == np.arange(len(winners)) % 2).mean()
    )  # in unit u the player u % 2 sits in seat 0, and deals


def test_a_condition_that_everything_fits_changes_nothing_but_the_cards() -> None:
    free, _ = hands(4000)
    fits, _ = hands(4000, where="trumps(dealer) >= 0")
    assert dealers_share(fits) == pytest.approx(dealers_share(free), abs=0.04)


def test_the_dealer_with_the_best_trumps_wins_and_seats_rotate() -> None:
    winners, towers = hands(100, "novice", where="holds(dealer, JS, JC, AS)")
    assert dealers_share(winners) == 1.0
    assert towers.sum() == 100 and set(winners[:2]) == {0, 1}


def test_the_non_dealer_can_be_favoured_too() -> None:
    winners, _ = hands(200, where="trumps(nondealer) == 3 and trumps(dealer) == 0")
    assert dealers_share(winners) < 0.3


def test_what_no_deal_fits_is_refused() -> None:
    with pytest.raises(DealError, match="no deal fits"):
        hands(1, where="trumps(dealer) >= 3 and trumps(nondealer) >= 4")
