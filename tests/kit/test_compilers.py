"""Kernels compiled by towerlab's target, and by numba's own where the first does not fit the installed numba."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.conftest import exhaustive, run_python, slow
from tests.kit.test_golden_answers import lasting
from tests.kit.test_machine_code import DAMAGES
from towerlab.games import jit

COMPILERS = {"towerlab's": "", "numba's": "from numba.core import codegen\ndel codegen.JITCodeLibrary\n"}
NOTE = "note: towerlab's compiler does not fit numba "
QUESTIONS = (
    'step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"',
    'solve towers-and-bowers --trump H --leader "JH 9S" --follower "AH AS"',
    'solve bowers --trump NT --declarer "7S 8H" --left "8S 7H" --right "9S 9H" --lead left --misere',
    'solve towie --deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.." --trump NT --lead W',
    'step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4',
    "simulate towers --players random,random --games 40 --jobs 2",
)
ASK = """
import sys
from towerlab import cli

for words in {questions}:
    sys.argv = ["towerlab", *words, "--json"]
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code
"""
CALLER = """
from towerlab.games.helper import add
from towerlab.games.jit import kernel


@kernel
def add_twice(number: int) -> int:
    return add(add(number))
"""
HELPER = """
from towerlab.games.jit import kernel


@kernel
def add(number: int) -> int:
    return number + {}
"""

pytestmark = pytest.mark.skipif(not jit.JIT_ENABLED, reason="compiles kernels")


@pytest.mark.parametrize("questions", [QUESTIONS[:1], exhaustive(QUESTIONS[1:])], ids=["a question", "the others"])
def test_answers_are_the_same_with_either_compiler(questions: tuple[str, ...]) -> None:
    program = ASK.format(questions=[shlex.split(question) for question in questions])
    runs = [run_python("-c", compiler + program) for compiler in COMPILERS.values()]
    own, numbas = ([lasting(json.loads(line), "") for line in run.stdout.splitlines()] for run in runs)
    assert own == numbas and len(own) == len(questions)
    assert runs[1].stderr.count(NOTE) == 1 and runs[1].stderr.startswith(NOTE)


@pytest.mark.parametrize("compiler", ["towerlab's", slow("numba's")])
def test_an_edited_helper_is_compiled_again_with_its_callers(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER)
    program = f"""
import towerlab.games

towerlab.games.__path__.append({str(tmp_path)!r})
from towerlab.games.caller import add_twice

print(add_twice(1), sum(add_twice.stats.cache_hits.values()))
"""
    for step, printed in ((1, "3 0"), (20, "41 0"), (1, "3 1")):
        (tmp_path / "helper.py").write_text(HELPER.format(step))
        run = run_python("-B", "-c", COMPILERS[compiler] + program, TOWERLAB_CACHE_DIR=str(tmp_path / "cache"))
        assert run.stdout == printed + "\n"
    for path in (tmp_path / "cache").glob("*/*"):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_full_disk_is_a_note(compiler: str, tmp_path: Path) -> None:
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
        "from towerlab.games.bits import popcount; print(popcount(7))"
    )
    run = run_python("-c", COMPILERS[compiler] + program, TOWERLAB_CACHE_DIR=str(tmp_path))
    notes = [line for line in run.stderr.splitlines() if not line.startswith(NOTE)]
    assert run.stdout == "3\n" and len(notes) == 1, run.stderr
    assert notes[0].startswith("note: compiled kernels cannot be kept in")
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size > 2000]


@pytest.mark.parametrize(("damage", "suffix"), [("empty", ".nbi"), ("garbage", ".nbc"), ("missing", ".nbc")])
def test_numbas_damaged_cache_heals(damage: str, suffix: str, tmp_path: Path) -> None:
    def is_loaded() -> bool:
        triple = jit.compile_with_numba(_triple, tmp_path / "numba" / "module")
        assert triple(14) == 42
        return bool(sum(triple.stats.cache_hits.values()))

    assert not is_loaded() and is_loaded()
    [file] = tmp_path.rglob(f"*{suffix}")
    DAMAGES[damage](file)
    assert not is_loaded()
    assert is_loaded()


def _triple(number: int) -> int:
    return 3 * number
