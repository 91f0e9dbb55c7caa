"""PIMC as a whole strategy: against a plain recursion and against the simulator's `pimc`."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from tests.oracles.naive_equilibrium import Game, History, Own
from tests.oracles.naive_searches import means, standing_of, worlds
from towerlab.analysis.towers_and_bowers.exploitability.answers import ask_exploit
from towerlab.analysis.towers_and_bowers.exploitability.strategies import source_of_player, whole_game
from towerlab.games.cards import card_text
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.pimc_strategies import mean_play
from towerlab.solver.towers_and_bowers.whole_hand import Strategy
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_SUIT
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import probabilities


@cache
def strategy_of(name: str, cards: int, rank: int) -> Strategy:
    return source_of_player(name, cards).strategy_beside(13 * UP_SUIT + rank)


def action_text(action: int | str) -> str:
    return action if isinstance(action, str) else card_text(action)


@pytest.mark.parametrize("cards", [1, 2])
@pytest.mark.parametrize("rank", [7, 9])
def test_with_layouts_alike_it_plays_as_pimc(cards: int, rank: int) -> None:
    """Whatever the player `pimc` of the simulator plays is among what is best here."""
    pimc = strategy_of("pimc", cards, rank)
    ours = mean_play(whole_game(cards, rank), rank, pimc.bidding)
    assert not ((pimc.play > 0) & (ours == 0)).any()
    assert np.count_nonzero(ours) <= 1.1 * np.count_nonzero(pimc.play)


@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_those_of_a_plain_recursion(weighted: bool) -> None:
    """A sample of sets of every kind: what it does is what the recursion finds best."""
    rank, chosen = 9, random.Random(4)
    reached = strategy_of("pimc-weighted", 2, rank)
    if not weighted:
        play = mean_play(whole_game(2, rank), rank, reached.bidding)
        reached = Strategy(reached.bidding, play)
    sets = list(probabilities(whole_game(2, rank), rank, reached))
    payoffs = whole_game(2, rank).payoffs[0]  # 0, the value of a hand without a sweep, 1
    game = Game(2, card_text(13 * UP_SUIT + rank), 1 - float(payoffs[1]))
    by_standing = {standing_of(known): (known, shares) for known, shares in sets}

    def weight(held: Own, history: History, action: str) -> float:
        player = game.standing(history).to_play
        known, shares = by_standing[player, held, history]
        return dict(zip(map(action_text, known.actions), shares, strict=True))[action]

    asked = []
    for calls in sorted({known.calls for known, _ in sets}):
        group = [pair for pair in sets if pair[0].calls == calls]
        own = [pair for pair in group if pair[0].is_bidding or reached.play[list(pair[0].entries)].any()]
        calls_made, cards_played = ([pair for pair in own if pair[0].is_bidding == kind] for kind in (True, False))
        asked += chosen.sample(calls_made, min(2, len(calls_made))) if weighted else []
        asked += chosen.sample(cards_played, min(3, len(cards_played)))
    assert len(asked) > (30 if weighted else 15)
    for known, shares in asked:
        player, own, history = standing_of(known)
        layouts = worlds(game, player, own, history, weight if weighted else None)
        later = 1 if known.calls == ("pass",) else 0  # who accepts chooses their discard once
        found = means(game, player, own, history, layouts, later)
        best = max(found.values())
        does = {action_text(action): share for action, share in zip(known.actions, shares, strict=True) if share > 0}
        assert does and all(found[action] > best - 1e-8 for action in does), (str(known), does, found)


def test_with_one_card_it_cannot_be_exploited() -> None:
    assert ask_exploit("pimc-weighted", 1).exploitability == pytest.approx(0.0, abs=1e-12)


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(TowerlabError, match="no player 'alphamu'"):
        source_of_player("alphamu", 2)
