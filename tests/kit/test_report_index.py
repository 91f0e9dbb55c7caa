"""The index of all pages, and the links between them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import ROOT
from tests.oracles.page_elements import Elements, check_html
from towerlab.analysis.report.checks import holds
from towerlab.analysis.report.index import pages_of, write_index
from towerlab.analysis.report.page import Caption, Exact, Page, Section, Table
from towerlab.analysis.report.studies import Report
from towerlab.analysis.report.write import SingleFile
from towerlab.games.errors import TowerlabError


def small_page(title: str) -> Page:
    caption = Caption("Dice.", "default rules", "2 dice", "none", Exact(36, "throws"))
    dice = Table("dice", "Dice", pd.DataFrame({"eyes": [2, 3]}), caption)
    method = Section("method", "Method", (dice,))
    checks = (holds("it is so", True),)
    return Page(title, f"What is {title}?", (f"{title} is & stays.", "More."), "none", (), method, "again", checks)


def further(page: str, file: str, built: Page | SingleFile) -> Report:
    return Report("dice", lambda runs, seed, command: built, page=page, file=file, about=f"About {page}")


def report() -> Report:
    single = SingleFile("<h1>Look up</h1>", "Look up", "Which throw?")
    pages = (further("deep", "deep/index.html", small_page("Deep")), further("look", "look.html", single))
    return Report("dice", lambda runs, seed, command: small_page("Dice"), pages={page.page: page for page in pages})


def write_all(root: Path) -> None:
    first = report()
    for each in (first, *first.pages.values()):
        each.write(root / "dice" / each.page)


def links_of(path: Path) -> list[str]:
    return [str(link["href"]) for link in Elements(path.read_text()).all("a")]


def test_the_index_tells_of_every_page_and_leads_to_it(tmp_path: Path) -> None:
    write_all(tmp_path)
    (tmp_path / "dice" / "notes.txt").write_text("no page")
    keys = ("address", "title", "question", "answer")
    told = [tuple(map(page.get, keys)) for page in pages_of(tmp_path, "dice")]
    assert told == [
        ("dice/index.html", "Dice", "What is Dice?", "Dice is & stays."),
        ("dice/deep/index.html", "Deep", "What is Deep?", "Deep is & stays."),
        ("dice/look.html", "Look up", "Which throw?", None),
    ]
    index = write_index(tmp_path, [("cards", "Cards"), ("dice", "Dice & luck")])
    check_html(index.read_text(), [address for address, *_ in told])
    assert links_of(index) == [address for address, *_ in told]
    assert "Dice &amp; luck" in index.read_text()
    assert "Cards" not in index.read_text()


def test_pages_lead_to_each_other(tmp_path: Path) -> None:
    write_all(tmp_path)
    index = write_index(tmp_path, [("dice", "Dice")])
    main, deep = tmp_path / "dice" / "index.html", tmp_path / "dice" / "deep" / "index.html"
    assert {"../index.html", "deep/index.html", "look.html"} <= set(links_of(main))
    for page in (index, main, deep):
        for address in links_of(page):
            assert address.startswith("#") or (page.parent / address).exists()


def test_a_page_somewhere_else_leads_nowhere(tmp_path: Path) -> None:
    page = report().write(tmp_path / "try")
    assert not [address for address in links_of(page) if ".." in address or "look" in address]


def test_an_index_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TowerlabError, match="holds no report; expected folders named like the games"):
        write_index(tmp_path, [("dice", "Dice")])


@pytest.mark.parametrize("path", sorted((ROOT / "reports").rglob("*.html")), ids=lambda path: path.parent.name)
def test_a_published_page_names_the_version_and_the_commit_that_made_it(path: Path) -> None:
    """Page, manifest and the package of that commit say the same."""
    said = re.findall(r'content="towerlab (.*?)"|towerlab ([^·<]+?) · made by', path.read_text())
    (made,) = {first or second for first, second in said}
    version, commit = re.fullmatch(r"(\d+\.\d+\.\d+)(?: \(|\+g)([0-9a-f]{7})\)?", made).groups()  # type: ignore[union-attr]
    beside = {"index.html": "manifest.json"}.get(path.name, f"{path.stem}-manifest.json")
    if path != ROOT / "reports" / "index.html":
        manifest = json.loads(path.with_name(beside).read_text())
        assert manifest["versions"]["towerlab"] == made
        assert manifest["files"][path.name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    shown = ["git", "-C", str(ROOT), "show", f"{commit}:pyproject.toml"]
    project = subprocess.run(shown, capture_output=True, text=True, check=False)
    if project.returncode:
        pytest.skip("not a clone with its history")
    assert f'\nversion = "{version}"\n' in project.stdout
