"""`towerlab value`: the value of dealing, checked, or written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from towerlab.commands.options import as_json, command, quiet, rule_options

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown


@command
@click.option("--cards", type=click.IntRange(1, 7), help="Hand size.  [default: all]")
@click.option("--check", is_flag=True, help="Compute the best responses again.")
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the whole strategy of one and two cards as Parquet: every information set, action, probability.",
)
@quiet
@rule_options
@as_json
def value(cards: int | None, check: bool, export: Path | None, quiet: bool, options: tuple[str, ...]) -> Shown:
    """The value of dealing a hand of Towers & Bowers when hands are hidden: P(the dealer wins the tower).

    Of the options only those that change no hand are taken: the others are not solved.

    Example:
        towerlab value
        towerlab value --cards 2 --check
        towerlab value --cards 1 --export strategy.parquet
    """
    from towerlab.analysis import present
    from towerlab.analysis.towers_and_bowers.value import ask_value
    from towerlab.games.options import parse_options
    from towerlab.games.towers_and_bowers import TowersAndBowersOptions

    rules = parse_options(TowersAndBowersOptions, options)
    if export is not None:
        from towerlab.analysis.towers_and_bowers.solutions.whole_hand import export_strategy

        present.note(f"{export_strategy(export, cards):,} rows written to {export}", quiet)
    return ask_value(cards, check, quiet, rules)
