"""How a played deal ends: its score is entered, who sits and who waits (TO-20), and who deals (TO-22).

The three active seats are 0, 1, 2 clockwise; the vacant place, where dummy is dealt, is always opposite the dealer.
"""

from __future__ import annotations

from towerlab.games.arrays import Ints
from towerlab.games.jit import kernel
from towerlab.games.towie.auction import BID, BIDDER, CALLERS, DOUBLING, strain_of
from towerlab.games.towie.options import RETIREE_WAITS
from towerlab.games.towie.scoring import deal_score, game_is_over, honours_of_sides, is_vulnerable, post, tricks_needed


@kernel
def next_dealer(dealer: int) -> int:
    """The seat that deals after a played deal (TO-22)."""
    return (dealer + 1) % CALLERS


@kernel
def change_seats(active: Ints, waiting: Ints, games: Ints, seat: int, retiree_waits: int) -> int:
    """The declarer retires after a played deal and a waiting player takes the seat (TO-20).

    The first in the queue comes in, but no vulnerable player while one waits who is not. The retiree goes to the
    end of the queue afterwards; with `retiree_waits` before, and so can be the one to come in.

    Args:
        active: players in seats 0..2, int64[3], changed.
        waiting: players who wait, the one who waits longest first, int64[players - 3], changed; may be empty.
        games: games won, int64[players], the deal just played included.
        seat: of the declarer.
        retiree_waits: the option.

    Returns:
        the player who came in; the declarer where nobody else could.
    """
    retiree: int = active[seat]
    count = len(waiting)
    if count == 0:
        return retiree
    chosen = -1
    for place in range(count):
        if not is_vulnerable(games, waiting[place]):
            chosen = place
            break
    if chosen < 0:
        if retiree_waits and not is_vulnerable(games, retiree):
            return retiree
        chosen = 0
    entering: int = waiting[chosen]
    for place in range(chosen, count - 1):
        waiting[place] = waiting[place + 1]
    waiting[count - 1] = retiree
    active[seat] = entering
    return entering


@kernel
def end_deal(
    auction: Ints,
    dealt: Ints,
    tricks: int,
    seat: int,
    active: Ints,
    waiting: Ints,
    ledger: Ints,
    games: Ints,
    rules: Ints,
) -> tuple[int, int, bool, bool, int]:
    """Score a played deal and change seats, unless it ended the game (TO-12 .. TO-21).

    Args:
        auction: that has ended, int64[5].
        dealt: printed masks by caller, dummy's last, int64[4].
        tricks: of declarer and dummy.
        seat: of the declarer.
        active, waiting: players, changed.
        ledger, games: by player, added to.
        rules: of `TowieOptions.rules`.

    Returns:
        points of the declarer and of each other player, whether the contract was made, whether the game is over, and
        the player in the declarer's seat now.
    """
    bid = auction[BID]
    doubling = auction[DOUBLING]
    declarer = auction[BIDDER]
    player: int = active[seat]
    ours, theirs = honours_of_sides(dealt, declarer, strain_of(bid))
    gained, lost = deal_score(bid, doubling, is_vulnerable(games, player), tricks, ours, theirs, rules)
    made = tricks >= tricks_needed(bid)
    post(ledger, games, player, gained, lost, made)
    over = game_is_over(games)
    entered = player if over else change_seats(active, waiting, games, seat, rules[RETIREE_WAITS])
    return gained, lost, made, over, entered
