"""The studies of Towie: what they deal, count and conclude."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.study import parse_parameters, run_study
from analysis.towie.contracts import Contract, Table
from analysis.towie.exposed import Chooser, contract_kind, high_card_points, look_at_hand, slope_interval
from analysis.towie.goulash import ARMS, ORDINARY, deal_hands, game_tricks, games_and_slams, suit_lengths
from analysis.towie.studies import STUDIES
from games.cards import DECK_52, SUIT_BITS, parse_mask
from games.pbn import parse_hand
from games.towie.auction import parse_call
from games.towie.options import TowieOptions


def test_to_7_tricks_of_the_lowest_games() -> None:
    assert game_tricks() == (11, 11, 10, 10, 9)  # C D H S NT


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_deals_whole_packs(name: str) -> None:
    deals = deal_hands(ARMS[name], 50, np.random.default_rng(1))
    assert (np.bitwise_count(deals) == 13).all() and (np.bitwise_or.reduce(deals, axis=1) == DECK_52).all()


def test_to_9_a_goulash_makes_long_suits() -> None:
    """An ordinary hand's longest suit has 4.9 cards in the mean (counted over all hands: 4.8957)."""
    random = np.random.default_rng(2)
    plain, goulash = (suit_lengths(deal_hands(ARMS[name], 1500, random)) for name in (ORDINARY, "goulash"))
    assert (plain.sum(axis=2) == 13).all() and (np.diff(plain, axis=2) <= 0).all()
    assert abs(plain[:, :, 0].mean() - 4.8957) < 0.05
    assert goulash[:, :, 0].mean() > 5.8


def test_games_and_slams_of_a_deal_that_can_be_seen() -> None:
    """Each of dealer, left and right holds a whole suit and declares in it: three grand slams."""
    deals = np.array([[SUIT_BITS << 39, SUIT_BITS << 26, SUIT_BITS, SUIT_BITS << 13]], dtype=np.int64)
    games, slams = games_and_slams(deals)
    assert (games.tolist(), slams.tolist()) == ([3], [3])


def test_a_chooser_never_looks_at_the_layout_he_is_paid_on() -> None:
    chooser = Chooser(Table(TowieOptions(honours=False)))
    tricks = np.full((3, 5), 5, dtype=np.int64)
    tricks[0] = 13  # all tricks on the first layout only
    points = chooser.points(tricks)
    best = [chooser.contracts[index] for index in chooser.best_without_each(points)]
    assert best[0] is None  # the others say that nothing makes
    assert best[1] is not None and best[2] is not None
    assert points[0].max() == 7 * 35 + 500 + 1000


def test_hands_are_looked_at_in_pairs_of_layouts() -> None:
    rows = look_at_hand(parse_hand("AKQJT98765432..."), parse_mask("2C 3C 4C 5C 6C 7C"), 3, np.random.default_rng(1))
    assert len(rows) == 3
    for row in rows:  # thirteen spades take thirteen tricks opposite anything
        assert row["seen_contract"] == row["blind_contract"] == "slam"
        assert row["seen_points"] == 7 * 30 + 500 + 1000 and row["seen_made"] and row["tricks_gained_fit"] == 0
    assert high_card_points(parse_mask("AS KS QS JS TS AH JD")) == 15
    assert [contract_kind(c) for c in (None, Contract(parse_call("5C")), Contract(parse_call("3NT")))] == [
        "no bid",
        "minor suit",
        "no trump",
    ]


def test_slope_interval_holds_a_known_slope() -> None:
    x = np.arange(200) % 10
    y = 2.0 * x + np.random.default_rng(1).normal(size=200)
    slope, low, high = slope_interval(x, y)
    assert low < 2.0 < high and abs(slope - 2) < 0.1


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("goulash", ["chunks_per_arm=1", "deals=60", "solved=2"]),
        ("exposed", ["chunks=2", "hands=1", "layouts=2"]),
    ],
)
def test_studies_say_how_sure_they_are(tmp_path: Path, name: str, sizes: list[str]) -> None:
    study = STUDIES[name]
    parameters = parse_parameters(study, sizes)
    result = run_study(study, tmp_path / "one", seed=2, jobs=1, quiet=True, parameters=parameters)
    assert "95 %" in result.summary["finding"]
    if name == "goulash":
        shapes, contracts = result.tables["shapes"], result.tables["contracts"]
        assert list(shapes["arm"]) == list(ARMS) and (shapes["deals"] == 60).all() and (contracts["deals"] == 2).all()
        assert (contracts["slam"] <= contracts["game"]).all() and (contracts["two"] <= contracts["game"]).all()
        longest = result.tables["longest"].groupby("arm")["share"].sum()
        assert longest.to_numpy() == pytest.approx(np.ones(len(ARMS)))
    else:
        worth, contracts = result.tables["worth"], result.tables["contracts"]
        assert worth["hands"].iloc[0] == 2 == worth["hands"].iloc[1:].sum()
        assert contracts.groupby("bidder")["share"].sum().to_numpy() == pytest.approx([1, 1])
