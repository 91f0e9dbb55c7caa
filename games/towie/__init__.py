"""Towie (RULES 3): bridge for three of three or more players, with a dummy that is bid for.

Each rule is a kernel once: `auction` (calls and contracts), `dealing` (deal, exposed cards, goulash), `play`,
`scoring`, `ledger` (totals, settlement, end of the game), `seats` (retiring, entering and dealing). `Towie` is the
interactive game over the same kernels, `pbn` its deals for bridge programs.
"""

from towerlab.games.towie.engine import GAME, Towie
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.pbn import deal_to_pbn
from towerlab.games.towie.records import (
    Contract,
    DealState,
    GameState,
    Phase,
    Score,
    Trick,
    View,
)
