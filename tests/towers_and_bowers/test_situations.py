"""Matches of Towers & Bowers (TB-5 .. TB-30), step by step."""

from __future__ import annotations

from typing import Any

from tests.oracles.situations import situations
from tests.oracles.tb_tables import deal_hands, name_trump
from towerlab.games.cards import DECK_24
from towerlab.games.towers_and_bowers import ClaimQuestion, Match, TowersAndBowersOptions

JUDGES = {"yes": True, "no": False}


def begin(words: str, options: dict[str, Any]) -> Match:
    """A match that has been dealt these hands, in which the non-dealer has named a trump; or a new one."""
    trump, verdict = options.pop("trump", None), options.pop("judge", "no")

    def judge(question: ClaimQuestion) -> bool:
        return JUDGES[verdict]

    if words == "new":
        return Match(TowersAndBowersOptions(**options), judge)
    match = deal_hands(*words.split(" / "), judge=judge, **options)
    return name_trump(match, trump) if trump else match


test_a_match_goes_as_the_rules_say = situations("towers-and-bowers", begin, DECK_24)
