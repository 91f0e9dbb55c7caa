"""The studies of Tower War by name."""

from __future__ import annotations

from analysis.study import Study
from analysis.tower_war.value_model import VALUE_MODEL

STUDIES: dict[str, Study] = {study.name: study for study in (VALUE_MODEL,)}
