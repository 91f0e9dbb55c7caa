"""The names of the players of Towers & Bowers: those of the simulator, `learned` and `endgame`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from towerlab.analysis.players import Player
from towerlab.sim import towers_and_bowers as sim
from towerlab.sim.towers_and_bowers.players.learned import LEARNED

ENDGAME: Final = "endgame"
EQUILIBRIUM: Final = "equilibrium"
PLAYERS: Final[Mapping[str, str]] = {
    **sim.PLAYERS,
    LEARNED: "by a network trained against itself with hidden hands",
    **{
        f"{LEARNED}:{number}": f"as learned, but errs: the network's logits divided by {number}"
        for number in (7, 14, 30)
    },
    ENDGAME: "as equilibrium, but plays the last three cards as they are solved with hidden hands (a second a hand)",
}


def bidder_of(player: Player) -> Player:
    """The player who bids and discards alike, of those whose plans can be listed."""
    return EQUILIBRIUM if player == ENDGAME else player
