"""Questions about Tower War: a battle as played, a split, a pick, a deck; studies and the report."""

from towerlab.analysis.tower_war.battle import BattleStep, Skirmish, step_battle
from towerlab.analysis.tower_war.drafting import (
    BuildAnswer,
    PickAnswer,
    SplitAnswer,
    build_deck,
    pick_pile,
    split_cards,
)
