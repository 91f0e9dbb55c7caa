"""Deals and files of boards in PBN."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Answer
from tests.towie.test_played import NAMES, Played
from towerlab import solve_many
from towerlab.analysis.present.questions import read_boards as read_file
from towerlab.analysis.present.questions import read_questions
from towerlab.analysis.towie.played import CLAIM, review_boards
from towerlab.games import lin
from towerlab.games.cards import DECK_52, cards_mask, parse_mask
from towerlab.games.pbn import BridgeBoard, add_sections, deal_text, parse_deal, parse_vulnerability, read_boards

DEAL = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"
SUIT_A_HAND = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"  # solved at once


def test_hands_are_read_clockwise_from_the_named_seat() -> None:
    hands = parse_deal("S:A... K... Q... J...")
    assert hands == tuple(parse_mask(card) for card in ("QS", "JS", "AS", "KS"))


def test_suits_stand_in_the_order_spades_hearts_diamonds_clubs() -> None:
    assert parse_deal("N:A.K.Q.J K.Q.J.A Q.J.A.K J.A.K.Q")[0] == parse_mask("AS KH QD JC")


def test_a_whole_deal_comes_back_as_it_was_written() -> None:
    hands = parse_deal(DEAL)
    assert sum(hands) == DECK_52
    assert deal_text(hands) == DEAL


def test_tag_lower_case_and_figures_are_understood() -> None:
    assert parse_deal(f'[Deal "{DEAL.lower().replace("t", "10")}"]') == parse_deal(DEAL)


# ------------------------------------------------------------------------------------------------------ files of boards

WORDS = st.text(st.sampled_from("aZé 9;{%[]\"\\'"), min_size=1, max_size=12).map(str.strip).filter(
    lambda text: text not in ("", "?", "-") and not text.startswith("#") and not text.endswith("\\")
)  # fmt: skip
CONTRACTS = {
    "3N": "3NT",
    "3NT": "3NT",
    "3NTX": "3NTX",
    "3NXX": "3NTXX",
    "4s": "4S",
    "1Cx": "1CX",
    "7♥": "7H",
    "Pass": "Pass",
}
COMMENTS = ('{a {b; [Deal "N:A... K... Q... J..."]\n\n[Board "99"] }', '; [Contract "7NT"] }', '%[Deal "x"] {', "{}")


@st.composite
def boards(draw: st.DrawFn) -> tuple[dict[str, str], str]:
    """What a board says, and how it is written."""
    pack = draw(st.permutations(range(52)))
    deal = deal_text(tuple(cards_mask(pack[13 * seat : 13 * seat + 13]) for seat in range(4)))
    if draw(st.booleans()):  # a void may be a dash
        deal = deal.replace(":.", ":-.").replace(" .", " -.")
    contract = draw(st.sampled_from(sorted(CONTRACTS)))
    known = {
        "Event": draw(WORDS),
        "Board": str(draw(st.integers(1, 99))),
        "Dealer": draw(st.sampled_from("NESW")),
        "Vulnerable": draw(st.sampled_from(["None", "NS", "EW", "All", "?"])),
        "Deal": deal,
        "Declarer": draw(st.sampled_from("NESW")),
        "Contract": contract,
    }
    first = draw(st.sampled_from(["Event", "Board", "Deal"]))
    order = [first, *draw(st.permutations([name for name in known if name != first]))]
    lines = []
    for name in order:
        value = known[name].replace("\\", "\\\\").replace('"', '\\"')
        caret = "^" if name == "Declarer" and draw(st.booleans()) else ""
        blank = draw(st.sampled_from(["", " ", "\t", "\n"]))
        lines.append(f'[{blank}{name}{blank or " "}"{caret}{value}"{blank}]')
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(COMMENTS)))
        if draw(st.booleans()) and name not in ("Event", "Board", "Deal"):
            lines.append(f'[{name} "{draw(st.sampled_from("NESW"))}"]')  # what comes again does not count
    lines += draw(st.sampled_from([[], ['[Note "1:x"]', '[Note "2:y"]'], ['[Auction "N"]', "1C =1= Pass! $4 *"]]))
    return known | {"Contract": CONTRACTS[contract]}, "\n".join(lines) + "\n" + "\n" * draw(st.integers(0, 2))


@settings(deadline=None)
@given(
    st.lists(boards(), min_size=1, max_size=4),
    st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "utf-16"]),
    st.booleans(),
)
def test_boards_are_read_as_they_were_written(written: list[Any], encoding: str, dos: bool) -> None:
    """Comments, empty lines or none, escapes, orders of tags, repeated tags, encodings."""
    text = "% PBN 2.1\n" + "".join(lines for _, lines in written)
    if encoding == "latin-1":
        text = text.replace("♥", "H")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "boards.pbn"
        path.write_bytes((text.replace("\n", "\r\n") if dos else text).encode(encoding))
        rows = read_questions(path, ["deal", "trump", "lead", "vul"])
    assert [row.problem for row in rows] == [None] * len(written)
    for row, (known, _) in zip(rows, written, strict=True):
        cells = {name.lower(): value for name, value in known.items()} | {"vul": known["Vulnerable"]}
        if known["Contract"] != "Pass":
            lead = "NESW"["NESW".index(known["Declarer"]) - 3]
            cells |= {"trump": known["Contract"][1:].rstrip("X"), "lead": lead}
        assert row.cells == cells


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[Deal "D"]\n\n[Declarer "S"]\n[Contract "3N"]', [("", "", "3NT")]),  # an empty line within a record
        ('[Deal "D"]\n\n[Deal "D"]', [("", "", ""), ("", "", "")]),
        ('[Board "1"][Deal "D"][Contract "1C"][Board "2"][Deal "D"]', [("1", "", "1C"), ("2", "", "")]),
        ('[Board "1"][Deal "D"]\n\n[Board "2"][Deal "D"]\n\n[Board "1"][Contract "1C"]',
         [("1", "", ""), ("2", "", ""), ("1", "", "1C")]),
        ('[Event "##A"]\n[Site ""]\n\n[Event "#"][Deal "D"]\n\n[Deal "D"]', [("", "A", ""), ("", "A", "")]),
        ('[Event "A"][Deal "D"]\n\n[Event "#"][Deal "D"]\n\n[Event ""][Deal "D"]',
         [("", "A", ""), ("", "A", ""), ("", "", "")]),
        ('[Deal "D"][Contract "?"][Declarer "?"][Board "?"]', [("", "", "")]),
        ('[Deal "D"][Auction "W"]\n1C Pass 3N AP', [("", "", "3NT")]),  # whose value is the dealer
        ('[Deal "D"][ScoreTable "Names\\20L"]\n1 "x [y] {"\n[Contract "1C"]', [("", "", "1C")]),
        ('[Deal "D"][Dealer "west"][Declarer "North"][Contract "4h*"]', [("", "", "4HX")]),
        ('[Dealer "W"][Deal "D"][Auction "N"]\n- - - 1C\nX XX 1H =1= 3N!\nPass Pass Pass', [("", "", "3NT")]),
    ],
)  # fmt: skip
def test_records_end_where_the_next_begins_and_inherit(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = read_boards(text.replace('"D"', f'"{DEAL}"'))
    assert [(board.number, board.event, board.contract) for board in found] == expected
    assert {board.problem for board in found} == {None} and {board.deal for board in found} == {DEAL}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{ without an end", "line 3: '{ without an end' is no tag"),
        ('[Board "2"]', "line 3: no deal is given, nor by a board of this number before"),
        ('[Deal "N:AK... - QJ... T9..."]', "line 3: E's hand is not given"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_an_error_of_its_row_that_names_the_line(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "boards.pbn"
    path.write_text(f'[Board "1"]\n[Deal "{DEAL}"]\n{line}')
    (problem,) = [row.problem for row in read_questions(path, ["deal"]) if row.problem]
    assert problem.startswith(why)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('[Contract "3NTT"]', "line 3: '3NTT' is no contract; expected one such as 4S, 3NTX"),
        ('[Declarer "X"]', "line 3: declarer 'X' is not a seat; expected one of N, E, S, W"),
        ('[Dealer "Q"]', "line 3: dealer 'Q' is not a seat"),
        ('[Vulnerable "some"]', "line 3: vulnerability 'some' is unknown"),
        ('[Contract "3NT]', "line 3: '[Contract \"3NT]' is no tag; expected [Name \"value\"]"),
        ("[Room Open]", "line 3: '[Room Open]' is no tag"),
    ],
)  # fmt: skip
def test_what_a_table_does_not_need_is_left_out_with_a_word(
    tmp_path: Path, inside: Callable[..., Answer], line: str, why: str
) -> None:
    path = tmp_path / "boards.pbn"
    path.write_text(f'[Board "1"]\n[Deal "{DEAL}"]\n{line}')
    (row,) = read_questions(path, ["deal"])
    assert row.problem is None and row.cells["left_out"].startswith(why)
    answer = inside("solve", "towie", "--from", str(path), "--jobs", "1")
    assert answer.status == 2 and why.partition(";")[0] in answer.stderr  # a trump and a lead are not known


LIN = "pn|a,b,c,d|st||md|3SK982HQT7DJ984CA6,SQ64HK652DK3CKQ72,SAJT5HAJDQT65CT43,|ah|Board 1|mb|1N|mb|p|mb|p|mb|p|"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (LIN, None),
        ("https://site.example/handviewer.html?lin=" + quote(LIN), None),
        (LIN.replace("mb|1N|mb|p|mb|p|mb|p|", "mb|1n!ppp|an|strong, 15+|"), None),
        (LIN.replace("SQ64HK652DK3CKQ72", ""), "line 1: W's hand is not given"),
        (LIN.replace("SQ64", "SK64"), "line 1: KS stands in S's hand and in W's hand"),
    ],
)
def test_boards_of_lin_are_read_from_links_and_lack_no_hand(tmp_path: Path, text: str, problem: str | None) -> None:
    path = tmp_path / "boards.lin"
    path.write_text(text)
    (row,) = read_questions(path, ["deal", "trump", "lead"])
    if problem is None:
        assert (row.problem, row.cells["contract"], row.cells["lead"]) == (None, "1NT", "E")
    else:
        assert row.problem is not None and row.problem.startswith(problem)


def test_results_are_written_back_in_their_place() -> None:
    text = (
        f'% PBN 2.1\n[Event "A"]\n\n[Board "1"]\n[Deal "{DEAL}"]\n[OptimumScore "NS 0"]\n[OptimumResultTable "x"]\n'
        f'N NT 3\nS NT 3\n[Contract "3N"]\n{{why}}\n\n; of the next\n[Board "2"]\n[Deal "{DEAL}"]\n'
    )
    sections = {"OptimumScore": ("NS 90", []), "OptimumResultTable": (r"Declarer\2R", ["N NT 7"])}
    written = "".join(add_sections(board, sections) for board in read_boards(text))
    new = '[OptimumScore "NS 90"]\n[OptimumResultTable "Declarer\\2R"]\nN NT 7\n'
    assert written == (
        f'% PBN 2.1\n[Event "A"]\n\n[Board "1"]\n[Deal "{DEAL}"]\n[Contract "3N"]\n{{why}}\n{new}\n; of the next\n\n'
        f'[Board "2"]\n[Deal "{DEAL}"]\n{new}\n'
    )
    again = "".join(add_sections(board, sections) for board in read_boards(written))
    assert again == written and [board.number for board in read_boards(written)] == ["1", "2"]


# ------------------------------------------------------------------------------------- the forms of public programs

FORMS = Path(__file__).parents[1] / "golden/bridge-forms.tsv"


@pytest.mark.parametrize(
    ("format", "name", "form", "expected"), [row.split("\t") for row in FORMS.read_text("utf-8").splitlines()[1:]]
)
def test_forms_of_public_programs_are_read(format: str, name: str, form: str, expected: str) -> None:
    if format == "LIN":
        parts = {"md": "3SK982HQT7DJ984CA6,SQ64HK652DK3CKQ72,SAJT5HAJDQT65CT43,", "mb": "1N|mb|p|mb|p|mb|p"}
        text = (
            form
            if name == "link"
            else "".join(f"{key}|{value}|" for key, value in ({name: form} | parts | {name: form}).items())
        )
        (board,) = lin.read_boards(text)
        number = board.number
    else:
        tags = {"Board": "7", "Dealer": "N", "Deal": DEAL, "Declarer": "S", "Contract": "3NT"}
        more = form if name == "Auction" else ""
        tags = {key: value for key, value in tags.items() if not more or key not in ("Declarer", "Contract")}
        tags |= {name: "N" if more else form}
        (board,) = read_boards("".join(f'[{key} "{value}"]\n' for key, value in tags.items()) + more)
        number = board.number
    assert board.problem is None and not board.left_out
    kinds = {"sv": "vulnerable", "Vulnerable": "vulnerable", "Contract": "contract", "Result": "tricks", "mc": "tricks"}
    values = {"mb": board.contract, "Auction": board.contract, "md": board.dealer or "?", "pn": "/".join(board.players)}
    values["link"] = f"{number} {'/'.join(board.players)}"
    found = values.get(name) or (str(getattr(board, kinds[name])) if name in kinds else number)
    assert (parse_vulnerability(found) if name in ("sv", "Vulnerable") else found) == expected


# ------------------------------------------------------------------------------------------- what is written is whole


PLAYER = 'Søren "X" [1]'


@st.composite
def played_boards(draw: st.DrawFn) -> list[Played]:
    """Boards of random cards, some played to the end, some claimed, some not played."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = draw(st.lists(st.sampled_from([1, 3, 8, 21, 48, 50, 52]), min_size=1, max_size=3))
    return [Played(random, number, cards) for number, cards in enumerate(sizes, 1)]


def known(board: BridgeBoard) -> tuple[object, ...]:
    """What a board says, whichever file says it."""
    play = [sorted(trick) for trick in board.play]
    what = (board.number, board.deal, board.dealer, board.vulnerable, board.players, board.contract, board.declarer)
    return (*what, board.auction, board.tricks, board.claimed, play)


@settings(max_examples=4)
@given(played_boards(), st.sampled_from([None, 0, 5, 9]), st.sampled_from(["lin", "pbn"]), st.booleans())
def test_a_file_of_boards_written_again_says_the_same(
    boards: list[Played], claimed: int | None, suffix: str, dos: bool
) -> None:
    with TemporaryDirectory() as folder:
        source = Path(folder) / f"match.{suffix}"
        text = "".join(board.lin(claimed) if suffix == "lin" else board.pbn() for board in boards)
        text = text.replace(NAMES[0], PLAYER.replace('"', r"\"") if suffix == "pbn" else PLAYER)
        source.write_bytes(text.replace("\n", "\r\n" if dos else "\n").encode("latin-1"))
        out = source.with_name("out.pbn")
        first = solve_many(source, game="towie", table=True, jobs=1, vul="ew", out=out)
        again = solve_many(out, game="towie", table=True, jobs=1)
        assert first["par_NS"].tolist() == again["par_NS"].tolist()
        assert first.filter(regex="^[NESW]_").equals(again.filter(regex="^[NESW]_"))
        assert [*map(known, read_file(source))] == [*map(known, read_file(out))]
        assert read_file(out)[0].players[0] == PLAYER
        names = set(re.findall(r"^\[(\w+)", source.read_bytes().decode("latin-1"), re.MULTILINE))
        assert names <= set(re.findall(r"^\[(\w+)", out.read_bytes().decode("latin-1"), re.MULTILINE))
        assert suffix == "lin" or (b"\xf8" in out.read_bytes() and (b"\r\n" in out.read_bytes()) == dos)
        review, second = review_boards(source, jobs=1), review_boards(out, jobs=1)
        assert (review.plays, review.players) == (second.plays, second.players)


@pytest.mark.parametrize(
    ("given", "suffixes"),
    [({}, ("pbn", "csv")), ({"vul": "ns"}, ("pbn.gz", "jsonl")), ({"vul": "all"}, ("parquet", "csv.gz"))],
)
def test_par_is_written_with_its_vulnerability(
    tmp_path: Path, given: dict[str, str], suffixes: tuple[str, ...]
) -> None:
    """Of a table of deals, in every format of answers; what a file leaves open is filled by the option."""
    rows = [{"deal": SUIT_A_HAND, "board": 1, "vul": "EW"}, {"deal": SUIT_A_HAND, "board": 2, "vul": None}]
    first = solve_many(rows, game="towie", table=True, jobs=1, **given)
    assert first["par_NS"].tolist() == [1510, 2210 if given else 1510]
    for suffix in suffixes:
        out = tmp_path / f"out.{suffix}"
        solve_many(rows, game="towie", table=True, jobs=1, out=out, **given)
        again = solve_many(out, game="towie", table=True, jobs=1)
        assert again["par_NS"].tolist() == first["par_NS"].tolist(), suffix


def test_what_was_not_played_is_charged_to_nobody(tmp_path: Path) -> None:
    board = Played(np.random.default_rng(3), 1, 21)
    path = tmp_path / "led.pbn"
    text = board.pbn().replace("[Play", '[Result "0"]\n[Play')
    for end, claims in (("*", 1), ("+", 0), ("", 0)):
        path.write_text(text.replace("\n*", f"\n{end}"))
        rows = review_boards(path, jobs=1).plays
        assert sum(row["card"] == CLAIM for row in rows) == claims


@pytest.mark.parametrize("text", ['[Deal "N:AK.. .AK. ..AK ..."]\n[Contract "3NT"]', f'[Deal "{DEAL}"]', "[Board"])
def test_a_review_of_nothing_is_refused(tmp_path: Path, inside: Callable[..., Answer], text: str) -> None:
    path = tmp_path / "broken.pbn"
    path.write_text(f'[Board "1"]\n{text}\n')
    inside("review", str(path)).assert_refused(str(path))
