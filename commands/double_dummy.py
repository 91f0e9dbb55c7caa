"""Open hands of Bowers and Towie."""

from __future__ import annotations

import click

from commands.house import solve
from commands.options import as_json, example, quiet


@solve.command(
    "bowers",
    epilog=example(
        'towerlab solve bowers --trump C --declarer "JC JS AC 9H" --left "KC QC AH KH" --right "TC 7C AD 7H"',
        'towerlab solve bowers --trump NT --declarer "7S 8H" --left "8S 7H" --right "9S 9H" --lead left --misere',
    ),
)
@click.option("--trump", required=True, metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--declarer", required=True, metavar="CARDS", help="The declarer's hand.")
@click.option("--left", required=True, metavar="CARDS", help="The hand on his left.")
@click.option("--right", required=True, metavar="CARDS", help="The hand on his right.")
@click.option(
    "--lead", type=click.Choice(["declarer", "left", "right"]), default="declarer", show_default=True, help="Who leads."
)
@click.option("--misere", is_flag=True, help="The declarer wants as few tricks as possible.")
@click.option("--at-least", type=int, metavar="K", help="Also say whether the declarer takes at least so many.")
@quiet
@as_json
def solve_bowers(
    trump: str,
    declarer: str,
    left: str,
    right: str,
    lead: str,
    misere: bool,
    at_least: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Solve three open hands: the declarer against the other two."""
    from analysis import present
    from analysis.bowers.open_hands import solve_open_hands
    from analysis.bowers.present import hands_report

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = solve_open_hands(declarer, left, right, trump=trump, lead=lead, misere=misere, at_least=at_least)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(hands_report(answer))


@solve.command(
    "towie",
    epilog=example(
        'towerlab solve towie --deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.." --trump NT --lead W',
        'towerlab solve towie --deal "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763" '
        "--trump S --lead W --table",
    ),
)
@click.option("--deal", required=True, metavar="PBN", help='"N:AKQ.J2..T9 …": hands clockwise, suits S.H.D.C.')
@click.option("--trump", required=True, metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--lead", required=True, metavar="SEAT", help="Who leads: N, E, S or W.")
@click.option("--table", is_flag=True, help="Also the tricks of every declarer in every trump.")
@quiet
@as_json
def solve_towie(deal: str, trump: str, lead: str, table: bool, quiet: bool, as_json: bool) -> None:
    """Solve four open hands: North and South against East and West."""
    from analysis import present
    from analysis.towie.open_hands import solve_open_hands
    from analysis.towie.present import hands_report

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = solve_open_hands(deal, trump=trump, lead=lead, table=table)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(hands_report(answer))
