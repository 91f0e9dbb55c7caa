"""Study `exposed`: how the six exposed cards change what a hand is worth and the contract its owner chooses.

A random hand and six random cards of the dummy; layouts of the rest in pairs, one with the six in the dummy, one with
an average dummy (`analysis.towie.layouts.sample_pairs`). Every strain is judged double-dummy, by a few questions that
are much cheaper than the number of tricks: is the lowest game made, is a small slam, is it one down (`judge`)? A bidder
who sees the six chooses a contract, or none, by the other layouts of the first kind, a blind one by the other layouts
of the second kind; both are paid on the layout left out, which has the six in the dummy. So neither is paid for luck in
its own sample, and both know equally many layouts. Overtricks are not paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from towerlab.analysis.stats import Estimate, finite_or_none, mean_interval, share_interval, slope_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towie.contracts import Contract, TowieStakes, game_bids
from towerlab.analysis.towie.goulash import SLAM_TRICKS, game_tricks, warm_up
from towerlab.analysis.towie.layouts import STRAINS, sample_pairs, solve_makes
from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_text
from towerlab.games.pbn import hand_text
from towerlab.games.towie.auction import level_of
from towerlab.games.towie.dealing import EXPOSED as SIX
from towerlab.games.towie.dealing import HAND_SIZE
from towerlab.games.towie.options import TowieOptions
from towerlab.sim.towie.pimc import SLAM_LEVEL
from towerlab.sim.towie.players import high_card_points

NO_BID: Final = "no bid"
_GAINS: Final = ("notrump_gained", "game_gained")  # chance of a game with the six, less with an average dummy
_BUCKETS: Final = ((0, 1), (2, 3), (4, 5), (6, 8), (9, 24))  # points in the six


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

    def __init__(self, table: TowieStakes) -> None:
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


def judge(deals: Ints) -> Ints:
    """Tricks [deals, 5] of the asker by strain, as far as bidding cares: of the lowest game, one or two fewer, or 12.

    Two fewer stands for these or fewer, so the asker is never more than two down; a game made stands for all tricks up
    to 11, a slam for 12 and 13.
    """
    tricks = np.empty((len(deals), STRAINS), dtype=np.int64)
    for strain, needed in enumerate(game_tricks()):
        made = solve_makes(deals, strain, needed)
        slam, nearly = np.zeros_like(made), made.copy()
        slam[made] = solve_makes(deals[made], strain, SLAM_TRICKS)
        nearly[~made] = solve_makes(deals[~made], strain, needed - 1)
        tricks[:, strain] = np.where(slam, SLAM_TRICKS, needed - 2 + made.astype(np.int64) + nearly)
    return tricks


def look_at_hand(
    hand: int, exposed: int, layouts: int, random: np.random.Generator, options: TowieOptions
) -> list[dict[str, Any]]:
    """One row a layout: games made with the six and with an average dummy, contracts chosen, points without honours."""
    chooser = Chooser(TowieStakes(replace(options, honours=False)))
    given, average = (judge(deals) for deals in sample_pairs(hand, exposed, layouts, random))
    paid = chooser.points(given)
    seen, blind = chooser.best_without_each(paid), chooser.best_without_each(chooser.points(average))
    games = np.array(game_tricks())
    needed = [0 if c is None else c.needed for c in chooser.contracts]
    rows = []
    for row in range(layouts):
        with_six, without = given[row] >= games, average[row] >= games
        found: dict[str, Any] = {
            "notrump": bool(with_six[NO_TRUMP]),
            "notrump_average": bool(without[NO_TRUMP]),
            "game": bool(with_six.any()),
            "game_average": bool(without.any()),
        }
        for who, index in (("seen", int(seen[row])), ("blind", int(blind[row]))):
            contract = chooser.contracts[index]
            found |= {
                f"{who}_contract": contract_kind(contract),
                f"{who}_points": float(paid[row, index]),
                f"{who}_made": contract is not None and bool(given[row, contract.strain] >= needed[index]),
            }
        rows.append(found)
    return rows


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    random, options = np.random.default_rng(seed), TowieOptions(**parameters["options"])
    rows = []
    for number in range(int(parameters["hands"])):
        cards = random.permutation(52)[: HAND_SIZE + SIX].tolist()
        hand, exposed = cards_mask(cards[:HAND_SIZE]), cards_mask(cards[HAND_SIZE:])
        about = {
            "number": chunk * int(parameters["hands"]) + number,
            "hand": hand_text(hand),
            "six": mask_text(exposed),
            "hand_points": int(high_card_points(hand)),
            "six_points": int(high_card_points(exposed)),
        }
        rows += [about | row for row in look_at_hand(hand, exposed, int(parameters["layouts"]), random, options)]
    return pd.DataFrame(rows)


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``worth`` (by points in the six), ``contracts`` (chosen with and without the six), ``hands``."""
    layouts = pd.concat(list(tables), ignore_index=True)
    about = ["number", "hand", "six", "hand_points", "six_points"]
    numbers = ["notrump", "notrump_average", "game", "game_average", "seen_points", "blind_points"]
    hands = layouts.groupby(about, as_index=False, sort=True)[numbers].mean()
    hands["gained"] = hands["seen_points"] - hands["blind_points"]
    for kind in ("notrump", "game"):
        hands[f"{kind}_gained"] = hands[kind] - hands[f"{kind}_average"]
    worth = pd.DataFrame([_worth_row(low, high, hands) for low, high in ((0, 24), *_BUCKETS)])
    contracts = pd.DataFrame([row for who in ("seen", "blind") for row in _contract_rows(who, layouts)])
    changed = layouts["seen_contract"] != layouts["blind_contract"]
    summary = _summary(hands, worth, float(changed.mean()), parameters)
    return StudyResult({"worth": worth, "contracts": contracts, "hands": hands}, summary)


def _worth_row(low: int, high: int, hands: pd.DataFrame) -> dict[str, Any]:
    """A hand is one observation; its layouts hang together."""
    rows = hands[hands["six_points"].between(low, high)]
    points = "any" if (low, high) == (0, 24) else f"{low} to {high}" if high < 24 else f"{low} or more"
    row: dict[str, Any] = {"six_points": points, "hands": len(rows)}
    for key in (*_GAINS, "game", "game_average", "seen_points", "blind_points", "gained"):
        row |= mean_interval(rows[key]).row(key)
    return row


def _contract_rows(who: str, layouts: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for kind in (NO_BID, "minor suit", "major suit", "no trump", "slam"):
        chosen = layouts[layouts[f"{who}_contract"] == kind]
        made = share_interval(int(chosen[f"{who}_made"].sum()), len(chosen))
        if kind == NO_BID or chosen.empty:
            made = Estimate(np.nan, np.nan, np.nan, 0)
        rows.append(
            {"bidder": {"seen": "sees the six", "blind": "does not"}[who], "contract": kind,
             "share": len(chosen) / len(layouts), **made.row("made"), "points": chosen[f"{who}_points"].mean(),
             "layouts": len(chosen)}
        )  # fmt: skip
    return rows


def _summary(hands: pd.DataFrame, worth: pd.DataFrame, changed: float, parameters: Mapping[str, Any]) -> dict[str, Any]:
    gained = worth.iloc[0]
    slope, slope_low, slope_high = slope_interval(hands["six_points"].to_numpy(), hands["game_gained"].to_numpy())
    return {
        "hands": len(hands),
        "layouts": int(parameters["layouts"]),
        "gained": [finite_or_none(gained[key]) for key in ("gained", "gained_low", "gained_high")],
        "changed": changed,
        "chance_a_point": [finite_or_none(value) for value in (slope, slope_low, slope_high)],
        "finding": (
            f"A high-card point among the six raises the chance of a game by {slope:.1%} (95 % {slope_low:.1%} to "
            f"{slope_high:.1%}); seeing the six gains {gained['gained']:+.0f} points a hand "
            f"({gained['gained_low']:+.0f} to {gained['gained_high']:+.0f}) and changes the kind of contract on "
            f"{changed:.0%} of layouts ({len(hands)} hands, double-dummy)."
        ),
    }


EXPOSED: Final = Study(
    game="towie",
    name="exposed",
    help="How the six exposed cards change what a hand is worth and the contract its owner chooses.",
    parameters={"chunks": 60, "hands": 4, "layouts": 10},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
    rule_options=TowieOptions,
)
