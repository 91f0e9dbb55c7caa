"""A disk that is full while a command writes: old files stay whole, and the command can be run again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, slow
from tests.oracles.full_disk import COMPILER, full_disk

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


PLAY = "play towers --seed 3 --record out.jsonl"
SIMULATE = "simulate towers --players builder,novice --games 2"
# A child has none of the threads of a pool of workers that its parent started: one job.
OUTCOMES = "study towers-and-bowers deal-outcomes --set most_cards=1 --jobs 1 --out out"
WALKS = "study steps:WALK --set chunks=1 --set steps=2 --jobs 1 --out out"
BOARD = """
[Board "1"]
[Dealer "N"]
[Deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.."]
[Declarer "S"]
[Contract "1NT"]
[Play "W"]
S4 SA SQ S2
"""
SOLVE = "solve towie --from in.pbn --table --out out.pbn --jobs 1"
CASES = [
    case("claim bowers --hand JC,AC --trump C --lead declarer --tricks 2 --certificate out.json", {"out.json": OLD}),
    slow(case("exploit novice --cards 1 --out out.parquet", {"out.parquet": OLD})),
    slow(case("value --cards 1 --export out.parquet", {"out.parquet": OLD})),
    *(table(suffix) for suffix in (".csv", ".json", ".parquet")),
    case(SOLVE, {"in.pbn": BOARD, "out.pbn": OLD}, "out.pbn.run", f"{SOLVE} --resume"),
    case("review in.pbn --out out.csv", {"in.pbn": BOARD, "out.csv": OLD}),
    case(f"{SIMULATE} --transcripts out.jsonl", {"out.jsonl": OLD}),
    case(OUTCOMES, {}, "out", f"{OUTCOMES} --resume"),
    case(WALKS, {"steps.py": STEPS}, "out", f"{WALKS} --resume"),
    case("report --index --out .", PAGES),
    slow(case("review in.jsonl --out out.html", {"in.jsonl": GAME, "out.html": OLD})),
    case(PLAY, {}, "out.jsonl", "play --resume out.jsonl", "1\n1\nq\n", grows=True),
    case("record towers --out out.jsonl", {}, "out.jsonl", "record --resume out.jsonl", "T 3 5 6 8\nq\n", grows=True),
    slow(case("train towie --folder out", {}, stdin="1\nq\n", grows=True)),
]


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but locks."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case["words"][:2]))
def test_old_files_stay_whole_whichever_write_fails(case: dict[str, Any], tmp_path: Path) -> None:
    def begin(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in case["files"].items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text)
        return folder

    before = files_of(begin("old"))
    folder = begin("whole")
    with full_disk(tmp_path) as run:
        first = run(case["words"], folder, case["stdin"])
        assert first.status == 0 and first.writes, first
        whole = files_of(folder)
        for number in range(1, first.writes + 1):
            folder = begin(f"full-{number}")
            done = run(case["words"], folder, case["stdin"], number)
            after = files_of(folder)
            assert done.status == 1 or "cannot be written" in done.said, (number, done)
            written = {case["out"], case["words"][-1], *case["files"]} - {""}
            if done.status == 1:
                assert any(Path(name).name in done.said for name in written if name), (number, done)
            assert "Traceback" not in done.said and "failed inside" not in done.said, (number, done)
            assert not [name for name in after if name.endswith(".part")], number
            for name, content in before.items():
                old = after[name] in (content, whole[name])
                assert old or (case["grows"] and after[name].startswith(content)), (number, name)
            again = run(case["then"] if (folder / case["out"]).exists() else case["words"], folder, case["stdin"])
            assert again.status == 0, (number, again)
            assert case["grows"] or files_of(folder) == whole, number
            shutil.rmtree(folder)
