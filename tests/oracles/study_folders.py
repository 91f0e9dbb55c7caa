"""The studies of the toy game, and when two folders of results are the same."""

from __future__ import annotations

import filecmp
from pathlib import Path


def assert_same_folders(one: Path, other: Path) -> None:
    """Every file of the two folders is the same, byte for byte."""
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    different = [file for file in files if not filecmp.cmp(one / file, other / file, shallow=False)]
    assert different == []
