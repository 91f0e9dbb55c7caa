"""Names in files and in requests are those of stored players: nothing that anybody wrote there has code run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from starlette.testclient import TestClient

import towerlab as tl
from tests.conftest import STRANGERS, Answer
from tests.oracles.serving import visit
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.study.folder import _hash
from towerlab.commands.table import question_forms
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.table.commanding import open_session
from towerlab.web.app import TableServer

FORMS = {question.path: question for question in question_forms()}
HAND = {"hand": "AH KH", "up": "JD", "seat": "nondealer"}


pytestmark = pytest.mark.usefixtures("strange")


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return visit(TableServer(tmp_path / "tables", list(FORMS.values())))


def saved_game(folder: Path, game: str, name: str) -> Path:
    """A game in which such a player sits."""
    path = folder / "game.jsonl"
    session = open_session(game, record=path, seed=7)
    for _ in range(3):
        session.step()
    head, *actions = path.read_text().splitlines(keepends=True)
    seated = json.loads(head)
    seated["table"]["players"][1] = name
    path.write_text(json.dumps(seated) + "\n" + "".join(actions))
    return path


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("game", GAMES)
def test_a_saved_game_has_nothing_loaded(
    tmp_path: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, game: str, name: str
) -> None:
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())
    (tmp_path / "tables").mkdir()
    path = saved_game(tmp_path / "tables", game, name)
    assert f"({name})" in inside("show", str(path)).stdout
    inside("play", "--resume", str(path)).assert_refused(f"--against {name} lets it play on")
    with pytest.raises(TranscriptError, match="line 1"):
        open_session(None, resume=path, against="novice")
    if game == "towers":
        assert inside("review", str(path), "--json").status == 0
        inside("review", str(path.parent), "--json")
    page = visit(TableServer(path.parent, own=["strange:Other"]))
    assert page.get("/").status_code == 200 and page.get("/table/game").status_code == 400


@pytest.mark.parametrize("name", STRANGERS)
def test_a_request_names_stored_players_and_those_given_to_serve(client: TestClient, tmp_path: Path, name: str) -> None:
    for game in GAMES:
        token = client.get("/").text.partition('name="token" value="')[2].partition('"')[0]
        for against in (name, f"novice,{name}"):
            answer = client.post("/new", data={"token": token, "game": game, "against": against, "seed": "1"})
            assert answer.status_code == 400 and "was not brought" in answer.text
    assert not (tmp_path / "tables").exists() or not list((tmp_path / "tables").glob("*.jsonl"))


@pytest.mark.parametrize("path", FORMS)
def test_no_field_of_a_form_has_anything_loaded(client: TestClient, path: str) -> None:
    question = FORMS[path]
    for field in question.fields:
        answer = client.get(f"/ask/{path}", params=question.first_values | {field: "strange:Player"})
        assert answer.status_code in (200, 400), field
    if "against" in question.fields:
        for name in STRANGERS:
            answer = client.get(f"/ask/{path}", params=HAND | {"against": name, "format": "json"})
            assert answer.status_code == 400 and answer.json()["field"] == "against"
            assert "was not brought" in answer.json()["error"]


@pytest.mark.parametrize("name", STRANGERS)
def test_a_table_of_questions_names_stored_players(tmp_path: Path, inside: Callable[..., Answer], name: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(f"hand,up,seat,against\nAH KH,JD,nondealer,{name}\nAH KH,JD,nondealer,novice\n")
    answer = inside("upcard", "--from", str(path), "--out", "answers.csv", "--jobs", "1", "--quiet")
    assert answer.status == 2 and f"{name} was not brought" in answer.stderr
    assert list(pd.read_csv("answers.csv")["against"]) == [name, "novice"]
    frame = pd.DataFrame([HAND | {"against": name}])
    assert "was not brought" in tl.upcard_many(frame, jobs=1)["error"][0]


def test_whom_the_user_names_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the command line, in Python, and of what was given to `serve`."""
    (tmp_path / "mine.py").write_text("def first(view, legal, random):\n    return legal[0]\n")
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    monkeypatch.setattr("towerlab.web.answering._idle", [])  # a process that is kept was started in another folder
    server = TableServer(tmp_path / "tables", list(FORMS.values()), ["mine:first"])
    page = visit(server)
    asked = page.get("/ask/upcard", params=HAND | {"against": "mine:first", "format": "json"})
    assert asked.status_code == 200, asked.text
    assert asked.json()["against"] == "mine:first" == tl.upcard(*HAND.values(), against="mine:first").against
    fields = {"token": server.token, "game": "towers", "against": "mine:first", "seed": "1"}
    assert page.post("/new", data=fields, follow_redirects=False).status_code == 303
    (path,) = server.sessions.folder.glob("*.jsonl")
    assert visit(TableServer(path.parent)).get(f"/table/{path.stem}").status_code == 400
    assert visit(TableServer(path.parent, own=["mine:first"])).get(f"/table/{path.stem}").status_code == 200
    rows = tl.upcard_many(pd.DataFrame([HAND]), against="mine:first", jobs=1)
    assert list(rows["method_used"]) == ["against"]
    with pytest.raises(TowerlabError, match="was not brought"):
        open_session("towers", against="mine:first", own=())


def test_a_manifest_has_nothing_loaded(
    tmp_path: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an interrupted table: whatever it says, hash and all, is compared and never looked up."""
    (tmp_path / "questions.csv").write_text("hand,up,seat\nAH KH,JD,nondealer\n")
    asked = ("upcard", "--from", "questions.csv", "--out", "answers.csv", "--jobs", "1", "--quiet")
    with pytest.MonkeyPatch.context() as here:
        here.setattr("towerlab.analysis.batches.remove_study", lambda folder, result: None)
        assert inside(*asked).status == 0
    path = tmp_path / "answers.csv.run" / "manifest.json"
    content = {name: value for name, value in json.loads(path.read_text()).items() if name != "hash"}
    content["parameters"] |= {"many": "strange:Player", "given": {"against": "strange:Player"}}
    path.write_text(json.dumps(content | {"hash": _hash(content)}))
    inside(*asked, "--resume").assert_refused("holds another study", "strange:Player")
