"""Loops that wait for something that may never come: each has a bound and says so."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.simulation import simulate
from towerlab.games.errors import TowerlabError

PACKAGES = ("games", "solver", "sim", "analysis", "table", "web", "commands")
# Why each loop without a condition, or up to the end of a game, ends; a new one needs a line here, or better a bound.
FINITE = "the tree is finite"
ENDS = {
    "analysis/whole_files.py __init__": "whoever holds the file removes it and ends",
    "games/tower_war/turns.py _next_card": "a stash has few cards",
    "games/towers/rules.py cascade": "every pass takes sections away",
    "solver/claims/search.py takes": FINITE,
    "solver/double_dummy/search.py search": FINITE,
    "solver/double_dummy/transpositions.py find_slot": "the table has a free place",
    "solver/tower_war/decks.py search_deck": FINITE,
    "solver/towers/ending.py value_between": FINITE,
    "solver/towers_and_bowers/self_play/policies.py play_out": "a hand has few decisions",
    "solver/towers_and_bowers/whole_hand/update.py play_pass": FINITE,
    "sim/bowers/continuation.py finish_auctions": "a bid is higher than the last one, or a pass",
    "sim/bowers/games.py simulate_units": "a game has at most MOST_DEALS deals",
    "sim/towers/games.py expected_reply": "every pass sets a gain to zero",
    "sim/towers_and_bowers/match.py _play_hands": "each of our players names a trump with some hands",
    "analysis/towers_and_bowers/deal_value.py _value_of_dealing": "a contraction",
    "analysis/towie/studies/bidding_accuracy.py draw_decision": "novices bid with some hands and pass with others",
    "analysis/claims/asking.py play_game": "our players end their games",
    "analysis/simulation/__init__.py play_in_engine": "at most MOST_ACTIONS",
    "table/environment.py _go_on": "an agent of the user's acts in every game",
    "table/hidden.py _fitting": "each pass has another bar, or one trial less",
    "table/fitting_layouts.py layouts": "yields, and ends with its caller",
    "table/play.py train_at_terminal": "ends with the keyboard's input",
    "table/play.py record_at_terminal": "ends with the keyboard's input",
    "table/record.py _go_on": "each pass writes a record down; a game has an end",
    "web/answering.py _answer_questions": "ends with the server",
    "web/answering.py ask": "has a limit of seconds",
    "web/serving.py _give_back_memory": "a daemon: ends with the server",
}


class Last:
    """Does always the last of what it may do, in Bowers the highest bid: its side never makes it."""

    name = "last"

    def act(self, view: Any, legal: Any, random: np.random.Generator) -> Any:
        return legal[-1]


class First:
    """Does always the first of what it may do."""

    name = "first"

    def act(self, view: Any, legal: Any, random: np.random.Generator) -> Any:
        return legal[0]


@pytest.mark.parametrize("player", [First, Last])
@pytest.mark.parametrize("game", GAMES)
def test_players_that_end_no_game_are_stopped(game: str, player: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.analysis.simulation.MOST_ACTIONS", 300)
    sizes = GAMES[game].load("simulate").table_sizes
    try:
        assert simulate(game, [player] * sizes[0], 1, jobs=1, quiet=True).games == 1
    except TowerlabError as error:
        assert "not over after 300 actions; expected players that end their games" in str(error)


def _endless_loops() -> set[str]:
    """Return the functions with a loop ``while True`` or up to the end of a game, by file."""
    return {
        f"{path.relative_to(ROOT)} {function.name}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for loop in ast.walk(function)
        if isinstance(loop, ast.While)
        and ast.unparse(loop.test).endswith(("True", ".result is None", "result_of(engine)) is None"))
    }


def test_every_endless_loop_is_known() -> None:
    assert _endless_loops() == ENDS.keys()
