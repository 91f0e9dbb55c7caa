"""What can hidden hands hold, as far as the claimant knows, and how does every card played change that?

All masks are in play order. Each seat has a mask `own`: all cards of an open hand, the known cards of a hidden one.
The other unseen cards are in the pool `first` if the first hidden seat may hold them, in `second` if the second one
may; a card in neither pool is out of play. The folder's docstring says why a belief needs no more.

>>> settle_pools(0b0111, 0b0110, 1, 2)  # the second hand needs both of its cards
(1, 6)
>>> fits(0b0111, 0b0110, 1, 3)
False
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from math import comb
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_bit, lowest_index, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT, cards_mask, mask_cards
from towerlab.games.errors import CardError
from towerlab.games.jit import kernel
from towerlab.games.tricks import beats, field_of, legal_followers

MOST_SEATS: Final = 4
NOBODY: Final = -1

# Plays besides the 56 cards: a discard that is not shown, and a joker at no trump that names one of four fields.
UNSEEN_DISCARD: Final = 1 << 56
NAMING_SHIFT: Final = 57
NAMINGS: Final = 0b1111 << NAMING_SHIFT
CARDS_OF_PLAY: Final = (1 << 56) - 1


class ClaimRules(NamedTuple):
    """The part of a belief that does not change during a hand, as the kernels read it.

    Attributes:
        seats: the number of players, 2 to 4; seats are numbered in order of play.
        first, second: the hidden seats, or `NOBODY`.
        claimant: bit mask of the seats that the claimant plays.
        scoring: bit mask of the seats whose tricks are counted.
        trumps: the trump field.
        names: 1 if a joker led at no trump names the suit to follow.
        cooperative: 1 if all seats play for the scoring seats.
        unseen: 1 if a hidden hand's discards are not shown.
    """

    seats: int
    first: int
    second: int
    claimant: int
    scoring: int
    trumps: int
    names: int
    cooperative: int
    unseen: int


class SearchState(NamedTuple):
    """A position of the search, as the kernels read it; all int64.

    Attributes:
        known: all cards of known place.
        first, second: the pools of the hidden seats.
        turn: the seat to move.
        led: the field to follow, 0 at the start of a trick.
        best, best_seat: the card that wins the trick so far (0 for none), and its seat.
        played: the number of cards in the trick under way.
        tricks: the number of tricks left, that one included.
    """

    known: int
    first: int
    second: int
    turn: int
    led: int
    best: int
    best_seat: int
    played: int
    tricks: int


# ------------------------------------------------------------------------------------------------------- the pools


@kernel
def settle_pools(first: int, second: int, of_first: int, of_second: int) -> tuple[int, int]:
    """Return the pools without cards that are impossible if `of_first` cards of `first` and `of_second` are held."""
    if of_first == 0:
        first = 0
    if of_second == 0:
        second = 0
    if popcount(second) == of_second:
        first &= ~second
    if popcount(first) == of_first:
        second &= ~first
    return first, second


@kernel
def fits(first: int, second: int, of_first: int, of_second: int) -> bool:
    """Return whether a layout exists with the needed cards for both hidden hands from their pools."""
    return (
        0 <= of_first <= popcount(first)
        and 0 <= of_second <= popcount(second)
        and of_first + of_second <= popcount(first | second)
    )


@kernel
def seat_size(seat: int, state: SearchState, seats: int) -> int:
    """Return how many cards a seat holds."""
    leader = (state.turn - state.played + seats) % seats
    return state.tricks - 1 if (seat - leader + seats) % seats < state.played else state.tricks


@kernel
def pool_shares(own: Ints, rules: ClaimRules, state: SearchState) -> tuple[int, int]:
    """Return how many cards of their pools the two hidden hands hold; `own` is int64[4], see `Belief`."""
    of_first = seat_size(rules.first, state, rules.seats) - popcount(own[rules.first] & state.known)
    of_second = 0
    if rules.second != NOBODY:
        of_second = seat_size(rules.second, state, rules.seats) - popcount(own[rules.second] & state.known)
    return of_first, of_second


# ----------------------------------------------------------------------------------------------------------- plays


@kernel
def lowest_run(cards: int, barriers: int, trumps: int) -> int:
    """Return the lowest card and those above it in its suit that no card of `barriers` parts from it."""
    low = cards & -cards
    field = field_of(low, trumps)
    above = barriers & field & -low
    run = cards & field
    return run & ((above & -above) - 1) if above else run


@kernel
def runs_of(cards: int, barriers: int, trumps: int) -> int:
    """Return the lowest card of each run of `cards` that no card of `barriers` interrupts."""
    chosen = 0
    while cards:
        chosen |= cards & -cards
        cards &= ~lowest_run(cards, barriers, trumps)
    return chosen


@kernel
def ends_of_runs(cards: int, barriers: int, trumps: int) -> int:
    """Return the lowest, the highest and a middle card of each run that another hand may hold a part of.

    That hand may still play to this trick. It has to go above the lowest and below the highest; of any card between
    them it may do either, later.
    """
    chosen = 0
    while cards:
        run = lowest_run(cards, barriers, trumps)
        low, high = run & -run, highest_bit(run)
        cards &= ~run
        chosen |= low | high
        middle = run & ~(low | high)
        chosen |= middle & -middle
    return chosen


@kernel
def hidden_plays(sure: int, pool: int, other_pool: int, share: int, other_share: int, led: int) -> tuple[int, int, int]:
    """Return plays of a hidden hand: cards that follow (or lead), other cards, and the pool once it has not followed.

    Args:
        sure: cards it surely holds.
        pool, share: cards it may hold besides and how many of them it does, settled.
        other_pool, other_share: the same two of the other hidden hand.
        led: the field to follow, 0 when it leads.
    """
    if led == 0:
        return sure | pool, 0, pool
    following = (sure | pool) & led
    others = 0
    void_pool = pool & ~led
    if sure & led == 0 and fits(void_pool, other_pool, share, other_share):
        settled, _ = settle_pools(void_pool, other_pool, share, other_share)
        others = (sure | settled) & ~led
    return following, others, void_pool


@kernel
def plays_of(own: Ints, rules: ClaimRules, state: SearchState, every: int) -> int:
    """Return the plays of the seat to move, one for each run of equal cards, or with `every` all of them."""
    known, first, second, turn, led, best, _, played, _ = state
    trumps = rules.trumps
    live = known | first | second | best
    if turn != rules.first and turn != rules.second:
        hand = own[turn] & known
        plays = hand if led == 0 else legal_followers(hand, led)
        if not every:
            plays = runs_of(plays, live & ~hand | best, trumps)
    else:
        of_first, of_second = pool_shares(own, rules, state)
        sure = own[turn] & known
        mine = first
        share = of_first
        other = second
        other_share = of_second
        if turn == rules.second:
            mine = second
            share = of_second
            other = first
            other_share = of_first
        following, others, _ = hidden_plays(sure, mine, other, share, other_share, led)
        plays = following | others
        if rules.unseen and led:
            shown = following | others & trumps
            plays = shown | UNSEEN_DISCARD if others & ~trumps else shown
        if not every:
            marks = plays & UNSEEN_DISCARD
            barriers = live & ~(mine & other) | best
            shared = plays & mine & other
            leader = (turn - played + rules.seats) % rules.seats
            rival = rules.first if turn == rules.second else rules.second
            if rival != NOBODY and (rival - leader + rules.seats) % rules.seats > played:
                runs = ends_of_runs(shared, barriers, trumps)
            else:
                runs = runs_of(shared, barriers, trumps)
            for kind in (sure, mine & ~other):
                runs |= runs_of(plays & kind, live & ~kind | best, trumps)
            plays = runs | marks
    if led == 0 and trumps == NO_TRUMP_FIELD and rules.names and plays & trumps:
        plays = plays & ~trumps | NAMINGS
    return plays


@kernel
def named_field(play: int) -> int:
    """Return the field that a play of `NAMINGS` names, 0 of other plays."""
    return SUIT_BITS << 13 * (lowest_index(play) - NAMING_SHIFT) if play & NAMINGS else 0


@kernel
def card_of(play: int, live: int, trumps: int) -> int:
    """Return the card of a play; 0 for a discard that is not shown."""
    if play & NAMINGS:
        return live & trumps
    return play & CARDS_OF_PLAY


@kernel
def after_play(own: Ints, rules: ClaimRules, state: SearchState, play: int) -> tuple[SearchState, int]:
    """Return the position after a play, and 1 if a trick was counted."""
    known, first, second, turn, led, best, best_seat, played, tricks = state
    trumps = rules.trumps
    card = card_of(play, known | first | second, trumps)
    if led and card & led == 0:
        if turn == rules.first:
            first &= ~led
        elif turn == rules.second:
            second &= ~led
    known, first, second = known & ~card, first & ~card, second & ~card
    if led == 0:
        led = named_field(play) if play & NAMINGS else field_of(card, trumps)
        best = card
        best_seat = turn
    elif card and beats(card, best, trumps):
        best = card
        best_seat = turn
    played += 1
    counted = 0
    turn = (turn + 1) % rules.seats
    if played == rules.seats:
        counted = rules.scoring >> best_seat & 1
        turn = best_seat
        led = 0
        best = 0
        played = 0
        tricks -= 1
    if rules.first != NOBODY:
        of_first, of_second = pool_shares(
            own, rules, SearchState(known, 0, 0, turn, led, best, best_seat, played, tricks)
        )
        first, second = settle_pools(first, second, of_first, of_second)
    return SearchState(known, first, second, turn, led, best, best_seat, played, tricks), counted


# --------------------------------------------------------------------------------------------------- friendly side


@dataclass(frozen=True)
class Belief:
    """The knowledge of the claimant at any moment of a hand.

    Attributes:
        own: the cards of each seat, in order of play, if they are seen, else those that it surely holds.
        hidden: the hidden seats, one or two.
        pools: the other unseen cards that each hidden seat may hold.
        claimant: the seats that the claimant plays.
        scoring: the seats whose tricks are counted; the claimant wants as many as possible.
        tricks: tricks left, the one under way included.
        turn: the seat to move.
        trumps: the trump field.
        trick: the cards of the trick under way in order of play; in no hand any more.
        named: the field that a joker led to it at no trump names, else 0.
        names: whether a joker led at no trump names the suit to follow.
    """

    own: tuple[int, ...]
    hidden: tuple[int, ...]
    pools: tuple[int, ...]
    claimant: frozenset[int]
    scoring: frozenset[int]
    tricks: int
    turn: int
    trumps: int
    trick: tuple[int, ...] = ()
    named: int = 0
    names: bool = True

    @property
    def leader(self) -> int:
        """The seat that leads or has led the trick."""
        return (self.turn - len(self.trick)) % len(self.own)

    @property
    def led(self) -> int:
        """The field to follow, 0 at the start of a trick."""
        if not self.trick:
            return 0
        return self.named or int(field_of(self.trick[0], self.trumps))

    @property
    def best_place(self) -> int:
        """Which card of the trick wins it so far; 0 at its start."""
        place = 0
        for later in range(1, len(self.trick)):
            if beats(self.trick[later], self.trick[place], self.trumps):
                place = later
        return place

    @property
    def known(self) -> int:
        """All cards of known place."""
        mask = 0
        for cards in self.own:
            mask |= cards
        return mask

    @property
    def is_two_handed(self) -> bool:
        """Whether there is but one other hand: then a search settles everything at once."""
        return len(self.own) == 2

    @property
    def is_claimants_turn(self) -> bool:
        return self.turn in self.claimant

    def size(self, seat: int) -> int:
        """Return how many cards a seat holds."""
        return self.tricks - ((seat - self.leader) % len(self.own) < len(self.trick))

    @property
    def shares(self) -> tuple[int, ...]:
        """How many cards of its pool each hidden seat holds."""
        return tuple(self.size(seat) - self.own[seat].bit_count() for seat in self.hidden)

    @functools.cached_property
    def layouts(self) -> int:
        """How many layouts of the hidden hands fit the belief; 0 if it is contradictory."""
        return sum(self.ways)

    @property
    def ways(self) -> list[int]:
        """How many layouts fit, by how many cards the first hidden hand holds that may be in the second one, too."""
        first, second, of_first, of_second = self.two_pools
        both = (first & second).bit_count()
        alone = (first & ~second).bit_count()
        if of_first < 0 or of_second < 0:
            return []
        return [
            comb(both, shared) * comb(alone, of_first - shared) * comb(second.bit_count() - shared, of_second)
            for shared in range(min(both, of_first) + 1)
        ]

    @property
    def two_pools(self) -> tuple[int, int, int, int]:
        """The pools of the first and of a second hidden hand, and how many cards of its pool either holds."""
        first, second = (*self.pools, 0)[:2]
        of_first, of_second = (*self.shares, 0)[:2]
        return first, second, of_first, of_second

    def arguments(self, cooperative: bool = False, unseen: bool = False) -> tuple[Ints, ClaimRules, SearchState]:
        """Return the position as the kernels take it; `own` is int64[4]."""
        own = np.zeros(MOST_SEATS, np.int64)
        own[: len(self.own)] = self.own
        first, second = (*self.pools, 0)[:2]
        known = self.known
        if unseen:  # an unseen discard may be a known card, so these become possible ones
            for place, seat in enumerate(self.hidden):
                first, second = (first | self.own[seat], second) if place == 0 else (first, second | self.own[seat])
                known &= ~self.own[seat]
                own[seat] = 0
        shares = (*(self.size(seat) - int(own[seat]).bit_count() for seat in self.hidden), 0)
        first, second = (int(pool) for pool in settle_pools(first, second, *shares[:2]))
        first_seat, second_seat = (*self.hidden, NOBODY)[:2]
        rules = ClaimRules(
            len(self.own), first_seat, second_seat, cards_mask(self.claimant), cards_mask(self.scoring), self.trumps,
            int(self.names), int(cooperative), int(unseen),
        )  # fmt: skip
        place = self.best_place
        best = self.trick[place] if self.trick else 0
        best_seat = (self.leader + place) % len(self.own)
        state = SearchState(known, first, second, self.turn, self.led, best, best_seat, len(self.trick), self.tricks)
        return own, rules, state

    @functools.cached_property
    def _arguments(self) -> tuple[Ints, ClaimRules, SearchState]:
        return self.arguments()

    def plays(self, every: bool = True) -> list[int]:
        """Return the plays of the seat to move: every one, or one for each run of equal cards; lowest first.

        A joker at no trump that names a suit is one of the four bits of `NAMINGS`, `named_field` returns its suit.
        """
        return bits_upward(int(plays_of(*self._arguments, int(every))))

    def after(self, play: int) -> tuple[Belief, int]:
        """Return the belief after one of `plays`, and 1 if a trick was counted, else 0."""
        state, won = after_play(*self._arguments, play)
        known, first, second, turn, _, _, _, played, tricks = map(int, state)
        left = replace(
            self,
            own=tuple(cards & known for cards in self.own),
            pools=(first, second)[: len(self.hidden)],
            turn=turn,
            trick=(*self.trick, self.card_of(play)) if played else (),
            named=(self.named if self.trick else int(named_field(play))) if played else 0,
            tricks=tricks,
        )
        return left, int(won)

    def card_of(self, play: int) -> int:
        """Return the card of one of `plays`."""
        return int(card_of(play, self.known | self.pools[0] | self.pools[-1], self.trumps))

    def with_layout(self, layout: tuple[int, ...]) -> Belief:
        """Return the same position with the hidden hands known, given in the order of `hidden`."""
        own = list(self.own)
        for seat, hand in zip(self.hidden, layout, strict=True):
            own[seat] = hand
        return replace(self, own=tuple(own), pools=(0,) * len(self.hidden))

    def check(self) -> None:
        """Refuse a contradictory belief.

        Raises:
            CardError: no layout fits.
        """
        if not self.layouts:
            raise CardError("no layout of the hidden hands fits what is known; expected at least one")


def bits_upward(mask: int) -> list[int]:
    """Return the bits of a mask as masks of one bit, lowest first."""
    return [1 << place for place in mask_cards(mask)]


assert SUIT_BITS << 13 * 3 == SUIT_BITS << TRUMP_SHIFT  # the fourth field of no trump is at the trumps' place
