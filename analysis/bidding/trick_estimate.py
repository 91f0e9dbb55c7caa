"""How many tricks does a deal make, by a linear estimate? The stored estimates of Bowers and Towie, and their study.

A chunk deals hands of a declarer and, to each, a few layouts of the other cards; all are solved in a suit and without
trumps. The weights are fitted by least squares with a small ridge. An analysis of variance splits the error of a deal
into the error of the declarer's hand, which more layouts do not remove, and the rest.

    towerlab study bowers trick-estimate --set hands=100 --out folder
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from towerlab.analysis.study import Study, StudyResult
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import NO_TRUMP, trump_field
from towerlab.solver.double_dummy import shared_solver
from towerlab.solver.double_dummy.estimate import FIELDS, HOLDINGS, TrickEstimate, holding_numbers

if TYPE_CHECKING:
    import pandas as pd

FILE: Final = "trick_estimate.npz"
HANDS_PER_CHUNK: Final = 100
RIDGE: Final = 1.0
CONTRACTS: Final = ("suit", "no trump")
Deal = Callable[[np.random.Generator, int], tuple[Ints, Ints]]


@functools.cache
def stored_estimate(game: str) -> TrickEstimate:
    """Return a game's estimate, ``"bowers"`` or ``"towie"``."""
    data = (resources.files(f"towerlab.analysis.{game}") / "data" / FILE).read_bytes()
    with np.load(io.BytesIO(data)) as arrays:
        return TrickEstimate(*(arrays[name].astype(np.float64) for name in TrickEstimate._fields))


@functools.cache
def stored_chances(game: str, without: int, most: int, shift: float = 0.0) -> Floats:
    """Return `TrickEstimate.chances` of a game's estimate; callers share the array."""
    return stored_estimate(game).chances(without, most, shift)


def estimate_study(game: str, deal: Deal, leader: int, hands: int, dealt: int) -> Study:
    """Return the study `trick-estimate` of a game.

    Args:
        game: the name of the game.
        deal: (random numbers, layouts) → layouts around one declarer's hand, play-order hands int64[layouts, hands],
            once for a suit and once without trumps.
        leader: the seat that leads first, counted from the declarer's.
        hands: how many hands a deal has.
        dealt: how many hands of a declarer are dealt by default.
    """
    return Study(
        game=game,
        name="trick-estimate",
        help="weights of the linear estimate of double-dummy tricks, and by how much it is off",
        parameters={"hands": dealt, "layouts": 4},
        count_chunks=lambda parameters: -(-int(parameters["hands"]) // HANDS_PER_CHUNK),
        run_chunk=functools.update_wrapper(functools.partial(_solve_chunk, deal, leader), deal),
        combine=functools.partial(_fit, hands),
    )


def _solve_chunk(
    deal: Deal, leader: int, chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a row for each deal and contract: the number of the declarer's hand, the holdings, the tricks."""
    import pandas as pd  # which a question does not need

    random = np.random.default_rng(seed)
    number = min(HANDS_PER_CHUNK, int(parameters["hands"]) - chunk * HANDS_PER_CHUNK)
    dealt = [deal(random, int(parameters["layouts"])) for _ in range(number)]
    parts = []
    for contract, trump in enumerate((0, NO_TRUMP)):
        hands = np.concatenate([both[contract] for both in dealt])
        trumps = int(trump_field(trump))
        holdings = holding_numbers(hands, trumps).reshape(len(hands), -1)
        rows = pd.DataFrame(holdings, columns=[f"holding_{place}" for place in range(holdings.shape[1])])
        rows["contract"] = contract
        rows["hand"] = np.repeat(chunk * HANDS_PER_CHUNK + np.arange(number), int(parameters["layouts"]))
        rows["tricks"] = shared_solver().tricks_of_many(hands, trumps, leader)
        parts.append(rows)
    return pd.concat(parts)


def _fit(hands: int, chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table ``errors`` (root mean square errors of a deal and of a hand) and the file of the weights."""
    import pandas as pd  # which a question does not need

    deals = pd.concat(chunks, ignore_index=True)
    weights = np.zeros((2, 2, hands, HOLDINGS))
    constant = np.zeros(2)
    errors = []
    for contract, name in enumerate(CONTRACTS):
        part = deals[deals["contract"] == contract]
        holdings = part.filter(like="holding_").to_numpy().reshape(len(part), FIELDS, hands)
        design = _design(holdings, is_suit=contract == 0)
        tricks = part["tricks"].to_numpy(dtype=np.float64)
        constant[contract] = tricks.mean()
        square = design.T @ design + RIDGE * np.eye(design.shape[1])
        fitted = np.linalg.solve(square, design.T @ (tricks - tricks.mean()))
        weights[contract] = fitted.reshape(2, hands, HOLDINGS)
        off = pd.Series(tricks - tricks.mean() - design @ fitted).groupby(part["hand"].to_numpy())
        within = float(off.var().mean())
        between = max(float(off.mean().var()) - within / int(parameters["layouts"]), 0.0)
        errors.append({"contract": name, "spread": (within + between) ** 0.5, "bias": between**0.5, "n": len(part)})
    frame = pd.DataFrame(errors)
    stored = TrickEstimate(weights, constant, frame["spread"].to_numpy(), frame["bias"].to_numpy())
    file = io.BytesIO()
    np.savez_compressed(file, **{name: part.astype(np.float32) for name, part in stored._asdict().items()})
    return StudyResult({"errors": frame}, {"deals": len(deals)}, {FILE: file.getvalue()})


def _design(holdings: Ints, is_suit: bool) -> Floats:
    """Count the holdings by kind of suit (plain, trump) and by hand, float64[deals, 2 · hands · HOLDINGS]."""
    count, fields, hands = holdings.shape
    kinds = np.zeros(fields, dtype=np.int64)
    kinds[-1] = int(is_suit)
    columns = (kinds[:, None] * hands + np.arange(hands)) * HOLDINGS + holdings
    design = np.zeros((count, 2 * hands * HOLDINGS))
    np.add.at(design, (np.arange(count)[:, None], columns.reshape(count, -1)), 1.0)
    return design
