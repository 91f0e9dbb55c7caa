"""Questions as forms: every command that answers one, its page and its JSON, and what is wrong beside its field."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from tests.conftest import Answer
from tests.kit.test_random_positions import questions
from tests.oracles.serving import address, free_port, served, visit
from towerlab.analysis.catalog import GAMES
from towerlab.commands.table import question_forms
from towerlab.web import answering
from towerlab.web.app import TableServer

QUESTIONS = {question.path: question for question in question_forms()}
WITHOUT_A_FORM = {
    "open": "a link is opened at the top of the first page",
    "check": "reads a file",
    "simulate": "minutes on all cores",
    "compare": "minutes on all cores",
    "exploit": "minutes; its player may be a file",
    "value": "no position: an answer for good, in `towerlab value`",
}
QUICK = ("upcard", "claim/towers-and-bowers", "solve/towers-and-bowers", "split/tower-war", "pick/tower-war")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    server = TableServer(tmp_path_factory.mktemp("tables"), list(QUESTIONS.values()))
    return visit(server)


def test_every_form_is_listed_and_filled_in_with_an_example(client: TestClient) -> None:
    listed = set(re.findall(r'href="/ask/([^"]+)"', client.get("/").text))
    assert listed == set(QUESTIONS)
    words = {"upcard", "claim", "solve", "bid", "bury", "split", "battle"}
    assert words <= {path.partition("/")[0] for path in listed}
    assert {question.game for question in QUESTIONS.values()} == set(GAMES)
    for path, question in QUESTIONS.items():
        page = client.get(f"/ask/{path}")
        assert page.status_code == 200 and question.first_values, path
        for name, value in question.first_values.items():
            assert f'name="{name}"' in page.text and value
        assert " style=" not in page.text and "<script>" not in page.text
        assert question.fields.keys().isdisjoint({"from", "out", "resume", "game", "at", "quiet", "json", "jobs"})


def test_every_question_has_a_form_or_a_reason() -> None:
    asked = {"/".join(filter(None, question)) for question in questions()}
    without = asked - QUESTIONS.keys() - WITHOUT_A_FORM.keys()
    assert not without, (
        f"no form for {without}; expected its name under Ask in GROUPS, commands/__init__.py, and options only "
        f"(no argument without a name), or its reason in WITHOUT_A_FORM of {__file__}"
    )
    assert QUESTIONS.keys() | WITHOUT_A_FORM.keys() == asked


@pytest.mark.parametrize("path", QUICK)
def test_page_and_json_say_what_the_command_line_says(
    client: TestClient, inside: Callable[..., Answer], path: str
) -> None:
    values = QUESTIONS[path].first_values
    answer = client.get(f"/ask/{path}", params=values | {"format": "json"})
    words = [word for name, value in values.items() for word in (f"--{name}", value)]
    assert answer.json() == inside(*path.split("/"), *words, "--json").json
    page = client.get(f"/ask/{path}", params=values)
    assert page.status_code == 200 and 'aria-label="Answer"' in page.text


@pytest.mark.parametrize(
    ("path", "values", "field"),
    [
        ("upcard", {"hand": "JS", "up": "zz", "seat": "dealer"}, "up"),
        ("upcard", {"hand": "JS", "up": "QS", "seat": "roof"}, "seat"),
        ("upcard", {"up": "QS", "seat": "dealer"}, "hand"),
        ("claim/towers-and-bowers", {"hand": "JS", "trump": "S", "lead": "me", "tricks": "x"}, "tricks"),
        ("claim/towers-and-bowers", {"hand": "JS", "trump": "S", "lead": "me", "option": "a=b"}, "option"),
        ("battle/tower-war", {"theirs": "9S 4S 2S"}, "mine"),
        ("bid/bowers", {"hand": "JS", "kitties": "0"}, "kitties"),
        ("upcard", {"hand": "JS AS KS QS TS 9S AD KD", "up": "QD", "seat": "dealer"}, "hand"),
        ("upcard", {"hand": "JS", "up": "JS", "seat": "dealer"}, "up"),
        ("claim/towers-and-bowers", {"hand": "JS", "trump": "S", "lead": "me", "tricks": "3"}, "tricks"),
        ("bid/towie", {"hand": "AKQ94.AK3.QJ7.82", "dummy": "JS 6S", "vul": "none"}, "dummy"),
        ("bid/towie", {"hand": "AKQ94.AK3.QJ7.82", "dummy": "JS 6S QH JH AC 4D", "scores": "1,2"}, "scores"),
        ("solve/bowers", {"trump": "C", "declarer": "JC", "left": "KC", "right": "TC", "at-least": "2"}, "at-least"),
        ("move/towers", {"board": "8 5 | 9 | K | -", "hand": "5 3", "samples": "1"}, "samples"),
    ],
)
def test_a_mistake_is_one_line_beside_its_field(
    client: TestClient, path: str, values: dict[str, str], field: str
) -> None:
    page = client.get(f"/ask/{path}", params=values)
    assert page.status_code == 400
    wrong = re.findall(r'<span class="wrong" id="([a-z-]+)-error" role="alert">([^<]+)</span>', page.text)
    assert [name for name, _ in wrong] == [field] and "\n" not in wrong[0][1]
    answer = client.get(f"/ask/{path}", params=values | {"format": "json"})
    assert answer.status_code == 400 and answer.json()["field"] == field


def test_nothing_from_a_form_reaches_the_page_unescaped_or_the_disk(client: TestClient, tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script>'
    for path in QUICK:
        page = client.get(f"/ask/{path}", params=dict.fromkeys(QUESTIONS[path].first_values, evil))
        assert page.status_code == 400 and "<script>alert" not in page.text
    for name in ("certificate", "from", "out", "source", "json", "quiet", "jobs"):
        assert client.get("/ask/upcard", params={name: str(tmp_path / "x")}).status_code == 400
    assert not list(tmp_path.iterdir())
    assert client.get("/ask/nothing").status_code == client.get("/ask/../upcard").status_code == 404


@pytest.mark.parametrize("path", [path for path, question in QUESTIONS.items() if "seconds" in question.fields])
def test_no_form_takes_a_time_longer_than_a_page_waits(client: TestClient, path: str) -> None:
    for seconds in ("46", "99999999", "1e300", "inf", "nan"):
        values = QUESTIONS[path].first_values | {"seconds": seconds, "format": "json"}
        answer = client.get(f"/ask/{path}", params=values)
        assert answer.status_code == 400 and answer.json()["field"] == "seconds", seconds


def test_a_question_that_takes_too_long_is_ended_and_the_next_is_answered(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = QUESTIONS["move/towers"].first_values | {"seconds": "40", "format": "json"}
    client.get("/ask/move/towers", params=QUESTIONS["move/towers"].first_values)  # compiles
    monkeypatch.setattr(answering, "LONGEST", 0.5)
    answer = client.get("/ask/move/towers", params=values)
    assert answer.status_code == 400 and "no answer after" in answer.json()["error"]
    monkeypatch.undo()
    assert client.get("/ask/move/towers", params=values | {"seconds": "1"}).status_code == 200


def _children(process: int) -> list[str]:
    """Return the processes that a process has started, where the system lists them."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [child for thread in threads for child in thread.read_text().split()]


def _command(process: str) -> bytes:
    """Return the command line of a process, empty once it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def test_one_question_stops_neither_the_others_nor_the_end_of_the_server(tmp_path: Path) -> None:
    def ask(path: str, timeout: float = 120, **values: str) -> httpx.Response:
        question = QUESTIONS[path].first_values | values
        return httpx.get(address(tmp_path, port, f"ask/{path}"), params=question | {"key": key}, timeout=timeout)

    port = free_port()
    with served(tmp_path, port, stderr=subprocess.PIPE) as server, ThreadPoolExecutor(2) as threads:
        key = address(tmp_path, port).rpartition("=")[2]
        assert ask("move/towers", samples="2").status_code == ask("upcard").status_code == 200  # compiled
        slow = threads.submit(ask, "move/towers", seconds="44")
        time.sleep(1)
        with pytest.raises(httpx.TimeoutException):
            ask("move/towers", seconds="43", timeout=2)  # leaves
        assert ask("upcard").status_code == 200 and not slow.done()
        children = _children(server.pid)
        assert len(children) <= 3  # the slow question's, one that waits for questions, Python's own
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=30)[1].decode()
        assert slow.result().status_code == 400 and "has ended" in slow.result().text
    assert server.returncode == 128 + signal.SIGINT and not slow.running()
    for _ in range(100):
        running = [child for child in children if _command(child)]
        if not running:
            break
        time.sleep(0.1)
    assert not running
    assert [line for line in said.splitlines()[1:] if line] == ["towerlab: interrupted"]
