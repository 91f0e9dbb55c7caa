"""Which rules of Towers can be chosen? The rule options, and the small array in which the kernels read them.

>>> int(TowersOptions(layout="square").rules()[SPANS])
4
"""

from dataclasses import dataclass

from towerlab.games.arrays import Ints
from towerlab.games.options import GameOptions, option

# Places in the array of rules, those of the options.
SPANS, _, ACE_STRENGTH, LANDING_NEEDS_BOTH_ENDS, SUPPORT_CHECK, EQUAL_SUPPORTS, ONE_PAIR_ONLY, UNEVEN_LEVEL = range(8)

SUPPORT_ALWAYS, SUPPORT_AFTER_BRIDGE_LOSS, SUPPORT_OFF = range(3)
LEVEL_BOTH, LEVEL_HIGHER, LEVEL_LOWER = range(3)

_PLAYERS = "each is dealt five of the 52 cards"


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

    def rules(self) -> Ints:
        """int64[9] for the kernels: the options, with the number of pairs of adjacent towers in place of the layout."""
        rules = self.numbers()
        rules[SPANS] += 3  # the pairs in a line; a square has one more
        return rules
