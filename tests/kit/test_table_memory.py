"""What a table holds in memory: little, however its players think, so that a server of many tables stays small."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from tests.kit.test_table_ends import begin, played
from towerlab.analysis.catalog import GAMES
from towerlab.table.commanding import table_of

# bytes
SEAT = 32_000
ACTION = 3_000


@pytest.fixture(autouse=True, scope="module")
def nothing_else_to_collect() -> Iterator[None]:
    """What other tests have left is looked at once, not at each collection."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def held(make: Callable[[], object]) -> int:
    """Bytes that what is made holds; what is made once in a process, such as a solver, is there before."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        kept = make()
        gc.collect()
        bytes_held = tracemalloc.get_traced_memory()[0]
        del kept
        return bytes_held
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("game", GAMES)
def test_a_player_in_a_seat_holds_little(game: str) -> None:
    table = table_of(game)
    options = GAMES[game].load("options")()
    for player in table.players:
        assert held(lambda player=player: table.simulation.seat(player, options)) < SEAT, player


@pytest.mark.parametrize("game", GAMES)
def test_a_table_holds_little_for_each_action(game: str) -> None:
    assert held(lambda: list(played(begin(game, 6), 6, 90))[-1]) < SEAT + 90 * ACTION


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_thinking_leaves_nothing_behind(game: str) -> None:
    thinker = "search" if game == "towers" else "pimc"
    assert held(lambda: list(played(begin(game, 6, against=thinker), 6, 90))[-1]) < 4 * SEAT + 90 * ACTION
