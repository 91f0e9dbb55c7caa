"""Questions of Towers & Bowers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from towerlab.commands.options import (
    PlayerName,
    Words,
    asks,
    claim_options,
    example,
    move_options,
    questions_file,
    quiet,
    rule_options,
)

if TYPE_CHECKING:
    from towerlab.analysis.present import Shown


@click.command(
    epilog=example(
        'towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer',
        'towerlab upcard --hand "AH KH 9C" --up JD --seat dealer --second-round --json',
        'towerlab upcard --hand "AH KH 9C TC" --up JD --seat nondealer --against family',
    )
)
@click.option("--hand", metavar="CARDS", help="Your 1 to 7 dealt cards, without the up-card.")
@click.option("--up", metavar="CARD", help="The up-card.")
@click.option("--seat", type=Words(["dealer", "nondealer"]), help="Where you sit.")
@click.option("--second-round", is_flag=True, help="The up-card was turned down: which suit to name, or pass?")
@click.option(
    "--method",
    type=Words(["equilibrium", "pimc"]),
    help="How the other bids.  [default: the best there is]",
)
@click.option(
    "--against",
    type=PlayerName("towers-and-bowers"),
    metavar="PLAYER",
    help="Answer an opponent who bids like this player, or your own module:Player, instead.",
)
@click.option("--seen", metavar="CARDS", help="Cards the opponent cannot hold.")
@click.option("--opponent-holds", multiple=True, metavar="CARD", help="A card they surely hold.")
@click.option("--opponent-void", multiple=True, metavar="SUIT", help="A suit they cannot hold, cards as printed.")
@questions_file
@asks("towers-and-bowers", rule_options)
def upcard(options: Any, files: dict[str, Any], **question: Any) -> Shown | None:
    """Should I accept the up-card? Exact over every hand the opponent can hold."""
    from towerlab.analysis import present
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.towers_and_bowers.upcard.asking import MANY, read_question, why_no_equilibrium

    def one(hand: str, up: str, seat: str, options: Any = None, **more: Any) -> Shown:
        asked = read_question(hand, up, seat, **more)
        answer = asked.answer(options)
        if asked.answered_otherwise(answer):
            present.note(f"{why_no_equilibrium(answer.cards, options)}; pimc answers", files["quiet"])
        return answer

    return answer_command(MANY, one, files=files, options=options, **question)


@click.command(
    epilog=example(
        "towerlab value", "towerlab value --cards 2 --check", "towerlab value --cards 1 --export strategy.parquet"
    )
)
@click.option("--cards", type=click.IntRange(1, 7), help="Hand size.  [default: every one that is solved]")
@click.option("--check", is_flag=True, help="Compute the best responses again.")
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the whole strategy of one and two cards as Parquet: every information set, action, probability.",
)
@click.option(
    "--against", metavar="PLAYER", help="What the best bids win from a player, and more than the equilibrium's."
)
@asks("towers-and-bowers", quiet, rule_options)
def value(cards: int | None, check: bool, export: Path | None, against: str | None, quiet: bool, options: Any) -> Shown:
    """The value of dealing a hand of Towers & Bowers when hands are hidden: P(the dealer wins the tower).

    Of the options only those that change no hand are taken: the others are not solved.
    """
    from towerlab.analysis import present
    from towerlab.analysis.towers_and_bowers.value import ask_value
    from towerlab.games.errors import TowerlabError

    if against is not None:
        from towerlab.analysis.towers_and_bowers.value_against import ask_value_against

        if cards is None or check or export is not None:
            raise TowerlabError("--against is of one hand size; expected --cards N with it, no --check and no --export")
        return ask_value_against(against, cards, quiet, options)
    if export is not None:
        from towerlab.analysis.towers_and_bowers.solutions.whole_hand import export_strategy

        present.note(f"{export_strategy(export, cards):,} rows written to {export}", quiet)
    return ask_value(cards, check, quiet, options)


@click.command(
    epilog=example(
        "towerlab exploit novice --cards 1",
        "towerlab exploit pimc --cards 2 --json",
        "towerlab exploit alphamu-2 --cards 1",
        "towerlab value --cards 1 --export strategy.parquet && towerlab exploit --strategy strategy.parquet",
    )
)
@click.argument("player", default="")
@click.option("--cards", type=click.IntRange(1, 7), help="Hand size.  [default: 2; of a strategy its own]")
@click.option(
    "--strategy",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="A table as `value --export` writes it, instead of a player: information_set, action, probability.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.parquet",
    help="Write the best response itself: a player to sit down against.",
)
@asks("towers-and-bowers", quiet, rule_options)
def exploit(**asked: Any) -> Shown:
    """How much a best response takes from a strategy in hands of one to three cards, exactly.

    Of four to seven cards it says what it takes at least, where that is known.

    PLAYER is one of `towerlab players towers-and-bowers`, your own (module:Player), or a search: alphamu-1, alphamu-2,
    pimc-weighted, is-mcts; or pimc-equilibrium, who bids by the equilibrium of the double-dummy model. Of the options
    only those that change no hand are taken: losses are measured from solutions, and the others are not solved.
    """
    from towerlab.analysis.towers_and_bowers.exploitability.answers import ask_exploit

    return ask_exploit(**asked)


@click.command(
    epilog=example(
        'towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5',
        'towerlab claim --hand "9H TH" --trump H --history "AH/QC" --first-lead me --tricks 2',
        'towerlab claim --hand "TS 9S 9C" --trump H --lead them --concede',
    )
)
@claim_options(
    click.option("--lead", type=Words(["me", "them"]), help="Who leads the next trick, or led the one under way."),
    click.option("--opponent-void", multiple=True, metavar="SUIT", help="A suit they cannot hold (left bower: trump)."),
    click.option("--opponent-holds", multiple=True, metavar="CARD", help="A card they surely hold, as the up-card."),
    click.option("--opponent-cards", type=int, help="How many cards they hold.  [default: follows from the rest]"),
    click.option("--first-lead", type=Words(["me", "them"]), help="Who led the first trick of the history."),
    trump="S, H, D or C.",
    seen="Cards the opponent cannot hold: played, turned down, …",
    history='Tricks played: "9C/AC AH/QC"; the last may be "AH/".',
)
@asks("towers-and-bowers", rule_options)
def claim(**given: Any) -> Shown | None:
    """Prove or refute a claim of tricks, or a concession, in Towers & Bowers.

    A claim is sound if one way of playing takes the tricks against every hand the opponent can hold.
    """
    from towerlab.analysis.claims.asking import answer_claim_command
    from towerlab.analysis.towers_and_bowers.claims import MANY

    return answer_claim_command(MANY, **given)


@click.command(epilog=example('towerlab solve towers-and-bowers --trump H --leader "JH 9S" --follower "AH AS"'))
@click.option("--trump", metavar="SUIT", help="S, H, D or C.")
@click.option("--leader", metavar="CARDS", help="The hand that leads, 1 to 7 cards.")
@click.option("--follower", metavar="CARDS", help="The other hand, as many cards.")
@questions_file
@asks("towers-and-bowers")
def solve(**asked: Any) -> Shown | None:
    """Tricks of two hands, of every lead, and a line of best play; or a table of hands."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.towers_and_bowers.open_hands import MANY, solve_open_hands

    return answer_command(MANY, solve_open_hands, **asked)


@click.command(
    epilog=example(
        'towerlab move towers-and-bowers --hand "AH 9H KS" --trump H --bidder me --history "JH/9D" --first-lead me',
        'towerlab move towers-and-bowers --hand "AH KS" --trump H --bidder me --up QH --lead me --cards 4 --won 1',
        "towerlab simulate towers-and-bowers --players novice,family --games 1 --transcripts tb.jsonl",
        "towerlab move towers-and-bowers --game tb.jsonl --at 3.2",
    )
)
@move_options(
    click.option("--trump", metavar="SUIT", help="S, H, D or C."),
    click.option("--bidder", type=Words(["me", "them"]), help="Who accepted the up-card, or named the trump."),
    click.option("--up", metavar="CARD", help="The up-card: turned down it is gone, accepted it is the dealer's."),
    click.option("--lead", type=Words(["me", "them"]), help="Who leads the next trick, or led the one under way."),
    click.option("--first-lead", type=Words(["me", "them"]), help="Who led the first trick of the history."),
    click.option("--opponent-void", multiple=True, metavar="SUIT", help="A suit they cannot hold (left bower: trump)."),
    click.option("--opponent-holds", multiple=True, metavar="CARD", help="A card they surely hold."),
    click.option("--cards", type=click.IntRange(1), help="Of a full hand.  [default: the history and your hand]"),
    click.option(
        "--method",
        type=Words(["equilibrium", "pimc"]),
        help="Their hands as likely as they bid so, or all alike.  [default: equilibrium where the bids are known]",
    ),
    seen="Cards the opponent cannot hold: your discard, turned down, …",
    history='Tricks played: "9C/AC AH/QC"; the last may be "AH/".',
)
@questions_file
@asks("towers-and-bowers", rule_options)
def move(**asked: Any) -> Shown | None:
    """Which card do I play? Every legal one with its chance to win the tower, over the hands they can hold."""
    from towerlab.analysis.batches import answer_command
    from towerlab.analysis.towers_and_bowers.move import MANY, ask_move

    return answer_command(MANY, ask_move, **asked)
