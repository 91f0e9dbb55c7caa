"""Puzzles: their answers are those of the commands, half are missed by rules, and the page keeps silent."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import exhaustive, slow
from tests.oracles.browser import PROGRAM, Browser
from tests.oracles.page_elements import check_html
from towerlab.analysis.decision import CHANCES
from towerlab.analysis.report.page import ReportError
from towerlab.analysis.report.write import SingleFile, write_file
from towerlab.analysis.study import run_study
from towerlab.analysis.towers_and_bowers.report import REPORT
from towerlab.analysis.towers_and_bowers.report.puzzles import PAGE_LIMIT, build_page
from towerlab.analysis.towers_and_bowers.studies.answer_book import accepts
from towerlab.analysis.towers_and_bowers.studies.puzzles import MOST, PUZZLES, TABLE, reason_of
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import PRINTED_DISCARD, PRINTED_LEAD
from towerlab.games.cards import parse_card, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.links import read_link
from towerlab.table.train import GAPS, RATED

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
        answer = asks[row["kind"]](**asked)
        chances = json.loads(row["chances"])
        if row["kind"] == "bid":
            assert row["right"] == answer.recommend and answer.exact
            found = {name: answer.tower(name) for name in answer.actions}
        elif row["kind"] == "discard":
            found = {one.card: one.tower for one in answer.discards}
            assert answer.recommend in row["right"].split() and answer.exact
        else:
            found = {play.card: play.value for play in answer.plays}
            assert max(found, key=found.__getitem__) in row["right"].split() and answer.method == "hidden"
        assert chances == pytest.approx({name: 100 * chance for name, chance in found.items()}, abs=0.0051)
        assert CHANCES.mistake / 10 <= row["gap_points"] <= MOST and next(iter(chances)) in row["right"].split()
        right = set(row["right"].split())
        fails = [not right & set(row["rule"].split()), row["open_cards"] not in right]
        assert any(fails) and (row["difficulty"] == "hard") == all(fails)
        if row["kind"] == "bid":
            assert row["reason"] == answer.why
            seat = row["link"].split("/")[2]
            assert ("non-dealer" in row["theme"]) == (seat == "n") or row["theme"] == "long side suit"
        else:
            told = [float(one) for one in re.findall(r"([\d.]+) %", row["reason"])]
            next_best = max(of for name, of in chances.items() if name not in right)
            assert told == pytest.approx([chances[next(iter(chances))], next_best], abs=0.051)


@pytest.mark.parametrize("puzzles", [slow(16), exhaustive(300)])
def test_many_puzzles_have_the_answers_of_the_commands(puzzles: int, tmp_path: Any) -> None:
    parameters = {"puzzles": puzzles, "most_cards": 4}
    table = run_study(PUZZLES, tmp_path / "study", jobs=1, quiet=True, parameters=parameters).tables[TABLE]
    assert puzzles // 2 <= len(table) <= puzzles  # to accept is rarely a puzzle, and bids are twice as many as those
    test_a_puzzle_has_the_answer_of_the_commands(table)
    ruled = [bool({*row.rule.split()} & {*row.right.split()}) for row in table.itertuples()]
    assert sum(ruled) <= 2 * puzzles / 3  # the printed rule misses a third or more
    assert puzzles < 300 or {"dealer's pass", "which discard", "first lead", "long side suit"} <= {*table["theme"]}


def test_every_puzzle_is_missed_by_the_printed_rule_or_by_open_cards(puzzles: pd.DataFrame) -> None:
    bids = puzzles.loc[puzzles["kind"] == "bid", "right"]
    assert abs((bids == "accept").sum() - (bids == "pass").sum()) <= 1
    assert puzzles["difficulty"].map(["easy", "medium", "hard"].index).is_monotonic_increasing
    assert puzzles["link"].is_unique and set(puzzles["kind"]) == {"bid", "discard", "lead"}
    assert set(puzzles["difficulty"]) <= {"easy", "medium", "hard"} and puzzles["theme"].str.len().min() > 3


def test_a_reason_changes_with_its_numbers() -> None:
    """Of a call: what it makes, how often the dealer takes it after a pass, what is won then."""
    answer = tl.upcard(hand="JS AS KS 9S", up="QD", seat="nondealer")
    said = answer.why
    assert "accepts 94.2 % of the time, and you then win 5.4 %; else you win 91.2 %" in said
    lower = dataclasses.replace(answer, taken=0.5)
    assert lower.why != said and "accepts 50.0 %" in lower.why
    made = {
        name: dataclasses.replace(one, make=0.25) if name == "accept" else one for name, one in answer.actions.items()
    }
    assert "contract 25.0 %" in dataclasses.replace(answer, actions=made).why
    theirs = tuple(
        dataclasses.replace(one, value=dataclasses.replace(one.value, tower=0.31)) if one.bidder == "them" else one
        for one in answer.contracts
    )
    assert "you then win 31.0 %" in dataclasses.replace(answer, contracts=theirs).why
    chances = {"AH": 0.5, "KH": 0.4}
    assert reason_of(None, chances, ["AH"]) != reason_of(None, {**chances, "KH": 0.3}, ["AH"])


def test_the_rule_of_the_puzzles_is_the_printed_one(page: SingleFile, puzzles: pd.DataFrame) -> None:
    """It was that of a player, as many trumps as the contract needs tricks, which no page prints."""
    assert f"discard {PRINTED_DISCARD}" in page.html and f"lead {PRINTED_LEAD}" in page.html
    for row in puzzles[puzzles["kind"] == "bid"].to_dict("records"):
        _, asked = read_link(row["link"]).question()
        cards = parse_mask(asked["hand"])
        taken = accepts(asked["seat"], cards.bit_count(), np.array([cards]), np.array([parse_card(asked["up"])]))
        assert row["rule"] == ("accept" if taken[0] else "pass"), row["link"]


def test_the_study_makes_the_same_puzzles_again_and_refuses_other_sizes(puzzles: pd.DataFrame, tmp_path: Any) -> None:
    one = PUZZLES.run_chunk(0, _seeds()[0], PARAMETERS)
    assert set(puzzles[(puzzles["cards"] == 2) & (puzzles["kind"] == "bid")]["link"]) <= set(one["link"])
    with pytest.raises(TowerlabError, match="most_cards=5, puzzles=12 cannot be; expected 1 to 4"):
        run_study(PUZZLES, tmp_path / "study", quiet=True, parameters={"puzzles": 12, "most_cards": 5})


def _seeds() -> list[Any]:
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


def text(browser: Browser, name: str) -> str:
    return str(browser.run(f"document.getElementById('{name}').textContent"))


@needs_browser
def test_an_answer_explains_itself_and_nothing_tells_it_before(browser: Browser, puzzles: pd.DataFrame) -> None:
    browser.run("localStorage.clear()")
    for number, row in enumerate(puzzles.to_dict("records")):
        browser.run(f"location.hash = '#{row['link']}'; new Promise(done => setTimeout(done, 50))")
        chances = json.loads(row["chances"])
        assert browser.run("current") == row["link"]
        before = str(browser.run("document.body.innerText"))
        assert not any(f"{chance:.1f} %" in before for chance in chances.values())  # the answer is not said before
        assert row["theme"] not in before and row["reason"] not in before
        for _ in range(2):
            browser.run("document.getElementById('hint').click()")
        hints = text(browser, "hints")
        assert "Trumps from the top" in hints and "The printed rule" in hints and "wins" not in hints
        buttons = browser.run("[...document.querySelectorAll('#answers button')].map(one => one.value)")
        assert set(buttons) == set(chances)
        wrong = next(name for name in buttons if name not in row["right"].split())
        chosen = row["right"].split()[0] if number % 2 else wrong
        browser.run(f"document.querySelector('#answers button[value=\"{chosen}\"]').click()")
        said = text(browser, "verdict")
        assert said == "Right." if number % 2 else said.startswith("Wrong, a ") and " was better." in said
        assert row["theme"] in text(browser, "theme") and row["reason"] in text(browser, "why")
        assert all(f"{chance:.1f} %" in text(browser, "why") for chance in chances.values())
        assert f'towerlab open "{row["link"]}"' in text(browser, "why")


@needs_browser
def test_wrong_ones_come_back_as_in_training_and_nothing_is_asked_of_a_network(
    browser: Browser, puzzles: pd.DataFrame
) -> None:
    browser.run("localStorage.clear(); state = { answered: 0, cards: {} }; wasRepeated = false; series = []")
    browser.run("byId('series').value = ''; history.replaceState(null, '', '#'); show()")
    assert browser.run("GAPS") == [*GAPS] and browser.run("RATED") == RATED
    asked = list[str]()
    for number in range(6):
        asked.append(browser.run("current"))
        right = browser.run("puzzleOf(current)[2]").split()
        buttons = browser.run("[...document.querySelectorAll('#answers button')].map(one => one.value)")
        chosen = next(name for name in buttons if (name in right) == (number > 0))
        browser.run(f"document.querySelector('#answers button[value=\"{chosen}\"]').click()")
        browser.run("document.getElementById('next').click()")
    assert asked[:3] == puzzles["link"].tolist()[:3] and asked[3] == asked[0] and len({*asked}) == 5
    assert text(browser, "standing") == "Right at the first attempt: 4 of 5. 1 to come back."
    browser.run("byId('series').value = 'discard'; byId('series').dispatchEvent(new Event('change'))")
    assert browser.run("puzzleOf(current)[0]") == "discard"
    browser.look(width=390, height=844, phone=True)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("document.getElementById('answers').getBoundingClientRect().bottom") < 844
    browser.look()
    addresses = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
    assert all(url.startswith(("file:", "data:")) for url in addresses)
    assert not browser.seen("Runtime.exceptionThrown") and not browser.seen("Log.entryAdded")
