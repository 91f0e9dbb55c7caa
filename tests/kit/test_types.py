"""What a user's type checker sees of towerlab."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_python
from tests.kit.test_documents import SCRIPTS

USER = """
import pandas as pd
import towerlab as tl

reveal_type(tl.upcard("JS AS", "QS", "dealer").recommend)
reveal_type(tl.upcard(["JS", "AS"], up="QS", seat="dealer", options={"tie_to": "bidder"}).margin)
reveal_type(tl.claim("JH JD", "H", "me", 2))
reveal_type(tl.claim("9S", "H", "them", concede=True).sound)
reveal_type(tl.bid_bowers("JS JC AS KS 8S 9D TD AH QD 7C", scores=[0, 0, 0], jobs=1).best)
reveal_type(tl.simulate("towers", ["novice", "novice"], 4, seed=1, jobs=1, options={"layout": "square"}).wins)
reveal_type(tl.compare("towers", {"layout": ["square"]}, games=4))
reveal_type(tl.study("towers", "seats", "folder", games=4).summary)
reveal_type(tl.upcard_many(pd.DataFrame(), seat="dealer"))
reveal_type(tl.move("AH 9S", "H", "me", lead="me").best.card)
reveal_type(tl.value(2).values)
reveal_type(tl.check("claim.json").valid)
reveal_type(tl.exploitability(lambda known: [1.0] * len(known.actions), cards=1).exploitability)
reveal_type(tl.solve_many([{"deal": "N:A... K... Q... J..."}], trump="NT", lead="N", out="x.csv", resume=True))
reveal_type(tl.review_boards("match.lin").boards)
reveal_type(tl.__version__)


def learnt(view: tl.View, known: tl.InformationSet, mine: tl.Study) -> tl.StudyResult:
    reveal_type(view.hand)
    reveal_type(tl.openspiel_key(known))
    return tl.study(mine, out="folder")


tl.upcard("JS AS", "QS", "roof")
tl.upcard("JS AS", "QS", "dealer", sede=1)
tl.simulate("towers", ["novice", "novice"], 4, seed="one")
"""
SEEN = [
    "str", "float", "ClaimAnswer | ConcessionAnswer", "bool | None", "CallValue", "tuple[int, ...]", "Comparison",
    "Mapping[str, Any]", "DataFrame", "str", "tuple[ValueOfDeal, ...]", "bool", "float", "DataFrame", "int", "str",
    "int", "str",
]  # fmt: skip
REFUSED = ['Argument 3 to "upcard"', 'Unexpected keyword argument "sede"', 'Argument "seed" to "simulate"']


@pytest.mark.slow
def test_a_users_file_is_checked_strictly_and_knows_every_type(installed: Path, tmp_path: Path) -> None:
    """Beside the ten scripts of docs/python.md, of which none is refused."""
    (tmp_path / "user.py").write_text(USER)
    for number, script in enumerate(SCRIPTS):
        (tmp_path / f"script_{number}.py").write_text(script, encoding="utf-8")
    strict = ["--strict", "--follow-imports=silent", "--config-file=", "--cache-dir", str(ROOT / ".mypy_cache")]
    done = run_python("-m", "mypy", *strict, ".", cwd=tmp_path, check=False, MYPYPATH=str(installed))
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert [re.sub(r"[\w.]+\.(?=\w)|builtins\.", "", kind) for kind in revealed] == SEEN, done.stdout
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == len(REFUSED) and all(map(str.__contains__, errors, REFUSED)), done.stdout


def test_an_editor_without_jax_finds_no_missing_import() -> None:
    """JAX is of training alone; pyright, as CONTRIBUTING.md sets it up, does not look for it."""
    imports = re.compile(r"^\s*(?:import|from) (?:jax|optax)\b", re.MULTILINE)
    sources = [
        path for folder in ("games", "solver", "sim", "analysis", "table") for path in (ROOT / folder).rglob("*.py")
    ]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sources}
    trained = {name: text for name, text in texts.items() if imports.search(text)}
    assert trained and not [
        name for name, text in trained.items() if not text.startswith("# pyright: reportMissingImports=false\n")
    ]
