"""Players of the user's: seen what the engine shows, the same games in every form."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.towers_and_bowers.simulation import play_units
from games.own_kernels import own_kernel
from games.towers_and_bowers import Match, TowersAndBowersOptions
from sim.own import OwnPlayer, offered
from sim.towers_and_bowers.habits import novice_bids, novice_play
from sim.towers_and_bowers.knowledge import NO_SOLUTION
from sim.towers_and_bowers.own import act_of, actions_of, view_at, views_of

OPTIONS = TowersAndBowersOptions(claims="off", starter="fixed")


class Kernels:
    """The novice, as a user would write it."""

    @staticmethod
    @own_kernel
    def bids(hand, up, is_dealer, rules, random):  # type: ignore[no-untyped-def]
        return novice_bids(hand, up, is_dealer, rules)

    @staticmethod
    @own_kernel
    def play(state, history, random):  # type: ignore[no-untyped-def]
        return novice_play(state)


class InPython:
    """The same, asked in Python."""

    def __init__(self) -> None:
        self._act = act_of("novice", OPTIONS, (0.0,) * 8, NO_SOLUTION)

    def act(self, view, legal, random):  # type: ignore[no-untyped-def]
        return self._act(view, legal, random)


def test_a_view_made_of_arrays_is_the_engines() -> None:
    """Every decision of matches at random: the view as one row of arrays and back, and what is possible."""
    random, seen = np.random.default_rng(5), set()
    for number in range(40):
        match = Match(TowersAndBowersOptions(claims="off", starter="procedure", first_n=1 + number % 7))
        while match.winner is None:
            if match.to_act is None:
                match.apply(match.chance(random))
                continue
            seat, state = match.to_act, match.state()
            legal = offered(match, seat)
            if state.towers == (0, 0) and state.dealer == 1:
                view = match.view(seat)
                views = views_of(view)
                assert view_at(views, 0, match.options) == view
                assert actions_of(views, 0) == legal
                assert views.may.sum() == len(legal)
                seen.add((view.phase, seat))
            match.apply(legal[int(random.integers(len(legal)))])
    assert len(seen) == 7


@pytest.mark.parametrize("unit", ["hand", "tower", "match"])
@pytest.mark.parametrize("other", ["family"])
def test_the_same_games_seed_by_seed(unit: str, other: str) -> None:
    played = []
    for mine in ("novice", OwnPlayer("kernels", Kernels), OwnPlayer("python", InPython)):
        options = TowersAndBowersOptions(first_n=3)
        result = play_units(unit, 3, 12, (mine, other), options, np.random.SeedSequence(7))
        played.append(result)
        assert result.failure == ""
    for result in played[1:]:
        assert (result.winners == played[0].winners).all() and (result.points == played[0].points).all()
