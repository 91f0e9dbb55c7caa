"""The study `bidding-accuracy` of Bowers: what bidding rules cost in points a deal.

Counts and margins are fitted on the even chunks; rules are scored on the odd ones, all in the same decisions. A rule
costs what the reference gets more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.bowers.bidding_observations import LAYOUTS, OPTIONS, chunk_sizes, observe_bidding
from analysis.bowers.burying import fields_of
from analysis.bowers.simulation import warm_up
from analysis.stats import mean_interval, paired_difference
from analysis.study import Study, StudyResult
from games.arrays import Floats, Ints
from games.bowers import CALLS, MISERE, MOST_TRICKS, PASS, bid_of, bid_trumps, call_level, is_legal_call, to_bid_order
from games.cards import LEFT_BOWER, NO_TRUMP, RIGHT_BOWER, TRUMPS

SUIT_COUNTS: Final = ("trumps", "bowers", "top", "aces", "kings", "voids")
NO_TRUMP_COUNTS: Final = ("aces", "kings", "longest")
MARGINS: Final = np.round(np.arange(-2.0, 2.01, 0.1), 1)
ROUND_TO: Final = 0.25  # tricks: what a person can add up
RESAMPLES: Final = 200


# ----------------------------------------------------------------------------------------------------------- counting


def count_table(views: pd.DataFrame) -> pd.DataFrame:
    """Tricks with the kitty as a sum over what ten cards hold, least squares; every suit of every hand counts.

    Returns:
        one row a term: kind (``suit`` or ``no trump``), counted (the constant as ``to begin with``), tricks with the
        95 % interval of `RESAMPLES` resamples of the hands, in_quarters (rounded to what a person can add up), n.
    """
    rows: list[dict[str, Any]] = []
    for kind, trumps, names in (("suit", range(NO_TRUMP), SUIT_COUNTS), ("no trump", (NO_TRUMP,), NO_TRUMP_COUNTS)):
        held = [[describe(hand)[trump] for trump in trumps] for hand in views["hand"]]
        features = np.array([[[1.0, *(suit[name] for name in names)] for suit in hand] for hand in held])
        tricks, random = views[[f"tricks {TRUMPS[trump]}" for trump in trumps]].to_numpy(), np.random.default_rng(0)
        drawn = [random.integers(len(views), size=len(views)) for _ in range(RESAMPLES)]
        low, high = np.quantile(
            [_least_squares(features[some], tricks[some]) for some in drawn], (0.025, 0.975), axis=0
        )
        for place, weight in enumerate(_least_squares(features, tricks).tolist()):
            row = {"kind": kind, "counted": ("to begin with", *names)[place], "tricks": weight, "low": low[place]}
            easy = float(np.round(weight / ROUND_TO) * ROUND_TO)
            rows.append(row | {"high": high[place], "in_quarters": easy, "n": len(views)})
    return pd.DataFrame(rows)


def _least_squares(features: Floats, tricks: Floats) -> Floats:
    """Weights, float64[terms], from float64[hands, trumps, terms] and float64[hands, trumps]."""
    flat = features.reshape(-1, features.shape[-1])
    return np.asarray(np.linalg.lstsq(flat, tricks.ravel(), rcond=None)[0], dtype=np.float64)


def weights_of(count: pd.DataFrame, column: str = "in_quarters") -> dict[str, dict[str, float]]:
    """The terms of a count by ``suit`` and ``no trump`` and by feature."""
    return {str(kind): dict(zip(part["counted"], part[column], strict=True)) for kind, part in count.groupby("kind")}


@lru_cache(maxsize=100_000)
def describe(hand: int) -> tuple[dict[str, int], ...]:
    """What is counted in a hand, by trump."""
    return tuple(
        describe_hand(int(to_bid_order(hand, bid_of(1, trump))), int(bid_trumps(bid_of(1, trump))))
        for trump in range(NO_TRUMP + 1)
    )


def describe_hand(hand: int, trumps: int) -> dict[str, int]:
    """What a player counts in a hand.

    Args:
        hand: in play order.
        trumps: the trump field.

    Returns:
        trumps (bowers included), bowers, top (ace, king, queen of trumps), aces, kings (with another card beside them)
        and voids outside trumps, longest (of the suits outside trumps).
    """
    plain = fields_of(trumps)[:-1]
    places = [field & -field for field in plain]  # the two of each suit
    held = [(hand & field).bit_count() for field in plain]
    with_bowers = trumps & RIGHT_BOWER
    return {
        "trumps": (hand & trumps).bit_count(),
        "bowers": (hand & (LEFT_BOWER | RIGHT_BOWER)).bit_count() if with_bowers else 0,
        "top": (hand >> 39 & 0b111 << 10).bit_count() if with_bowers else 0,
        "aces": sum(hand & two << 12 != 0 for two in places),
        "kings": sum(hand & two << 11 != 0 and cards > 1 for two, cards in zip(places, held, strict=True)),
        "voids": held.count(0),
        "longest": max(held),
    }


def counted(hands: Iterable[int], weights: Mapping[str, Mapping[str, float]], no_trump: bool = True) -> Floats:
    """Tricks counted in each trump, float64[hands, 5]; −inf at no trump unless it is to be bid."""
    rows = []
    for hand in hands:
        row = []
        for trump, held in enumerate(describe(hand)):
            of = weights["no trump" if trump == NO_TRUMP else "suit"]
            row.append(of["to begin with"] + sum(of[name] * held[name] for name in of if name in held))
        rows.append(row if no_trump else [*row[:NO_TRUMP], -np.inf])
    return np.array(rows)


def bid_counted(counts: Floats, views: pd.DataFrame, opening: float, over: float) -> Ints:
    """The call of a count: in the trump of the highest, so many tricks as it says with a margin, rounded down.

    Args:
        counts: [decisions, 5].
        views: the decisions.
        opening, over: the margin where nobody has bid, and where somebody has.

    A bid that is not legal, or below one, is a pass.
    """
    calls = []
    for count, standing in zip(counts, views["standing"].tolist(), strict=True):
        trump = int(count.argmax())
        level = min(int(np.floor(count[trump] + (opening if standing == PASS else over) + 1e-9)), MOST_TRICKS)
        bid = int(bid_of(level, trump)) if level >= 1 else PASS
        calls.append(bid if is_legal_call(standing, bid, OPTIONS.min_bid) else PASS)
    return np.array(calls, dtype=np.int64)


def values_of(calls: Ints, views: pd.DataFrame) -> Floats:
    """Points of calls, one a decision, float64[decisions]."""
    table = views[[str(call) for call in range(CALLS)]].to_numpy()
    return np.asarray(table[np.arange(len(views)), calls], dtype=np.float64)


def fit_margins(counts: Floats, views: pd.DataFrame) -> tuple[float, float]:
    """The margins for opening and for bidding over somebody that score most in these decisions."""
    found = []
    for opens in (True, False):
        part = (views["standing"] == PASS).to_numpy() == opens
        scores = [values_of(bid_counted(counts[part], views[part], m, m), views[part]).mean() for m in MARGINS]
        found.append(float(MARGINS[int(np.argmax(scores))]) if part.any() else 0.0)
    return found[0], found[1]


# ------------------------------------------------------------------------------------------------------------ the score


ALL, OPENING, OVER = "all first calls", "nobody has bid", "over a bid"
CARD_RULE: Final = "the count in quarters, suits only"
PLAYER: Final = "player "  # begins the names of rules that no person could follow


def lowest_bids(counts: Floats, views: pd.DataFrame) -> Ints:
    """The lowest legal bid in the trump of the highest count, else a pass, int64[decisions]."""
    bids = []
    for trump, over in zip(counts.argmax(axis=1).tolist(), views["standing"].tolist(), strict=True):
        levels = (int(bid_of(level, trump)) for level in range(1, MOST_TRICKS + 1))
        bids.append(next((bid for bid in levels if is_legal_call(over, bid, OPTIONS.min_bid)), PASS))
    return np.array(bids, dtype=np.int64)


def combine_bidding(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``rules`` (kind, rule, cost, n), ``count``, ``calls`` and ``gained`` (the card rule less another)."""
    views = pd.concat(tables, ignore_index=True)
    fitted = views["fitted"].to_numpy(dtype=np.bool_)
    count = count_table(views[fitted])
    exact, easy = weights_of(count, "tricks"), weights_of(count)
    calls: dict[str, Ints] = {}
    for name, weights, no_trump in (
        ("the count", exact, True), ("the count in quarters of a trick", easy, True), (CARD_RULE, easy, False),
    ):  # fmt: skip
        counts = counted(views["hand"], weights, no_trump)
        margins = fit_margins(counts[fitted], views[fitted])
        calls[name] = bid_counted(counts, views, *margins)
    calls |= {f"{PLAYER}{name}": views[name].to_numpy(dtype=np.int64) for name in ("novice", "pimc")}
    calls["always pass"] = np.full(len(views), PASS)
    calls["the lowest bid in the best trump"] = lowest_bids(counted(views["hand"], easy), views)
    judged = views[~fitted]
    scored = {name: values_of(made[~fitted], judged) for name, made in calls.items()}
    opens = (judged["standing"] == PASS).to_numpy()
    rules = [
        {"kind": kind, "rule": name, **mean_interval((judged["reference"] - got)[where]).row("cost"), "n": where.sum()}
        for kind, where in ((ALL, opens | True), (OPENING, opens), (OVER, ~opens))
        for name, got in scored.items()
    ]
    gained = [
        {"less": name, **paired_difference(scored[CARD_RULE], scored[name]).row()}
        for name in ("always pass", f"{PLAYER}novice")
    ]
    found = {
        "rules": pd.DataFrame(rules), "count": count, "calls": _calls_table(judged), "gained": pd.DataFrame(gained),
    }  # fmt: skip
    summary = {
        "scored": len(judged), "fitted": int(fitted.sum()), "layouts": LAYOUTS, "opening_margin": margins[0],
        "over_margin": margins[1],
    }  # fmt: skip
    return StudyResult(found, summary)


def _calls_table(views: pd.DataFrame) -> pd.DataFrame:
    """What passing, the best bid of the count and misère are worth on average, where each is legal."""
    rows = []
    standing = views["standing"].to_numpy()
    levels = np.array([6 if bid == MISERE else int(call_level(bid)) for bid in standing])
    for name, part in (
        ("nobody has bid", standing == PASS), ("over 1 to 4", (levels >= 1) & (levels <= 4)), ("over 5", levels == 5),
        ("over 6", levels == 6), ("over 7 or more", levels >= 7),
    ):  # fmt: skip
        chosen = views[part]
        if len(chosen) < 2:
            continue
        for what, values in (
            ("passing", values_of(np.full(len(chosen), PASS), chosen)),
            ("the reference", chosen["reference"].to_numpy(dtype=np.float64)),
            ("misère", values_of(np.full(len(chosen), MISERE), chosen)),
        ):
            known = values[~np.isnan(values)]
            if len(known) >= 2:
                rows.append({"when": name, "what": what, **mean_interval(known)._asdict()})
    return pd.DataFrame(rows)


BIDDING: Final = Study(
    game="bowers",
    name="bidding-accuracy",
    help="what rules of bidding cost in points a deal",
    parameters={"decisions": 600},
    count_chunks=lambda parameters: len(chunk_sizes(parameters)),
    run_chunk=observe_bidding,
    combine=combine_bidding,
    warm_up=warm_up,
)
