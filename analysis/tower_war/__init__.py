"""What can be asked about Tower War? A battle as played, a split, a pick, a deck.

drafting    which split, which pile, which deck
battle      how a battle about to begin is best played
move        which card, which pyramid
simulation  who wins
studies     what wins wars
report      the page; present shows the answers in a terminal
"""

from towerlab.analysis.tower_war.battle import BattleStep, Skirmish, step_battle
from towerlab.analysis.tower_war.drafting import (
    BuildAnswer,
    PickAnswer,
    SplitAnswer,
    build_deck,
    pick_pile,
    split_cards,
)
