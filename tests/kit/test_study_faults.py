"""What a study survives, with real processes: killed workers and parents, full disks, changed files, lost clusters."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest

from tests.conftest import ROOT, Answer
from tests.oracles.study_folders import assert_same_folders, write_own_study
from tests.oracles.toy_game import DICE, WALK
from towerlab.analysis.study import parse_parameters, run_study
from towerlab.analysis.study.folder import StudyFolder
from towerlab.games.errors import TowerlabError

SLOW_DICE = ("--set", "pause=0.05", "--set", "chunks=16")
SLOWLY = parse_parameters(DICE, ["pause=0.05", "chunks=16"])  # the same

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the worker processes in /proc")


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.oracles.toy_game", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> Answer:
    stdout, stderr = process.communicate(timeout=300)
    return Answer(process.returncode, stdout, stderr)


def wait_until(condition: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def chunk_files(folder: Path) -> list[Path]:
    return sorted((folder / "chunks").glob("[0-9]*.parquet"))


def workers_of(parent: int) -> list[int]:
    """Process ids of the local workers of a running study."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if "popen_loky" in Path(f"/proc/{child}/cmdline").read_text()]


def is_alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a slow study that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run_study(DICE, folder, jobs=1, quiet=True, parameters=SLOWLY)
    return folder


def start_slow_study(folder: Path, gate: Path) -> subprocess.Popen[str]:
    """A study that has finished some chunks and cannot finish the last ones before the file `gate` exists."""
    os.environ["TOY_GATE"] = str(gate)
    try:
        process = start("study", "toy", "dice", "--out", folder, "--jobs", 2, *SLOW_DICE)
    finally:
        del os.environ["TOY_GATE"]
    wait_until(lambda: len(chunk_files(folder)) >= 4)
    return process


def resume_and_compare(folder: Path, undisturbed: Path) -> None:
    assert 4 <= len(chunk_files(folder)) < 16
    before = {file: file.stat().st_mtime_ns for file in chunk_files(folder)}
    run_study(DICE, folder, jobs=1, quiet=True, resume=True, parameters=SLOWLY)
    assert before.items() <= {file: file.stat().st_mtime_ns for file in chunk_files(folder)}.items()
    assert_same_folders(folder, undisturbed)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(tmp_path: Path, undisturbed: Path) -> None:
    folder = tmp_path / "study"
    gate = tmp_path / "gate"
    process = start_slow_study(folder, gate)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    gate.touch()
    answer = finish(process)
    assert answer.status == 0, answer.stderr
    assert_same_folders(folder, undisturbed)


def test_a_killed_parent_leaves_a_resumable_folder_and_no_workers(tmp_path: Path, undisturbed: Path) -> None:
    folder = tmp_path / "study"
    process = start_slow_study(folder, tmp_path / "gate")
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=300)
    wait_until(lambda: not any(is_alive(worker) for worker in workers))
    resume_and_compare(folder, undisturbed)


def test_ctrl_c_leaves_a_resumable_folder_and_says_so(tmp_path: Path, undisturbed: Path) -> None:
    folder = tmp_path / "study"
    process = start_slow_study(folder, tmp_path / "gate")
    os.killpg(process.pid, signal.SIGINT)
    answer = finish(process)
    assert answer.status == 130
    assert "of 16 chunks are kept" in answer.stderr
    assert "--resume goes on" in answer.stderr
    assert "Traceback" not in answer.stderr
    resume_and_compare(folder, undisturbed)


@pytest.mark.slow
def test_a_chunk_that_kills_every_worker_ends_the_study(tmp_path: Path) -> None:
    answer = finish(start("study", "toy", "dice", "--out", tmp_path, "--jobs", 2, "--set", "deadly=3"))
    assert answer.status == 1
    assert "killed before they finish a chunk" in answer.stderr
    assert "of 12 chunks are kept" in answer.stderr


def test_steps_killed_between_checkpoints_end_with_the_identical_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.analysis.study.folder.SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    run_study(WALK, tmp_path / "undisturbed", jobs=1, quiet=True)

    monkeypatch.setenv("TOY_POWER_CUT", "4")
    with pytest.raises(EOFError, match="power cut"):
        run_study(WALK, tmp_path / "cut", jobs=1, quiet=True)
    monkeypatch.delenv("TOY_POWER_CUT")
    newest = sorted((tmp_path / "cut" / "chunks").glob("chunk000000-*"))[-1]
    newest.write_bytes(newest.read_bytes()[:-1])  # and the newest checkpoint was cut short as well
    run_study(WALK, tmp_path / "cut", jobs=1, quiet=True, resume=True)
    assert_same_folders(tmp_path / "cut", tmp_path / "undisturbed")


# ----------------------------------------------------------------------------------------------------- damaged folders


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-7], lambda data: data[:50] + b"?" + data[51:], lambda data: b""]
)
def test_a_chunk_cut_short_or_changed_is_noticed_and_made_again(
    damage: Callable[[bytes], bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_study(DICE, tmp_path / "whole", jobs=1, quiet=True)
    shutil.copytree(tmp_path / "whole", tmp_path / "damaged")
    for chunk in (2, 7):
        file = chunk_files(tmp_path / "damaged")[chunk]
        file.write_bytes(damage(file.read_bytes()))
    chunk_files(tmp_path / "damaged")[5].unlink()
    run_study(DICE, tmp_path / "damaged", jobs=1, resume=True)
    assert "2 chunk files were cut short or changed" in capsys.readouterr().err
    assert_same_folders(tmp_path / "damaged", tmp_path / "whole")


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", "[1]", "9" * 5000, '{"hash": {}}'])
def test_a_changed_manifest_is_refused(text: str, tmp_path: Path) -> None:
    run_study(DICE, tmp_path, jobs=1, quiet=True)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(text or manifest.read_text().replace('"seed": 0', '"seed": 1'))
    with pytest.raises(TowerlabError, match="was changed since"):
        run_study(DICE, tmp_path, seed=1, jobs=1, quiet=True, resume=True)


def test_what_a_start_that_failed_leaves_is_no_study(tmp_path: Path) -> None:
    (tmp_path / "chunks").mkdir()
    (tmp_path / "chunks" / ".lock").touch()
    (tmp_path / ".manifest.json.0a1b2c3d.part").write_text("{")
    run_study(DICE, tmp_path, jobs=1, quiet=True)
    assert not (tmp_path / ".manifest.json.0a1b2c3d.part").exists()


def test_only_what_the_study_names_is_touched(tmp_path: Path) -> None:
    """Files of the user's, pipes and folders whose names are like those of a study's."""
    folder = tmp_path / "study"
    chunks = tmp_path / "study" / "chunks"
    run_study(DICE, folder, jobs=1, quiet=True)
    for name in ("mythesis.part", ".draft.part", "chunks/0x1-abc.parquet", "chunks/000099-aaaaaaaaaaaaaaaa.parquet"):
        (folder / name).write_text("of the user's")
    (folder / "notes.part").mkdir()
    (chunks / ".7.0a1b2c3d.part").mkdir()
    os.mkfifo(chunks / "0-pipe.parquet")
    os.mkfifo(chunks / "chunk000000-pipe.npz")
    own = {
        path for path in folder.rglob("*") if not re.fullmatch(r"\d{6}-\w+\.parquet", path.name) or "99-" in path.name
    }
    (folder / ".throws.csv.0a1b2c3d.part").write_text("left over by a run that was killed")
    chunk_files(folder)[1].unlink()
    run_study(DICE, folder, jobs=1, quiet=True, resume=True)
    assert {*folder.rglob("*")} >= own and not list(folder.glob(".throws*"))
    assert len([path for path in chunk_files(folder) if "0000" in path.name]) == 13
    run_study(WALK, tmp_path / "walk", jobs=1, quiet=True)
    os.mkfifo(tmp_path / "walk" / "chunks" / "chunk000000-steps-0123456789abcdef.npz")
    run_study(WALK, tmp_path / "walk", jobs=1, quiet=True, resume=True)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_lies_in_the_place_of_a_chunk_is_refused_at_once(make: Callable[[Path], None], tmp_path: Path) -> None:
    run_study(DICE, tmp_path, jobs=1, quiet=True)
    place = chunk_files(tmp_path)[3]
    place.unlink()
    make(place)
    with pytest.raises(TowerlabError, match=rf"{place.name} is no regular file; expected it elsewhere"):
        run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)
    place.rmdir() if place.is_dir() else place.unlink()
    (tmp_path / "summary.json").unlink()
    (tmp_path / "summary.json").mkdir()
    with pytest.raises(OSError, match="something else in its place moved away"):
        run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(TowerlabError, match="is a file; expected a folder"):
        run_study(DICE, file, quiet=True)
    with pytest.raises(TowerlabError, match="holds other files and no study"):
        run_study(DICE, tmp_path, quiet=True)
    with pytest.raises(OSError, match="nowhere"):
        run_study(DICE, Path("/proc/nowhere"), quiet=True)


def test_a_folder_with_a_study_needs_resume_and_one_run_at_a_time(tmp_path: Path) -> None:
    parameters = parse_parameters(DICE, [])
    folder = StudyFolder(tmp_path, DICE, parameters, 0, DICE.count_chunks(parameters))
    with folder.open_for_run(resume=False):
        with pytest.raises(TowerlabError, match="expected --resume or an empty folder"):
            run_study(DICE, tmp_path, quiet=True)
        with pytest.raises(TowerlabError, match="another run is working in"):
            run_study(DICE, tmp_path, quiet=True, resume=True)
    run_study(DICE, tmp_path, jobs=1, quiet=True, resume=True)


# ------------------------------------------------------------------------------------------------------- Dask clusters


@pytest.fixture(scope="module")
def cluster_gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the cluster's workers wait for half-way through a toy study; there unless a test removes it."""
    gate = tmp_path_factory.mktemp("cluster") / "gate"
    gate.touch()
    return gate


@pytest.fixture(scope="module")
def cluster(cluster_gate: Path) -> Iterator[object]:
    """Two worker processes on loopback."""
    distributed = pytest.importorskip("distributed")
    local = {"host": "127.0.0.1", "dashboard_address": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOY_GATE", str(cluster_gate))
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **local) as made:
            yield made


@pytest.mark.slow
@pytest.mark.parametrize("study", [DICE, WALK], ids=["chunks", "steps"])
def test_a_cluster_gives_the_same_bits(study, cluster, tmp_path: Path) -> None:
    run_study(study, tmp_path / "cluster", scheduler=cluster.scheduler_address, quiet=True)
    run_study(study, tmp_path / "here", jobs=1, quiet=True)
    assert_same_folders(tmp_path / "cluster", tmp_path / "here")


@pytest.mark.slow
def test_a_lost_cluster_worker_changes_nothing(cluster, cluster_gate: Path, tmp_path: Path, undisturbed: Path) -> None:
    cluster_gate.unlink()
    arguments = ("study", "toy", "dice", "--out", tmp_path, *SLOW_DICE, "--scheduler", cluster.scheduler_address)
    process = start(*arguments)
    wait_until(lambda: len(chunk_files(tmp_path)) >= 4)
    assert len(chunk_files(tmp_path)) < 16
    victim = next(iter(cluster.workers.values())).process.process.pid
    os.kill(victim, signal.SIGKILL)
    cluster_gate.touch()
    answer = finish(process)
    assert answer.status == 0, answer.stderr
    assert_same_folders(tmp_path, undisturbed)


def _look_for_modules_in(folder: Path, cluster: Any) -> None:
    with cluster.get_client() as client:
        client.wait_for_workers(2)  # one may have been killed by another test
        client.run(_add_to_path, str(folder))


def _add_to_path(folder: str) -> None:
    sys.path.insert(0, folder)


@pytest.mark.slow
def test_a_users_own_study_gives_the_same_bits_anywhere(
    cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a cluster, with workers here (of an earlier run, too), and where it goes on after it was interrupted."""
    joblib.Parallel(2, backend="loky", inner_max_num_threads=1)(joblib.delayed(int)(1) for _ in range(2))
    write_own_study(tmp_path, monkeypatch)
    study = importlib.import_module("own_study").STUDY
    far = {"scheduler": cluster.scheduler_address}
    with pytest.raises(TowerlabError, match="the module own_study of the study is not found here"):
        run_study(study, tmp_path / "b", quiet=True, **far)
    _look_for_modules_in(tmp_path, cluster)
    for folder, how in (("a", {"jobs": 1}), ("b", far), ("c", {"jobs": 2}), ("c", {"resume": True})):
        found = run_study(study, tmp_path / folder, quiet=True, **how)
        assert_same_folders(tmp_path / folder, tmp_path / "a")
        if folder == "c":
            chunk_files(tmp_path / folder)[1].unlink()
    assert found.tables["x"]["x"].tolist() == [0, 2, 4]


@pytest.mark.slow
def test_a_killed_scheduler_is_said_in_one_line_and_chunks_are_kept(tmp_path: Path, undisturbed: Path) -> None:
    pytest.importorskip("distributed")
    code = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:\n"
        "        print(cluster.scheduler_address, flush=True); input()"
    )
    (tmp_path / "scheduler.py").write_text(code)
    scheduler = subprocess.Popen(
        [sys.executable, tmp_path / "scheduler.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TOY_GATE": str(tmp_path / "gate")},
    )
    address = scheduler.stdout.readline().strip()
    folder = tmp_path / "study"
    process = start("study", "toy", "dice", "--out", folder, *SLOW_DICE, "--scheduler", address)
    wait_until(lambda: len(chunk_files(folder)) >= 4)
    scheduler.kill()
    scheduler.communicate(timeout=300)
    answer = finish(process)
    said = [line for line in answer.stderr.splitlines() if not line.startswith("dice: ")]  # how far it is
    assert (answer.status, len(said)) == (1, 1), answer.stderr
    assert f"the Dask cluster at {address} was lost" in answer.stderr
    assert f"{len(chunk_files(folder))} of 16 chunks are kept in {folder}" in answer.stderr
    assert "with --resume goes on" in answer.stderr
    resume_and_compare(folder, undisturbed)


@pytest.mark.slow
def test_other_versions_on_a_cluster_are_refused(cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.analysis.study.folder.version", lambda: "99")
    with pytest.raises(TowerlabError, match=r"towerlab is .* on worker .*; expected 99 as here"):
        run_study(DICE, tmp_path / "study", scheduler=cluster.scheduler_address, quiet=True)
    assert not (tmp_path / "study").exists()


def test_no_cluster_at_that_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("towerlab.analysis.study.workers.SECONDS_TO_CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(TowerlabError, match=r"expected a scheduler's address like tcp://host:8786"):
            run_study(DICE, tmp_path / "study", scheduler=address, quiet=True)
    assert not (tmp_path / "study").exists()


def test_without_the_extra_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TowerlabError, match="pip install distributed"):
        run_study(DICE, tmp_path / "study", scheduler="tcp://127.0.0.1:9", quiet=True)
