"""A puzzle a day: its answers are those of the commands, half are missed by rules, and the page keeps silent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

import towerlab as tl
from tests.oracles.browser import PROGRAM, Browser
from tests.oracles.page_elements import check_html
from towerlab.analysis.report.checks import ReportError
from towerlab.analysis.report.write import SingleFile, write_file
from towerlab.analysis.study import run_study
from towerlab.analysis.towers_and_bowers.report import REPORT
from towerlab.analysis.towers_and_bowers.report.puzzles import PAGE_LIMIT, build_page
from towerlab.analysis.towers_and_bowers.studies.puzzles import LEAST, MOST, PUZZLES, TABLE
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.links import read_link

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here")
PARAMETERS = {"puzzles": 12, "most_cards": 2}


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("puzzles") / "study"
    return run_study(PUZZLES, folder, jobs=1, quiet=True, parameters=PARAMETERS).tables[TABLE]


@pytest.fixture(scope="module")
def page(puzzles: pd.DataFrame) -> SingleFile:
    return build_page(puzzles, 0, "towerlab report towers-and-bowers --page puzzles")


@pytest.fixture(scope="module")
def browser(page: SingleFile, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(write_file(tmp_path_factory.mktemp("pages") / "puzzles", page)) as opened:
        yield opened


def test_a_puzzle_has_the_answer_of_the_commands(puzzles: pd.DataFrame) -> None:
    asks: dict[str, Any] = {"bid": tl.upcard, "discard": tl.discard, "lead": tl.move}
    for row in puzzles.to_dict("records"):
        _, asked = read_link(row["link"]).question()
        answer, chances = asks[row["kind"]](**asked), json.loads(row["chances"])
        if row["kind"] == "bid":
            assert row["right"] == answer.recommend and answer.exact
            found = {name: answer.tower(name) for name in answer.actions}
        elif row["kind"] == "discard":
            found = {one.card: one.tower for one in answer.discards}
            assert answer.recommend in row["right"].split() and answer.exact
        else:
            found = {play.card: play.value for play in answer.plays}
            assert max(found, key=found.__getitem__) in row["right"].split() and answer.method == "hidden"
        assert chances == pytest.approx({name: 100 * chance for name, chance in found.items()}, abs=0.051)
        assert LEAST <= row["gap_points"] <= MOST and next(iter(chances)) in row["right"].split()
        wrong = {row["novice"], row["open_cards"]} - set(row["right"].split())
        assert row["missed"] == bool(wrong)


def test_half_of_the_puzzles_are_missed_by_rules(puzzles: pd.DataFrame) -> None:
    assert puzzles["link"].is_unique and set(puzzles["kind"]) == {"bid", "discard", "lead"}
    assert puzzles["missed"].sum() >= len(puzzles) // 3  # of small hands there are few


def test_the_page_says_what_the_player_novice_does(page: SingleFile, puzzles: pd.DataFrame) -> None:
    """It spoke of a rule of thumb, three trumps, that no page prints and that fewer than four cards do not follow."""
    assert "rule of thumb" not in page.html.lower()
    assert "as many trumps as the contract needs tricks, the up-card counted for the dealer" in page.html
    for row in puzzles[puzzles["kind"] == "bid"].to_dict("records"):
        hand, up, seat, *_ = row["link"].split("/")
        suit, mate = up[1], {"S": "C", "C": "S", "H": "D", "D": "H"}[up[1]]
        held = re.findall("(.[CDHS])", hand)
        trumps = sum(card[1] == suit or card == f"J{mate}" for card in held) + (seat == "d")
        assert row["novice"] == ("accept" if trumps >= len(held) // 2 + 1 else "pass"), row["link"]


def test_the_study_makes_the_same_puzzles_again_and_refuses_other_sizes(puzzles: pd.DataFrame, tmp_path: Any) -> None:
    one = PUZZLES.run_chunk(1, _seeds()[1], PARAMETERS)
    assert set(puzzles[(puzzles["cards"] == 2) & (puzzles["kind"] == "bid")]["link"]) <= set(one["link"])
    with pytest.raises(TowerlabError, match="most_cards=5, puzzles=12 cannot be; expected 1 to 4"):
        run_study(PUZZLES, tmp_path / "study", quiet=True, parameters={"puzzles": 12, "most_cards": 5})


def _seeds() -> list[Any]:
    import numpy as np

    return np.random.SeedSequence(0).spawn(PUZZLES.count_chunks(PARAMETERS))


def test_the_page_is_small_and_sound(page: SingleFile, puzzles: pd.DataFrame) -> None:
    assert REPORT.pages["puzzles"].file == "puzzles.html"
    links = {"index.html", "explorer.html", "puzzles-manifest.json", "../index.html"}
    check_html(page.html, links)
    shell = len(page.html.encode()) - sum(map(len, puzzles["chances"]))
    assert shell + 400 * 160 < PAGE_LIMIT
    with pytest.raises(ReportError):
        build_page(pd.concat([puzzles, puzzles]), 0, "again")
    with pytest.raises(ReportError, match="the same chances"):
        build_page(puzzles.assign(chances=puzzles["chances"].str.replace(r"\d+\.\d", "1.0", regex=True)), 0, "again")


def open_day(browser: Browser, day: str) -> list[Any]:
    browser.run(f"location.hash = '#{day}'; new Promise(done => setTimeout(done, 50))")
    number = (datetime.fromisoformat(f"{day}T00:00:00+00:00") - datetime(1970, 1, 1, tzinfo=UTC)).days
    return list(browser.run(f"window.puzzleOf({number})"))


def text(browser: Browser, name: str) -> str:
    return str(browser.run(f"document.getElementById('{name}').textContent"))


@needs_browser
def test_a_date_gives_its_puzzle_and_an_answer_explains_itself(browser: Browser, puzzles: pd.DataFrame) -> None:
    for day in range(1, 13):
        kind, link, right, novice, _, chances, _ = open_day(browser, f"2027-01-{day:02}")
        number = (datetime(2027, 1, day, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days % len(puzzles)
        assert link == puzzles["link"][number] and text(browser, "date") == f"2027-01-{day:02}"
        before = str(browser.run("document.body.innerText"))
        assert not any(f"{chance:.1f} %" in before for chance in chances.values())  # the answer is not said before
        for _ in range(2):
            browser.run("document.getElementById('hint').click()")
        hints = text(browser, "hints")
        assert "Trumps from the top" in hints and "The player novice" in hints and "wins" not in hints
        buttons = browser.run("[...document.querySelectorAll('#answers button')].map(one => one.value)")
        assert set(buttons) == set(chances)
        wrong = next(name for name in buttons if name not in right.split())
        chosen = right.split()[0] if day % 2 else wrong
        browser.run(f"document.querySelector('#answers button[value=\"{chosen}\"]').click()")
        said = text(browser, "verdict")
        assert said == "Right." if day % 2 else said.startswith("No: ") and " points." in said
        assert all(f"{chance:.1f} %" in text(browser, "why") for chance in chances.values())
        assert f'towerlab open "{link}"' in text(browser, "why") and novice and kind


@needs_browser
def test_the_streak_is_kept_in_the_browser_and_nothing_is_asked_of_a_network(browser: Browser) -> None:
    browser.run("localStorage.clear(); location.hash = ''; new Promise(done => setTimeout(done, 50))")
    today = int(browser.run("dayNow()"))
    days = {today - 1: 1, today - 2: 1, today - 3: 0}
    browser.run(f"localStorage.setItem('towerlab-puzzles', '{json.dumps(days)}'); show()")
    assert text(browser, "streak") == "Streak: 2 days right in a row. In all 2 of 3."
    right = browser.run("window.puzzleOf(dayNow())")[2].split()[0]
    browser.run(f"document.querySelector('#answers button[value=\"{right}\"]').click()")
    assert text(browser, "streak") == "Streak: 3 days right in a row. In all 3 of 4."
    browser.look(width=390, height=844, phone=True)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("document.getElementById('answers').getBoundingClientRect().bottom") < 844
    browser.look()
    asked = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert not browser.seen("Runtime.exceptionThrown") and not browser.seen("Log.entryAdded")
