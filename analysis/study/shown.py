"""Studies for people: which there are, their parameters, their results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from towerlab.analysis.present import table
from towerlab.analysis.study import StudyResult
from towerlab.analysis.study.definition import RULE_OPTIONS, Study


def studies_table(studies: Mapping[str, Study]) -> Table:
    """Every study with a line."""
    rows = ((name, study.help) for name, study in studies.items())
    return table("study", "what it finds out", rows=rows, texts=2)


def parameter_lines(study: Study) -> list[str]:
    """Return the parameters that `--set` changes, with the defaults: ``"cards=3"``."""
    values = {name: value for name, value in study.parameters.items() if name != RULE_OPTIONS}
    return [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in values.items()]


def study_report(study: Study, result: StudyResult, out: Path) -> RenderableType:
    """The headline numbers and where the tables are."""
    rows = table("", study.name)
    for name, value in _rows(result.summary):
        rows.add_row(name, value)
    tables = ", ".join(f"{name}.csv ({len(rows):,} rows)" for name, rows in result.tables.items())
    return Group(rows, "", f"In {out}: {tables}, each also as Parquet; summary.json, manifest.json.")


def _rows(summary: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, str]]:
    """Yield a row for each number; nested ones are named by their path."""
    for key, value in summary.items():
        name = f"{of}{str(key).replace('_', ' ')}"
        plain = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(plain, Mapping):
            yield from _rows(plain, f"{name}, ")
        elif isinstance(plain, list | tuple) and any(isinstance(entry, Mapping | list | tuple) for entry in plain):
            yield from _rows({str(place): entry for place, entry in enumerate(plain, 1)}, f"{name} ")
        else:
            yield name, _text(plain)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        joined = " to " if len(value) == 2 and all(isinstance(end, float) for end in value) else ", "
        return joined.join(map(_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
