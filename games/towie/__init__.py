"""Towie (RULES 3): bridge for three of three or more players, with a dummy that is bid for.

Each rule is a kernel once: `auction` (calls and contracts), `dealing` (deal, exposed cards, goulash), `play`,
`scoring`, `ledger` (totals, settlement, end of the game), `seats` (who retires, enters and deals).
"""

from games.towie.options import TowieOptions

__all__ = ["TowieOptions"]
