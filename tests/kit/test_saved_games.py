"""Saved games and trainings: cut off, full disks, who may read them, several games in a file (issue 25, 15, 17, 24)."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import ROOT, Answer, exhaustive
from tests.oracles.serving import visit
from towerlab.analysis import saved_games as store
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.whole_files import whole_file, write_whole
from towerlab.games.errors import TowerlabError
from towerlab.table.commanding import open_recording, open_session, open_training, read_recording, read_session
from towerlab.table.record import Recording
from towerlab.table.session import Session
from towerlab.web.app import TableServer

GOLDEN = ROOT / "tests" / "golden"


def played(path: Path, game: str = "towers", actions: int = 8) -> Session:
    session = open_session(game, record=path, seed=3)
    while session.length < actions and not session.is_over:
        go_on(session)
    return session


def go_on(session: Session) -> None:
    """One more action, a person's or another's."""
    if not session.step() and (seat := session.waits_for) is not None:
        session.act(seat, session.prompt(seat).choices[0].action)


@pytest.mark.parametrize("game", ["towers", exhaustive("bowers")])
def test_a_game_cut_at_any_byte_of_its_last_two_lines_goes_on(game: str, tmp_path: Path, inside) -> None:
    path = tmp_path / "game.jsonl"
    played(path, game)
    whole = path.read_bytes()
    last_two = sum(len(line) for line in whole.splitlines(keepends=True)[-2:])
    for cut in range(1, last_two + 1):
        path.write_bytes(whole[:-cut])
        kept = whole[: -cut if cut else None].count(b"\n")
        session = read_session(path)
        assert session.length in (kept - 1, kept)  # a last line that lacks its end alone is whole
        go_on(session)
        assert path.read_bytes().endswith(b"\n")
        again = read_session(path)
        assert (again.length, again.engine.actions) == (session.length, session.engine.actions)
    checked = inside("show", str(path), "--check")
    assert checked.status == 0 and f"{session.length} actions" in checked.stdout


def test_a_cut_training_goes_on(tmp_path: Path) -> None:
    trainer = open_training("towers-and-bowers", tmp_path)
    for _ in range(2):
        trainer.answer(trainer.position(trainer.item).prompt(trainer.item.seat).choices[0].action)
    path = tmp_path / "towers-and-bowers.jsonl"
    whole = path.read_bytes()
    end = len(whole.splitlines(keepends=True)[-1])
    for cut in (1, 9, end):
        path.write_bytes(whole[:-cut])
        trainer = open_training("towers-and-bowers", tmp_path)
        assert trainer.answered == (2 if cut == 1 else 1)
        trainer.answer(trainer.position(trainer.item).prompt(trainer.item.seat).choices[0].action)
        assert open_training("towers-and-bowers", tmp_path).answered == trainer.answered


def likely(recording: Recording) -> str:
    """What may be answered."""
    asked = recording.ask()
    if asked.is_row:
        return " ".join(recording.layout.unseen()[: asked.many])
    if asked.cards:
        return " ".join(asked.cards[: asked.many])
    if asked.hint.startswith("such as "):
        return asked.hint.removeprefix("such as ")
    return asked.choices[0] if asked.choices else "J on 4"


def test_a_cut_record_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    recording = open_recording("towers", seat=0, record=path, resume=None)
    for _ in range(3):
        recording.answer(likely(recording))
    whole = path.read_bytes()
    for cut in (1, 2, 9, 30):
        path.write_bytes(whole[:-cut])
        again = read_recording(path)
        before = len(again.layout.records)
        again.answer(likely(again))
        assert len(again.layout.records) > before and read_recording(path).layout.records == again.layout.records


def test_a_full_disk_leaves_the_game_where_its_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    session = played(path)
    before = path.read_bytes()
    length = session.length
    working = store.append_action

    def full(path: Path, action: object) -> None:
        raise TowerlabError("no space left")

    monkeypatch.setattr("towerlab.table.session.append_action", full)
    with pytest.raises(TowerlabError, match="no space"):
        go_on(session)
    assert session.length == length and path.read_bytes() == before
    monkeypatch.setattr("towerlab.table.session.append_action", working)
    go_on(session)
    assert read_session(path).length == length + 1


def test_a_game_whose_file_is_gone_says_so(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    session = played(path)
    path.unlink()
    with pytest.raises(TowerlabError, match="cannot be written: No such file"):
        go_on(session)
    assert not path.exists()


def test_nobody_else_can_read_saved_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data" / "tables"
    monkeypatch.setenv(store.FOLDER_VARIABLE, str(folder))
    session = open_session("towers", seed=1)
    go_on(session)
    open_recording("towers", seat=0, record=None, resume=None).save()
    open_training("towers-and-bowers", folder / "training").item  # noqa: B018  # is drawn and written
    for place in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(place.stat().st_mode) == (0o700 if place.is_dir() else 0o600), place


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "towers" else pytest.mark.exhaustive) for game in GAMES]
)
def test_several_games_of_a_file_are_several_answers(game: str, tmp_path: Path, inside: Callable[..., Answer]) -> None:
    path = tmp_path / "games.jsonl"
    seats = 2 if game != "bowers" and game != "towie" else 3
    players = ",".join(["random"] * seats)
    made = inside(
        "simulate", game, "--players", players, "--games", "2", "--transcripts", str(path), "--quiet", "--jobs", "1"
    )
    assert made.status == 0, made.stderr
    checked = inside("show", str(path), "--check")
    assert checked.status == 0 and checked.stdout.count(": a sound game of ") == 2
    shown = inside("show", str(path), "--json")
    assert [one["game"] for one in shown.json["games"]] == [game, game]
    with pytest.raises(TowerlabError, match="holds 2 games; expected one"):
        read_session(path)


@pytest.mark.parametrize(("game", "actions"), [exhaustive("towers", 4), ("towers-and-bowers", 20)])
def test_several_games_of_a_file_are_reviewed_each(
    game: str, actions: int, tmp_path: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())
    path = tmp_path / "games.jsonl"
    page = tmp_path / "review.html"
    one = played(tmp_path / "one.jsonl", game, actions)
    path.write_text(one.path.read_text() * 2)
    graded = inside("review", str(path), "--json", "--quiet", "--out", str(page))
    alone = inside("review", str(one.path), "--json", "--quiet")
    assert graded.json["games"] == [alone.json] * 2
    assert sorted(made.name for made in tmp_path.glob("*.html")) == ["review-1.html", "review-2.html"]
    path.write_text(one.path.read_text() * 2 + '{"action": "fly"}\n')
    broken = inside("show", str(path))
    assert broken.status == 2 and broken.stderr.startswith("towerlab: game 2: line ")


def test_what_is_open_elsewhere_is_not_opened_again(
    tmp_path: Path, inside: Callable[..., Answer], towerlab: Callable[..., Answer]
) -> None:
    """A game, a record, a training: in two terminals, in a terminal and in the browser; until the first has left it."""
    served = TableServer(tmp_path)
    path = tmp_path / "game.jsonl"
    record = tmp_path / "records" / "record.jsonl"
    script = (
        "import sys, towerlab.table.commanding as table; from pathlib import Path\n"
        "path, record, folder = map(Path, sys.argv[1:])\n"
        "kept = [table.open_session('towers', record=path, seed=3),\n"
        "        table.open_recording('towers', seat=0, record=record, resume=None)]\n"
        "table.open_training('towers', folder).item\n"
        "kept.append(table.open_training('towers', folder))\n"
        "print('open', flush=True); sys.stdin.readline()\n"
    )
    words = [sys.executable, "-c", script, str(path), str(record), str(tmp_path / "training")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        before = {file: file.read_bytes() for file in tmp_path.rglob("*.jsonl")}
        assert len(before) == 3
        inside("play", "--resume", str(path)).assert_refused(f"{path} is open elsewhere")
        inside("record", "--resume", str(record)).assert_refused(f"{record} is open elsewhere")
        inside("train", "towers", "--folder", str(tmp_path / "training")).assert_refused("is open elsewhere")
        for page in ("/table/game", "/record/record", "/train/towers"):
            answer = visit(served).get(page)
            assert answer.status_code == 400 and "is open elsewhere" in answer.text
        assert {file: file.read_bytes() for file in before} == before
        other.stdin.write("\n")
    assert not list(tmp_path.rglob(".*.lock"))
    assert visit(served).get("/table/game").status_code == 200
    towerlab("play", "--resume", str(path), stdin="1\n").assert_refused(f"{path} is open elsewhere")
    session = open_session(None, resume=path)
    branch = session.branch(1, tmp_path / "branch.jsonl")
    assert session.path == path and len(list(tmp_path.glob(".*.lock"))) == 2
    del served, session, branch
    gc.collect()
    assert not list(tmp_path.glob(".*.lock"))


def test_a_whole_file_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    """A link is followed, a mode is kept, a pipe is written to, a folder named; half of a file is never there."""
    file = tmp_path / "file"
    link = tmp_path / "link"
    pipe = tmp_path / "pipe"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("file")
    write_whole(link, "new")
    assert file.read_text() == "new" and link.is_symlink() and file.stat().st_mode & 0o777 == 0o640
    with pytest.raises(KeyboardInterrupt), whole_file(file) as unfinished:
        unfinished.write_text("half")
        raise KeyboardInterrupt
    assert file.read_text() == "new" and {*tmp_path.iterdir()} == {file, link}
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        write_whole(pipe, "through")
        assert read.result(300) == "through" and pipe.is_fifo()
    with pytest.raises(FileNotFoundError, match=r"directory: '/proc/x'$"), whole_file(Path("/proc/x")):
        pass
    with pytest.raises(TowerlabError, match=f"{tmp_path} cannot be written: Is a directory"):
        write_whole(tmp_path, "")
