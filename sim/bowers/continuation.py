"""What does a call in Bowers lead to? The auction is finished by stated rules, then everybody plays best.

Seats are counted from the player who is to call: seat 0 is that player, 1 the left neighbour, 2 the right one. In each
layout the others call by a stated rule on their hands, and seat 0 passes from then on. So a pass leads to defending or
to a deal thrown in, and what a bid leads to includes being overbid.

>>> calls_of_others([PASS, 2]).tolist()  # a pass on the left and one club on the right, seat 0 is to call
[[1, 0, 0], [2, 0, 2]]
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.bowers.options import BowersOptions, BowersRules
from towerlab.games.bowers.rules import (
    CALLS,
    HAND_SIZE,
    MISERE,
    MOST_TRICKS,
    OPEN,
    PASS,
    PLAYERS,
    auction_status,
    bid_of,
    bid_trumps,
    call_trump,
    deal_points,
    list_burials,
    to_bid_order,
)
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_cards
from towerlab.games.jit import kernel
from towerlab.sim.bowers.deciding import NOVICE, RANDOM
from towerlab.sim.bowers.habits import (
    call_misfit,
    counted_levels,
    habitual_bury,
    highest_call,
    keeping_value,
    looks_like_misere,
    random_call,
)
from towerlab.sim.choices import deal_two_hands
from towerlab.solver.double_dummy import shared_solver

ALWAYS_PASS = 10  # beyond the numbers of players in `sim.bowers.deciding`
CAREFUL = 11
CALL_RULES: Final = {"novice": NOVICE, "careful": CAREFUL, "random": RANDOM, "pass": ALWAYS_PASS}
"""Rules by which the others may be taken to call; ``careful`` bids as the novice, but a trick less where that is legal;
with ``pass`` nobody else ever bids."""

MISERE_STRAIN: Final = NO_TRUMP + 1  # of a table by trump
STRAINS: Final = MISERE_STRAIN + 1
TRIES: Final = 16  # times as many layouts are dealt as are wanted, to find those that fit the calls
UNSOLVED: Final = -1


@kernel
def spare_tricks(rule: int) -> int:
    """Return how many tricks less than its count a player bids where that is legal."""
    return 1 if rule == CAREFUL else 0


@kernel
def finish_auctions(
    hands: Ints,
    calls: Ints,
    standing: int,
    bidder: int,
    passes: int,
    rule: int,
    rules: BowersRules,
    random: Generator,
) -> Ints:
    """Play each layout's auction to its end after each of the given calls of seat 0; return how it ends.

    Args:
        hands: printed masks by seat, int64[layouts, 3].
        calls: the legal calls of seat 0 to try, int64[calls].
        standing, bidder, passes: the state of the auction before these calls; the bidder −1 if there is none.
        rule: the rule by which the others call, a number of `CALL_RULES`.

    Returns:
        int64[layouts, calls, 2]: the bids that win and the seats that made them; (`PASS`, −1) if the deal is thrown in.
    """
    results = np.empty((hands.shape[0], calls.shape[0], 2), dtype=np.int64)
    for layout in range(hands.shape[0]):
        mine = hands[layout, 0]
        left = hands[layout, 1]
        right = hands[layout, 2]
        levels = (counted_levels(mine), counted_levels(left), counted_levels(right))
        low = (looks_like_misere(mine), looks_like_misere(left), looks_like_misere(right))
        for place in range(calls.shape[0]):
            made = calls[place]
            bid = standing
            by = bidder
            passed = passes
            seat = 0
            while True:
                if made == PASS:
                    passed += 1
                else:
                    bid = made
                    by = seat
                    passed = 0
                if auction_status(bid, passed) != OPEN:
                    break
                seat = (seat + 1) % PLAYERS
                if seat == 0 or rule == ALWAYS_PASS:
                    made = PASS
                elif rule == RANDOM:
                    made = random_call(bid, rules.min_bid, random)
                else:
                    made = highest_call(levels[seat], spare_tricks(rule), low[seat], bid, rules)
            results[layout, place, 0] = bid
            results[layout, place, 1] = by
    return results


@kernel
def measure_misfits(layouts: Ints, spoken: Ints, rule: int, rules: BowersRules) -> Ints:
    """Return how far each layout is from one in which the rule makes the others' calls, int64[layouts].

    The unit is an eighth of a trick, summed over the calls (`call_misfit`).

    Args:
        layouts: int64[layouts, 3]: hands of the left and of the right, and the kitty.
        spoken: calls of the others as (seat, bid that stood, call), int64[calls, 3].
        rule: the rule by which the others call, `NOVICE` or `CAREFUL` of `CALL_RULES`.
    """
    misfits = np.zeros(layouts.shape[0], dtype=np.int64)
    for row in range(layouts.shape[0]):
        for place in range(spoken.shape[0]):
            seat = spoken[place, 0]
            standing = spoken[place, 1]
            made = spoken[place, 2]
            misfits[row] += call_misfit(layouts[row, seat - 1], spare_tricks(rule), standing, made, rules)
    return misfits


def calls_of_others(calls: Sequence[int]) -> Ints:
    """Return int64[calls, 3]: of all calls so far those of the others, as `measure_misfits` takes them."""
    standing = PASS
    spoken = []
    for place, made in enumerate(calls):
        seat = (place - len(calls)) % PLAYERS
        if seat:
            spoken.append((seat, standing, made))
        standing = made if made != PASS else standing
    return np.array(spoken, dtype=np.int64).reshape(-1, 3)


def draw_layouts(pool: int, spoken: Ints, rule: int, rules: BowersRules, number: int, random: Generator) -> Ints:
    """Return layouts of the unseen cards, int64[number, 3]: the left's hand, the right's hand, the rest.

    If the others call by a rule that looks at cards, the layouts are those in which the rule makes the calls that they
    made. If `TRIES` times as many layouts do not contain enough of these, the closest ones fill up the number.
    """
    wanted = spoken if rule in (NOVICE, CAREFUL) else spoken[:0]
    drawn = []
    distances = []
    fitting = 0
    for _ in range(TRIES if len(wanted) else 1):
        batch = np.empty((number, 3), dtype=np.int64)
        far = np.zeros(number, dtype=np.int64)
        deal_two_hands(pool, -1, -1, HAND_SIZE, HAND_SIZE, random, batch)
        if len(wanted):
            far = measure_misfits(batch, wanted, rule, rules)
        drawn.append(batch)
        distances.append(far)
        fitting += int((far == 0).sum())
        if fitting >= number:
            break
    order = np.argsort(np.concatenate(distances), kind="stable")[:number]
    return np.concatenate(drawn)[order]


def strain_of(bid: int) -> int:
    """Return the row of a bid in a table by trump: misère has a row of its own, a pass counts as row 0."""
    return MISERE_STRAIN if bid == MISERE else int(call_trump(bid)) if bid != PASS else 0


def bid_of_strain(strain: int) -> int:
    """Return a bid in a strain that `strain_of` numbers."""
    return MISERE if strain == MISERE_STRAIN else int(bid_of(1, strain))


@functools.cache
def call_strains() -> Ints:
    """int64[calls], the strain of each call."""
    return np.array([strain_of(call) for call in range(CALLS)])


def spare_burials(hand: int, trumps: int, count: int, spare: int) -> list[int]:
    """Return every burial of `count` of the `spare` cards that the hand needs least by habit, as masks.

    Args:
        hand: the hand, kitty included, in play order, as the burials are.
        trumps: the trump field.
    """
    by_value = sorted(mask_cards(hand), key=lambda card: int(keeping_value(1 << card, hand, trumps)))
    return list_burials(cards_mask(by_value[:spare]), count)


def leader_seat(rules: BowersRules, place: int) -> int:
    """Return the seat of the first leader (BO-8), counted from the bidder, whose place in the auction is given."""
    return -place % PLAYERS if rules.eldest_leads else 0


@kernel
def bidder_hands(hands: Ints, kitties: Ints, seat: int, bid: int) -> Ints:
    """Return the hands with which a bid is played: the bidder's after burying by habit, then the others'.

    Args:
        hands: printed masks by seat, int64[layouts, 3].
        kitties: printed masks, int64[layouts]; left alone at misère.
        seat: the seat of the bidder.
        bid: the bid; only its trump matters here, and whether it is misère.

    Returns:
        play-order masks, int64[layouts, 3].
    """
    played = np.empty(hands.shape, dtype=np.int64)
    for row in range(hands.shape[0]):
        for step in range(PLAYERS):
            played[row, step] = to_bid_order(hands[row, (seat + step) % PLAYERS], bid)
        if bid != MISERE:
            whole = played[row, 0] | to_bid_order(kitties[row], bid)
            played[row, 0] = whole & ~habitual_bury(whole, bid_trumps(bid), popcount(kitties[row]))
    return played


@dataclass(frozen=True)
class PlayedBid:
    """A bid as it is played.

    Attributes:
        call: the bid; only its trump matters here, and whether it is misère.
        leader: seat that leads first, counted from the bidder.
        names: whether a joker led at no trump names the suit to follow (BO-9).
    """

    call: int
    leader: int = 0
    names: bool = True

    def order(self, mask: int) -> int:
        """Return a printed mask in the bid's play order."""
        return int(to_bid_order(mask, self.call))

    def orders(self, masks: Any) -> Ints:
        """Printed masks of any shape in the bid's play order."""
        given = np.asarray(masks, dtype=np.int64)
        flat = [self.order(mask) for mask in given.ravel().tolist()]
        return np.array(flat, dtype=np.int64).reshape(given.shape)

    def tricks(self, own: Any, hands: Ints) -> Ints:
        """Return the bidder's tricks with best play by all, for every own hand against every layout.

        Args:
            own: the bidder's hands in play order [..., number], or one.
            hands: the other two in play order [..., layouts, 2].

        Returns:
            tricks [..., number, layouts]; at misère the fewest that the bidder can be held to.
        """
        mine = np.atleast_1d(np.asarray(own, dtype=np.int64))
        shape = (*hands.shape[:-1], mine.shape[-1])
        deals = np.empty((*shape, PLAYERS), dtype=np.int64)
        deals[..., 0] = mine[..., None, :]
        deals[..., 1:] = hands[..., None, :]
        trumps = int(bid_trumps(self.call))
        fewest = self.call == MISERE
        tricks = shared_solver().tricks_of_many(
            deals.reshape(-1, PLAYERS), trumps, self.leader, fewest=fewest, names=self.names
        )
        return tricks.reshape(shape).swapaxes(-1, -2)


class SolvedBids:
    """The tricks that bidders take in some layouts with best play by all; each is solved when it is first asked for.

    Every bidder buries by habit.

    Args:
        hand: printed mask of seat 0.
        layouts: int64[layouts, 3], the layouts that `draw_layouts` returns.
        place: the place of seat 0 in the auction, 0 for the dealer's left.
        rules: the rules by which the game is played.
        counts_misere: whether the tricks of a failed misère are counted; else 1 means any number of them.
    """

    def __init__(
        self, hand: int, layouts: Ints, place: int, rules: BowersRules, *, counts_misere: bool = False
    ) -> None:
        self.hands = np.column_stack((np.full(len(layouts), hand, dtype=np.int64), layouts[:, :2]))
        self.kitties = layouts[:, 2]
        self.tricks = np.full((len(layouts), PLAYERS, STRAINS), UNSOLVED, dtype=np.int64)
        self._place = place
        self._rules = rules
        self._counts_misere = counts_misere

    def follow(self, calls: Sequence[int], standing: tuple[int, int, int], rule: int, random: Generator) -> Ints:
        """Return the bid that wins and the seat that made it after each call of seat 0, int64[layouts, calls, 2].

        Args:
            calls: the legal calls of seat 0 to try.
            standing, rule: the state of the auction before them and the rule of the others, as in `finish_auctions`.
        """
        return finish_auctions(self.hands, np.array(calls, dtype=np.int64), *standing, rule, self._rules, random)

    def tricks_of(self, results: Ints, layouts: Ints | None = None) -> Ints:
        """Return the bidders' tricks in auctions that ended so; 0 in a deal thrown in.

        Args:
            results: bids that win and seats that made them, int64[layouts, calls, 2].
            layouts: the numbers of these layouts; None for all.

        Returns:
            int64[layouts, calls].
        """
        seats = results[..., 1]
        played = seats >= 0
        strains = call_strains()[results[..., 0]]
        numbers = np.arange(len(results)) if layouts is None else layouts
        rows = np.broadcast_to(numbers[:, None], seats.shape)
        missing = played & (self.tricks[rows, seats, strains] == UNSOLVED)
        for seat, strain in set(zip(seats[missing].tolist(), strains[missing].tolist(), strict=True)):
            deals = np.unique(rows[missing & (seats == seat) & (strains == strain)])
            self.tricks[deals, seat, strain] = self._solve(deals, seat, strain)
        return np.where(played, self.tricks[rows, seats, strains], 0)

    def played_hands(self, rows: Ints, seat: int, strain: int) -> Ints:
        """Return the `bidder_hands` of some layouts for a seat's bid in a strain."""
        return bidder_hands(self.hands[rows], self.kitties[rows], seat, bid_of_strain(strain))

    def _solve(self, rows: Ints, seat: int, strain: int) -> Ints:
        trumps = int(bid_trumps(bid_of_strain(strain)))
        leader = leader_seat(self._rules, self._place + seat)
        is_misere = strain == MISERE_STRAIN
        how: dict[str, Any] = {"fewest": is_misere, "names": bool(self._rules.names_suit)}
        if is_misere and not self._counts_misere:
            fails = shared_solver().many_at_least(self.played_hands(rows, seat, strain), 1, trumps, leader, **how)
            return fails.astype(np.int64)
        return shared_solver().tricks_of_many(self.played_hands(rows, seat, strain), trumps, leader, **how)


@functools.cache
def result_values(options: BowersOptions) -> Floats:
    """Return seat 0's points less the mean of the others', float64[52, 3, 11]: by bid, bidder's seat, bidder's tricks.

    Each opponent is assumed to take half of the opponents' tricks. A pass, which stands for a deal thrown in, has the
    value 0. The array is shared.
    """
    rules = options.rules()
    values = np.zeros((CALLS, PLAYERS, MOST_TRICKS + 1))
    for made in range(1, CALLS):
        for tricks in range(MOST_TRICKS + 1):
            bidder, left, right = deal_points(made, tricks, 0, 1, rules)
            opponent = (left + right) / 2
            values[made, 0, tricks] = bidder - opponent
            values[made, 1:, tricks] = opponent - (bidder + opponent) / 2
    return values
