"""The index of all pages, and the links between them."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.kit.test_report import page
from tests.oracles.page_elements import Elements, check_html
from towerlab.analysis.catalog import GAMES, find_report
from towerlab.analysis.report.page import Page
from towerlab.analysis.report.studies import Report
from towerlab.analysis.report.write import SingleFile, pages_of, write_index
from towerlab.games.errors import TowerlabError


def small_page(title: str) -> Page:
    return page(title=title, question=f"What is {title}?", answer=(f"{title} is & stays.", "More."))


def further(name: str, file: str, built: Page | SingleFile) -> Report:
    return Report("dice", lambda runs, seed, command: built, page=name, file=file, about=f"About {name}")


def report() -> Report:
    single = SingleFile("<h1>Look up</h1>", "Look up", "Which throw?")
    pages = (further("deep", "deep/index.html", small_page("Deep")), further("look", "look.html", single))
    return Report("dice", lambda runs, seed, command: small_page("Dice"), pages={each.page: each for each in pages})


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
    told = [tuple(map(each.get, keys)) for each in pages_of(tmp_path, "dice")]
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
    main = tmp_path / "dice" / "index.html"
    deep = tmp_path / "dice" / "deep" / "index.html"
    assert {"../index.html", "deep/index.html", "look.html"} <= set(links_of(main))
    for file in (index, main, deep):
        for address in links_of(file):
            assert address.startswith("#") or (file.parent / address).exists()


def test_a_page_somewhere_else_leads_nowhere(tmp_path: Path) -> None:
    made = report().write(tmp_path / "try")
    assert not [address for address in links_of(made) if ".." in address or "look" in address]


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


@pytest.mark.parametrize("game", GAMES)
def test_a_published_page_leads_to_the_index_and_to_every_other_page_of_its_game(game: str) -> None:
    folder = ROOT / "reports" / game
    others = ["../index.html", *(each.file for each in find_report(game).pages.values())]
    found = re.findall(r'<a href="([^"#]+)">', (folder / "index.html").read_text("utf-8"))
    assert set(others) <= set(found) and all((folder / other).is_file() for other in others)
