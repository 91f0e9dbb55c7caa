"""How near do the values learned by self-play come to the solved game?

Of three and four cards every hand with every up-card is answered by the solution and by the networks of ``upcard
--method self-play``. Nothing is sampled. docs/methods/call-values.md has the figures of the model on open cards that
answered from five cards on before, on the same hands.

A *gap* is accepting less passing, in the second round the lead of the best call over the next; its *error* is that gap
less the solution's gap of the same two calls. The cost of a call is the gain of the solution's best call over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.bidding import bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.analysis.towers_and_bowers.upcard.answers import ERRORS_95, SEATS
from towerlab.analysis.towers_and_bowers.upcard.self_play import learned_values
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED, Values, solved_values
from towerlab.games.arrays import Bools, Floats
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.classes import up_card_classes

KIND: Final = ["cards", "seat", "round"]
CLOSE: Final = 50.0  # mt
BANDS: Final = (0.0, 10.0, 20.0, 50.0, 100.0, np.inf)  # mt, sizes of gaps
_LOWEST: Final = 7
_RANKS: Final = 6


class _Calls(NamedTuple):
    """float64[hands, calls]: P(win the tower) of the calls of each round, the passes last."""

    first: Floats
    second: Floats


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One up-card of a hand size: a row a class, seat and round; in mt."""
    del seed
    cards = _sizes(parameters)[chunk // _RANKS]
    stored = bidding_at_hand(cards, _LOWEST + chunk % _RANKS)
    classes = up_card_classes(cards)
    weights = classes.weights[classes.ups == stored.up]
    tables = []
    for seat, dealer in zip(SEATS, (True, False), strict=True):
        truth = _calls_of(solved_values(stored, np.arange(len(stored.hands)), dealer))
        learned = _calls_of(learned_values(stored.hands, stored.up, dealer))
        for turn, (values, true) in enumerate(zip(learned, truth, strict=True), 1):
            row = {"cards": cards, "seat": seat, "round": turn, "hand": stored.hands, "up": stored.up}
            tables.append(pd.DataFrame(row | {"weight": weights} | _errors(values, true, turn)))
    return pd.concat(tables)


def _calls_of(values: Values) -> _Calls:
    accepts = values.contracts[True].tower[:, ACCEPTED:].max(1)
    first, second = values.passing
    names = values.contracts[True].tower[:, :ACCEPTED]
    return _Calls(
        np.stack([accepts, first], axis=1),
        names if second is None else np.concatenate([names, second[:, None]], axis=1),
    )


def _errors(values: Floats, true: Floats, turn: int) -> dict[str, Floats]:
    """The gap, its error, that of its best call's value, and what following it costs; mt."""
    rows = np.arange(len(values))
    order = np.argsort(-values, axis=1, kind="stable")
    best, other = (np.zeros_like(rows), np.ones_like(rows)) if turn == 1 else (order[:, 0], order[:, 1])
    gap = values[rows, best] - values[rows, other]
    return {
        "gap": MT * gap,
        "error": MT * (gap - true[rows, best] + true[rows, other]),
        "best_error": MT * (values.max(1) - true.max(1)),
        "cost": MT * (true.max(1) - true[rows, order[:, 0]]),
    }


def _sizes(parameters: Mapping[str, Any]) -> list[int]:
    sizes = [str(size) for size in parameters["sizes"]]
    if not sizes or set(sizes) - {"3", "4"}:
        raise TowerlabError(f"sizes={','.join(sizes)} cannot be; expected 3, 4 or both: the sizes that are solved")
    return [int(size) for size in sizes]


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``accuracy``, a row a kind; ``self_play_errors``, by size of the gap, which ships."""
    hands = pd.concat(tables, ignore_index=True)
    half = np.random.default_rng(int(parameters["halves"])).random(len(hands)) < 0.5
    accuracy = pd.DataFrame([_accuracy(part) | names for names, part in _groups(hands, KIND)])
    banded = hands.assign(band=np.take(BANDS, np.searchsorted(BANDS, hands["gap"].abs(), side="right") - 1))
    errors = pd.DataFrame([_band(part, half[part.index]) | of for of, part in _groups(banded, [*KIND, "band"])])
    order = [*KIND, *[name for name in errors.columns if name not in KIND]]
    covered = pd.DataFrame(
        [
            {"hands": part["tested"].sum(), "held": np.average(part["held"], weights=part["tested"])} | names
            for names, part in _groups(errors[errors["tested"] > 0], KIND)
        ]
    )
    summary = {"accuracy": accuracy.to_dict("records"), "held_percent": covered.to_dict("records")}
    made = {"accuracy": accuracy, "self_play_errors": errors[order], "coverage": covered}
    return StudyResult(made, summary, stamped("self_play_errors"))


def _groups(table: pd.DataFrame, names: list[str]) -> Iterable[tuple[dict[str, Any], pd.DataFrame]]:
    for values, part in table.groupby(names, sort=False, observed=True):
        yield dict(zip(names, values, strict=True)), part


def _accuracy(part: pd.DataFrame) -> dict[str, Any]:
    close = (part["gap"].abs() < CLOSE).to_numpy()
    return {
        "hands": int(part["weight"].sum()),
        "close_percent": 100 * float(np.average(close, weights=part["weight"])),
        "gap_close": _rms(part[close], "error"),
        "gap_all": _rms(part, "error"),
        "best_value": _rms(part, "best_error"),
        "cost": float(np.average(part["cost"], weights=part["weight"])),
    }


def _band(part: pd.DataFrame, half: Bools) -> dict[str, Any]:
    """The root mean square of all, and how often the interval that one half gives holds the other's."""
    estimated = part[half]
    tested = part[~half]
    width = ERRORS_95 * _rms(estimated, "error")
    held = float(np.average(tested["error"].abs() <= width, weights=tested["weight"])) if len(tested) else np.nan
    return {
        "hands": int(part["weight"].sum()),
        "error": _rms(part, "error"),
        "tested": int(tested["weight"].sum()),
        "held": 100 * held,
    }


def _rms(part: pd.DataFrame, name: str) -> float:
    return float(np.sqrt(np.average(part[name] ** 2, weights=part["weight"]))) if len(part) else float("nan")


SELF_PLAY_ACCURACY: Final = Study(
    game="towers-and-bowers",
    name="self-play-accuracy",
    help="How near do the values learned by self-play come to the solved game, of three and four cards?",
    parameters={"sizes": [4, 3], "halves": 0},
    count_chunks=lambda parameters: _RANKS * len(_sizes(parameters)),
    run_chunk=run_chunk,
    combine=_combine,
)
