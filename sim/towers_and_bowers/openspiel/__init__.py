"""A hand of Towers & Bowers as a game of OpenSpiel, so that its algorithms can be run on ours.

position  where a hand stands; all rules from `games`, nothing of OpenSpiel
game      `pyspiel.Game` and `pyspiel.State` around it, registered as ``python_towers_and_bowers``
observer  what a player knows, as tensor and as string

Only `game` imports pyspiel, and it is imported when a game is asked for.
"""

from __future__ import annotations

from typing import Any

from towerlab.games.errors import TowerlabError


def load_game(cards: int, up_card: str = "", deal_value: float = 0.5) -> Any:
    """The `pyspiel.Game` of one hand: bidding, hidden discard, play. Player 0 is the non-dealer, player 1 the dealer.

    Args:
        cards: hand size n, 1..7.
        up_card: for example ``"9S"``; empty if it is dealt too.
        deal_value: W(n - 1), the value of dealing the next hand to its dealer (`towerlab value`); without
            a sweep, the value of the hand is that or one minus it. Not read at n = 1.

    Returns:
        The game. Utilities are P(win the tower) - 1/2, so that they sum to zero.

    Raises:
        TowerlabError: OpenSpiel is not installed; a size, card or value that cannot be.
    """
    try:
        from towerlab.sim.towers_and_bowers.openspiel.game import TowersAndBowersGame
    except ModuleNotFoundError as error:
        raise TowerlabError("OpenSpiel is not installed; expected `pip install open_spiel` first") from error
    return TowersAndBowersGame({"cards": cards, "up_card": up_card, "deal_value": float(deal_value)})


__all__ = ["load_game"]
