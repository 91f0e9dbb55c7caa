"""Which calls may be made, and which contract do they make? The three-sided auction (TO-4 .. TO-7): calls as small
ints, kernels, and the words for people.

A call is 0 pass, 1..35 a bid (level by level, in a level C D H S NT), 36 double, 37 redouble. Callers are numbered
from the dealer: 0 the dealer, 1 on the left, 2 on the right; dummy is skipped.

>>> auction = auction_of(parse_auction("1S pass 3NT"))
>>> call_text(int(auction[BID])), [call_text(call) for call in legal_calls(auction)][:3]
('3NT', ['pass', '4C', '4D'])
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP, SYMBOLS, TRUMPS
from towerlab.games.errors import IllegalAction, TowerlabError
from towerlab.games.jit import kernel

PASS: Final = 0
LAST_BID: Final = 35
DOUBLE: Final = 36
REDOUBLE: Final = 37
CALLS: Final = 38
CALLERS: Final = 3
GAME_POINTS: Final = 100

# An auction is int64[5] with these columns.
BID = 0  # the last bid, 0 before the first
BIDDER = 1  # its caller
DOUBLING = 2  # 1, 2 doubled, 4 redoubled
PASSES = 3  # in a row, at the end
MADE = 4  # calls so far
AUCTION_SIZE: Final = 5

NO_CALL, NOT_HIGHER, NO_BID, DOUBLED_ALREADY, NOT_BIDDER, IS_OVER = range(1, 7)  # why not

_CALLER_NAMES = ("the dealer", "the player on the left", "the player on the right")


# ---------------------------------------------------------------------------------------------------------- kernels


@kernel
def level_of(bid: int) -> int:
    """Level 1..7 of a bid."""
    return (bid - 1) // 5 + 1


@kernel
def strain_of(bid: int) -> int:
    """Strain of a bid: suit 0..3 or `NO_TRUMP`."""
    return (bid - 1) % 5


@kernel
def bid_of(level: int, strain: int) -> int:
    """Return the bid of that level and strain."""
    return 5 * (level - 1) + strain + 1


@kernel
def trick_value(strain: int) -> int:
    """Return the points for an odd trick (TO-12): 20 in a minor suit, 30 in a major, 35 at no trump."""
    if strain == NO_TRUMP:
        return 35
    return 20 if strain < 2 else 30


@kernel
def is_game_contract(bid: int, doubling: int, doubled_counts: int) -> bool:
    """Return whether a contract is played (TO-7): its trick points are at least 100.

    Args:
        bid: the last bid, 0 for none.
        doubling: the factor of the stakes: 1, 2 doubled, 4 redoubled.
        doubled_counts: whether points are counted as doubled (option).
    """
    if bid == 0:
        return False
    factor = doubling if doubled_counts else 1
    return trick_value(strain_of(bid)) * level_of(bid) * factor >= GAME_POINTS


@kernel
def start_auction(auction: Ints) -> None:
    """Set an auction, int64[5], back to before its first call."""
    auction[BID] = 0
    auction[BIDDER] = -1
    auction[DOUBLING] = 1
    auction[PASSES] = 0
    auction[MADE] = 0


@kernel
def caller_of(auction: Ints) -> int:
    """Return the caller whose turn it is in an auction, int64[5] (TO-4): the dealer calls first, then clockwise."""
    made: int = auction[MADE]
    return made % CALLERS


@kernel
def auction_is_over(auction: Ints) -> bool:
    """Return whether an auction, int64[5], has ended (TO-5): two passes after another call, or three opening ones."""
    passes: int = auction[PASSES]
    return passes >= (2 if auction[BID] else CALLERS)


@kernel
def why_illegal(auction: Ints, call: int) -> int:
    """0 when the next caller of an auction, int64[5], may make this call (TO-4), else the number of the reason."""
    if call < PASS or call > REDOUBLE:
        return NO_CALL
    if auction_is_over(auction):
        return IS_OVER
    if call == PASS:
        return 0
    if call <= LAST_BID:
        return 0 if call > auction[BID] else NOT_HIGHER
    if auction[BID] == 0:
        return NO_BID
    # A bidder is on turn again only over a double: two passes after the bid, or after a redouble, end the auction.
    if call == DOUBLE:
        return DOUBLED_ALREADY if auction[DOUBLING] > 1 else 0
    return 0 if auction[BIDDER] == caller_of(auction) else NOT_BIDDER


@kernel
def make_call(auction: Ints, call: int) -> None:
    """Add a legal call to an auction, int64[5]."""
    if call == PASS:
        auction[PASSES] += 1
    else:
        auction[PASSES] = 0
        if call == DOUBLE:
            auction[DOUBLING] = 2
        elif call == REDOUBLE:
            auction[DOUBLING] = 4
        else:
            auction[BID] = call
            auction[BIDDER] = caller_of(auction)
            auction[DOUBLING] = 1
    auction[MADE] += 1


# ----------------------------------------------------------------------------------------------------- friendly side


def new_auction() -> Ints:
    """Return an auction before its first call, int64[5]."""
    auction = np.zeros(AUCTION_SIZE, dtype=np.int64)
    start_auction(auction)
    return auction


def auction_of(calls: Iterable[int]) -> Ints:
    """Return the auction after some calls, int64[5].

    Raises:
        IllegalAction: the first call that is not legal, and why.
    """
    auction = new_auction()
    for call in calls:
        verify_call(auction, call)
        make_call(auction, call)
    return auction


def verify_call(auction: Ints, call: int) -> None:
    """Refuse a call that is illegal in an auction, int64[5].

    Raises:
        IllegalAction: the call, why it is illegal and what was expected.
    """
    reason = int(why_illegal(auction, call))
    if not reason:
        return
    caller = _CALLER_NAMES[int(caller_of(auction))]
    last = contract_text(int(auction[BID]), int(auction[DOUBLING]))
    if reason == NO_CALL:
        raise IllegalAction(f"{call} is no call; expected 0 to {REDOUBLE}", "TO-4")
    why = {
        NOT_HIGHER: f"it is not above {last}; expected a higher bid",
        NO_BID: "nobody has bid yet; expected a bid or a pass",
        DOUBLED_ALREADY: f"{last} stands doubled already; expected another call",
        NOT_BIDDER: "only the bidder may redouble; expected another call",
        IS_OVER: "the auction is over; expected no more calls",
    }[reason]
    number = int(auction[MADE]) + 1
    rule = "TO-5" if reason == IS_OVER else "TO-4"
    raise IllegalAction(f"call {number}, {call_text(call)} by {caller}, is illegal: {why}", rule)


def legal_calls(auction: Ints) -> list[int]:
    """Return every call that the next caller of an auction, int64[5], may make, lowest first."""
    return [call for call in range(CALLS) if not why_illegal(auction, call)]


def call_text(call: int) -> str:
    """Return a call as people write it: ``"pass"``, ``"3NT"``, ``"4S"``, ``"X"``, ``"XX"``."""
    if call == PASS:
        return "pass"
    if call in (DOUBLE, REDOUBLE):
        return "X" if call == DOUBLE else "XX"
    return f"{level_of(call)}{TRUMPS[strain_of(call)]}"


def contract_text(bid: int, doubling: int = 1) -> str:
    """Return a contract: ``"3NT"``, ``"4SX"``, ``"1HXX"``; nothing for no bid."""
    return call_text(bid) + {1: "", 2: "X", 4: "XX"}[doubling] if bid else ""


def parse_call(text: str) -> int:
    """Return a call from ``pass``, ``p``, ``3NT``, ``4s``, ``5♦``, ``X``, ``double``, ``XX`` or ``redouble``.

    Raises:
        TowerlabError: none of these.
    """
    word = text.strip().upper().replace("\ufe0f", "")
    known = {"PASS": PASS, "P": PASS, "X": DOUBLE, "DBL": DOUBLE, "DOUBLE": DOUBLE}
    known |= {"XX": REDOUBLE, "RDBL": REDOUBLE, "REDOUBLE": REDOUBLE}
    if word in known:
        return known[word]
    strains = {name: strain for strain, name in enumerate(TRUMPS)} | {"N": NO_TRUMP}
    strains |= {symbol: suit for suit, symbol in enumerate(SYMBOLS)}
    level = word[:1]
    strain = strains.get(word[1:])
    if strain is None or level not in tuple("1234567"):
        raise TowerlabError(f"{text!r} is not a call; expected pass, 1C to 7NT, X (double) or XX (redouble)")
    return int(bid_of(int(level), strain))


def parse_auction(text: str) -> tuple[int, ...]:
    """Legal calls in order, from the dealer's, separated by spaces or commas: ``"1S pass 3NT"``.

    Raises:
        TowerlabError: a word that is no call.
        IllegalAction: an illegal call, and why.
    """
    calls = tuple(parse_call(word) for word in text.replace(",", " ").split())
    auction_of(calls)
    return calls


def auction_text(calls: Sequence[int]) -> str:
    """Calls in order: ``"1S pass 3NT"``."""
    return " ".join(call_text(call) for call in calls)
