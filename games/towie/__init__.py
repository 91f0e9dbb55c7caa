"""Towie: bridge for three of three or more players, with a dummy that is bid for.

Each rule is a kernel once: `auction` (calls and contracts), `dealing` (deal, exposed cards, goulash, and the play),
`scoring` (of a deal; totals, settlement, end of the game; retiring and entering). `Towie` is the interactive game over
the same kernels, `records` its parts and their form for bridge programs.
"""

from towerlab.games.towie.engine import Towie
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Phase, deal_to_pbn
