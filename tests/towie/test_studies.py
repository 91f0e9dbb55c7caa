"""The studies of Towie: what they deal, count and conclude."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.towie.contracts import Contract, TowieStakes
from towerlab.analysis.towie.exposed import Chooser, contract_kind, judge, look_at_hand
from towerlab.analysis.towie.goulash import ARMS, ORDINARY, deal_hands, game_tricks, games_and_slams, suit_lengths
from towerlab.analysis.towie.layouts import sample_pairs, solve_tricks
from towerlab.analysis.towie.played import hindsight_gain, play_games, statistics
from towerlab.analysis.towie.studies import STUDIES
from towerlab.games.cards import DECK_52, SUIT_BITS, parse_mask
from towerlab.games.pbn import parse_hand
from towerlab.games.towie.auction import parse_call
from towerlab.games.towie.options import TowieOptions

from tests.oracles.towie_tables import parse_contract


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


def test_a_chooser_never_looks_at_the_layout_they_are_paid_on() -> None:
    chooser = Chooser(TowieStakes(TowieOptions(honours=False)))
    tricks = np.full((3, 5), 5, dtype=np.int64)
    tricks[0] = 13  # all tricks on the first layout only
    points = chooser.points(tricks)
    best = [chooser.contracts[index] for index in chooser.best_without_each(points)]
    assert best[0] is None  # the others say that nothing makes
    assert best[1] is not None and best[2] is not None
    assert points[0].max() == 7 * 35 + 500 + 1000


def test_hands_are_looked_at_in_pairs_of_layouts() -> None:
    hand, six = parse_hand("AKQJT98765432..."), parse_mask("2C 3C 4C 5C 6C 7C")
    rows = look_at_hand(hand, six, 3, np.random.default_rng(1), TowieOptions())
    assert len(rows) == 3
    for row in rows:  # thirteen spades take thirteen tricks opposite anything
        assert row["seen_contract"] == row["blind_contract"] == "slam"
        assert row["seen_points"] == 6 * 30 + 500 + 500 and row["seen_made"] and row["game"] and row["game_average"]
    (row,) = look_at_hand(hand, six, 1, np.random.default_rng(1), TowieOptions(slam_bonus="none"))
    assert row["seen_points"] < 6 * 30 + 500 + 500
    assert [contract_kind(c) for c in (None, Contract(parse_call("5C")), Contract(parse_call("3NT")))] == [
        "no bid",
        "minor suit",
        "no trump",
    ]


def test_judging_a_layout_agrees_with_its_tricks() -> None:
    """Tricks are kept where they are the game's, one fewer or a slam's; all others stand for their neighbours."""
    deals = sample_pairs(parse_hand("AKQ94.AK3.QJ7.82"), parse_mask("JS 6S QH JH AC 4D"), 4, np.random.default_rng(3))[
        0
    ]
    needed = np.array(game_tricks())
    exact = np.stack([solve_tricks(deals, strain) for strain in range(5)], axis=1)
    expected = np.where(exact >= 12, 12, np.clip(exact, needed - 2, needed))
    assert judge(deals).tolist() == expected.tolist()


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


# ------------------------------------------------------------------------------------------------------ played games


@pytest.mark.parametrize(
    ("contract", "vulnerable", "tricks", "gain"),
    [
        ("4S", 0, 10, 0),
        ("4S", 0, 9, 50),  # better not bid: one down
        ("6S", 0, 10, 620 + 100),  # four would have made
        ("6S", 0, 12, 720 - 1180),  # a slam made: 180 + 500 + 500 against 4S+2
        ("4SX", 1, 7, 1000),
        ("2SX", 0, 8, -670),  # nobody bids two spades for a game, but it was one
    ],
)
def test_hindsight_compares_with_the_lowest_game(contract: str, vulnerable: int, tricks: int, gain: int) -> None:
    bid, doubling = parse_contract(contract)
    assert hindsight_gain(bid, doubling, vulnerable, tricks, TowieOptions()) == gain


def test_played_games_add_up() -> None:
    deals = play_games(["novice"] * 5, 40, np.random.SeedSequence(4))
    games = deals.groupby("game")
    assert len(games) == 40 and (games["deals_played"].first() == games.size()).all()
    assert (games["made"].sum() <= 6).all()  # five players with one game each and the sixth ends it
    assert (deals["active"].map(int.bit_count) == 3).all()
    assert (deals["active_vulnerable"] <= deals["vulnerable_players"].clip(upper=3)).all()
    first = games.first()
    assert (first["vulnerable_players"] == 0).all() and (first["vulnerable"] == 0).all()
    found = statistics(deals, 5)
    assert 3 / 5 > found["vulnerable_active"].mean > 0  # TO-20 keeps vulnerable players out
    assert found["other_active"].mean > 3 / 5
    assert found["made"].mean == pytest.approx(deals["made"].mean())


def test_auction_study_compares_tables(tmp_path: Path) -> None:
    study = replace(STUDIES["auction"], warm_up=None)
    parameters = parse_parameters(study, ["games=60", "pimc_games=0"])
    result = run_study(study, tmp_path / "a", seed=1, jobs=1, quiet=True, parameters=parameters)
    table = result.tables["statistics"].set_index(["arm", "statistic"])["mean"]
    assert table["3 novices", "played"] < table["4 novices", "played"] < table["5 novices", "played"]
    assert table["5 novices", "vulnerable_active"] < 0.6 < table["5 novices", "other_active"]
    contracts = result.tables["contracts"]
    assert contracts.groupby("arm")["share"].sum().to_numpy() == pytest.approx(np.ones(contracts["arm"].nunique()))
    assert "where 60 % would be that player's share" in result.summary["finding"]
