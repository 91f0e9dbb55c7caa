"""Tables of questions: reading, filling gaps, broken rows, every kind of output, interruptions."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

import towerlab as tl
from towerlab.analysis import batches
from towerlab.analysis.batches import ask_frame
from towerlab.analysis.present.questions import frame_questions, read_questions, write_answers
from towerlab.analysis.question_rows import BatchQuestion, answer_each
from towerlab.analysis.towie import open_hands
from towerlab.games.errors import TowerlabError
from towerlab.games.untrusted import FORMATS, PACKED, formats

_ENDINGS = ("N:A2... KQ... 3.2.. 4.3..", "N:AK.Q2.. QJ.AK.. 32.43.. 54.65..")
ABOUT = {"version", "options"}
COLUMNS = ("number", "how_often", "loud")


def square(number: int, how_often: int | None = None, loud: bool = False) -> dict[str, Any]:
    if number == 13:
        raise TowerlabError("13 is no number for a square; expected another")
    return {"square": number**2 * (how_often or 1), "shout": loud, "share": number / 2}


BATCH = BatchQuestion(
    "towers",
    square,
    answer_each(lambda one, _: square(**one)),
    rows=2,
    together=lambda row: row.get("number", ""),
)


def answer_file(source: Path, out: Path | None = None, **how: Any) -> None:
    batches.answer_file(BATCH, source, out, how.pop("given", {}), quiet=True, jobs=1, **how)


def questions(folder: Path, text: str) -> Path:
    file = folder / "questions.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_columns_are_options_with_hyphens_or_underscores_and_empty_cells_are_not_given(tmp_path: Path) -> None:
    asked = read_questions(questions(tmp_path, "\ufeffNumber,--how-often,note\n1, ,first\n\n2,3,\n"), COLUMNS)
    assert [question.cells for question in asked] == [
        {"number": "1", "note": "first"},
        {"number": "2", "how_often": "3", "note": None},
    ]
    assert [(question.row, question.line) for question in asked] == [(1, 2), (2, 4)]


def test_without_out_the_answers_are_csv_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer_file(questions(tmp_path, "number\n5\n"))
    assert capsys.readouterr().out.splitlines() == [
        "number,square,shout,share,version,options",
        f"5,25,False,2.5,{tl.__version__},",
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_broken_rows_are_named_and_the_others_answered(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"answers.{suffix}"
    file = questions(tmp_path, "number,loud\n1,no\nten,no\n3,perhaps\n4\n13,\n,x\n5,x\n")
    with pytest.raises(TowerlabError) as error:
        answer_file(file, out)
    message = str(error.value)
    assert "row 2 (line 3): number='ten' is not a number" in message
    assert "row 3 (line 4): loud='perhaps'" in message
    assert "row 4 (line 5): has 1 cells; expected 2" in message
    assert "row 5 (line 6): 13 is no number for a square" in message
    assert "row 6 (line 7): no number is given; expected it as a column, or --number for all rows" in message
    assert "the other 2 of 7 rows are answered" in message
    frame = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)
    assert list(frame["square"].dropna()) == [1, 25]
    assert list(frame["error"].isna()) == [True, False, False, False, False, False, True]
    if suffix == "csv":  # whole numbers stay whole beside empty cells
        frame = pd.read_csv(out, dtype=str)
    assert [str(value) for value in frame["square"].dropna()] == ["1", "25"]


def test_options_fill_what_a_row_leaves_empty(tmp_path: Path) -> None:
    out = tmp_path / "answers.json"
    given = {"how_often": 10, "loud": True, "number": None}
    answer_file(questions(tmp_path, "number,how_often\n1,\n2,3\n"), out, given=given)
    assert [(row["square"], row["shout"]) for row in json.loads(out.read_text())] == [(10, True), (12, True)]


def test_a_frame_gets_columns_added_row_by_row(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"number": [3.0, 13.0, np.nan, 2.0], "loud": [True, False, None, "x"], "note": ["a", None, "c", "d"]},
        index=[7, 5, 3, 1],
    )
    answers = ask_frame(BATCH, frame, jobs=1, how_often=2)
    assert list(answers) == ["number", "loud", "note", "square", "shout", "share", "version", "options", "error"]
    assert list(answers.index) == [7, 5, 3, 1] and answers[list(frame)].equals(frame)
    assert [answers["square"][7], answers["square"][1], answers["shout"][1]] == [18, 8, True]
    assert answers["error"][5].startswith("13 is no number") and answers["error"][3].startswith("no number is given")
    frame[["number", "note"]].to_parquet(tmp_path / "questions.parquet")
    read = ask_frame(BATCH, tmp_path / "questions.parquet", jobs=1, how_often=2, out=tmp_path / "answers.csv")
    assert list(read["square"].dropna()) == [18, 8] and len(pd.read_csv(tmp_path / "answers.csv")) == 4
    with pytest.raises(TowerlabError, match="the frame has an unknown column 'nunber'; did you mean 'number'"):
        ask_frame(BATCH, pd.DataFrame({"nunber": [1]}))


def test_up_card_answers_have_the_same_columns_of_the_same_types_whatever_is_asked() -> None:
    hands = pd.DataFrame({"hand": ["JS AS", "JS JS", "AH KH"], "up": ["QS", "QS", "JD"], "seat": "dealer"})
    every = tl.upcard_many(hands, jobs=1)
    assert (every.error[1], every.cards.dtype, every.name_S_percent.dtype) == (
        "JS stands twice in the hand; expected every card once", "Int64", "Float64"
    )  # fmt: skip
    for rows in (hands[:1], hands[1:2]):
        assert tl.upcard_many(rows, jobs=1).dtypes.to_dict() == every.dtypes.to_dict()


def test_an_interrupted_table_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is finished is not answered again, and the answers are those of a run without interruption."""
    file = questions(tmp_path, "number\n" + "\n".join(map(str, range(20, 11, -1))) + "\n")
    parts = tmp_path / "parts.csv"
    asked = []

    def answers(rows: Any, options: Any) -> Any:
        if len(asked) == 4:
            raise KeyboardInterrupt
        asked.append([row["number"] for row in rows])
        return answer_each(lambda one, _: square(**one))(rows, options)

    monkeypatch.setattr(f"{__name__}.BATCH", replace(BATCH, answers=answers))
    with pytest.raises(KeyboardInterrupt):
        batches.answer_file(BATCH, file, parts, {}, quiet=True, jobs=1)
    assert asked == [[12, 13], [14, 15], [16, 17], [18, 19]]  # rows that share work
    note = tmp_path / "parts.csv.run" / "chunks" / "note.txt"
    note.write_text("mine")
    with pytest.raises(TowerlabError, match="already holds a study"):
        batches.answer_file(BATCH, file, parts, {}, quiet=True, jobs=1)
    with pytest.raises(TowerlabError, match="holds another study"):
        batches.answer_file(BATCH, file, parts, {"loud": True}, quiet=True, jobs=1, resume=True)
    asked.clear()
    for out, resume in ((parts, True), (tmp_path / "whole.csv", False)):
        with pytest.raises(TowerlabError, match=r"row 8 \(line 9\): 13 is no number"):
            batches.answer_file(BATCH, file, out, {}, quiet=True, jobs=1, resume=resume)
        if resume:
            assert asked == [[20]]
            monkeypatch.setattr(f"{__name__}.BATCH", replace(BATCH, answers=answer_each(lambda one, _: square(**one))))
    assert parts.read_text() == (tmp_path / "whole.csv").read_text()
    assert [path for path in tmp_path.rglob("parts.csv.run/**/*") if path.is_file()] == [note]
    names = ["parts.csv", "parts.csv.run", "questions.csv", "whole.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_many_broken_rows_stay_one_readable_line(tmp_path: Path) -> None:
    file = questions(tmp_path, "number\n" + "x\n" * 100)
    with pytest.raises(TowerlabError, match="and 95 more rows; the other 0 of 100") as error:
        answer_file(file, tmp_path / "answers.csv")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("number\n", "no row"),
        ("nmber\n1\n", "unknown column 'nmber'; did you mean 'number'?"),
        ("number,number\n1,2\n", "names a column twice"),
    ],
)
def test_a_file_without_questions_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(TowerlabError, match=r"questions\.csv") as error:
        answer_file(questions(tmp_path, text), tmp_path / "out.csv")
    assert words in str(error.value)


def test_a_file_that_is_not_text_and_an_unknown_suffix_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_bytes(b"number\n\xff\xfe\n")
    with pytest.raises(TowerlabError, match="not UTF-8"):
        answer_file(file)
    with pytest.raises(TowerlabError, match=r"no suffix of answers; expected \.csv, \.json, \.jsonl"):
        answer_file(questions(tmp_path, "number\n1\n"), tmp_path / "answers.xlsx")


def check_rows(answers: pd.DataFrame, rows: list[dict[str, Any]], ask: Callable[..., Any]) -> list[int]:
    """Compare the answers of a table with those to its rows alone; return the places of the broken rows."""
    broken = []
    for place, row in enumerate(rows):
        found = {name: of for name, of in answers.iloc[place].items() if name not in row and not pd.isna(of)}
        try:
            alone = ask(**row).to_row()
        except TowerlabError as error:
            alone = {"error": str(error)}
            broken.append(place)
        expected = {name: of for name, of in alone.items() if of is not None}
        assert {name: of for name, of in found.items() if name in expected or name not in ABOUT} == expected, row
    return broken


def test_tables_of_claims_and_hands_equal_the_loop_row_by_row() -> None:
    """With broken rows between the others."""
    draw = random.Random(3)
    deck = [f"{rank}{suit}" for suit in "CDHS" for rank in "9TJQKA"]
    claims = []
    concessions = []
    hands = []
    for number in range(60):
        held = draw.randint(1, 6)
        seen = draw.randint(0, 5)
        cards = draw.sample(deck, 2 * held + seen)
        hand = " ".join(cards[:held])
        rest = " ".join(cards[held : held + seen])
        who = {"hand": hand, "trump": draw.choice("SHDC"), "lead": draw.choice(("me", "them")), "seen": rest}
        claims.append(who | {"tricks": draw.randint(1, held) + 9 * (number == 7)})
        concessions.append(who | {"tricks": draw.randint(1, held), "seen": hand if number == 9 else rest})
        hands.append({"leader": hand, "follower": " ".join(cards[-held:]), "trump": "NT" if number == 4 else "H"})
    towie = [{"deal": deal, "trump": trump, "lead": "N"} for trump in ("NT", "S", "Z") for deal in _ENDINGS]
    bowers = [
        {"declarer": "JC JS AC", "left": "KC QC AH", "right": "TC 7C 7H", "trump": trump, "lead": lead, "misere": lose}
        for trump in ("C", "NT", "X") for lead in ("declarer", "right") for lose in (False, True)
    ]  # fmt: skip
    for rows, table, single, fill in (
        (claims, tl.claim_many, tl.claim, {}),
        (concessions, tl.claim_many, partial(tl.claim, concede=True), {"concede": True}),
        (hands, tl.solve_many, tl.solve_towers_and_bowers, {"game": "towers-and-bowers"}),
        (towie, tl.solve_many, tl.solve_towie, {}),
        (bowers, tl.solve_many, tl.solve_bowers, {"game": "bowers"}),
    ):
        assert 1 <= len(check_rows(table(pd.DataFrame(rows), jobs=1, **fill), rows, single)) < len(rows) / 2


# ------------------------------------------------------------------------------------------------------------- frames

STAMP = ("version", "options")
ROWS = [{"number": 3, "how_often": 2, "loud": True, "mine": 1.5, "when": pd.Timestamp("2026-01-02")}, {"number": 4}]
FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda frame: frame,
    "nullable": lambda frame: frame.convert_dtypes(),
    "pyarrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "texts": lambda frame: frame.astype("string[pyarrow]"),
    "objects": lambda frame: frame.astype(object).where(frame.notna(), None),
    "NA": lambda frame: frame.astype(object).where(frame.notna(), pd.NA),
    "categories": lambda frame: frame.astype("category"),
    "index": lambda frame: frame.set_axis(["b", "a"]),
    "arrow table": lambda frame: arrow.Table.from_pandas(frame),
    "dicts": lambda frame: ROWS,
    "lists": lambda frame: {name: frame[name].tolist() for name in frame},
    "csv": lambda frame: frame.to_csv(index=False).encode(),
    "semicolons.csv": lambda frame: b"sep=;\n" + frame.to_csv(index=False, sep=";").encode(),
    "bars.csv": lambda frame: b"SEP=|\n" + frame.to_csv(index=False, sep="|").encode(),
    "tabs.csv": lambda frame: frame.to_csv(index=False, sep="\t").encode(),
    "empty.csv": lambda frame: b"\r\n\r\n" + frame.to_csv(index=False, sep=";", lineterminator="\r\n").encode(),
    "nameless.csv": lambda frame: frame.to_csv(index=False, lineterminator=",,\n").encode(),
    "wide.csv": lambda frame: frame.to_csv(index=False).encode("utf-16"),
    "csv.gz": lambda frame: gzip.compress(frame.to_csv(index=False).encode()),
    "json": lambda frame: frame.to_json(orient="records", date_format="iso").encode(),
    "jsonl": lambda frame: frame.to_json(orient="records", lines=True, date_format="iso").encode(),
    "parquet": lambda frame: frame.to_parquet(index=False),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_rows_in_any_form_have_the_same_answers(kind: str, tmp_path: Path) -> None:
    """Missing values of every library, whole numbers that became decimals, columns of one's own."""
    asked = FRAMES[kind](pd.DataFrame(ROWS))
    if isinstance(asked, bytes):
        path = tmp_path / f"questions.{kind}"
        path.write_bytes(asked)
        asked = path
    answers = ask_frame(BATCH, asked, jobs=1)
    assert answers["square"].tolist() == [18, 16] and answers["shout"].tolist() == [True, False]
    assert answers["error"].isna().all() and answers["mine"].isna().tolist() == [False, True]
    if isinstance(asked, pd.DataFrame):
        assert answers[list(asked)].equals(asked)
    again = ask_frame(BATCH, answers, jobs=1)
    assert list(again) == list(answers) and again.astype(str).equals(answers.astype(str))


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_what_is_written_can_be_asked_again(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"answers.{suffix}"
    first = ask_frame(BATCH, [*ROWS, {"number": 13, "mine": "text"}], jobs=1, out=out)
    assert list(first) == ["number", "how_often", "loud", "mine", "when", "square", "shout", "share", *STAMP, "error"]
    again = ask_frame(BATCH, out, jobs=1)
    assert list(again) == list(first) and again["square"].tolist()[:2] == [18, 16]
    assert again["error"].tolist()[2] == "13 is no number for a square; expected another"


def test_lists_of_ones_own_pass_through(tmp_path: Path) -> None:
    """Of one length, of which pandas would make a table."""
    out = tmp_path / "answers.json"
    ask_frame(BATCH, [{"number": 2, "mine": [1]}, {"number": 3, "mine": [2]}], jobs=1, out=out)
    assert ask_frame(BATCH, out, jobs=1)["mine"].tolist() == [[1], [2]]


@pytest.mark.parametrize("questions", [pd.DataFrame(columns=["number", "mine"]), [], pd.DataFrame(ROWS)[:0]])
def test_no_questions_have_no_answers(questions: Any) -> None:
    many = replace(BATCH, kinds={"square": "Int64"})
    answers = ask_frame(many, questions, jobs=1)
    assert len(answers) == 0 and answers["square"].dtype == "Int64"
    assert list(answers)[: len(list(questions))] == list(questions)


@pytest.mark.parametrize(
    "name", ["id", "hand_id", "dealer", "board", "tricks_NS", "score", "Number of it", "lead time"]
)
def test_columns_of_ones_own_are_not_taken_for_misspelt_ones(name: str) -> None:
    assert frame_questions(pd.DataFrame({"hand": ["x"], name: [1]}), ["hand", "bid", "deal", "lead", "trick", "up"])[
        0
    ].cells == {
        "hand": "x",
        name: 1,
    }


@pytest.mark.parametrize("name", ["nunber", "numbr", "Numbre", "numbers", "how_oftne", "--how-oft"])
def test_a_misspelt_column_is_asked_about(name: str) -> None:
    with pytest.raises(TowerlabError, match=r"has an unknown column .*; did you mean"):
        frame_questions(pd.DataFrame({"number": [1], name: [1]}), COLUMNS)


@pytest.mark.parametrize("cell", [b"3", bytearray(b"3"), ["3", b"4"], "x" * 1001, ["3"] * 1001])
def test_a_cell_that_cannot_be_read_is_an_error_of_its_row(cell: Any) -> None:
    answers = ask_frame(BATCH, [{"number": cell}, {"number": np.int8(3)}], jobs=1)
    assert "number h" in answers["error"][0] and answers["square"][1] == 9


def test_answers_do_not_overwrite_their_questions(tmp_path: Path) -> None:
    """Issue 55, 2: 232 of 900 rows were gone."""
    file = questions(tmp_path, "number\n1\n")
    (tmp_path / "link.csv").symlink_to(file)
    for out in (file, tmp_path / "link.csv"):
        with pytest.raises(TowerlabError, match="is the file of the questions; expected another"):
            answer_file(file, out)
        with pytest.raises(TowerlabError, match="is the file of the questions; expected another"):
            ask_frame(BATCH, file, out=out)
    assert file.read_text() == "number\n1\n"


def test_no_zero_of_a_table_has_a_sign(tmp_path: Path) -> None:
    for suffix in (".csv", ".json", ".jsonl", ".parquet"):
        write_answers([{"gain": -0.0}, {"gain": -0.5}], out := tmp_path / f"answers{suffix}")
        if suffix == ".parquet":
            assert np.signbit(pd.read_parquet(out)["gain"]).tolist() == [False, True]
        else:
            assert "-0.0" not in out.read_text() and "-0.5" in out.read_text()


# ------------------------------------------------------------------------------------------------ what pandas writes

TABLE = pd.DataFrame(
    {
        "hand": ["JS AS", "AH KH", "9C TC"],
        "up": ["QS", "JD", "9H"],
        "own": [1, 2, 3],
        "opponent_void": ["H", None, None],
    }
)
SHAPES: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    **{
        f"{orient}{indent or ''}.json": lambda frame, path, orient=orient, indent=indent: frame.to_json(
            path, orient=orient, indent=indent
        )
        for orient in ("records", "columns", "index", "split", "table")
        for indent in (None, 2)
    },
    "lines.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "lines.ndjson.gz": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "lists.json": lambda frame, path: path.write_text(
        json.dumps({name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame})
    ),
    "plain.csv": lambda frame, path: frame.to_csv(path, index=False),
    "index.csv": lambda frame, path: frame.to_csv(path),
    "r.csv": lambda frame, path: frame.to_csv(path, index=False, na_rep="NA", quoting=csv.QUOTE_NONNUMERIC),
    "nan.csv.gz": lambda frame, path: frame.to_csv(path, sep=";", na_rep="NaN"),
    "plain.parquet": lambda frame, path: frame.to_parquet(path),
    "brotli.parquet": lambda frame, path: frame.to_parquet(path, compression="gzip", index=True),
    "book.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "index.xlsx": lambda frame, path: frame.to_excel(path),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_that_pandas_writes_is_read(tmp_path: Path, name: str) -> None:
    if name.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    path = tmp_path / name
    SHAPES[name](TABLE, path)
    rows = read_questions(path, ["hand", "up", "seat", "opponent_void"])
    cells = [{key: row.cells[key] for key in ("hand", "up", "opponent_void") if key in row.cells} for row in rows]
    assert cells == [{key: cell for key, cell in row.items() if key != "own" and isinstance(cell, str)}
                     for row in TABLE.to_dict("records")]  # fmt: skip
    assert [int(row.cells["own"]) for row in rows] == [1, 2, 3] and not any(row.problem for row in rows)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("values.json", '[["JS AS","QS"]]', "holds no objects"),
        ("third.jsonl", '{"hand": "JS AS"}\n{"hand": "AH KH"}\n{"hand": "KC 9C", "up": }\n', "line 3"),
        ("uneven.json", '{"hand": ["JS AS"], "up": []}', "columns of different lengths"),
        (
            "wide.json",
            json.dumps({f"{c or 'hand'}": {f"{c}": "JS"} for c in range(4000)}),
            "16,000,000 cells",
        ),
        ("book.xlsx", "PK no workbook", "cannot be read as a workbook"),
        ("frame.feather", "\xff\xfe\x00ARROW1", ".parquet"),
    ],
)
def test_what_is_no_table_is_refused_by_what_it_is(tmp_path: Path, name: str, content: str, why: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(TowerlabError, match=re.escape(why)) as refused:
        read_questions(path, ["hand", "up", "seat", "opponent_void"])
    assert "\n" not in str(refused.value)


def test_a_parquet_file_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = arrow.DictionaryArray.from_arrays(arrow.array([0] * 1_000_000, arrow.int32()), ["JS AS"])
    parquet.write_table(arrow.table({f"c{place}": texts for place in range(4)}), tmp_path / "q.parquet")
    with monkeypatch.context() as here:
        here.setattr(parquet.ParquetFile, "read", lambda *_, **__: pytest.fail("unpacked"))
        with pytest.raises(TowerlabError, match="has no column of this question"):
            read_questions(tmp_path / "q.parquet", ["hand", "up"])


@pytest.mark.parametrize("suffix", [suffix for suffix, format in FORMATS.items() if format.is_written])
@pytest.mark.parametrize("packed", ["", PACKED])
def test_what_the_help_lists_is_written_and_read_again(tmp_path: Path, suffix: str, packed: str) -> None:
    many = open_hands.BATCH
    out = tmp_path / f"o{suffix}{packed}"
    questions = pd.DataFrame({"deal": ["N:A... K... Q... J..."], "trump": ["NT"], "lead": ["N"]})
    if packed and not FORMATS[suffix].is_text:
        with pytest.raises(TowerlabError, match="has no suffix of answers"):
            ask_frame(many, questions, out=out, jobs=1)
        return
    first = ask_frame(many, questions, out=out, jobs=1)
    assert out.read_bytes()[:2] == b"\x1f\x8b" if packed else out.stat().st_size
    (row,) = read_questions(out, [*many.columns])
    assert row.cells["deal"] == "N:A... K... Q... J..." and first["tricks_NS"].tolist() == [1]
    assert suffix in formats(of_deals=True, written=True) and suffix in formats(of_deals=True)


def test_a_row_of_a_frame_is_one_question() -> None:
    questions = pd.DataFrame({"deal": ["N:A... K... Q... J..."], "trump": ["NT"], "lead": ["N"]})
    assert ask_frame(open_hands.BATCH, questions.iloc[0], jobs=1)["tricks_NS"].tolist() == [1]
    with pytest.raises(TowerlabError, match="no column of this question"):
        ask_frame(open_hands.BATCH, questions["deal"].rename(None), jobs=1)
