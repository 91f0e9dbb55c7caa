"""The studies of Tower War by name."""

from __future__ import annotations

from analysis.study import Study
from analysis.tower_war.card_values import CARD_VALUES
from analysis.tower_war.simulation import warm_up as warm_up
from analysis.tower_war.splitting import SPLITTING
from analysis.tower_war.strategy import STRATEGY, TOURNAMENT
from analysis.tower_war.value_model import VALUE_MODEL

STUDIES: dict[str, Study] = {study.name: study for study in (STRATEGY, TOURNAMENT, CARD_VALUES, SPLITTING, VALUE_MODEL)}
