"""The player `shortsighted`: `pimc`, but every call is taken to be the last one, and those before it tell nothing.

His own contract stands against leaving the standing one, doubled or not; passing without one is worth nothing. Kept to
measure what looking ahead is worth.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from games.towie.auction import (
    BID,
    BIDDER,
    DOUBLE,
    DOUBLING,
    PASS,
    REDOUBLE,
    is_game_contract,
    strain_of,
    why_illegal,
)
from games.towie.options import DOUBLED_COUNTS
from games.towie.scoring import deal_score, tricks_needed
from sim.towie.auctions import SILENT
from sim.towie.outcomes import Outcomes
from sim.towie.pimc import Thinker, bids_worth_asking, may_double, vulnerability
from sim.towie.table import Table, caller_to_act

DOUBT: Final = (0.3, 3)
"""Of the contracts he could bid, the one that is made in most of a few layouts is flattered: so for his own contracts
three more layouts are counted in which it is made with this probability."""
FEARED: Final = 2
"""Undertricks, doubled, in the others of those."""
SURE_ENOUGH: Final = 0.8
"""Share of the layouts in which a doubled contract has to be made before he redoubles."""


class Shortsighted(Thinker):
    """Decides for every ``shortsighted`` at a table; he plays as ``pimc`` does."""

    rule = SILENT
    auction_share = 0.5

    def choose_call(self, table: Table, rng: np.random.Generator) -> int:
        """Of his own lowest games and slams, doubling and passing the best, each as if the auction ended there."""
        auction, caller = table.auction, int(caller_to_act(table))
        bid, doubling, bidder = int(auction[BID]), int(auction[DOUBLING]), int(auction[BIDDER])
        strains = [] if bidder == caller else self._strains(table, caller)
        if not strains and not may_double(int(table.hands[caller]), bid):
            return PASS
        outcomes = self._outcomes(table, caller, rng)
        if bidder == caller:
            sure = why_illegal(auction, REDOUBLE) == 0 and share_made(outcomes, caller, bid) >= SURE_ENOUGH
            return REDOUBLE if sure else PASS
        best, worth = PASS, 0.0
        if is_game_contract(bid, doubling, table.rules[DOUBLED_COUNTS]):
            worth = -self._at_face(table, outcomes, bidder, bid, doubling)
            if why_illegal(auction, DOUBLE) == 0:
                doubled = -self._at_face(table, outcomes, bidder, bid, 2)
                if doubled > worth:
                    best, worth = DOUBLE, doubled
        for strain in strains:
            for candidate in bids_worth_asking(outcomes, bid, caller, strain):
                value = (len(table.ledger) - 1) * self._at_face(table, outcomes, caller, candidate, 1)
                if value > worth:
                    best, worth = candidate, value
        return best

    def _at_face(self, table: Table, outcomes: Outcomes, declarer: int, bid: int, doubling: int) -> float:
        """Mean of declarer's points less an opponent's; if it fails his own is two down doubled, another's one."""
        own = declarer == caller_to_act(table)
        vulnerable, need = int(vulnerability(table)[declarer]), int(tricks_needed(bid))
        gained, _ = deal_score(bid, doubling, vulnerable, need, 0, 0, table.rules)
        short, doubled = (FEARED, 2) if own else (1, doubling)
        _, lost = deal_score(bid, doubled, vulnerable, need - short, 0, 0, table.rules)
        made = share_made(outcomes, declarer, bid)
        if own:
            (prior, weight), count = DOUBT, len(outcomes.layouts)
            made = (made * count + prior * weight) / (count + weight)
        return float(made * gained - (1 - made) * lost)


def share_made(outcomes: Outcomes, declarer: int, bid: int) -> float:
    """Share of the layouts in which a contract is made."""
    everywhere = np.arange(len(outcomes.layouts))
    return float(outcomes.takes(everywhere, declarer, int(strain_of(bid)), int(tricks_needed(bid))).mean())
