"""Played games of Towie as tables: one row a played deal, and statistics of many games with honest intervals.

Deals of a game hang together, so a game is one observation; shares of deals are ratios of two sums over games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from towerlab.analysis.stats import Estimate, ratio_interval, share_interval
from towerlab.analysis.towie.contracts import lowest_game
from towerlab.games.towie import TowieOptions
from towerlab.games.towie.auction import is_game_contract, level_of, strain_of
from towerlab.games.towie.scoring import deal_score, tricks_needed
from towerlab.sim.towie.games import ROW_NAMES, simulate_games

ACTIVE_SEATS: Final = 3
FEWEST_CONTRACTS: Final = 10  # for an interval of their mean
Values = NDArray[np.float64]


def play_games(
    players: Sequence[str],
    games: int,
    seed: np.random.SeedSequence,
    options: TowieOptions | None = None,
    *,
    first_game: int = 0,
    samples: int = 4,
) -> pd.DataFrame:
    """Play games and give one row a played deal.

    Columns: those of `sim.towie.games.ROW_NAMES` with ``made``, ``hindsight`` (see `hindsight_gain`) and
    ``vulnerable_players`` / ``active_vulnerable`` (before the deal), and of the whole game ``dealt``,
    ``goulashes_all``, ``passed_out``, ``winner`` (−1 for nobody) and ``total_0`` … by player.
    """
    options = TowieOptions() if options is None else options
    alike = len(set(players)) == 1
    # Players that are alike cannot be compared: cards of their own for every game tell more.
    played = simulate_games(players, games, seed, options, first_game=first_game, samples=samples, same_cards=not alike)
    rows = pd.DataFrame(played.rows, columns=["game", *ROW_NAMES])
    at = rows["game"].to_numpy() - first_game
    for column, name in enumerate(("dealt", "deals_played", "passed_out", "goulashes_all")):
        rows[name] = played.deals[at, column]
    rows["winner"] = played.winners[at]
    for player in range(len(players)):
        rows[f"total_{player}"] = played.points[at, player]
    bids = rows["bid"].to_numpy()
    rows["made"] = rows["tricks"].to_numpy() >= [int(tricks_needed(int(bid))) for bid in bids]
    contracts = zip(*(rows[name].tolist() for name in ("bid", "doubling", "vulnerable", "tricks")), strict=True)
    rows["hindsight"] = [hindsight_gain(bid, x, risk, tricks, options) for bid, x, risk, tricks in contracts]
    return _with_vulnerable(rows)


def hindsight_gain(bid: int, doubling: int, vulnerable: int, tricks: int, options: TowieOptions) -> int:
    """What the declarer lost by bidding so much: points with the tricks known, less what was got, no honours.

    Knowing them declarer bids the lowest game of the strain if it makes, else nothing, for 0; negative where declarer
    did better, by a slam or doubled. Points are declarer's less those of an opponent.
    """
    rules = options.rules()
    game = lowest_game(int(strain_of(bid)))
    best = 0
    if tricks >= tricks_needed(game):
        best = int(deal_score(game, 1, vulnerable, tricks, 0, 0, rules)[0])
    ours, theirs = deal_score(bid, doubling, vulnerable, tricks, 0, 0, rules)
    return best - (int(ours) - int(theirs))


def _with_vulnerable(rows: pd.DataFrame) -> pd.DataFrame:
    """How many players had won a game before each deal, and how many of those sat."""
    counts: list[tuple[int, int]] = []
    vulnerable, game = 0, -1
    for number, declarer, made, active in rows[["game", "declarer", "made", "active"]].itertuples(index=False):
        if number != game:
            vulnerable, game = 0, number
        counts.append((vulnerable.bit_count(), (vulnerable & int(active)).bit_count()))
        if made:
            vulnerable |= 1 << int(declarer)
    rows["vulnerable_players"], rows["active_vulnerable"] = zip(*counts, strict=True)
    return rows


# ------------------------------------------------------------------------------------------------------- statistics

STATISTICS: Final[Mapping[str, tuple[str, str, str]]] = {
    "dealt": ("ordinary deals a game", "dealt", "games"),
    "played": ("played deals a game", "one", "games"),
    "goulashes": ("goulashes a game", "goulashes_all", "games"),
    "reach": ("auctions that reach game", "one", "auctions"),
    "reach_at_once": ("ordinary deals whose first auction reaches game", "ordinary", "dealt"),
    "made": ("contracts made", "made", "one"),
    "doubled": ("contracts doubled", "doubled", "one"),
    "net": ("points of the declarer less those of an opponent", "net", "one"),
    "lost": ("points lost by over-bidding, a contract", "lost", "one"),
    "went_down": ("points an opponent gets when a contract fails", "went_down", "failed"),
    "too_high": ("failed contracts whose lowest game would have made", "too_high", "failed"),
    "vulnerable_active": ("a vulnerable player sits", "v_active", "v_players"),
    "other_active": ("another player sits", "n_active", "n_players"),
}
"""Name → (in words, what is counted, of what): columns of `_counted`, summed over each game."""


def statistics(deals: pd.DataFrame, players: int) -> dict[str, Estimate]:
    """Statistics of games, a name each; see `STATISTICS` for what they mean.

    Args:
        deals: of `play_games`, all with the same players; games are told apart by ``game``.
        players: at the table.
    """
    sums = _counted(deals, players).groupby(deals["game"]).sum()
    whole = deals.groupby("game")[["dealt", "goulashes_all"]].first()
    # Every deal and every goulash has an auction.
    sums = sums.join(whole).assign(games=1, auctions=whole.sum(axis=1))
    return {name: ratio_interval(sums[above], sums[below]) for name, (_, above, below) in STATISTICS.items()}


def _counted(deals: pd.DataFrame, players: int) -> pd.DataFrame:
    """What is counted in a deal; seats by vulnerability where some players are vulnerable and some wait."""
    mixed = (deals["vulnerable_players"] > 0) & (deals["vulnerable_players"] < players) & (players > ACTIVE_SEATS)
    vulnerable, active = deals["vulnerable_players"] * mixed, deals["active_vulnerable"] * mixed
    net, failed = deals["declarer_points"] - deals["opponent_points"], ~deals["made"]
    lowest = [int(tricks_needed(lowest_game(int(strain_of(bid))))) for bid in deals["bid"]]
    return pd.DataFrame(
        {
            "one": 1,
            "ordinary": deals["goulashes"] == 0,
            "made": deals["made"],
            "failed": failed,
            "doubled": deals["doubling"] > 1,
            "net": net,
            "lost": deals["hindsight"].clip(lower=0),
            "went_down": -net * failed,
            "too_high": failed & (deals["tricks"] >= lowest),
            "v_players": vulnerable,
            "v_active": active,
            "n_players": players * mixed - vulnerable,
            "n_active": ACTIVE_SEATS * mixed - active,
        }
    )


def statistics_table(arms: Mapping[str, tuple[pd.DataFrame, int]]) -> pd.DataFrame:
    """One row an arm and statistic: ``arm``, ``statistic``, ``words``, ``mean``, ``low``, ``high``, ``games``.

    Args:
        arms: deals and number of players by the name of the arm.
    """
    rows = []
    for arm, (deals, players) in arms.items():
        for name, value in statistics(deals, players).items():
            if np.isfinite(value.mean):
                words = STATISTICS[name][0]
                rows.append({"arm": arm, "statistic": name, "words": words} | value._asdict())
    return pd.DataFrame(rows).rename(columns={"n": "games"})


def contracts_table(arms: Mapping[str, tuple[pd.DataFrame, int]]) -> pd.DataFrame:
    """One row an arm and kind of contract: how often, how often made, points, points lost by over-bidding."""
    rows = []
    for arm, (deals, players) in arms.items():
        kinds, counted = deals["bid"].map(contract_kind), _counted(deals, players)
        for kind in [kind for kind in KINDS if (kinds == kind).any()]:
            sums = counted[["one", "made", "net", "lost"]].mul(kinds == kind, axis=0).groupby(deals["game"]).sum()
            contracts, made = int(sums["one"].sum()), int(sums["made"].sum())
            row: dict[str, Any] = {"arm": arm, "contract": kind, "contracts": contracts}
            row |= share_interval(made, contracts).row("made")
            enough = contracts >= FEWEST_CONTRACTS  # a handful that went alike would look certain
            for name in ("net", "lost"):
                row |= ratio_interval(sums[name], sums["one"]).if_sure(enough).row(name)
            rows.append(row | {"share": contracts / len(deals)})
    return pd.DataFrame(rows)


KINDS: Final = ("doubled into game", "game", "above game", "slam")


def contract_kind(bid: int) -> str:
    """Words for a bid: the lowest game of its strain, above it, a slam, or a game only because it was doubled."""
    if level_of(bid) >= 6:
        return "slam"
    if not is_game_contract(bid, 1, 1):
        return "doubled into game"
    return "game" if bid == lowest_game(int(strain_of(bid))) else "above game"
