"""What the observations of the study `bids` come to: tidy tables, every number with its interval.

Hands are drawn independently; kitties and layouts of one hand are not, so a hand is one observation everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bowers.misere_findings import misere_tables
from analysis.stats import Estimate, mean_interval, paired_difference, ratio_residuals
from analysis.study import StudyResult
from games.arrays import Floats, Ints
from games.bowers import MOST_TRICKS, BowersOptions, bid_of, bid_value
from sim.bowers import worth_tables

SUITS: Final = 2  # of each hand's three trumps the first two are suits, the last is no trump
LEVELS: Final = range(1, MOST_TRICKS + 1)
LONG: Final = 6  # trump lengths from here on are one class
SHORT: Final = 3
FEWEST: Final = 8  # hands of a holding that is shown


def combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """All tables; see the functions below for each."""
    rows = pd.concat(list(chunks), ignore_index=True)
    hands = {joker: Hands(rows, joker) for joker in rows.loc[rows["kind"] == "hands", "joker"].unique()}
    usual = hands["none"]
    tables = {
        "makes": makes_table(usual),
        "holdings": holdings_table(usual),
        "levels": levels_table(usual),
        "kitty": kitty_table(usual),
        "burying": burying_table(rows[rows["kind"] == "bury"]),
        "jokers": jokers_table(hands),
        **misere_tables(rows[rows["kind"] == "misere"]),
    }
    summary = {
        "hands": usual.count,
        "kitties_a_hand": usual.tricks.shape[2],
        "misere_hands": int((rows["kind"] == "misere").sum()),
    }
    return StudyResult(tables, summary)


class Hands:
    """The hands of one pack as arrays [hand, trump, kitty, layout]; trumps are two suits and no trump.

    Attributes:
        tricks: with the kitty and a blind bury, the bidder leading.
        bare: without the kitty.
        left: as `tricks`, but the player on the left leads.
        features: of the ten cards [hand, trump], by name.
    """

    def __init__(self, rows: pd.DataFrame, joker: str) -> None:
        frame = rows[(rows["kind"] == "hands") & (rows["joker"] == joker)]
        self.count = int(frame["hand"].nunique())
        trumps = SUITS + 1
        kitties = len(frame) // (self.count * trumps)

        def arranged(names: list[str]) -> Any:
            values = frame[names].to_numpy().astype(np.int64)
            return values.reshape(self.count, kitties, trumps, len(names)).transpose(0, 2, 1, 3)

        self.tricks: Ints = arranged(["tricks_a", "tricks_b"])
        self.bare: Ints = arranged(["bare_a", "bare_b"])
        self.left: Ints = arranged(["left_a", "left_b"])
        names = ["trumps", "bowers", "jokers", "top", "aces", "kings", "voids", "longest"]
        self.features: dict[str, Ints] = {name: arranged([name])[:, :, 0, 0] for name in names}

    def scores(self) -> Floats:
        """Points less the mean of the others' [hand, trump, kitty, level 1..10], mean over the layouts of a kitty."""
        points = worth_tables(BowersOptions())[:, 0]
        table = points[[int(bid_of(level, 0)) for level in LEVELS]]  # a suit scores as no trump does
        scores: Floats = table.T[self.tricks].mean(axis=3)
        return scores

    def best_suit(self) -> Ints:
        """Which of the two suits takes more tricks [hand]."""
        best: Ints = self.tricks[:, :SUITS].mean(axis=(2, 3)).argmax(axis=1)
        return best


# ----------------------------------------------------------------------------------------------- what makes what


def makes_table(hands: Hands) -> pd.DataFrame:
    """P(at least k tricks) by k and trumps held, for suits and for no trump."""
    return pd.DataFrame(
        {"holding": name, "level": level, **_by_hand((hands.tricks >= level).mean(axis=(2, 3)), chosen)._asdict()}
        for name, chosen in _trump_classes(hands)
        for level in LEVELS
    )


def holdings_table(hands: Hands) -> pd.DataFrame:
    """Mean tricks and P(at least 5, 6, 7 tricks) by trumps and bowers held."""
    rows = []
    length = np.clip(hands.features["trumps"], SHORT, LONG)
    bowers = hands.features["bowers"]
    suits = _suits_only(hands)
    for trumps in range(LONG, SHORT - 1, -1):
        for count in (2, 1, 0):
            chosen = suits & (length == trumps) & (bowers == count)
            if chosen.any(axis=1).sum() < FEWEST:
                continue
            tricks = _by_hand(hands.tricks.mean(axis=(2, 3)), chosen)
            row = {"trumps": _length_name(trumps), "bowers": count, "n": tricks.n, **tricks.row("tricks")}
            for level in (5, 6, 7):
                made = _by_hand((hands.tricks >= level).mean(axis=(2, 3)), chosen)
                row |= made.within(0.0, 1.0).row(f"made_{level}")
            rows.append(row)
    return pd.DataFrame(rows)


def levels_table(hands: Hands) -> pd.DataFrame:
    """For each level: how often a hand promises to score with it, and what it then makes and scores.

    The hands are picked on all kitties but one and judged on that one, in turn; the trump is picked with the level.
    `needed` is the success at which the bid breaks even: V p = (1 − p)(V + lost), where `lost` is what
    each opponent scores when such a bid fails, on average.
    """
    scores = hands.scores()
    rows = []
    for level in LEVELS:
        picked, judged = _leave_one_out(scores[..., level - 1 : level])
        worth = picked >= 0
        tricks = np.take_along_axis(hands.tricks, np.maximum(picked, 0)[:, None, :, None], axis=1)[:, 0][worth]
        failed = tricks < level
        value = int(bid_value(bid_of(level, 0), 0))
        lost = float(MOST_TRICKS - tricks[failed].mean()) if failed.any() else np.nan
        share = mean_interval(worth.mean(axis=1)).within(0.0, 1.0)
        gain = mean_interval(np.where(worth, judged, 0.0).mean(axis=1))
        rows.append(
            {"level": level, **share.row("share"), "made": float(1 - failed.mean()) if len(tricks) else np.nan,
             "lost": lost, "needed": (value + lost) / (2 * value + lost), **gain.row("gain"), "n": hands.count}
        )  # fmt: skip
    return pd.DataFrame(rows)


def _leave_one_out(scores: Floats) -> tuple[Ints, Floats]:
    """For every hand and kitty the best (trump, level) on the other kitties.

    Args:
        scores: [hand, trump, kitty, levels].

    Returns:
        its trump [hand, kitty], −1 where passing is better; its score on this kitty [hand, kitty].
    """
    count, trumps, kitties, levels = scores.shape
    others = scores.sum(axis=2, keepdims=True) - scores
    flat = others.transpose(0, 2, 1, 3).reshape(count, kitties, trumps * levels)
    here = scores.transpose(0, 2, 1, 3).reshape(count, kitties, trumps * levels)
    best = flat.argmax(axis=2)[..., None]
    judged = np.take_along_axis(here, best, axis=2)[..., 0]
    worth = np.take_along_axis(flat, best, axis=2)[..., 0] > 0
    return np.where(worth, best[..., 0] // levels, -1), judged


# ------------------------------------------------------------------------------------------------ kitty and bury


def kitty_table(hands: Hands) -> pd.DataFrame:
    """What the kitty with its bury adds, and what it costs when the player on the left leads: tricks, paired."""
    rows = []
    best = np.arange(hands.count), hands.best_suit()
    cases: dict[str, Callable[[Ints], Ints]] = {
        "best suit": lambda values: values[best],
        "no trump": lambda values: values[:, SUITS],
    }
    for name, of in cases.items():
        tricks, bare, left = of(hands.tricks), of(hands.bare), of(hands.left)
        for what, gain in (("kitty", tricks - bare), ("leading first", tricks - left)):
            estimate = mean_interval(gain.mean(axis=(1, 2)))
            rows.append({"trump": name, "what": what, **estimate._asdict()})
        for what, share in (("kitty gains a trick or more", tricks > bare), ("kitty costs a trick", tricks < bare)):
            estimate = mean_interval(share.mean(axis=(1, 2)))
            rows.append({"trump": name, "what": what, **estimate._asdict()})
    return pd.DataFrame(rows)


def burying_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Ways of burying: tricks lost against trying every bury on eight common layouts; paired by hand and trump."""
    found = []
    for kind, part in (("best suit", rows[rows["trump"] != "NT"]), ("no trump", rows[rows["trump"] == "NT"])):
        wide = part.pivot(index="hand", columns="way", values="mean_tricks")
        for way in part["way"].unique():
            loss = paired_difference(wide["every bury tried"], wide[way])
            about = {"trump": kind, "way": way, "tricks": float(wide[way].mean())}
            found.append(about | loss.row("loss", bare=True) | {"n": loss.n})
    return pd.DataFrame(found)


def jokers_table(hands: Mapping[str, Hands]) -> pd.DataFrame:
    """Mean tricks in the best suit and at no trump, by the pack."""
    rows = []
    for joker, pack in hands.items():
        best = pack.tricks[np.arange(pack.count), pack.best_suit()].mean(axis=(1, 2))
        plain = pack.tricks[:, SUITS].mean(axis=(1, 2))
        for what, values in (("tricks in the best suit", best), ("tricks at no trump", plain)):
            if len(values) >= 2:
                rows.append({"joker": joker, "what": what, **mean_interval(values)._asdict()})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------------- helpers


def _suits_only(hands: Hands) -> NDArray[np.bool_]:
    """Where an array [hand, trump] is about a suit."""
    suits = np.ones((hands.count, SUITS + 1), dtype=np.bool_)
    suits[:, SUITS] = False
    return suits


def _trump_classes(hands: Hands) -> Iterable[tuple[str, NDArray[np.bool_]]]:
    length = np.clip(hands.features["trumps"], SHORT, LONG)
    suits = _suits_only(hands)
    for trumps in range(SHORT, LONG + 1):
        chosen = suits & (length == trumps)
        if chosen.any(axis=1).sum() > 1:
            yield f"{_length_name(trumps)} trumps", chosen
    yield "no trump", ~suits


def _length_name(trumps: int) -> str:
    return f"{trumps} or more" if trumps == LONG else f"{trumps} or fewer" if trumps == SHORT else str(trumps)


def _by_hand(values: Floats, chosen: NDArray[np.bool_]) -> Estimate:
    """The mean over chosen (hand, trump) pairs; a hand that counts twice is one observation of the interval."""
    counts = chosen.sum(axis=1)
    some = counts > 0
    means = np.where(chosen, values, 0.0).sum(axis=1)[some]
    mean, residuals = ratio_residuals(means, counts[some])
    spread = mean_interval(residuals + mean)
    return Estimate(mean, max(spread.low, 0.0), spread.high, int(some.sum()))
