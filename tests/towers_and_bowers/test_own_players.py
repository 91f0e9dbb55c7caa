"""Players of the user's: seen what the engine shows, the same games in every form."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import exhaustive, run_python, slow
from towerlab.analysis.players import find_player, stored_player, written_name
from towerlab.analysis.towers_and_bowers.exploitability import SPADE_UPS, ask_exploit, matchup, source_of_player
from towerlab.analysis.towers_and_bowers.simulation import play_batch
from towerlab.analysis.towers_and_bowers.whole_strategies import (
    Row,
    action_word,
    in_suits_of,
    information_set,
    whole_game,
    write_rows,
)
from towerlab.games.cards import card_text
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.sim.batch import BatchRequest, BatchResult
from towerlab.sim.own_players import OwnPlayer, offered_actions
from towerlab.sim.towers_and_bowers.info_state import NO_SOLUTION, make_model
from towerlab.sim.towers_and_bowers.seats import PythonPlayer, act_of, actions_of, ready_player, view_at, views_of
from towerlab.sim.towers_and_bowers.whole_strategy import whole_strategy
from towerlab.solver.towers_and_bowers.self_play import policies
from towerlab.solver.towers_and_bowers.whole_hand.arrays import UP_SUIT
from towerlab.solver.towers_and_bowers.whole_hand.solve import best_response_values

OPTIONS = TowersAndBowersOptions(claims="off", starter="fixed")
_TURNS = ("BID1-ND", "BID1-D", "BID2-ND", "BID2-D", "DISCARD", "PLAY")


class Arrays:
    """The novice, given many views at once."""

    def probabilities(self, views):  # type: ignore[no-untyped-def]
        player = PythonPlayer(OwnPlayer("novice", InPython), OPTIONS)
        return player.action_probabilities(views)


class InPython:
    """The novice, as a user would write it."""

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
            (view.n, card_text(view.up_card), str(information_set(view, renamed=False)), action_word(action, int), 1.0)
        )
        return action


def test_a_view_made_of_arrays_is_the_engines() -> None:
    """Every decision of matches at random: the view as one row of arrays and back, and what is possible."""
    random = np.random.default_rng(5)
    seen = set()
    for number in range(40):
        match = Match(TowersAndBowersOptions(claims="off", starter="procedure", first_n=1 + number % 7))
        while match.winner is None:
            if match.to_act is None:
                match.apply(match.chance(random))
                continue
            seat = match.to_act
            state = match.state()
            legal = offered_actions(match, seat)
            if state.towers == (0, 0) and state.dealer == 1:
                view = match.view(seat)
                views = views_of(view)
                assert view_at(views, 0, match.options) == view
                assert actions_of(views, 0) == legal
                assert views.may.sum() == len(legal)
                seen.add((view.phase, seat))
            match.apply(legal[int(random.integers(len(legal)))])
    assert len(seen) == 7


def play_units(
    unit: str, first: int, units: int, players: tuple[Any, Any], options: Any, seed: Any, where: str = "", **how: bool
) -> BatchResult:
    return play_batch(BatchRequest(players, first, units, seed, unit, None, options, where, **how))


@pytest.mark.parametrize("unit", ["hand", "tower", "match"])
@pytest.mark.parametrize("other", ["family"])
def test_the_same_games_seed_by_seed(unit: str, other: str) -> None:
    """By name and with `act`: towers from hands of three cards on."""
    given = TowersAndBowersOptions(first_n=3), np.random.SeedSequence(7)
    named, own = (play_units(unit, 3, 12, (player, other), *given) for player in ("novice", OwnPlayer("own", InPython)))
    assert own.failure == "" and own.winners.tolist() == named.winners.tolist()
    assert (own.points == named.points).all()


@pytest.mark.parametrize("where", ["", "trumps(dealer) >= 1"])
@pytest.mark.parametrize("first_n", [1, 4, 7])
def test_hands_side_by_side_are_those_of_the_simulator(first_n: int, where: str, tmp_path: Path) -> None:
    """By name, with arrays, and as the file of what the player did."""
    path = tmp_path / "noted.parquet"
    options = TowersAndBowersOptions(first_n=first_n)
    Noting.rows.clear()
    played = []
    for player in ("novice", OwnPlayer("noting", Noting), OwnPlayer("arrays", Arrays), str(path)):
        found = find_player(player, "towers-and-bowers")
        played.append(play_units("hand", 3, 40, (found, "family"), options, np.random.SeedSequence(7), where))
        write_rows(path, Noting.rows)
    for result in played:
        assert result.failure == "" and result.winners.tolist() == played[0].winners.tolist()
        assert (result.points == played[0].points).all()


@pytest.mark.parametrize("unit", ["hand", "tower", "match"])
@pytest.mark.parametrize("stops", [True, False])
def test_what_is_played_side_by_side_is_what_the_engine_plays(unit: str, stops: bool) -> None:
    """The transcripts, in the engine again: the same winners and towers; the novice in arrays plays as by name."""
    options = TowersAndBowersOptions(first_n=4, early_stop=stops)
    seed = np.random.SeedSequence(9)
    players = OwnPlayer("arrays", Arrays), "family"
    results = [play_units(unit, 1, 30, players, options, seed, recorded=recorded) for recorded in (False, True)]
    assert results[0].winners.tolist() == results[1].winners.tolist() and len(results[1].transcripts) == 30
    for row, lines in enumerate(results[1].transcripts):
        match = Match(TowersAndBowersOptions(first_n=4, early_stop=stops, claims="off"))
        novice = InPython()
        for action in map(json.loads, lines.splitlines()[1:]):
            seat = match.to_act
            if seat == (1 + row) % 2 and action["action"] in ("accept", "pass", "name", "discard", "play"):
                assert novice.act(match.view(seat), (), np.random.default_rng(0)) == action
            match.apply(action)
        won = match.state().towers
        assert results[0].points[row].tolist() == [won[(player + 1 + row) % 2] for player in range(2)]


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
    with pytest.raises(TowerlabError, match="hands are not solved with tie_to=bidder"):
        ask_exploit("random", 1, options=TowersAndBowersOptions(tie_to="bidder"))
    write_rows(path, [(2, "AS", "nondealer | AS | JS QS |  |  | ", "pass", 1.0)])
    given = (own, "random"), TowersAndBowersOptions(first_n=2), np.random.SeedSequence(2)
    own.implementation.__init__(str(path))  # hands of two cards, of which it knows nearly nothing, then of one
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


class Alike:
    """Every action alike, for many views at once."""

    def probabilities(self, views):  # type: ignore[no-untyped-def]
        return views.may / views.may.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "own"),
    [pytest.param("random", Alike, id="arrays"), pytest.param("novice", InPython, id="python")],
)
@pytest.mark.parametrize(
    "cards",
    [1, exhaustive(2), exhaustive(3)],
)
def test_own_policies_lose_what_their_tables_lose(name: str, own: type, cards: int) -> None:
    """Beside up-cards of two ranks and every suit."""
    if own is InPython and cards == 3:
        with pytest.raises(TowerlabError, match=r"asked in 244,873,296 information states one by one; expected prob"):
            source_of_player(OwnPlayer("own", own), cards)
        return
    ours, theirs = source_of_player(name, cards), source_of_player(OwnPlayer("own", own), cards)
    for up in (8, 23, 38, 51) if cards == 1 else (23, 38):
        game = whole_game(cards, up % 13)
        rank = up % 13
        spade = up if up in ours.ups else 13 * UP_SUIT + rank
        found = [source.strategy_for(each) for source, each in ((ours, spade), (theirs, up))]
        for seat in (0, 1):
            values = [best_response_values(game, strategy, seat).sum() for strategy in found]
            assert values[0] == pytest.approx(values[1], abs=1e-9)


class Revoking(Arrays):
    """Plays the highest card, whatever was led."""

    def probabilities(self, views):  # type: ignore[no-untyped-def]
        if views.phase != Phase.PLAY:
            return super().probabilities(views)
        return np.eye(views.columns)[np.bitwise_count(views.hand) - 1]


def test_arrays_of_what_cannot_be_done_stop_the_run() -> None:
    given = (OwnPlayer("revoking", Revoking), "random"), TowersAndBowersOptions(first_n=3), np.random.SeedSequence(7)
    result = play_units("hand", 0, 200, *given)
    assert re.search(
        r"the player revoking does what is not possible: \[.*expected 0 but for \(\{'action'", result.failure
    )
    assert len(result.winners) == len(result.points) == 0


@pytest.mark.parametrize("cards", [1, slow(2)])
def test_the_learned_player_does_the_same_in_every_suit(cards: int) -> None:
    """What `symmetric` says: one strategy, whichever suit is turned up."""
    options = TowersAndBowersOptions(first_n=cards)
    given = options.hand_rules, make_model(options, (0.5,) * 8)
    player = find_player("learned:3", "towers-and-bowers")
    game = whole_game(cards, 10)
    ready = ready_player(player, options)
    spades, *others = (whole_strategy(ready, game, 13 * suit + 10, *given) for suit in (3, 2, 1, 0))
    assert spades.bidding.max() > 0.5
    for other in others:
        assert other.bidding == pytest.approx(spades.bidding, abs=1e-5)
        assert other.play == pytest.approx(spades.play, abs=1e-5)
    assert source_of_player(player, cards).ups == source_of_player("learned", cards).ups == SPADE_UPS


def test_the_learned_player_by_name() -> None:
    """As an object, in another process, in transcripts, at the table; its number is a whole one."""
    player = find_player("learned:7", "towers-and-bowers")
    assert str(player) == str(stored_player("learned:7", "towers-and-bowers"))
    again = pickle.loads(pickle.dumps(player))
    assert str(again) == written_name(again) == "learned:7" and again.is_ours
    given = TowersAndBowersOptions(), np.random.SeedSequence(4)
    alone, far = (play_units("tower", 0, 6, (one, "novice"), *given, recorded=True) for one in (player, again))
    assert alone.failure == "" and alone.transcripts == far.transcripts and '"learned:7"' in far.transcripts[0]
    for setting in ("0", "x", "2.5"):
        with pytest.raises(TowerlabError, match=f"{setting} holds no learned policy; expected a folder"):
            find_player(f"learned:{setting}", "towers-and-bowers")


def test_the_player_of_a_folder_plays_by_the_policy_in_it(tmp_path: Path) -> None:
    other = (Path(__file__).parents[1] / "golden" / "self_play_2x128.npz").read_bytes()
    for name, content in policies.bundle_files({policies.POLICY_FILE: other}).items():
        (tmp_path / name).write_bytes(content)
    player = find_player(f"learned:{tmp_path}", "towers-and-bowers")
    with policies.answer_with(policies.read_bundle(tmp_path)):
        expected = play_units("tower", 0, 4, ("learned", "novice"), TowersAndBowersOptions(), np.random.SeedSequence(4))
    played = play_units("tower", 0, 4, (player, "novice"), TowersAndBowersOptions(), np.random.SeedSequence(4))
    assert (played.points == expected.points).all() and played.failure == ""
    with pytest.raises(TowerlabError, match="was not brought"):
        stored_player(str(player), "towers-and-bowers")


FIRST_CALL = """
import gc
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from towerlab.table.commanding import open_session

session = open_session("towers-and-bowers", against="learned", record=Path("game.jsonl"), seed=4, seat=0)
session.advance()
assert session.engine.actions[-1]["action"] in ("accept", "pass"), session.engine.actions[-1]
compiled = [one.py_func for one in gc.get_objects() if isinstance(one, Dispatcher) and one.overloads]
others = [kernel.__name__ for kernel in compiled if "self_play" not in kernel.__module__]
assert set(others) <= {"to_play_order", "lowest_index", "popcount", "majority", "result_is_settled"}, others
"""


BEGINNERS = """
import gc
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from towerlab.analysis.catalog import GAMES
from towerlab.table.commanding import open_session

for game in GAMES:
    session = open_session(game, against="novice", record=Path(f"{game}.jsonl"), seed=4, seat=0)
    for _ in range(8):
        session.step() if session.waits_for is None else session.act(0, session.prompt(0).choices[0].action)
compiled = {one.py_func.__name__ for one in gc.get_objects() if isinstance(one, Dispatcher) and one.overloads}
assert "choose_as_novice" in compiled
others = {"pimc_bids", "equilibrium_bids", "choose_as_builder", "choose_by_sampling", "split_by_model", "random_call"}
assert not compiled & others, compiled & others
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", [FIRST_CALL, BEGINNERS], ids=["the learned player's first call", "beginners"])
def test_a_player_at_a_table_needs_no_kernels_of_other_players(script: str, tmp_path: Path) -> None:
    """Nor does the learned player's first call compile or load one of a solver or of the simulator."""
    (tmp_path / "first.py").write_text(script)
    run_python("first.py", cwd=tmp_path)


def test_arrays_are_for_games_that_take_them() -> None:
    with pytest.raises(TowerlabError, match="towers-and-bowers alone takes; towers expects act"):
        tl.simulate("towers", [Alike, "novice"], 2, jobs=1, quiet=True)


def test_a_view_is_an_information_set_in_either_suits() -> None:
    random = np.random.default_rng(8)
    solved = {n: set(tl.information_sets(n)) for n in (1, 2)}
    seen = 0
    for number in range(20):
        match = Match(TowersAndBowersOptions(claims="off", starter="procedure", first_n=1 + number % 2))
        while match.winner is None:
            if match.to_act is None:
                match.apply(match.chance(random))
                continue
            seat = match.to_act
            legal = offered_actions(match, match.to_act)
            if match.phase in _TURNS:
                known, real = (tl.information_set(match.view(seat), renamed=renamed) for renamed in (True, False))
                words = [action if isinstance(action, str) else card_text(action) for action in real.actions]
                assert sorted(words) == sorted(action_word(action, int) for action in legal)
                assert real == in_suits_of(known, match.view(seat).up_card)
                assert len(legal) == 1 or known in solved[len(known.dealt)]
                seen += len(legal) > 1
                with pytest.raises(TowerlabError, match="turn; expected a view of the player to act"):
                    tl.information_set(match.view(1 - seat))
            match.apply(legal[int(random.integers(len(legal)))])
    assert seen > 100


def test_what_was_written_is_measured_as_it_was(tmp_path: Path) -> None:
    strategy = {known: {known.actions[0]: 0.75, known.actions[-1]: 0.25} for known in tl.information_sets(1)}
    assert tl.write_strategy(tmp_path / "own.parquet", strategy) == sum(len(known.actions) for known in strategy)
    read = tl.exploit(strategy=tmp_path / "own.parquet", cards=1)
    assert read.missing is None and read.loss == tl.exploitability(strategy.__getitem__, cards=1).loss
    with pytest.raises(TowerlabError, match="'magic' cannot be done; expected of accept, pass"):
        tl.write_strategy(tmp_path / "own.parquet", {next(iter(strategy)): {"magic": 1.0}})
