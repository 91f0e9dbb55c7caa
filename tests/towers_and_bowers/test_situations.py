"""Matches of Towers & Bowers (TB-5 .. TB-30), step by step."""

from __future__ import annotations

from typing import Any

from tests.oracles.match_driver import deal_hands, name_trump
from tests.oracles.situations import situations
from towerlab.analysis.towers_and_bowers import claims
from towerlab.games.cards import DECK_24
from towerlab.games.towers_and_bowers import ClaimQuestion, Match, TowersAndBowersOptions

JUDGES = {"yes": True, "no": False}


def begin(words: str, options: dict[str, Any]) -> Match:
    """A match that has been dealt these hands, in which the non-dealer has named a trump; or a new one."""
    trump = options.pop("trump", None)
    verdict = options.pop("judge", "no")

    def judge(question: ClaimQuestion) -> bool:
        return claims.judge(question) if verdict == "prover" else JUDGES[verdict]

    if words == "new":
        return Match(TowersAndBowersOptions(**options), judge)
    match = deal_hands(*words.split(" / "), judge=judge, **options)
    return name_trump(match, trump) if trump else match


def claimed(hand: str, tricks: int, lead: str | None = None, **known: Any) -> tuple[bool, int, int]:
    """What is found of a claim."""
    answer = claims.judge_claim(hand.strip("-"), "H", lead, tricks, **known)
    return answer.sound, answer.guaranteed, answer.layouts


def conceded(hand: str, tricks: int, lead: str | None = None, **known: Any) -> tuple[bool, int, bool]:
    """What is found of a concession."""
    answer = claims.judge_claim(hand, "H", lead, tricks, concede=True, **known)
    return answer.sound, answer.possible, answer.best_play_takes_all


test_a_match_goes_as_the_rules_say = situations("towers-and-bowers", begin, DECK_24, claimed=claimed, conceded=conceded)
