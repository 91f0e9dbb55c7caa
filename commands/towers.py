"""What can be asked about Towers? step and move.

Example:
    towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from towerlab.commands.question import Cards, OptionSpec, Seed, arguments, question

if TYPE_CHECKING:
    from towerlab.analysis.towers.move import MoveAnswer, StepAnswer
    from towerlab.games.towers import TowersOptions

_BOARD = OptionSpec("Columns bottom to top, separated by |; b marks a bridge in both.")


@question("towers")
def step(
    board: str,
    play: Annotated[str | None, "CARD:COLUMN"] = None,
    raze: Annotated[int | None, "COLUMN"] = None,
    options: "TowersOptions | Mapping[str, object] | None" = None,
) -> "StepAnswer":
    """Play one card or raze one tower, and show what is destroyed step by step.

    Args:
        board: Columns bottom to top, separated by |; b marks a bridge in both.
        play: A card and its column 1..4, or two for a bridge: J:4, 5:2-3.
        raze: The column to raze instead, forced or not.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4
        towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | 4" --raze 2
    """
    from towerlab.analysis.towers.move import step

    return step(**arguments())


@question("towers")
def move(
    board: str,
    hand: Annotated[Cards, "RANKS"],
    gone: Annotated[Cards, "RANKS"] = "",
    players: int = 2,
    options: "TowersOptions | Mapping[str, object] | None" = None,
    *,
    shown: Annotated[str, "'RANKS | RANKS'"] = "",
    samples: int = 1000,
    seconds: float | None = None,
    seed: Seed = 0,
) -> "MoveAnswer":
    """Rank every legal play by the expected difference of points; exact once all cards are known.

    Args:
        board: Columns bottom to top, separated by |; b marks a bridge in both.
        hand: The hand of the player on turn.
        gone: Cards out of the game.  [default: none]
        players: Players at the table.
        shown: Cards that the other hands have shown to raze and still hold, the next player's first.
        samples: Deals of the unseen cards.
        seconds: Deal for so many seconds instead.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"
        towerlab move towers --board "8 5 Tb | Q 9 Tb | K | -" --hand "5 3" --gone "A A J J" --seconds 5
        towerlab move towers --board "8 5 Tb | Q 9 Tb | K | -" --hand "5 3" --gone "A A J J" --shown "K K Q J 9"
    """
    from towerlab.analysis.towers.move import move

    return move(**arguments())
