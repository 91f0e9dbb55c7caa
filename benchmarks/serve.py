"""How fast the page answers once it is warm: `python -m benchmarks.serve`.

A server of its own on loopback. Questions are asked anew each time (another hand). Actions are those of `pimc`, each by
itself, against a person who takes the first action, for half a minute of each game; the slowest one counts. Yardstick,
in the same run: a request for the icon.
"""

from __future__ import annotations

import http.client
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from analysis.catalog import GAMES
from analysis.table.commanding import table_of
from analysis.table.game import HUMAN
from analysis.table.session import Seating, Session
from games.cards import DECK_24, card_texts, mask_cards
from tests.oracles.serving import free_port, served
from web.guard import folder_key

QUESTIONS = 40
SECONDS = 30.0  # of play a game


class Client:
    """A connection that stays open."""

    def __init__(self, folder: Path, port: int) -> None:
        self._cookie = {"Cookie": f"towerlab-{port}={folder_key(folder)}"}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def ask(self, method: str, path: str, **fields: object) -> tuple[str, str]:
        """The answer's text and where it leads."""
        form = {"Content-Type": "application/x-www-form-urlencoded"} if fields else {}
        self._connection.request(method, path, urlencode(fields) if fields else None, form | self._cookie)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        assert answer.status in (200, 303), text
        return text, answer.getheader("location") or ""


def seconds_of(ask: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def deals(random: np.random.Generator) -> list[str]:
    """Eight cards of Towers & Bowers: a hand and the up-card."""
    return [str(card) for card in random.permutation(card_texts(mask_cards(DECK_24)))[:8]]


def time_question(client: Client, path: str, make: Callable[[list[str]], Mapping[str, str]]) -> list[float]:
    """Answers to questions about random hands, after some that warm up."""
    random, took = np.random.default_rng(1), []
    for _ in range(QUESTIONS + 10):
        query = urlencode(make(deals(random)))
        took.append(seconds_of(lambda query=query: client.ask("GET", f"/ask/{path}?{query}")))  # type: ignore[misc]
    return took[10:]


def time_plays(game: str, against: str) -> list[tuple[float, float]]:
    """Seconds and processor seconds of each single action of a player, against a person who takes the first action.

    A table as the server holds it, without the requests between, so that no action hides behind the mean of several.
    """
    took: list[tuple[float, float]] = []
    table, options = table_of(game), GAMES[game].load("options")()
    players = (HUMAN, *[against] * (table.seats(options) - 1))
    for warm in (False, True):
        took, until, seed = [], time.monotonic() + (SECONDS if warm else 10 * SECONDS), 0
        while time.monotonic() < until and (warm or not seed):  # a whole game to warm up
            session, seed = Session.begin(table, options, Seating(players, seed), None), seed + 1
            while not session.is_over and time.monotonic() < until:
                seat, due = session.waits_for, session.engine.to_act
                if seat is not None:
                    session.act(seat, session.prompt(seat).choices[0].action)
                    continue
                start, spent = time.perf_counter(), time.thread_time()
                session.step()
                if due is not None:
                    took.append((time.perf_counter() - start, time.thread_time() - spent))
    return took


def tell(name: str, took: list[float], yardstick: float, aim: str) -> None:
    """A row of the table."""
    middle, late = np.quantile(took, [0.5, 0.95])
    print(
        f"{name:42} {1000 * middle:8.1f} {1000 * late:8.1f} {1000 * max(took):8.1f} {middle / yardstick:8.1f}   "
        f"{aim:10} n = {len(took)}",
        flush=True,
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        with served(Path(folder), port):
            client = Client(Path(folder), port)
            icon = [seconds_of(lambda: client.ask("GET", "/static/icon.svg")) for _ in range(200)]
            yardstick = float(np.median(icon))
            print(f"{'':42} {'p50 ms':>8} {'p95 ms':>8} {'slowest':>8} {'ratio':>8}   aim")
            tell("the icon (yardstick)", icon, yardstick, "")
            asked: dict[str, Callable[[list[str]], Mapping[str, str]]] = {
                "upcard": lambda cards: {"hand": " ".join(cards[:7]), "up": cards[7], "seat": "dealer"},
                "claim/towers-and-bowers": lambda cards: {
                    "hand": " ".join(cards[:5]), "trump": "H", "lead": "me", "tricks": "2"
                },
            }  # fmt: skip
            for path, make in asked.items():
                tell(path, time_question(client, path, make), yardstick, "50 ms")
    for game in GAMES:
        against = "search" if game == "towers" else "pimc"
        took, aim = time_plays(game, against), "2 s" if game == "towie" else "300 ms"
        tell(f"one action of {against}, {game}", [wall for wall, _ in took], yardstick, aim)
        tell("    its processor time", [spent for _, spent in took], yardstick, aim)


if __name__ == "__main__":
    main()
