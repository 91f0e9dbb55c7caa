"""A sixth game, `tests/high_card`, by the steps of docs/extend.md: what every game has works, the rest is refused."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import ROOT, Answer
from tests.kit.test_serve import Visitor
from towerlab.analysis.catalog import GAMES, _game
from towerlab.games.errors import TowerlabError
from towerlab.table.commanding import open_training

FOLDER = ROOT / "tests/high_card"
LAYERS = ("games", "sim", "analysis", "table")
NAME = "high-card"
STEPS = (ROOT / "docs/extend.md").read_text(encoding="utf-8").partition("\n## A game of your own\n")[2]
BLOCKS = dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", STEPS, re.M | re.S))
(LINE,) = (text for name, text in BLOCKS.items() if name == "analysis/catalog.py")


@pytest.fixture
def high_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty folder, with the game in the catalog; at the end it is taken out again."""
    packages = [importlib.import_module(f"towerlab.{layer}") for layer in LAYERS]
    for package in packages:
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(FOLDER / package.__name__.partition(".")[2])])
    monkeypatch.setitem(GAMES, NAME, eval(LINE.strip().rstrip(","), {"_game": _game}))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for package in packages:
        sys.modules.pop(f"{package.__name__}.high_card", None)
        vars(package).pop("high_card", None)
    sys.modules.pop("towerlab.analysis.high_card.simulation", None)


class Lowest:
    """A user's player."""

    def act(self, view: Any, legal: Any, random: np.random.Generator) -> Any:
        return legal[0]


def test_it_is_listed(high_card: Path, inside: Callable[..., Answer]) -> None:
    assert doctest.testmod(importlib.import_module(GAMES[NAME].rules)).attempted == 3
    assert inside("options", NAME, "--json").json == {"game": NAME, "options": []}
    assert "HC-3  Who takes more" in inside("rules", NAME).stdout
    assert [player["name"] for player in inside("players", NAME, "--json").json["players"]] == ["random", "novice"]
    assert inside("warmup", NAME).status == 0


def test_it_is_simulated_alike_with_and_without_transcripts(high_card: Path, inside: Callable[..., Answer]) -> None:
    command = ("simulate", NAME, "--players", "novice,random", "--games", "60", "--jobs", "1", "--json")
    answer = inside(*command).json
    assert answer["wins"][0] > answer["wins"][1] and sum(answer["wins"]) == 60
    assert inside(*command, "--transcripts", "games.jsonl").json["wins"] == answer["wins"]
    lines = (high_card / "games.jsonl").read_text().splitlines()
    assert len({line for line in lines if '"deal"' in line}) == 60
    shown = inside("show", "games.jsonl")
    assert shown.status == 0 and shown.stdout.count(" wins the game: ") == 60


def test_players_of_users_play_it(high_card: Path) -> None:
    result = tl.simulate(NAME, [Lowest, "novice"], 30, jobs=1, quiet=True)
    assert sum(result.wins) == 30 and result.wins[1] > result.wins[0]


def test_it_is_played_shown_and_reviewed(high_card: Path, inside: Callable[..., Answer]) -> None:
    (high_card / "answers").write_text("?\n1\n1\n1\n")
    with (high_card / "answers").open() as answers, pytest.MonkeyPatch.context() as here:
        here.setattr("sys.stdin", answers)
        played = inside("play", NAME, "--seed", "1", "--record", "game.jsonl")
    assert played.status == 0 and "Novice wins the game: you 0, novice 3" in played.stdout
    assert "There is no advice for this." in played.stdout
    review = inside("review", "game.jsonl")
    assert review.status == 0 and "4 decisions have no advice." in review.stdout
    assert "0 of 0" not in review.stdout and "Models" not in review.stdout
    assert inside("review", "game.jsonl", "--json").json["decisions"] == []


def test_a_real_game_is_recorded(high_card: Path, inside: Callable[..., Answer]) -> None:
    (high_card / "answers").write_text("JS QH 9C\nJS\nQS\n9D\n9C\nTC\n")
    with (high_card / "answers").open() as answers, pytest.MonkeyPatch.context() as here:
        here.setattr("sys.stdin", answers)
        recorded = inside("record", NAME, "--out", "record.jsonl")
    assert recorded.status == 0 and "Player 2 wins the game: you 1, player 2: 2" in recorded.stdout
    assert inside("show", "record.jsonl").stdout.count("holds") == 2


def test_training_without_puzzles_is_refused_and_again_when_asked_again(high_card: Path) -> None:
    trainer = open_training(NAME, high_card)
    for _ in range(2):
        with pytest.raises(TowerlabError, match="high-card has no puzzles; expected games of your own"):
            _ = trainer.item


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("train", NAME, "--folder", "."), "high-card has no puzzles; expected games of your own"),
        (("study", NAME), "high-card has no studies; expected one of: towers-and-bowers"),
        (("report", NAME), "high-card has no report; expected one of: towers-and-bowers"),
        (("compare", NAME, "--games", "2"), "high-card has no studies; expected one of: towers-and-bowers"),
        (("simulate", NAME, "--players", "novice,random", "--games", "2", "--option", "x=1"), "unknown option 'x'"),
        (("simulate", NAME, "--players", "expert,random", "--games", "2"), "unknown player 'expert' of high-card"),
        (("play", NAME, "--lesson"), "high-card has no lesson"),
        (("claim", NAME), "unknown game 'high-card'"),
    ],
)
def test_the_parts_that_it_lacks_are_refused(
    high_card: Path, inside: Callable[..., Answer], command: tuple[str, ...], expected: str
) -> None:
    answer = inside(*command)
    assert answer.status == 2 and expected in answer.stderr.splitlines()[-1], answer


def test_it_is_served(high_card: Path) -> None:
    visitor = Visitor(high_card)
    name = visitor.begin(NAME)
    for _ in range(7):
        visitor.step(name)
    assert " the game: " in visitor.client.get(f"/table/{name}").text
    assert visitor.client.get(f"/table/{name}/review").status_code == 200


def test_agents_play_it(high_card: Path) -> None:
    pytest.importorskip("pettingzoo")
    env = tl.env(NAME)
    env.reset(seed=2)
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if not terminated:
            held = [column for column in env.columns if column.startswith("hand.")]
            assert sum(observation["observation"][[*map(env.columns.index, held)]]) == bin(env.view(agent).hand).count(
                "1"
            )
        env.step(None if terminated else env.action_space(agent).sample(observation["action_mask"]))
    assert env.engine.result is not None


def test_it_left_the_catalog() -> None:
    assert NAME not in GAMES
    with pytest.raises(TowerlabError, match="unknown game"):
        tl.simulate(NAME, ["novice", "random"], 1)


def test_the_document_has_its_code() -> None:
    """Every block of docs/extend.md names its file, which has that text."""
    blocks = {name: text for name, text in BLOCKS.items() if name != "analysis/catalog.py"}
    assert len(blocks) >= 4
    for name, text in blocks.items():
        for part in text.strip("\n").split("\n...\n"):
            assert part.strip("\n") in (FOLDER / name).read_text(encoding="utf-8"), name
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.*") if path.suffix in (".py", ".md")}
    assert files == set(re.findall(r"^\| `(.+?)`", STEPS, re.M))


@pytest.mark.slow
def test_a_copy_of_the_tree_takes_it(tmp_path: Path) -> None:
    """By the steps of docs/extend.md; then it is played and simulated, and checked like the rest."""
    tree = tmp_path / "tree"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "reports", "docs", "benchmarks", "*.npz", "golden")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=left_out)
    shutil.copytree(FOLDER, tree, dirs_exist_ok=True, ignore=left_out)
    catalog = tree / "analysis/catalog.py"
    text = catalog.read_text(encoding="utf-8")
    catalog.write_text(
        text.replace('        _game("tower-war",', f'{LINE}        _game("tower-war",'), encoding="utf-8"
    )

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tree, input=stdin, capture_output=True, text=True, timeout=280, check=False
        )

    played = run("-m", "towerlab", "play", NAME, "--seed", "1", "--record", "game.jsonl", stdin="1\n" * 9)
    assert " the game: " in played.stdout, played
    simulated = run("-m", "towerlab", "simulate", NAME, "--players", "novice,random", "--games", "20", "--json")
    assert sum(json.loads(simulated.stdout)["wins"]) == 20, simulated
    linter = (
        f"import sys; sys.path.insert(0, {str(tree)!r}); from importlinter.cli import lint_imports_command as run",
        "run()",
    )
    assert run("-c", "\n".join(linter)).returncode == 0
    parts = [word for layer in LAYERS for word in ("-p", f"towerlab.{layer}.high_card")]
    checked = run("-m", "mypy", *parts)
    assert checked.returncode == 0, checked.stdout
    player = tree / "sim/high_card.py"
    player.write_text(f"{player.read_text(encoding='utf-8')}\nimport towerlab.games.towers\n", encoding="utf-8")
    broken = run("-c", "\n".join(linter))
    assert broken.returncode == 1 and "towerlab.sim.high_card imports towerlab.games.towers" in broken.stdout
