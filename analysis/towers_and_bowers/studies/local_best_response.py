"""The study `local-best-response`: at least so much a best response wins from a player, in hands of any size.

The responder knows the player's strategy (`sim.towers_and_bowers.exploitability.local_best_response`). With v the value
of the game to the dealer and r the responder's chance in a seat, the player loses at least r − (1 − v) as the dealer
and r' − v as the non-dealer. The sum, r + r' − 1, needs no v; it is the responder's chance less the player's in the
same seat, both against the player, whose own chances add up to 1 over the two seats. Later hands have the value
W(n − 1), the best at hand (`hidden_values`); the sum is a lower bound of the exploitability in a hand with such later
hands.

An observation is a hand dealt, held by the responder in either seat. After the responder has decided how to bid with
it, `fresh` hands of the player are drawn; on each, the responder's calls and discards are compared with the player's.
On the first `responses` of them the responder plays card by card. A card counts by its mean over hands drawn by their
likelihood, which took no part in its choice. The sum of these differences has the mean of the results (the column
``played``), with a fraction of their noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from towerlab.analysis.players import find_player
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.definition import words_of
from towerlab.analysis.towers_and_bowers.simulation import stored_solution
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT, deal_value, deal_values
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import GAME, LARGEST_HAND, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.exploitability.local_best_response import (
    Effort,
    PlannedHands,
    Responder,
    default_of,
    measure_hand,
)
from towerlab.sim.towers_and_bowers.hand import POSITION_SIZE, deal_hand
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYER_IDS
from towerlab.sim.towers_and_bowers.players.knowledge import make_model, payoff_table, rules_of

SEATS: Final = ("nondealer", "dealer")  # of the responder
PARTS: Final = ("calls", "play")


class Amount(NamedTuple):
    """How much is done for a hand size.

    Attributes:
        deals: of a chunk.
        fresh: hands of the player that meet the responder's calls, in each seat of a deal.
        responses: how many of them they also play.
        effort: how hard they think.
    """

    deals: int
    fresh: int
    responses: int
    effort: Effort


AMOUNTS: Final[Mapping[int, Amount]] = {
    1: Amount(20, 100, 1, Effort(400, 100, 300, 80)),
    2: Amount(60, 210, 3, Effort(400, 400, 300, 80)),
    3: Amount(60, 400, 4, Effort(400, 200, 300, 80)),
    4: Amount(60, 300, 3, Effort(400, 100, 300, 80)),
    5: Amount(40, 200, 3, Effort(400, 100, 300, 80)),
    6: Amount(25, 150, 2, Effort(400, 100, 300, 60)),
    7: Amount(20, 100, 2, Effort(400, 100, 300, 60)),
}


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    """`chunks` for each player and hand size.

    Raises:
        TowerlabError: no such player or hand size, or a player that decides in Python.
    """
    for player in words_of(parameters["players"]):
        if find_player(player, GAME) not in PLAYER_IDS:
            raise TowerlabError(
                f"local-best-response does not ask {player} in Python; expected one of {', '.join(PLAYER_IDS)}"
            )
    for cards in parameters["sizes"]:
        if cards not in AMOUNTS:
            raise TowerlabError(f"no hands of {cards} cards; expected sizes from 1 to {LARGEST_HAND}")
    return len(_kinds(parameters)) * int(parameters["chunks"])


def _kinds(parameters: Mapping[str, Any]) -> list[tuple[int, str]]:
    return [(cards, player) for cards in parameters["sizes"] for player in words_of(parameters["players"])]


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Some deals of one player and hand size: a row a deal and seat, gains in mt."""
    kinds = _kinds(parameters)
    cards, player = kinds[chunk % len(kinds)]
    amount = AMOUNTS[cards]
    return gains(player, cards, int(amount.deals * float(parameters["deals"])) or 1, amount, seed)


def gains(player: str, cards: int, deals: int, amount: Amount, seed: np.random.SeedSequence) -> pd.DataFrame:
    """Return the responder's gains in either seat of so many deals: a row each, its columns ``cards``, ``player``,
    ``deal`` (the seed's and its number), ``seat``, ``calls``, ``play`` and ``played`` in mt (`measure_hand`)."""
    options = replace(TowersAndBowersOptions(), first_n=cards)
    model = make_model(options, deal_values(options), stored_solution((player,), "hand", options))
    rules = rules_of(options).hand
    payoffs = true_payoffs(cards)
    number = PLAYER_IDS[player]
    is_pure = player not in ("random", "equilibrium")
    default = int(default_of(number))
    random = np.random.default_rng(seed)
    layouts, fresh = (_room(size) for size in (amount.effort.layouts, amount.fresh))
    beliefs = np.empty((amount.effort.tries, POSITION_SIZE), dtype=np.int64)
    gained = np.zeros(3)
    rows = []
    for deal in range(deals):
        *hands, up = map(int, deal_hand(cards, random))
        for seat, own in enumerate(hands):
            who = Responder(own, up, seat, number, default, amount.effort, rules, payoffs, is_pure)
            measure_hand(who, layouts, fresh, amount.responses, model, random, beliefs, gained)
            rows.append((cards, player, f"{seed.spawn_key}-{deal}", SEATS[seat], *(MT * gained).tolist()))
    return pd.DataFrame(rows, columns=["cards", "player", "deal", "seat", *PARTS, "played"])


def true_payoffs(cards: int) -> Any:
    """float64[2, 8]: P(win the tower) by being the bidder and tricks, the next deal at the best W(n − 1) at hand."""
    below = deal_value(cards - 1)
    table = payoff_table(TowersAndBowersOptions(), (below,) * (LARGEST_HAND + 1))
    return np.ascontiguousarray(table[cards])


def _room(size: int) -> PlannedHands:
    return PlannedHands(np.empty(size, dtype=np.int64), np.empty((size, 4), dtype=np.int64))


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``bounds``, which ships: a row a player and hand size, mt; ``deals``: a row a deal and seat."""
    each_deal = pd.concat(tables, ignore_index=True)
    bounds = pd.DataFrame([_row(rows) for _, rows in each_deal.groupby(["cards", "player"], sort=False)])
    bounds = bounds.sort_values("cards", kind="stable").reset_index(drop=True)
    reported = {
        f"{row['player']}, n = {row['cards']}": [row["total"], row["low"], row["high"]]
        for row in bounds.to_dict("records")
    }
    return StudyResult({"bounds": bounds, "deals": each_deal}, {"at_least_mt": reported})


def _row(rows: pd.DataFrame) -> dict[str, Any]:
    """A player and hand size: the sum of both seats with its interval, the parts and seats, what was played out."""
    rows = rows.assign(total=rows[list(PARTS)].sum(axis=1))
    by_deal = rows.groupby("deal")[["total", *PARTS, "played"]].sum()
    reported = {"cards": rows["cards"].iloc[0], "player": rows["player"].iloc[0], "deals": len(by_deal)}
    total = mean_interval(by_deal["total"])
    out = mean_interval(by_deal["calls"] + by_deal["played"])
    reported |= {"total": total.mean, "low": total.low, "high": total.high}
    reported |= {f"against_{seat}": rows.loc[rows["seat"] != seat, "total"].mean() for seat in SEATS}
    reported |= {part: by_deal[part].mean() for part in PARTS}
    reported |= {"played_out": out.mean, "played_out_low": out.low, "played_out_high": out.high}
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in reported.items()}


LOCAL_BEST_RESPONSE: Final = Study(
    game=GAME,
    name="local-best-response",
    help="At least so much a best response wins from a player, in hands of one to seven cards.",
    parameters={
        "players": "pimc,cautious,equilibrium,family,novice",
        "sizes": [1, 2, 3, 4, 5, 6, 7],
        "chunks": 3,
        "deals": 1.0,
    },
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    players=("players",),
)
