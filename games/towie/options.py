"""Which rules of Towie can be chosen? The rule options, and their places in the array that the kernels read.

>>> int(TowieOptions(max_goulash=2).rules()[MAX_GOULASH])
2
"""

from dataclasses import dataclass
from typing import Final

from towerlab.games.options import GameOptions, option

MOST_PLAYERS: Final = 60  # any number may play (TO-1); sets of players are kept in one int64
ANYWHERE: Final = -1  # of a cut
NO_LIMIT: Final = -1  # of goulashes

# Places in the array of rules, those of the options.
_, DOUBLED_COUNTS, HONOURS, NO_SLAMS, PARLETT_INSULT, OVERTRICK, MAX_GOULASH, RANK_DESCENDING, CUT = range(9)
RETIREE_WAITS: Final = 11


@dataclass(frozen=True)
class TowieOptions(GameOptions):
    """The rules that may be played differently; the defaults are what "the game" means.

    Two rulings of our own: with `max_goulash` reached, the next dealer deals afresh (TO-9); a `goulash_cut` of a number
    takes so many cards from the top each time, 0 leaves the stack as it is.
    """

    n_players: int = option(3, "TO-1", "players, three of them active in a deal", low=3, high=MOST_PLAYERS)
    doubled_counts: bool = option(True, "TO-7", "a low contract that is doubled into 100 trick points is a game")
    honours: bool = option(True, "TO-17", "honours are scored")
    slam_bonus: str = option("bridge", "TO-16", "bonus for slams", choices=("bridge", "none"))
    insult: str = option(
        "sheet", "TO-14", "bonus for a doubled contract made: 50, or 50 and 100 redoubled", choices=("sheet", "parlett")
    )
    overtrick_undoubled: int = option(50, "TO-15", "points for an undoubled overtrick", low=0, high=1000)
    max_goulash: int | None = option(
        None, "TO-9", "goulashes in a row before the next dealer deals", low=0, high=10_000
    )
    goulash_sort: str = option(
        "random", "TO-11", "cards of a suit, sorted for a goulash", choices=("random", "rank_desc")
    )
    goulash_cut: int | None = option(None, "TO-11", "cards cut off the stack; none: any number 4 to 48", low=0, high=48)
    goulash_open: bool = option(False, "TO-11", "all have seen the old dummy before a goulash, not only its dealer")
    claims: bool = option(False, "TO-8", "tricks left may be claimed or conceded; who does faces the hand")
    retiree_waits: bool = option(False, "TO-20", "who has just retired may be the one to come in")

    rules = GameOptions.numbers
