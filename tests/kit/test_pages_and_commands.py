"""The page of a report and a command give one number for a hand or a rule option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import ROOT, slow
from towerlab.analysis.bowers import report as bowers
from towerlab.analysis.catalog import find_game
from towerlab.analysis.report.prose import one_row
from towerlab.analysis.towers import report as towers
from towerlab.analysis.towie import report as towie
from towerlab.games.cards import mask_text
from towerlab.games.pbn import hand_text

Numbers = list[tuple[float, float]]


def published(game: str, name: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / "reports" / game / "tables" / f"{name}.csv")


@pytest.mark.parametrize("game", ["bowers", "towie", slow("towers"), "tower-war"])
def test_compare_says_what_the_published_page_does_of_a_rule_option(game: str) -> None:
    """Of the first one, which the command plays from the same seeds."""
    (part,) = (part for part in find_game(game).load("report").parts if part.study.name == "rule-options")
    row = published(game, "rule-options").iloc[0].to_dict()
    name, _, value = row["option"].partition("=")
    (change,) = tl.compare(game, {name: value}, games=row["n"], seed=part.seed, jobs=1, quiet=True).changes
    assert [change["option"], change["rule"]] == [row.pop("option"), row.pop("rule")]
    of_command = [change[key.removeprefix("interval_")] for key in row]
    expected = [float("nan") if number is None else number for number in of_command]
    assert [*row.values()] == pytest.approx(expected, nan_ok=True)


def less(rows: list[Mapping[str, Any]], key: str, value: str, first: str, other: str) -> float:
    """How much more a row of an answer has than another."""
    values = {row[key]: row[value] for row in rows}
    return float(values[first] - values[other])


def bowers_hand() -> Numbers:
    """The page's worked hand: the bid less a pass."""
    page = bowers.worked_hand(2)
    answer = tl.bid_bowers(mask_text(page["hand"]), kitties=page["n"], seed=page["seed"], jobs=1).to_json()
    bid = f"{page['bid']}{'CDHS'[page['trump']]}"
    text = " ".join((ROOT / "reports/bowers/index.html").read_text("utf-8").split())
    assert f"{page['mean']:+.1f} ({page['low']:+.1f} to {page['high']:+.1f}) points" in text
    costs = {action["bid"]: action["cost_interval"] for action in answer["actions"]}
    assert answer["recommend"] == bid and costs["P"][0] <= page["mean"] <= costs["P"][1]
    return [(page["n"], 600)]


def towie_hand() -> Numbers:
    page = towie.worked_hand(1)
    cards = {"hand": hand_text(page["hand"]), "dummy": mask_text(page["six"])}
    answer = tl.bid_towie(**cards, layouts=64, seed=page["seed"], jobs=1).to_json()
    low, high = answer["calls"]["pass"]["behind_interval"]
    assert low <= page["mean"] <= high
    return [(page["n"], 200)]


def towers_boards() -> Numbers:
    """The worked hand, and the published razes of a board."""
    page = towers._worked(1)
    razes = published("towers", "worked-raze")
    boards = {"hand": (towers._BOARD, towers._HAND), "raze": towers._STUCK}
    plays = {
        name: tl.move_towers(board=board, hand=hand, samples=page["n"], seed=page["seed"]).to_json()["plays"]
        for name, (board, hand) in boards.items()
    }
    cards = [f"{page[name]}:{page['place'][1:]}" for name in ("card", "other")]
    chosen = f"raze {one_row(razes, less=0)['tower'][1:]}"
    return [
        (page["mean"], less(plays["hand"], "play", "difference", *cards)),
        *(
            (row.less, less(plays["raze"], "play", "difference", f"raze {row.tower[1:]}", chosen))
            for row in razes.itertuples()
        ),
    ]


def tower_war_draws() -> Numbers:
    """The published draws in which the rule's split loses most."""
    numbers = []
    for row in published("tower-war", "single-splits").itertuples():
        splits = tl.split_tower_war(row.hand).to_json()["splits"]
        values = {" ".join(sorted(pile)): split["value"] for split in splits for pile in split["piles"]}
        said, best = (values[" ".join(sorted(pile.split()))] for pile in (row.said, row.best))
        numbers.append((row.worst, 100 * (best - said)))
    return numbers


@pytest.mark.parametrize("worked", [bowers_hand, slow(towie_hand), slow(towers_boards), tower_war_draws])
def test_a_hand_has_the_same_numbers_on_the_page_and_by_the_command(worked: Callable[[], Numbers]) -> None:
    """The gain of one choice over another."""
    of_page, of_command = zip(*worked(), strict=True)
    assert of_page == pytest.approx(of_command, abs=1e-6)
