"""Which studies has Towers & Bowers, by name?

hand_equilibrium  how hands are solved, and players measured
self_play         how a learned policy is made
answer_book       what `towerlab upcard` says of every class of hands
hand_kinds        which hands a player calls alike, and what is right with each kind
call_rule         the rule for the first call, and what it costs
rules_of_thumb    what rules of thumb, claims and rule options cost or change
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from towerlab.analysis.study import Study
from towerlab.analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK
from towerlab.analysis.towers_and_bowers.studies.hand_equilibrium import DEAL_OUTCOMES, EXPLOITABILITY, HAND_EQUILIBRIUM
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import CLAIMING, RULE_OPTIONS, RULES_OF_THUMB
from towerlab.analysis.towers_and_bowers.studies.self_play import (
    SELF_PLAY_ACCURACY,
    SELF_PLAY_DISTIL,
    SELF_PLAY_STUDY,
    SELF_PLAY_VALUES,
)

STUDIES: Final[Mapping[str, Study]] = {
    study.name: study
    for study in (
        ANSWER_BOOK,
        DEAL_OUTCOMES,
        EXPLOITABILITY,
        HAND_EQUILIBRIUM,
        SELF_PLAY_STUDY,
        CLAIMING,
        RULES_OF_THUMB,
        SELF_PLAY_ACCURACY,
        SELF_PLAY_DISTIL,
        SELF_PLAY_VALUES,
        RULE_OPTIONS,
    )
}
