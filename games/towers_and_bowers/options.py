"""Which rules of Towers & Bowers can be chosen? The rule options.

>>> TowersAndBowersOptions(tie_to="bidder").hand_rules.tie_to
1
"""

import dataclasses
import functools
from dataclasses import dataclass
from typing import Final

from towerlab.games.options import GameOptions, option
from towerlab.games.towers_and_bowers.rules import LARGEST_HAND, HandRules


@dataclass(frozen=True)
class TowersAndBowersOptions(GameOptions):
    """The rules that may be played differently; the defaults are what "the game" means.

    Two rulings of our own. With `starter` fixed or alternate no card is turned: the first dealer of a tower is
    player 0, or the players take turns beginning with player 0. With `force_dealer_to_name` off, four passes throw
    the hand in: nobody scores, and the same dealer deals a hand of the same size again.

    Stored solutions are of hands and of bidding: they hold (`solved`) whatever is chosen about towers and matches,
    claims, and stopping early. Under the other options they do not, and answers name the option: `upcard` and `discard`
    count open cards; so does `move`, but that it solves the last cards hidden, for all hands alike, where nobody may
    renege; `value`, `exploit` and the player `equilibrium` refuse.
    """

    towers_to_win: int = option(3, "TB-1", "towers that win the match", low=1, high=99, solved=True)
    first_n: int = option(
        LARGEST_HAND, "TB-2", "cards in the first hand of a tower", low=1, high=LARGEST_HAND, solved=True
    )
    starter: str = option(
        "procedure",
        "TB-6",
        "first dealer of a tower: turned up, always player 1, or in turn",
        choices=("procedure", "fixed", "alternate"),
        solved=True,
    )
    allow_discard_upcard: bool = option(False, "TB-11", "the dealer may discard the up-card itself")
    force_dealer_to_name: bool = option(True, "TB-12", "after three passes the dealer must name a trump")
    tie_to: str = option("defender", "TB-20", "who deals after an even split", choices=("defender", "bidder"))
    renege_mode: str = option(
        "forbidden",
        "TB-22",
        "failing to follow suit is impossible, or punished when found out",
        choices=("forbidden", "enforced"),
    )
    renege_declined: str = option(
        "undo", "TB-27", "what follows a renege penalty declined", choices=("undo", "stand", "award_hand"), solved=True
    )
    accuse_scope: str = option(
        "trick", "TB-24", "an accusation names a trick, or the whole hand", choices=("trick", "hand"), solved=True
    )
    claims: str = option(
        "verified",
        "TB-28",
        "claims: none, proved ones close the hand, or by consent",
        choices=("off", "verified", "free"),
        solved=True,
    )
    early_stop: bool = option(
        True, "TB-21", "stop when nothing can change (never when reneges are enforced)", solved=True
    )

    @functools.cached_property
    def hand_rules(self) -> HandRules:
        """The options that change a hand, as kernels take them."""
        numbers = dict(zip((field.name for field in dataclasses.fields(self)), self.numbers().tolist(), strict=True))
        return HandRules(*(numbers[name] for name in HandRules._fields))

    @property
    def enforces_reneges(self) -> bool:
        """Whether any card held may be played and reneges are found out afterwards (TB-22)."""
        return self.renege_mode == "enforced"


DEFAULT_RULES: Final = TowersAndBowersOptions().hand_rules
"""Those of "the game", which all stored solutions are of."""
