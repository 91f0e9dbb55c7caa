"""Rule options of Towers (RULES 4.5) and the small array in which the kernels read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.options import GameOptions, option

# Places in the array of rules.
SPANS: Final = 0  # how many pairs of towers are adjacent: 3 in a line, 4 in a square
ACE_STRENGTH: Final = 1
LANDING_NEEDS_BOTH_ENDS: Final = 2
SUPPORT_CHECK: Final = 3
EQUAL_SUPPORTS: Final = 4
ONE_PAIR_ONLY: Final = 5
UNEVEN_LEVEL: Final = 6

SUPPORT_OFF, SUPPORT_AFTER_BRIDGE_LOSS, SUPPORT_ALWAYS = 0, 1, 2
LEVEL_LOWER, LEVEL_HIGHER, LEVEL_BOTH = 0, 1, 2

_SUPPORT_CHECKS = ("off", "after_bridge_loss", "always")
_PLAYERS = "each is dealt five of the 52 cards"
_UNEVEN_LEVELS = ("lower", "higher", "both")


@dataclass(frozen=True)
class TowersOptions(GameOptions):
    """The rules that can differ from table to table."""

    layout: str = option("line", "TR-2", "which towers are adjacent: 12 23 34, or 41 too", choices=("line", "square"))
    n_players: int = option(2, "TR-2", "players at the table", low=2, high=10, why=_PLAYERS)
    ace_strength: int = option(
        14, "TR-6", "what a bridge needs to crush an ace: 13 kings only, 14 none", low=1, high=14
    )
    landing: str = option(
        "any_end",
        "TR-8",
        "a bridge that comes down on a bridge goes if one end did, or only if both ends lie on bridges",
        choices=("any_end", "both_ends_on_bridge"),
    )
    support_check: str = option(
        "always",
        "TR-8",
        "which tower cards destroy too weak a support: all, those that lost a bridge as unstable, none",
        choices=("always", "after_bridge_loss", "off"),
    )
    equal_supports: bool = option(True, "TR-8", "when supports are checked, a card carries one of its own value")
    equal_group: str = option(
        "all", "TR-8", "equal cards become level: all go, or one pair at a time", choices=("all", "pair")
    )
    uneven_level: str = option(
        "both", "TR-8", "at which of its levels an uneven bridge meets its equals", choices=("both", "higher", "lower")
    )
    first_player: str = option("0", "TR-3", "who begins: 0, player 1, or drawn with the deal", choices=("0", "random"))

    def rules(self) -> NDArray[np.int64]:
        """int64[7] for the kernels: what of the options they have to know, at the places named in this file."""
        return np.array(
            [
                4 if self.layout == "square" else 3,
                self.ace_strength,
                self.landing == "both_ends_on_bridge",
                _SUPPORT_CHECKS.index(self.support_check),
                self.equal_supports,
                self.equal_group == "pair",
                _UNEVEN_LEVELS.index(self.uneven_level),
            ],
            dtype=np.int64,
        )
