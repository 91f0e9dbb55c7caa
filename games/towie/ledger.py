"""The running ledger and its settlement (TO-19), games won and the end of the game (TO-13, TO-21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from towerlab.games.arrays import Ints
from towerlab.games.jit import kernel

GAMES_TO_WIN: Final = 2
NOBODY: Final = -1


@kernel
def post(ledger: Ints, games: Ints, declarer: int, declarer_points: int, opponent_points: int, made: bool) -> None:
    """Enter a played deal: every player but declarer scores the opponents' points, waiting ones too (TO-18).

    Args:
        ledger: points, int64[players], added to.
        games: games won, int64[players], added to when the contract was made (TO-13).
    """
    for player in range(len(ledger)):
        ledger[player] += declarer_points if player == declarer else opponent_points
    if made:
        games[declarer] += 1


@kernel
def is_vulnerable(games: Ints, player: int) -> int:
    """1 for a player who has won one of the games, int64[players], else 0 (TO-13)."""
    return 1 if games[player] > 0 else 0


@kernel
def game_is_over(games: Ints) -> bool:
    """Whether somebody owns two of the games, int64[players] (TO-21)."""
    return games.max() >= GAMES_TO_WIN  # type: ignore[no-any-return]


@kernel
def overall_winner(ledger: Ints) -> int:
    """The player with the highest total in a ledger, int64[players] (TO-21); `NOBODY` where several share it."""
    best = int(ledger.argmax())
    return NOBODY if (ledger == ledger[best]).sum() > 1 else best


def settlement(ledger: Sequence[int]) -> list[int]:
    """Return what each player receives when all debts are paid, less what they pay; adds up to zero (TO-19)."""
    return [len(ledger) * points - sum(ledger) for points in ledger]
