"""Transcripts of Towers & Bowers: golden ones, replays to the same state, malformed lines named."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.naive_towers_and_bowers import naive_referee
from tests.oracles.tb_tables import random_match
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions

PLAIN = TowersAndBowersOptions(claims="off", early_stop=False)


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_the_naive_referee_judges_every_hand_alike(seed: int) -> None:
    match = random_match(np.random.default_rng(seed), PLAIN)
    judged = naive_referee(match.actions)
    assert judged == hands_of(match)
    towers = [sum(end == f"tower {player}" for *_, end in judged) for player in (0, 1)]
    assert match.state().towers == tuple(towers)


def hands_of(match: Match) -> list[tuple[int, int, int, int, str]]:
    """As `naive_referee`, from the records of a second run."""
    twin, hands = Match(match.options), []
    for action in match.actions:
        before = twin.state().hand
        twin.apply(action)
        hand = twin.state().hand
        if hand is not None and hand.outcome is not None and (before is None or before.outcome is None):
            outcome = hand.outcome
            end = f"tower {outcome.tower_to}" if outcome.next_dealer is None else f"deals {outcome.next_dealer}"
            hands.append((hand.n, hand.dealer, *outcome.taken, end))
    return hands
