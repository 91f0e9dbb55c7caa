"""Who plays Towers & Bowers: the players of the simulator, and one who is asked in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from towerlab.sim import towers_and_bowers as sim

ENDGAME: Final = "endgame"
PLAYERS: Final[Mapping[str, str]] = {
    **sim.PLAYERS,
    ENDGAME: "as equilibrium, but plays the last three cards as they are solved with hidden hands (a second a hand)",
}
