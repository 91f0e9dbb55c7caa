"""The table in a real browser: whole games by clicking, reloads, a killed server, the keyboard, what a reader needs."""

from __future__ import annotations

import itertools
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT, Answer, exhaustive, slow
from tests.oracles.axe import axe_findings
from tests.oracles.browser import PROGRAM, Browser
from tests.oracles.hidden_cards import twins
from tests.oracles.serving import address, free_port, served
from towerlab.analysis.catalog import GAMES
from towerlab.table.commanding import table_of

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium")

MOST_CLICKS = 900
PATIENCE = 180  # seconds: the server may have to compile, beside others that do
STANDS = "!window.isLeft && document.readyState === 'complete' && !document.querySelector('#advance, #waiting')"
LOOKS = [(width, is_dark) for width in (1280, 390) for is_dark in (False, True)]
MOMENT = """(document.getElementById('continue') ? 'end of a hand' : document.getElementById('pick') ? 'pick' : '')
  + (document.getElementById('question') || {innerText: ''}).innerText
  + document.querySelectorAll('.felt > *').length"""
FIRST = """(() => {
  const pick = document.getElementById('pick');
  if (pick) [...document.querySelectorAll('input[name=pick]')].slice(0, pick.dataset.least)
    .forEach((one) => one.checked || one.click());
  return pick || document.querySelector('#continue, button[name=choice]:not([disabled])');
})()"""
# Names of buttons and links, contrast of texts (WCAG: 4.5, large ones 3), one main heading, labelled fields.
FAULTS = """(() => {
  const faults = [], shown = [...document.querySelectorAll('button, a, input, select, summary')];
  for (const one of shown) {
    const labelled = one.labels && one.labels[0] ? one.labels[0].textContent.trim() : '';
    const label = one.getAttribute('aria-label') || (one.tagName !== 'SELECT' && one.textContent.trim()) || labelled;
    if (!label && one.type !== 'hidden') faults.push('no name: ' + one.outerHTML.slice(0, 80));
  }
  if (document.querySelectorAll('h1').length !== 1 || !document.documentElement.lang) faults.push('h1 or lang');
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (v) => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4;
  const light = (c) => { const f = c.slice(0, 3).map(linear);
    return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  for (const e of document.querySelectorAll('main *')) {
    const says = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!says || e.closest('svg, .unseen, [aria-hidden], .back')) continue;
    const style = getComputedStyle(e), a = light(parts(style.color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05), large = parseFloat(style.fontSize) >= 18.6;
    if (ratio < (large ? 3 : 4.5)) faults.push(ratio.toFixed(2) + ' ' + e.textContent.trim().slice(0, 30));
  }
  const width = document.documentElement.clientWidth; // a phone widens innerWidth with what hangs over
  if (document.documentElement.scrollWidth > width + 1) faults.push('wider than the window');
  const cut = (e) => e.getBoundingClientRect().left < -1 || e.getBoundingClientRect().right > width + 1;
  if ([...document.querySelectorAll('.felt .card:not(.new .card)')].some(cut)) faults.push('a card is cut off');
  return faults;
})()"""


# Where all of a board lies but cards: zones, titles of hands, what is below; rows that hang over their zone.
BOARD = """(() => {
  const places = {}, over = [], box = (e) => e.getBoundingClientRect(), all = (what) => document.querySelectorAll(what);
  const note = (name, e) => { places[name] = [box(e).left + box(e).width / 2, box(e).top + scrollY]; };
  for (const zone of all('.felt, .felt > div')) note(zone.classList[0], zone);
  for (const title of all('.felt > :is(.top, .left, .right) > :first-child h2'))
    note(`title ${title.closest('.felt > div').className}`, title);
  for (const title of all('.felt > .bottom > .own:last-child h2'))
    note([...title.childNodes].find((part) => part.nodeType === 3 && part.data.trim()).data.trim(), title);
  for (const below of all('#play > :is(.question, .thinking, .result)')) note('below', below);
  for (const row of all('.felt > div > *')) {
    const zone = box(row.parentElement);
    if (box(row).bottom > zone.bottom + 1 || box(row).top < zone.top - 1) over.push(row.textContent.trim());
  }
  return [places, over];
})()"""


def follow(browser: Browser, act: Callable[[], object]) -> None:
    """Do what leads to another page, and wait until that stands and no player is at work any more."""
    browser.run("window.isLeft = true")
    act()
    until = time.monotonic() + PATIENCE
    while not browser.holds(STANDS):
        assert time.monotonic() < until, browser.run("document.body.innerText")
        time.sleep(0.004)


def click(browser: Browser, script: str) -> None:
    """Click what a script finds, and wait for the page that follows."""
    follow(browser, lambda: browser.run(f"{script}.click()"))


def press(browser: Browser, key: str) -> None:
    """Press a key until the page has heard it: before it is painted the browser drops what is typed."""
    browser.run("heard = 0, addEventListener('keydown', () => { heard = 1; }, {once: true, capture: true})")
    for _ in range(20):
        browser.press(key)
        for _ in range(40):
            if not browser.holds("window.heard === 0"):
                return
            time.sleep(0.01)
    raise AssertionError(f"nothing hears {key}")


def load(browser: Browser, key: str) -> None:
    """Press a key, and wait for the page that follows."""
    follow(browser, lambda: press(browser, key))


def goes_on(browser: Browser) -> bool:
    """Whether there is something to choose."""
    return bool(browser.run("!!document.querySelector('#pick, #continue, button[name=choice]:not([disabled])')"))


@contextmanager
def opened(folder: Path, width: int = 1280, is_dark: bool = False) -> Iterator[Browser]:
    """A browser of one size and colour; it has complained of nothing but of servers that were killed."""
    empty = folder / "empty.html"
    empty.write_text("<!doctype html><link rel='icon' href='data:,'><p>")
    with Browser(empty) as browser:
        look(browser, width, is_dark)
        yield browser
        complaints = browser.seen("Runtime.exceptionThrown") + browser.seen("Log.entryAdded")
        assert not [one for one in complaints if "ERR_CONNECTION_REFUSED" not in str(one)], complaints


def sit_down(browser: Browser, game: str, folder: Path, port: int) -> None:
    browser.open(address(folder, port))
    form = f"document.querySelector('.game input[name=game][value=\"{game}\"]').form"
    browser.run(f"{form}.against.value = 'novice'; {form}.seed.value = '5'")
    click(browser, f"{form}.querySelector('button')")


def look(browser: Browser, width: int, is_dark: bool) -> None:
    browser.look(width=width, height=844 if width < 500 else 800, dark=is_dark, phone=width < 500)


def play_a_game(game: str, folder: Path, width: int = 390, is_dark: bool = False) -> None:
    """A whole game by clicks, over a reload and a killed server, to the review."""
    port = free_port()
    with opened(folder, width, is_dark) as browser:
        with served(folder, port) as server:
            sit_down(browser, game, folder, port)
            for _ in range(4):
                click(browser, FIRST)
            shown = browser.run("document.querySelector('main').innerText")
            browser.open(browser.run("location.href"))  # a reload in the middle
            assert browser.run("document.querySelector('main').innerText") == shown
            assert browser.run(FAULTS) == []
            click(browser, "document.getElementById('back')")
            click(browser, FIRST)
            shown = browser.run("document.querySelector('main').innerText")
            page = browser.run("location.pathname + location.search").removeprefix("/")
            server.send_signal(signal.SIGKILL)
            server.wait(timeout=PATIENCE)
        with served(folder, port):
            browser.open(address(folder, port, page))  # each start has a key of its own
            assert browser.run("document.querySelector('main').innerText") == shown
            seen = set[str]()
            for _ in range(MOST_CLICKS):
                if (moment := browser.run(MOMENT)) not in seen:
                    assert browser.run(FAULTS) == []
                    seen.add(moment)
                if not goes_on(browser):
                    break
                click(browser, FIRST)
            assert browser.holds("!!document.querySelector('.verdict')")
            click(browser, "document.getElementById('review')")
            assert "The costliest decisions" in browser.run("document.body.innerText") and browser.run(FAULTS) == []
    addresses = {request["request"]["url"] for request in browser.seen("Network.requestWillBeSent")}
    assert all(one.startswith((f"http://127.0.0.1:{port}/", "file:", "data:")) for one in addresses), addresses


def press_until(browser: Browser, key: str, wanted: str) -> None:
    """Press a key until the focus is on what a script finds."""
    for _ in range(200):
        if browser.run(f"document.activeElement === {wanted}"):
            return
        browser.press(key)
    raise AssertionError(f"{wanted} cannot be reached by {key}")


def choose_by_keyboard(browser: Browser) -> None:
    """The first choice, or the first cards of those to be chosen; at the end of a hand on to the next."""
    least = int(browser.run("document.getElementById('pick') ? +pick.dataset.least : 0"))
    for number in range(1, least + 1):
        for digit in str(number):
            press(browser, digit)
        chosen = f"document.querySelectorAll('input[name=pick]')[{number - 1}].checked"
        until = time.monotonic() + PATIENCE
        while not browser.run(chosen):
            assert time.monotonic() < until, number
            time.sleep(0.02)
    load(browser, "Enter" if least or browser.run("!!document.getElementById('continue')") else "1")


def look_around_by_keyboard(browser: Browser, acted: int) -> bool:
    """Ask for advice and take back, or step into the past and return; whether an action was taken back."""
    if acted in (3, 9) and browser.run("!!document.getElementById('advice')"):
        load(browser, "?")
        assert "Advice" in browser.run("document.querySelector('aside').innerText")
        load(browser, "u")
        return True
    if acted in (5, 11):
        load(browser, "ArrowLeft")
        assert "Back to the game" in browser.run("document.querySelector('main').innerText")
        load(browser, "ArrowRight")
        press_until(browser, "Tab", "document.getElementById('now')")
        load(browser, "Enter")
    return False


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "is_dark"), LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(game: str, width: int, is_dark: bool, tmp_path: Path) -> None:
    play_a_game(game, tmp_path, width, is_dark)


OTHER_RULES = {
    "towers-and-bowers": {"towers_to_win": "1", "first_n": "4", "renege_mode": "enforced"},
    "bowers": {"target": "8", "joker": "add", "first_lead": "left_of_dealer"},
    "towie": {"n_players": "4", "claims": "true", "max_goulash": "1", "doubled_counts": "false"},
    "towers": {"n_players": "3", "layout": "square"},
    "tower-war": {"advanced": "true", "deck_size": "6", "steady": "0.5", "max_battles": "4"},
}


def type_in(browser: Browser, field: str, text: str) -> None:
    press_until(browser, "Tab", field)
    for key in text:
        press(browser, key)
    assert browser.run(f"{field}.value") == text


def fill_in(browser: Browser, form: str, options: dict[str, str]) -> None:
    """Open what is under More, take a seat, give a seed and choose some rule options, by keyboard alone."""
    press_until(browser, "Tab", f"{form}.querySelector('summary')")
    press(browser, "Enter")
    type_in(browser, f"{form}.seat", "1")
    type_in(browser, f"{form}.seed", "5")
    fields = browser.run(f"[...{form}.elements].map((one) => one.name)")
    for name in sorted(options, key=lambda name: fields.index(f"option-{name}")):
        type_in(browser, f"{form}.elements['option-{name}']", options[name])


def settled(browser: Browser) -> str:
    """The page, once what decisions of the hand cost has been looked at."""
    until = time.monotonic() + PATIENCE
    while browser.holds("!!document.querySelector('[data-more]')"):
        assert time.monotonic() < until
        time.sleep(0.02)
    return str(browser.run("document.documentElement.outerHTML"))


def exchanged(browser: Browser, name: str, folder: Path, port: int) -> int:
    """Show the same table with hidden cards exchanged: how many pages were compared, which are all the same."""
    lines = (folder / f"{name}.jsonl").read_text().splitlines()
    game = table_of(json.loads(lines[0])["game"])
    here = browser.run("location.href")
    shown = settled(browser)
    found = list(itertools.islice(twins(game.replay(lines), 0, np.random.default_rng(1)), 2))
    for number, twin in enumerate(found):
        other = f"{name}-{len(lines)}-{number}"
        records = [json.dumps(action) for action in twin.actions]
        (folder / f"{other}.jsonl").write_text("\n".join([lines[0], *records]) + "\n")
        browser.open(address(folder, port, f"table/{other}?seat=1"))
        assert settled(browser).replace(other, name) == shown
        browser.open(here)
    return len(found)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "is_dark"), LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_a_game_by_other_rules_by_keyboard_alone(game: str, width: int, is_dark: bool, tmp_path: Path) -> None:
    """To its end, from the list of tables to the review; axe looks at each kind of moment, in all sizes and colours.

    And at the pages around it: the past and advice, the review, rules, a training, a record.
    """
    port = free_port()
    folder = tmp_path
    seen = set[str]()
    compared = 0
    backs = 0
    with opened(folder, width, is_dark) as browser, served(folder, port):

        def check(what: str) -> None:
            for look_at in LOOKS:
                look(browser, *look_at)
                assert axe_findings(browser) == [] and browser.run(FAULTS) == [], (what, *look_at)
            look(browser, width, is_dark)

        browser.open(address(folder, port))
        form = f"document.querySelector('.game input[name=game][value=\"{game}\"]').form"
        fill_in(browser, form, OTHER_RULES[game])
        press_until(browser, "Tab", f"{form}.querySelector('button')")
        load(browser, "Enter")
        for acted in range(MOST_CLICKS):
            if (moment := browser.run(MOMENT)) not in seen:
                seen.add(moment)
                check(moment)
                here = browser.run("location.href")
                for link in ("before", "advice"):
                    if browser.run(f"!!document.getElementById('{link}')"):
                        click(browser, f"document.getElementById('{link}')")
                        check(f"{moment}, {link}")
                        browser.open(here)
            if not goes_on(browser):
                break
            if acted % 3 == 2 and compared < 6:
                name = browser.run("location.pathname").rpartition("/")[2]
                compared += exchanged(browser, name, folder, port)
            choose_by_keyboard(browser)
            backs += look_around_by_keyboard(browser, acted)
        assert browser.holds("!!document.querySelector('.verdict')"), acted
        assert backs and compared > 1, "no hidden cards were exchanged"
        press_until(browser, "Tab", "document.getElementById('review')")
        load(browser, "Enter")
        assert "The costliest decisions" in browser.run("document.body.innerText")
        for page in (browser.run("location.pathname")[1:], f"rules/{game}", f"train/{game}", ""):
            browser.open(address(folder, port, page))
            check(page)
        click(browser, "document.querySelector('[formaction*=record]')")
        check("record")


@pytest.mark.slow
def test_forms_records_and_a_game_have_names_and_contrast(tmp_path: Path) -> None:
    port = free_port()
    with opened(tmp_path) as browser, served(tmp_path, port):
        for dark, width in ((False, 1280), (True, 400)):
            look(browser, width, dark)
            for page in ("", "ask/claim/towers-and-bowers", "ask/upcard?hand=JS&up=QS&seat=dealer"):
                browser.open(address(tmp_path, port, page))
                assert browser.run(FAULTS) == [], page
            browser.open(address(tmp_path, port))
            click(browser, "document.querySelector('[formaction*=record]')")
            assert browser.run(FAULTS) == [] and "Who deals?" in browser.run("document.body.innerText")
            words = browser.run("document.querySelectorAll('button[name=choice]')[1].value")
            type_in(browser, "document.getElementById('line')", words)
            load(browser, "Enter")
            assert "which card?" in browser.run("document.body.innerText")
        sit_down(browser, "towers", tmp_path, port)
        for _ in range(2):  # a whole game is among the slow tests
            click(browser, FIRST)
        assert goes_on(browser) and browser.run(FAULTS) == []
        load(browser, "1")


@pytest.mark.slow
def test_axe_finds_nothing_in_a_review_that_is_sent(tmp_path: Path, inside: Callable[..., Answer]) -> None:
    """Several positions on one page: none has a landmark of the same name."""
    played = ROOT / "tests" / "golden" / "towers-and-bowers-enforced.jsonl"
    page = tmp_path / "review.html"
    inside("review", str(played), "--out", str(page), "--quiet")
    with opened(tmp_path) as browser:
        browser.open(page)
        assert browser.run("document.querySelectorAll('.decision .gone-cards').length") > 1
        for width, is_dark in LOOKS:
            look(browser, width, is_dark)
            assert axe_findings(browser) == [] and browser.run(FAULTS) == [], (width, is_dark)


@pytest.mark.slow
def test_training_by_keyboard(tmp_path: Path) -> None:
    port = free_port()
    with opened(tmp_path) as browser, served(tmp_path, port):
        browser.open(address(tmp_path, port, "train/towers-and-bowers"))
        assert browser.run(FAULTS) == []
        for key, said in (("1", "Next puzzle"), ("Enter", "Your hand"), ("1", "Next puzzle")):
            load(browser, key)
            assert said in browser.run("document.body.innerText") and browser.run(FAULTS) == []


@pytest.mark.slow
def test_a_game_of_towers_by_clicking(tmp_path: Path) -> None:
    play_a_game("towers", tmp_path)


@pytest.mark.parametrize(
    ("game", "width", "is_still"),
    [
        ("towers-and-bowers", 390, False),
        *(slow(game, width, width == 390) for game, width in zip(GAMES, (1280, 390, 1280, 390, 1280), strict=True)),
        *(exhaustive(game, width, width == 390) for game in GAMES for width in (1280, 390)),
    ],
)
def test_nothing_moves_but_cards_from_the_deal_to_the_score(
    game: str, width: int, is_still: bool, tmp_path: Path
) -> None:
    """A card that is played moves for 0.2 s, and at once where less motion is asked for."""
    port = free_port()
    places = dict[str, list[list[float]]]()
    with opened(tmp_path, width) as browser, served(tmp_path, port):
        features = [{"name": "prefers-reduced-motion", "value": "reduce" if is_still else "no-preference"}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        browser.call("Animation.enable")
        sit_down(browser, game, tmp_path, port)
        for _ in range(MOST_CLICKS):
            seen, over = browser.run(BOARD)
            assert over == []
            for name, place in seen.items():
                places.setdefault(name, []).append(place)
            if browser.run("!!document.querySelector('.result')"):
                break
            click(browser, FIRST)
        started = [event["animation"] for event in browser.seen("Animation.animationStarted")]
    moved = [one["source"]["duration"] for one in started if one["type"] == "WebAnimation"]
    assert {"felt", "middle", "Your hand", "below"} <= places.keys()
    assert {name: shift for name, seen in places.items() if (shift := np.ptp(seen, axis=0).max()) > 1} == {}
    assert (moved == []) if is_still else set(moved) == {200}
