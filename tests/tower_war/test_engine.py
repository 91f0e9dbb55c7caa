"""Whole games of Tower War: conservation, transcripts, the golden war."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.cards import DECK_54, parse_mask
from games.errors import IllegalAction, TranscriptError
from games.tower_war import TowerWar, TowerWarOptions, seats, tower

GOLDEN = Path(__file__).parents[1] / "golden" / "tower-war.jsonl"


def assert_conserved(game: TowerWar) -> None:
    """Every card and every pyramid is in exactly one place (TW-1)."""
    if game.phase in ("DEAL", "SPLIT", "TAKE", "BASE", "BUILD"):
        places = [game.state().undealt, game.state().face_up, *game.state().pools]
    else:
        places = [game.state().undealt, *game.state().unused]
        for player in (0, 1):
            table = game.seats_array()[player]
            places += [int(table[place]) for place in (seats.DECK, seats.DISCARD, seats.BUILT)]
            places.append(int(seats.battle_cards(game.seats_array(), player)))
        pyramids = int(game.tower_array()[tower.STASH : tower.STASH + 6].sum())
        built = 3 * (int(game.tower_array()[tower.LEVELS]) - 1) + int(game.tower_array()[tower.TOP_COUNT])
        assert pyramids + built == sum(map(sum, game.state().stashes))
        assert game.tower_array()[tower.TOP_COUNT] == game.tower_array()[tower.PLACED : tower.PLACED + 2].sum() <= 3
    assert sum(place.bit_count() for place in places) == 54
    assert sum(places) == DECK_54


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), advanced=st.booleans(), tens_only=st.booleans())
def test_tw_1_cards_and_pyramids_are_conserved_over_whole_games(seed, advanced, tens_only):
    options = TowerWarOptions(advanced=advanced, tie_break="tens_only" if tens_only else "full")
    rng = np.random.default_rng(seed)
    game = TowerWar(options)
    while game.phase != "OVER":
        game.apply(game.chance(rng) if game.to_act is None else game.legal().sample(rng))
        assert_conserved(game)
    assert sum(map(sum, game.state().stashes)) + sum(game.state().third_stash) == (45 if advanced else 30)
    again = TowerWar.from_transcript(list(game.transcript()))
    assert again.result == game.result
    assert again.actions == game.actions
    assert again.state() == game.state()


def test_the_golden_war_has_a_tie_a_saving_double_a_joker_and_a_fall():
    game = TowerWar.from_transcript(GOLDEN.read_text().splitlines())
    assert list(game.transcript()) == GOLDEN.read_text().splitlines()
    kinds = [action["action"] for action in game.actions]
    assert kinds.count("take-back") == 3  # battle 1: 24 against 24
    assert any(action.get("copies") == "TC" for action in game.actions)
    assert game.actions[-1]["falls"] is True
    assert (game.state().loser, game.result.reason, game.state().battle) == (1, "fall", 3)
    assert list(game.tower_array()[tower.STASH : tower.STASH + 6]) == [3, 4, 5, 4, 3, 5]


def test_the_golden_double_saves_a_pyramid():
    lines = GOLDEN.read_text().splitlines()
    double = next(n for n, line in enumerate(lines) if '"card": "TD"' in line and '"action": "play"' in line)
    before = TowerWar.from_transcript(lines[: double + 1])
    assert before.profile(0)[1] == 10 and before.profile(1)[1] == 45  # the skirmish is lost
    assert before.phase == "PLAY"  # and yet nobody adds


def test_a_transcript_with_an_illegal_line_names_it():
    golden = GOLDEN.read_text().splitlines()
    lines = golden.copy()
    lines[4] = lines[4].replace('"card": "7S"', '"card": "AS"')
    with pytest.raises(TranscriptError, match=r"line 5: .*does not hold"):
        TowerWar.from_transcript(lines)
    with pytest.raises(TranscriptError, match="line 2: unknown action 'dance'"):
        TowerWar.from_transcript([lines[0], '{"action": "dance"}'])
    with pytest.raises(TranscriptError, match="line 5: action play by player 1; it is player 0's turn"):
        TowerWar.from_transcript([*lines[:4], golden[4].replace('"player": 0', '"player": 1')])


def test_every_action_says_what_was_expected_instead():
    game = TowerWar()
    with pytest.raises(IllegalAction, match="taking a pile is not possible in phase DEAL; expected TAKE"):
        game.take(0)
    assert game.can_deal(31) and not game.can_take(0) and not game.can_split([parse_mask("AS"), 0])
