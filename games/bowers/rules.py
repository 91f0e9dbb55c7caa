"""How is Bowers dealt, bid for and scored? Each rule of BO-1 to BO-14 but the play, a kernel once.

A call is 0 for a pass or the number of a bid in the order of the ladder. Bids on one rung do not beat each other::

    0 pass | 1 1NT | 2..5 1C 1D 1H 1S | 6 2NT | … | 26 6NT | 27..30 6C 6D 6H 6S | 31 misère | 32 7NT | … | 51 10S

Players are counted from the one who speaks first, the dealer's left: 0, 1 and 2, the dealer.

>>> parse_call("6s"), call_text(parse_call("6s"))
(30, '6S')
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bowers.options import BIDDER_TRICKS, JOINT_TRICKS, BowersOptions, BowersRules
from towerlab.games.cards import (
    DECK_32,
    JOKER_1,
    NO_TRUMP,
    NO_TRUMP_FIELD,
    SYMBOLS,
    TRUMPS,
    cards_mask,
    mask_cards,
    parse_trump,
    to_play_order,
    to_printed,
    trump_field,
)
from towerlab.games.errors import CallError, CardError, IllegalAction
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of

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
    """Return the tricks that a call promises, 1..10; 0 for a pass and for misère."""
    if call in (PASS, MISERE):
        return 0
    return (call - 1 - (call > MISERE)) // 5 + 1


@kernel
def call_trump(call: int) -> int:
    """Return the trump of a bid: suit 0..3, or `NO_TRUMP`, which is misère's too (BO-4)."""
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
    """Return the bid of so many tricks, 1..10, in a trump, suit 0..3 or `NO_TRUMP`."""
    return 5 * (level - 1) + 1 + (level > MISERE_LEVEL) + (0 if trump == NO_TRUMP else trump + 1)


@kernel
def is_legal_call(standing: int, call: int, min_bid: int) -> bool:
    """Return whether a call may be made over the standing bid, `PASS` if there is none (BO-3, BO-4)."""
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
    """Return a call as JSON and transcripts write it.

    >>> [call_text(call) for call in (PASS, 21, 25, MISERE, HIGHEST_BID)]
    ['P', '5NT', '5S', 'M', '10S']
    """
    if call in (PASS, MISERE):
        return "P" if call == PASS else "M"
    return f"{call_level(call)}{TRUMPS[call_trump(call)]}"


def call_symbol(call: int) -> str:
    """Return a call for people: ``"5♠"``, ``"6NT"``, ``"misère"``, ``"pass"``."""
    if call in (PASS, MISERE):
        return "pass" if call == PASS else "misère"
    trump = int(call_trump(call))
    return f"{call_level(call)}{'NT' if trump == NO_TRUMP else SYMBOLS[trump]}"


def parse_call(text: str) -> int:
    """Return a call from ``5S``, ``5♠``, ``10nt``, ``P``, ``pass``, ``M`` or ``misere``.

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
        """Return an auction from calls separated by spaces or commas.

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
        """Return every call that may be made now, in the order of the ladder; none once the auction is over."""
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
        """Return the auction with one more call.

        Raises:
            IllegalAction: it may not be made now.
        """
        self.verify(call)
        return Auction((*self.calls, call), self.min_bid)

    def _expected(self) -> str:
        """Return the end of a message: the lowest bids that beat the standing one."""
        higher = [call for call in self.legal_calls() if call != PASS]
        if not higher:
            return "no bid is higher; expected P"
        lowest = min(int(call_key(call)) for call in higher)
        names = [call_text(call) for call in higher if call_key(call) == lowest]
        name = names[0] if len(names) == 1 else f"{call_level(higher[0])} of a suit"
        return f"expected P, or {name} or higher"


HAND_SIZE: Final = 10
ANY_PACK: Final = DECK_32 | 1 << JOKER_1
"""Every card that a pack of Bowers may hold, whatever the options."""


@kernel
def deal_pack(pack: Ints, dealer: int, hands: Ints) -> int:
    """Deal ten cards each, one at a time from the dealer's left; what is left over is the kitty (BO-1).

    Args:
        pack: int64[32 or 33], cards in order.
        dealer: seat 0..2.
        hands: int64[3], filled with printed masks by seat.

    Returns:
        the kitty as a printed mask.
    """
    hands[:] = 0
    for place in range(PLAYERS * HAND_SIZE):
        hands[(dealer + 1 + place) % PLAYERS] |= 1 << pack[place]
    kitty = 0
    for place in range(PLAYERS * HAND_SIZE, pack.shape[0]):
        kitty |= 1 << pack[place]
    return kitty


@kernel
def to_bid_order(mask: int, call: int) -> int:
    """Return a printed mask in the play order of a bid; at no trump and misère no bower is a trump (BO-2)."""
    return to_play_order(mask, call_trump(call), True)


@kernel
def from_bid_order(mask: int, call: int) -> int:
    """Return the inverse of `to_bid_order`."""
    return to_printed(mask, call_trump(call), True)


@kernel
def bid_trumps(call: int) -> int:
    """Return the trump field of a bid in play order; at no trump and misère the joker alone (BO-9)."""
    return trump_field(call_trump(call))


@kernel
def field_to_follow(led: int, named: int, trumps: int, names_suit: int) -> int:
    """Return the field that has to be followed (BO-8, BO-9).

    Args:
        led: the card led, play-order mask of one bit.
        named: the field that a joker led at no trump names; not read otherwise.
        trumps: `bid_trumps` of the bid.
        names_suit: the rule; where it is off, nobody can follow such a joker and anything may be played.
    """
    if names_suit and trumps == NO_TRUMP_FIELD and led & trumps:
        return named
    return field_of(led, trumps)


def shuffled_pack(options: BowersOptions, random: np.random.Generator) -> list[int]:
    """Return the pack of these options in random order."""
    return [int(card) for card in random.permutation(np.array(mask_cards(options.deck), dtype=np.int64))]


def list_burials(cards: int, count: int = 2) -> list[int]:
    """Return every set of `count` of these cards that may be buried (BO-7): 66 of twelve cards, printed masks."""
    return [cards_mask(chosen) for chosen in combinations(mask_cards(cards), count)]


MOST_FACTOR: Final = 1 << 20
"""Where compounding ends, after twenty pass-outs in a row: points stay far from the end of int64."""


@kernel
def bid_value(call: int, misere_value: int) -> int:
    """V of a bid (BO-10, BO-12): what its bidder scores if it is made, and loses if not."""
    if call == PASS:
        return 0
    if call == MISERE:
        return misere_value
    level = call_level(call)
    return level + (15 if level >= 9 else 5 if level >= 7 else 0)


@kernel
def is_made(call: int, tricks: int) -> bool:
    """Return whether so many tricks of the bidder make the bid: none at misère, else as many as were bid."""
    return tricks == 0 if call == MISERE else tricks >= call_level(call)


@kernel
def bidder_points(call: int, tricks: int, factor: int, rules: BowersRules) -> int:
    """Return the points of the bidder of `call` with so many tricks (BO-10 .. BO-13)."""
    value = bid_value(call, rules.misere_value) * factor
    return value if is_made(call, tricks) else -value


@kernel
def opponent_points(call: int, tricks: int, own: int, factor: int, rules: BowersRules) -> int:
    """Return an opponent's points when the bidder of `call` took `tricks` and the opponent `own` (BO-11 .. BO-13)."""
    if is_made(call, tricks):
        return own * factor * rules.made_scores
    if call != MISERE or rules.failed_misere == JOINT_TRICKS:
        return (MOST_TRICKS - tricks) * factor
    return tricks * factor if rules.failed_misere == BIDDER_TRICKS else 0


@kernel
def deal_points(call: int, tricks: int, left: int, factor: int, rules: BowersRules) -> tuple[int, int, int]:
    """Return the three scores of a deal (BO-10 .. BO-13).

    Args:
        call: the bid that won the auction.
        tricks: of the bidder.
        left: of the opponent on the bidder's left; the other one took the rest of ten.
        factor: 1, or 2 after three opening passes (more if doubling compounds).
        rules: as the game is played.

    Returns:
        points of the bidder, of the opponent on the left, of the other one.
    """
    right = MOST_TRICKS - tricks - left
    return (
        bidder_points(call, tricks, factor, rules),
        opponent_points(call, tricks, left, factor, rules),
        opponent_points(call, tricks, right, factor, rules),
    )


@kernel
def next_factor(factor: int, thrown_in: int, rules: BowersRules) -> int:
    """The factor of the next deal: 2 (or twice the last one) after three opening passes, else 1 (BO-6, BO-13)."""
    if not thrown_in:
        return 1
    return min(2 * factor, MOST_FACTOR) if rules.compounds else 2


@kernel
def next_dealer(dealer: int, thrown_in: int, rules: BowersRules) -> int:
    """Return the next dealer: the player on the left, unless `passout_dealer` says otherwise (BO-1, BO-6)."""
    return dealer if thrown_in and rules.passout_stays else (dealer + 1) % 3


@kernel
def game_winner(first: int, second: int, third: int, target: int) -> int:
    """The seat with the highest score, if it reached the target and nobody equals it; else -1: play on (BO-14)."""
    best = max(first, second, third)
    if best < target or (first == best) + (second == best) + (third == best) > 1:
        return -1
    return 0 if first == best else 1 if second == best else 2
