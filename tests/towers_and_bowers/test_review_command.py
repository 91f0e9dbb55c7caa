"""`towerlab review` as a user runs it, and its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Answer
from tests.oracles.page_elements import Elements
from towerlab.analysis.saved_games import check_page_path
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.table.commanding import table_of
from towerlab.table.review import review_file, review_lines
from towerlab.web.reviews import review_page

Run = Callable[..., Answer]

GOLDEN = Path(__file__).parents[1] / "golden"
MATCH = GOLDEN / "towers-and-bowers-match.jsonl"


def lines(name: str = "match") -> list[str]:
    return (GOLDEN / f"towers-and-bowers-{name}.jsonl").read_text().splitlines()


def page_of(transcript: list[str]) -> str:
    return review_page(review_lines(transcript, table_of("towers-and-bowers")), alone=True, command="towerlab review x")


def test_json_keys(inside: Run) -> None:
    answer = inside("review", str(MATCH), "--json").json
    assert list(answer)[7:] == ["players", "decisions", "reference", "fallback", "hands", "match", "parts"]
    assert (answer["game"], answer["reference"]) == ("towers-and-bowers", "equilibrium")
    assert [list(player) for player in answer["players"]] == [
        ["decisions", "unforced", "cost_mt", "mt_per_decision", "blunders", "beside"]
    ] * 2
    for decision in answer["decisions"]:
        assert list(decision) == ["hand", "phase", "player", "action", "best", "cost_mt", "reference"]
    for number, player in enumerate(answer["players"]):
        own = [decision["cost_mt"] for decision in answer["decisions"] if decision["player"] == number]
        assert player["decisions"] == len(own) >= player["unforced"]
        assert player["cost_mt"] == pytest.approx(sum(own), abs=1e-3)
        assert player["mt_per_decision"] == pytest.approx(player["cost_mt"] / player["unforced"])
        assert player["blunders"] == sum(cost >= 80 for cost in own)


def test_page_and_words(inside: Run, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "review.html"
    answer = inside("review", str(MATCH), "--out", str(out))
    assert answer.status == 0, answer.stderr
    assert f"page written to {out}" in answer.stderr
    models = (
        "both see all cards after the play",
        "bids and discards: equilibrium",
        "indifferent and cost nothing",
    )
    for words in (
        "played better by the reference",
        "23        5    2–2",
        "from 2 points on a decision is doubtful",
        *models,
    ):
        assert words in answer.stdout.replace("\n", " ")
    assert sorted(path.name for path in out.parent.iterdir()) == ["review.html"]
    for words in (*models, "--reference equilibrium", "graded by"):
        assert words in out.read_text()


def test_pimc_as_the_reference(inside: Run) -> None:
    answer = inside("review", str(MATCH), "--reference", "pimc")
    assert (
        "player 2 played better" in answer.stdout.replace("\n", " ")
        and "equilibrium" not in answer.stdout + answer.stderr
    )


def test_page_stands_alone() -> None:
    html = page_of(lines())
    for tag, attributes in Elements(html).found:
        assert "src" not in attributes, tag
        assert (attributes.get("href") or "#").startswith(("#", "data:")), (tag, attributes)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|http-equiv', "", html)
    assert "10♦" in html and "blunder" in html


def test_page_says_what_was_not_graded() -> None:
    html = page_of(lines("enforced"))
    assert "reneges: 29" in html and "Rules: <code>renege_mode=enforced" in html


@pytest.mark.parametrize("count", [15, 18, 40])
def test_page_of_an_unfinished_match(count: int) -> None:
    html = page_of(lines()[:count])
    assert "unfinished at 0–0" in html


def test_nothing_decided_is_an_answer() -> None:
    empty = review_lines(list(Match(TowersAndBowersOptions(claims="off")).transcript()), table_of("towers-and-bowers"))
    assert empty.to_json()["players"][0] == {
        "decisions": 0,
        "unforced": 0,
        "cost_mt": 0.0,
        "mt_per_decision": None,
        "blunders": 0,
        "beside": {},
    }
    assert "None that cost anything." in review_page(empty, alone=True) and "unfinished at 0–0" in str(empty)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1 is not the header"),
        ("\n".join([*lines()[:13], '{"action": "play"', *lines()[13:]]).encode(), "line 14 is not JSON"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b'{"game": "whist", "options": {}, "version": 1}\n', "unknown game 'whist'"),
        ("\n".join([*lines()[:14], '{"action": "accept", "player": 1}']).encode(), "line 15: .* player 0's turn"),
    ],
)
def test_what_is_no_transcript_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(text)
    with pytest.raises(TowerlabError, match=message):
        review_file(file)


@pytest.mark.parametrize("name", ["review.pdf", "review", "folder.html"])
def test_out_has_to_be_an_html_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(TowerlabError, match=r"expected a file whose name ends in \.html"):
        check_page_path(tmp_path / name)


def test_the_ledger_of_luck_is_in_the_json_and_adds_up(inside: Callable[..., Answer]) -> None:
    hands = inside("review", str(MATCH), "--json").json["hands"]
    assert [hand["hand"] for hand in hands] == list(range(1, len(hands) + 1)) and hands[-1]["after"] in (0.0, 1.0)
    for hand in hands:
        parts = hand["luck"] + hand["unseen"] + sum(hand["skill"])
        assert abs(hand["after"] - hand["before"] - parts) < 1e-9
