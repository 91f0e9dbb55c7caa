"""The hand as a game of OpenSpiel: its rules against the engine, and its exploitability against our solver's."""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import ROOT, exhaustive
from towerlab.games.cards import card_text, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import Match, Phase, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import CallCode
from towerlab.sim.towers_and_bowers.match import DEALER, NONDEALER
from towerlab.sim.towers_and_bowers.openspiel import CALLS_FROM, PACK, load_game
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, Schedule, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.solve import exploitability

pyspiel = pytest.importorskip("pyspiel")

_OPENSPIELS = ("cell-4", "cell-5")  # of the notebook
_PLAYERS = {NONDEALER: 1, DEALER: 0}  # of a match whose player 0 deals


def _dealt(game: Any, choices: random.Random) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, odds = zip(*state.chance_outcomes(), strict=True)
        assert math.isclose(sum(odds), 1.0)
        state.apply_action(choices.choices(actions, odds)[0])
    return state


def _match_of(state: Any) -> Match:
    """A match in which the same cards are dealt."""
    position = state.position
    n = state.position.n
    match = Match(TowersAndBowersOptions(starter="fixed", first_n=n, claims="off"))
    nondealer, dealer = (mask_cards(hand) for hand in position.dealt)
    packets = {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (2, 3), 6: (3, 3), 7: (2, 2, 3)}[n]
    pack = [cards.pop() for size in packets for cards in (nondealer, dealer) for _ in range(size)] + [position.up]
    match.shuffle([*pack, *(card for card in PACK if card not in pack)])
    match.decline_cut()
    match.deal(packets)
    return match


def _possible(match: Match) -> list[int]:
    """The engine's legal actions in the adapter's numbers."""
    if match.phase == Phase.DISCARD:
        return [number for number, card in enumerate(PACK) if match.can_discard(card)]
    if match.phase == Phase.PLAY:
        return [number for number, card in enumerate(PACK) if match.can_play(card)]
    calls = [CALLS_FROM + CallCode.PASS] if match.can_pass_() else []
    calls += [CALLS_FROM + CallCode.ACCEPT] if match.can_accept() else []
    return calls + [CALLS_FROM + CallCode.naming(suit) for suit in range(4) if match.can_name(suit)]


def _take(match: Match, action: int) -> None:
    if action == CALLS_FROM + CallCode.PASS:
        match.pass_()
    elif action == CALLS_FROM + CallCode.ACCEPT:
        match.accept()
    elif action >= CALLS_FROM:
        match.name(action - CALLS_FROM - CallCode.CLUBS)
    elif match.phase == Phase.DISCARD:
        match.discard(PACK[action])
    else:
        match.play(PACK[action])


@pytest.mark.parametrize("n", range(1, 8))
def test_random_hands_go_as_in_the_engine(n: int) -> None:
    choices = random.Random(n)
    worth = 0.75
    game = load_game(n, deal_value=worth)
    for _ in range(12):
        state = _dealt(game, choices)
        match = _match_of(state)
        while not state.is_terminal():
            assert match.to_act == _PLAYERS[state.current_player()]
            assert state.legal_actions() == _possible(match)
            action = choices.choice(state.legal_actions())
            state.apply_action(action)
            _take(match, action)
            forced = _possible(match) if match.phase in (Phase.DISCARD, Phase.PLAY) else []
            while len(forced) == 1 and (n == 1 or state.is_terminal()):
                _take(match, forced[0])
                forced = _possible(match) if match.phase in (Phase.DISCARD, Phase.PLAY) else []
        hand = match.state().hand
        assert hand is not None and hand.outcome is not None
        outcome = hand.outcome
        assert state.position.taken == (outcome.taken[1], outcome.taken[0])
        if outcome.tower_to is not None:
            expected = 0.5 if outcome.tower_to == _PLAYERS[NONDEALER] else -0.5
        else:
            expected = worth - 0.5 if outcome.next_dealer == _PLAYERS[NONDEALER] else 0.5 - worth
        assert state.returns() == [expected, -expected]


def test_chance_makes_every_deal_alike_and_deals_it_once() -> None:
    histories: dict[tuple[int, int, int], float] = {}
    levels = [(load_game(2, "JS").new_initial_state(), 1.0)]
    for _ in range(3):  # of four cards: the rest is checked through the sum
        levels = [(state.child(card), odds * p) for state, odds in levels for card, p in state.chance_outcomes()]
    for state, odds in levels:
        for card, p in state.chance_outcomes():
            position = state.position.after(card)
            assert (*position.dealt, position.up) not in histories
            histories[(*position.dealt, position.up)] = odds * p
    deals = math.comb(23, 2) * math.comb(21, 2)
    assert len(histories) == deals
    assert np.allclose(list(histories.values()), 1 / deals, rtol=1e-12)


def test_information_states_tell_own_cards_and_what_is_public() -> None:
    state = load_game(2, "9S", 0.7).new_initial_state()
    for text in ("KH", "AS", "JC", "QD", "pass", "accept", "QD", "KH"):
        state.apply_action(state.string_to_action(text))
    nondealers = state.information_state_string(NONDEALER)
    dealers = state.information_state_string(DEALER)
    assert nondealers == "p0 dealt AS KH up 9S calls pass accept exchanged plays 0:KH"
    assert dealers == "p1 dealt QD JC up 9S calls pass accept discard QD exchanged plays 0:KH"


@pytest.mark.parametrize(
    "hands",
    [300, exhaustive(80_000)],
)
def test_the_notebook_runs(hands: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/train.ipynb: one card learnt in PettingZoo and in OpenSpiel, measured here; it asserts what it says.

    In the default tier a smaller training, and OpenSpiel's part is left out: six games of its solver take a minute.
    """
    pytest.importorskip("pettingzoo")
    monkeypatch.chdir(tmp_path)
    cells = {cell["id"]: cell for cell in json.loads((ROOT / "docs" / "train.ipynb").read_text())["cells"]}
    names: dict[str, Any] = {"theirs": {"sum": 347.908432}, "openspiel_loss": {}}
    for name, cell in cells.items():
        code = "".join(cell["source"]).replace("HANDS = 80_000", f"HANDS = {hands}")
        if cell["cell_type"] == "code" and (hands > 300 or name not in _OPENSPIELS):
            exec(code, names)
    uniform, *learnt = names["losses"].values()
    assert uniform == pytest.approx(347.908432, abs=1e-6)
    assert max(learnt) < (1.0 if hands < 4_000 else 0.8) * uniform
    shipped = "".join(text for cell in cells.values() for output in cell.get("outputs", []) for text in output["text"])
    assert "'PettingZoo, 80,000 hands': 4.71" in shipped and "'uniform': 347.91" in shipped


@pytest.mark.slow
def test_cfr_plus_is_as_exploitable_as_ours_to_ten_digits() -> None:
    """Hands of one card with a nine turned up: OpenSpiel's solver and best responses on its own tree against ours."""
    from open_spiel.python.algorithms import cfr
    from open_spiel.python.algorithms import exploitability as openspiel_exploitability

    game = load_game(1, "9S")
    rank = 7
    theirs = cfr.CFRPlusSolver(game)
    ours = HandSolver(hand_game(1, rank, 0.0), Schedule(plus=True, power=1.0))
    for steps in (1, 1):
        for _ in range(steps):
            theirs.evaluate_and_update_policy()
        ours.run(steps)
        mean = openspiel_exploitability.exploitability(game, theirs.average_policy())  # over the two players
        found = exploitability(ours.game, ours.strategy())
        assert found == pytest.approx(2 * mean, rel=1e-10, abs=1e-12)
        assert found > 1e-3


@pytest.mark.parametrize(
    ("cards", "up_card", "deal_value", "said"),
    [(8, "", 0.5, "1..7"), (3, "8S", 0.5, "24 cards"), (3, "9S TS", 0.5, "expected one"), (3, "", 1.5, "0..1")],
)
def test_what_cannot_be_is_refused(cards: int, up_card: str, deal_value: float, said: str) -> None:
    with pytest.raises(TowerlabError, match=said.replace(".", r"\.")):
        load_game(cards, up_card, deal_value)


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("up_card", ["", "9S"])
def test_it_passes_openspiels_own_tests_of_games(n: int, up_card: str) -> None:
    """Random simulation with undoing, masks, observations and serialization; pickling of game, type and states."""
    from open_spiel.python.tests import games_sim_test

    game = tl.load_game(n, up_card, 0.7)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)
    games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.parametrize("parameters", ["cards=1", "cards=7,up_card=JS,deal_value=0.6"])
def test_openspiel_writes_its_playthrough(parameters: str) -> None:
    """By its own program, which asks for every kind of observation; what it has no observer for is None."""
    from open_spiel.python.algorithms.generate_playthrough import playthrough
    from open_spiel.python.observation import make_observation

    tl.load_game(1)
    text = playthrough(f"python_towers_and_bowers({parameters})", None, seed=5)
    assert "IsTerminal() = True" in text and "Returns() = [" in text
    game = pyspiel.load_game(f"python_towers_and_bowers({parameters})")
    assert "player" in make_observation(game).dict
    assert make_observation(game, pyspiel.IIGObservationType(True, False, pyspiel.PrivateInfoType.NONE)) is None


def test_it_is_registered_with_openspiel() -> None:
    load_game(1)
    game = pyspiel.load_game("python_towers_and_bowers(cards=2,up_card=JS,deal_value=0.8)")
    state = game.new_initial_state()
    assert (state.position.n, card_text(state.position.up), game.deal_value) == (2, "JS", 0.8)


def test_without_openspiel_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "towerlab.sim.towers_and_bowers.openspiel_game", None)
    with pytest.raises(TowerlabError, match="pip install open_spiel"):
        load_game(1)
