"""How near do the values of calls come to the solved game, when the learned policy plays them out?

Of three and four cards random hands are answered by the solution and by ``upcard --method self-play``.

A *gap* is accepting less passing, in the second round the lead of the best call over the next; its *error* is that gap
less the solution's gap of the same two calls. The sample's part of the error is subtracted in squares: what is left is
the policy's, which answers state as `model_error`. Half of the hands give it and the other half is counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.stats import LEVEL, normal_quantile
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.questions.answers import SEATS, BidderView
from towerlab.analysis.towers_and_bowers.questions.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.questions.solved import answer_solved
from towerlab.analysis.towers_and_bowers.ranges import policy_calls, range_of
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT
from towerlab.analysis.towers_and_bowers.solutions.rules import stamped
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.hand import deal_hand

KIND: Final = ["cards", "seat", "round"]
BANDS: Final = (0.0, 10.0, 20.0, 50.0, 100.0)  # mt, the least gap of each band


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Random hands of each size, seat and round: a row each, in mt."""
    random = np.random.default_rng(seed)
    rows = []
    for cards, seat, second in itertools.product(_sizes(parameters), SEATS, (False, True)):
        for _ in range(int(parameters["hands"])):
            nondealer, dealer, up = deal_hand(cards, random)
            view = BidderView(dealer if seat == SEATS[0] else nondealer, up, seat == SEATS[0], second)
            row = {"cards": cards, "seat": seat, "round": 1 + second, "hand": view.hand, "up": up}
            rows.append(row | _errors(view, int(parameters["rollouts"]), int(random.integers(1 << 31))))
    return pd.DataFrame(rows)


def _errors(view: BidderView, count: int, seed: int) -> dict[str, float]:
    """The gap of two calls, its error and the sample's standard error, and what following the policy costs; mt."""
    play = PlayedCalls(view, range_of(view.seen, policy_calls), policy_calls, count, seed)
    true = answer_solved([view], np.array([view.hand]), np.array([view.up]))[0]
    names = list(play.actions)
    first, second = (names[place] for place in play.compared())
    best = max(names, key=lambda name: play.actions[name].tower)
    most = max(true.tower(name) for name in names)
    return {
        "gap": MT * play.gap(),
        "error": MT * (play.gap() - true.tower(first) + true.tower(second)),
        "sample_error": MT * play.played.error_of_lead(*play.compared()),
        "best_error": MT * (play.actions[best].tower - most),
        "cost": MT * (most - true.tower(best)),
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
    hands["band"] = np.take(BANDS, np.searchsorted(BANDS, hands["gap"].abs(), side="right") - 1)
    accuracy = pd.DataFrame([of | _accuracy(part) for of, part in _groups(hands, KIND)])
    errors = pd.DataFrame([of | _band(part, half[part.index]) for of, part in _groups(hands, [*KIND, "band"])])
    return StudyResult(
        {"accuracy": accuracy, "self_play_errors": errors},
        {"hands": len(hands), "rollouts": int(parameters["rollouts"]), "accuracy": accuracy.to_dict("records")},
        stamped("self_play_errors"),
    )


def _groups(table: pd.DataFrame, names: list[str]) -> Iterable[tuple[dict[str, Any], pd.DataFrame]]:
    for values, part in table.groupby(names, sort=False):
        yield dict(zip(names, values, strict=True)), part


def _accuracy(part: pd.DataFrame) -> dict[str, Any]:
    return {
        "hands": len(part),
        "gap_rms": _policy_error(part, "error"),
        "best_value_rms": _policy_error(part, "best_error"),
        "cost": float(part["cost"].mean()),
    }


def _band(part: pd.DataFrame, half: Any) -> dict[str, Any]:
    """The policy's error of all hands, and how often the interval that one half gives holds the other's."""
    tested = part[~half]
    width = normal_quantile(LEVEL) * np.hypot(_policy_error(part[half], "error"), tested["sample_error"])
    held = 100 * float((tested["error"].abs() <= width).mean()) if len(tested) else np.nan
    return {"hands": len(part), "error": _policy_error(part, "error"), "tested": len(tested), "held": held}


def _policy_error(part: pd.DataFrame, name: str) -> float:
    """Root mean square of an error, less the sample's part of it."""
    if not len(part):
        return float("nan")
    return float(np.sqrt(max(0.0, (part[name] ** 2 - part["sample_error"] ** 2).mean())))


SELF_PLAY_ACCURACY: Final = Study(
    game="towers-and-bowers",
    name="self-play-accuracy",
    help="How near do the values of calls, played out by the learned policy, come to the solved game?",
    parameters={"chunks": 40, "hands": 10, "sizes": [4], "rollouts": 4000, "halves": 0},
    run_chunk=run_chunk,
    combine=_combine,
)
