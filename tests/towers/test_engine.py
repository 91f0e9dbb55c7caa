"""The engine of Towers: phases, turns, razing, the end, transcripts."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.naive_towers import NaiveBoard
from towerlab.games.towers import TowersGame, TowersOptions, parse_rank

GOLDEN = Path(__file__).parents[1] / "golden" / "towers.jsonl"
PACK = "A23456789TJQK" * 4


def shuffled(rng):
    pack = list(PACK)
    rng.shuffle(pack)
    return pack


def random_turn(game, rng):
    """An action at random, and what it did to the board."""
    action = rng.choice(game.legal())
    return action, game.apply(action)


def random_game(options, seed):
    """A game and its turns, played at random to the end."""
    rng = random.Random(seed)
    game = TowersGame(options)
    game.deal(shuffled(rng))
    turns = []
    while game.phase != "OVER":
        turns.append(random_turn(game, rng))
    return game, turns


def game_before_a_raze():
    return TowersGame.from_transcript(GOLDEN.read_text().splitlines()[:39])


# ------------------------------------------------------------------------------------------------------------ rules


def test_tr_12_a_player_without_cards_is_skipped_and_the_game_ends_when_all_are():
    skipped = 0
    for seed in range(60):
        game, turns = random_game(TowersOptions(n_players=3), seed)
        assert all(game.hand(seat) == () for seat in range(3))
        assert len(game.state().source) == 0
        seats = [action["player"] for action, _ in turns]
        skipped += any((b - a) % 3 != 1 for a, b in pairwise(seats))
    assert skipped > 10


def test_tr_13_score_is_what_was_collected_and_equal_scores_share():
    game, turns = random_game(TowersOptions(layout="square"), 3)
    for seat in (0, 1):
        assert game.state().points[seat] == sum(
            len(done.collected) for action, done in turns if action["player"] == seat
        )
    shared = next(g for g in (random_game(TowersOptions(), s)[0] for s in range(99)) if len(set(g.state().points)) == 1)
    assert shared.result.winners == (0, 1)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.builds(TowersOptions, layout=st.sampled_from(["line", "square"]), n_players=st.integers(2, 10)),
)
def test_whole_games_equal_cards_as_objects_and_no_card_is_lost(seed, options):
    rng = random.Random(seed)
    game = TowersGame(options)
    naive = NaiveBoard(options)
    game.deal(shuffled(rng))
    gone = Counter()
    while game.phase != "OVER":
        hands = {seat: game.hand(seat) for seat in range(options.n_players)}
        stuck = not any(naive.legal(parse_rank(card)) for card in hands[game.to_act])
        assert (game.phase == "RAZE") == stuck
        action, done = random_turn(game, rng)
        if stuck:
            log = naive.raze(action["column"] - 1)
        else:
            log = naive.play(parse_rank(action["card"]), tuple(column - 1 for column in action["columns"]))
        assert [(e.step, sorted(map(parse_rank, e.cards))) for e in done.log] == log
        assert Counter(card.value for card in naive.cards()) == game.state().board.values()
        gone.update(done.removed + done.collected)
        held = sum(len(game.hand(seat)) for seat in range(options.n_players))
        assert held + len(game.state().source) + gone.total() + game.state().board.values().total() == 52


# ------------------------------------------------------------------------------------------------------ transcripts


def test_golden_transcript_ends_with_a_raze_and_a_cascade_of_nine():
    game = TowersGame.from_transcript(GOLDEN.read_text().splitlines())
    assert str(game.state().board) == "K K K 6 5 2 2 | - | 9 8 4 4 | J T T"
    assert (game.state().points, game.result.winners) == ((2, 11), (1,))


def test_golden_transcript_its_great_cascade_step_by_step():
    game = game_before_a_raze()
    assert str(game.state().board) == "K 4b 2 A K K 6 5 2 2 | 7 4b 3 Kb 7 2 | Q J 8 Kb Q 9 8 4 4 | 6 5 A Q 6 5"
    assert [(entry.step, " ".join(entry.cards)) for entry in game.raze(2).log] == [
        ("raze", "4 7 3 K 7 2"),
        ("support", "8"),
        ("support", "J"),
        ("equal level", "A A"),
        ("support", "2"),
        ("support", "5"),
        ("support", "6"),
        ("equal level", "Q Q"),
    ]
