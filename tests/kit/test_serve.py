"""The table in a browser, without one: what is served, what is refused, what a seat may learn."""

from __future__ import annotations

import dataclasses
import html
import json
import os
import re
import resource
import signal
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn
from starlette.testclient import TestClient

from tests.conftest import STRANGERS, exhaustive
from tests.oracles.serving import HOST, free_port, key_of, served, visit
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.decision import SCALES
from towerlab.commands.table import question_forms
from towerlab.table.commanding import table_of
from towerlab.table.scene import Cards
from towerlab.web import pages
from towerlab.web.app import TableServer
from towerlab.web.guard import write_opening_page
from towerlab.web.serving import PatientProtocol


class Visitor:
    """Somebody at the page."""

    def __init__(self, folder: Path) -> None:
        self.server = TableServer(folder, question_forms())
        self.client = visit(self.server)

    def begin(self, game: str, against: str = "novice", seed: int = 6) -> str:
        fields = {"token": self.server.token, "game": game, "against": against, "seed": str(seed)}
        answer = self.client.post("/new", data=fields, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        name: str = re.fullmatch(r"/table/([a-z0-9-]+)\?seat=1", answer.headers["location"])[1]  # type: ignore[index]
        self.post(name, "advance")
        return name

    def look(self, name: str, **query: object) -> dict[str, object]:
        answer = self.client.get(f"/table/{name}", params={"format": "json", **query})
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    def post(self, name: str, what: str, **fields: object) -> httpx.Response:
        data = {"token": self.server.token, "seat": "1", **{key: str(value) for key, value in fields.items()}}
        return self.client.post(f"/table/{name}/{what}", data=data, follow_redirects=False)

    def show(self, name: str, seat: int) -> bool:
        return self.post(name, "show", seat=seat).status_code == 303

    def step(self, name: str, choice: int = 1) -> dict[str, object]:
        seen = self.look(name)
        if not seen["choices"]:
            self.post(name, "advance")
        else:
            assert self.post(name, "act", length=seen["length"], choice=choice).status_code == 303
        return self.look(name)


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    yield Visitor(tmp_path)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_played_and_saved(visitor: Visitor, game: str) -> None:
    name = visitor.begin(game)
    for _ in range(12):
        seen = visitor.step(name)
    page = visitor.client.get(f"/table/{name}")
    assert page.status_code == 200 and 'lang="en"' in page.text
    assert not re.search(r'(?:src|href|action)="(?!/|#)', page.text) and " style=" not in page.text
    again = Visitor(visitor.server.sessions.folder)  # the server was killed: the files have everything
    assert again.look(name) == seen
    taken_back = visitor.post(name, "back", length=seen["length"])
    assert taken_back.status_code == 303 and visitor.look(name)["length"] < seen["length"]  # type: ignore[operator]


def test_advice_stands_beside_the_actions_only_when_asked(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    assert visitor.look(name)["advice"] is None and 'class="cost' not in visitor.client.get(f"/table/{name}").text
    seen = visitor.look(name, advice=1)
    assert seen["advice"]["actions"]  # type: ignore[index]
    page = visitor.client.get(f"/table/{name}", params={"advice": "1"}).text
    assert 'class="cost open"' in page and "Model:" in page


def test_advice_is_prepared_once_a_kind_of_decision_where_something_was_compiled(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of("towers")
    views = list[object]()
    monkeypatch.setattr(table, "advise", lambda view, options: views.append(view))
    name = visitor.begin("towers")
    for has_compiled, prepared in ((False, 0), (True, 1), (True, 1)):
        monkeypatch.setattr("towerlab.web.answering.has_compiled", lambda is_so=has_compiled: is_so)
        assert visitor.client.get(f"/table/{name}").status_code == 200 and len(views) == prepared
    with visitor.server.sessions.hold(name) as session:
        assert views == [session.engine.view(0)]


def test_a_stale_page_changes_nothing_and_shows_the_table(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    old = visitor.look(name)["length"]
    seen = visitor.step(name)
    for answer in (visitor.post(name, "act", length=old, choice=1), visitor.post(name, "back", length=old)):
        assert answer.status_code == 409 and "old" in answer.text and "Your hand" in answer.text
    assert visitor.look(name) == seen


def finish_hand(visitor: Visitor, name: str) -> dict[str, Any]:
    """Play the first choice until a hand has ended."""
    for _ in range(200):
        seen = visitor.look(name)
        if seen["rests"] or seen["over"]:
            return seen
        visitor.step(name)
    raise AssertionError("no hand ends")


def test_a_hands_end_waits_is_told_and_stays_in_the_sheet(visitor: Visitor) -> None:
    name = visitor.begin("bowers")
    seen = finish_hand(visitor, name)
    page = visitor.client.get(f"/table/{name}").text
    assert 'id="continue"' in page and "Next dealer" in page and "Last trick" in page and "Score sheet" in page
    assert visitor.post(name, "advance", length=0).status_code == 303  # from an old page: nothing happens
    assert visitor.look(name)["length"] == seen["length"]
    visitor.post(name, "advance", length=seen["length"])
    assert visitor.look(name)["length"] > seen["length"]
    assert "Next dealer" not in visitor.client.get(f"/table/{name}").text
    then = visitor.client.get(f"/table/{name}", params={"at": seen["length"]}).text
    assert "Next dealer" in then and 'name="choice"' not in then and 'id="continue"' not in then


def test_a_hands_end_says_which_decision_cost_most_and_trains_it(visitor: Visitor) -> None:
    """Asked for slice by slice while one looks at it; a step back shows what was better, one more asks it."""
    name = visitor.begin("towers-and-bowers", seed=3)
    seen = finish_hand(visitor, name)
    page = visitor.client.get(f"/table/{name}").text
    for _ in range(30):
        if (further := re.search('data-more="([^"]*)"', page)) is None:
            break
        page = visitor.client.get(further[1].replace("&amp;", "&")).text
    session = visitor.server.sessions._open[name][0]
    judged = [one for ones in session.judged.values() for one in ones]
    own = [one for one in judged if one.seat == 0]
    worst = max(own, key=lambda one: one.cost.mean)
    assert {*session.judged} == {*session.deciders(0, seen["length"])} and worst.cost.mean > 0
    told = session.post_mortems[0, seen["length"]]
    typeset = html.unescape(page).replace("\u202f", " ")
    assert all(said in typeset for said in told.sentences) and page.count('class="step') >= len(judged)
    assert told.turn == max(judged, key=lambda one: one.cost.mean).number
    assert (told.line[:-1] == tuple((one.number - 1, one.value) for one in own) and told.line[-1][1] in (0, 1000)) or (
        told.line[-1][0] == seen["length"]
    )
    assert worst.lost in page and page.count('class="better"') == sum(one.is_costly for one in judged)
    before = visitor.client.get(f"/table/{name}", params={"at": worst.number - 1}).text
    assert f"<b>{worst.outcome}.</b>" in html.unescape(before).replace("\u202f", " ")
    played = [one for one in own if one.best.startswith("play") and one.is_costly]
    for one in played:
        shown = visitor.client.get(f"/table/{name}", params={"at": one.number - 1}).text
        rank = one.best[5:-1]
        suit = one.best[-1]
        assert re.search(f'<li class=" marked">\n.+>{rank}<i>{suit}</i>.+class="label">better<', shown), shown
        assert shown.count(">better<") == shown.count(">chosen<") == 1
    assert played
    call = dataclasses.replace(played[0], best=played[0].best.removeprefix("play "))  # as of Bowers and Towie
    own = next(part for part in session.scene_after(0, call.number - 1).parts if isinstance(part, Cards) and part.own)
    assert pages._compared(own, played[0]).marked and not pages._compared(own, call).marked
    asked = visitor.client.post(
        "/train/towers-and-bowers/decision",
        data={"token": visitor.server.token, "seat": "1", "table": f"{name}/{worst.number - 1}"},
    ).text
    assert 'id="question"' in asked and "Your rating comes after 20 new puzzles: 20 to go." in asked
    trainer = visitor.server.trainings._open["towers-and-bowers"][0]
    assert trainer.position(trainer.item).engine.view(0) == worst.view and trainer.item.weight == 0
    for at, seat in ((seen["length"], 1), (0, 1), (worst.number - 1, 2)):
        fields = {"token": visitor.server.token, "seat": seat, "table": f"{name}/{at}"}
        assert visitor.client.post("/train/towers-and-bowers/decision", data=fields).status_code == 400
    assert visitor.post(name, "back", length=seen["length"]).status_code == 303
    assert "costliest decision" not in visitor.client.get(f"/table/{name}").text


def test_advice_goes_on_counting_while_one_waits(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.web.app.GRADING_SECONDS", 600.0)
    name = visitor.begin("towers")
    page = visitor.client.get(f"/table/{name}", params={"advice": "1"}).text
    assert "sampled: 200 deals" in page.lower() and "layouts=400" in page and " to " in page
    assert "400 deals" in visitor.client.get(f"/table/{name}", params={"advice": "1", "layouts": "400"}).text
    for layouts in ("0", "99999", "x"):
        query = {"advice": "1", "layouts": layouts}
        assert visitor.client.get(f"/table/{name}", params=query).status_code == 400
    estimated = visitor.client.get(
        f"/table/{visitor.begin('towers-and-bowers')}", params={"advice": "1", "layouts": "9"}
    ).text
    assert "Sampled: 2,000 deals of each call" in estimated and "layouts=" not in estimated


def test_the_advised_deck_is_built_by_a_button(visitor: Visitor) -> None:
    name = visitor.begin("tower-war")
    for _ in range(80):
        page = visitor.client.get(f"/table/{name}", params={"advice": "1"}).text
        if "the advised cards" in page:
            break
        visitor.step(name)
    cards = re.search('value="([^"]*)">Take the advised cards', page)[1]  # type: ignore[index]
    length = visitor.look(name)["length"]
    assert visitor.post(name, "act", length=length, choice=cards).status_code == 303
    lines = (visitor.server.sessions.folder / f"{name}.jsonl").read_text().splitlines()
    assert sorted(json.loads(lines[length + 1])["cards"]) == sorted(cards.split())  # type: ignore[operator]


def test_a_page_comes_soon_though_a_table_is_at_work(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new table is shown before anybody acts; while somebody is at it the page asks again every second."""
    monkeypatch.setattr("towerlab.web.app.FIRST_PAGE", 0.05)
    fields = {"token": visitor.server.token, "game": "towers", "against": "novice", "seed": "6"}
    url = visitor.client.post("/new", data=fields, follow_redirects=False).headers["location"]
    page = visitor.client.get(url)
    assert "is at work" in page.text and 'id="advance"' in page.text
    with visitor.server.sessions.hold(url.split("/")[2].partition("?")[0]):
        page = visitor.client.get(url)
        assert page.headers["Refresh"] == "1" and "At work" in page.text and visitor.client.get("/doing").text == ""
    assert "Refresh" not in visitor.client.get(url).headers


def test_opponents_have_names_that_people_know(visitor: Visitor) -> None:
    page = visitor.client.get("/").text
    for game in GAMES:
        table = table_of(game)
        assert {"beginner", "expert"} <= {*table.levels}
        assert table.levels["expert"][0] != table.against in {player for player, _ in table.levels.values()}
        for level, (player, remark) in table.levels.items():
            shown = rf'value="{player}"( selected)?>{level}</option>'
            usual = re.search(shown, page)
            assert usual and bool(usual[1]) == (player == table.against)
            assert player in table.players and (table.loss_words(player) or remark)
            assert html.escape(f"{level.capitalize()} ({player}): {table.loss_words(player) or remark}") in page
    name = visitor.begin("towers-and-bowers", against="learned:14")
    assert "Against club." in visitor.client.get(f"/table/{name}").text


def test_the_past_can_be_played_on_from_and_the_same_cards_again(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    first = visitor.look(name)
    lengths = [visitor.step(name, 3)["length"] for _ in range(4)]
    page = visitor.client.get(f"/table/{name}", params={"at": str(lengths[1])})
    assert page.status_code == 200 and f'name="length" value="{lengths[1]}"' in page.text
    assert visitor.client.get(f"/table/{name}", params={"at": "x"}).status_code == 400
    assert visitor.client.get(f"/table/{name}", params={"at": "99999"}).status_code == 200
    for deed, given, length in (("branch", {"length": lengths[1]}, lengths[1]), ("branch", {}, lengths[3])):
        other = visitor.post(name, deed, **given).headers["location"]
        assert visitor.client.get(other, params={"format": "json"}).json()["length"] == length
    again = visitor.post(name, "again").headers["location"]
    assert visitor.client.get(again, params={"format": "json"}).json() == first


def test_forced_cards_are_played_once_it_is_set(visitor: Visitor) -> None:
    name = visitor.begin("bowers")
    assert "Play my only card for me: off" in visitor.client.get(f"/table/{name}").text
    assert visitor.post(name, "forced").status_code == 303
    assert "Play my only card for me: on" in visitor.client.get(f"/table/{name}").text
    for _ in range(40):
        seen = visitor.step(name)
        choices = seen["choices"]
        assert len(choices) != 1 or choices[0]["action"]["action"] != "play"  # type: ignore[index, arg-type]
    visitor.post(name, "back", length=seen["length"])  # the forced card is taken back and is not played again
    assert visitor.look(name)["length"] < seen["length"]  # type: ignore[operator]


def test_advice_on_the_only_card_says_that_it_is_the_only_one(visitor: Visitor) -> None:
    name = visitor.begin("towers-and-bowers")
    visitor.look(name)
    session = visitor.server.sessions._open[name][0]
    while session.waits_for != 0 or session.forced_action() is None:
        visitor.step(name)
    page = visitor.client.get(f"/table/{name}", params={"advice": 1})
    assert page.status_code == 200 and "You have one choice only." in page.text


def test_a_claim_is_judged_before_and_after_it_is_made(visitor: Visitor) -> None:
    name = visitor.begin("towers-and-bowers")
    while not any(str(choice["text"]).startswith("claim") for choice in visitor.look(name)["choices"]):  # type: ignore[attr-defined]
        visitor.step(name)
    before = visitor.look(name)
    asked = visitor.post(name, "act", length=before["length"], ask="claim", tricks=7).headers["location"]
    assert visitor.look(name) == before
    told = visitor.client.get(asked).text
    assert "The prover" in told and "Not sound: you claim 7 of 7" in told and "if the opponent holds" in told
    made = visitor.post(name, "act", length=before["length"], say="claim", tricks=7)
    refused = visitor.client.get(made.headers["location"]).text
    assert "novice: insist" in refused and "if the opponent holds" in refused
    assert visitor.post(name, "act", length=visitor.look(name)["length"], say="claim", tricks=9).status_code == 400


def test_rules_and_results_can_be_read(visitor: Visitor) -> None:
    for game in GAMES:
        rules = visitor.client.get(f"/rules/{game}")
        assert rules.status_code == 200 and "In short" not in rules.text and "-1<" in rules.text
    assert visitor.client.get("/rules/chess").status_code == 404
    name = visitor.begin("towers")
    assert "How it is played" in visitor.client.get(f"/table/{name}").text
    assert "Not over" in visitor.client.get("/").text
    while not visitor.step(name)["over"]:
        pass
    assert 'id="new"' in visitor.client.get(f"/table/{name}").text
    graded = visitor.client.get(f"/table/{name}", params={"at": visitor.look(name)["length"], "marks": "1"}).text
    assert " the game, " in graded  # what the page shows in its place while decisions are looked at
    assert " the game, " in visitor.client.get("/").text
    visitor.post(name, "back", length=visitor.look(name)["length"])
    assert "Not over" in visitor.client.get("/").text


def test_what_is_not_from_this_page_is_refused(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    client = visitor.client
    before = visitor.look(name)
    fields = {"token": visitor.server.token, "seat": "1", "length": str(before["length"]), "choice": "1"}
    url = f"/table/{name}/act"
    refused = [
        client.post(url, data=fields | {"token": "x"}),
        client.post(url, data={key: value for key, value in fields.items() if key != "token"}),
        client.post(url, data=fields, headers={"origin": "http://evil.example"}),
        client.post(url, data=fields, headers={"origin": "null"}),
        client.post(url, data=fields, headers={"sec-fetch-site": "cross-site"}),
        client.post(url, data=fields, headers={"host": "evil.example"}),
        client.get("/", headers={"host": "localhost.evil.example:8080"}),
        client.post(url, content=b"a=" + b"x" * 100_000),
        client.post(url, content=b"&".join(b"a=1" for _ in range(200))),
        client.put(f"/table/{name}/act"),
        client.get("/table/../../etc/passwd"),
        client.get("/table/%2e%2e%2fpasswd"),
        client.get("/static/..%2fapp.py"),
        client.get("/" + "x" * 5000),
    ]
    assert [answer.status_code for answer in refused] == [403] * 5 + [421] * 2 + [413, 400, 405, 404, 404, 404, 414]
    assert visitor.look(name) == before
    assert all("script-src 'self'" in answer.headers["content-security-policy"] for answer in refused)


def test_the_address_of_a_refused_action_opens_the_table_again(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    refused = visitor.post(name, "act", length=visitor.look(name)["length"], choice=999)
    assert refused.status_code == 400
    for address, place in (
        (f"/table/{name}/act", f"/table/{name}"),
        ("/new", "/"),
        ("/train/towers/answer", "/train/towers"),
    ):
        again = visitor.client.get(address, follow_redirects=False)
        assert (again.status_code, again.headers["location"]) == (303, place)


def test_one_bad_file_takes_down_no_page(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    folder = visitor.server.sessions.folder
    bad = b'{"game": "towers", "options": {}, "version": %s}\n' % (b"1" * 5000)
    for place in (folder, folder / "records", folder / "training"):
        place.mkdir(exist_ok=True)
        for file in ("digits.jsonl", "towers.jsonl"):
            (place / file).write_bytes(bad)
        (place / "deep.jsonl").write_bytes(b"[" * 100_000)
        os.mkfifo(place / "pipe.jsonl")
    start = visitor.client.get("/")
    assert start.status_code == 200 and name in start.text
    for table in ("digits", "deep", "pipe"):
        for address in (f"/table/{table}", f"/record/{table}", f"/record/{table}/review", f"/table/{table}/review"):
            answer = visitor.client.get(address)
            assert answer.status_code == 400 and "cannot be" in answer.text, address
    assert visitor.client.get("/train/towers").status_code == 400
    assert visitor.client.post("/train/towers/answer", data={"token": visitor.server.token}).status_code == 400


def test_a_full_disk_is_said_and_the_game_goes_on_once_there_is_room(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    while not (seen := visitor.look(name))["choices"]:
        visitor.step(name)
    file = visitor.server.sessions.folder / f"{name}.jsonl"
    before = file.read_bytes()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 3, usual[1]))  # room for the beginning of a line
    try:
        answer = visitor.post(name, "act", length=seen["length"], choice=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert answer.status_code == 400 and "cannot be written" in answer.text, answer.text
    assert file.read_bytes() == before and visitor.look(name) == seen
    assert visitor.step(name)["length"] > seen["length"]  # type: ignore[operator]


def test_nothing_from_a_form_reaches_a_page_unescaped(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    for text in ("<script>alert(1)</script>", '"><img src=x>', "../../x", "\x00", "9" * 400):
        for answer in (
            visitor.post(name, "act", length=0, choice=text),
            visitor.post(name, "act", length=text, choice=1),
            visitor.post(name, "act", length=2, do="pick", pick=text),
            visitor.client.get(f"/table/{name}", params={"seat": text, "advice": text}),
            visitor.client.post("/new", data={"token": visitor.server.token, "game": text, "against": text}),
        ):
            assert answer.status_code in (400, 409) and "<script>alert" not in answer.text and "<img" not in answer.text
    assert len(list(visitor.server.sessions.folder.glob("*.jsonl"))) == 1


@pytest.mark.usefixtures("strange")
@pytest.mark.parametrize("count", [400, exhaustive(10_000)])
def test_malformed_requests_change_nothing_and_never_fail_inside(visitor: Visitor, count: int) -> None:
    rng = np.random.default_rng(7)
    name = visitor.begin("towers")
    before = visitor.look(name)
    files = sorted(visitor.server.sessions.folder.iterdir())
    words = [
        "",
        "\x00",
        "9" * 30,
        *["0", "-1", "1e9", "x", "é", "null", "[]", "{}", "../x", "%00", "<b>", "seat", "１"],
        *STRANGERS,
    ]
    fields = ["seat", "length", "choice", "do", "pick", "game", "against", "seed", "x"]
    paths = ["act", "back", "branch", "again", "advance", "", "x", "%ff", "act/x"]
    others = ["/new", "/record", "/record/x/answer", "/train/chess", "/ask/upcard", "/ask/x", "/", "//", "/static/x"]
    guard = visitor.client.app
    for _ in range(count):
        guard._left[True] = (100.0, time.monotonic())  # type: ignore[union-attr]  # the limit is another test
        pick = lambda items: items[int(rng.integers(len(items)))]  # noqa: E731
        data = {pick(fields): pick(words) for _ in range(int(rng.integers(5)))}
        if rng.random() < 0.5:
            data["token"] = visitor.server.token
            data |= {"length": pick(words), "game": "chess", "seat": pick(words[2:])}
        url = f"/table/{pick([name, name, 'x', '%2e%2e', 'a' * 200])}/{pick(paths)}"
        url = url if rng.random() < 0.7 else pick(others)
        if rng.random() < 0.3:
            answer = visitor.client.get(url, params=data)
        elif rng.random() < 0.3:
            answer = visitor.client.post(url, content=rng.bytes(int(rng.integers(60))))
        else:
            answer = visitor.client.post(url, data=data, follow_redirects=False)
        assert answer.status_code < 500, (url, data, answer.status_code)
    assert visitor.look(name) == before and sorted(visitor.server.sessions.folder.iterdir()) == files


@pytest.mark.parametrize("game", GAMES)
def test_no_card_is_in_any_response_before_the_person_named_says_show(visitor: Visitor, game: str) -> None:
    """Two people at one screen: pages, JSON, the past, reviews, mistakes, what is said back to a form."""
    name = visitor.begin(game, against="human")
    session = visitor.server.sessions._open[name][0]

    def is_closed(page: str = "", **query: object) -> bool:
        said = visitor.client.get(f"/table/{name}{page}", params=query).text
        return "the hand of player" in said.lower() and not re.search('class="card|"scene"|[♣♦♥♠]', said)

    assert is_closed(seat=1) and is_closed() and is_closed(format="json")  # a new table, too
    for _ in range(4):
        if (due := session.waits_for) is None:
            assert visitor.show(name, 1) and visitor.post(name, "advance", length=session.length)
            continue
        for seat in session.seating.humans:
            other = next(one for one in session.seating.humans if one != seat)
            for query in ({}, {"format": "json"}, {"advice": 1}, {"at": 1, "marks": 1}):
                assert visitor.show(name, other + 1) and not is_closed(seat=other + 1)
                assert is_closed(seat=seat + 1, **query)
                assert is_closed(seat=other + 1), "nobody goes back to the hand of who passed the screen"
            assert visitor.show(name, other + 1) and is_closed("/review", seat=seat + 1)
            for deed, fields in (("act", {"choice": "XX"}), ("act", {"choice": 1}), ("back", {}), ("forced", {})):
                assert visitor.show(name, other + 1)
                before = session.length
                answer = visitor.post(name, deed, **{"seat": seat + 1, "length": before, **fields})
                assert answer.status_code == 200 and 'id="show"' in answer.text and session.length == before
            assert visitor.show(name, other + 1)
            fields = {"token": visitor.server.token, "seat": str(seat + 1), "table": f"{name}/{session.length}"}
            answer = visitor.client.post(f"/train/{game}/decision", data=fields)
            assert answer.status_code == 400 and "several people share this table" in answer.text
        assert visitor.show(name, due + 1)
        wrong = visitor.post(name, "act", seat=due + 1, length=session.length, choice="XX")
        assert wrong.status_code == 400 and f'name="seat" value="{due + 1}"' in wrong.text  # shown to who made it
        visitor.post(name, "act", seat=due + 1, length=session.length, choice=1)


def test_nothing_is_shown_without_the_key(visitor: Visitor) -> None:
    name = visitor.begin("towers")
    app = visitor.server.application(frozenset({HOST}))
    other = TestClient(app, base_url=f"http://{HOST}")
    pages = ("/", f"/table/{name}", f"/table/{name}?format=json", "/ask/upcard", "/train/towers", "/record/x")
    for page in pages:
        for query in ("", "key=", "key=x", f"key={visitor.server.token}"):
            answer = other.get(page, params=query)
            assert answer.status_code == 403 and "token" not in answer.text and "towerlab serve" in answer.text
        assert not other.cookies
    fields = {"token": visitor.server.token, "game": "towers", "against": "novice"}
    assert other.post("/new", data=fields).status_code == 403
    assert other.get("/static/icon.svg").status_code == 200
    asked = other.get(f"/table/{name}", params={"format": "json", "key": visitor.server.key})
    assert asked.status_code == 200 and asked.json()["game"] == "towers" and other.get("/").status_code == 200
    cookie = asked.headers["set-cookie"]
    assert cookie.startswith("towerlab-8080=") and "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert visitor.server.key not in cookie and "set-cookie" not in other.get("/").headers


def test_each_start_has_a_key_and_each_use_of_it_a_session_of_its_own(visitor: Visitor) -> None:
    """The browser is opened with a file that only its owner can read."""
    app = visitor.server.application(frozenset({HOST}))
    folder = visitor.server.sessions.folder
    people = [TestClient(app, base_url=f"http://{HOST}") for _ in range(2)]
    cookies = [one.get("/", params={"key": visitor.server.key}).headers["set-cookie"] for one in people]
    assert cookies[0] != cookies[1] and all(one.get("/").status_code == 200 for one in people)
    later = TableServer(folder)
    assert later.key != visitor.server.key and not list(folder.glob(".key"))
    restarted = TestClient(later.application(frozenset({HOST})), base_url=f"http://{HOST}", cookies=people[0].cookies)
    assert restarted.get("/").status_code == 403
    assert restarted.get("/", params={"key": visitor.server.key}).status_code == 403
    door = write_opening_page(folder, 8080, f"http://{HOST}/?key={visitor.server.key}")
    assert stat.S_IMODE(door.stat().st_mode) == 0o600 and door.as_uri().startswith("file:///")
    opened = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}  # as a browser goes on from a file
    assert people[0].get("/", params={"key": visitor.server.key}, headers=opened).status_code == 200
    assert people[0].get("/", headers=opened).status_code == 403


def test_the_browsers_command_line_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$@" > {opened}\n')
    program.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    with served(tmp_path / "tables", port, browser=True):
        until = time.monotonic() + 300
        while not opened.exists() or not opened.read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        key = key_of(tmp_path / "tables", port)
        assert key and key not in opened.read_text() and f".open-{port}.html" in opened.read_text()


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_file_that_opens_the_page_goes_with_the_server(ended: signal.Signals, tmp_path: Path) -> None:
    port = free_port()
    with served(tmp_path, port) as process:
        assert (tmp_path / f".open-{port}.html").exists()
        process.send_signal(ended)
        assert process.wait(timeout=300) == 128 + ended
    assert not (tmp_path / f".open-{port}.html").exists()


def test_too_many_requests_are_refused_and_strangers_use_up_nothing_of_the_owners_allowance(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.web.guard.REQUESTS_A_SECOND", 0)
    app = visitor.client.app
    app._left = dict.fromkeys(app._left, (20.0, time.monotonic()))  # type: ignore[union-attr]
    stranger = TestClient(app, base_url=f"http://{HOST}")
    codes = [stranger.get(page).status_code for page in ("/", "/static/icon.svg") * 20]
    assert {*codes} == {403, 200, 429} and codes[-1] == 429
    assert [visitor.client.get("/static/icon.svg").status_code for _ in range(25)] == [200] * 20 + [429] * 5


def test_a_request_that_does_not_come_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.web.serving.HEADER_SECONDS", 0.5)
    monkeypatch.setattr("towerlab.web.guard.BODY_SECONDS", 0.5)
    tables = TableServer(tmp_path)
    port = free_port()
    hosts = frozenset({f"127.0.0.1:{port}"})
    config = uvicorn.Config(
        tables.application(hosts), http=PatientProtocol, host="127.0.0.1", port=port, log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        for said in (b"", b"GET / HTTP/1.1\r\nHost: x", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
                slow.sendall(said)
                assert slow.recv(100) == b""
        head = f"POST /new?key={tables.key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\nx"
        with socket.create_connection(("127.0.0.1", port), timeout=300) as slow:
            slow.sendall(head.encode())
            assert slow.recv(100).startswith(b"HTTP/1.1 408")
    finally:
        server.should_exit = True
        thread.join(300)


def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    port = free_port()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as client:

        def look(table: str) -> dict[str, Any]:
            found: dict[str, Any] = client.get(table, params={"format": "json"}).json()
            return found

        with served(tmp_path, port) as process:
            start = client.get("/", params={"key": key_of(tmp_path, port)}).text
            token = re.search(r'name="token" value="([^"]+)"', start)[1]  # type: ignore[index]
            fields = {"token": token, "game": "towers", "against": "novice", "seed": "3"}
            table = client.post("/new", data=fields).headers["location"].partition("?")[0]

            def until_it_is_my_turn() -> dict[str, Any]:
                while not (seen := look(table))["choices"]:
                    client.post(f"{table}/advance", data={"token": token, "seat": "1"})
                return seen

            seen = until_it_is_my_turn()
            acted = {"token": token, "seat": "1", "length": str(seen["length"]), "choice": "1"}
            assert client.post(f"{table}/act", data=acted).status_code == 303
            seen = until_it_is_my_turn()
            process.kill()
        with served(tmp_path, port):
            assert client.get(table).status_code == 403  # the session went with the server
            assert client.get("/", params={"key": key_of(tmp_path, port)}).status_code == 200
            assert look(table) == seen
            assert client.post(f"{table}/act", data=acted).status_code == 403  # a page of the server before


def test_the_first_page_says_what_each_game_is_and_leads_to_puzzles_rules_and_pages(visitor: Visitor) -> None:
    for _ in range(4):
        visitor.begin("towers")
    page = visitor.client.get("/").text
    for name in GAMES:
        assert html.escape(table_of(name).about) in page and f'href="/train/{name}"' in page
        assert re.search(r"(Two|Three) players, about \d+ minutes\.$", table_of(name).about)
    assert len(page.partition("1 older table")[0].split('href="/table/')) == 4  # three, the fourth behind a link
    pages = re.findall(r'href="(/pages/[^"]+)"', page)
    assert len(pages) == len(GAMES) + 1 and "/pages/towers-and-bowers/explorer.html" in pages
    shown = visitor.client.get("/pages/towers/index.html")
    assert shown.status_code == 200 and "'self'" not in shown.headers["content-security-policy"]
    assert visitor.client.get("/pages/towers/../../pyproject.toml").status_code == 404
    assert visitor.client.get("/pages/towers/manifest.json").status_code == 404


def test_a_review_is_one_screen_a_decision_and_the_rest_is_graded_while_one_reads(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.web.app.GRADING_SECONDS", 0.0)
    name = visitor.begin("towers")
    for _ in range(4):
        visitor.step(name, 3)
    left = list[int]()
    while True:
        page = visitor.client.get(f"/table/{name}/review").text
        if (told := re.search(r"Looked at (\d+) of (\d+) turns", page)) is None:
            break
        left.append(int(told[2]) - int(told[1]))
    assert left == [*range(len(left), 0, -1)] and len(left) >= 3
    review = visitor.client.get(f"/table/{name}/review", params={"format": "json"}).json()
    tolerance = SCALES["towers"].tolerance
    costs = sorted((one["cost"] for one in review["decisions"] if one["cost"] > tolerance), reverse=True)
    assert page.count('class="decision"') == len(costs) > 1
    numbers = [int(number) for number in re.findall(r'class="decision" id="d(\d+)-1"', page)]
    by_number = {one["number"]: one["cost"] for one in review["decisions"]}
    assert sorted((by_number[number] for number in numbers), reverse=True) == costs
    assert "Learn from all of these" in page and page.count('rel="next"') == len(costs) - 1
    places = [f"{name}/{number - 1}" for number in numbers]
    fields = {"token": visitor.server.token, "seat": "1", "table": places}
    assert visitor.client.post("/train/towers/decision", data=fields).status_code == 200
    with visitor.server.trainings.hold("towers") as trainer:
        assert len(trainer.item.actions) == numbers[0] - 1
        asked = set[int]()
        for _ in numbers:
            asked.add(len(trainer.item.actions) + 1)
            trainer.answer(trainer.position(trainer.item).prompt(trainer.item.seat).choices[0].action)
    assert asked == set(numbers)
