"""How far answers may be off: what best replies gain against a solution, how far the learned values are from one.

- `accuracy_of`: how far the values of a decision of up to four cards may be off on the mean over the hands that come to
  it: what best replies gain from there on against the solution that answers
  (`solver.towers_and_bowers.whole_hand.responses.gains_inside`).
- `model_error`: how far the gap between two calls by the learned policy is from that of the game, by hand size,
  seat, round and size of the gap: ``errors.csv`` of its bundle (`solver.towers_and_bowers.self_play.bundle`), made by
  ``towerlab study towers-and-bowers self-play-accuracy``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from towerlab.analysis.towers_and_bowers.solutions.bidding import up_card_rows
from towerlab.games.written import Record
from towerlab.solver.towers_and_bowers.self_play.bundle import ERRORS_FILE, Bundle, bundle_in_use

SPREAD_UNKNOWN: Final = "; how far the values of a hand differ in another run is not known"
_SOLVED: Final = {  # what best replies gain from either of its calls on, and how its values are named
    ("nondealer", 1): ("accept", "accepted_gain", "passed_gain"),
    ("dealer", 1): ("answer", "passed_gain"),
    ("nondealer", 2): ("name", "passed_twice_gain"),
    ("dealer", 2): ("left", "passed_thrice_gain"),
    ("discard", 0): ("discard", "accepted_gain"),  # of an up-card that the non-dealer accepted
    ("discard", 1): ("own_discard", "passed_gain"),
}


@dataclass(frozen=True)
class Accuracy(Record, keys="gain spread? spread_most?"):
    """How far the values of a decision may be off, on the mean over the hands that come to it.

    Attributes:
        gain: P(win the tower) that best replies of both gain from there on.
        spread: how far the values of a hand are from those of another run of the solver, from a different start, on the
            mean; of several runs the largest (docs/methods/whole-hands.md); None where there was one.
        spread_most: the same, 95 % quantile.
    """

    gain: float
    spread: float | None = None
    spread_most: float | None = None

    def __str__(self) -> str:
        gain = f"within {_up(self.gain)} points on the mean over hands"
        if self.spread is None or self.spread_most is None:
            return gain
        apart = f"{_up(self.spread)} on the mean, {_up(self.spread_most)} in 1 of 20"
        return f"{gain}; values of a hand in another run differ by up to {apart}"


def _up(difference: float) -> str:
    """Percentage points, rounded up."""
    return f"{max(math.ceil(1e4 * difference), 1) / 100:g}"


@functools.cache
def accuracy_of(cards: int, up: str, seat: str, turn: int) -> Accuracy | None:
    """Return how sure a decision of a stored solution is; None where it was not measured.

    Args:
        cards: hand size n.
        up: the up-card as it is stored, a spade.
        seat, turn: ``"dealer"`` or ``"nondealer"`` and the round, or ``"discard"`` and whether the dealer has accepted.
    """
    row = next((row for row in up_card_rows(f"exact-bidding-{cards}") if row["up"] == up), None)
    if row is None:
        return None
    name, *gains = _SOLVED[seat, turn]
    apart = [float(row[f"{name}_spread{end}"]) if row.get(f"{name}_spread") else None for end in ("", "_most")]
    return Accuracy(max(0.0, *(float(row[gain]) for gain in gains)), *apart)


def accuracy_words(exploitability: float, accuracy: Accuracy | None) -> str:
    """Return in words how far the values of a solution may be off.

    Args:
        exploitability: of the whole solution.
        accuracy: of the decision, if it was measured.
    """
    accuracy = accuracy or Accuracy(exploitability)
    return f"the whole hand {accuracy}" + ("" if accuracy.spread is not None else SPREAD_UNKNOWN)


@dataclass(frozen=True)
class Held(Record):
    """How often an interval held the game's gap where it was counted, on hands that its width was not made of.

    Attributes:
        hands: that were counted.
        percent: of them.
    """

    hands: int
    percent: float


class ModelError(NamedTuple):
    """How far gaps by the learned policy are from those of the game.

    Attributes:
        error: root mean square, in mt.
        held: of intervals by it; None where none were counted.
    """

    error: float
    held: Held | None


@functools.cache
def _errors_of(bundle: Bundle) -> Mapping[tuple[int, str, int], list[tuple[float, ModelError]]]:
    """Return by hand size, seat and round the least gap of each band, in mt, and its error, in order."""
    errors: dict[tuple[int, str, int], list[tuple[float, ModelError]]] = {}
    for row in sorted(bundle.rows(ERRORS_FILE), key=lambda row: float(row["band"])):
        kind = int(row["cards"]), row["seat"], int(row["round"])
        tested = int(row["tested"])
        held = Held(tested, float(row["held"])) if tested else None
        errors.setdefault(kind, []).append((float(row["band"]), ModelError(float(row["error"]), held)))
    return errors


def model_error(cards: int, seat: str, turn: int, gap: float) -> ModelError | None:
    """Return the error of a gap of that size between two calls, of the policy in use; None where nobody measured it.

    Args:
        cards: hand size n.
        seat: ``"dealer"`` or ``"nondealer"``.
        turn: 1 or 2, the round.
        gap: mt, not negative.
    """
    bands = _errors_of(bundle_in_use()).get((cards, seat, turn), [])
    fitting = [error for least, error in bands if least <= gap]
    return fitting[-1] if fitting else None
