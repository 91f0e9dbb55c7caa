"""The networks of ``upcard --method self-play``: contracts played out by the learned policy, and what is learned of it.

A chunk plays hands of one size beside one up-card (`solver.towers_and_bowers.self_play.playouts`): its table is what
was dealt, which contract was forced and how it ended. Of all chunks the two networks of each size are trained
(`solver.towers_and_bowers.self_play.contract_values`); the study leaves them under the names they ship with.
One hand in eight is kept out of training; the table ``learning`` has the loss of these.

Training needs JAX (``pip install -e '.[test,train]'``).
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.classes import up_card_classes
from towerlab.solver.towers_and_bowers.self_play.calls import policy_bids
from towerlab.solver.towers_and_bowers.self_play.contract_values import CALL_OUTPUTS, TAUGHT, value_files
from towerlab.solver.towers_and_bowers.self_play.network import Network, stored_policy, write_network
from towerlab.solver.towers_and_bowers.self_play.playouts import DrawnHands, drawn_hands
from towerlab.solver.towers_and_bowers.self_play.value_training import (
    PLAYED,
    Lesson,
    Recipe,
    add_samples,
    calls_loss,
    calls_rows,
    contract_loss,
    contract_rows,
    empty_lesson,
    examples,
    play_shard,
    train,
)
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES

_UPS: Final = range(46, 52)  # spades
_HELD_OUT: Final = 8  # one hand in so many
_CALLS: Final = Recipe(width=64, layers=2, decay=0.0)
_JUDGED: Final = 100_000


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Hands of one size beside one up-card, played out."""
    cards, up = _places(parameters)[chunk % len(_places(parameters))]
    shard = play_shard(stored_policy(), _drawn(cards, up), int(parameters["hands"]), np.random.default_rng(seed))
    return pd.DataFrame(shard)


def _places(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    sizes = [int(size) for size in parameters["sizes"]]
    if not sizes or not set(sizes) <= set(TAUGHT):
        raise TowerlabError(f"sizes={sizes} cannot be; expected hand sizes from {TAUGHT[0]} to {TAUGHT[-1]}")
    return [(cards, up) for cards in sizes for up in _UPS]


@functools.lru_cache(maxsize=1)
def _drawn(cards: int, up: int) -> DrawnHands:
    classes = up_card_classes(cards)
    return drawn_hands(cards, up, policy_bids(stored_policy(), classes.hands[classes.ups == up], up))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``learning``, and both networks of each size."""
    hands = pd.concat(tables, ignore_index=True)
    trained = np.arange(len(hands)) % _HELD_OUT > 0
    recipe = Recipe(**{name: parameters[name] for name in ("width", "layers", "steps", "decay")})
    learning: list[dict[str, Any]] = []
    opened: dict[int, float] = {}
    files: dict[str, bytes] = {}
    for size in map(int, hands["size"].unique()):
        part = hands[hands["size"] == size]
        given, held_out = (
            examples(_lessons(part[chosen], float(parameters["variate"])), deal_value(size - 1))
            for chosen in (trained[part.index], ~trained[part.index])
        )
        rows = contract_rows(held_out, _JUDGED, np.random.default_rng(recipe.seed))

        def report(step: int, loss: float, network: Network, size: int = size, rows: Any = rows) -> None:
            left_out = float(contract_loss(network.outputs(rows[0]), *rows[1:]))
            learning.append({"cards": size, "step": step, "loss": loss, "held_out": left_out})

        contracts = train(functools.partial(contract_rows, given), contract_loss, OUTCOMES, recipe, report=report)
        of_calls = replace(_CALLS, steps=recipe.steps)
        calls = train(functools.partial(calls_rows, given), calls_loss, CALL_OUTPUTS, of_calls)
        files |= {
            path.name: _bytes_of(network) for path, network in zip(value_files(size), (contracts, calls), strict=True)
        }
        opened[size] = float(contract_loss(np.float32(0), *rows[1:]))
    last = {row["cards"]: row["held_out"] for row in learning}
    summary = {"hands": len(hands), "held_out_open": opened, "held_out": last}
    return StudyResult({"learning": pd.DataFrame(learning)}, summary, files)


def _lessons(hands: pd.DataFrame, variate: float) -> list[Lesson]:
    lessons: list[Lesson] = []
    for _, part in hands.groupby(["size", "rank"]):
        drawn = _drawn(int(part["size"].iloc[0]), _UPS.start - 7 + int(part["rank"].iloc[0]))
        both = empty_lesson(drawn, 0), empty_lesson(drawn, 1)
        add_samples(both, drawn, np.rec.fromarrays([part[name] for name in PLAYED.names or ()], dtype=PLAYED), variate)
        lessons += both
    return lessons


def _bytes_of(network: Network) -> bytes:
    made = io.BytesIO()
    write_network(made, network)
    return made.getvalue()


CALL_VALUES: Final = Study(
    game="towers-and-bowers",
    name="call-values",
    help="Train the networks of upcard --method self-play on contracts that the learned policy plays out.",
    parameters={
        "sizes": [3, 4, 5, 6, 7],
        "chunks": 600,
        "hands": 16384,
        "variate": 1.0,
        "width": 128,
        "layers": 3,
        "steps": 5000,
        "decay": 0.03,
    },
    run_chunk=run_chunk,
    combine=_combine,
)
