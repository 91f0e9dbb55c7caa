"""Players of the user's: seen what the engine shows, the same games in every form."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import towerlab as tl
from towerlab.analysis.players import find_player
from towerlab.analysis.towers_and_bowers.exploitability.answers import ask_exploit
from towerlab.analysis.towers_and_bowers.exploitability.matchups import matchup
from towerlab.analysis.towers_and_bowers.exploitability.strategies import source_of_player, whole_game
from towerlab.analysis.towers_and_bowers.simulation import play_units
from towerlab.analysis.towers_and_bowers.solutions.strategy_file import (
    Row,
    in_suits_of,
    information_set,
    word_of,
    write_rows,
)
from towerlab.analysis.towers_and_bowers.studies.local_best_response import AMOUNTS, LOCAL_BEST_RESPONSE, gains
from towerlab.analysis.towers_and_bowers.value_against import ask_value_against
from towerlab.games.bits import highest_bit
from towerlab.games.cards import SUIT_BITS, card_text
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import own_kernel
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.sim.own import Act, OwnPlayer, PlayerError, offered
from towerlab.sim.towers_and_bowers.best_response import best_response_values
from towerlab.sim.towers_and_bowers.habits import family_bids, family_play, novice_bids, novice_play
from towerlab.sim.towers_and_bowers.knowledge import NO_SOLUTION
from towerlab.sim.towers_and_bowers.own import act_of, actions_of, view_at, views_of
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_SUIT

OPTIONS = TowersAndBowersOptions(claims="off", starter="fixed")
_TURNS = ("BID1-ND", "BID1-D", "BID2-ND", "BID2-D", "DISCARD", "PLAY")


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


class Noting(InPython):
    """The same, who notes it down as the rows of a strategy file."""

    rows: ClassVar[set[Row]] = set()

    def act(self, view, legal, random):  # type: ignore[no-untyped-def]
        action = super().act(view, legal, random)
        self.rows.add(
            (view.n, card_text(view.up_card), str(information_set(view, renamed=False)), word_of(action, int), 1.0)
        )
        return action


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
def test_the_same_games_seed_by_seed(unit: str, other: str, tmp_path: Path) -> None:
    """By name, of kernels, in Python, and as the file of what was done there: hands of three, two and one cards."""
    played, path, options = [], tmp_path / "noted.parquet", TowersAndBowersOptions(first_n=3)
    for mine in ("novice", OwnPlayer("kernels", Kernels), OwnPlayer("python", Noting), str(path)):
        player = find_player(mine, "towers-and-bowers")
        result = play_units(unit, 3, 12, (player, other), options, np.random.SeedSequence(7))
        played.append(result)
        assert result.failure == ""
        write_rows(path, Noting.rows)
    for form, result in zip(("kernels", "python", "file"), played[1:], strict=True):
        assert result.winners.tolist() == played[0].winners.tolist(), form
        assert (result.points == played[0].points).all()


def test_a_file_plays_as_who_wrote_it(tmp_path: Path) -> None:
    """The best response to a policy: as a file it gains what was said, at the table and by exact play against it."""
    path = tmp_path / "response.parquet"
    lost = ask_exploit("random", 1, out=path)
    assert matchup(str(path), "random", 1).edge == pytest.approx(sum(lost.loss.values()) / 2)
    own = find_player(str(path), "towers-and-bowers")
    assert isinstance(own, OwnPlayer) and pickle.loads(pickle.dumps(own)).name == str(path)
    played = play_units("hand", 0, 400, (own, "random"), TowersAndBowersOptions(first_n=1), np.random.SeedSequence(2))
    assert played.failure == "" and (played.winners == 0).mean() > 0.6
    assert ask_exploit(strategy=path, cards=1).missing is None
    for ask in (ask_exploit, ask_value_against):
        with pytest.raises(TowerlabError, match="hands are not solved with tie_to=bidder"):
            ask("random", 1, options=TowersAndBowersOptions(tie_to="bidder"))
    write_rows(path, [(2, "AS", "nondealer | AS | JS QS |  |  | ", "pass", 1.0)])
    given = (own, "random"), TowersAndBowersOptions(first_n=2), np.random.SeedSequence(2)
    own.made.__init__(str(path))  # hands of two cards, of which it knows nearly nothing, then of one
    assert play_units("tower", 0, 2, *given).failure == ""
    failure = play_units("tower", 0, 1, given[0], TowersAndBowersOptions(first_n=3), given[2]).failure
    assert "has no row of hands of 3 cards" in failure


@pytest.mark.slow
def test_a_file_in_the_suits_of_every_up_card(tmp_path: Path) -> None:
    """A player who looks at the names of suits is answered beside each up-card in its own suits."""
    path = tmp_path / "response.parquet"
    lost = ask_exploit(OwnPlayer("hearts", hearts), 1, out=path)
    won = matchup(str(path), OwnPlayer("hearts", hearts), 1)
    assert won.edge == pytest.approx(sum(lost.loss.values()) / 2) and won.edge > 0


def hearts(view, legal, random):  # type: ignore[no-untyped-def]
    """Accepts hearts alone, names the first suit, plays the first card."""
    if view.phase in (Phase.BID1_ND, Phase.BID1_D):
        return legal[int(view.up_card // 13 != 1)]
    return legal[0]


class FamilyKernels:
    """The player `family`, as a user would write it."""

    @staticmethod
    @own_kernel
    def bids(hand, up, is_dealer, rules, random):  # type: ignore[no-untyped-def]
        return family_bids(hand, up, is_dealer, rules)

    @staticmethod
    @own_kernel
    def play(state, history, random):  # type: ignore[no-untyped-def]
        return family_play(state)


class Alike:
    """Every action alike, for many views at once."""

    def probabilities(self, views):  # type: ignore[no-untyped-def]
        return views.may / views.may.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        pytest.param("novice", Kernels, marks=pytest.mark.exhaustive, id="kernels"),
        pytest.param("family", FamilyKernels, marks=pytest.mark.exhaustive, id="more kernels"),
        pytest.param("random", Alike, id="arrays"),
        pytest.param("novice", InPython, id="python"),
    ],
)
@pytest.mark.parametrize(
    "cards",
    [1, pytest.param(2, marks=pytest.mark.exhaustive), pytest.param(3, marks=pytest.mark.exhaustive)],
)
def test_own_policies_lose_what_their_tables_lose(name: str, own: type, cards: int) -> None:
    """Beside up-cards of two ranks and every suit."""
    if own is InPython and cards == 3:
        with pytest.raises(TowerlabError, match=r"asked in 244,873,296 information states one by one; expected prob"):
            source_of_player(OwnPlayer("own", own), cards)
        return
    ours, theirs = source_of_player(name, cards), source_of_player(OwnPlayer("own", own), cards)
    for up in (8, 23, 38, 51) if cards == 1 else (23, 38):
        game, rank = whole_game(cards, up % 13), up % 13
        spade = up if up in ours.ups else 13 * UP_SUIT + rank
        found = [source.strategy_beside(each) for source, each in ((ours, spade), (theirs, up))]
        for seat in (0, 1):
            values = [best_response_values(game, rank, strategy, seat).sum() for strategy in found]
            assert values[0] == pytest.approx(values[1], abs=1e-9)


class Revoking:
    """Kernels that play the highest card whatever was led."""

    bids = Kernels.bids

    @staticmethod
    @own_kernel
    def play(state, history, random):  # type: ignore[no-untyped-def]
        return highest_bit(state.hand)


def test_kernels_that_play_what_they_cannot_are_stopped() -> None:
    """The units before it are the same as without the fault."""
    own = OwnPlayer("revoking", Revoking)
    result = play_units("hand", 0, 200, (own, "random"), TowersAndBowersOptions(first_n=3), np.random.SeedSequence(7))
    assert "the player revoking does what is not possible: {'action': 'play'" in result.failure
    assert 0 < len(result.winners) == len(result.points) < 200


@pytest.mark.exhaustive
def test_kernels_that_play_what_they_cannot_are_told_of_where_all_is_asked() -> None:
    with pytest.raises(PlayerError, match="the player revoking: a kernel plays what it cannot; a game of"):
        ask_exploit(OwnPlayer("revoking", Revoking), 2)


def only_spades(view, legal, random):  # type: ignore[no-untyped-def]
    """Accepts a spade, passes everything else, names the first suit."""
    words = [action["action"] for action in legal]
    return legal[words.index("accept" if view.up_card // 13 == 3 else "pass") if "accept" in words else 0]


def takes_red(view, legal, random):  # type: ignore[no-untyped-def]
    """Tells diamonds from hearts beside every up-card: accepts with a heart, names hearts, else diamonds."""
    words = [action.get("suit", action["action"]) for action in legal]
    if "accept" in words:
        return legal[words.index("accept" if view.hand & SUIT_BITS << 26 else "pass")]
    return legal[next((words.index(suit) for suit in "HDS" if suit in words), 0)]


@pytest.mark.parametrize("player", [only_spades, takes_red])
def test_who_bids_by_the_name_of_a_suit_is_answered_in_every_suit(player: Act) -> None:
    """One card is not played: the best bids gain what `exploit` says, in both seats."""
    found, exact = ask_value_against(player, 1), ask_exploit(OwnPlayer("own", player), 1)
    best = {seat.seat: seat.best for seat in found.seats}
    assert best["dealer"] - exact.value == pytest.approx(exact.loss["nondealer"] / 1000, abs=1e-9)
    assert best["nondealer"] - (1 - exact.value) == pytest.approx(exact.loss["dealer"] / 1000, abs=1e-9)
    assert exact.exploitability > 0.1 and "beside every up-card" in str(found)
    assert "beside a spade" in str(ask_value_against("novice", 1))


def test_the_best_bids_against_a_player() -> None:
    """One card is not played: there the double-dummy model is the game, and `exploit` finds the same best response."""
    found, lost = ask_value_against(hearts, 1), ask_exploit(OwnPlayer("hearts", hearts), 1)
    assert all(seat.best >= seat.equilibrium - 1e-9 for seat in found.seats)
    uniform, exact = ask_value_against("random", 1), ask_exploit("random", 1)
    worth = {seat.seat: seat.best for seat in uniform.seats}
    assert worth["dealer"] - exact.value == pytest.approx(exact.loss["nondealer"] / 1000, abs=1e-6)
    assert worth["nondealer"] - (1 - exact.value) == pytest.approx(exact.loss["dealer"] / 1000, abs=1e-6)
    assert lost.exploitability > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("cards", "exact"), [(2, 209.195), (3, 154.633)])
def test_the_local_best_response_to_own_kernels_is_a_lower_bound(cards: int, exact: float) -> None:
    """The win of a best response to the novice in both seats, mt: `towerlab exploit`, ``exploitability-3.csv``."""
    known = OwnPlayer("kernels", type("Known", (Kernels,), {"pure": True}))
    found = gains(known, cards, 12, AMOUNTS[cards], np.random.SeedSequence(1))
    assert LOCAL_BEST_RESPONSE.combine([found], {}).tables["bounds"]["low"][0] <= exact


def test_a_view_is_an_information_set_in_either_suits() -> None:
    random, solved, seen = np.random.default_rng(8), {n: set(tl.information_sets(n)) for n in (1, 2)}, 0
    for number in range(60):
        match = Match(TowersAndBowersOptions(claims="off", starter="procedure", first_n=1 + number % 2))
        while match.winner is None:
            if match.to_act is None:
                match.apply(match.chance(random))
                continue
            seat, legal = match.to_act, offered(match, match.to_act)
            if match.phase in _TURNS:
                known, real = (tl.information_set(match.view(seat), renamed=renamed) for renamed in (True, False))
                words = [action if isinstance(action, str) else card_text(action) for action in real.actions]
                assert sorted(words) == sorted(word_of(action, int) for action in legal)
                assert real == in_suits_of(known, match.view(seat).up_card)
                assert len(legal) == 1 or known in solved[len(known.dealt)]
                seen += len(legal) > 1
                with pytest.raises(TowerlabError, match="turn; expected the view of who bids"):
                    tl.information_set(match.view(1 - seat))
            match.apply(legal[int(random.integers(len(legal)))])
    assert seen > 300


def test_what_was_written_is_measured_as_it_was(tmp_path: Path) -> None:
    strategy = {known: {known.actions[0]: 0.75, known.actions[-1]: 0.25} for known in tl.information_sets(1)}
    assert tl.write_strategy(tmp_path / "own.parquet", strategy) == sum(len(known.actions) for known in strategy)
    read = tl.exploit(strategy=tmp_path / "own.parquet", cards=1)
    assert read.missing is None and read.loss == tl.exploitability(strategy.__getitem__, cards=1).loss
    with pytest.raises(TowerlabError, match="'magic' cannot be done; expected of accept, pass"):
        tl.write_strategy(tmp_path / "own.parquet", {next(iter(strategy)): {"magic": 1.0}})
