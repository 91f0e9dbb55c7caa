"""How kernels are compiled and kept: beside functions of others, in damaged caches, for other processors."""

from __future__ import annotations

import functools
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from tests.conftest import ROOT, Answer, copy_of_the_package, run_python
from towerlab.games import cache_folder, jit
from towerlab.games.bits import popcount
from towerlab.games.cards import parse_mask
from towerlab.solver.two_hands.tablebase import leader_tricks, load_tablebase

STEP = ("step", "tower-war", "--mine", "AH TC 6C", "--theirs", "9S 4S 2S")  # few kernels
BITS = (
    "from towerlab.games.bits import deposit_bits, extract_bits; "
    "print(extract_bits(0b1011, 0b1110), deposit_bits(5, 0b1110))"
)


pytestmark = pytest.mark.skipif(jit._compiler() is jit.compile_with_numba, reason="towerlab's compiler does not fit")
_python = functools.partial(run_python, PYTHONHASHSEED="0")


# ------------------------------------------------------------------------------------------- beside others' functions


@pytest.mark.slow
def test_functions_of_others_are_compiled_as_without_towerlab(tmp_path: Path) -> None:
    """Machine code, answers and settings alike; what one process keeps the other one loads."""
    program = str(ROOT / "tests" / "oracles" / "user_kernels.py")

    def run(mode: list[str], cache: str) -> dict[str, Any]:
        return json.loads(_python(program, *mode, NUMBA_CACHE_DIR=str(tmp_path / cache)).stdout)

    modes: tuple[list[str], list[str]] = ([], ["towerlab"])
    with ThreadPoolExecutor(2) as pool:
        alone, beside = pool.map(run, modes, ("alone", "beside"))
        again = list(pool.map(run, modes, ("beside", "alone")))
    assert len(alone["assembly"]) == 6
    for part in ("assembly", "answers", "threads"):
        assert beside[part] == alone[part], part
    for one in (beside, *again):
        assert one["answers"] == alone["answers"]
        assert one["config"] | {"CACHE_DIR": ""} == alone["config"] | {"CACHE_DIR": ""}
    assert alone["hits"] == beside["hits"] == {"saxpy": 0, "refused": 0}
    assert [one["hits"] for one in again] == [{"saxpy": 1, "refused": 1}] * 2


@numba.njit
def _cards_and_tricks(tablebase, leader, follower):  # type: ignore[no-untyped-def]
    return popcount(leader) + popcount(follower), leader_tricks(tablebase, leader, follower)


@numba.vectorize
def _counted(mask):  # type: ignore[no-untyped-def]
    return popcount(mask)


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="calls compiled kernels")
def test_a_function_of_others_may_call_a_kernel() -> None:
    leader, follower = parse_mask("JH 9S"), parse_mask("AH AS")
    expected = leader_tricks(load_tablebase(), leader, follower)
    assert _cards_and_tricks(load_tablebase(), leader, follower) == (4, expected)
    assert _counted(np.arange(8)).tolist() == [0, 1, 1, 2, 1, 2, 2, 3]


def _copied(into: Any, values: Any) -> float:
    into[:] = values
    return float(into.sum())


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="calls a compiled kernel")
def test_values_of_another_number_are_not_assigned(cache: Path) -> None:
    copied = jit.kernel(_copied)
    assert copied(np.zeros(3), np.ones(3)) == 3
    with pytest.raises(ValueError, match="of different size"):
        copied(np.zeros(3), np.ones(2))


@pytest.mark.parametrize("processor", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_FEATURES": "+sse2"}])
def test_an_instruction_is_used_only_where_the_processor_compiled_for_has_it(
    processor: dict[str, str], tmp_path: Path
) -> None:
    assert _python("-c", BITS, TOWERLAB_CACHE_DIR=str(tmp_path), **processor).stdout == "5 10\n"


# ------------------------------------------------------------------------------------------------------ damaged caches


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache for kernels that are made in a test."""
    remembered = (cache_folder.cache_root, cache_folder.print_note, jit._cache_folder)
    monkeypatch.setenv("TOWERLAB_CACHE_DIR", str(tmp_path / "cache"))
    for function in remembered:
        function.cache_clear()
    yield tmp_path / "cache"
    monkeypatch.undo()
    for function in remembered:
        function.cache_clear()


def _tripled(number: int) -> int:
    return 3 * number


def _loaded() -> bool:
    """Whether a kernel that answers rightly was loaded from the cache, not compiled."""
    tripled: Any = jit.kernel(_tripled)
    assert tripled(14) == 42
    return bool(sum(tripled.stats.cache_hits.values()))


def _take_anothers(file: Path) -> None:
    other: Any = jit.kernel(lambda number: number)
    other(1)
    [found] = set(file.parent.iterdir()) - {file}
    found.replace(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "a byte short": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "garbage": lambda file: file.write_bytes(random.Random(1).randbytes(5_000)),
    "missing": lambda file: file.unlink(),
    "another kernel's": _take_anothers,
    "others may write": lambda file: file.chmod(0o666),
}


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="there is no cache")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_heals(damage: str, cache: Path) -> None:
    assert not _loaded() and _loaded()
    [file] = cache.rglob("*.nbc")
    DAMAGES[damage](file)
    assert not _loaded()
    assert _loaded() and [*cache.rglob("*.nbc")] == [file]


# --------------------------------------------------------------------------------------------------- whose folder it is


@pytest.mark.parametrize("which", ["", "numba-0.1", "numba-0.1/games.bits-0"])
@pytest.mark.parametrize("how", ["others may write", "a link"])
def test_a_folder_that_others_may_write_to_is_not_used(
    which: str, how: str, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent / "next"))
    folder = cache / which
    folder.mkdir(parents=True)
    if how == "a link":
        real = folder.rename(cache.parent / "real")
        folder.symlink_to(real)
    else:
        folder.chmod(0o770)
    assert cache_folder.cache_root() == cache.parent / "next" / "towerlab"
    assert "may be written by others" in capsys.readouterr().err
    assert not _loaded() and _loaded() and not [*cache.rglob("*.nbc")]


def test_what_is_kept_is_for_this_user_alone(cache: Path) -> None:
    before = os.umask(0o002)
    try:
        _loaded()
    finally:
        os.umask(before)
    for path in cache.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_no_cache_at_all_is_a_note(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TOWERLAB_CACHE_DIR", "/dev/null/cache")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/dev/null")
    cache_folder.cache_root.cache_clear()
    try:
        assert cache_folder.cache_root() is None
        named, other = capsys.readouterr().err.splitlines()
        assert named.startswith("note: compiled kernels cannot be kept in /dev/null/cache: ")
        assert "compiling for this run only" in other
    finally:
        monkeypatch.undo()
        cache_folder.cache_root.cache_clear()


@pytest.mark.parametrize("make", [os.mkfifo, Path.touch, lambda path: path.symlink_to("nowhere/at/all")])
def test_a_named_folder_that_is_none_is_a_note_and_another_is_used(
    make: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "cache")
    monkeypatch.setenv("TOWERLAB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    cache_folder.cache_root.cache_clear()
    try:
        root = cache_folder.cache_root()
        assert root is not None and root.is_relative_to(tmp_path / "home")
        assert f"note: compiled kernels cannot be kept in {tmp_path / 'cache'}: " in capsys.readouterr().err
    finally:
        monkeypatch.undo()
        cache_folder.cache_root.cache_clear()


def test_two_processes_share_one_new_cache(towerlab: Callable[..., Answer], tmp_path: Path) -> None:
    def ask() -> Answer:
        return towerlab(*STEP, "--json", TOWERLAB_CACHE_DIR=str(tmp_path))

    with ThreadPoolExecutor(2) as pool:
        first, second = (run.result() for run in [pool.submit(ask) for _ in range(2)])
    assert first.json == second.json
    assert "compiling" in first.stderr + second.stderr
    third = ask()
    assert (third.status, third.stdout, third.stderr) == (0, first.stdout, "")


def test_compiling_is_said_once_and_then_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([100.0, 101.0, 109.9, 110.1, 111.0, 121.0])
    monkeypatch.setattr(cache_folder, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(cache_folder, "announces_compiling", True)
    monkeypatch.setattr(cache_folder, "_announced", {})
    for _ in range(6):
        cache_folder.announce_compiling()
    assert capsys.readouterr().err.splitlines() == [
        "compiling kernels for their first use",
        "compiling kernels: 3 so far",
        "compiling kernels: 5 so far",
    ]


@pytest.mark.parametrize("quiet", [True, False])
def test_compiling_is_announced_but_where_quiet_is_asked_for(quiet: bool, inside: Callable[..., Answer]) -> None:
    inside("solve", "towers-and-bowers", "--trump", "H", "--leader", "JH", "--follower", "AH", *["--quiet"][:quiet])
    assert cache_folder.announces_compiling is not quiet


@pytest.mark.skipif(not jit.JIT_ENABLED, reason="nothing is compiled")
def test_a_brief_kernel_is_run_by_python_until_it_has_taken_its_time_and_nothing_changes(cache: Path) -> None:
    def double(number: int) -> int:
        return 2 * number

    brief = jit.brief_kernel(double)
    other = jit.kernel(double)
    with cache_folder.run_first_in_python(60.0):
        assert [brief(number) for number in range(3)] == [0, 2, 4] and not brief.signatures
        assert other(1) == 2 and other.signatures
    assert cache_folder.patience == 0.0 and cache_folder.has_run_in_python
    assert brief(3) == 6 and brief.signatures
    with cache_folder.run_first_in_python(60.0):
        stored = jit.brief_kernel(double)
        assert stored(4) == 8 and stored.signatures
    with cache_folder.run_first_in_python(1e-9):
        slow = jit.brief_kernel(lambda number: number + 1)
        assert (slow(1), slow.signatures, slow(2), len(slow.signatures)) == (2, [], 3, 1)


def test_two_copies_of_the_sources_compile_once_between_them(tmp_path: Path) -> None:
    found = []
    for checkout in (ROOT, copy_of_the_package(tmp_path / "copy")):
        ask = "from towerlab.games import tricks; tricks.field_of(0, 0); print(tricks.__file__)"
        places = {"TOWERLAB_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(checkout)}
        ran = run_python("-c", ask, cwd=tmp_path, **places)
        assert Path(ran.stdout.strip()).is_relative_to(checkout)
        found.append([file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("field_of-*.nbc")])
    assert len(found[0]) == 1 and found[0] == found[1]


def test_kernels_nobody_asks_for_are_thrown_away_after_a_month(tmp_path: Path) -> None:
    month = 31 * 24 * 3600
    for name, age in (("games.bits-new", 0), ("games.bits-old", month)):
        folder = tmp_path / "numba-0.0" / name
        folder.mkdir(parents=True)
        (folder / "kernel.nbc").touch()
        os.utime(folder, (time.time() - age,) * 2)
    cache_folder.prune(tmp_path)
    assert [path.name for path in (tmp_path / "numba-0.0").iterdir()] == ["games.bits-new"]
