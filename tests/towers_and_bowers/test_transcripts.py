"""Transcripts of Towers & Bowers: golden ones, replays to the same state, malformed lines named."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.naive_towers_and_bowers import naive_referee
from tests.oracles.tb_tables import led_to, never, random_match
from towerlab.games.errors import TranscriptError
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions

GOLDEN = Path(__file__).parents[1] / "golden"
PLAIN = TowersAndBowersOptions(claims="off", early_stop=False)


def golden(name: str) -> list[str]:
    return (GOLDEN / f"towers-and-bowers-{name}.jsonl").read_text().splitlines()


def events(lines: list[str]) -> Counter[str]:
    """How often each action happened, and what accusations and penalties led to."""
    match = Match(TowersAndBowersOptions(**json.loads(lines[0])["options"]))
    seen: Counter[str] = Counter()
    for line in lines[1:]:
        action = json.loads(line)
        penalty = match.state().penalty
        match.apply(action)
        seen[action["action"]] += 1
        if action["action"] == "accuse":
            seen["proven" if led_to(match).proven else "disproven"] += 1
        if penalty is not None:
            seen[action["action"] + (" for a renege" if penalty.trick else " for an accusation")] += 1
    return seen


def test_golden_match_holds_every_kind_of_action_and_all_hand_sizes() -> None:
    seen = events(golden("match"))
    assert seen["shuffle_starter"] == 5 and seen["deal"] == 23
    assert all(seen[action] for action in ("turn", "cut", "decline_cut", "accept", "pass", "name", "discard", "play"))
    assert all(seen[action] for action in ("claim", "concede", "consent", "insist"))


def test_golden_enforced_match_holds_reneges_accusations_and_penalties() -> None:
    seen = events(golden("enforced"))
    assert (seen["correct"], seen["proven"], seen["disproven"]) == (1, 2, 3)
    assert seen["take_penalty for a renege"] == seen["decline_penalty for a renege"] == 1
    assert seen["decline_penalty for an accusation"] == 1


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


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), enforced=st.booleans(), stop=st.integers(0, 10**6))
def test_any_part_of_a_match_replays_to_an_equal_state(seed: int, enforced: bool, stop: int) -> None:
    options = TowersAndBowersOptions(renege_mode="enforced" if enforced else "forbidden", towers_to_win=1)
    lines = list(random_match(np.random.default_rng(seed), options, never).transcript())
    part = lines[: 1 + stop % len(lines)]
    replayed = Match.from_transcript(part, judge=never)
    again = Match.from_transcript(replayed.transcript(), judge=never)
    assert replayed.state() == again.state()
    for line in lines[len(part) :]:
        replayed.apply(json.loads(line))
    whole = Match.from_transcript(lines, judge=never)
    assert replayed.state() == whole.state() and list(replayed.transcript()) == lines


HEADER = '{"game": "towers-and-bowers", "options": {"claims": "off", "starter": "fixed"}, "version": 1}'


@pytest.mark.parametrize(
    "line, words",
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"action": "resign"}', "unknown action 'resign'"),
    ],
)
def test_malformed_lines_are_one_line_errors_with_their_number(line: str, words: str) -> None:
    shuffled = json.dumps({"action": "shuffle", "pack": golden_pack()})
    with pytest.raises(TranscriptError) as caught:
        Match.from_transcript([HEADER, shuffled, line])
    message = str(caught.value)
    assert message.startswith("line 3") and words in message and "\n" not in message


def golden_pack() -> list[str]:
    return next(json.loads(line)["pack"] for line in golden("match") if '"pack"' in line)


@pytest.mark.parametrize(
    "header, words",
    [
        ('{"game": "towie", "options": {}, "version": 1}', "header of a towers-and-bowers transcript"),
        ('{"game": "towers-and-bowers", "options": {"ties": 1}, "version": 1}', "unknown options"),
        ('{"game": "towers-and-bowers", "options": {"first_n": 9}, "version": 1}', "first_n"),
        ('{"game": "towers-and-bowers", "options": {}, "version": 9}', "version"),
    ],
)
def test_malformed_headers_are_errors_of_line_1(header: str, words: str) -> None:
    with pytest.raises(TranscriptError, match=f"line 1.*{words}"):
        Match.from_transcript([header])
