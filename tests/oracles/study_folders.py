"""The studies of the toy game, and when two folders of results are the same."""

from __future__ import annotations

import filecmp
import sys
from pathlib import Path

import pytest


def assert_same_folders(one: Path, other: Path) -> None:
    """Every file of the two folders is the same, byte for byte."""
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    different = [file for file in files if not filecmp.cmp(one / file, other / file, shallow=False)]
    assert different == []


OWN_STUDY = {
    "own_study.py": """
import own_package.deep, pandas as pd
from towerlab.analysis.study import Study, StudyResult

def run_chunk(chunk, seed, parameters):
    import own_lazy
    return pd.DataFrame({"x": [own_package.deep.factor() * own_lazy.FACTOR * chunk]})

def combine(tables, parameters):
    return StudyResult({"x": pd.concat(list(tables))}, {})

STUDY = Study("toy", "own", "a user's study", {"chunks": 3}, run_chunk, combine)
""",
    "own_package/__init__.py": "",
    "own_package/deep.py": "from . import more\ndef factor(): return more.FACTOR",
    "own_package/more.py": "from importlib import import_module\nFACTOR = import_module('own_dynamic').FACTOR",
    "own_lazy.py": "import pyarrow.parquet\nFACTOR = 2",
    "own_dynamic.py": "FACTOR = 1",
}


def write_own_study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a study of the user's own, `own_study:STUDY`, with helpers of every kind, to be imported from there."""
    for name, text in OWN_STUDY.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)
    for module in [name for name in sys.modules if name.startswith("own_")]:
        monkeypatch.delitem(sys.modules, module)
