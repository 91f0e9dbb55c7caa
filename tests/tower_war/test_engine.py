"""Whole games of Tower War: conservation, transcripts, the golden war."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from towerlab.games.cards import DECK_54, cards_mask, mask_cards, parse_mask
from towerlab.games.errors import IllegalAction
from towerlab.games.tower_war import TowerWar, TowerWarOptions, rules, turns

GOLDEN = Path(__file__).parents[1] / "golden" / "tower-war.jsonl"


def assert_conserved(game: TowerWar) -> None:
    """Every card and every pyramid is in exactly one place (TW-1)."""
    if game.phase in ("DEAL", "SPLIT", "TAKE", "BASE", "BUILD"):
        places = [game.state().undealt, game.state().face_up, *game.state().pools]
    else:
        places = [game.state().undealt, *game.state().unused]
        for player in (0, 1):
            table = game.seats_array()[player]
            places += [int(table[place]) for place in (turns.DECK, turns.DISCARD, turns.BUILT)]
            places.append(int(turns.battle_cards(game.seats_array(), player)))
        pyramids = int(game.tower_array()[rules.STASH : rules.STASH + 6].sum())
        built = 3 * (int(game.tower_array()[rules.LEVELS]) - 1) + int(game.tower_array()[rules.TOP_COUNT])
        assert pyramids + built == sum(map(sum, game.state().stashes))
        assert game.tower_array()[rules.TOP_COUNT] == game.tower_array()[rules.PLACED : rules.PLACED + 2].sum() <= 3
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


def test_the_golden_war_has_a_tie_a_saving_double_a_joker_and_a_fall():
    game = TowerWar.from_transcript(GOLDEN.read_text().splitlines())
    kinds = [action["action"] for action in game.actions]
    assert kinds.count("take-back") == 3  # battle 1: 24 against 24
    assert any(action.get("copies") == "TC" for action in game.actions)
    assert game.actions[-1]["falls"] is True
    assert (game.state().loser, game.result.reason, game.state().battle) == (1, "fall", 3)
    assert list(game.tower_array()[rules.STASH : rules.STASH + 6]) == [3, 4, 5, 4, 3, 5]


def test_the_golden_double_saves_a_pyramid():
    lines = GOLDEN.read_text().splitlines()
    double = next(n for n, line in enumerate(lines) if '"card": "TD"' in line and '"action": "play"' in line)
    before = TowerWar.from_transcript(lines[: double + 1])
    assert before.profile(0)[1] == 10 and before.profile(1)[1] == 45  # the skirmish is lost
    assert before.phase == "PLAY"  # and yet nobody adds


# ------------------------------------------------------------------------------------------------------- what is seen


def drafted(recall: str) -> TowerWar:
    rng = np.random.default_rng(1)
    game = TowerWar(TowerWarOptions(recall=recall))
    while game.phase != "BASE":
        game.apply(game.chance(rng) if game.to_act is None else game.legal().sample(rng))
    return game


@pytest.mark.parametrize("recall", ["perfect", "none"])
def test_tw_4_drafted_piles_lie_face_down_unless_they_are_remembered(recall):
    game = drafted(recall)
    pools = game.state().pools
    view = game.view(0)
    assert view.pool_counts == (pools[0].bit_count(), pools[1].bit_count())
    assert view.pools == (pools if recall == "perfect" else (None, None))
    rng = np.random.default_rng(2)
    game.apply(game.chance(rng))
    view = game.view(1)  # the draft is over: everybody looks at their own
    assert view.pools == (pools if recall == "perfect" else (None, pools[1]))
    assert view.opponent_cards & pools[0] == pools[0] and not view.opponent_cards & pools[1]


def test_tw_7_decks_are_built_in_either_order_and_stay_secret():
    rng = np.random.default_rng(3)
    game = drafted("perfect")
    game.apply(game.chance(rng))
    assert len(game.legal(0)) and len(game.legal(1)) and game.to_act == 0 and game.state().undealt.bit_count() == 4
    pool, other = (mask_cards(mask) for mask in game.state().pools)
    for deck, why in (
        (pool[:14], "a deck of 14 cards; expected 15"),
        ([*pool[:14], other[0]], "not drafted by player 0"),
    ):
        with pytest.raises(IllegalAction, match=rf"{why}.*TW-7"):
            game.build(0, cards_mask(deck))
    game.apply(game.legal(1).sample(rng))
    with pytest.raises(IllegalAction, match=r"player 1 cannot build a deck now; expected 0.*TW-7"):
        game.build(1, cards_mask(other[:15]))
    view = game.view(0)
    assert view.has_built == (False, True) and view.deck == 0 and game.view(1).deck == game.state().decks[1]
    assert not len(game.legal(1)) and game.to_act == 0
    game.apply(game.legal(0).sample(rng))
    assert (game.phase, game.state().player, game.state().unused[0].bit_count()) == ("DRAW", 0, len(pool) - 15)
    game.apply(game.chance(rng))
    view = game.view(1)
    assert view.counts[0] == (3, 12) and view.opponent_cards == game.state().pools[0]
    assert view.hand == 0 and game.view(0).hand.bit_count() == 3


def test_tw_20_adjusting_has_a_hazard_of_its_own_and_makes_what_follows_steadier():
    """The model against its formula, with one pyramid on top."""
    options = TowerWarOptions(steady=0.4, alpha_adjust=0.003, deck_size=3)
    game = TowerWar(options)
    game.decks([parse_mask("AH TC 6C"), parse_mask("9S 4S 2S")])
    for step in range(4):
        game.apply(game.chance(np.random.default_rng(step)) if game.to_act is None else game.legal()[0])
    usual = game.fall_probability(rules.PLACE, 1)
    game.add(1, falls=False)
    while game.phase not in ("ADD", "CAP"):
        game.apply(game.chance(np.random.default_rng(1)) if game.to_act is None else game.legal()[0])
    levels = game.view(0).levels
    on_top = game.view(0).top_count
    assert game.fall_probability(rules.PLACE, 1) == pytest.approx(1 - math.exp(-options.alpha_place * levels)) == usual
    assert game.fall_probability(rules.ADJUST, 1) == pytest.approx(1 - math.exp(-0.003 * on_top * levels))
    game.adjust(falls=False)
    for action, alpha in ((rules.PLACE, options.alpha_place), (rules.STACK, options.alpha_stack)):
        assert game.fall_probability(action, 1) == pytest.approx(1 - math.exp(-0.4 * alpha * levels))
