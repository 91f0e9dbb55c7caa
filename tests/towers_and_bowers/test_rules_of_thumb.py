"""The choices of rules of thumb, on hands judged by hand, and the study's arithmetic."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import pytest

from tests.oracles.small_page import small_chunks, small_run
from towerlab.analysis.printed_rules import PrintedRule
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import (
    DISCARDS,
    LEADS,
    NAMES,
    PASSES,
    REPLIES,
    Holding,
    suit_points,
)
from towerlab.games.cards import card_text, mask_cards, parse_card, parse_mask

SPADES = 3


def holding(cards: str, unseen: str = "") -> Holding:
    return Holding(tuple(mask_cards(parse_mask(cards))), SPADES, parse_mask(unseen) if unseen else 0)


def chosen_card(rule: PrintedRule[Holding], held: Holding, options: Iterable[int]) -> str:
    return " ".join(sorted(map(card_text, rule.choices(held, options))))


@pytest.mark.parametrize(
    ("cards", "chosen"),
    [
        ("JS 9D KD QH AC", ["9D", "QH", "9D"]),  # a bare ace is spared
        ("JC 9S TH QH TD", ["TD", "TD", "TH"]),  # the left bower is a trump
        ("9S QS JS", ["9S", "9S", "9S"]),
        ("AH AD AS", ["AD AH", "AD AH", "AD AH"]),  # the sentence does not say which
    ],
)
def test_discards(cards: str, chosen: list[str]) -> None:
    held = holding(cards)
    assert [chosen_card(rule, held, held.cards) for rule in DISCARDS] == chosen


def test_suits_count_bowers() -> None:
    hand = parse_mask("JH JD 9D AC KC QC")
    assert suit_points(hand, 1) == (3, 9) and suit_points(hand, 2) == (2, 9) and suit_points(hand, 0) == (3, 6)
    asked = (hand, parse_card("9S"))
    assert [rule.choices(asked, [0, 1, 2]) for rule in NAMES] == [[1], [1], [1], [0]]
    assert [rule.choices(asked, [0, 1, 2, None]) for rule in PASSES] == [[None], [1], [None]]


def test_leads() -> None:
    held = holding("JC QS AD KH QH", unseen="JS AS KD AH 9H")
    assert {str(rule): chosen_card(rule, held, held.cards) for rule in LEADS} == {
        "from the longest suit, trumps too, of equals trumps, the highest": "JC",
        "a trump if there is one, the highest": "JC",
        "a side card, the highest": "AD",
        "the highest card of your longest side suit": "KH",
        "a side card, the lowest": "QH",
        "a card that nothing unseen beats, of those a trump, else a side card, the lowest": "AD",
    }


def test_replies() -> None:
    held, void = (dataclasses.replace(holding(cards), led=parse_card("QD")) for cards in ("9S AS AD KD", "9S AS KH"))
    legal = [parse_card("AD"), parse_card("KD")]
    assert [chosen_card(rule, held, legal) for rule in REPLIES] == ["KD", "AD", "KD", "KD"]
    assert [chosen_card(rule, void, void.cards) for rule in REPLIES] == ["9S", "AS", "KH", "KH"]


def test_costs_are_means_of_what_is_lost_and_every_decision_is_met() -> None:
    found, sample = small_chunks("rules-of-thumb")
    frame = small_run("rules-of-thumb").tables["rules"]
    assert set(frame["decision"]) == set(sample["decision"]) and len(set(frame["decision"])) == 7
    assert (sample["cost"] >= 0).all()
    overall = frame.set_index(["decision", "rule"])
    for key, part in sample.groupby(["decision", "rule"]):
        row = overall.loc[key]
        assert row["cost_mt"] == pytest.approx(np.mean(part["cost"].tolist()))
        assert row["low"] <= row["cost_mt"] <= row["high"]
        there = found[(found["decision"] == key[0]) & (found["rule"] == key[1])]
        assert row["found_mt"] == pytest.approx(there["cost"].mean())
    best = sample.groupby(["decision", "group", "cards"])["cost"].min()
    assert (best == 0).mean() > 0.3  # some rule finds the best choice often
