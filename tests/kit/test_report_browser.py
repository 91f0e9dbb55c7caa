"""A report in a real browser: nothing on the console, nothing fetched, sorting, dark mode and paper."""

from __future__ import annotations

import time
from pathlib import Path

import pandas as pd
import pytest
from markupsafe import Markup

from tests.kit.test_report import CAPTION, page
from tests.oracles import small_page
from tests.oracles.axe import axe_findings
from tests.oracles.browser import PATIENCE, PROGRAM, Browser
from towerlab.analysis.report.page import Column, Figure, Section, Tab, Table, Tabs
from towerlab.analysis.report.render import Cell, Panel, grid_svg
from towerlab.analysis.report.wording import cards_html
from towerlab.analysis.report.write import write_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"),
]

REPORTS = Path(__file__).parents[2] / "reports"
COMPLAINTS = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
CELLS = "[...document.querySelectorAll('#gaps tbody tr')].map(row => row.cells[{}].textContent)"
SORTS = "[...document.querySelectorAll('th[aria-sort]')].map(head => head.getAttribute('aria-sort'))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> object:
    rows = pd.DataFrame({"name": ["b", "c", "a"], "gap": [-3.5, float("nan"), 20.0]})
    table = Table("gaps", "Gaps", rows, CAPTION, (Column("name", "name"), Column("gap", "gap", "+.1f")))
    cells = {("r", "c"): Cell("A 3", "accept-1", tells=("12", "", "+3 mt"), link="x.html")}
    named = {"row_axis": "", "column_axis": "", "tells": ("hands", "none", "gap")}
    grid = grid_svg([Panel("P", cells)], "r", "c", **named)
    chart = Figure("chart", "Chart", grid, "A cell.", CAPTION, rows, table.columns)
    tabs = Tabs("sizes", (Tab("one", ("One.",)), Tab("two", (chart,))))
    worst_drawn = Markup("The worst drawn: ") + cards_html((1 << 26) - 1)
    small = page(sections=(Section("body", "Body", (worst_drawn, table)), Section("look-up", "Look up", (tabs,))))
    with Browser(write_report(tmp_path_factory.mktemp("report"), small)) as opened:
        yield opened


def test_the_browser_has_nothing_to_complain_of_and_fetches_nothing(browser: Browser) -> None:
    assert len(browser.seen("Network.requestWillBeSent")) == 1  # the page itself
    assert [browser.seen(complaint) for complaint in COMPLAINTS] == [[], [], []]


def test_the_policy_stops_what_would_be_fetched(browser: Browser) -> None:
    load = "new Promise(done => { const i = new Image(); i.onerror = () => done('blocked'); i.src = 'file:///x.png' })"
    assert browser.run(load) == "blocked"
    assert any("Content Security Policy" in entry["entry"]["text"] for entry in browser.seen("Log.entryAdded"))


def test_headings_sort_numbers_by_value_with_empty_cells_last(browser: Browser) -> None:
    click = "document.querySelectorAll('thead button')[{}].click()"
    browser.run(click.format(1))
    assert browser.run(CELLS.format(0)) == ["a", "b", "c"]
    assert browser.run(SORTS) == ["descending"]
    browser.run(click.format(1))
    assert browser.run(CELLS.format(1)) == ["−3.5", "+20.0", "–"]
    assert browser.run(SORTS) == ["ascending"]
    browser.run(click.format(0))
    assert browser.run(CELLS.format(0)) == ["a", "b", "c"]
    assert browser.run(SORTS) == ["ascending"]


def test_tabs_open_by_clicks_arrows_and_addresses_and_a_cell_tells_more(browser: Browser) -> None:
    browser.look()
    shown = "[...document.querySelectorAll('.tabs > section')].map(part => part.offsetHeight > 0)"
    assert browser.run(shown) == [True, False]
    key = "new KeyboardEvent('keydown', {key: 'ArrowRight'})"
    browser.run(f"document.querySelector('[role=tab]').dispatchEvent({key})")
    assert browser.run(shown) == [False, True]
    assert browser.run("document.activeElement.textContent") == "two"
    middle = "const box = document.querySelector('[data-tells]').getBoundingClientRect()"
    at = "{bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}"
    scroll = "document.querySelector('[data-tells]').scrollIntoView({block: 'center'})"
    click = f"document.querySelector('#chart svg').dispatchEvent(new MouseEvent('click', {at}))"
    browser.run(f"{scroll}; {middle}; {click}")
    told = "[...document.querySelectorAll('.told dd')].map(each => each.textContent)"
    assert browser.run(told) == ["12", "+3 mt"]
    assert browser.run(told.replace("dd", "dt")) == ["hands", "gap"]
    browser.run("document.querySelector('[role=tab]').click()")
    assert browser.run(shown) == [True, False]
    browser.run("location.hash = 'chart'")
    assert browser.run(f"new Promise(done => setTimeout(() => done({shown}), 50))") == [False, True]
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run(shown) == [True, True]
    browser.call("Emulation.setEmulatedMedia", media="")


def test_dark_mode_and_paper(browser: Browser) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    browser.look()
    assert browser.run(background) == "rgb(255, 255, 255)"
    browser.look(dark=True)
    assert browser.run(background) == "rgb(22, 22, 26)"
    browser.call(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    assert browser.run(background) == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.querySelector('thead')).display") == "table-header-group"
    browser.call("Emulation.setEmulatedMedia", media="")


def test_a_small_window_needs_no_scrolling_sideways(browser: Browser, tmp_path: Path) -> None:
    browser.look(width=320, phone=True)
    assert browser.run("document.documentElement.scrollWidth") == 320
    browser.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_the_towers_and_bowers_page_opens_without_complaint_or_request(tmp_path: Path) -> None:
    with Browser(write_report(tmp_path, small_page.page())) as opened:
        for dark in (False, True):
            opened.look(dark=dark, width=400, phone=True)
            assert opened.run("document.documentElement.scrollWidth") == 400
        opened.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
        opened.run("document.querySelectorAll('thead button').forEach(each => each.click())")
        assert opened.run("document.querySelectorAll('th[aria-sort]').length") == opened.run(
            "document.querySelectorAll('table').length"
        )
        assert len(opened.seen("Network.requestWillBeSent")) == 1
        assert [opened.seen(complaint) for complaint in COMPLAINTS] == [[], [], []]


PAGES = sorted(path.relative_to(REPORTS).as_posix() for path in REPORTS.rglob("*.html"))


@pytest.mark.parametrize(("name", "is_dark"), [(name, place % 2 == 1) for place, name in enumerate(PAGES)])
def test_axe_finds_nothing_on_a_published_page_and_a_phone_scrolls_one_way(
    browser: Browser, name: str, is_dark: bool
) -> None:
    """Half of the pages on a desk by day, half on a phone by night."""
    browser.open(REPORTS / name)
    until = time.monotonic() + PATIENCE
    while browser.run("document.body.innerText.includes('Unpacking')"):
        assert time.monotonic() < until
        time.sleep(0.1)
    browser.look(width=390 if is_dark else 1280, dark=is_dark, phone=is_dark)
    assert axe_findings(browser) == []
    browser.look(width=390, phone=True)
    assert browser.run("document.documentElement.scrollWidth") == 390
