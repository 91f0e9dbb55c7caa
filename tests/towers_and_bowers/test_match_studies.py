"""The studies of played matches: counts that add up, the same table whatever the workers, findings from the data."""

from __future__ import annotations

import random

import numpy as np

from tests.oracles.claim_beliefs import belief_of, refuted
from tests.oracles.small_page import small_run
from towerlab.analysis.claims.accuracy import ALL, judge_position, top_tricks
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import CLAIMING, positions_of_match
from towerlab.solver.claims.judging import split_belief


def test_what_is_never_wrong_is_never_wrong() -> None:
    """Trumps above all unseen ones take a trick each; a proof never claims more than best play makes in any layout."""
    every = small_run("claim-accuracy").tables["ways"]
    ways = every.set_index("way")
    assert ways.loc["top trumps", "false"] == ways.loc["prover", "false"] == 0
    assert ways.loc["all layouts", "missed"] == 0
    assert (every["unsettled"].fillna(0) == 0).all()


def test_positions_of_a_match_fit_the_hands_that_are_there() -> None:
    positions = list(positions_of_match("novice", np.random.default_rng(1)))
    assert len(positions) > 20 and {one.role for one in positions} == {"player"}
    for one in positions:
        own, sure, pool, *_ = split_belief(one.knowledge.belief)
        assert own == one.hands[0] and sure & ~one.hands[1] == 0 and one.hands[1] & ~(sure | pool) == 0


def test_what_all_layouts_allow_and_the_proof_does_not_is_a_guess() -> None:
    """Until one turns up: best play makes more with every layout than one strategy can."""
    parameters = dict(CLAIMING.parameters)
    for seed in range(40):
        for one in positions_of_match("novice", np.random.default_rng(seed)):
            row = judge_position(one, random.Random(seed), parameters)
            if row[ALL] > row["high"]:
                found = refuted(one.knowledge.belief, int(row[ALL]))
                assert found.kind == "guess" and found.tree is not None
                return
    raise AssertionError("no guess in forty matches")


def test_top_tricks_are_above_all_that_may_be_out() -> None:
    heart_trumps = {"JH": 1 << 53, "AH": 1 << 51, "9H": 1 << 46}
    belief = belief_of(heart_trumps["JH"] | heart_trumps["9H"] | 1 << 12, heart_trumps["AH"], 1 << 11 | 1 << 13)
    assert top_tricks(belief) == 2 and top_tricks(belief, belief.trumps) == 1
