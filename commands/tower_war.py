"""Questions of Tower War."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from towerlab.commands.options import Function, Words, asks, example, hushed, rule_options

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown


@click.command(
    epilog=example(
        'towerlab step tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"',
        'towerlab step tower-war --mine "TC 9C X1=TC" --theirs "AS KS 9D" --leader them',
    )
)
@click.option("--mine", required=True, metavar="CARDS", help="My cards in the order played; a joker as X1=TC.")
@click.option("--theirs", required=True, metavar="CARDS", help="Their cards in the order played.")
@click.option("--leader", type=Words(["me", "them"]), default="me", show_default=True, help="Who led.")
@asks("tower-war", rule_options)
def step(**asked: Any) -> Shown:
    """Score a battle: values when played, who adds pyramids, who loses."""
    from towerlab.analysis.tower_war import step_battle

    return step_battle(**asked)


@click.command(
    epilog=example(
        'towerlab battle tower-war --mine "AH TC 6C" --theirs "9S 4S 2S"',
        'towerlab battle tower-war --mine "AH TC 6C" --their-deck "9S 4S 2S KD QD 7D 5H" --leader them',
    )
)
@click.option("--mine", required=True, metavar="CARDS", help="My three cards.")
@click.option("--theirs", default="", metavar="CARDS", help="Their three cards, where I know them.")
@click.option("--their-deck", default="", metavar="CARDS", help="Instead: the cards of which they hold three.")
@click.option("--my-deck", default="", metavar="CARDS", help="With it: the cards of which they think I hold three.")
@click.option("--leader", type=click.Choice(["me", "them"]), default="me", show_default=True, help="Who leads.")
@click.option("--my-stash", metavar="LLMS…", help="My pyramids.  [default: five of each size]")
@click.option("--their-stash", metavar="LLMS…", help="Their pyramids.  [default: five of each size]")
@click.option("--levels", type=int, metavar="N", help="Cards in the tower.  [default: the fewest possible]")
@asks("tower-war", rule_options, hushed)
def battle(**asked: Any) -> Shown:
    """Find the best play of a battle about to begin: exact with hands known, an equilibrium with decks known."""
    from towerlab.analysis.tower_war.battle import ask_battle

    return ask_battle(**asked)


def pools(function: Function) -> Function:
    function = click.option("--theirs", default="", metavar="CARDS", help="What they have drafted before.")(function)
    return click.option("--mine", default="", metavar="CARDS", help="What I have drafted before.")(function)


@click.command(epilog=example('towerlab split tower-war --cards "AH TC 6C 9S X1" --mine "KC QC" --theirs "AS 9H 2D"'))
@click.option("--cards", required=True, metavar="CARDS", help="The five cards dealt.")
@pools
@click.option("--third-stash", metavar="LLMS…", help="Advanced draft: what is left of it.  [default: all fifteen]")
@asks("tower-war", rule_options)
def split(**asked: Any) -> Shown:
    """Find the best division of five cards, and the value of each pile."""
    from towerlab.analysis.tower_war import split_cards

    return split_cards(**asked)


@click.command(epilog=example('towerlab pick tower-war --piles "AH TC | 6C 9S 2D" --mine "KC QC" --theirs "AS 9H 3D"'))
@click.option("--piles", required=True, metavar="'CARDS | CARDS'", help="The two piles.")
@pools
@click.option("--pyramids", default="", metavar="LLS…", help="Advanced draft: pyramids beside one of the piles.")
@click.option("--beside", type=Words(["first", "second"]), default="first", help="The pile they lie beside.")
@asks("tower-war", rule_options)
def pick(beside: str, **asked: Any) -> Shown:
    """Find the better of two piles."""
    from towerlab.analysis.tower_war import pick_pile

    return pick_pile(beside=("first", "second").index(beside), **asked)


@click.command(
    epilog=example('towerlab build tower-war --pool "AC KC QC TC 8C 5C AH KH 9H 8H 7S 5S 4D 3D TD 9D 2S JS X1"')
)
@click.option("--pool", required=True, metavar="CARDS", help="The cards drafted.")
@asks("tower-war", rule_options)
def build(**asked: Any) -> Shown:
    """Find the best fifteen cards of a pool, by looking at every fifteen where they are up to four million."""
    from towerlab.analysis.tower_war import build_deck

    return build_deck(**asked)
