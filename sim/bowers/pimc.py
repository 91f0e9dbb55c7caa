"""How does `pimc` decide in Bowers? It deals the unseen cards at random, again and again, and solves each deal (perfect
information).

Layouts fit the player's view: the hand, the cards played, suits not followed, its own kitty and burial. As a defender
it prefers layouts in which the bidder holds the cards that the bid promises. The value of a decision is its points less
the mean of the others', with double-dummy play from then on.

It bids in two steps. First it takes the bid that scores most if all others pass, or a pass if none scores more than 0.
Then it values each call by the rest of the auction, once with novices and once with careful players as the others, in
layouts where such players would have called as the others did. Another call replaces the first one if it is better in
both cases.

    towerlab simulate bowers --players pimc,novice,novice --games 30
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bowers.options import JOINT_TRICKS, BowersOptions
from towerlab.games.bowers.rules import (
    CALLS,
    HAND_SIZE,
    MISERE,
    PASS,
    PLAYERS,
    bid_trumps,
    call_level,
    call_trump,
    from_bid_order,
    is_legal_call,
    to_bid_order,
)
from towerlab.games.bowers.state import (
    BID,
    BIDDER,
    BURIED,
    BURY,
    CARDS_IN_TRICK,
    DEALER,
    HANDS,
    NAMED,
    PASSES,
    PHASE,
    PLAYED,
    PLAYED_BY,
    STANDING,
    TAKEN,
    TO_ACT,
    TRICK,
    VOIDS,
    legal_cards,
)
from towerlab.games.cards import NO_TRUMP, NO_TRUMP_FIELD
from towerlab.sim.bowers.continuation import (
    ALWAYS_PASS,
    CAREFUL,
    PlayedBid,
    SolvedBids,
    calls_of_others,
    draw_layouts,
    leader_seat,
    result_values,
    spare_burials,
)
from towerlab.sim.bowers.deciding import NOVICE, trick_view_of
from towerlab.sim.bowers.habits import EIGHTHS, counted_tricks, novice_card
from towerlab.sim.choices import deal_two_hands
from towerlab.solver.double_dummy import Position, shared_solver

SAMPLES: Final = 8
BID_SAMPLES: Final = 8  # times the samples of a card: layouts for the first thought and for each rule that follows
CLOSE: Final = 12  # eighths of a trick: a trump in which it counts this much less than in its best is not considered
OVERBID: Final = 20  # eighths: nor is a bid of this much more than it counts
DEALT_TO_DEFENDER: Final = 4  # times as many layouts are dealt for a defender, who keeps those that fit the bid best
SPARE_CARDS: Final = 6  # the cards among which it looks for a burial


class Pimc:
    """The player `pimc` of Bowers.

    Args:
        options: the options of the rules.
        random: the generator of the player's own draws.
        samples: layouts a card; more for a bid, see `BID_SAMPLES`.
    """

    def __init__(
        self,
        options: BowersOptions,
        random: np.random.Generator,
        samples: int = SAMPLES,
    ) -> None:
        self._rules = options.rules()
        self.random = random
        self._samples = samples
        self._values = result_values(options)

    def choose(self, state: Ints) -> tuple[int, int]:
        """Return the decision that a state, int64[STATE_SIZE], waits for, as `games.bowers.state.act` takes it.

        It looks at nothing that the player to act has not seen.
        """
        if state[PHASE] == BID:
            return self.choose_call(state), 0
        return (self.choose_burial(state), 0) if state[PHASE] == BURY else self.choose_card(state)

    # ------------------------------------------------------------------------------------------------------ bidding

    def choose_call(self, state: Ints) -> int:
        """Return the bid that scores most as the last bid, unless another call has better results by both rules."""
        calls = self._calls_to_consider(int(state[HANDS + state[TO_ACT]]), int(state[STANDING]))
        if len(calls) == 1:
            return PASS
        first = int(self._call_values(state, calls, ALWAYS_PASS).argmax())
        gains = np.full(len(calls), np.inf)
        for rule in (NOVICE, CAREFUL):
            values = self._call_values(state, calls, rule)
            gains = np.minimum(gains, values - values[first])
        return int(calls[first if gains.max() <= 0.0 else gains.argmax()])

    def _call_values(self, state: Ints, calls: Ints, rule: int) -> Floats:
        """Return mean values, float64[calls], if the others call by a rule; by `ALWAYS_PASS` a pass has the value 0."""
        seat = int(state[TO_ACT])
        standing = int(state[STANDING])
        passes = int(state[PASSES])
        hand = int(state[HANDS + seat])
        number = BID_SAMPLES * self._samples
        layouts = draw_layouts(
            self._rules.deck & ~hand, _calls_of_others(state), rule, self._rules, number, self.random
        )
        contracts = SolvedBids(hand, layouts, _auction_place(state), self._rules)
        if rule == ALWAYS_PASS:
            last = np.column_stack((calls, np.where(calls == PASS, -1, 0)))
            results = np.broadcast_to(last, (number, *last.shape))
        else:
            bidder = (int(state[BIDDER]) - seat) % PLAYERS if standing != PASS else -1
            results = contracts.follow(calls.tolist(), (standing, bidder, passes), rule, self.random)
        means: Floats = self._values[results[..., 0], results[..., 1], contracts.tricks_of(results)].mean(axis=0)
        return means

    def _calls_to_consider(self, hand: int, standing: int) -> Ints:
        """Return a pass first, then the legal bids that do not promise far more than it counts."""
        counted = [int(counted_tricks(hand, trump)) for trump in range(NO_TRUMP + 1)]
        calls = [PASS]
        for made in range(1, CALLS):
            promise = max(max(counted) - CLOSE, EIGHTHS * int(call_level(made)) - OVERBID)
            if (made == MISERE or counted[int(call_trump(made))] >= promise) and is_legal_call(
                standing, made, self._rules.min_bid
            ):
                calls.append(made)
        return np.array(calls, dtype=np.int64)

    # ------------------------------------------------------------------------------------------------------ burying

    def choose_burial(self, state: Ints) -> int:
        """Return the burial of the greatest mean value among the cards that can be spared by habit; printed mask."""
        seat = int(state[TO_ACT])
        bid = int(state[STANDING])
        contract = PlayedBid(bid, leader_seat(self._rules, _auction_place(state)), bool(self._rules.names_suit))
        hand = contract.order(state[HANDS + seat])
        trumps = int(bid_trumps(bid))
        layouts = self._layouts(self._rules.deck & ~int(state[HANDS + seat]), -1, -1, HAND_SIZE, HAND_SIZE)
        choices = spare_burials(hand, trumps, self._rules.kitty, SPARE_CARDS)
        tricks = contract.tricks(hand & ~np.array(choices), contract.orders(layouts[:, :2]))
        means = list(zip(self._values[bid, 0][tricks].mean(axis=1), tricks.mean(axis=1), strict=True))
        best = max(range(len(choices)), key=lambda place: means[place])
        return int(from_bid_order(choices[best], bid))

    # ------------------------------------------------------------------------------------------------------ playing

    def choose_card(self, state: Ints) -> tuple[int, int]:
        """Return the card of the greatest mean value, and the field named.

        Of equally good ones: as the bidder what the novice would play, which draws trumps where a solver sees no hurry;
        then the one of the best mean tricks, then the lowest.
        """
        legal = int(legal_cards(state))
        seat = int(state[TO_ACT])
        bidder = int(state[BIDDER])
        bid = int(state[STANDING])
        trumps = int(bid_trumps(bid))
        names = int(state[CARDS_IN_TRICK]) == 0 and trumps == NO_TRUMP_FIELD and legal & trumps
        if legal & (legal - 1) == 0 and not names:
            return legal, 0
        moves, values, tricks = self.card_values(state)
        totals = values.sum(axis=0).round(6)
        wanted = 1 if (seat == bidder) != self._fewest(state) else -1
        more = wanted * tricks.sum(axis=0)
        habit = int(novice_card(trick_view_of(state, self._rules))) if seat == bidder else 0
        merits = [
            (totals[place], card == habit, more[place], -card, -named) for place, (card, named) in enumerate(moves)
        ]
        return moves[max(range(len(moves)), key=merits.__getitem__)]

    def card_values(self, state: Ints) -> tuple[list[tuple[int, int]], Floats, Ints]:
        """Return the value of each card in each of its layouts, the same layouts for all cards.

        Returns:
            the cards, as (play-order mask, field named); its points less the mean of the others', float64[layouts,
            cards]; the bidder's tricks to come, int64[layouts, cards].
        """
        seat = int(state[TO_ACT])
        bidder = int(state[BIDDER])
        bid = int(state[STANDING])
        taken = int(state[TAKEN + bidder])
        fewest = self._fewest(state)
        values = self._values[bid, (bidder - seat) % PLAYERS]
        if bid == MISERE and taken == 0:
            values = np.where(np.arange(len(values)) > 0, values[1], values[0])  # made or not is all that counts yet
        hands = self._hands(state, seat, bidder)
        cards_in_trick = int(state[CARDS_IN_TRICK])
        like = Position(
            (), int(bid_trumps(bid)), (seat - cards_in_trick) % PLAYERS,
            tuple(state[TRICK : TRICK + cards_in_trick].tolist()),
            int(state[NAMED]), bidder, fewest, bool(self._rules.names_suit),
        )  # fmt: skip
        moves, tricks = shared_solver().cards_of_many(hands, like)
        return moves, values[taken + tricks], tricks

    def _fewest(self, state: Ints) -> bool:
        """Return whether the bidder is played for as few tricks as possible."""
        lost = int(state[TAKEN + int(state[BIDDER])]) > 0
        return int(state[STANDING]) == MISERE and not (lost and self._rules.failed_misere == JOINT_TRICKS)

    def _hands(self, state: Ints, seat: int, bidder: int) -> Ints:
        """Sampled hands by seats of the table, int64[samples, 3]."""
        bid = int(state[STANDING])
        cards_in_trick = int(state[CARDS_IN_TRICK])
        mine = int(state[HANDS + seat])
        gone = mine | int(state[PLAYED])
        if seat == bidder:
            gone |= int(to_bid_order(int(state[BURIED]), bid))
        pool = int(to_bid_order(self._rules.deck, bid)) & ~gone
        left, right = (seat + 1) % PLAYERS, (seat + 2) % PLAYERS
        tricks_left = mine.bit_count()
        counts = [tricks_left - (PLAYERS - step <= cards_in_trick) for step in (1, 2)]
        may = [pool & ~int(state[VOIDS + other]) for other in (left, right)]
        believed = self._samples if seat == bidder or bid == MISERE else DEALT_TO_DEFENDER * self._samples
        layouts = self._layouts(pool, may[0], may[1], counts[0], counts[1], believed)
        if believed > self._samples:
            played = int(state[PLAYED_BY + bidder])
            held = layouts[:, 0 if bidder == left else 1] | played
            layouts = layouts[fits_bid(held, bid)][: self._samples]
        hands = np.empty((len(layouts), PLAYERS), dtype=np.int64)
        hands[:, seat] = mine
        hands[:, left] = layouts[:, 0]
        hands[:, right] = layouts[:, 1]
        return hands

    def _layouts(self, pool: int, left_may: int, right_may: int, left: int, right: int, samples: int = 0) -> Ints:
        """int64[samples, 3]: hands of the left and of the right, and the rest."""
        layouts = np.empty((samples or self._samples, 3), dtype=np.int64)
        fits = deal_two_hands(pool, left_may, right_may, left, right, self.random, layouts)
        assert fits, "the true layout fits what has been seen"
        return layouts


def _auction_place(state: Ints) -> int:
    """Return the place in the auction of the player to act, 0 for the dealer's left."""
    return (int(state[TO_ACT]) - int(state[DEALER]) - 1) % PLAYERS


def _calls_of_others(state: Ints) -> Ints:
    """Return the others' calls that the table shows, for `measure_misfits`: the standing bid and the passes since."""
    standing = int(state[STANDING])
    return calls_of_others([standing] * (standing != PASS) + [PASS] * int(state[PASSES]))


def fits_bid(held: Ints, bid: int) -> Bools:
    """Whether the novice counts the tricks that were bid on hands of the bidder, bool[layouts], or a best quarter.

    Args:
        held: int64[layouts], play-order masks of the bidder's cards, played ones included.
    """
    counts = [int(counted_tricks(from_bid_order(hand, bid), call_trump(bid))) for hand in held.tolist()]
    fits: Bools = np.array(counts) >= min(EIGHTHS * int(call_level(bid)), np.quantile(counts, 0.75))
    return fits
