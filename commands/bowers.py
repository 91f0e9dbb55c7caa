"""Questions of Bowers: bid, bury, solve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from towerlab.commands.options import (
    Words,
    asks,
    example,
    hidden_hands,
    hidden_hands_claim,
    jobs,
    move_options,
    questions_file,
    quiet,
    rule_options,
    seed,
    until,
)

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown
    from towerlab.analysis.stats import StoppingRule

PLACES = ("first", "second", "dealer")


def _until(width: float | None, decided: bool) -> StoppingRule:
    """The stopping rule asked for; if none was, the run ends as soon as it is decided."""
    from towerlab.analysis.stats import StoppingRule

    return StoppingRule(width, decided or width is None)


def _whole_numbers(text: str) -> list[int]:
    """Numbers separated by commas or spaces."""
    from towerlab.games.errors import TowerlabError

    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise TowerlabError(f"{text!r} are no scores; expected whole numbers such as 38,12,44") from None


@click.command(
    epilog=example(
        'towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30',
        'towerlab bid bowers --hand "7S 8S 7H 9H TH 7D 8D 7C 9C JC" --auction 6S --kitties 30 --option joker=add',
        'towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30 --scores 38,12,44',
    )
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
@click.option(
    "--others",
    type=Words(["novice", "careful", "random", "pass"]),
    default="novice",
    show_default=True,
    help="How the others are taken to call.",
)
@click.option("--scores", metavar="YOU,LEFT,RIGHT", help="Before the deal: calls are then compared by P(win the game).")
@click.option("--doubled", is_flag=True, help="The deal counts twice.")
@asks("bowers", until, rule_options, seed, jobs, quiet)
def bid(scores: str | None, until_width: float | None, until_decided: bool, quiet: bool, **asked: Any) -> Shown:
    """Find the value of every legal call; stops as soon as one is surely the best."""
    from towerlab.analysis.bowers import ask_bid

    points = None if scores is None else _whole_numbers(scores)
    return ask_bid(scores=points, until=_until(until_width, until_decided), quiet=quiet, **asked)


@click.command(
    epilog=example('towerlab bury bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C KC 8H" --bid 6S --layouts 40')
)
@click.option("--hand", required=True, metavar="CARDS", help="Your ten cards and the kitty.")
@click.option("--bid", "called", required=True, metavar="BID", help="The bid that won the auction, such as 6S or 7NT.")
@click.option(
    "--seat", type=Words(PLACES), default="first", help="Who you are; matters with first_lead=left_of_dealer only."
)
@click.option(
    "--layouts", type=click.IntRange(1), default=400, show_default=True, help="Layouts of the other hands, at most."
)
@asks("bowers", until, rule_options, seed, jobs, quiet)
def bury(called: str, seat: str, until_width: float | None, until_decided: bool, quiet: bool, **asked: Any) -> Shown:
    """Rank every bury; stops as soon as one is surely the best."""
    from towerlab.analysis.bowers import ask_bury

    stop = _until(until_width, until_decided)
    return ask_bury(bid=called, place=PLACES.index(seat), until=stop, quiet=quiet, **asked)


@click.command(
    epilog=example(
        'towerlab solve bowers --trump C --declarer "JC JS AC 9H" --left "KC QC AH KH" --right "TC 7C AD 7H"',
        'towerlab solve bowers --trump NT --declarer "7S 8H" --left "8S 7H" --right "9S 9H" --lead left --misere',
    )
)
@click.option("--trump", metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--declarer", metavar="CARDS", help="The declarer's hand.")
@click.option("--left", metavar="CARDS", help="The hand on the declarer's left.")
@click.option("--right", metavar="CARDS", help="The hand on the declarer's right.")
@click.option(
    "--lead", type=Words(["declarer", "left", "right"]), default="declarer", show_default=True, help="Who leads."
)
@click.option("--misere", is_flag=True, help="The declarer wants as few tricks as possible.")
@click.option("--at-least", type=int, metavar="K", help="Also say whether the declarer takes at least so many.")
@questions_file
@asks("bowers")
def solve(**asked: Any) -> Shown | None:
    """Solve three open hands: the declarer against the other two; or a table of hands."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.bowers.open_hands import MANY, solve_open_hands

    return answer_command(MANY, solve_open_hands, **asked)


@click.command(
    epilog=example(
        'towerlab claim bowers --hand "JC JS AC" --trump C --lead declarer --tricks 3',
        'towerlab claim bowers --hand "7S 9S 7H" --misere --lead left --seen "8S TS"',
        'towerlab claim bowers --role left --hand "JC AC" --trump C --lead declarer --tricks 1',
    )
)
@hidden_hands_claim(
    click.option("--misere", is_flag=True, help="Claim that declarer takes at most --tricks of the rest.  [default: 0]")
)
@asks("bowers", rule_options)
def claim(**given: Any) -> Shown | None:
    """Prove or refute a claim at Bowers, the declarer's or a defender's.

    A claim is sound if one way of playing takes the tricks against every layout that fits what has been seen.
    """
    from towerlab.analysis.bowers.claims import MANY
    from towerlab.analysis.claims.asking import answer_claim_command

    return answer_claim_command(MANY, **given)


@click.command(
    epilog=example(
        'towerlab move bowers --hand "JC AC 7H" --bid 8C --lead declarer --won 6 --seen "JS KC QC TC 9C 8C"',
        'towerlab move bowers --role left --hand "AS 9H" --bid 7H --lead left --won 3 --seen "JH JD AH KH QH TH"',
        "towerlab simulate bowers --players novice,novice,novice --games 1 --transcripts bowers.jsonl",
        "towerlab move bowers --game bowers.jsonl --at 2.4",
    )
)
@move_options(
    click.option("--bid", "--contract", metavar="BID", help="The bid that is played: 8C, 7NT, M for a misère."),
    *hidden_hands("Who you are."),
    click.option("--first", metavar="SEAT", help="Who led the first trick of the history."),
    click.option("--doubled", is_flag=True, help="The deal counts twice."),
    click.option("--layouts", type=click.IntRange(2), help="Drawn where there are too many to count.  [default: 40]"),
    seen="Cards no hidden hand holds: played, buried by you.",
    history="The tricks played, such as AH/QC/9H, the card led first.",
)
@questions_file
@asks("bowers", rule_options, seed)
def move(**asked: Any) -> Shown | None:
    """Which card do I play? Every legal one with its expected points, over the hands the others can hold."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.bowers.move import MANY, ask_move

    return answer_command(MANY, ask_move, **asked)
