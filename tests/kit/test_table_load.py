"""Many tables at once on loopback: no error, how long an answer takes, memory that does not grow.

At a tenth of the tables players that think sit (`pimc`, in Towers `search`), at the others the novice.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.oracles.serving import free_port, served
from towerlab.analysis.catalog import GAMES
from towerlab.web.guard import folder_key

TABLES, ACTIONS_A_SECOND = 50, 20


class Player(threading.Thread):
    """One who plays at some tables, an action every `pause` seconds; a finished game is followed by another.

    They keep to their times: what took longer is made up for, so that as many actions are sent as were meant.
    """

    def __init__(self, folder: Path, port: int, against: str, pause: float, until: float) -> None:
        super().__init__()
        self.cookie = f"towerlab-{port}={folder_key(folder)}"
        self.port, self.against, self.pause, self.until = port, against, pause, until
        self.took: list[tuple[str, float]] = []
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
        tables = [self.begin(game, token) for game in GAMES]
        due = time.monotonic()
        while time.monotonic() < self.until:
            for place, table in enumerate(tables):
                seen = json.loads(self.ask("GET", f"{table}&format=json")[2])
                if seen["over"]:
                    tables[place] = self.begin(list(GAMES)[place], token)
                    continue
                began, name = time.monotonic(), table.split("?")[0]
                if seen["choices"]:
                    fields = {"token": token, "seat": 1, "length": seen["length"], "choice": 1}
                    self.ask("POST", f"{name}/act", **fields)
                else:
                    self.ask("POST", f"{name}/advance", token=token, seat=1)
                self.took.append((seen["game"], time.monotonic() - began))
                due += self.pause
                time.sleep(max(0.0, due - time.monotonic()))

    def begin(self, game: str, token: str) -> str:
        against = "search" if game == "towers" and self.against == "pimc" else self.against
        return self.ask("POST", "/new", token=token, game=game, against=against, seed="6")[1]


def memory_of(process: int) -> int:
    """Resident memory in kilobytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]


def late(took: list[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return round(1000 * sorted(took)[int(0.95 * len(took))], 1)


def load(folder: Path, seconds: float) -> dict[str, object]:
    """Fifty tables, twenty actions a second in all, for so long; the first third warms up."""
    port, players = free_port(), TABLES // len(GAMES)
    with served(folder, port) as server:
        for against in ("novice", "pimc"):  # compiles what is not compiled
            Player(folder, port, against, 0.02, time.monotonic() + 20).run()  # the server refuses 200 requests a second
        until, pause = time.monotonic() + seconds, players / ACTIONS_A_SECOND
        threads = [Player(folder, port, "pimc" if place == 0 else "novice", pause, until) for place in range(players)]
        for thread in threads:
            thread.start()
        memory = []
        while time.monotonic() < until:
            time.sleep(seconds / 20)
            memory.append(memory_of(server.pid))
        for thread in threads:
            thread.join()
    errors = [error for thread in threads for error in thread.errors]
    assert not errors, errors[:5]
    against: dict[str, list[float]] = {}
    for thread in threads:
        for game, second in thread.took[len(thread.took) // 3 :]:
            against.setdefault(f"{thread.against} {game}", []).append(second)
    return {
        "actions": sum(len(thread.took) for thread in threads),
        "p95_ms": late([second for own in against.values() for second in own]),
        "p95_ms_by_player": {name: late(own) for name, own in against.items()},
        "memory_mb": [kilobytes // 1024 for kilobytes in memory],
    }


@pytest.mark.exhaustive
def test_fifty_tables_for_two_minutes(tmp_path: Path) -> None:
    found = load(tmp_path, 120)
    print(found)
    memory = found["memory_mb"]
    assert found["actions"] > 2300 and memory[-1] - memory[len(memory) // 2] < 60  # type: ignore[index, operator]
