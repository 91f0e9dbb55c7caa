"""Files that anybody may have written: one reader, stated limits, a refusal in one line (issue 25, 20 to 22)."""

from __future__ import annotations

import json
import os
import re
import shutil
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from towerlab.analysis.batches import answer_file
from towerlab.analysis.claims.asking import check_file
from towerlab.analysis.present.questions import MOST_ROWS, cell_text, read_questions
from towerlab.analysis.question_rows import MOST_COLUMNS, read_parquet
from towerlab.analysis.study.folder import _read_manifest
from towerlab.analysis.towers_and_bowers.stored_bidding import read_arrays
from towerlab.analysis.towers_and_bowers.upcard import BATCH
from towerlab.analysis.towers_and_bowers.whole_strategies import StrategyFile
from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import DEEPEST, LARGEST_FILE, LONGEST_NUMBER, JsonError, parse_json, read_bytes, read_json
from towerlab.solver.towers_and_bowers.self_play.policies import BUNDLE_FILE, STORED, read_bundle, stored_bundle
from towerlab.table.commanding import game_of_file, of_every_game, open_recording, open_training, read_session
from towerlab.table.record import read_record

READERS = {
    "transcript": game_of_file,
    "session": read_session,
    "training": lambda path: open_training("towers", path.parent),
    "certificate": check_file,
    "manifest": _read_manifest,
    "questions": lambda path: read_questions(path, ["hand"]),
    "pbn": lambda path: read_questions(_with_suffix(path, ".pbn"), ["deal"]),
    "lin": lambda path: read_questions(_with_suffix(path, ".lin"), ["deal"]),
    "json lines": lambda path: read_questions(_with_suffix(path, ".jsonl"), ["hand"]),
}


def _with_suffix(path: Path, suffix: str) -> Path:
    """The file under another name, of which readers know what it is."""
    link = path.with_suffix(suffix)
    if link != path:
        link.unlink(missing_ok=True)
        link.symlink_to(path)
    return link


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
    pipe = tmp_path / "towers.jsonl"
    folder = tmp_path / "folder"
    huge = tmp_path / "huge" / "towers.jsonl"
    os.mkfifo(pipe)
    folder.mkdir()
    huge.parent.mkdir()
    with huge.open("wb") as file:
        file.truncate(2_000_000_000)  # takes no room on the disk
    for path in (pipe, Path("/dev/zero"), folder, huge, tmp_path / "missing.jsonl"):
        if what == "training" and path.name != "towers.jsonl":
            continue  # is named by the game
        with pytest.raises(TowerlabError):  # what is read to its end would never end, or fill the memory
            READERS[what](path)


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


HAND = {"hand": ["JS", "AH"], "up": ["QS", "9D"], "seat": ["dealer", None]}
TABLES = {
    "rows": (arrow.table({"hand": arrow.nulls(40_000_000)}), f"has 40,000,000 rows; expected at most {MOST_ROWS:,}"),
    "long texts": (
        arrow.table({"hand": arrow.DictionaryArray.from_arrays(np.zeros(MOST_ROWS, np.int32), ["JS " * 5_000])}),
        "unpacks to more than 100,000,000 bytes",
    ),
    "long lists": (
        arrow.table({"hand": arrow.ListArray.from_arrays([0, 130_000_000], arrow.nulls(130_000_000))}),
        "has 130,000,000 cells or more; expected at most 10,000,000",
    ),
    "no UTF-8": (arrow.table({"hand": arrow.array([b"J\xff"]).view(arrow.string())}), "cannot be read as Parquet"),
    "bytes": (arrow.table({"hand": [b"JS"]}), "hand holds binary; expected texts, numbers or lists of them"),
    "objects": (arrow.table({"hand": [{"card": "JS"}]}), "hand holds struct<card: string>; expected texts"),
}


@pytest.mark.parametrize("what", TABLES)
def test_a_table_beyond_the_limits_is_refused_before_it_is_unpacked(what: str, tmp_path: Path) -> None:
    """Issue 40, 4: 214 kB of Parquet took 3.6 GB; 7: a text that is no UTF-8 failed inside."""
    table, why = TABLES[what]
    path = tmp_path / "questions.parquet"
    parquet.write_table(table, path)
    before = arrow.total_allocated_bytes()
    with pytest.raises(TowerlabError, match=re.escape(why)):
        answer_file(BATCH, path, None, {}, quiet=True, jobs=1)
    assert arrow.total_allocated_bytes() - before < 20_000_000


HEAVY = {  # what a byte of it could become many of
    "cells.csv": "hand,up\n" + "ab," * 300_000, "rows.csv": "hand\n" + "abcde\n" * 150_000,
    "objects.json": "[" + "{}," * 300_000 + "{}]", "lists.json": '[{"hand":[' + "[]," * 300_000 + "[]]}]",
    "keys.jsonl": "{" + ",".join(f'"{key:x}":0' for key in range(100_000)) + "}",
    "tags.pbn": '[Deal "x"]' + '[A "b"]' * 140_000, "brackets.pbn": "[\n" * 500_000,
    "quotes.pbn": '[A "' + '" ' * 500_000,
    "words.pbn": '[Deal "x"][Play "N"]' + "ab " * 300_000, "bars.lin": "md|1,|" + "aa||" * 250_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HEAVY)
def test_memory_is_bounded_by_the_size_of_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 55, 4: at most 150 bytes a byte; rows, cells and tags have limits of their own."""
    monkeypatch.setattr("towerlab.analysis.present.questions.LARGEST_FILE", 1_100_000)
    path = tmp_path / name
    path.write_text(HEAVY[name])
    tracemalloc.start()
    try:
        read_questions(path, ["hand", "deal"])
    except TowerlabError as refused:
        assert "\n" not in str(refused)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 150 * path.stat().st_size


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_columns_are_counted_before_a_table_is_made(suffix: str, tmp_path: Path) -> None:
    """Issue 65, 3: 3.9 MB of 400,000 columns took 44 s and 2.4 GB."""
    path = tmp_path / f"wide.{suffix}"
    frame = pd.DataFrame([["JS"] + [1] * MOST_COLUMNS], columns=["hand", *map("c{}".format, range(MOST_COLUMNS))])
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=suffix == "jsonl")
    with pytest.raises(TowerlabError, match="has 1,001 columns; expected at most 1,000"):
        answer_file(BATCH, path, None, {}, quiet=True, jobs=1)


@pytest.mark.parametrize(("cell", "of"), [("JS " * 30_000, "characters"), (["JS"] * 30_000, "parts")])
def test_a_cell_that_is_read_has_a_stated_length(cell: Any, of: str, tmp_path: Path) -> None:
    """Issue 55, 4: 10,000 rows that shared one text took 3.7 GB."""
    path = tmp_path / "questions.parquet"
    rows = 1_000 if isinstance(cell, str) else 50
    parquet.write_table(arrow.table({"hand": [cell] * rows, "up": ["QS"] * rows}), path)
    with pytest.raises(TowerlabError, match=r"row 1: hand has [\d,]+ characters or parts; expected at most 1,000"):
        answer_file(BATCH, path, None, {}, quiet=True, jobs=1)


def test_tables_within_the_limits_are_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    for frame in (
        pd.DataFrame(HAND),
        pd.DataFrame(HAND).assign(seat=pd.Categorical(["dealer", "nondealer"]), n=[1, 2], share=[0.5, None]),
        pd.DataFrame({"hand": [["JS", "AS"], ["KH"]], "flag": [True, False]}),
        pd.DataFrame(HAND)[:0],
    ):
        frame.to_parquet(path)
        read = read_parquet(path, "a table", 2)
        assert read.map(cell_text).to_dict() == frame.map(cell_text).to_dict(), read
    pd.DataFrame({"hand": ["JS"]}, index=["a"]).to_parquet(path)
    assert list(read_parquet(path, "a table", 1)) == ["hand"]  # not the labels of its rows
    with pytest.raises(TowerlabError, match="has columns hand, __index_level_0__; expected hand, up"):
        read_parquet(path, "a table", 1, ("hand", "up"))
    with pytest.raises(TowerlabError, match="has 1 rows; expected at most 0"):
        read_parquet(path, "a table", 0)


@pytest.mark.parametrize(("suffix", "row"), [("csv", "x\n"), ("pbn", '[Deal "N"]\n\n')])
def test_rows_of_text_are_counted_first(suffix: str, row: str, tmp_path: Path) -> None:
    path = tmp_path / f"questions.{suffix}"
    path.write_text("deal\n" + row * (MOST_ROWS + 1))
    with pytest.raises(TowerlabError, match=f"has 1,000,001 rows; expected at most {MOST_ROWS:,}"):
        read_questions(path, ["deal"])


@pytest.mark.parametrize("game", ["bowers", "towers"])
def test_a_record_whose_pack_is_short_is_refused(game: str, tmp_path: Path) -> None:
    """Issue 40, 7: it failed inside."""
    path = tmp_path / "record.jsonl"
    recording = open_recording(game, seat=0, record=path, resume=None)
    while len(path.read_text().splitlines() if path.exists() else "") < 2:
        asked = recording.ask()
        words = (" ".join(recording.layout.unseen()[: asked.many]) * asked.is_row, *asked.choices[:1], asked.hint)
        recording.answer(next(filter(None, words)).removeprefix("such as "))
    head, deal, *rest = path.read_text().splitlines()
    entry = json.loads(deal)
    for size in (0, 1, len(entry["pack"]) - 1, len(entry["pack"]) + 1):
        short = json.dumps(entry | {"pack": (entry["pack"] * 2)[:size]})
        path.write_text("\n".join([head, short, *rest, ""]))
        with pytest.raises(TowerlabError, match="pack"):
            of_every_game(path, read_record)


def test_no_byte_of_an_archive_can_make_more_of_it_than_a_refusal(tmp_path: Path) -> None:
    """A version of 141 of the packing program was a NotImplementedError."""
    path = tmp_path / "bidding.npz"
    np.savez_compressed(path, **{"9S-hands": np.arange(5), "9S-shares": np.arange(5.0)})
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        for value in (0, 1, 141, 255 - whole[place]):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            try:
                read_arrays(path, "9S")
            except TowerlabError as error:
                assert "is damaged" in str(error)
                refused += 1
    assert refused > len(whole)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_refusal_quotes_no_more_than_eighty_letters(quote: str) -> None:
    for length in (10, 78, 79, 700):
        said = str(TowerlabError(f"a {quote}{'x' * length}{quote} isn't one; expected 'JS', the player's, or 'AS'"))
        shown = "x" * length if length < 79 else "x" * 77 + "…"
        assert said == f"a {quote}{shown}{quote} isn't one; expected 'JS', the player's, or 'AS'"
    assert str(TowerlabError("a\x1b[31mb\nc")) == "a [31mb c"


def test_refusals_of_damaged_values_are_short(tmp_path: Path) -> None:
    long = "Q" * 700
    for name, content in {
        "option": {"game": "towers", "options": {"layout": long}, "version": 1},
        "name": {"game": "towers", "options": {long: 1}, "version": 1},
        "game": {"game": long, "options": {}, "version": 1},
        "version": {"game": "towers", "options": {}, "version": long},
        "player": {"game": "towers", "options": {}, "version": 1, "table": {"players": [long, "human"]}},
    }.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(content) + "\n")
        with pytest.raises(TowerlabError) as refusal:
            read_session(path)
        assert "QQQ…" in str(refusal.value) or "Q" * 81 not in str(refusal.value), name
        assert "Q" * 81 not in str(refusal.value), name


@pytest.mark.parametrize("column", ["information_set", "action", "probability", "cards"])
def test_refusals_of_a_damaged_strategy_are_short(column: str, tmp_path: Path) -> None:
    row = {"information_set": "dealer | 9S | JS | - | - | -", "action": "pass", "probability": "1", "cards": "1"}
    pd.DataFrame([row | {column: "|" * 700}]).to_parquet(tmp_path / "strategy.parquet")
    with pytest.raises(TowerlabError) as refusal:
        StrategyFile(str(tmp_path / "strategy.parquet")).size()
    assert "|" * 81 not in str(refusal.value) and len(str(refusal.value)) < 500 + len(str(tmp_path))


def test_no_damage_to_a_learned_policy_is_taken_for_one(tmp_path: Path) -> None:
    random = np.random.default_rng(65)
    for name in (*stored_bundle().files, BUNDLE_FILE):
        content = (STORED / name).read_bytes()
        damaged = [content[: int(size)] for size in random.integers(len(content), size=20)] + [b"", content + b"\0"]
        for place, value in zip(random.integers(len(content), size=80), random.integers(1, 256, size=80), strict=True):
            changed = bytes([content[place] ^ int(value)])
            damaged.append(content[:place] + changed + content[place + 1 :])
        shutil.copytree(STORED, tmp_path / name)
        for number, text in enumerate(damaged):
            (tmp_path / name / name).write_bytes(text)
            try:
                bundle = read_bundle(tmp_path / name)
            except TowerlabError as refused:
                assert "\n" not in str(refused)
            else:  # white space, or the digest of the rules
                assert name == BUNDLE_FILE and bundle.files == stored_bundle().files, number
