"""Whole games of Tower War: conservation, transcripts, the golden war."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.cards import DECK_54, cards_mask, mask_cards, parse_mask
from games.errors import IllegalAction, TranscriptError
from games.tower_war import TowerWar, TowerWarOptions, seats, tower
from games.tower_war.draft import pile_splits

GOLDEN = Path(__file__).parents[1] / "golden" / "tower-war.jsonl"


def random_action(game: TowerWar, rng: np.random.Generator) -> object:
    """Take any legal action."""
    if game.phase == "split":
        splits = pile_splits(game.face_up)
        offer = tuple(int(rng.integers(count + 1)) for count in game.third_stash)
        return game.split(splits[rng.integers(len(splits))][0], offer, int(rng.integers(2)))
    if game.phase == "take":
        return game.take(int(rng.integers(2)))
    if game.phase == "build":
        pool = mask_cards(game.pools[game.player])
        size = min(game.options.deck_size, len(pool))
        return game.build(game.player, cards_mask(int(card) for card in rng.choice(pool, size, replace=False)))
    if game.phase == "play":
        card = int(rng.choice(mask_cards(int(seats.playable_cards(game.seats, game.player)))))
        return game.play(card, int(rng.choice(game.copies(card))))
    if game.phase == "add":
        sizes = int(tower.addable_sizes(game.tower, game.player))
        return game.add(int(rng.choice([size for size in range(3) if sizes >> size & 1])))
    if game.phase == "cap":
        return game.cap(int(rng.choice(mask_cards(int(seats.battle_cards(game.seats, game.player))))))
    return {"deal": game.deal, "base": game.lay_base, "draw": game.draw, "take-back": game.take_back}[game.phase]()


def assert_conserved(game: TowerWar) -> None:
    """Every card and every pyramid is in exactly one place (TW-1)."""
    if game.phase in ("deal", "split", "take", "base", "build"):
        places = [game.undealt, game.face_up, *game.pools]
    else:
        places = [game.undealt, *game.unused]
        for player in (0, 1):
            table = game.seats[player]
            places += [int(table[place]) for place in (seats.DECK, seats.DISCARD, seats.BUILT)]
            places.append(int(seats.battle_cards(game.seats, player)))
        pyramids = int(game.tower[tower.STASH : tower.STASH + 6].sum())
        built = 3 * (int(game.tower[tower.LEVELS]) - 1) + int(game.tower[tower.TOP_COUNT])
        assert pyramids + built == sum(map(sum, game.stashes))
        assert game.tower[tower.TOP_COUNT] == game.tower[tower.PLACED : tower.PLACED + 2].sum() <= 3
    assert sum(place.bit_count() for place in places) == 54
    assert sum(places) == DECK_54


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), advanced=st.booleans(), tens_only=st.booleans())
def test_tw_1_cards_and_pyramids_are_conserved_over_whole_games(seed, advanced, tens_only):
    options = TowerWarOptions(advanced=advanced, tie_break="tens_only" if tens_only else "full")
    rng = np.random.default_rng(seed)
    game = TowerWar(options, rng)
    while game.phase != "over":
        random_action(game, rng)
        assert_conserved(game)
    assert sum(map(sum, game.stashes)) + sum(game.third_stash) == (45 if advanced else 30)
    again = TowerWar.from_transcript(list(game.transcript()))
    assert again.result == game.result
    assert again.actions == game.actions
    assert (again.tower == game.tower).all() and (again.seats == game.seats).all()


def test_the_golden_war_has_a_tie_a_saving_double_a_joker_and_a_fall():
    game = TowerWar.from_transcript(GOLDEN.read_text().splitlines())
    assert list(game.transcript()) == GOLDEN.read_text().splitlines()
    kinds = [action["action"] for action in game.actions]
    assert kinds.count("take-back") == 3  # battle 1: 24 against 24
    assert any(action.get("copies") == "TC" for action in game.actions)
    assert game.actions[-1]["falls"] is True
    assert (game.result.loser, game.result.reason, game.battle) == (1, "fall", 3)
    assert list(game.tower[tower.STASH : tower.STASH + 6]) == [3, 4, 5, 4, 3, 5]


def test_the_golden_double_saves_a_pyramid():
    lines = GOLDEN.read_text().splitlines()
    double = next(n for n, line in enumerate(lines) if '"card": "TD"' in line and '"action": "play"' in line)
    before = TowerWar.from_transcript(lines[: double + 1])
    assert before.profile(0)[1] == 10 and before.profile(1)[1] == 45  # the skirmish is lost
    assert before.phase == "play"  # and yet nobody adds


def test_a_transcript_with_an_illegal_line_names_it():
    lines = GOLDEN.read_text().splitlines()
    lines[4] = lines[4].replace('"card": "7S"', '"card": "AS"')
    with pytest.raises(TranscriptError, match=r"line 5: .*does not hold"):
        TowerWar.from_transcript(lines)
    with pytest.raises(TranscriptError, match="line 2: unknown action 'dance'"):
        TowerWar.from_transcript([lines[0], '{"action": "dance"}'])
    with pytest.raises(TranscriptError, match="line 5: player 1 cannot play"):
        TowerWar.from_transcript([*lines[:4], lines[4].replace('"player": 0', '"player": 1')])


def test_every_action_says_what_was_expected_instead():
    game = TowerWar(rng=np.random.default_rng(0))
    with pytest.raises(IllegalAction, match="cannot take now; expected: deal"):
        game.take(0)
    assert game.can_deal() and not game.can_take(0) and not game.can_split(parse_mask("AS"))
