"""What can be asked about Bowers? bid, bury, solve, claim, move.

Example:
    towerlab bid bowers --hand "JS JC AS KS QS TS 9S AH AD 7C"
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from towerlab.commands.question import (
    At,
    Buried,
    Cards,
    Certificate,
    Concede,
    Held,
    HeldNow,
    History,
    Holds,
    Jobs,
    Lead,
    Limit,
    OptionSpec,
    Quiet,
    Role,
    SavedGame,
    Seed,
    Trick,
    Tricks,
    Trump,
    Void,
    Won,
    arguments,
    question,
)

if TYPE_CHECKING:
    from towerlab.analysis.bowers.bid import BidAnswer
    from towerlab.analysis.bowers.bury import BuryAnswer
    from towerlab.analysis.bowers.open_hands import OpenHands
    from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
    from towerlab.analysis.moves.answers import MoveAnswer
    from towerlab.games.bowers import BowersOptions


@question("bowers")
def bid(
    hand: Annotated[Cards, "CARDS"],
    auction: Annotated[str, "CALLS"] = "",
    options: "BowersOptions | Mapping[str, object] | None" = None,
    *,
    kitties: Annotated[int, OptionSpec(least=1)] = 400,
    others: Literal["novice", "careful", "random", "pass"] = "novice",
    scores: Annotated[str | Sequence[int] | None, "YOU,LEFT,RIGHT"] = None,
    doubled: bool = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> "BidAnswer":
    """Find the value of every legal call; stops as soon as one is surely the best.

    Args:
        hand: Your ten cards.
        auction: The calls so far, dealer's left first: "P 5S 6NT".
        kitties: Kitties to draw, two layouts each, at most.
        others: How the others call.
        scores: Before the deal: calls are then compared by P(win the game).
        doubled: The deal counts twice.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30
        towerlab bid bowers --hand "7S 8S 7H 9H TH 7D 8D 7C 9C JC" --auction 6S --kitties 30 --option joker=add
        towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30 --scores 38,12,44
    """
    from towerlab.analysis.bowers.bid import ask_bid

    return ask_bid(**arguments())


@question("bowers")
def bury(
    hand: Annotated[Cards, "CARDS"],
    bid: Annotated[str, "BID"],
    options: "BowersOptions | Mapping[str, object] | None" = None,
    *,
    place: Annotated[Literal["first", "second", "dealer"] | int, OptionSpec(name="--seat")] = "first",
    layouts: Annotated[int, OptionSpec(least=1)] = 400,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> "BuryAnswer":
    """Rank every bury; stops as soon as one is surely the best.

    Args:
        hand: Your ten cards and the kitty.
        bid: The bid that won the auction, such as 6S or 7NT.
        place: Your place in the auction; matters with first_lead=left_of_dealer only.
        layouts: Layouts of the other hands, at most.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab bury bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C KC 8H" --bid 6S --layouts 40
    """
    from towerlab.analysis.bowers.bury import ask_bury

    return ask_bury(**arguments())


@question("bowers", tables="open_hands")
def solve(
    declarer: Annotated[Cards, "CARDS"],
    left: Annotated[Cards, "CARDS"],
    right: Annotated[Cards, "CARDS"],
    *,
    trump: Annotated[str, "SUIT"],
    lead: Role = "declarer",
    trick: Trick = "",
    misere: bool = False,
    at_least: Annotated[int | None, "K"] = None,
    options: "BowersOptions | Mapping[str, object] | None" = None,
) -> "OpenHands":
    """Solve three open hands: the declarer against the other two; or a table of hands.

    Args:
        declarer: The declarer's hand.
        left: The hand on the declarer's left.
        right: The hand on the declarer's right.
        trump: S, H, D, C or NT.
        lead: The leader of the next trick, or of the one under way.
        misere: The declarer wants as few tricks as possible.
        at_least: Also say whether the declarer takes at least so many.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab solve bowers --trump C --declarer "JC JS AC 9H" --left "KC QC AH KH" --right "TC 7C AD 7H"
        towerlab solve bowers --trump NT --declarer "7S 8H" --left "8S 7H" --right "9S 9H" --lead left --misere
    """
    from towerlab.analysis.bowers.open_hands import solve_open_hands

    return solve_open_hands(**arguments())


@question("bowers", tables="claims")
def claim(
    hand: Held,
    trump: Trump = None,
    lead: Lead = None,
    tricks: Tricks = None,
    *,
    role: Role = "declarer",
    misere: bool = False,
    void: Void = (),
    holds: Holds = (),
    trick: Trick = "",
    limit: Limit = None,
    seen: Buried = "",
    history: History = "",
    first: str | None = None,
    concede: Concede = False,
    certificate: Certificate = None,
    options: "BowersOptions | Mapping[str, object] | None" = None,
) -> "ClaimAnswer | ConcessionAnswer":
    """Prove or refute a claim at Bowers, the declarer's or a defender's.

    A claim is sound if one way of playing takes the tricks in every layout that fits the cards seen.

    Args:
        role: The claimant.
        misere: Claim that declarer takes at most --tricks of the rest.  [default: 0]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab claim bowers --hand "JC JS AC" --trump C --lead declarer --tricks 3
        towerlab claim bowers --hand "7S 9S 7H" --misere --lead left --seen "8S TS"
        towerlab claim bowers --role left --hand "JC AC" --trump C --lead declarer --tricks 1
    """
    from towerlab.analysis.bowers.claims import judge_claim

    return judge_claim(**arguments())


@question("bowers", tables="move")
def move(
    hand: HeldNow = None,
    bid: Annotated[str | None, OptionSpec(metavar="BID", also="--contract")] = None,
    lead: Lead = None,
    *,
    role: Role = "declarer",
    void: Void = (),
    holds: Holds = (),
    trick: Trick = "",
    first: Annotated[str | None, "SEAT"] = None,
    doubled: bool = False,
    layouts: Annotated[int | None, OptionSpec(least=2)] = None,
    history: History = "",
    seen: Buried = "",
    won: Won = None,
    game: SavedGame = None,
    at: At = None,
    options: "BowersOptions | Mapping[str, object] | None" = None,
    seed: Seed = 0,
) -> "MoveAnswer":
    """Which card do I play? Every legal one with its expected points, over the hands the others can hold.

    Args:
        bid: The bid that is played: 8C, 7NT, M for a misère.
        role: Your seat.
        first: The leader of the history's first trick.
        doubled: The deal counts twice.
        layouts: How many to draw where there are too many to count.  [default: 40]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab move bowers --hand "JC AC 7H" --bid 8C --lead declarer --won 6 --seen "JS KC QC TC 9C 8C"
        towerlab move bowers --role left --hand "AS 9H" --bid 7H --lead left --won 3 --seen "JH JD AH KH QH TH"
        towerlab simulate bowers --players novice,novice,novice --games 1 --transcripts bowers.jsonl
        towerlab move bowers --game bowers.jsonl --at 2.4
    """
    from towerlab.analysis.bowers.move import ask_move

    return ask_move(**arguments())
