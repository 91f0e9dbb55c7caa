"""Study `exposed`: how the six exposed cards change what a hand is worth and the contract its owner chooses.

A random hand and six random cards of the dummy; layouts of the rest in pairs, one with the six in the dummy, one with
an average dummy (`analysis.towie.layouts.sample_pairs`), every strain solved double-dummy. A bidder who sees the six
chooses his contract, or none, by the other layouts of the first kind, a blind one by the other layouts of the second
kind; both are paid on the layout left out, which has the six in the dummy. So neither is paid for luck in his own
sample, and both know equally many layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.stats import mean_interval, wilson
from analysis.study import Study, StudyResult
from analysis.towie.contracts import Contract, Table, game_bids
from analysis.towie.goulash import warm_up
from analysis.towie.layouts import EXPOSED_CARDS, HAND_CARDS, STRAINS, Ints, sample_pairs, solve_strains
from games.cards import NO_TRUMP, SUIT_BITS, TRUMPS, cards_mask, mask_text
from games.pbn import hand_text
from games.towie.auction import level_of
from games.towie.options import TowieOptions

NO_BID: Final = "no bid"
SLAM_LEVEL: Final = 6
_BUCKETS: Final = ((0, 1), (2, 3), (4, 5), (6, 8), (9, 24))  # points in the six


def high_card_points(cards: int) -> int:
    """4, 3, 2, 1 for ace, king, queen, jack."""
    ranks = [cards >> 13 * suit & SUIT_BITS for suit in range(4)]
    return sum((field >> 9 + step & 1) * (step + 1) for field in ranks for step in range(4))


def contract_kind(contract: Contract | None) -> str:
    """Words for a contract: a game by its strain, or a slam."""
    if contract is None:
        return NO_BID
    if level_of(contract.bid) >= SLAM_LEVEL:
        return "slam"
    if contract.strain == NO_TRUMP:
        return "no trump"
    return "major suit" if contract.strain >= 2 else "minor suit"


class Chooser:
    """Which contract, or none, is best on the mean of some layouts.

    Args:
        table: options and vulnerability.
    """

    def __init__(self, table: Table) -> None:
        self.contracts: tuple[Contract | None, ...] = (None, *(Contract(bid) for bid in game_bids(0, table)))
        self._points = np.array([np.zeros(14) if c is None else table.points(c) for c in self.contracts])
        self._strains = np.array([0 if c is None else c.strain for c in self.contracts])

    def points(self, tricks: Ints) -> NDArray[np.float64]:
        """Points [layouts, contracts] from tricks [layouts, 5]."""
        return self._points[np.arange(len(self.contracts)), tricks[:, self._strains]]

    def best_without_each(self, points: NDArray[np.float64]) -> Ints:
        """For each layout the best contract by the others; none at a tie."""
        best: Ints = (points.sum(axis=0) - points).argmax(axis=1)
        return best


def look_at_hand(hand: int, exposed: int, layouts: int, random: np.random.Generator) -> list[dict[str, Any]]:
    """One row a layout: tricks with the six and with an average dummy, contracts chosen, points got."""
    chooser = Chooser(Table(TowieOptions(honours=False)))
    given, average = (solve_strains(deals) for deals in sample_pairs(hand, exposed, layouts, random))
    paid = chooser.points(given)
    seen, blind = chooser.best_without_each(paid), chooser.best_without_each(chooser.points(average))
    fit = max(range(NO_TRUMP), key=lambda suit: (given[:, suit].sum(), suit))
    needed = [0 if c is None else c.needed for c in chooser.contracts]
    rows = []
    for row in range(layouts):
        kept = {"seen": int(seen[row]), "blind": int(blind[row])}
        found: dict[str, Any] = {
            "tricks_gained_nt": int(given[row, NO_TRUMP] - average[row, NO_TRUMP]),
            "tricks_gained_fit": int(given[row, fit] - average[row, fit]),
        }
        for who, index in kept.items():
            contract = chooser.contracts[index]
            found |= {
                f"{who}_contract": contract_kind(contract),
                f"{who}_points": float(paid[row, index]),
                f"{who}_made": contract is not None and bool(given[row, contract.strain] >= needed[index]),
            }
        rows.append(found)
    return rows


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    rows = []
    for number in range(int(parameters["hands"])):
        cards = random.permutation(52)[: HAND_CARDS + EXPOSED_CARDS].tolist()
        hand, exposed = cards_mask(cards[:HAND_CARDS]), cards_mask(cards[HAND_CARDS:])
        about = {
            "number": chunk * int(parameters["hands"]) + number,
            "hand": hand_text(hand),
            "six": mask_text(exposed),
            "hand_points": high_card_points(hand),
            "six_points": high_card_points(exposed),
        }
        rows += [about | row for row in look_at_hand(hand, exposed, int(parameters["layouts"]), random)]
    return pd.DataFrame(rows)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``worth`` (by points in the six), ``contracts`` (chosen with and without the six), ``hands``."""
    layouts = pd.concat(list(tables), ignore_index=True)
    about = ["number", "hand", "six", "hand_points", "six_points"]
    numbers = ["tricks_gained_nt", "tricks_gained_fit", "seen_points", "blind_points"]
    hands = layouts.groupby(about, as_index=False, sort=True)[numbers].mean()
    hands["gained"] = hands["seen_points"] - hands["blind_points"]
    worth = pd.DataFrame([_worth_row(low, high, hands) for low, high in ((0, 24), *_BUCKETS)])
    contracts = pd.DataFrame([row for who in ("seen", "blind") for row in _contract_rows(who, layouts)])
    changed = layouts["seen_contract"] != layouts["blind_contract"]
    summary = _summary(hands, worth, contracts, float(changed.mean()), parameters)
    return StudyResult({"worth": worth, "contracts": contracts, "hands": hands}, summary)


def _worth_row(low: int, high: int, hands: pd.DataFrame) -> dict[str, Any]:
    """A hand is one observation; its layouts hang together."""
    rows = hands[hands["six_points"].between(low, high)]
    points = "any" if (low, high) == (0, 24) else f"{low} to {high}" if high < 24 else f"{low} or more"
    row: dict[str, Any] = {"six_points": points, "hands": len(rows)}
    for key in ("tricks_gained_nt", "tricks_gained_fit", "seen_points", "blind_points", "gained"):
        estimate = mean_interval(rows[key])
        row |= {key: estimate.mean, f"{key}_low": estimate.low, f"{key}_high": estimate.high}
    return row


def _contract_rows(who: str, layouts: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for kind in (NO_BID, "minor suit", "major suit", "no trump", "slam"):
        chosen = layouts[layouts[f"{who}_contract"] == kind]
        low, high = wilson(int(chosen[f"{who}_made"].sum()), len(chosen))
        played = kind != NO_BID and len(chosen) > 0
        rows.append(
            {
                "bidder": {"seen": "sees the six", "blind": "does not"}[who],
                "contract": kind,
                "share": len(chosen) / len(layouts),
                "made": float(chosen[f"{who}_made"].mean()) if played else np.nan,
                "made_low": low if played else np.nan,
                "made_high": high if played else np.nan,
                "points": float(chosen[f"{who}_points"].mean()) if len(chosen) else np.nan,
                "layouts": len(chosen),
            }
        )
    return rows


def _summary(
    hands: pd.DataFrame, worth: pd.DataFrame, contracts: pd.DataFrame, changed: float, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    gained = worth.iloc[0]
    slope, slope_low, slope_high = slope_interval(hands["six_points"].to_numpy(), hands["tricks_gained_nt"].to_numpy())
    return {
        "hands": len(hands),
        "layouts": int(parameters["layouts"]),
        "strains": [TRUMPS[strain] for strain in range(STRAINS)],
        "gained": [_finite(gained[key]) for key in ("gained", "gained_low", "gained_high")],
        "changed": changed,
        "tricks_a_point": [_finite(value) for value in (slope, slope_low, slope_high)],
        "finding": (
            f"A high-card point among the six is worth {slope:.2f} tricks at no trump (95 % {slope_low:.2f} to "
            f"{slope_high:.2f}); seeing the six gains {gained['gained']:+.0f} points a hand "
            f"({gained['gained_low']:+.0f} to {gained['gained_high']:+.0f}) and changes the kind of contract on "
            f"{changed:.0%} of layouts ({len(hands)} hands, double-dummy)."
        ),
    }


def _finite(value: float) -> float | None:
    """What JSON can hold: with too few hands there is no interval."""
    return float(value) if np.isfinite(value) else None


def slope_interval(x: NDArray[Any], y: NDArray[Any]) -> tuple[float, float, float]:
    """Least-squares slope of y on x and its 95 % interval (Student)."""
    from scipy import stats

    if len(np.unique(x)) < 2 or len(x) < 3:
        return float("nan"), float("-inf"), float("inf")
    line = stats.linregress(x, y)
    half = float(stats.t.ppf(0.975, len(x) - 2) * line.stderr)
    return float(line.slope), float(line.slope - half), float(line.slope + half)


EXPOSED: Final = Study(
    game="towie",
    name="exposed",
    help="How the six exposed cards change what a hand is worth and the contract its owner chooses.",
    parameters={"chunks": 50, "hands": 3, "layouts": 8},
    count_chunks=lambda parameters: int(parameters["chunks"]),
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
