"""A table of questions: reading, broken rows, every kind of output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.present.questions import answer_file, read_questions, truth, whole_number
from games.errors import TowerlabError

COLUMNS = ("number", "how_often", "loud")


def square(cells: Mapping[str, str]) -> dict[str, Any]:
    number = whole_number(cells, "number")
    if number is None:
        raise TowerlabError("no number; expected one")
    return {"square": number**2, "loud": truth(cells, "loud"), "deep": {"one": {"two": 3}, "list": [1, 2]}}


def questions(folder: Path, text: str) -> Path:
    file = folder / "questions.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_columns_are_options_with_hyphens_or_underscores_and_empty_cells_are_not_given(tmp_path: Path) -> None:
    asked = read_questions(questions(tmp_path, "\ufeffNumber,--how-often,note\n1, ,first\n\n2,3,\n"), COLUMNS)
    assert [question.cells for question in asked] == [
        {"number": "1", "note": "first"},
        {"number": "2", "how_often": "3"},
    ]
    assert [(question.row, question.line) for question in asked] == [(1, 2), (2, 4)]


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_answers_are_written_by_suffix(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / "new" / f"answers.{suffix}"
    answer_file(questions(tmp_path, "id,number,loud\na,3,yes\nb,4,\n"), COLUMNS, square, out)
    if suffix == "json":
        assert json.loads(out.read_text())[0] == {
            "row": 1, "line": 2, "id": "a", "number": "3", "square": 9, "loud": True,
            "deep": {"one": {"two": 3}, "list": [1, 2]},
        }  # fmt: skip
    else:
        table = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)
        assert list(table["square"]) == [9, 16]
        assert list(table["id"]) == ["a", "b"]
        assert list(table["loud"]) == [True, False]
        assert table["deep.one.two"][0] == 3
        assert table["deep.list"][0] == "1 2"


def test_without_out_the_answers_are_csv_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer_file(questions(tmp_path, "number\n5\n"), COLUMNS, square)
    header, row = capsys.readouterr().out.splitlines()
    assert header == "row,line,number,square,loud,deep.one.two,deep.list"
    assert row.startswith("1,2,5,25,False,3")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_broken_rows_are_named_and_the_others_answered(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"answers.{suffix}"
    file = questions(tmp_path, "number,loud\n1,no\nten,no\n3,perhaps\n4\n5,x\n")
    with pytest.raises(TowerlabError) as error:
        answer_file(file, COLUMNS, square, out)
    message = str(error.value)
    assert "row 2 (line 3): number='ten' is not a number" in message
    assert "row 3 (line 4): loud='perhaps'" in message
    assert "row 4 (line 5): has 1 cells; expected 2" in message
    assert "the other 2 of 5 rows are answered" in message
    table = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)
    assert list(table["square"].dropna()) == [1, 25]
    assert list(table["error"].isna()) == [True, False, False, False, True]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_broken_row_leaves_whole_numbers_whole_and_no_cell_holds_json(tmp_path: Path, suffix: str) -> None:
    def answer(cells: Mapping[str, str]) -> dict[str, Any]:
        contracts = [{"bidder": "me", "trump": "S", "tricks": 3}, {"bidder": "them", "trump": "H", "tricks": 1}]
        return {**square(cells), "contracts": contracts, "line": ["JS", "AS"], "tree": {"a": {"b": {"c": 1}}}}

    out = tmp_path / f"answers.{suffix}"
    with pytest.raises(TowerlabError):
        answer_file(questions(tmp_path, "number\n7\nten\n"), COLUMNS, answer, out)
    table = pd.read_csv(out, dtype=str) if suffix == "csv" else pd.read_parquet(out)
    assert [str(value) for value in table["square"].dropna()] == ["49"]
    assert [str(value) for value in table["contracts.me S.tricks"].dropna()] == ["3"]
    assert table["line"][0] == "JS AS"
    assert not any("{" in str(cell) or "[" in str(cell) for cell in table.to_numpy().flat)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_file_with_semicolons_or_tabs_is_read(tmp_path: Path, separator: str) -> None:
    text = "number,note\n1,one\n".replace(",", separator)
    assert [question.cells for question in read_questions(questions(tmp_path, text), COLUMNS)] == [
        {"number": "1", "note": "one"}
    ]


def test_many_broken_rows_stay_one_readable_line(tmp_path: Path) -> None:
    file = questions(tmp_path, "number\n" + "x\n" * 100)
    with pytest.raises(TowerlabError, match="and 95 more rows; the other 0 of 100") as error:
        answer_file(file, COLUMNS, square, tmp_path / "answers.csv")
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
        answer_file(questions(tmp_path, text), COLUMNS, square, tmp_path / "out.csv")
    assert words in str(error.value)


def test_a_file_that_is_not_text_and_an_unknown_suffix_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_bytes(b"number\n\xff\xfe\n")
    with pytest.raises(TowerlabError, match="not UTF-8"):
        answer_file(file, COLUMNS, square)
    with pytest.raises(TowerlabError, match=r"expected \.csv, \.json, \.parquet"):
        answer_file(questions(tmp_path, "number\n1\n"), COLUMNS, square, tmp_path / "answers.xlsx")
