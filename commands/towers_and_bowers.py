"""What can be asked about Towers & Bowers? upcard, discard, claim, move, solve, value, exploit.

Example:
    towerlab upcard --hand "JS AS" --up 9S --seat nondealer
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from towerlab.commands.question import (
    At,
    Cards,
    Certificate,
    Concede,
    File,
    Held,
    HeldNow,
    OptionSpec,
    Quiet,
    SavedGame,
    Seed,
    Tricks,
    Won,
    arguments,
    question,
)

if TYPE_CHECKING:
    from towerlab.analysis.claims.answers import ClaimAnswer, ConcessionAnswer
    from towerlab.analysis.moves.answers import MoveAnswer
    from towerlab.analysis.towers_and_bowers.answers import UpcardAnswer
    from towerlab.analysis.towers_and_bowers.exploitability import ExploitAnswer
    from towerlab.analysis.towers_and_bowers.open_hands import OpenHands
    from towerlab.analysis.towers_and_bowers.upcard import RankedDiscards
    from towerlab.analysis.towers_and_bowers.whole_strategies import ValueAnswer
    from towerlab.games.towers_and_bowers import TowersAndBowersOptions

GAME = "towers-and-bowers"

_Side: TypeAlias = Literal["me", "them"]
_Suit: TypeAlias = Annotated[str, OptionSpec("S, H, D or C.", "SUIT")]
_Lead: TypeAlias = Annotated[_Side | None, OptionSpec("The leader of the next trick, or of the one under way.")]
_FirstLead: TypeAlias = Annotated[_Side | None, OptionSpec("The leader of the history's first trick.")]
_Void: TypeAlias = Annotated[Cards, OptionSpec("A suit they cannot hold (left bower: trump).", "SUIT", several=True)]
_Holds: TypeAlias = Annotated[Cards, OptionSpec("A card they surely hold, as the up-card.", "CARD", several=True)]
_History: TypeAlias = Annotated[Cards, OptionSpec('Tricks played: "9C/AC AH/QC"; the last may be "AH/".', "TRICKS")]
_Seen: TypeAlias = Annotated[Cards, OptionSpec("Cards the opponent cannot hold: played, turned down, …", "CARDS")]
_Count: TypeAlias = Annotated[int | None, OptionSpec("How many cards they hold.  [default: from the other options]")]


@question("towers-and-bowers", tables="upcard")
def upcard(
    hand: Annotated[Cards, "CARDS"],
    up: Annotated[str, "CARD"],
    seat: Literal["dealer", "nondealer"],
    *,
    second_round: bool = False,
    method: Literal["equilibrium", "self-play", "pimc"] | None = None,
    against: Annotated[object, "PLAYER"] = None,
    rollouts: Annotated[int | None, "DEALS"] = None,
    policy: Annotated[str, "FOLDER"] = "",
    seed: Seed = 0,
    seen: Annotated[Cards, "CARDS"] = "",
    opponent_holds: Annotated[Cards, OptionSpec(metavar="CARD", several=True)] = "",
    opponent_void: Annotated[Cards, OptionSpec(metavar="SUIT", several=True)] = "",
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
    quiet: Quiet = True,
) -> "UpcardAnswer":
    """Should I accept the up-card? Solved up to four cards; above, every call is played out.

    Args:
        hand: Your 1 to 7 dealt cards, without the up-card.
        up: The up-card.
        seat: Your seat.
        second_round: The up-card was turned down: which suit to name, or pass?
        method: The opponent's bidding; self-play: also the play.  [default: the best there is]
        against: The opponent bids like this player, or your own module:Player, instead.
        rollouts: Deals on which the learned policy plays every call out, from five cards on.  [default: 2,000; 200 in
            a table]
        policy: A learned policy of your own, by `towerlab study towers-and-bowers self-play`, plays in place of ours.
        seen: Cards the opponent cannot hold.
        opponent_holds: A card they surely hold.
        opponent_void: A suit they cannot hold, cards as printed.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer
        towerlab upcard --hand "AH KH 9C" --up JD --seat dealer --second-round --json
        towerlab upcard --hand "AH KH 9C TC" --up JD --seat nondealer --against family
    """
    from towerlab.analysis.towers_and_bowers.upcard import ask_upcard

    return ask_upcard(**arguments())


@question("towers-and-bowers")
def open(
    link: Annotated[str, OptionSpec(name="", metavar="LINK")],
    *,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "UpcardAnswer | RankedDiscards | MoveAnswer | ClaimAnswer | ConcessionAnswer":
    """Answer a position as a link: a call, a discard, a card to play or a claim.

    `upcard`, `discard`, `move`, `claim` and `review` print LINK; the explorer has it in its address, after #. It holds
    the position, not the method. Quote it if it contains a ?.

    Raises:
        TowerlabError: no link, or a question that cannot be answered.

    Example:
        towerlab open ASKSJS9S/QS/d/p
        towerlab open "KSAH/QH/n/a/9CAC//claim1"
        towerlab open "KSAH/?/n/mH"
    """
    from towerlab.analysis.towers_and_bowers.move import ask_link

    return ask_link(**arguments())


@question("towers-and-bowers")
def discard(
    hand: Annotated[Cards, "CARDS"],
    up: Annotated[str, "CARD"],
    bidder: Literal["me", "them"],
    *,
    method: Literal["equilibrium", "self-play", "pimc"] | None = None,
    rollouts: Annotated[int | None, "DEALS"] = None,
    policy: Annotated[str, "FOLDER"] = "",
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "RankedDiscards":
    """Which card do I give for the up-card? For the dealer, whichever side accepted.

    Args:
        hand: Your 1 to 7 dealt cards, without the up-card.
        up: The up-card.
        bidder: The side that accepted.
        method: How the other's hands are weighted.  [default: the best there is]
        rollouts: Deals on which each card is played out, from five cards on.  [default: 2,000]
        policy: A learned policy of your own, by `towerlab study towers-and-bowers self-play`, plays in place of ours.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab discard --hand "JS AS KS 9S AD 10H 9C" --up QS --bidder them
        towerlab discard --hand "AH KH 9C" --up JD --bidder me --json
    """
    from towerlab.analysis.towers_and_bowers.upcard import ask_discard

    return ask_discard(**arguments())


@question("towers-and-bowers")
def exploit(
    player: Annotated[object, OptionSpec(name="")] = "",
    cards: Annotated[int | None, OptionSpec(least=1)] = None,
    strategy: Annotated[File | None, OptionSpec(exists=True)] = None,
    quiet: Quiet = True,
    out: Annotated[File | None, "FILE.parquet"] = None,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "ExploitAnswer":
    """How much a best response takes from a strategy in hands of one or two cards, exactly.

    Three cards take minutes: `towerlab study towers-and-bowers exploitability --set sizes=3` measures them.

    PLAYER is one of `towerlab players towers-and-bowers`, or your own (module:Player). Of the options only those
    that change no hand are taken: losses are measured from solutions, the others are not solved.

    Args:
        cards: Hand size, 1 or 2.  [default: 2; of a strategy its own]
        strategy: A table as `value --export` writes it, instead of a player: information_set, action, probability.
        out: Write the best response itself: a player to sit down against.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab exploit novice --cards 1
        towerlab exploit pimc --cards 2 --json
        towerlab value --cards 1 --export strategy.parquet && towerlab exploit --strategy strategy.parquet
    """
    from towerlab.analysis.towers_and_bowers.exploitability import ask_exploit

    return ask_exploit(**arguments())


@question("towers-and-bowers", tables="claims")
def claim(
    hand: Held,
    trump: _Suit,
    lead: _Lead = None,
    tricks: Tricks = None,
    *,
    opponent_void: _Void = "",
    opponent_holds: _Holds = "",
    opponent_cards: _Count = None,
    first_lead: _FirstLead = None,
    seen: _Seen = "",
    history: _History = "",
    concede: Concede = False,
    certificate: Certificate = None,
    first_n: int = 7,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "ClaimAnswer | ConcessionAnswer":
    """Prove or refute a claim of tricks, or a concession, in Towers & Bowers.

    A claim is sound if one way of playing takes the tricks against every hand the opponent can hold.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab claim --hand "JH JD AH 9H AS" --trump H --lead me --tricks 5
        towerlab claim --hand "9H TH" --trump H --history "AH/QC" --first-lead me --tricks 2
        towerlab claim --hand "TS 9S 9C" --trump H --lead them --concede
    """
    from towerlab.analysis.towers_and_bowers.claims import judge_claim

    return judge_claim(**arguments())


@question("towers-and-bowers", tables="open_hands")
def solve(
    leader: Annotated[Cards, "CARDS"],
    follower: Annotated[Cards, "CARDS"],
    trump: _Suit,
) -> "OpenHands":
    """Tricks of two hands, of every lead, and a line of best play; or a table of hands.

    Args:
        leader: The hand that leads, 1 to 7 cards.
        follower: The other hand, as many cards.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab solve towers-and-bowers --trump H --leader "JH 9S" --follower "AH AS"
    """
    from towerlab.analysis.towers_and_bowers.open_hands import solve_open_hands

    return solve_open_hands(**arguments())


@question("towers-and-bowers", tables="move")
def move(
    hand: HeldNow = None,
    trump: Annotated[str | None, "SUIT"] = None,
    bidder: _Side | None = None,
    lead: _Lead = None,
    *,
    up: Annotated[str | None, "CARD"] = None,
    first_lead: _FirstLead = None,
    opponent_void: _Void = "",
    opponent_holds: Annotated[Cards, OptionSpec(metavar="CARD", several=True)] = "",
    cards: Annotated[int | None, OptionSpec(least=1)] = None,
    method: Literal["hidden", "self-play", "pimc"] | None = None,
    rollouts: Annotated[int | None, "DEALS"] = None,
    policy: Annotated[str, "FOLDER"] = "",
    history: _History = "",
    seen: Annotated[Cards, "CARDS"] = "",
    won: Won = None,
    game: SavedGame = None,
    at: At = None,
    opponent_cards: int | None = None,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
) -> "MoveAnswer":
    """Which card do I play? Every legal one with its chance to win the tower, over the hands they can hold.

    Args:
        trump: S, H, D or C.
        bidder: The side that accepted the up-card, or named the trump.
        up: The up-card: out of play if turned down, in the dealer's hand if accepted.
        opponent_holds: A card they surely hold.
        cards: Of a full hand.  [default: the history and your hand]
        method: Hidden cards, solved or played out; open cards, all hands alike.  [default: hidden with three cards or
            fewer, else self-play where the whole hand is known]
        rollouts: Deals on which each card is played out, with more than three cards left.  [default: 2,000; 200 in
            tables]
        policy: A learned policy of your own, by `towerlab study towers-and-bowers self-play`, plays in place of ours.
        seen: Cards the opponent cannot hold: your discard, turned down, …

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab move towers-and-bowers --hand "AH 9H KS" --trump H --bidder me --history "JH/9D" --first-lead me
        towerlab move towers-and-bowers --hand "AH KS" --trump H --bidder me --up QH --lead me --cards 4 --won 1
        towerlab simulate towers-and-bowers --players novice,family --games 1 --transcripts tb.jsonl
        towerlab move towers-and-bowers --game tb.jsonl --at 3.2
    """
    from towerlab.analysis.towers_and_bowers.move import ask_move

    return ask_move(**arguments())


@question("towers-and-bowers")
def value(
    cards: Annotated[int | None, OptionSpec(least=1, most=7)] = None,
    check: bool = False,
    quiet: Quiet = True,
    options: "TowersAndBowersOptions | Mapping[str, object] | None" = None,
    *,
    export: Annotated[File | None, OptionSpec()] = None,
) -> "ValueAnswer":
    """The value of dealing a hand of Towers & Bowers when hands are hidden: P(the dealer wins the tower).

    Of the options only those that change no hand are taken: the others are not solved.

    Args:
        cards: Hand size.  [default: all]
        check: Compute the best responses again.
        export: Write the whole strategy of one and two cards as Parquet: every information set, action, probability.

    Raises:
        TowerlabError: a question that cannot be answered.

    Example:
        towerlab value
        towerlab value --cards 2 --check
        towerlab value --cards 1 --export strategy.parquet
    """
    from towerlab.analysis.towers_and_bowers.whole_strategies import ask_value

    return ask_value(**arguments())
