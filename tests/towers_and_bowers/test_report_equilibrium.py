"""The page on what the deal is worth: it adds up, and how often decisions are reached is right."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.catalog import find_report
from analysis.report.checks import ReportError, run_checks
from analysis.report.render import render_page
from analysis.towers_and_bowers.report.equilibrium import EQUILIBRIUM_PAGE, build_page
from analysis.towers_and_bowers.report.equilibrium.data import DisjointMeans, guarantees
from analysis.towers_and_bowers.report.equilibrium.page import _checks_of_guarantees, with_prices
from games.errors import TowerlabError
from solver.towers_and_bowers.bidding import make_deals, up_cards


@pytest.mark.parametrize("cards", [1, 2])
def test_means_over_hands_that_share_no_card(cards: int) -> None:
    up = up_cards()[2]
    deals = make_deals(cards, up)
    values = np.random.default_rng(cards).random(len(deals.classes))
    means = DisjointMeans(deals.classes, up, cards).mean(values)
    for own, mean in zip(deals.classes[::7].tolist(), means[::7].tolist(), strict=True):
        apart = [
            values[row] for hand, row in zip(deals.hands.tolist(), deals.row.tolist(), strict=True) if not hand & own
        ]
        assert mean == pytest.approx(np.mean(apart), abs=1e-12)


def test_the_page_of_small_hands_adds_up() -> None:
    page = build_page(sizes=(1, 2), measured=2)
    html = render_page(page)
    assert [figure.name for figure in page.figures()] == ["value-of-the-deal", "value-by-up-card", "hidden-play"]
    assert "W(1), game" in html
    assert "disagreement with perfect information" in html
    seven = next(page.figures()).frame.set_index("cards").loc[7]
    assert seven["dealer"] == pytest.approx(0.5688, abs=1e-4)
    assert seven["perfect_information"] == pytest.approx(0.582, abs=1e-3)


def test_accepting_everything_costs_nothing_at_odd_sizes_and_much_at_even_ones() -> None:
    one, two = guarantees(1), guarantees(2)
    assert one is not None and two is not None
    assert with_prices(one)["nondealer_price"].iloc[2] == pytest.approx(0, abs=1e-6)
    assert with_prices(two)["nondealer_price"].iloc[2] > 100
    one.loc[2, "nondealer"] -= 0.01
    with pytest.raises(ReportError, match="accepting every up-card"):
        run_checks(_checks_of_guarantees(one))


def test_a_page_is_found_by_its_name() -> None:
    assert find_report("towers-and-bowers", "equilibrium") is EQUILIBRIUM_PAGE
    with pytest.raises(TowerlabError, match="no page 'equilibrum'"):
        find_report("towers-and-bowers", "equilibrum")
    with pytest.raises(TowerlabError, match="no further pages"):
        find_report("towers", "equilibrium")
