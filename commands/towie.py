"""Questions of Towie: bid, solve."""

from __future__ import annotations

import click

from commands.options import as_json, example, jobs, quiet, rule_options, seed


@click.command(
    epilog=example(
        'towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"',
        'towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --vul me,left \\',
        '    --auction "1S 3NT" --layouts 20 --until-width 0.1',
    ),
)
@click.option("--hand", required=True, metavar="PBN", help="Your cards: spades.hearts.diamonds.clubs.")
@click.option("--dummy", required=True, metavar="CARDS", help="The six exposed cards.")
@click.option(
    "--vul", default="none", show_default=True, metavar="WHO", help="Who has won a game: none, all, me,left,right."
)
@click.option("--auction", default="", metavar="CALLS", help="The calls so far, the dealer's first; yours is next.")
@click.option("--layouts", type=click.IntRange(2), default=80, show_default=True, help="Solved in every strain.")
@click.option(
    "--until-width", "width", type=click.FloatRange(0, 1, min_open=True), default=0.04, show_default=True,
    help="How narrow the 95 % interval of P(make) of the contract to be played must get.",
)  # fmt: skip
@rule_options
@seed
@jobs
@quiet
@as_json
def bid(
    hand: str,
    dummy: str,
    vul: str,
    auction: str,
    layouts: int,
    width: float,
    options: tuple[str, ...],
    seed: int,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the best call on your hand and six cards of the dummy, by solving layouts of the 33 unseen cards."""
    from analysis import present
    from analysis.towie import ask_bid
    from games.options import parse_options
    from games.towie.options import TowieOptions

    rules = parse_options(TowieOptions, options)
    present.note_compiling("solver.double_dummy.search", quiet)
    answer = ask_bid(hand, dummy, vul, auction, rules, seed=seed, jobs=jobs, quiet=quiet, layouts=layouts, width=width)
    present.show(answer, as_json)


@click.command(
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
def solve(deal: str, trump: str, lead: str, table: bool, quiet: bool, as_json: bool) -> None:
    """Solve four open hands: North and South against East and West."""
    from analysis import present
    from analysis.towie.open_hands import solve_open_hands

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = solve_open_hands(deal, trump=trump, lead=lead, table=table)
    present.show(answer, as_json)
