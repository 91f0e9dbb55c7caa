"""The forms of a new game and of a real one: every rule option, the number of players, people at one screen."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.serving import visit
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.saved_games import read_header, read_lines
from towerlab.web.app import TableServer

OTHER = {
    "towers-and-bowers": {"renege_mode": "enforced", "towers_to_win": "1", "early_stop": "false"},
    "bowers": {"joker": "add", "target": "20"},
    "towie": {"n_players": "5", "max_goulash": "2"},
    "towers": {"n_players": "10", "layout": "square"},
    "tower-war": {"advanced": "true", "collapse": "none"},
}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_and_a_record_begin_with_any_option(game: str, tmp_path: Path) -> None:
    server = TableServer(tmp_path)
    client = visit(server)
    form = client.get("/").text.rpartition(f'name="game" value="{game}"')[2].partition("</form>")[0]
    kind = GAMES[game].load("options")
    for field in dataclasses.fields(kind):
        assert f'name="option-{field.name}"' in form
        for choice in field.metadata["choices"] or ():
            assert choice == field.default or f'<option value="{choice}">' in form
    other = OTHER.get(game, {})
    given = {f"option-{name}": value for name, value in other.items()} | {"people": "2", "option-unused": ""}
    fields = {"token": server.token, "game": game, "against": "random", "seed": "1", "seat": "2", **given}
    for address, folder in (("/new", server.sessions.folder), ("/record", server.records.folder)):
        begun = client.post(address, data=fields, follow_redirects=False)
        assert begun.status_code == 303, begun.text
        name = re.fullmatch(r"/\w+/([a-z0-9-]+)(\?.*)?", begun.headers["location"])[1]  # type: ignore[index]
        header = read_header(read_lines(folder / f"{name}.jsonl"))
        assert {one: str(value).lower() for one, value in header["options"].items()} == other
        assert header["table"]["players"][1] == "human" and header["table"]["players"].count("human") >= 2
        assert client.get(begun.headers["location"]).status_code == 200


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"option-n_players": "11"}, "five of the 52 cards"),
        ({"option-layout": "round"}, "expected line or square"),
        ({"option-nonsense": "1"}, "nonsense"),
        ({"people": "3"}, "3 people for 2 seats; expected 1 to 2"),
        ({"seat": "3"}, "there is no seat 3"),
    ],
)
def test_what_cannot_be_is_said_on_the_page(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    server = TableServer(tmp_path)
    fields = {"token": server.token, "game": "towers", "against": "random", "seed": "1", **given}
    answer = visit(server).post("/new", data=fields, follow_redirects=False)
    assert answer.status_code == 400 and words in answer.text
