"""Questions of Towie."""

from __future__ import annotations

import click

from commands.house import bid
from commands.options import as_json, example, jobs, quiet, rule_options, seed


@bid.command(
    "towie",
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
def bid_towie(
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
    from analysis.towie.present import bid_report
    from games.options import parse_options
    from games.towie.options import TowieOptions

    rules = parse_options(TowieOptions, options)
    present.note_compiling("solver.double_dummy.search", quiet)
    answer = ask_bid(hand, dummy, vul, auction, rules, seed=seed, jobs=jobs, quiet=quiet, layouts=layouts, width=width)
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(bid_report(answer))
