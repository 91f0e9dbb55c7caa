"""What single hands lose: a best call is not paid for luck in the layouts that chose it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from towerlab.analysis.printed_rules import loss_on_halves, single_losses


def test_what_chose_the_call_does_not_measure_it() -> None:
    values = np.array([[0.0, 9.0, 1.0], [0.0, -5.0, 1.0], [0.0, 7.0, 1.0], [0.0, -3.0, 1.0]])
    found = loss_on_halves(values, 2)  # the second call is best on the first and the third layout
    assert found["seems"] == 7.0 and found["lost"] == -5.0
    assert found["lost_low"] < -5.0 < found["lost_high"]


def test_calls_that_are_alike_lose_nothing_on_average() -> None:
    random = np.random.default_rng(1)
    found = pd.DataFrame([loss_on_halves(random.normal(size=(16, 6)), 0) for _ in range(4_000)])
    assert found["seems"].mean() > 0.4
    assert abs(found["lost"].mean()) < 4 * found["lost"].std() / np.sqrt(len(found))


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(-9, 9), st.booleans()), min_size=1, max_size=30))
def test_shares_and_worst_hands_are_those_of_a_count_by_hand(drawn: list[tuple[float, float, bool]]) -> None:
    kinds = {kind: np.array([which is (kind == "odd") for *_, which in drawn]) for kind in ("odd", "even")}
    hands = pd.DataFrame(
        [{"seems": seems, "lost": lost, "lost_low": lost - 1, "lost_high": lost + 1} for seems, lost, _ in drawn]
    ).assign(hand=range(len(drawn)))
    found = {row["kind"]: row for row in single_losses(kinds, hands, 2.0).to_dict("records")}
    for kind, of_kind in kinds.items():
        those = [(seems, -place, lost) for place, (seems, lost, _) in enumerate(drawn) if of_kind[place]]
        if not those:
            assert kind not in found
            continue
        row = found[kind]
        assert row["n"] == len(those)
        assert row["over"] == pytest.approx(sum(seems > 2 and lost > 2 for seems, _, lost in those) / len(those))
        assert row["over_low"] <= row["over"] <= row["over_high"]
        _, place, lost = max(those)  # of equals the first
        assert (row["hand"], row["worst"], row["worst_high"]) == (-place, lost, lost + 1)
