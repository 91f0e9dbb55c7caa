"""Played games of Towie as tables: one row a played deal, and statistics of many games with honest intervals.

Deals of a game hang together, so a game is one observation; shares of deals are ratios of two sums over games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.stats import Estimate, mean_interval, ratio_interval, share_interval
from analysis.towie.contracts import lowest_game
from games.towie import TowieOptions
from games.towie.auction import contract_text, is_game_contract, level_of, strain_of
from games.towie.scoring import deal_score, tricks_needed
from sim.towie.games import ROW_NAMES, simulate_games

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

    Columns: those of `sim.towie.games.ROW_NAMES` with ``made``, ``contract``, ``hindsight`` (see `hindsight_gain`) and
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
    rows["contract"] = [contract_text(int(bid), int(x)) for bid, x in zip(bids, rows["doubling"], strict=True)]
    rows["hindsight"] = [
        hindsight_gain(int(bid), int(doubling), int(vulnerable), int(tricks), options)
        for bid, doubling, vulnerable, tricks in rows[["bid", "doubling", "vulnerable", "tricks"]].itertuples(
            index=False
        )
    ]
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


def statistics(deals: pd.DataFrame, players: int) -> dict[str, Estimate]:
    """Statistics of games, a name each; see `STATISTICS` for what they mean.

    Args:
        deals: of `play_games`, all with the same players; games are told apart by ``game``.
        players: at the table.
    """
    games = deals.assign(one=1, ordinary=deals["goulashes"] == 0, **_seat_columns(deals, players)).groupby("game")
    return {name: measure(games) for name, (_, measure) in STATISTICS.items()}


def _seat_columns(deals: pd.DataFrame, players: int) -> dict[str, pd.Series]:
    """Seats and places by vulnerability, of deals where some players are vulnerable and some wait."""
    mixed = (deals["vulnerable_players"] > 0) & (deals["vulnerable_players"] < players) & (players > ACTIVE_SEATS)
    vulnerable, active = deals["vulnerable_players"] * mixed, deals["active_vulnerable"] * mixed
    return {
        "v_players": vulnerable,
        "v_active": active,
        "n_players": (players * mixed) - vulnerable,
        "n_active": (ACTIVE_SEATS * mixed) - active,
        "failed": ~deals["made"],
        "doubled": deals["doubling"] > 1,
        "lost": deals["hindsight"].clip(lower=0),
        "net": deals["declarer_points"] - deals["opponent_points"],
        "went_down": -(deals["declarer_points"] - deals["opponent_points"]) * ~deals["made"],
        "too_high": ~deals["made"] & _lower_game_made(deals),
    }


def _lower_game_made(deals: pd.DataFrame) -> pd.Series:
    """Failed, though the lowest game of the strain would have made."""
    needed = [int(tricks_needed(lowest_game(int(strain_of(bid))))) for bid in deals["bid"]]
    return pd.Series(deals["tricks"].to_numpy() >= needed, index=deals.index)


Games = Any  # a pandas group-by; its type needs two parameters that pandas does not export


def _mean_of_first(column: str) -> Callable[[Games], Estimate]:
    return lambda games: mean_interval(games[column].first())


def _count(games: Games) -> Estimate:
    return mean_interval(games["one"].sum())


def _ratio(above: str, below: str) -> Callable[[Games], Estimate]:
    return lambda games: ratio_interval(games[above].sum(), games[below].sum())


def _reach(games: Games) -> Estimate:
    """Played deals by auctions: every deal and every goulash has one."""
    return ratio_interval(games["one"].sum(), games["dealt"].first() + games["goulashes_all"].first())


def _reach_at_once(games: Games) -> Estimate:
    return ratio_interval(games["ordinary"].sum(), games["dealt"].first())


STATISTICS: Final[Mapping[str, tuple[str, Callable[[Games], Estimate]]]] = {
    "dealt": ("ordinary deals a game", _mean_of_first("dealt")),
    "played": ("played deals a game", _count),
    "goulashes": ("goulashes a game", _mean_of_first("goulashes_all")),
    "reach": ("auctions that reach game", _reach),
    "reach_at_once": ("ordinary deals whose first auction reaches game", _reach_at_once),
    "made": ("contracts made", _ratio("made", "one")),
    "doubled": ("contracts doubled", _ratio("doubled", "one")),
    "net": ("points of the declarer less those of an opponent", _ratio("net", "one")),
    "lost": ("points lost by over-bidding, a contract", _ratio("lost", "one")),
    "went_down": ("points an opponent gets when a contract fails", _ratio("went_down", "failed")),
    "too_high": ("failed contracts whose lowest game would have made", _ratio("too_high", "failed")),
    "vulnerable_active": ("a vulnerable player sits", _ratio("v_active", "v_players")),
    "other_active": ("another player sits", _ratio("n_active", "n_players")),
}
"""Name → (in words, how it is measured over games)."""


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
    for arm, (deals, _) in arms.items():
        kinds = pd.Series([contract_kind(bid) for bid in deals["bid"]])
        net = (deals["declarer_points"] - deals["opponent_points"]).to_numpy()
        for kind in KINDS:
            chosen = (kinds == kind).to_numpy()
            if not chosen.any():
                continue
            by_game = pd.DataFrame({"game": deals["game"], "one": chosen, "made": chosen & deals["made"].to_numpy()})
            by_game["net"], by_game["lost"] = net * chosen, deals["hindsight"].clip(lower=0) * chosen
            sums = by_game.groupby("game").sum()
            row: dict[str, Any] = {"arm": arm, "contract": kind, "contracts": int(chosen.sum())}
            row |= share_interval(int(by_game["made"].sum()), int(chosen.sum())).row("made")
            enough = bool(chosen.sum() >= FEWEST_CONTRACTS)  # a handful that went alike would look certain
            for name in ("net", "lost"):
                row |= ratio_interval(sums[name], sums["one"]).if_sure(enough).row(name)
            rows.append(row | {"share": float(chosen.mean())})
    return pd.DataFrame(rows)


KINDS: Final = ("doubled into game", "game", "above game", "slam")


def contract_kind(bid: int) -> str:
    """Words for a bid: the lowest game of its strain, above it, a slam, or a game only because it was doubled."""
    if level_of(bid) >= 6:
        return "slam"
    if not is_game_contract(bid, 1, 1):
        return "doubled into game"
    return "game" if bid == lowest_game(int(strain_of(bid))) else "above game"
