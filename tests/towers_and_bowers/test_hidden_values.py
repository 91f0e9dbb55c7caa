"""The study `hidden-values`: what it says of ways of valuing, on made-up values and on two cards."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from towerlab.analysis.towers_and_bowers.solutions.contracts import worth_columns
from towerlab.analysis.towers_and_bowers.studies.hidden_values import (
    FEATURES,
    HIDDEN_VALUES,
    combine_chunks,
    errors,
    hand_features,
    run_chunk,
)
from towerlab.games.cards import DECK_24, parse_mask
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order

SEED = np.random.SeedSequence(0)


def pack(trump: int) -> int:
    return int(in_play_order(np.array([DECK_24]), trump)[0])


def test_features_are_what_a_player_counts() -> None:
    held = np.array([parse_mask("JS JC AH KH QH 9D"), parse_mask("AS 9S AC KD QD 9D")])
    of_spades = pd.DataFrame(hand_features(in_play_order(held, 3), pack(3), 6), columns=FEATURES)
    assert of_spades[["highest trump", "second trump", "third trump", "small trumps"]].to_numpy().tolist() == [
        [1, 1, 0, 0],
        [0, 0, 1, 1],
    ]
    assert of_spades[["aces", "kings", "queens", "longest side suit", "voids"]].to_numpy().tolist() == [
        [1, 1, 1, 3, 1],
        [1, 1, 1, 3, 1],
    ]
    of_hearts = pd.DataFrame(hand_features(in_play_order(held, 2), pack(2), 6), columns=FEATURES)
    assert of_hearts[["third trump", "small trumps", "no trumps"]].to_numpy().tolist() == [[1, 2, 0], [0, 0, 1]]


def test_errors_are_counted_hand_by_hand() -> None:
    columns, random = worth_columns(2), np.random.default_rng(5)
    game, way, alike = random.random((3, 40, len(columns)))
    weights = random.integers(1, 3, 40).astype(float)
    table = errors(2, weights, game, way, alike).set_index(["seat", "round", "measure"])
    accept, passes = columns.index("accept"), columns.index("pass")
    gaps = [(one[accept] - one[passes], other[accept] - other[passes]) for one, other in zip(game, way, strict=True)]
    square = sum(weight * (1000 * (a - b)) ** 2 for weight, (a, b) in zip(weights, gaps, strict=True))
    assert table.loc["nondealer", 1, "gap"].tolist() == pytest.approx([weights.sum(), square])
    inside = [(weight, a * b < 0) for weight, (a, b) in zip(weights, gaps, strict=True) if 0.02 <= abs(b) < 0.05]
    turned = table.loc["nondealer", 1, "turned_2_to_5"].tolist()
    assert turned == pytest.approx([sum(weight for weight, _ in inside), sum(weight for weight, off in inside if off)])
    best = [
        max(one[columns.index(f"discard_{place}")] for place in (1, 2))
        - max(other[columns.index(f"discard_{place}")] for place in (1, 2))
        for one, other in zip(game, alike, strict=True)
    ]
    own = [
        max(one[columns.index(f"own_discard_{place}")] for place in (1, 2))
        - max(other[columns.index(f"own_discard_{place}")] for place in (1, 2))
        for one, other in zip(game, alike, strict=True)
    ]
    off = sum(weight * 1e6 * (a * a + b * b) for weight, a, b in zip(weights, best, own, strict=True))
    assert table.loc["dealer", 1, "contract"].tolist() == pytest.approx([2 * weights.sum(), off])


def test_a_way_passes_that_takes_a_third_off_everywhere() -> None:
    rows = [
        {"way": way, "seat": seat, "round": number, "measure": measure, "pairs": 4.0, "total": 4 * error**2}
        for way, left in (("open", 1.0), ("learnt", 0.6), ("hidden 1", 0.7), ("learnt, same size", 0.1))
        for seat in ("nondealer", "dealer")
        for number in (1, 2)
        for measure, error in (("gap", 30 * left), ("small_gap", 9.0), ("contract", 40 * left), ("served", 50.0))
    ]
    table = pd.DataFrame(rows).assign(gain=0.1, cards=3, up="J")
    found = combine_chunks([table], HIDDEN_VALUES.parameters)
    assert found.summary == {"passes": ["learnt"]}
    left = found.tables["hidden_values_left"].set_index(["way", "seat"])
    assert left.loc["hidden 1", "dealer"][["gap_left", "contract_left"]].tolist() == pytest.approx([0.7, 0.7])
    even = table[table["way"] == "open"].assign(total=lambda of: of["total"].where(of["measure"] != "gap", 0.0))
    left = combine_chunks([even, table[table["way"] != "open"]], HIDDEN_VALUES.parameters).tables["hidden_values_left"]
    assert left["gap_left"].isna().all()  # nothing to take off


def test_two_cards_beside_a_jack() -> None:
    asked = {"cards": [2], "hidden": [1], "ups": "J", "largest_ups": "J", "reference": [2]}
    table = run_chunk(0, SEED, asked)
    found = combine_chunks([table], asked).tables["hidden_values"].set_index(["way", "seat", "round"])
    assert set(found.index.get_level_values("way")) == {"open", "learnt, same size"}  # one hidden trick is the game
    assert (found["gain_mt"] < 0.1).all()
    opened, learnt = (found.loc[way, "contract_mt"] for way in ("open", "learnt, same size"))
    assert learnt.sum() < opened.sum()
