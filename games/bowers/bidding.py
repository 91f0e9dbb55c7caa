"""The auction of Bowers (BO-3 .. BO-6): calls as small ints, the ladder, and how an auction goes on and ends.

A call is 0 for a pass or the number of a bid in the order of the ladder; bids on one rung beat each other in no way::

    0 pass | 1 1NT | 2..5 1C 1D 1H 1S | 6 2NT | … | 26 6NT | 27..30 6C 6D 6H 6S | 31 misère | 32 7NT | … | 51 10S

Players are counted from the one who speaks first, the dealer's left: 0, 1 and 2, the dealer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from towerlab.games.cards import NO_TRUMP, SYMBOLS, TRUMPS, parse_trump
from towerlab.games.errors import CallError, CardError, IllegalAction
from towerlab.games.jit import kernel

PASS: Final = 0
MISERE: Final = 31
CALLS: Final = 52
HIGHEST_BID: Final = CALLS - 1
MOST_TRICKS: Final = 10
MISERE_LEVEL: Final = 6  # what the standing bid must be at (BO-4)
PLAYERS: Final = 3

OPEN, WON, THROWN_IN = range(3)

_MISERE_WORDS = ("M", "MISERE", "MISÈRE")
_PASS_WORDS = ("P", "PASS")
_LEVELS = tuple(str(level) for level in range(1, MOST_TRICKS + 1))


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def call_level(call: int) -> int:
    """Tricks that a call promises, 1..10; 0 for a pass and for misère."""
    if call in (PASS, MISERE):
        return 0
    return (call - 1 - (call > MISERE)) // 5 + 1


@kernel
def call_trump(call: int) -> int:
    """The trump of a bid: suit 0..3, or `NO_TRUMP`, which is misère's too (BO-4)."""
    place = (call - 1 - (call > MISERE)) % 5
    return NO_TRUMP if call == MISERE or place == 0 else place - 1


@kernel
def call_key(call: int) -> int:
    """The rung of a call on the ladder (BO-3): 1 for 1NT, 2 for a suit at 1, … 13 for misère, … 21; 0 for a pass."""
    if call == PASS:
        return 0
    if call == MISERE:
        return 2 * MISERE_LEVEL + 1
    return 2 * call_level(call) - 1 + (call_trump(call) != NO_TRUMP) + (call > MISERE)


@kernel
def bid_of(level: int, trump: int) -> int:
    """The bid of so many tricks, 1..10, in a trump, suit 0..3 or `NO_TRUMP`."""
    return 5 * (level - 1) + 1 + (level > MISERE_LEVEL) + (0 if trump == NO_TRUMP else trump + 1)


@kernel
def is_legal_call(standing: int, call: int, min_bid: int) -> bool:
    """Whether a call may be made over the standing bid, `PASS` if there is none (BO-3, BO-4)."""
    if call == PASS:
        return True
    if call == MISERE:
        return call_level(standing) == MISERE_LEVEL
    return call_key(call) > call_key(standing) and call_level(call) >= min_bid


@kernel
def auction_status(standing: int, passes: int) -> int:
    """How an auction stands: `OPEN`, `WON` or `THROWN_IN` (BO-5, BO-6).

    Args:
        standing: the standing bid, `PASS` if there is none.
        passes: how many calls in a row, the last ones, were passes.
    """
    if standing == PASS:
        return THROWN_IN if passes == PLAYERS else OPEN
    return WON if passes == PLAYERS - 1 else OPEN


# -------------------------------------------------------------------------------------------------------- notation


def call_text(call: int) -> str:
    """A call as JSON and transcripts write it.

    >>> [call_text(call) for call in (PASS, 21, 25, MISERE, HIGHEST_BID)]
    ['P', '5NT', '5S', 'M', '10S']
    """
    if call in (PASS, MISERE):
        return "P" if call == PASS else "M"
    return f"{call_level(call)}{TRUMPS[call_trump(call)]}"


def call_symbol(call: int) -> str:
    """A call for people: ``"5♠"``, ``"6NT"``, ``"misère"``, ``"pass"``."""
    if call in (PASS, MISERE):
        return "pass" if call == PASS else "misère"
    trump = int(call_trump(call))
    return f"{call_level(call)}{'NT' if trump == NO_TRUMP else SYMBOLS[trump]}"


def parse_call(text: str) -> int:
    """A call from ``5S``, ``5♠``, ``10nt``, ``P``, ``pass``, ``M`` or ``misere``.

    Raises:
        CallError: not a call.
    """
    word = text.strip().upper()
    if word in _PASS_WORDS:
        return PASS
    if word in _MISERE_WORDS:
        return MISERE
    digits = word[: len(word) - len(word.lstrip("0123456789"))]
    try:
        trump = parse_trump(word[len(digits) :])
    except CardError:
        trump = None
    if trump is None or digits not in _LEVELS:
        expected = f"P, M (misère), or 1 to {MOST_TRICKS} tricks and S, H, D, C or NT, such as 5S"
        raise CallError(f"{text!r} is not a call; expected {expected}")
    return int(bid_of(int(digits), trump))


# --------------------------------------------------------------------------------------------------------- auction


@dataclass(frozen=True)
class Auction:
    """An auction as far as it has gone; every call in it was legal.

    Attributes:
        calls: in order; call i was made by player i % 3, counted from the dealer's left.
        min_bid: the option.

    >>> auction = Auction.parse("P 5NT P 5S P P")
    >>> auction.status == WON, auction.bidder, call_text(auction.standing)
    (True, 0, '5S')
    """

    calls: tuple[int, ...] = ()
    min_bid: int = 1

    @classmethod
    def parse(cls, text: str, min_bid: int = 1) -> Auction:
        """An auction from calls separated by spaces or commas.

        Raises:
            CallError: a word that is no call.
            IllegalAction: the first call that may not be made, and why.
        """
        auction = cls((), min_bid)
        for word in text.replace(",", " ").split():
            auction = auction.after(parse_call(word))
        return auction

    @property
    def bidder(self) -> int | None:
        """The player of the standing bid, or None."""
        bids = [place for place, call in enumerate(self.calls) if call != PASS]
        return bids[-1] % PLAYERS if bids else None

    @property
    def standing(self) -> int:
        """The standing bid, `PASS` if there is none."""
        return next((call for call in reversed(self.calls) if call != PASS), PASS)

    @property
    def passes(self) -> int:
        """How many calls in a row, the last ones, were passes."""
        return next((n for n, call in enumerate(reversed(self.calls)) if call != PASS), len(self.calls))

    @property
    def status(self) -> int:
        """`OPEN`, `WON` or `THROWN_IN`."""
        return int(auction_status(self.standing, self.passes))

    def legal_calls(self) -> tuple[int, ...]:
        """Every call that may be made now, in the order of the ladder; none once the auction is over."""
        if self.status != OPEN:
            return ()
        return tuple(call for call in range(CALLS) if is_legal_call(self.standing, call, self.min_bid))

    def verify(self, call: int) -> None:
        """Check a call.

        Raises:
            IllegalAction: it may not be made now, and why not.
        """
        if not PASS <= call < CALLS:
            raise IllegalAction(f"{call} is no call; expected 0 to {HIGHEST_BID}", "BO-3")
        said = call_text(call)
        number = len(self.calls) + 1
        if self.status != OPEN:
            how = "three opening passes" if self.status == THROWN_IN else f"two passes after {call_text(self.standing)}"
            rule = "BO-6" if self.status == THROWN_IN else "BO-5"
            raise IllegalAction(f"call {number}, {said}, comes after the auction ended with {how}", rule)
        if is_legal_call(self.standing, call, self.min_bid):
            return
        over = f"over {call_text(self.standing)}" if self.standing else "as the opening bid"
        if call == MISERE:
            raise IllegalAction(
                f"call {number}, M (misère), is illegal {over}; expected a standing bid of 6NT or 6 of a suit", "BO-4"
            )
        if call_level(call) < self.min_bid:
            raise IllegalAction(f"call {number}, {said}, is too low; expected at least {self.min_bid} tricks", "BO-3")
        raise IllegalAction(f"call {number}, {said}, is illegal {over}; {self._expected()}", "BO-3")

    def after(self, call: int) -> Auction:
        """The auction with one more call.

        Raises:
            IllegalAction: it may not be made now.
        """
        self.verify(call)
        return Auction((*self.calls, call), self.min_bid)

    def _expected(self) -> str:
        """The end of a message: the lowest bids that beat the standing one."""
        higher = [call for call in self.legal_calls() if call != PASS]
        if not higher:
            return "no bid is higher; expected P"
        lowest = min(int(call_key(call)) for call in higher)
        names = [call_text(call) for call in higher if call_key(call) == lowest]
        name = names[0] if len(names) == 1 else f"{call_level(higher[0])} of a suit"
        return f"expected P, or {name} or higher"
