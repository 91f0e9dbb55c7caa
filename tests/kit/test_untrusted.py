"""Files that anybody may have written: one reader, stated limits, a refusal in one line (issue 25, 20 to 22)."""

from __future__ import annotations

import json
import os
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from towerlab.analysis.claims.certificates import check_file
from towerlab.analysis.present.questions import read_pbn, read_questions
from towerlab.analysis.study.folder import _read_manifest
from towerlab.analysis.towers_and_bowers.solutions.bidding import read_arrays
from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import DEEPEST, LARGEST_FILE, LONGEST_NUMBER, JsonError, parse_json, read_bytes, read_json
from towerlab.table.commanding import game_of_file, open_training, read_session

READERS = {
    "transcript": game_of_file,
    "session": read_session,
    "training": lambda path: open_training("towers", path.parent),
    "certificate": check_file,
    "manifest": _read_manifest,
    "questions": lambda path: read_questions(path, ["hand"]),
    "pbn": read_pbn,
}
HOSTILE = {
    "5,000 digits": b'{"game": "towers", "options": {}, "version": %s}\n' % (b"1" * 5000),
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"game":' * 100_000,
    "closed and deep": b"[" * 900 + b"]" * 900,
    "no number": b'{"game": "towers", "version": NaN}\n',
    "infinite": b'{"game": "towers", "version": 1e999}\n',
    "half a letter": b'{"game": "\\ud800", "options": {}, "version": 1}\n',
    "no text": b"\xff\xfe\x00\x01",
    "a wide cell": b"hand\n" + b"A" * 200_000 + b"\n",
    "nothing": b"",
}


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_in_one_line(what: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "towers.jsonl"
    path.write_bytes(HOSTILE[kind])
    with pytest.raises(TowerlabError) as refused:
        READERS[what](path)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 700


@pytest.mark.parametrize("what", READERS)
def test_devices_pipes_folders_and_huge_files_are_refused_at_once(what: str, tmp_path: Path) -> None:
    pipe, folder, huge = tmp_path / "towers.jsonl", tmp_path / "folder", tmp_path / "huge" / "towers.jsonl"
    os.mkfifo(pipe)
    folder.mkdir()
    huge.parent.mkdir()
    with huge.open("wb") as file:
        file.truncate(2_000_000_000)  # takes no room on the disk
    for path in (pipe, Path("/dev/zero"), folder, huge, tmp_path / "missing.jsonl"):
        if what == "training" and path.name != "towers.jsonl":
            continue  # is named by the game
        began = time.monotonic()
        with pytest.raises(TowerlabError):
            READERS[what](path)
        assert time.monotonic() - began < 5


def test_the_limits_are_what_they_say(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b" " * LARGEST_FILE)
    assert len(read_bytes(path, "a file")) == LARGEST_FILE
    path.write_bytes(b" " * (LARGEST_FILE + 1))
    with pytest.raises(TowerlabError, match=f"larger than {LARGEST_FILE:,} bytes; expected a file"):
        read_bytes(path, "a file")
    deepest = "[" * DEEPEST + "]" * DEEPEST
    assert parse_json(deepest) == json.loads(deepest)
    assert parse_json("9" * LONGEST_NUMBER) == 10**LONGEST_NUMBER - 1
    assert parse_json('{"a": [1, -2.5, "\\u2660", "\\ud83c\\udca1", null, true]}')["a"][2:4] == ["♠", "🂡"]
    for text, why in {
        f"[{deepest}]": "nested deeper",
        "9" * (LONGEST_NUMBER + 1): "41 digits",
        "-Infinity": "-Infinity is no number",
        "[1e400]": "1e400 is no number",
        '{"a": 1, "a": 2}': "a key stands twice",
        '"\\ud800"': "half of a surrogate pair",
        "{": "Expecting property name",
    }.items():
        with pytest.raises(JsonError, match=why):
            parse_json(text)


def test_an_object_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text("[]")
    with pytest.raises(TowerlabError, match="holds no JSON object; expected a certificate"):
        read_json(path, "a certificate")


def test_a_small_archive_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bidding-1.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("QS-hands.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<i8", "fortran_order": False, "shape": (50_000_000,)})
        for _ in range(40):
            file.write(bytes(10_000_000))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(TowerlabError, match="unpacks to more than 200,000,000 bytes"):
        read_arrays(path, "QS")
    np.save(tmp_path / "bare.npy", np.zeros(3))
    with pytest.raises(TowerlabError, match="damaged"):
        read_arrays(tmp_path / "bare.npy", "QS")
