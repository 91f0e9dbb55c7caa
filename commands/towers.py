"""Questions of Towers."""

from __future__ import annotations

import click

from commands.options import Number, as_json, example, quiet, rule_options, seed


@click.command(
    epilog=example(
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --play J:4',
        'towerlab step towers --board "J Qb | K Qb Kb | 9 7 Kb K | 4" --raze 2',
    ),
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--play", metavar="CARD:COLUMN", help="A card and its column 1..4, or two for a bridge: J:4, 5:2-3.")
@click.option("--raze", type=int, metavar="COLUMN", help="Raze a tower instead, forced or not.")
@rule_options
@as_json
def step(board: str, play: str | None, raze: int | None, options: tuple[str, ...], as_json: bool) -> None:
    """Play one card or raze one tower, and show what is destroyed step by step."""
    from analysis import present
    from analysis.towers import step
    from games.options import parse_options
    from games.towers import TowersOptions

    answer = step(board, play, raze, parse_options(TowersOptions, options))
    present.show(answer, as_json)


@click.command(
    epilog=example(
        'towerlab move towers --board "J Qb | K Qb Kb | 9 7 Kb K | -" --hand "J 5 5 2 A"',
        'towerlab move towers --board "8 5 Tb | Q 9 Tb | K | -" --hand "5 3" --gone "A A J J" --seconds 5',
    ),
)
@click.option("--board", required=True, help="Columns bottom to top, separated by |; b marks a bridge in both.")
@click.option("--hand", required=True, metavar="RANKS", help="The hand of the player on turn.")
@click.option("--gone", default="", metavar="RANKS", help="Cards out of the game.  [default: none]")
@click.option("--players", type=int, default=2, show_default=True, help="Players at the table.")
@click.option("--samples", type=int, default=1000, show_default=True, help="Deals of the unseen cards.")
@click.option("--seconds", type=Number(), help="Deal for so long instead.")
@rule_options
@seed
@quiet
@as_json
def move(
    board: str,
    hand: str,
    gone: str,
    players: int,
    samples: int,
    seconds: float | None,
    options: tuple[str, ...],
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Rank every legal play by the expected difference of points; exact once all cards are known."""
    from analysis import present
    from analysis.towers import move
    from games.options import parse_options
    from games.towers import TowersOptions

    answer = move(
        board,
        hand,
        gone,
        players,
        parse_options(TowersOptions, options),
        samples=samples,
        seconds=seconds,
        seed=seed,
        on_start=lambda: present.note_compiling("solver.towers.search", quiet),
    )
    present.show(answer, as_json)
