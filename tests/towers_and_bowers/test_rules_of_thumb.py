"""What rules of thumb choose, on hands told by hand, and the study's arithmetic."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.study import map_chunks
from analysis.towers_and_bowers.studies.rules_of_thumb import (
    DISCARDS,
    LEADS,
    NAMES,
    PASSES,
    REPLIES,
    RULES_OF_THUMB,
    Holding,
    suit_points,
)
from games.cards import card_text, mask_cards, parse_card, parse_mask

SPADES = 3


def holding(cards: str, unseen: str = "") -> Holding:
    return Holding(tuple(mask_cards(parse_mask(cards))), SPADES, parse_mask(unseen) if unseen else 0)


@pytest.mark.parametrize(
    ("cards", "chosen"),
    [
        ("JS 9D KD QH AC", ["9D", "QH", "9D"]),  # a bare ace is spared
        ("JC 9S TH QH TD", ["TD", "TD", "TH"]),  # the left bower is a trump
        ("9S QS JS", ["9S", "9S", "9S"]),
        ("AH AD AS", ["AD", "AD", "AD"]),
    ],
)
def test_discards(cards: str, chosen: list[str]) -> None:
    assert [card_text(rule(holding(cards))) for rule in DISCARDS.values()] == chosen


def test_suits_count_bowers() -> None:
    hand = parse_mask("JH JD 9D AC KC QC")
    assert suit_points(hand, 1) == (3, 9) and suit_points(hand, 2) == (2, 9) and suit_points(hand, 0) == (3, 6)
    assert [rule(hand, parse_card("9S")) for rule in NAMES.values()] == [1, 1, 1, 0]
    assert [rule(hand, parse_card("9S")) for rule in PASSES.values()] == [None, 1, None]


def test_leads() -> None:
    held = holding("JC QS AD KH QH", unseen="JS AS KD AH 9H")
    told = {name: card_text(rule(held)) for name, rule in LEADS.items()}
    assert told["the highest trump"] == "JC"
    assert told["the highest side card"] == "AD"
    assert told["the highest card of the longest side suit"] == "KH"
    assert told["the highest card of the longest suit, trumps too"] == "JC"
    assert told["the lowest side card"] == "QH"
    assert told["a card that nothing unseen beats, trumps first; else the lowest"] == "AD"


def test_replies() -> None:
    held, led = holding("9S AS AD KD"), parse_card("QD")
    legal = [parse_card("AD"), parse_card("KD")]
    assert [card_text(rule(held, legal, led)) for rule in REPLIES.values()] == ["KD", "AD", "KD", "KD"]
    void = holding("9S AS KH")
    replies = [card_text(rule(void, list(void.cards), led)) for rule in REPLIES.values()]
    assert replies == ["9S", "AS", "KH", "KH"]


def test_costs_are_means_of_what_is_lost_and_every_decision_is_met() -> None:
    parameters = {"chunks": 1, "hands": 3, "matches": 1}
    rows = list(map_chunks(RULES_OF_THUMB.run_chunk, 1, seed=5, jobs=1, parameters=parameters, quiet=True))
    result = RULES_OF_THUMB.combine(rows, parameters)
    table, sample = result.tables["rules"], pd.concat(rows)
    assert set(table["decision"]) == set(sample["decision"]) and len(set(table["decision"])) == 7
    assert (sample["cost"] >= 0).all()
    overall = table[table["cards"] == 0].set_index(["decision", "rule"])
    for key, part in sample.groupby(["decision", "rule"]):
        row = overall.loc[key]
        assert row["cost_mt"] == pytest.approx(np.mean(part["cost"].tolist()))
        assert row["low"] <= row["cost_mt"] <= row["high"]
    best = sample.groupby(["decision", "group", "cards"])["cost"].min()
    assert (best == 0).mean() > 0.3  # some rule finds the best choice often
