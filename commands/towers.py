"""Questions of Towers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from towerlab.commands.options import Number, asks, example, hushed, rule_options, seed

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown


@click.command(
    epilog=example(
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4',
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | 4" --raze 2',
    )
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--play", metavar="CARD:COLUMN", help="A card and its column 1..4, or two for a bridge: J:4, 5:2-3.")
@click.option("--raze", type=int, metavar="COLUMN", help="Raze a tower instead, forced or not.")
@asks("towers", rule_options)
def step(**asked: Any) -> Shown:
    """Play one card or raze one tower, and show what is destroyed step by step."""
    from towerlab.analysis.towers import step

    return step(**asked)


@click.command(
    epilog=example(
        'towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"',
        'towerlab move towers --board "8 5 Tb | Q 9 Tb | K | -" --hand "5 3" --gone "A A J J" --seconds 5',
    )
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--hand", required=True, metavar="RANKS", help="The hand of the player on turn.")
@click.option("--gone", default="", metavar="RANKS", help="Cards out of the game.  [default: none]")
@click.option("--players", type=int, default=2, show_default=True, help="Players at the table.")
@click.option("--samples", type=int, default=1000, show_default=True, help="Deals of the unseen cards.")
@click.option("--seconds", type=Number(), help="Deal for so long instead.")
@asks("towers", rule_options, seed, hushed)
def move(**asked: Any) -> Shown:
    """Rank every legal play by the expected difference of points; exact once all cards are known."""
    from towerlab.analysis.towers import move

    return move(**asked)
