"""What people see when a study has ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.present import table
from analysis.study import StudyResult
from analysis.study.definition import AnyStudy


def study_report(study: AnyStudy, result: StudyResult, out: Path) -> RenderableType:
    """The headline numbers and where the tables are."""
    made = table("", study.name)
    for name, value in result.summary.items():
        made.add_row(name.replace("_", " "), _text(value))
    tables = ", ".join(f"{name}.csv ({len(rows):,} rows)" for name, rows in result.tables.items())
    return Group(made, Text(), Text(f"In {out}: {tables}, each also as Parquet; summary.json, manifest.json."))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=lambda v: v.tolist())
