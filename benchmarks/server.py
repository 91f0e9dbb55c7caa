"""How fast do pages answer once they are warm?

A server of its own on loopback, with another hand for each request. Actions are those of `pimc`, each by itself,
against a person who takes the first action; reviews are those of the golden matches, every seat. Yardstick of all: a
request for the icon.

    python -m benchmarks.server [seconds of play a game, default 30]
"""

import http.client
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import numpy as np

from benchmarks import count_seconds, print_ratio
from tests.oracles.serving import address, free_port, served
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import DECK_24, card_texts, mask_cards
from towerlab.table.commanding import game_of_file, table_of
from towerlab.table.game import HUMAN
from towerlab.table.review import review_lines
from towerlab.table.session import Lineup, Session

GOLDEN: Final = Path(__file__).parents[1] / "tests" / "golden"
MATCHES: Final = ("towers-and-bowers-match", "bowers", "towie", "towers", "tower-war")


def print_times(name: str, times: list[float], yardstick: float, aim: str = "–") -> None:
    """Print a row: the median as a ratio to the yardstick, and late and slowest answers."""
    middle, late = np.quantile(times, [0.5, 0.95])
    figure = f"{1e3 * middle:.1f} ms, 95 % below {1e3 * late:.0f}, at most {1e3 * max(times):.0f}; n = {len(times)}"
    print_ratio(name, middle / yardstick, "the icon", figure, aim)


def session_cookie(folder: Path, port: int) -> str:
    """Return the cookie of a session that has just begun."""
    with urllib.request.urlopen(address(folder, port)) as page:
        return str(page.headers["set-cookie"]).partition(";")[0]


def times_of_actions(game: str, against: str, length: float) -> tuple[list[float], list[float]]:
    """Return the seconds, on the clock and of the processor, of each action of a player at a table of the server."""
    table = table_of(game)
    options = GAMES[game].load("options")()
    players = (HUMAN, *[against] * (table.seats(options) - 1))
    for warm in (False, True):
        clock = []
        processor = []
        until = time.monotonic() + (length if warm else 10 * length)
        seed = 0
        while time.monotonic() < until and (warm or not seed):  # a whole game to warm up
            session, seed = Session.begin(table, options, Lineup(players, seed), None), seed + 1
            while not session.is_over and time.monotonic() < until:
                seat = session.waits_for
                due = session.engine.to_act
                if seat is not None:
                    session.act(seat, session.prompt(seat).choices[0].action)
                    continue
                spent = time.thread_time()
                took = count_seconds(session.step)
                if due is not None:
                    clock.append(took)
                    processor.append(time.thread_time() - spent)
    return clock, processor


def measure_questions() -> float:
    """Print the rows of the icon and of two questions; return the seconds of the icon."""
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

        icon = [count_seconds(lambda: ask("/static/icon.svg")) for _ in range(200)]
        yardstick = float(np.median(icon))
        print_times("the icon (yardstick)", icon, yardstick)
        for path, fields in (("upcard", upcard), ("claim/towers-and-bowers", claim)):
            deals = ([str(card) for card in rng.permutation(card_texts(mask_cards(DECK_24)))] for _ in range(50))
            times = [count_seconds(lambda: ask(f"/ask/{path}?{urlencode(fields(deal))}")) for deal in deals]  # noqa: B023
            print_times(path, times[10:], yardstick, "50 ms")
        return yardstick


def main(length: float) -> None:
    yardstick = measure_questions()
    for game in GAMES:
        against = "search" if game == "towers" else "pimc"
        clock, processor = times_of_actions(game, against, length)
        print_times(f"one action of {against}, {game}", clock, yardstick, "2 s" if game == "towie" else "300 ms")
        print_times("    its processor time", processor, yardstick)
    for name in MATCHES:
        path = GOLDEN / f"{name}.jsonl"
        times = [count_seconds(lambda: review_lines(read_lines(path), game_of_file(path))) for _ in range(2)]  # noqa: B023
        print_times(f"review of a match, {name}", times[1:], yardstick, "60 s")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)
