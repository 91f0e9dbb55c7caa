"""Questions of Towie: bid, solve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from towerlab.commands.options import (
    Number,
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
)

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown


@click.command(
    epilog=example(
        'towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"',
        'towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --vul me,left \\',
        '    --auction "1S 3NT" --scores 620,0,150 --layouts 20 --until-width 0.1',
    )
)
@click.option("--hand", required=True, metavar="PBN", help="Your cards: spades.hearts.diamonds.clubs.")
@click.option("--dummy", required=True, metavar="CARDS", help="The six exposed cards.")
@click.option(
    "--vul", default="none", show_default=True, metavar="WHO", help="Who has won a game: none, all, me,left,right."
)
@click.option("--auction", default="", metavar="CALLS", help="The calls so far, the dealer's first; yours is next.")
@click.option(
    "--others", type=Words(["novice", "random", "pass"]), default="novice", show_default=True,
    help="How the others go on calling; pass: all pass after your call.",
)  # fmt: skip
@click.option(
    "--scores", default="", metavar="ME,LEFT,RIGHT", help="Points before the deal: rank calls by P(win the game)."
)
@click.option(
    "--goulashes", type=click.IntRange(0), default=0, show_default=True, help="Goulashes since the last ordinary deal."
)
@click.option("--layouts", type=click.IntRange(2), default=80, show_default=True, help="Solved in every strain.")
@click.option(
    "--until-width", "width", type=Number(0, 1, min_open=True), default=0.04, show_default=True,
    help="How narrow the 95 % interval of P(make) of the contract to be played must get.",
)  # fmt: skip
@asks("towie", rule_options, seed, jobs, quiet)
def bid(quiet: bool, **asked: Any) -> Shown:
    """Find the best call on your hand and six cards of the dummy, by solving layouts of the 33 unseen cards."""
    from towerlab.analysis.towie import ask_bid

    return ask_bid(quiet=quiet, **asked)


@click.command(
    epilog=example(
        'towerlab solve towie --deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.." --trump NT --lead W',
        'towerlab solve towie --deal "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763" '
        "--trump S --lead W --table",
    )
)
@click.option("--deal", metavar="PBN", help='"N:AKQ.J2..T9 …": hands clockwise, suits S.H.D.C.')
@click.option("--trump", metavar="SUIT", help="S, H, D, C or NT.")
@click.option("--lead", metavar="SEAT", help="Who leads: N, E, S or W.")
@click.option("--table", is_flag=True, help="Also the tricks of every declarer in every trump, and par.")
@click.option(
    "--vul", default="none", show_default=True, metavar="WHO", help="Who is vulnerable, for par: none, ns, ew, all."
)
@questions_file
@asks("towie")
def solve(**asked: Any) -> Shown | None:
    """Solve four open hands, North and South against East and West; or a table of deals."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.towie.open_hands import MANY, solve_open_hands

    return answer_command(MANY, solve_open_hands, **asked)


@click.command(
    epilog=example(
        "towerlab claim towie --hand AKQ2.432.A32.432 --dummy J43.AK5.K54.AK65 --trump NT --lead left --tricks 9",
        "towerlab claim towie --role left --hand AK32.QJ32.432.32 --dummy QJ4.AK54.K65.AK6 --trump NT --lead left "
        "--tricks 2",
    )
)
@hidden_hands_claim(click.option("--dummy", metavar="CARDS", help="What dummy holds now."))
@asks("towie")
def claim(**given: Any) -> Shown | None:
    """Prove or refute a claim at Towie, the declarer's or a defender's.

    A claim is sound if one way of playing takes the tricks against every layout that fits what has been seen.
    """
    from towerlab.analysis.claims.asking import answer_claim_command
    from towerlab.analysis.towie.claims import MANY

    return answer_claim_command(MANY, **given)


@click.command(
    epilog=example(
        "towerlab move towie --hand AQ2.32.. --dummy K3.A4.5. --contract 4S --lead declarer --won 7 \\",
        '    --seen "JS TS 9S 8S KH QH JH TH 9H 8H 7H AD KD QD JD TD 9D 8D AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C 2D"',
        "towerlab simulate towie --players novice,novice,novice --games 1 --transcripts towie.jsonl",
        "towerlab move towie --game towie.jsonl --at 1.4",
    )
)
@move_options(
    click.option("--dummy", metavar="CARDS", help="What dummy holds now."),
    click.option("--contract", "--bid", metavar="BID", help="What is played: 4S, 3NTX doubled, 4HXX redoubled."),
    *hidden_hands("Who you are; the declarer plays dummy's cards, too."),
    click.option("--first", metavar="SEAT", help="Who led the first trick of the history.  [default: left]"),
    click.option("--vulnerable", is_flag=True, help="The declarer has won a game."),
    click.option("--layouts", type=click.IntRange(2), help="Drawn where there are too many to count."),
    seen="Cards no hidden hand holds: those played that are not in the history.",
    history="The tricks played, such as AH/QC/9H/2H, the card led first.",
)
@questions_file
@asks("towie", rule_options, seed)
def move(**asked: Any) -> Shown | None:
    """Which card do I play, once dummy lies open? Every legal one with its expected points."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.towie.move import MANY, ask_move

    return answer_command(MANY, ask_move, **asked)
