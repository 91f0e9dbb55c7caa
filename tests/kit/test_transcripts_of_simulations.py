"""`simulate --transcripts`: every game that is counted is a game that is written, and replays to the same end."""

from __future__ import annotations

import dataclasses
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Answer, exhaustive
from tests.kit.test_engine import random_options
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.simulation import simulate
from towerlab.table.commanding import table_of

SIZES = {"bowers": 3, "towie": 3}


def games_of(file: Path) -> list[list[str]]:
    """The transcripts of a file, split where a header stands."""
    found: list[list[str]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if "game" in json.loads(line):
            found.append([])
        found[-1].append(line)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_the_games_that_are_written_are_the_games_that_are_counted(game: str, tmp_path: Path) -> None:
    players = ["random", "novice", "random"][: SIZES.get(game, 2)]
    file = tmp_path / "new" / "games.jsonl"
    result = simulate(GAMES[game], players, 3, seed=7, jobs=1, quiet=True, transcripts=file)
    written = games_of(file)
    assert len(written) == 3
    wins = [0] * len(players)
    points = [0.0] * len(players)
    for turn, lines in enumerate(written):
        head = json.loads(lines[0])
        assert [head["table"]["players"][(p + turn) % len(players)] for p in range(len(players))] == players
        ended = table_of(game).replay(lines).result
        for player in range(len(players)):
            seat = (player + turn) % len(players)
            wins[player] += ended.winner == seat
            points[player] += ended.scores[seat]
    assert tuple(wins) == result.wins
    assert [total / 3 for total in points] == pytest.approx(result.mean)


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("towers-and-bowers", ["random", "family"], {}),
        ("towers-and-bowers", ["equilibrium", "pimc"], {}),
        ("bowers", ["random", "novice", "random"], {}),
        ("bowers", ["pimc:1", "novice", "pimc:1"], {"joker": "replace_7c", "target": 8}),
        ("towie", ["random", "novice", "random", "novice"], {}),
        ("towie", ["novice", "pimc", "random"], {}),
        ("towers", ["random", "builder", "greedy"], {"first_player": "random"}),
        ("towers", ["search", "random"], {}),
        ("tower-war", ["random", "novice"], {}),
        ("tower-war", ["pimc", "random"], {"advanced": True, "collapse": "none"}),
        ("tower-war", ["pimc", "novice"], {"recall": "none"}),
    ],
)
def test_the_same_games_are_counted_with_and_without_a_file(
    game: str, players: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    """Without, kernels play, to whom all cards lie open; with one the engine asks a player in each seat by a view."""
    given = GAMES[game].load("options")(**options)
    counted, written = (
        simulate(GAMES[game], players, 3, seed=5, options=given, jobs=1, quiet=True, transcripts=file)
        for file in (None, tmp_path / "games.jsonl")
    )
    assert (written.wins, written.draws, written.mean) == (counted.wins, counted.draws, counted.mean)


QUICK = ("random", "novice", "family", "builder", "greedy")


@pytest.mark.parametrize("seed", [*range(4), *map(exhaustive, range(4, 40))])
@pytest.mark.parametrize("game", GAMES)
def test_the_same_games_are_counted_by_any_rules(game: str, seed: int, tmp_path: Path) -> None:
    """By random options, with up to six players."""
    simulation = GAMES[game].load("simulate")
    rng = np.random.default_rng(seed)
    options = dataclasses.asdict(random_options(GAMES[game].load("options"), rng))
    if "renege_mode" in options:
        options["renege_mode"] = "forbidden"  # players follow suit
    names = [name for name in GAMES[game].load("players") if name in QUICK]
    seats = min(options.get(simulation.players_option, simulation.table_sizes[0]), 6)
    if simulation.players_option:
        options[simulation.players_option] = seats
    players = ["novice", *(names[int(number)] for number in rng.integers(len(names), size=seats - 1))]
    test_the_same_games_are_counted_with_and_without_a_file(game, players, options, tmp_path)


def test_the_file_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    texts = []
    for jobs in (1, 2):
        file = tmp_path / f"{jobs}.jsonl"
        simulate(GAMES["towers"], ["random", "novice"], 5, seed=7, jobs=jobs, quiet=True, transcripts=file)
        texts.append(file.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_more_players_than_usual_sit_down(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    simulate(GAMES["towers"], ["random"] * 4, 2, jobs=1, quiet=True, transcripts=file)
    assert all(json.loads(lines[0])["options"] == {"n_players": 4} for lines in games_of(file))


def test_a_recorded_match_can_be_reviewed_like_any(inside: Callable[..., Answer], tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    asked = ("simulate", "towers-and-bowers", "--players", "novice,random", "--games", "1", "--jobs", "1")
    assert inside(*asked, "--transcripts", str(file), "--json").json["games"] == 1
    assert inside("review", str(file), "--reference", "pimc", "--json").json["players"]
    inside(*asked, "--transcripts", str(file), "--unit", "hand").assert_refused("transcripts are of a whole match")
    inside(*asked, "--transcripts", str(tmp_path)).assert_refused("is a directory")


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_keeps_the_games_that_were_finished(ended: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    words = ["simulate", "towers", "--players", "novice,random", "--games", "1000000", "--transcripts", str(file)]
    process = subprocess.Popen(
        [sys.executable, "-m", "towerlab", *words, "--jobs", "1", "--quiet"], stderr=subprocess.PIPE, text=True
    )
    while not [part for part in tmp_path.iterdir() if part.stat().st_size]:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(ended)
    said = process.communicate(timeout=300)[1]
    kept = int(re.search(r"([\d,]+) \w+ kept", said)[1].replace(",", ""))  # type: ignore[index]
    games = games_of(file)
    assert process.returncode == 128 + ended and len(games) == kept and [*tmp_path.iterdir()] == [file]
    for lines in (games[0], games[-1]):
        assert table_of("towers").replay(lines).result is not None


def test_an_interruption_before_any_game_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("old\n")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("towerlab.analysis.simulation._play_chunk", interrupt)
    with pytest.raises(KeyboardInterrupt):
        simulate("towers", ["novice", "random"], 3, jobs=1, quiet=True, transcripts=file)
    assert file.read_text() == "old\n" and [*tmp_path.iterdir()] == [file]


def test_a_file_that_is_replaced_is_named(inside: Callable[..., Answer], tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    words = (
        "simulate",
        "towers",
        "--players",
        "novice,novice",
        "--games",
        "1",
        "--jobs",
        "1",
        "--transcripts",
        str(file),
    )
    said = f"{file} was there before and has been replaced"
    assert said not in inside(*words).stderr
    file.write_text("dear to somebody")
    assert said in inside(*words).stderr and "dear" not in file.read_text()
    assert said not in inside(*words, "--quiet").stderr
    file.write_text("dear to somebody")
    refused = inside(*words[:3], "nobody,novice", *words[4:])
    assert refused.status == 2 and said not in refused.stderr and file.read_text() == "dear to somebody"
