"""The study of the whole hand, and the strategies of one and two cards that ship from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.conftest import run_python
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers import whole_strategies
from towerlab.analysis.towers_and_bowers.deal_value import whole_hand_values
from towerlab.analysis.towers_and_bowers.studies import hand_equilibrium
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding import make_deals
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.solve import exploitability

SEED = np.random.SeedSequence(0)
FEW = hand_equilibrium.PARAMETERS | {"cards": 1, "every": 6, "most": 6, "target": 1e-300}


class StruckCheckpoint(Checkpoint):
    """Keeps every state, and is struck down at the fourth or another."""

    last = 4

    def offer(self, steps: int, state: dict[str, np.ndarray]) -> None:
        self._saved = -1e9
        super().offer(steps, state)
        if steps == self.last:
            raise KeyboardInterrupt


@pytest.mark.parametrize("cards", [1, 2])
def test_a_chunk_that_was_killed_goes_on_to_the_identical_result(cards: int, tmp_path: Path) -> None:
    parameters = FEW | {"cards": cards, "next_deal": 0.8551}
    through = tmp_path / "through"
    struck = tmp_path / "struck"
    through.mkdir()
    struck.mkdir()
    whole = hand_equilibrium.solve_chunk(3, SEED, parameters, Checkpoint(through, 3))
    with pytest.raises(KeyboardInterrupt):
        hand_equilibrium.solve_chunk(3, SEED, parameters, StruckCheckpoint(struck, 3))
    kept = Checkpoint(struck, 3).latest()
    assert kept is not None and kept[0] == StruckCheckpoint.last
    resumed = hand_equilibrium.solve_chunk(3, SEED, parameters, Checkpoint(struck, 3))
    pd.testing.assert_frame_equal(whole, resumed, check_exact=True)


def test_the_spread_is_the_largest_between_solutions_from_different_starts(tmp_path: Path) -> None:
    parameters = FEW | {"cards": 2, "next_deal": 0.8551, "starts": 3, "every": 60, "most": 60}
    assert hand_equilibrium.HAND_EQUILIBRIUM.count_chunks(parameters) == 18
    tables = [
        hand_equilibrium.solve_chunk(chunk, SEED, parameters, Checkpoint(tmp_path, chunk)) for chunk in (3, 9, 15)
    ]
    classes, *others = (table[table["kind"] == "class"] for table in tables)
    weights = make_deals(2, int(classes["up"].iloc[0])).weights.astype(int)
    calls = ["value_answer", "value_answer_pass"]
    found = []
    for start, other in enumerate(others, start=1):
        assert (classes["hand"] == other["hand"]).all() and (other["start"] == start).all()
        apart = []
        for mine, yours, hands in zip(classes[calls].to_numpy(), other[calls].to_numpy(), weights, strict=True):
            apart += [abs(max(mine) - max(yours))] * int(hands)
        assert max(apart) > 0
        found.append(hand_equilibrium.spreads(2, classes, other))
        quantile = np.quantile(apart, 0.95, method="inverted_cdf")
        assert found[-1]["answer_spread"] == pytest.approx(np.mean(apart), abs=5e-6)
        assert found[-1]["answer_spread_most"] == pytest.approx(quantile, abs=5e-6)
    largest = hand_equilibrium.spreads(2, classes, pd.concat(others))
    assert found[0] != found[1] and largest == {name: max(each[name] for each in found) for name in found[0]}
    with pytest.raises(TowerlabError, match="starts=4 is unknown; expected 1, 2 or 3"):
        hand_equilibrium.HAND_EQUILIBRIUM.count_chunks(parameters | {"starts": 4})


SOLVE = """
import hashlib
from towerlab.solver.towers_and_bowers.whole_hand import HandSolver, hand_game

for compact in (False, True):
    solver = HandSolver(hand_game(2, 9, 0.8551, mirror=True), compact=compact)
    solver.run(20)
    print(hashlib.blake2b(b"".join(array.tobytes() for array in solver.state().values())).hexdigest())
"""
OLD_PROCESSOR = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "+sse2",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA",
}


@pytest.mark.slow
def test_every_processor_learns_the_same_bits() -> None:
    assert run_python("-c", SOLVE).stdout == run_python("-c", SOLVE, **OLD_PROCESSOR).stdout


def test_sizes_that_are_not_solved_are_refused() -> None:
    with pytest.raises(TowerlabError, match="expected 1 to 4"):
        hand_equilibrium.HAND_EQUILIBRIUM.count_chunks(FEW | {"cards": 5})
    with pytest.raises(TowerlabError, match="21 GB and is not kept"):
        hand_equilibrium.HAND_EQUILIBRIUM.count_chunks(FEW | {"cards": 4, "play": True})
    with pytest.raises(TowerlabError, match="expected one of 1 and 2"):
        whole_strategies.load_strategy(3, 10)


@pytest.mark.parametrize(("cards", "limit"), [(1, 2e-8), (2, 2e-5)])
def test_what_ships_is_as_hard_to_exploit_as_it_says(cards: int, limit: float) -> None:
    assert whole_strategies.measure_whole_hand(cards) <= limit
    assert whole_hand_values()[cards].exploitability <= limit


def test_dealing_one_card_is_worth_59_of_69() -> None:
    assert whole_hand_values()[1].dealer == pytest.approx(59 / 69, abs=1e-15)


def test_export_lists_every_information_set_with_its_mix(tmp_path: Path) -> None:
    """276 information sets of one card after symmetry, hence 552 with mirror images."""
    rows = whole_strategies.export_strategy(tmp_path / "one.parquet", 1)
    frame = pd.read_parquet(tmp_path / "one.parquet")
    assert len(frame) == rows
    totals = frame.groupby(["up", "information_set"]).probability.sum()
    assert len(totals) == 2 * 276
    assert np.allclose(totals, 1.0)
    first = frame[frame.information_set == "nondealer | QS | JS |  |  | "]
    assert set(first.action) == {"accept", "pass"}


def test_working_on_one_of_two_mirrored_situations_solves_the_same_game() -> None:
    """Rounding breaks ties differently, so the strategies differ; the values may not by more than can be exploited."""
    solvers = [HandSolver(hand_game(2, 10, 0.8551, mirror=mirror)) for mirror in (False, True)]
    for solver in solvers:
        solver.run(60)
    gains = [exploitability(solver.game, solver.strategy()) for solver in solvers]
    assert max(gains) < 3e-5
    whole, half = (solver.measure().nondealer for solver in solvers)
    assert half == pytest.approx(whole, abs=sum(gains))
    assert solvers[1].game.play_size < 0.7 * solvers[0].game.play_size
