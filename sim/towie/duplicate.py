"""Deals that are bid again and again by different players; the contracts are played by `pimc` and double-dummy.

What comes of two players in the same seat against the same others on the same cards is compared deal by deal; alike
play leaves their bidding alone to tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from towerlab.games.towie.auction import BID, BIDDER, CALLERS, DOUBLING, strain_of
from towerlab.games.towie.options import TowieOptions
from towerlab.sim.towie.outcomes import Outcomes, asker_points
from towerlab.sim.towie.pimc import SAMPLES, Pimc, vulnerability
from towerlab.sim.towie.players import PIMC, PLAYERS, choose
from towerlab.sim.towie.table import (
    AUCTION,
    CHANCE,
    DEALER_SEAT,
    FACED,
    GOULASHES,
    PASSED_OUT,
    PHASE,
    PLAY,
    ROW_TRICKS,
    TowieTable,
    act_call,
    act_play,
    caller_to_act,
    deal_cards,
    new_table,
    start_game,
)

COLUMNS: Final = (
    "bid",
    "doubling",
    "declarer",
    "tricks",
    "open_tricks",
    "vulnerable",
    "goulashes",
    *(f"{points}_{caller}" for points in ("points", "open_points") for caller in range(CALLERS)),
)
"""Of a deal that was bid: the contract (bid 0 where the limit of goulashes was reached), its caller, the declarer's
tricks as three `pimc` play and double-dummy, whether declarer was vulnerable, and what each caller got less the mean of
the two others, as played and double-dummy."""


class Duplicate:
    """A table of three whose deals are bid by whom one likes.

    Args:
        options: of the game; with a limit of goulashes.
        samples: layouts of players who deal some.
    """

    def __init__(self, options: TowieOptions, samples: int = SAMPLES) -> None:
        self._table = new_table(options, CALLERS)
        self._pimc = Pimc(options, samples)

    def bid(self, players: Sequence[str], vulnerable: int, seed: np.random.SeedSequence) -> list[int]:
        """One deal, goulashes included, as a row of `COLUMNS`.

        Args:
            players: names of `PLAYERS` by caller, the dealer first.
            vulnerable: bit c where caller c has won a game.
            seed: of the cards and of the players' lots; the same cards are dealt as long as the same calls are made.
        """
        children = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(2)  # of a seed used again
        cards, lots = (np.random.default_rng(child) for child in children)
        table, kinds = self._table, [list(PLAYERS).index(name) for name in players]
        start_game(table, np.arange(CALLERS))
        table.now[DEALER_SEAT] = 0
        table.games[:] = [vulnerable >> caller & 1 for caller in range(CALLERS)]
        self._pimc.forget()
        while table.now[PHASE] in (CHANCE, AUCTION) and not table.now[PASSED_OUT]:
            if table.now[PHASE] == CHANCE:
                deal_cards(table, cards)
                continue
            kind = kinds[int(caller_to_act(table))]
            act_call(table, self._pimc.choose(table, lots) if kind == PIMC else choose(kind, table, lots))
        return self._settle(table, lots)

    def _settle(self, table: TowieTable, lots: np.random.Generator) -> list[int]:
        goulashes = int(table.now[GOULASHES])
        if table.now[PASSED_OUT]:
            return [0, 1, 0, 0, 0, 0, goulashes] + [0] * (2 * CALLERS)
        contract = table.auction[[BID, DOUBLING, BIDDER]]
        bid, declarer = int(contract[0]), int(contract[2])
        risks, dealt, points = vulnerability(table), table.dealt[None], np.zeros(1)
        outcomes = Outcomes(dealt, int(table.now[FACED]))
        tricks = int(outcomes.count(np.zeros(1, dtype=np.int64), declarer, int(strain_of(bid)))[0])
        while table.now[PHASE] == PLAY:
            act_play(table, self._pimc.choose(table, lots))
        played = int(table.rows[0, ROW_TRICKS])
        row = [*contract.tolist(), played, tricks, int(risks[declarer]), goulashes]
        for taken in (played, tricks):
            for caller in range(CALLERS):
                ends = np.array([[taken, taken]])
                asker_points(dealt, contract[None], ends, caller, risks, table.rules, points)
                row.append(round(float(points[0])))
        return row
