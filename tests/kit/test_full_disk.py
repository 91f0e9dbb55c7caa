"""A disk that is full from any write of any command on: old files stay whole, and the command can be run again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from tests.conftest import ROOT, slow
from tests.oracles.full_disk import build
from towerlab.cli import towerlab

OLD = "an old file that somebody needs\n"
GAME = "".join((ROOT / "tests" / "golden" / "towers.jsonl").read_text().splitlines(keepends=True)[:4])
STEPS = """
from tests.oracles.toy_game import STUDIES
from towerlab.analysis.study import folder
folder.SECONDS_BETWEEN_CHECKPOINTS = 0
WALK = STUDIES["walk"]
"""


PAGES = {
    "index.html": OLD,
    "towers/manifest.json": json.dumps({"title": "T", "question": "?", "files": {"index.html": "x"}, "command": "x"}),
    "towers/index.html": "",
}


def case(
    words: str, files: Mapping[str, str], out: str = "", then: str = "", stdin: str = "", *, grows: bool = False
) -> dict[str, Any]:
    """A command, the files that are there before, and the words that go on once `out` is there."""
    made = {"words": words.split(" "), "then": (then or words).split(" "), "out": out, "stdin": stdin, "grows": grows}
    return made | {"files": files}


def table(suffix: str) -> dict[str, Any]:
    """Questions from a file into another; every command that takes them writes alike."""
    words = f"solve towers-and-bowers --from in.csv --out out{suffix} --jobs 1"
    questions = "trump,leader,follower\nH,JH 9S,AH AS\nH,JH,AH\nS,JH 9S,AH AS\n"
    return case(words, {"in.csv": questions, f"out{suffix}": OLD}, f"out{suffix}.run", f"{words} --resume")


PLAY, SIMULATE = "play towers --seed 3 --record out.jsonl", "simulate towers --players builder,novice --games 2"
OUTCOMES = "study towers-and-bowers deal-outcomes --set most_cards=1 --out out"
CASES = [
    case("claim bowers --hand JC,AC --trump C --lead declarer --tricks 2 --certificate out.json", {"out.json": OLD}),
    slow(case("exploit novice --cards 1 --out out.parquet", {"out.parquet": OLD})),
    case("value --cards 1 --export out.parquet", {"out.parquet": OLD}),
    *(table(suffix) for suffix in (".csv", ".json", ".parquet")),
    case(f"{SIMULATE} --transcripts out.jsonl", {"out.jsonl": OLD}),
    case(OUTCOMES, {}, "out", f"{OUTCOMES} --resume"),
    slow(case("study steps:WALK --out out", {"steps.py": STEPS}, "out", "study steps:WALK --out out --resume")),
    case("report --index --out .", PAGES),
    slow(case("review in.jsonl --out out.html", {"in.jsonl": GAME, "out.html": OLD})),
    slow(case("report", {})),
    case("serve", {}, grows=True),
    case(PLAY, {}, "out.jsonl", "play --resume out.jsonl", "1\n1\nq\n", grows=True),
    case("record towers --out out.jsonl", {}, "out.jsonl", "record --resume out.jsonl", "T 3 5 6 8\nq\n", grows=True),
    slow(case("train towers --folder out --seed 3", {}, stdin="1\nq\n", grows=True)),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    return build(tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case["words"][:2]))
def test_any_write_can_fail(case: dict[str, Any], library: Path, tmp_path: Path) -> None:
    cases, folder = tmp_path / "cases.json", tmp_path / "folder"
    cases.write_text(json.dumps([case]))
    folder.mkdir()
    words = [sys.executable, "-m", "tests.oracles.full_disk", str(folder), str(cases)]
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) >= 3


def test_every_command_that_writes_is_tried() -> None:
    cases = (case if isinstance(case, dict) else case.values[0] for case in CASES)
    tried = {case["words"][0] for case in cases}
    writes = {name for name, command in commands(towerlab) if any(map(is_written, command.params))}
    tables = {name for name, command in commands(towerlab) if {"source", "out"} <= {one.name for one in command.params}}
    assert writes - tables <= tried and tables & tried


def commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """Every command, under its first word."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((name, one) for _, one in commands(command))
        elif command is not None:
            yield name, command


def is_written(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, click.Path) and not parameter.type.exists
