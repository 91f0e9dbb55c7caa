"""Many deals at once: arrays, files, par."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from tests.conftest import Answer
from towerlab.analysis.present.questions import board_cells, read_boards
from towerlab.analysis.towie.par import VULNERABILITIES, duplicate_score, find_par
from towerlab.games.pbn import COMPASS_SEATS

Run = Callable[..., Answer]

DEAL = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"
BLOCKED = "N:A2... KQ... 3.2.. 4.3.."


# ---------------------------------------------------------------------------------------------------------------- files


def write_csv(path: Path, rows: list[str], header: str = "deal,trump,lead") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_file_of_deals_gets_columns_added(inside: Run, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "deals.csv", [f"{DEAL},S,W", f"{BLOCKED},NT,N"])
    out = tmp_path / "answers.csv"
    summary = inside("solve", "towie", "--from", str(source), "--out", str(out), "--json", "--jobs", "1").json
    assert {name: summary[name] for name in ("game", "rows", "answered", "failed")} == {
        "game": "towie", "rows": 2, "answered": 2, "failed": 0
    }  # fmt: skip
    assert summary["processor_seconds"] >= 0
    frame = pd.read_csv(out)
    assert list(frame) == ["deal", "trump", "lead", "tricks_NS", "tricks_EW", "version", "options"]
    assert frame[["tricks_NS", "tricks_EW"]].to_numpy().tolist() == [[6, 7], [1, 1]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.csv", "deals.csv"]


def test_pbn_file_of_tables_has_par(inside: Run, tmp_path: Path) -> None:
    source = tmp_path / "deals.pbn"
    source.write_text(
        f'% PBN 2.1\n[Board "1"]\n[Vulnerable "None"]\n[Deal "{DEAL}"]\n[Declarer "S"]\n[Contract "2SX"]\n\n'
        f'[Board "2"]\n[Vulnerable "Both"]\n[Deal "{DEAL}"]\n'
    )
    first, second = map(board_cells, read_boards(source))
    assert first.items() >= {"deal": DEAL, "trump": "S", "lead": "W", "vul": "None"}.items()
    assert second.items() >= {"deal": DEAL, "vul": "Both"}.items() and "trump" not in second
    answers = inside("solve", "towie", "--from", str(source), "--table", "--json", "--quiet", "--jobs", "1").json
    first, second = answers["answers"]
    assert first["S_S"] == 6 and first["E_NT"] == 9 and first["par_NS"] == -400 and first["par"] == "3NT EW="
    assert second["par_NS"] == -600


# ------------------------------------------------------------------------------------------------------------------ par


def test_duplicate_scores() -> None:
    assert duplicate_score(4, 3, 10, False) == 420 and duplicate_score(4, 3, 11, True) == 650
    assert duplicate_score(3, 4, 9, True) == 600 and duplicate_score(1, 4, 7, False) == 90
    assert duplicate_score(6, 0, 12, True) == 1370 and duplicate_score(7, 4, 13, False) == 1520
    assert [duplicate_score(4, 3, 10 - down, False) for down in (1, 2, 3, 4)] == [-100, -300, -500, -800]
    assert [duplicate_score(4, 3, 10 - down, True) for down in (1, 2, 3)] == [-200, -500, -800]


def test_par_equals_that_of_dds() -> None:
    from tests.oracles.dds import dds_par

    random = np.random.default_rng(4)
    for _ in range(150):
        table = {}
        for strain in range(5):
            north_south = int(random.integers(14))
            for seat in COMPASS_SEATS:
                tricks = north_south if seat in "NS" else 13 - north_south
                table[seat, strain] = max(tricks - int(random.random() < 0.2), 0)
        for vulnerable in VULNERABILITIES:
            expected = dds_par(table, vulnerable)
            assert find_par(table, vulnerable).score == expected[0]


def test_par_contracts_stand() -> None:
    par = find_par({("N", 3): 10, ("S", 3): 9, ("E", 1): 9, ("W", 1): 9})
    assert (par.score, [str(contract) for contract in par.contracts]) == (300, ["5Dx EW-2"])
    assert str(find_par({})) == "Par +0 for North-South: all pass"
