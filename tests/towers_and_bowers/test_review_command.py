"""`towerlab review` as a user runs it, and its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Answer
from tests.oracles.golden_reviews import golden_lines, golden_review
from tests.oracles.page_elements import Elements
from towerlab.analysis.saved_games import check_page_path
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.table.commanding import table_of
from towerlab.table.review import review_lines
from towerlab.web.reviews import review_page

Run = Callable[..., Answer]


def page_of(transcript: list[str]) -> str:
    return review_page(review_lines(transcript, table_of("towers-and-bowers")), alone=True, command="towerlab review x")


def begun(folder: Path) -> Path:
    """The golden match's first hands as a file."""
    (folder / "match.jsonl").write_text("\n".join(golden_lines()[:60]))
    return folder / "match.jsonl"


def test_page_and_words(inside: Run, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "review.html"
    answer = inside("review", str(begun(tmp_path)), "--out", str(out))
    assert answer.status == 0, answer.stderr
    assert f"page written to {out}" in answer.stderr
    models = (
        "both see all cards after the play",
        "bids and discards: cards hidden to the end",
        "indifferent and cost nothing",
    )
    for words in (
        "decided better",
        "from 4 a mistake, from 8 a blunder",
        *models,
    ):
        assert words in answer.stdout.replace("\n", " ")
    assert sorted(path.name for path in out.parent.iterdir()) == ["review.html"]
    for words in (*models, "--reference equilibrium", "graded by"):
        assert words in out.read_text()


def test_page_stands_alone() -> None:
    html = review_page(golden_review(), alone=True, command="towerlab review x")
    for tag, attributes in Elements(html).found:
        assert "src" not in attributes, tag
        assert (attributes.get("href") or "#").startswith(("#", "data:")), (tag, attributes)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|http-equiv', "", html)
    assert "10♦" in html and "blunder" in html


def test_page_says_how_reneges_are_graded() -> None:
    html = review_page(golden_review(name="enforced"), alone=True, command="towerlab review x")
    assert "A renege counts as the tower given away" in html and "punished when found out: enforced" in html


@pytest.mark.parametrize("count", [15, 25])
def test_page_of_an_unfinished_match(count: int) -> None:
    html = page_of(golden_lines()[:count])
    assert "unfinished at 0–0" in html


def test_nothing_decided_is_an_answer() -> None:
    empty = review_lines(list(Match(TowersAndBowersOptions(claims="off")).transcript()), table_of("towers-and-bowers"))
    assert list(empty.to_json()["players"][0].values()) == [0, 0, 0.0, None, 0, {}]
    assert "None cost more than 1.00 percentage points." in review_page(empty, alone=True)
    assert "unfinished at 0–0" in str(empty)


@pytest.mark.parametrize("name", ["review.pdf", "review", "folder.html"])
def test_out_has_to_be_an_html_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(TowerlabError, match=r"expected a file whose name ends in \.html"):
        check_page_path(tmp_path / name)
