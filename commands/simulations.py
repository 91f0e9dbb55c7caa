"""Which commands play games between players? `simulate` and `compare`; `check` checks the certificate of a claim.

Example:
    towerlab simulate towers --players builder,novice --games 4
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from towerlab.commands.question import (
    File,
    GameName,
    Jobs,
    OptionSpec,
    Quiet,
    Seed,
    UntilDecided,
    UntilWidth,
    arguments,
    question,
)

if TYPE_CHECKING:
    from towerlab.analysis.claims.asking import CheckAnswer
    from towerlab.analysis.simulation import SimulationResult
    from towerlab.analysis.simulation.rule_options import Comparison

WHO_PLAYS = "The players: `towerlab players GAME` lists them; module:Player is your own, FILE.parquet a strategy."


@question("")
def simulate(
    game: GameName,
    players: Annotated[Sequence[object], OptionSpec(WHO_PLAYS, "A,B[,C…]", completes="players")],
    games: Annotated[int, OptionSpec(least=1)],
    *,
    unit: Annotated[str | None, "UNIT"] = None,
    cards: Annotated[int | None, OptionSpec(least=1)] = None,
    where: Annotated[str, "EXPR"] = "",
    transcripts: Annotated[File | None, "FILE"] = None,
    until_width: UntilWidth = None,
    until_decided: UntilDecided = False,
    options: object = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> "SimulationResult":
    r"""Let players play GAME against each other, seats rotating, and count the wins.

    Args:
        games: Units to play (at most, with --until-…).
        unit: The unit that is won: match, tower, hand.  [default: the game's first]
        cards: Hand size, where the game has several.
        where: Deal only hands that fit this condition; the up-card is a spade.
        transcripts: Write every game to FILE; slower, as the engine plays them.

    Raises:
        TowerlabError: an unknown game, player or unit, or numbers that cannot be.

    Example:
        towerlab simulate towers-and-bowers --players pimc,family --games 2000
        towerlab simulate towers-and-bowers --players pimc,family --games 100000 --until-decided
        towerlab simulate towers-and-bowers --players pimc,novice --games 5000 --unit hand \
            --where "trumps(dealer) >= 3 and holds(dealer, JS)"
        towerlab simulate towers --players builder,novice --games 4 --transcripts games.jsonl
    """
    from towerlab.analysis.simulation import simulate

    return simulate(**arguments())


@question("")
def compare(
    game: GameName,
    options: Annotated[
        Mapping[str, object] | None, OptionSpec("", "NAME=VALUE[,…]", "--option", several=True, completes="options")
    ] = None,
    players: Annotated[Sequence[object] | None, OptionSpec(WHO_PLAYS, "A,B[,C…]", completes="players")] = None,
    *,
    games: Annotated[int, OptionSpec(least=1)] = 2_000,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> "Comparison":
    """Play the same games of GAME by the usual rules and by others, and report the differences.

    Args:
        options: Values of a rule option; every combination is played.  [default: each option alone]
        games: For each combination.

    Raises:
        TowerlabError: options or players that cannot be, or rules that the players do not know.

    Example:
        towerlab compare towers --option layout=square --games 400
        towerlab compare bowers --option target=30,50 --option joker=none,add --games 200
        towerlab compare towers --players greedy,novice --games 200
    """
    from towerlab.analysis.simulation.rule_options import compare_rules

    return compare_rules(**arguments())


@question("")
def check(path: Annotated[File, OptionSpec(name="", metavar="CERTIFICATE", exists=True)]) -> "CheckAnswer":
    """Check the certificate of a claim with a program that shares nothing with the prover but the rules.

    The exit status is 0 if it is valid, 1 if it is not, 2 if it is no certificate.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab claim bowers --hand "JC JS AC" --trump C --lead declarer --tricks 3 --certificate claim.json
        towerlab check claim.json
    """
    from towerlab.analysis.claims.asking import check_file

    return check_file(**arguments())
