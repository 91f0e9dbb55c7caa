"""The research page adds up, and says so if it does not."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from tests.oracles.tb_report_page import small_run
from towerlab.analysis.catalog import find_report
from towerlab.analysis.report.checks import ReportError, run_checks
from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.studies import Run
from towerlab.analysis.study import StudyResult, parse_parameters, run_study
from towerlab.analysis.towers_and_bowers.report import REPORT
from towerlab.analysis.towers_and_bowers.report.research import _checks, build_page, turned_endings
from towerlab.analysis.towers_and_bowers.studies.exploitability import EXPLOITABILITY
from towerlab.games.errors import TowerlabError

SOME = "random,novice,family,pimc,cautious,endgame,equilibrium"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """Those of hands of one card and some players: seconds instead of minutes."""
    folder = tmp_path_factory.mktemp("study") / "table"
    chosen = parse_parameters(
        EXPLOITABILITY,
        ["sizes=1", f"players={SOME}"],
        [],
    )
    found = run_study(EXPLOITABILITY, folder, seed=0, jobs=1, quiet=True, parameters=chosen)
    return dict(found.tables)


def test_the_page_adds_up(tables: dict[str, pd.DataFrame]) -> None:
    measured = Run(EXPLOITABILITY, 0, StudyResult(tables, {}), {})
    runs = {EXPLOITABILITY.name: measured, "tournament": small_run("tournament")}
    page = build_page(runs, "towerlab report …")
    run_checks([check for check in page.checks if "were replayed" not in check.claim])  # one card: random alone errs
    html = render_page(page)
    assert [table.name for table in page.tables()] == [
        "value-of-the-deal", "turned-endings", "value-by-up-card", "exploitability", "players", "worst",
        "larger-hands", "larger-hands-solved", "tournament",
    ]  # fmt: skip
    seven = next(page.figures()).frame.set_index("cards").loc[7]
    assert seven["dealer_low"] < seven["dealer"] < seven["dealer_high"] and f"{100 * seven['dealer']:.1f}" in html
    assert seven["perfect_information"] == pytest.approx(0.582, abs=1e-3)
    grid = next(figure for figure in page.figures() if figure.name == "tournament")
    drawn, units = re.findall(r">(\d+)%</text>", "".join(grid.drawing)), small_run("tournament").tables["results"]
    row = units[units["unit"] == "match"].iloc[0]
    assert len(drawn) == 3 * 30 and len(grid.frame) == 3 * 15
    assert {f"{100 * row['share']:.0f}", f"{100 * (1 - row['share']):.0f}"} <= set(drawn)


def test_a_table_that_cannot_be_is_found(tables: dict[str, pd.DataFrame]) -> None:
    players = tables["players"].assign(total=lambda frame: frame.dealer + frame.nondealer)
    meetings, replays = tables["matchups"].copy(), tables["replays"]
    run_checks(_checks(players, meetings, replays)[:-1])
    meetings.loc[1, "edge"] += 1.0
    with pytest.raises(ReportError, match="what one wins the other loses"):
        run_checks(_checks(players, meetings, replays)[:-1])
    with pytest.raises(ReportError, match="when they are replayed"):
        run_checks(_checks(players, tables["matchups"], replays.assign(replayed=replays.replayed + 0.1))[:-1])


def test_hidden_hands_turn_the_leads_that_are_shown() -> None:
    endings = turned_endings()
    assert len(endings) == 3 and (endings["better"] > 1).all() and (endings["seen_better"] < -1).all()


def test_a_page_is_found_by_its_name_and_leads_to_the_others() -> None:
    page = find_report("towers-and-bowers", "research")
    assert page is REPORT.pages["research"] and page.siblings == (
        ("../explorer.html", "Look your hand up"),
        ("../puzzles.html", "A puzzle a day"),
    )
    with pytest.raises(TowerlabError, match="no page 'reserch'"):
        find_report("towers-and-bowers", "reserch")
    with pytest.raises(TowerlabError, match="no further pages"):
        find_report("towers", "research")
