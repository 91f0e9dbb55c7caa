"""The explorer in a real browser, opened from a file: its answers, the address, keys, small screens, no request."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.conftest import exhaustive, slow
from tests.oracles.browser import PROGRAM, Browser
from tests.oracles.page_elements import check_html
from towerlab.analysis.decision import CHANCES
from towerlab.analysis.report.page import ReportError
from towerlab.analysis.report.write import SingleFile, write_file
from towerlab.analysis.towers_and_bowers.answers import ContractValue, UpcardAnswer
from towerlab.analysis.towers_and_bowers.report.explorer import LEAST, STEP, build_page
from towerlab.analysis.towers_and_bowers.studies.answer_book import QUESTIONS
from towerlab.analysis.towers_and_bowers.upcard import ask_discard, ask_upcard
from towerlab.games.cards import DECK_24, card_text, mask_cards
from towerlab.games.towers_and_bowers.links import read_link

SIZES = [1, 4]
PUBLISHED = Path(__file__).parents[2] / "reports" / "towers-and-bowers" / "explorer.html"
CLOSE = 0.5  # mt; calls that differ by less may be ranked otherwise

needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here")
needs_page = pytest.mark.skipif(not PUBLISHED.exists(), reason="the explorer has not been made")
Question = dict[str, Any]


@pytest.fixture(scope="module")
def page(book: pd.DataFrame) -> SingleFile:
    return build_page(book, 0, "towerlab report towers-and-bowers --page explorer")


@pytest.fixture(scope="module")
def browser(page: SingleFile, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(write_file(tmp_path_factory.mktemp("pages") / "explorer", page)) as opened:
        opened.run("window.ready")
        yield opened


def random_questions(number: int, sizes: list[int], seed: int) -> list[Question]:
    """Spread evenly over sizes, seats and rounds."""
    random = np.random.default_rng(seed)
    kinds = itertools.cycle(itertools.product(sizes, QUESTIONS))
    questions = []
    for cards, question in itertools.islice(kinds, number):
        *held, up = [card_text(card) for card in random.permutation(mask_cards(DECK_24))[: cards + 1].tolist()]
        seat, turn = question.split("_")
        questions.append({"hand": " ".join(held), "up": up, "seat": seat, "round": int(turn)})
    return questions


def ask_page(browser: Browser, questions: list[Question]) -> list[dict[str, Any]]:
    asked = json.dumps(questions, ensure_ascii=False)
    answers: list[dict[str, Any]] = json.loads(browser.run(f"JSON.stringify({asked}.map(window.ask))"))
    return answers


def check_words(answer: UpcardAnswer, found: dict[str, Any], question: Question) -> None:
    """Up to four cards the values, the mixes and the sentence of the command; numbers to a tenth of a point."""
    for call, chance in found["towers"].items():
        assert chance == pytest.approx(100 * answer.tower(call), abs=0.051), question
        mix = answer.mix
        assert mix is not None
        assert found["mix"][call] == pytest.approx(100 * mix.probabilities[call] * mix.applies, abs=0.051), question
    told, said = (re.split(r"(\d+\.?\d*)", " ".join(text.split())) for text in (sentence(answer), found["words"]))
    rest = sorted((100 * answer.tower(call) for call in answer.actions if call != answer.recommend), reverse=True)
    if any(better - worse < 0.11 for better, worse in itertools.pairwise(rest)):  # either may be named first
        told, said = ([re.sub("naming .|passing", "the next", text) for text in texts] for texts in (told, said))
        told, said = ([re.sub(r"(?<=points: ).*", in_order, text) for text in texts] for texts in (told, said))
    best = max(map(answer.tower, answer.actions))
    if any(
        abs(1000 * (best - answer.tower(call)) - CHANCES.tolerance) < 1.01 for call in answer.actions
    ):  # two roundings
        told, said = (texts[: texts.index("1.00") - 1] if "1.00" in texts else texts for texts in (told, said))
    assert [*map(str.strip, told[::2])] == [*map(str.strip, said[::2])], question
    assert [*map(float, said[1::2])] == pytest.approx([*map(float, told[1::2])], abs=0.11), question


def in_order(names: re.Match[str]) -> str:
    """Calls that are as good, by their names."""
    return " ".join(sorted(names.group().replace(",", "").replace("name", "").strip(".").split()))


def sentence(answer: UpcardAnswer) -> str:
    """The command's, as the page has it."""
    return (
        " ".join(str(answer).split())
        .split("non-dealer. " if answer.seat == "nondealer" else "dealer. ", 1)[1]
        .split(" your call")[0]
        .removesuffix(" ".join(answer.why.split()))
        .strip()
    )


def check_answer(question: Question, found: dict[str, Any]) -> None:
    """The page's answer against the command's own."""
    asked = {name: question[name] for name in ("hand", "up", "seat")} | {"second_round": question["round"] == 2}
    answer = ask_upcard(**asked)
    opened = ask_upcard(**asked, method="pimc")
    mt = 1000 * answer.gap
    assert abs(found["gap"] - mt) <= max(STEP * abs(mt) * 1.001, LEAST), question
    if abs(mt) < CLOSE:
        return
    assert (found["suit"] is None) == (question["round"] == 1)
    contract = answer.actions[found["suit"] or "accept"]
    assert isinstance(contract, ContractValue) and contract.tower == answer.tower(answer.best_bid), question
    assert answer.exact and bool(found["discard"]) == bool(contract.discard), question
    for bidder, card in (("me", found["discard"]), ("them", found["theirDiscard"])):
        if card:  # the best, or of equal value but for what a solution leaves open
            given = {one.card: one.cost for one in ask_discard(asked["hand"], asked["up"], bidder).discards}
            assert given[card] <= 1e-3, question
    assert found["make"] == pytest.approx(100 * contract.make, abs=0.051), question
    assert found["open"] == opened.recommend or abs(1000 * opened.gap) < CLOSE, question
    check_words(answer, found, question)


@needs_browser
def test_the_page_answers_as_the_command_does(browser: Browser) -> None:
    questions = random_questions(24, SIZES, seed=2)
    for question, found in zip(questions, ask_page(browser, questions), strict=True):
        check_answer(question, found)


@needs_browser
def test_the_page_says_what_is_wrong_with_a_question(browser: Browser) -> None:
    def wrong(question: str) -> str:
        return str(browser.run(f"(() => {{ try {{ window.ask({question}) }} catch (e) {{ return e.message }} }})()"))

    assert wrong("{hand: 'JS AX', up: 'QS', seat: 'dealer'}").startswith("AX is not a card of this pack; expected")
    assert "twice" in wrong("{hand: 'JS JS', up: 'QS', seat: 'dealer'}")
    assert "the up-card is in the hand too" in wrong("{hand: 'JS', up: 'JS', seat: 'dealer'}")
    assert "expected dealer or nondealer" in wrong("{hand: 'JS', up: 'QS', seat: 'south'}")
    assert "expected 1 to 4" in wrong("{hand: '', up: 'QS', seat: 'dealer'}")
    assert "not unpacked" in wrong("{hand: 'JS AS', up: 'QS', seat: 'dealer'}")


@needs_browser
def test_the_page_opens_with_an_answer_and_offers_the_sizes_that_it_holds(page: SingleFile, tmp_path: Path) -> None:
    with Browser(write_file(tmp_path / "explorer", page)) as opened:
        opened.run("window.ready")
        assert "the tower" in opened.run("document.getElementById('said').textContent")
        sizes = opened.run("[...document.querySelectorAll('#sizes input')].map(one => Number(one.value))")
    assert sizes == [1, 2, 3, 4]


@needs_browser
def test_a_link_reproduces_a_question_and_taps_change_it(browser: Browser) -> None:
    def said() -> str:
        return str(browser.run("document.getElementById('said').textContent"))

    browser.run("location.hash = '#ASKSJS9H/QS/n'; new Promise(done => setTimeout(done, 100))")
    assert "You hold A♠K♠J♠9♥ as the non-dealer; the up-card is Q♠." in said()
    asked = ask_page(browser, [{"hand": "AS KS JS 9H", "up": "QS", "seat": "nondealer", "round": 1}])[0]
    assert said().startswith("Accept" if asked["call"] == "accept" else "Pass")
    browser.run("document.querySelector('input[name=seat][value=dealer]').click()")
    assert "as the dealer" in said()
    assert "Discard9♥" in said()
    link = browser.run("location.hash")
    assert link == f"#{read_link(link)}" == "#ASKSJS9H/QS/d/p"
    assert browser.run("document.getElementById('link').textContent") == link[1:]
    browser.run("document.querySelector('#next a').click(); new Promise(done => setTimeout(done, 100))")
    assert browser.run("location.hash") == "#ASKSJS9H/QS/d/ppp" and "turned down was Q♠" in said()
    browser.run("document.querySelector('#next a').click(); new Promise(done => setTimeout(done, 100))")
    browser.run("document.querySelector('#pack [aria-pressed=true]').click()")
    assert said() == "Tap 1 more of your cards."
    browser.run("document.getElementById('clear').click()")
    assert said() == "Tap the up-card."
    typed = "document.getElementById('typed')"
    browser.run("document.getElementById('typed-up').value = 'qs'")
    browser.run(f"{typed}.value = 'js as 10h 9c'; {typed}.dispatchEvent(new Event('change'))")
    assert "You hold J♠A♠" in said() or "You hold A♠J♠" in said()


@needs_browser
def test_what_is_no_question_is_said_and_shows_no_other(browser: Browser) -> None:
    """A wrong link, a wrong hand: neither panels of the last hand nor the example stand beside the refusal."""
    hidden = "['kind', 'swap', 'link'].every(name => document.getElementById(name).parentElement.hidden)"
    for link, words in (
        ("#ASKSJS9H/AS/n", "the up-card is in the hand too"),
        ("#ASKSJS9H/QS/s", "the non-dealer is on turn, not seat s; expected n"),
        ("#ASKSJX9H/QS/d/p", "ASKSJX9H is not"),
        ("#ASKSJS9H/QS", "expected hand, up-card, seat and calls"),
        ("#ASKSJS9H/QS/d", "the non-dealer is on turn, not seat d; expected n"),
        ("#ASKSJS9H/QS/d/pppp", "calls pppp; expected p for each pass"),
        ("#ASKSJS9H/QS/d/a", "it is of a card to discard or play, or of a claim: towerlab open answers it"),
        ("#AS%/QS/d/p", "This link asks no question"),
    ):
        browser.run("location.hash = '#ASKSJS9H/QS/n'; new Promise(done => setTimeout(done, 100))")
        assert not browser.run(hidden)
        browser.run(f"location.hash = '{link}'; new Promise(done => setTimeout(done, 100))")
        said = browser.run("document.getElementById('said').textContent")
        assert said.startswith("This link asks no question") and words in said and browser.run(hidden)
    typed = "document.getElementById('typed')"
    browser.run("location.hash = '#ASKSJS9H/QS/n'; new Promise(done => setTimeout(done, 100))")
    browser.run(f"{typed}.value = 'as ax'; {typed}.dispatchEvent(new Event('change'))")
    assert "AX is not a card" in browser.run("document.getElementById('said').textContent") and browser.run(hidden)


@needs_browser
def test_every_part_of_the_page_follows_the_question(browser: Browser) -> None:
    for seat, calls in (("n", ""), ("d", "p"), ("n", "pp"), ("d", "ppp")):
        link = f"#ASKSJS9H/QS/{seat}{f'/{calls}' * bool(calls)}"
        browser.run(f"location.hash = '{link}'; new Promise(done => setTimeout(done, 100))")
        kind = browser.run("document.getElementById('kind').textContent")
        assert " hands of 4 with " in kind
        assert browser.run("document.querySelectorAll('#swap td a').length") == 4 * 19
        shares = browser.run("[...document.querySelectorAll('.bar i')].map(part => parseFloat(part.style.width))")
        assert sum(shares) == pytest.approx(100, abs=0.01)
        swapped = browser.run("document.querySelector('#swap td a').getAttribute('href')")
        assert swapped.endswith(link.partition("/")[2])


@needs_browser
def test_the_page_is_for_keys_screen_readers_and_small_screens(browser: Browser) -> None:
    browser.run("location.hash = '#ASKSJS9H/QS/n'; new Promise(done => setTimeout(done, 100))")
    assert browser.run("document.getElementById('said').getAttribute('aria-live')") == "polite"
    browser.run("document.querySelector('#pack button').focus()")
    for key in ("ArrowRight", "ArrowDown"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
    assert browser.run("document.activeElement.getAttribute('aria-label')") == "K♥, king of hearts"
    browser.look(width=360, height=740, phone=True)
    assert browser.run("document.documentElement.scrollWidth") <= 360
    assert browser.run("document.getElementById('said').getBoundingClientRect().top") < 740
    browser.look()
    asked = [event["request"]["url"] for event in browser.seen("Network.requestWillBeSent")]
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    assert not browser.seen("Runtime.exceptionThrown")
    assert not browser.seen("Log.entryAdded")


def test_the_page_is_sound_and_nothing_of_a_template_is_left_on_it(page: SingleFile) -> None:
    check_html(page.html, {"index.html", "explorer-manifest.json", "../index.html"})
    assert "{%" not in page.html and "{{" not in page.html


def test_a_book_that_lacks_a_class_makes_no_page(book: pd.DataFrame) -> None:
    with pytest.raises((ReportError, ValueError)):
        build_page(book.drop(index=[7]), 0, "again")


# ------------------------------------------------------------------------------------------------- the published page


@needs_browser
@needs_page
@pytest.mark.parametrize(("number", "seed", "checked"), [slow(1400, 3, 32), exhaustive(100_000, 4, 3000)])
def test_the_published_page_answers_as_the_command_does(number: int, seed: int, checked: int) -> None:
    questions = random_questions(number, [1, 2, 3, 4], seed)
    with Browser(PUBLISHED) as browser:
        browser.run("window.ready")
        found = [
            answer
            for first in range(0, len(questions), 2000)
            for answer in ask_page(browser, questions[first : first + 2000])
        ]
    assert len(found) == len(questions)
    for question, answer in zip(questions[:checked], found, strict=False):  # all sizes, seats and rounds in turn
        check_answer(question, answer)
