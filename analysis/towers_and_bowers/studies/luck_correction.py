"""Luck taken out of matches by control variates: is the rest unbiased, and how many hands does that save?

Matches are played in pairs with the same cards and the seats changed. Of each the *result* is 1 if the player named
first wins and 0 if not; its *luck* is what starters and deals were worth to them by
`analysis.towers_and_bowers.solutions.luck_baseline`; *corrected* is the result less the luck. The same is reported of
towers. A variance ratio of 5 means that the corrected mean of a fifth of the hands is as sure as the raw one of all.

Between two `equilibrium` players its table ``outcomes`` is the data file of that baseline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.stats import NORMAL_95, mean_interval, ratio_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.equity import hand_tricks, score_equity
from towerlab.analysis.towers_and_bowers.simulation import stored_solution, warm_up
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.solutions.luck_baseline import ENDINGS, KEYS, Baseline, luck_baseline
from towerlab.games.arrays import Floats, Ints
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.hand import DEALER, IS_TOWER, WINNER, deal_hand, new_record, play_hand
from towerlab.sim.towers_and_bowers.knowledge import make_model, rules_of
from towerlab.sim.towers_and_bowers.match import generators
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS

OPTIONS: Final = TowersAndBowersOptions()
_MOST_TOWERS: Final = 2 * OPTIONS.towers_to_win - 1
_RESAMPLES: Final = 500
_MT: Final = 1000


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    if len(parameters["players"]) != 2:
        raise TowerlabError(f"luck between {len(parameters['players'])} players; expected --set players=NAME,NAME")
    return int(parameters["chunks"])


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a hand; `dealer` is the place of the player who dealt it, `ending` the non-dealer's."""
    first, second = parameters["players"]
    solution = stored_solution((first, second), "match", OPTIONS)
    model, rules, record = make_model(OPTIONS, deal_values(OPTIONS), solution), rules_of(OPTIONS), new_record()
    numbers = PLAYER_IDS[first], PLAYER_IDS[second]
    deals, choices = generators(seed)
    rows = []

    def play(dealer: int, hands: tuple[int, int], up: int) -> tuple[int, bool]:
        """The player who takes the tower or deals next, and whether it is the tower."""
        play_hand((numbers[1 - dealer], numbers[dealer]), hands, up, rules, model, choices, record)
        return (dealer if record[WINNER] == DEALER else 1 - dealer), bool(record[IS_TOWER])

    for pair in range(int(parameters["pairs"])):
        pack = [[deal_hand(n, deals) for n in range(LARGEST_HAND, 0, -1)] for _ in range(_MOST_TOWERS)]
        starters = deals.integers(2, size=_MOST_TOWERS).tolist()
        for turned in range(2 - (first == second)):  # against themselves the other seat would play the same hands again
            won = [0, 0]
            while max(won) < OPTIONS.towers_to_win:
                tower = sum(won)
                dealer = starters[tower] ^ turned
                for nondealer, other, up in pack[tower]:
                    winner, is_tower = play(dealer, (nondealer, other), up)
                    better = winner != dealer
                    ending = ENDINGS.index("sweep" if better else "swept") if is_tower else 1 + (not better)
                    tricks = hand_tricks(nondealer, other, up, OPTIONS)
                    size = nondealer.bit_count()
                    rows.append((chunk, pair, turned, tower, size, dealer, *tricks, ending, winner, is_tower))
                    dealer = winner
                    if is_tower:
                        won[winner] += 1
                        break
    names = ("chunk", "pair", "turned", "tower", "cards", "dealer", *KEYS[1:], "ending", "winner", "is_tower")
    return pd.DataFrame(rows, columns=list(names))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``units`` (raw, corrected and their difference), ``deals`` (mean luck by hand size) and ``outcomes``."""
    hands = pd.concat(tables, ignore_index=True)
    baseline = luck_baseline(OPTIONS)
    hands["deal_luck"], hands["left"] = _luck_of_deals(hands, baseline)
    towers = _towers(hands, baseline)
    matches = _matches(towers)
    units = pd.DataFrame([_unit_row("match", matches), _unit_row("tower", towers)])
    deals = pd.DataFrame([_deal_row(str(n), rows) for n, rows in hands.groupby("cards")] + [_deal_row("all", hands)])
    counts = hands.groupby([*KEYS, "ending"]).size().unstack(fill_value=0).reindex(columns=range(4), fill_value=0)
    counts.columns = pd.Index(ENDINGS)
    return StudyResult(
        {"units": units, "deals": deals, "outcomes": counts.reset_index()},
        _summary(units, deals, matches, len(hands), parameters),
    )


def _luck_of_deals(hands: pd.DataFrame, baseline: Baseline) -> tuple[Floats, Floats]:
    """float64[hands] twice, for the dealer: what the deal was worth beyond W(n), what the hand then made of it."""
    dealer = np.array(baseline.dealer)
    dealt = 1 - baseline.nondealer[tuple(hands[list(KEYS)].to_numpy().T)]
    won = np.where(hands["is_tower"], 1.0, dealer[hands["cards"] - 1])
    made = np.where(hands["winner"] == hands["dealer"], won, 1 - won)
    return dealt - dealer[hands["cards"]], made - dealt


def _towers(hands: pd.DataFrame, baseline: Baseline) -> pd.DataFrame:
    """One row a tower: who won it and the luck of the player named first, its starter included."""
    sign = np.where(hands["dealer"] == 0, 1.0, -1.0)
    begins = (hands["cards"] == LARGEST_HAND).to_numpy()
    luck = sign * (hands["deal_luck"] + begins * (baseline.dealer[LARGEST_HAND] - 0.5))
    keys = ["chunk", "pair", "turned", "tower"]
    towers = (
        hands.assign(luck=luck, square=hands["left"] ** 2)
        .groupby(keys, sort=False)
        .agg(luck=("luck", "sum"), winner=("winner", "last"), square=("square", "sum"))
    )
    return towers.assign(result=1.0 - towers["winner"]).reset_index()


def _matches(towers: pd.DataFrame) -> pd.DataFrame:
    """One row a match: result and luck in P(win the match), and half the interval that a review gives their skill."""
    rows = []
    for (chunk, pair, turned), played in towers.groupby(["chunk", "pair", "turned"], sort=False):
        won, luck, squares = [0, 0], 0.0, 0.0
        for gain, winner, square in zip(played["luck"], played["winner"], played["square"], strict=True):
            leverage = _of_score(won[0] + 1, won[1]) - _of_score(won[0], won[1] + 1)
            luck, squares = luck + gain * leverage, squares + square * leverage**2
            won[winner] += 1
        rows.append((chunk, pair, turned, float(won[0] > won[1]), luck, NORMAL_95 * math.sqrt(squares)))
    return pd.DataFrame(rows, columns=["chunk", "pair", "turned", "result", "luck", "margin"])


def _of_score(mine: int, theirs: int) -> float:
    return score_equity((mine, theirs), OPTIONS.towers_to_win, (0.5,))


def _unit_row(unit: str, rows: pd.DataFrame) -> dict[str, Any]:
    result, luck = rows["result"].to_numpy(), rows["luck"].to_numpy()
    pairs = rows.assign(n=1.0).groupby(["chunk", "pair"])[["luck", "n"]].sum()
    apart = ratio_interval(-pairs["luck"], pairs["n"])  # corrected − raw; the two matches of a pair go together
    low, high = _ratio_interval(result, luck, np.asarray(rows.groupby(["chunk", "pair"]).ngroup(), dtype=np.int64))
    row: dict[str, Any] = {"unit": unit, "n": len(rows)}
    for name, found in (("raw", mean_interval(result)), ("corrected", mean_interval(result - luck)), ("apart", apart)):
        row |= found.row(name)
    return row | {"ratio": _ratio(result, luck), "ratio_low": low, "ratio_high": high}


def _ratio(result: Floats, luck: Floats, weights: Floats | None = None) -> float:
    raw, left = (np.cov(values, aweights=weights, ddof=0) for values in (result, result - luck))
    return float(raw / left)


def _ratio_interval(result: Floats, luck: Floats, pairs: Ints) -> tuple[float, float]:
    """A 95 % interval of the ratio, by drawing pairs anew; always the same."""
    random, count = np.random.default_rng(0), int(pairs.max()) + 1
    drawn = (np.bincount(random.integers(count, size=count), minlength=count) for _ in range(_RESAMPLES))
    ratios = [_ratio(result, luck, times[pairs].astype(float)) for times in drawn if np.count_nonzero(times) > 1]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def _deal_row(cards: str, rows: pd.DataFrame) -> dict[str, Any]:
    luck = mean_interval(rows["deal_luck"])
    return {"cards": cards, "hands": luck.n, **luck.row("luck", bare=True)}


def _summary(
    units: pd.DataFrame, deals: pd.DataFrame, matches: pd.DataFrame, hands: int, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    reported: dict[str, Any] = {"players": list(parameters["players"]), "matches": len(matches), "hands": hands}
    sentences = []
    for row in units.to_dict("records"):
        reported[row["unit"]] = {
            "n": row["n"],
            **{
                f"{name}_mt": [_MT * row[name], _MT * row[f"{name}_low"], _MT * row[f"{name}_high"]]
                for name in ("raw", "corrected", "apart")
            },
            "variance_ratio": [row["ratio"], row["ratio_low"], row["ratio_high"]],
        }
        sentences.append(
            f"of a {row['unit']} raw {_in_mt(row, 'raw')}, corrected {_in_mt(row, 'corrected')}, apart "
            f"{_in_mt(row, 'apart')}; the correction does with {row['ratio']:.1f} times fewer hands "
            f"({row['ratio_low']:.1f} to {row['ratio_high']:.1f})"
        )
    corrected = matches["result"] - matches["luck"]
    reported["covered"] = covered = float(((corrected - corrected.mean()).abs() <= matches["margin"]).mean())
    dealt = deals.iloc[-1]
    reported["luck_of_a_deal_mt"] = [_MT * dealt["luck"], _MT * dealt["low"], _MT * dealt["high"]]
    first, second = parameters["players"]
    reported["finding"] = (
        f"{first} against {second}, {len(matches):,} matches, {hands:,} hands. In mt, with 95 % intervals: "
        f"{'; '.join(sentences)}. A deal was worth {_MT * dealt['luck']:+.2f} mt to its dealer beyond W(n) "
        f"({_MT * dealt['low']:+.2f} to {_MT * dealt['high']:+.2f}), 0 if the baseline is right. "
        f"The interval that a review gives the skill in one match held the mean skill in {covered:.1%} of the matches."
    )
    return reported


def _in_mt(row: Mapping[Any, Any], name: str) -> str:
    return f"{_MT * row[name]:.1f} ({_MT * row[f'{name}_low']:.1f} to {_MT * row[f'{name}_high']:.1f})"


LUCK: Final = Study(
    game="towers-and-bowers",
    name="luck-correction",
    help="Take luck out of simulated matches: whether the rest is unbiased, and how many hands that saves.",
    parameters={"players": ["pimc", "equilibrium"], "chunks": 50, "pairs": 50},
    choices={"players": PLAYER_IDS},
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=warm_up,
)
