"""Questions about Tower War: a battle as played, a split, a pick, a deck; studies and the report."""

from analysis.study import Study
from analysis.tower_war.drafting import BuildAnswer, PickAnswer, SplitAnswer, build_deck, pick_pile, split_cards
from analysis.tower_war.step import BattleStep, Skirmish, step_battle
from analysis.tower_war.value_model import VALUE_MODEL

STUDIES: dict[str, Study] = {study.name: study for study in (VALUE_MODEL,)}

__all__ = [
    "STUDIES",
    "BattleStep",
    "BuildAnswer",
    "PickAnswer",
    "Skirmish",
    "SplitAnswer",
    "build_deck",
    "pick_pile",
    "split_cards",
    "step_battle",
]
