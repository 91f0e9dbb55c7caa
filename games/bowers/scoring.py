"""The score of a deal of Bowers, its factor, and the end of the game (BO-6, BO-10 .. BO-14)."""

from __future__ import annotations

from typing import Final

from towerlab.games.bowers.bidding import MISERE, MOST_TRICKS, PASS, call_level
from towerlab.games.bowers.options import BIDDER_TRICKS, JOINT_TRICKS, BowersRules
from towerlab.games.jit import kernel

MOST_FACTOR: Final = 1 << 20
"""Where compounding ends, after twenty pass-outs in a row: points stay far from the end of int64."""


@kernel
def bid_value(call: int, misere_value: int) -> int:
    """V of a bid (BO-10, BO-12): what its bidder scores if it is made, and loses if not."""
    if call == PASS:
        return 0
    if call == MISERE:
        return misere_value
    level = call_level(call)
    return level + (15 if level >= 9 else 5 if level >= 7 else 0)


@kernel
def is_made(call: int, tricks: int) -> bool:
    """Whether so many tricks of the bidder make the bid: none at misère, else as many as were bid."""
    return tricks == 0 if call == MISERE else tricks >= call_level(call)


@kernel
def bidder_points(call: int, tricks: int, factor: int, rules: BowersRules) -> int:
    """Return the points of the bidder of `call` with so many tricks (BO-10 .. BO-13)."""
    value = bid_value(call, rules.misere_value) * factor
    return value if is_made(call, tricks) else -value


@kernel
def opponent_points(call: int, tricks: int, own: int, factor: int, rules: BowersRules) -> int:
    """Return an opponent's points when the bidder of `call` took `tricks` and the opponent `own` (BO-11 .. BO-13)."""
    if is_made(call, tricks):
        return own * factor * rules.made_scores
    if call != MISERE or rules.failed_misere == JOINT_TRICKS:
        return (MOST_TRICKS - tricks) * factor
    return tricks * factor if rules.failed_misere == BIDDER_TRICKS else 0


@kernel
def deal_points(call: int, tricks: int, left: int, factor: int, rules: BowersRules) -> tuple[int, int, int]:
    """The three scores of a deal (BO-10 .. BO-13).

    Args:
        call: the bid that won the auction.
        tricks: of the bidder.
        left: of the opponent on the bidder's left; the other one took the rest of ten.
        factor: 1, or 2 after three opening passes (more if doubling compounds).
        rules: as the game is played.

    Returns:
        points of the bidder, of the opponent on the left, of the other one.
    """
    right = MOST_TRICKS - tricks - left
    return (
        bidder_points(call, tricks, factor, rules),
        opponent_points(call, tricks, left, factor, rules),
        opponent_points(call, tricks, right, factor, rules),
    )


@kernel
def next_factor(factor: int, thrown_in: int, rules: BowersRules) -> int:
    """The factor of the next deal: 2 (or twice the last one) after three opening passes, else 1 (BO-6, BO-13)."""
    if not thrown_in:
        return 1
    return min(2 * factor, MOST_FACTOR) if rules.compounds else 2


@kernel
def next_dealer(dealer: int, thrown_in: int, rules: BowersRules) -> int:
    """The next dealer: the player on the left, unless `passout_dealer` says otherwise (BO-1, BO-6)."""
    return dealer if thrown_in and rules.passout_stays else (dealer + 1) % 3


@kernel
def game_winner(first: int, second: int, third: int, target: int) -> int:
    """The seat with the highest score, if it reached the target and nobody equals it; else -1: play on (BO-14)."""
    best = max(first, second, third)
    if best < target or (first == best) + (second == best) + (third == best) > 1:
        return -1
    return 0 if first == best else 1 if second == best else 2
