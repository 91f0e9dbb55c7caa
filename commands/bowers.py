"""Questions of Bowers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from commands.house import GameCommands, bid, towerlab
from commands.options import as_json, example, jobs, quiet, rule_options, seed, until

if TYPE_CHECKING:
    from analysis.stats import StoppingRule

PLACES = ("first", "second", "dealer")


def _until(width: float | None, decided: bool) -> StoppingRule:
    """The stopping rule asked for; if none was, the run ends as soon as it is decided."""
    from analysis.stats import StoppingRule

    return StoppingRule(width, decided or width is None)


@bid.command(
    "bowers",
    epilog=example(
        'towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30',
        'towerlab bid bowers --hand "7S 8S 7H 9H TH 7D 8D 7C 9C JC" --auction 6S --kitties 30 --option joker=add',
    ),
)
@click.option("--hand", required=True, metavar="CARDS", help="Your ten cards.")
@click.option("--auction", default="", metavar="CALLS", help='The calls so far, dealer\'s left first: "P 5S 6NT".')
@click.option(
    "--kitties",
    type=click.IntRange(1),
    default=400,
    show_default=True,
    help="Kitties to draw, two layouts each, at most.",
)
@until
@rule_options
@seed
@jobs
@quiet
@as_json
def bid_bowers(
    hand: str,
    auction: str,
    kitties: int,
    until_width: float | None,
    until_decided: bool,
    options: tuple[str, ...],
    seed: int,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find what every legal call is worth; stops as soon as one is surely the best."""
    from analysis import present
    from analysis.bowers import ask_bid
    from analysis.bowers.present import bid_report
    from games.bowers import BowersOptions
    from games.options import parse_options

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = ask_bid(
        hand,
        auction,
        parse_options(BowersOptions, options),
        kitties=kitties,
        until=_until(until_width, until_decided),
        seed=seed,
        jobs=jobs,
        quiet=quiet,
    )
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(bid_report(answer))


@towerlab.group(cls=GameCommands)
def bury() -> None:
    """Choose the cards to bury."""


@bury.command(
    "bowers",
    epilog=example('towerlab bury bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C KC 8H" --bid 6S --layouts 40'),
)
@click.option("--hand", required=True, metavar="CARDS", help="Your ten cards and the kitty.")
@click.option("--bid", "called", required=True, metavar="BID", help="The bid that won the auction, such as 6S or 7NT.")
@click.option(
    "--seat",
    type=click.Choice(PLACES),
    default="first",
    help="Who you are; matters with first_lead=left_of_dealer only.",
)
@click.option(
    "--layouts", type=click.IntRange(1), default=400, show_default=True, help="Layouts of the other hands, at most."
)
@until
@rule_options
@seed
@jobs
@quiet
@as_json
def bury_bowers(
    hand: str,
    called: str,
    seat: str,
    layouts: int,
    until_width: float | None,
    until_decided: bool,
    options: tuple[str, ...],
    seed: int,
    jobs: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Rank every bury; stops as soon as one is surely the best."""
    from analysis import present
    from analysis.bowers import ask_bury
    from analysis.bowers.present import bury_report
    from games.bowers import BowersOptions
    from games.options import parse_options

    present.note_compiling("solver.double_dummy.search", quiet)
    answer = ask_bury(
        hand,
        called,
        parse_options(BowersOptions, options),
        place=PLACES.index(seat),
        layouts=layouts,
        until=_until(until_width, until_decided),
        seed=seed,
        jobs=jobs,
        quiet=quiet,
    )
    if as_json:
        present.print_json(answer.to_json())
    else:
        present.console().print(bury_report(answer))
