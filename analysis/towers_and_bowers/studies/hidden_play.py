"""Does hidden play turn a call round? What `upcard` says of two calls against what becomes of them in play.

From five cards on the answers of `upcard` take the cards to lie open once the bidding is over. Here hands are drawn
whose gap between two calls is less than `widest`, and both calls are played out on the same deals (`played_gaps`).

Of every deal the value with open cards is known, too, and its mean over all deals is the model's gap exactly: a control
variate that costs nothing. A hand's *played gap* is the mean of what was played, less b times (mean with open cards of
the deals drawn − the model's gap), with the b that leaves least noise in all hands of a kind (hand size, seat, round).
The model's gap has no error and the noise of the played one is known, so regressing the one on the other needs no more
than to take that noise out of what is left: what is more than noise is the model's error (variance components, by
moments). `model_error` is the root mean square of played − model's gap without noise, bias and slope included.

In hands of two to four cards the game is solved: there the played gap meets the true one, which tells how much of a
model's error the players of the study see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import norm
from towerlab.analysis.stats import bootstrap_errors, mean_interval, slope_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.simulation import warm_up
from towerlab.analysis.towers_and_bowers.solutions.model_error import ALL, CHECKSUM, FEWEST_CARDS, WIDEST, row_checksum
from towerlab.analysis.towers_and_bowers.studies.played_gaps import count_chunks, run_chunk
from towerlab.games.arrays import Floats, Ints

KIND: Final = ["cards", "seat", "round"]
BANDS: Final = (1.0, 5.0, 10.0, 20.0, WIDEST)  # mt; a gap below the first has no sign worth the name
_RESAMPLES: Final = 200
_Z: Final = 1.96
_FEWEST: Final = 20  # hands to speak of a share
_LEAST_SPREAD: Final = 1e-6  # mt squared


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``model_error``, which ships: a row a kind, then one each of the bands that have hands enough; ``hands``.

    `true_error` and `players_error` are told where the game is solved: how far the model and the played gap are from
    the true one. `turned` is told of `_FEWEST` hands or more whose gap has a sign.
    """
    hands = pd.concat(tables, ignore_index=True)
    kinds = [_corrected(kind) for _, kind in hands.groupby(KIND, sort=False)]
    rows = [_row(kind, ALL) for kind in kinds] + [
        _row(hands, band)
        for kind in kinds
        for band, hands in kind.groupby(_band(kind), observed=True)
        if len(hands) >= _FEWEST
    ]
    found = pd.DataFrame(rows).sort_values(KIND, kind="stable")
    lines = found.to_csv(index=False).splitlines()[1:]  # each row ships with the checksum of its line
    found = found.assign(**{CHECKSUM: [row_checksum(line) for line in lines]})
    return StudyResult({"model_error": found, "hands": pd.concat(kinds)}, _summary(found, parameters))


def _corrected(kind: pd.DataFrame) -> pd.DataFrame:
    """Hands of a kind with their played gap and its sampling variance, the control variate used."""
    spread = kind["open_variance"].sum()
    slope = kind["covariance"].sum() / spread if spread else 0.0
    noise = kind["played_variance"] - 2 * slope * kind["covariance"] + slope**2 * kind["open_variance"]
    played = kind["played"] - slope * (kind["open"] - kind["gap"])
    return kind.assign(played_gap=played, noise=np.maximum(noise, 0) / kind["deals"])


def _band(kind: pd.DataFrame) -> pd.Series[Any]:
    """Between which bounds a gap is, as ``"5-10"``."""
    bounds = (0.0, *BANDS)
    names = [f"{low:g}-{high:g}" for low, high in itertools.pairwise(bounds)]
    return pd.cut(kind["gap"].abs(), bounds, labels=names, right=False)


def _row(hands: pd.DataFrame, band: str) -> dict[str, Any]:
    """What was found of the hands of a kind whose gap is in a band; in mt but for counts, slopes and shares."""
    off = hands["played_gap"] - hands["gap"]
    slopes = slope_interval(hands["gap"].to_numpy(), hands["played_gap"].to_numpy())
    row = {name: hands[name].iloc[0] for name in KIND} | {"band": band}
    row |= {"hands": len(hands), "deals": int(hands["deals"].sum())}
    square = mean_interval(off**2 - hands["noise"]).row("model_error")
    row |= {name: float(np.sqrt(max(value, 0.0))) for name, value in square.items()} | {"bias": off.mean()}
    row |= dict(zip(("slope", "slope_low", "slope_high"), slopes, strict=True)) | _turns(hands)
    wrong = {"true_error": (hands["gap"] - hands["truth"]) ** 2}
    wrong["players_error"] = (hands["played_gap"] - hands["truth"]) ** 2 - hands["noise"]
    for name, squares in wrong.items():
        row[name] = float(np.sqrt(max(squares.mean(), 0.0))) if squares.notna().all() else np.nan
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


def _turns(hands: pd.DataFrame) -> dict[str, float]:
    """Of the hands whose gap has a sign, the share where play turns it, without the noise of the played gap.

    A hand's true played gap is taken as normal round the regression line, with the spread that is left when the noise
    has been taken out; `turned_surely` counts the hands whose own 95 % interval lies on the other side of nought.
    """
    signed = hands[hands["gap"].abs() >= BANDS[0]]
    gap, played, noise = (signed[name].to_numpy(np.float64) for name in ("gap", "played_gap", "noise"))

    def turned(rows: Ints) -> Floats:
        return np.array([_share_turned(gap[rows], played[rows], noise[rows])])

    if len(signed) < _FEWEST:
        return {"signs": len(signed)} | dict.fromkeys(("turned", "turned_low", "turned_high", "turned_surely"), np.nan)
    share = float(turned(np.arange(len(signed)))[0])
    half = _Z * float(bootstrap_errors(turned, len(signed), _RESAMPLES)[0])
    surely = float((-np.sign(gap) * played > _Z * np.sqrt(noise)).mean())
    ends = {"turned_low": max(share - half, 0.0), "turned_high": min(share + half, 1.0)}
    return {"signs": len(signed), "turned": share} | ends | {"turned_surely": surely}


def _share_turned(gap: Floats, played: Floats, noise: Floats) -> float:
    slope, middle = np.polyfit(gap, played, 1) if np.ptp(gap) > 0 else (0.0, played.mean())
    line = middle + slope * gap
    spread = np.sqrt(max(((played - line) ** 2 - noise).sum() / max(len(gap) - 2, 1), _LEAST_SPREAD))
    return float(norm.cdf(-np.sign(gap) * line / spread).mean())


def _summary(found: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    whole = found[found["band"] == ALL]
    unsolved = whole[whole["cards"] >= FEWEST_CARDS]
    reported = []
    for row in unsolved[unsolved["round"] == 1].to_dict("records"):
        turned = f", {row['turned']:.0%} turned" if row["turned"] == row["turned"] else ""  # a number
        between = f"{row['model_error_low']:.1f} to {row['model_error_high']:.1f}"
        reported.append(f"n = {row['cards']} {row['seat']}: {row['model_error']:.1f} mt ({between}){turned}")
    sizes = whole.groupby("cards")["hands"].sum()
    return {
        "hands": dict(zip(sizes.index.tolist(), sizes.tolist(), strict=True)),
        "deals_a_hand": int(parameters["deals"]),
        "model_error_mt": [
            {name: row[name] for name in (*KIND, "model_error", "model_error_low", "model_error_high")}
            for row in unsolved.to_dict("records")
        ],
        "finding": f"First calls whose gap is below {BANDS[-1]:g} mt: how far play with hidden cards is from the model "
        f"(root mean square), and how often it turns a gap of {BANDS[0]:g} mt or more: {'; '.join(reported)}.",
    }


HIDDEN_PLAY: Final = Study(
    game="towers-and-bowers",
    name="hidden-play",
    help="Does hidden play turn a call round? The model's gap between two calls against the played one.",
    parameters={
        "sizes": [2, 3, 4, 5, 6, 7],
        "chunks": 36,
        "hands": 4,
        "second_round_hands": 2,
        "deals": 400,
        "widest": WIDEST,
    },
    count_chunks=count_chunks,
    run_chunk=run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
