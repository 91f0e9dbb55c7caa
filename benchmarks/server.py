"""How fast pages answer once they are warm: `python -m benchmarks.server [seconds of play a game, default 30]`.

A server of its own on loopback, with another hand for each request. Actions are those of `pimc`, each by itself,
against a person who takes the first action; reviews are those of the golden matches, every seat. Yardstick of all: a
request for the icon. `python -m benchmarks.server cold [GAME …]` has nothing compiled: the first pages of a game.
"""

from __future__ import annotations

import functools
import http.client
import os
import re
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Final
from unittest.mock import patch
from urllib.parse import urlencode

import numpy as np

from benchmarks.timing import clocked
from tests.oracles.serving import address, free_port, served
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import DECK_24, card_texts, mask_cards
from towerlab.table.commanding import game_of_file, table_of
from towerlab.table.game import HUMAN
from towerlab.table.review import review_lines
from towerlab.table.session import Lineup, Session

GOLDEN: Final = Path(__file__).parents[1] / "tests" / "golden"
READING: Final = float(os.environ.get("READING", "8"))  # seconds that a person reads a hand before asking for advice
MATCHES: Final = ("towers-and-bowers-match", "bowers", "towie", "towers", "tower-war")


def print_row(name: str, times: list[float], yardstick: float, aim: str = "") -> None:
    middle, late = np.quantile(times, [0.5, 0.95])
    figures = "".join(f" {1000 * figure:9.1f}" for figure in (middle, late, max(times)))
    print(f"{name:42}{figures} {middle / yardstick:9.1f}   {aim:8} n = {len(times)}", flush=True)


def session_cookie(folder: Path, port: int) -> str:
    """The cookie of a session that has just begun."""
    with urllib.request.urlopen(address(folder, port)) as page:
        return str(page.headers["set-cookie"]).partition(";")[0]


def times_of_actions(game: str, against: str, length: float) -> tuple[list[float], list[float]]:
    """Seconds on the clock and of the processor of each action of a player, at a table as the server holds it."""
    table, options = table_of(game), GAMES[game].load("options")()
    players = (HUMAN, *[against] * (table.seats(options) - 1))
    for warm in (False, True):
        clock, processor, until, seed = [], [], time.monotonic() + (length if warm else 10 * length), 0
        while time.monotonic() < until and (warm or not seed):  # a whole game to warm up
            session, seed = Session.begin(table, options, Lineup(players, seed), None), seed + 1
            while not session.is_over and time.monotonic() < until:
                seat, due = session.waits_for, session.engine.to_act
                if seat is not None:
                    session.act(seat, session.prompt(seat).choices[0].action)
                    continue
                spent = time.thread_time()
                took = clocked(session.step)
                if due is not None:
                    clock.append(took)
                    processor.append(time.thread_time() - spent)
    return clock, processor


def measure_questions() -> float:
    """Rows of the icon and of two questions; seconds of the icon."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), port := free_port()):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        cookie = session_cookie(Path(folder), port)

        def ask(path: str) -> None:
            connection.request("GET", path, headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200, path

        def upcard(cards: list[str]) -> dict[str, str]:
            return {"hand": " ".join(cards[:7]), "up": cards[7], "seat": "dealer"}

        def claim(cards: list[str]) -> dict[str, str]:
            return {"hand": " ".join(cards[:5]), "trump": "H", "lead": "me", "tricks": "2"}

        icon = [clocked(lambda: ask("/static/icon.svg")) for _ in range(200)]
        yardstick = float(np.median(icon))
        print_row("the icon (yardstick)", icon, yardstick)
        for path, fields in (("upcard", upcard), ("claim/towers-and-bowers", claim)):
            deals = ([str(card) for card in rng.permutation(card_texts(mask_cards(DECK_24)))] for _ in range(50))
            times = [clocked(lambda: ask(f"/ask/{path}?{urlencode(fields(deal))}")) for deal in deals]  # noqa: B023
            print_row(path, times[10:], yardstick, "50 ms")
        return yardstick


def measure_cold(game: str) -> None:
    """Print how long a server with nothing compiled takes to its first page, a table to play at, and advice there."""
    began, folder = time.monotonic(), Path(tempfile.mkdtemp())
    with (
        patch.dict("os.environ", TOWERLAB_CACHE_DIR=str(folder / "cache")),
        served(folder, port := free_port()) as server,
    ):
        headers = {"Cookie": session_cookie(folder, port)}

        def ask(path: str, **form: str) -> tuple[str, str]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1800)
            typed = {"Content-Type": "application/x-www-form-urlencoded"}
            connection.request("POST" if form else "GET", path, urlencode(form) or None, headers | typed)
            answer = connection.getresponse()
            text = answer.read().decode()
            assert answer.status in (200, 303), (path, answer.status, text)
            return text, answer.headers.get("location", "")

        def print_seconds(what: str) -> None:
            spent = sum(map(int, Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
            clock, processor = time.monotonic() - began, spent / os.sysconf("SC_CLK_TCK")
            print(f"{game}: {what:32} {clock:7.1f} s, {processor:6.1f} s of the processor so far", flush=True)

        start, _ = ask("/")
        print_seconds("first page")
        token = re.findall(r'name="token" value="([^"]+)', start)[0]
        _, table = ask("/new", token=token, game=game, seed="6")
        while not re.search('name="(choice|pick)"', ask(table)[0]):
            ask(f"{table.partition('?')[0]}/advance", token=token, seat="1")
        print_seconds("a table to play at")
        for what, reading in (("advice, after reading", READING), ("advice once more", 0.0)):
            time.sleep(reading)
            took = clocked(functools.partial(ask, f"{table}&advice=1"))
            print_seconds(f"{what}, {took:.1f} s")


def main(length: float) -> None:
    print(f"{'':42} {'p50 ms':>9} {'p95 ms':>9} {'slowest':>9} {'ratio':>9}   aim")
    yardstick = measure_questions()
    for game in GAMES:
        against = "search" if game == "towers" else "pimc"
        clock, processor = times_of_actions(game, against, length)
        print_row(f"one action of {against}, {game}", clock, yardstick, "2 s" if game == "towie" else "300 ms")
        print_row("    its processor time", processor, yardstick)
    for name in MATCHES:
        path = GOLDEN / f"{name}.jsonl"
        times = [clocked(lambda: review_lines(read_lines(path), game_of_file(path))) for _ in range(2)]  # noqa: B023
        print_row(f"review of a match, {name}", times[1:], yardstick, "60 s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["cold"]:
        for game in sys.argv[2:] or GAMES:
            measure_cold(game)
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)
