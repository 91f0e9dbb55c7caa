"""Players of Towers, whole games between them, `simulate` and `move`."""

from __future__ import annotations

import numpy as np
import pytest

from towerlab.analysis.towers import move
from towerlab.games.errors import CardError
from towerlab.games.towers import Board, TowersOptions, resolve_play, resolve_raze
from towerlab.games.towers.records import actions_of
from towerlab.games.towers.rules import NO_LOG, new_board
from towerlab.games.towers.state import HANDS, MOST_ACTIONS, NOBODY, ON_TURN, PACK, act, deal, new_state, state_of
from towerlab.sim.towers.games import TURNS, shuffled_packs, simulate_games
from towerlab.solver.towers.search import choose_at_random, choose_greedily, new_sampler, points_of, redeal

SHEET = "J Qb | K Qb Kb | 9 7 Kb K | -"


def random_state(seed, turns, n_players=2, options=None):
    """The state some random turns into a game, and the rules."""
    rng = np.random.default_rng(seed)
    rules = (options or TowersOptions()).rules()
    state = new_state(n_players)
    state[PACK, 1:] = shuffled_packs(1, rng)[0]
    deal(state, 0)
    for _ in range(turns):
        if state[ON_TURN, 0] == NOBODY:
            break
        act(state, choose_at_random(state, rules, rng), rules, NO_LOG)
    return state, rules


# ------------------------------------------------------------------------------------------------------------ players


@pytest.mark.slow
def test_random_games_have_the_sizes_of_the_rules_chapter():
    """About 55 turns and 8 to 9.5 sections scored a game."""
    games = simulate_games(("random", "random"), 6_000, np.random.SeedSequence(1))
    assert 8.0 < games.points.sum(axis=1).mean() < 9.5
    assert 54 < games.events[:, TURNS].mean() < 57


def test_greedy_players_take_the_most_points():
    for seed in range(60):
        state, rules = random_state(seed, seed % 54, 2 + seed % 4)
        if state[ON_TURN, 0] == NOBODY:
            continue
        buffer = np.zeros(MOST_ACTIONS, dtype=np.int64)
        rng = np.random.default_rng(seed)
        greedy = choose_greedily(state, False, rules, rng, new_board(), buffer, NO_LOG)
        points = {action: points_of(state, action, rules, new_board(), NO_LOG) for action in actions_of(state, rules)}
        assert points[greedy] == max(points.values())


def test_random_player_draws_uniformly_from_the_legal_actions():
    state, rules = random_state(5, 12)
    legal = actions_of(state, rules).tolist()
    rng = np.random.default_rng(2)
    drawn = [choose_at_random(state, rules, rng) for _ in range(400 * len(legal))]
    counts = np.bincount(drawn, minlength=112)[legal]
    assert counts.sum() == len(drawn)
    assert ((counts - 400) ** 2 / 400).sum() < 2.5 * len(legal)  # chi-squared, far in its tail


def test_stronger_players_beat_weaker_ones():
    for better, worse, games in (("greedy", "random", 400), ("builder", "greedy", 400), ("search", "greedy", 20)):
        results = simulate_games((better, worse), games, np.random.SeedSequence(4), samples=8)
        assert (results.winners == 0).sum() > (results.winners == 1).sum()


# ----------------------------------------------------------------------------------------------------------- move


def test_move_ranks_every_legal_play_and_recommends_the_best():
    answer = move(SHEET, "J 5 5 2 A", samples=60, seed=3)
    board = Board.parse(SHEET)
    options = TowersOptions()
    assert [play.value.mean for play in answer.plays] == sorted((p.value.mean for p in answer.plays), reverse=True)
    assert answer.recommend == answer.plays[0].play
    assert all(play.value.low < play.value.mean < play.value.high and not play.exact for play in answer.plays)
    for play in answer.plays:
        place = play.action & 7
        value = play.action >> 3
        assert play.points == len(resolve_play(board, place, value, options).collected)
    assert (answer.source, answer.other_hands, answer.samples) == (35, (5,), 60)


def test_move_is_exact_when_the_source_is_empty():
    held = "J 5 3"
    on_board = "J Qb | K Qb Kb | 9 7 Kb K | -"
    hidden = "A 2 4 8"
    gone = list("A23456789TJQK" * 4)
    for card in f"{held} {hidden} J Q K K 9 7 K".split():
        gone.remove(card)
    answer = move(on_board, held, " ".join(gone))
    assert answer.exact and answer.to_json()["method"] == "exact"
    assert (answer.source, answer.other_hands) == (0, (4,))
    assert all(play.exact and play.value.low == play.value.mean == play.value.high for play in answer.plays)


def test_move_offers_razes_when_no_play_is_legal():
    answer = move("2 | 3 | 4 Q".replace("4 Q", "5 4") + " | 6 5 3", "K Q", samples=20)
    assert {play.play for play in answer.plays} <= {"K:1-2", "Q:1-2", "raze 1", "raze 2", "raze 3", "raze 4"}
    stuck = move("2 | 4 3 | 6 5 4 | 8 7 6 5", "K Q", samples=20)
    assert {play.play for play in stuck.plays} == {"raze 1", "raze 2", "raze 3", "raze 4"}
    board = Board.parse("2 | 4 3 | 6 5 4 | 8 7 6 5")
    for play in stuck.plays:
        assert play.points == len(resolve_raze(board, play.columns[0], TowersOptions()).collected)


def test_move_answers_for_more_players_and_from_the_seed_alone():
    answers = [move(SHEET, "J 5 2", players=4, samples=20, seed=seed).to_json() for seed in (1, 1, 2)]
    assert answers[0] == answers[1]
    assert answers[0]["plays"] != answers[2]["plays"]


def test_tr_4_a_shown_hand_stays_where_it_is():
    """Each deal holds what was shown; the rest is dealt; with all cards known every deal is one and the same game."""
    for seed in range(20):
        state, _ = random_state(seed, 12, 3)
        player = int(state[ON_TURN, 0])
        shown = np.zeros((3, 14), dtype=np.int64)
        other = (player + 1) % 3
        shown[other, 1:] = state[HANDS + other, 1:14]
        shown[other, np.flatnonzero(shown[other])[0]] = 0  # one card was drawn since
        shown[other, 0] = shown[other, 1:].sum()
        dealt = state.copy()
        work = new_sampler(3)
        redeal(dealt, player, shown, work.counts, work.unseen, np.random.default_rng(seed))
        assert (dealt[HANDS:, 0] == state[HANDS:, 0]).all() and (dealt[HANDS + other, 1:14] >= shown[other, 1:]).all()
        left = [sorted(np.repeat(np.arange(1, 14), one[HANDS:, 1:14].sum(axis=0)).tolist()
                       + one[PACK, one[PACK, 0] + 1 : 53].tolist()) for one in (dealt, state)]  # fmt: skip
        assert left[0] == left[1]


def test_tr_4_move_reckons_with_a_shown_hand():
    """Two cards in the source, the other hand shown: play-outs of the two deals that there are, written out."""
    gone = " ".join(["A 2 3 4 6 7 8 T J Q"] * 3 + ["A 2 3 4 6 7 8"])  # left: 5 5 5 5, 9 9 9 9, K K K K, T J Q
    asked = {"board": "9 5 | K | T | -", "gone": gone, "shown": "K K 9 5 J", "samples": 600}
    answer = move(hand="5 9 K Q", **asked)
    assert answer.source == 2 and answer.held == [["K", "K", "9", "5", "J"]]
    rules = TowersOptions().rules()
    random = np.random.default_rng(1)
    noted = np.zeros(MOST_ACTIONS, dtype=np.int64)
    for play in answer.plays:
        leads = []
        for source in ([5, 9], [9, 5]) * 300:
            trial = state_of(Board.parse(asked["board"]).to_array(), [[5, 9, 13, 12], [13, 13, 9, 5, 11]], source, 0)
            act(trial, play.action, rules, NO_LOG)
            while trial[ON_TURN, 0] != NOBODY:
                act(trial, choose_greedily(trial, True, rules, random, new_board(), noted, NO_LOG), rules, NO_LOG)
            leads.append(trial[ON_TURN, 1] - trial[ON_TURN, 2])
        error = (np.var(leads) / 300) ** 0.5
        assert abs(play.value.mean - np.mean(leads)) <= 4.5 * error + 1e-9


@pytest.mark.parametrize(
    ("shown", "words"),
    [("K K K K", "4 of rank K are shown; expected at most 3"), ("K | K", "2 hands are shown; expected at most 1"),
     ("2 2 4 4 6 6", "6 cards are shown of a hand of 5")],
)  # fmt: skip
def test_tr_4_what_cannot_have_been_shown_is_refused(shown, words):
    with pytest.raises(CardError, match=words):
        move("8 5 Tb | Q 9 Tb | K | -", "5 3", shown=shown, samples=2)
