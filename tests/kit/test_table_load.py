"""Many tables at once on loopback: no error, how long an action takes, memory that does not grow."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analysis.catalog import GAMES
from tests.oracles.serving import free_port, served
from web.guard import folder_key

TABLES, ACTIONS_A_SECOND = 50, 20


class Player(threading.Thread):
    """One who plays at some tables, an action every `pause` seconds; a finished game is followed by another.

    They keep to their times: what took longer is made up for, so that as many actions are sent as were meant.
    """

    def __init__(self, folder: Path, port: int, games: list[str], pause: float, until: float) -> None:
        super().__init__()
        self.cookie = f"towerlab-{port}={folder_key(folder)}"
        self.port, self.games, self.pause, self.until = port, games, pause, until
        self.took: list[float] = []
        self.errors: list[str] = []

    def ask(self, method: str, path: str, **fields: object) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=400)
        form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": self.cookie}
        connection.request(method, path, urlencode(fields) if method == "POST" else None, form)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status not in (200, 303):
            self.errors.append(f"{method} {path}: {answer.status}")
        return answer.status, answer.getheader("location") or "", text

    def run(self) -> None:
        token = re.search(r'name="token" value="([^"]+)"', self.ask("GET", "/")[2])[1]  # type: ignore[index]
        tables = [self.begin(game, token) for game in self.games]
        due = time.monotonic()
        while time.monotonic() < self.until:
            for place, table in enumerate(tables):
                seen = json.loads(self.ask("GET", f"{table}&format=json")[2])
                if seen["over"]:
                    tables[place] = self.begin(self.games[place], token)
                    continue
                began, name = time.monotonic(), table.split("?")[0]
                if seen["choices"]:
                    fields = {"token": token, "seat": 0, "length": seen["length"], "choice": 1}
                    self.ask("POST", f"{name}/act", **fields)
                else:
                    self.ask("POST", f"{name}/advance", token=token, seat=0)
                self.took.append(time.monotonic() - began)
                due += self.pause
                time.sleep(max(0.0, due - time.monotonic()))

    def begin(self, game: str, token: str) -> str:
        return self.ask("POST", "/new", token=token, game=game, against="novice", seed="6")[1]


def memory_of(process: int) -> int:
    """Resident memory in kilobytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]


def load(folder: Path, seconds: float) -> dict[str, float]:
    """Fifty tables, twenty actions a second in all, for so long; the first third warms up."""
    port, players, names = free_port(), 10, list(GAMES)
    with served(folder, port) as server:
        Player(folder, port, names, 0.0, time.monotonic() + 5).run()  # compiles what is not compiled
        until = time.monotonic() + seconds
        some = TABLES // players
        threads = [
            Player(
                folder, port, [names[place % len(names)] for place in range(some)], players / ACTIONS_A_SECOND, until
            )
            for _ in range(players)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds / 2)
        warm = memory_of(server.pid)
        for thread in threads:
            thread.join()
        grown = memory_of(server.pid) - warm
    errors = [error for thread in threads for error in thread.errors]
    assert not errors, errors[:5]
    took = sorted(second for thread in threads for second in thread.took[len(thread.took) // 3 :])
    sent = sum(len(thread.took) for thread in threads)
    return {"actions": sent, "p50": took[len(took) // 2], "p95": took[int(0.95 * len(took))], "grown_kb": grown}


@pytest.mark.exhaustive
def test_fifty_tables_for_two_minutes(tmp_path: Path) -> None:
    found = load(tmp_path, 120)
    print(found)
    assert found["actions"] > 2300 and found["grown_kb"] < 60_000
