"""What can be asked about Towie? bid, solve, claim, move.

Example:
    towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"
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
    from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
    from towerlab.analysis.moves.answers import MoveAnswer
    from towerlab.analysis.towie.bid import BidAnswer
    from towerlab.analysis.towie.open_hands import DealTable, OpenHands
    from towerlab.games.towie.options import TowieOptions


@question("towie")
def bid(
    hand: Annotated[str, "PBN"],
    dummy: Annotated[Cards, "CARDS"],
    vul: Annotated[str, "WHO"] = "none",
    auction: Annotated[str, "CALLS"] = "",
    options: "TowieOptions | Mapping[str, object] | None" = None,
    *,
    others: Literal["novice", "random", "pass"] = "novice",
    scores: Annotated[str | Sequence[int], "ME,LEFT,RIGHT[,…]"] = "",
    goulashes: Annotated[int, OptionSpec(least=0)] = 0,
    layouts: Annotated[int | None, OptionSpec(least=2)] = None,
    until_width: Annotated[float | None, OptionSpec(least=0.0001, most=1)] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> "BidAnswer":
    r"""Find the best call on your hand and six cards of the dummy, by solving layouts of the 33 unseen cards.

    Args:
        hand: Your cards: spades.hearts.diamonds.clubs.
        dummy: The six exposed cards.
        vul: Players who have won a game: none, all, me,left,right; with more than three also waiting-1,waiting-2.
        auction: The calls so far, the dealer's first; yours is next.
        others: How the others call from now on; pass: all pass after your call.
        scores: Points before the deal, waiting players last: rank calls by P(win the game).
        goulashes: Goulashes since the last ordinary deal.
        layouts: How many to solve at most; fewer once the best call is known. By default 64, or what a second allows.
        until_width: Test P(make) on fresh layouts until its 95 % interval is so narrow.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D"
        towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --vul me,left \
            --auction "1S 3NT" --scores 620,0,150 --layouts 20 --until-width 0.1
    """
    from towerlab.analysis.towie.bid import ask_bid

    return ask_bid(**arguments())


@question("towie", tables="open_hands")
def solve(
    deal: Annotated[str, "PBN"],
    *,
    trump: Annotated[str | None, "SUIT"] = None,
    lead: Annotated[str | None, "SEAT"] = None,
    trick: Trick = "",
    table: bool = False,
    vul: Annotated[str | None, "WHO"] = None,
) -> "OpenHands | DealTable":
    r"""Solve four open hands, North and South against East and West; or a table of deals.

    Args:
        deal: "N:AKQ.J2..T9 …": hands clockwise, suits S.H.D.C.
        trump: S, H, D, C or NT.
        lead: The leader of the next trick, or of the one under way: N, E, S or W.
        table: Also the tricks of every declarer in every trump, and par; alone it needs no trump and no lead.
        vul: The vulnerable sides, for par: none, ns, ew, all; of a file where it does not say.  [default: none]

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab solve towie --deal "N:AK.Q2.. QJ.AK.. 32.43.. 54.65.." --trump NT --lead W
        towerlab solve towie --deal "N:AK.Q2.. QJ.A.. 32.43.. 54.65.." --trump NT --lead E --trick KH
        towerlab solve towie --deal "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763" \
            --table
    """
    from towerlab.analysis.towie.open_hands import solve_open_hands

    return solve_open_hands(**arguments())


@question("towie", tables="claims")
def claim(
    hand: Held,
    dummy: Annotated[Cards | None, "CARDS"] = None,
    trump: Trump = None,
    lead: Lead = None,
    tricks: Tricks = None,
    *,
    role: Role = "declarer",
    void: Void = (),
    holds: Holds = (),
    trick: Trick = "",
    limit: Limit = None,
    seen: Buried = "",
    history: History = "",
    first: str | None = None,
    concede: Concede = False,
    certificate: Certificate = None,
) -> "ClaimAnswer | ConcessionAnswer":
    r"""Prove or refute a claim at Towie, the declarer's or a defender's.

    A claim is sound if one way of playing takes the tricks in every layout that fits the cards seen.

    Args:
        dummy: Dummy's cards now.
        role: The claimant.
        seen: Cards no hidden hand holds: played ones; without them and a history it may hold any unseen card.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab claim towie --hand AKQ2.432.A32.432 --dummy J43.AK5.K54.AK65 --trump NT --lead left --tricks 9
        towerlab claim towie --role left --hand AK32.QJ32.432.32 --dummy QJ4.AK54.K65.AK6 --trump NT \
            --lead left --tricks 2
    """
    from towerlab.analysis.towie.claims import judge_claim

    return judge_claim(**arguments())


@question("towie", tables="move")
def move(
    hand: HeldNow = None,
    dummy: Annotated[Cards | None, "CARDS"] = None,
    contract: Annotated[str | None, OptionSpec(metavar="BID", also="--bid")] = None,
    lead: Lead = None,
    *,
    role: Role | Literal["leader"] = "declarer",
    shown: Annotated[Cards, "CARDS"] = "",
    void: Void = (),
    holds: Holds = (),
    trick: Trick = "",
    first: Annotated[str | None, "SEAT"] = None,
    vulnerable: bool = False,
    layouts: Annotated[int | None, OptionSpec(least=2)] = None,
    history: Annotated[Cards, "TRICKS"] = "",
    seen: Annotated[Cards, "CARDS"] = "",
    won: Won = None,
    game: SavedGame = None,
    at: At = None,
    options: "TowieOptions | Mapping[str, object] | None" = None,
    seed: Seed = 0,
) -> "MoveAnswer":
    r"""Which card do I play? Every legal one with its expected points; the opening lead too, before dummy is open.

    Args:
        dummy: Dummy's cards now.
        contract: The contract: 4S, 3NTX doubled, 4HXX redoubled.
        role: Your seat; the declarer plays dummy's cards as well; leader: your opening lead.
        shown: For the opening lead: dummy's six open cards.
        first: The leader of the history's first trick.  [default: left]
        vulnerable: The declarer has won a game.
        layouts: How many to draw where there are too many to count.
        history: The tricks played, such as AH/QC/9H/2H, the card led first.
        seen: Cards no hidden hand holds: played ones that are not in the history.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab move towie --hand AQ2.32.. --dummy K3.A4.5. --contract 4S --lead declarer --won 7 \
            --seen "JS TS 9S 8S KH QH JH TH 9H 8H 7H AD KD QD JD TD 9D 8D AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C 2D"
        towerlab move towie --role leader --hand QJT94.A52.763.82 --contract 3NT --shown "A63.KQ..K"
        towerlab simulate towie --players novice,novice,novice --games 1 --transcripts towie.jsonl
        towerlab move towie --game towie.jsonl --at 1.4
    """
    from towerlab.analysis.towie.move import ask_move

    return ask_move(**arguments())
