"""The studies of Tower War by name."""

from __future__ import annotations

from towerlab.analysis.study import Study
from towerlab.analysis.tower_war.battle import ask_battle
from towerlab.analysis.tower_war.studies.card_values import CARD_VALUES
from towerlab.analysis.tower_war.studies.strategy import RULE_OPTIONS, STRATEGY
from towerlab.analysis.tower_war.studies.value_model import VALUE_MODEL

STUDIES: dict[str, Study] = {study.name: study for study in (STRATEGY, CARD_VALUES, RULE_OPTIONS, VALUE_MODEL)}
