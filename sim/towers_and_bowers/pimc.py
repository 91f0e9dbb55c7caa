"""How do `pimc` and `cautious` decide? They play out every hand the opponent can hold, each with all cards seen.

Nothing is sampled. In the bidding this is the model of `solver.towers_and_bowers.layout_counts` and
`solver.towers_and_bowers.upcard`. In the play, the value of a card is the mean, over all hands the opponent can
still hold, of P(win the tower) when both play on with all cards seen. Hands of the opponent that differ only between
two neighbouring cards of the player's own have equal value: one of them stands for all, weighted by their number.

    towerlab exploit pimc --cards 2
"""

from typing import Any, Final

import numpy as np

from towerlab.games.bits import binomial, lowest_bit, popcount
from towerlab.games.cards import TRUMP_FIELD, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import LARGEST_HAND, HandRules
from towerlab.games.tricks import field_of, legal_followers
from towerlab.sim.towers_and_bowers.info_state import (
    NO_CARD,
    NO_SUIT,
    BidPlan,
    InfoState,
    Model,
    legal_plays,
    opponent_cards,
)
from towerlab.solver.claims.belief import NOBODY, ClaimRules, SearchState, after_play, lowest_run, runs_of, settle_pools
from towerlab.solver.claims.search import most_tricks
from towerlab.solver.towers_and_bowers.layout_counts import ENDINGS, Pool, unknown_bids, view_dealers, view_nondealers
from towerlab.solver.towers_and_bowers.upcard import TRICK_COUNTS, set_places
from towerlab.solver.two_hands.tablebase import TablebaseArrays, leader_tricks, reply_tricks

_EQUAL: Final = 1e-10  # values that differ by less differ by rounding only
MOST_GAPS: Final = 16  # the opponent's cards lie between at most 8 others, in 4 fields: 12 gaps


# --------------------------------------------------------------------------------------------------------- bidding


@kernel
def pimc_bids(hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model) -> BidPlan:
    """Return what `towerlab upcard --method pimc` recommends in both rounds, and its discard."""
    if is_dealer:
        return _dealer_bids(hand, up, rules, model)
    return _nondealer_bids(hand, up, rules, model)


@kernel
def _nondealer_bids(hand: int, up: int, rules: HandRules, model: Model) -> BidPlan:
    n = popcount(hand)
    values = model.bid_values
    pool = _pool_of_size(n, model)
    codes = values.dealer_answers[n]
    hands = np.full(1, hand)
    views = view_nondealers(model.tablebase, hands, up, unknown_bids(), pool, codes, ENDINGS, rules)
    accepted = (views.open_accepted[0] * values.nondealer_bids[n]).sum()
    passed = (views.open_passed[0] * values.endings[n]).sum()
    passed_again = (views.open_fewest[0] * values.dealer_names[n]).sum()
    names, value = _best_suit(views.open_named[0], values.nondealer_bids[n], 1, up)
    slack = _EQUAL * pool.layouts.shape[0]
    return BidPlan(accepted >= passed - slack, names if value >= passed_again - slack else NO_SUIT, NO_CARD, NO_CARD)


@kernel
def _dealer_bids(hand: int, up: int, rules: HandRules, model: Model) -> BidPlan:
    n = popcount(hand)
    values = model.bid_values
    pool = _pool_of_size(n, model)
    codes = values.second_round[n]
    views = view_dealers(model.tablebase, np.full(1, hand), up, np.zeros((0, 6)), pool, codes, rules)
    discards = np.append(set_places(hand), up)
    exchanged = views.open_own[0]
    row = _best_discard_row(discards, up, exchanged, values.dealer_bids[n])
    for_other = _best_discard_row(discards, up, exchanged, values.nondealer_bids[n])
    accepted = (exchanged[row] * values.dealer_bids[n]).sum()  # the non-dealer's, like all values here
    passed = (views.open_passed[0] * values.endings[n]).sum()
    names, value = _best_suit(views.open_named[0], values.dealer_bids[n], -1, up)
    slack = _EQUAL * pool.layouts.shape[0]
    if not rules.force_dealer_to_name and -value > (1 - model.deal_values[n]) * pool.layouts.shape[0] + slack:
        names = NO_SUIT
    return BidPlan(accepted <= passed + slack, names, discards[row], discards[for_other])


@kernel
def _pool_of_size(n: int, model: Model) -> Pool:
    """Return how to enumerate the layouts of hands of n cards."""
    hands = model.hands_start
    left = model.left_start
    return Pool(model.hands[hands[n] : hands[n + 1]], model.left[left[n] : left[n + 1]], -1)


@kernel
def _best_discard_row(discards: Any, up: int, exchanged: Any, nondealer_values: Any) -> int:
    """Return the place of the dealer's one discard for all layouts.

    Least for the non-dealer in P(win the tower), then in tricks, then the lowest card in play order.

    Args:
        discards: int64[discards], card ids.
        up: the up-card.
        exchanged: int64[discards, 8], layouts by the non-dealer's tricks.
        nondealer_values: float64[8], P(the non-dealer wins the tower) by tricks.
    """
    best = -1
    best_value = 0.0
    best_tricks = 0
    best_place = 0
    for row in range(exchanged.shape[0]):
        value = (exchanged[row] * nondealer_values).sum()
        tricks = (exchanged[row] * np.arange(TRICK_COUNTS)).sum()
        place = to_play_order(1 << discards[row], up // 13, True)
        # Sums of products in floating point: what differs by less than a millionth of a layout is equal.
        better = best < 0 or value < best_value - 1e-6
        if not better and value <= best_value + 1e-6:
            better = tricks < best_tricks or (tricks == best_tricks and place < best_place)
        if better:
            best = row
            best_value = value
            best_tricks = tricks
            best_place = place
    return best


@kernel
def _best_suit(named: Any, nondealer_values: Any, sign: int, up: int) -> tuple[int, float]:
    """Return the suit to name and its value summed over the layouts; of equals that with more tricks, then S H D C.

    Args:
        named: counts of layouts by the non-dealer's tricks, a row a suit that can be named, lowest suit first.
        nondealer_values: P(the non-dealer wins the tower) by the non-dealer's tricks.
        sign: 1 if the non-dealer names, −1 if the dealer does; the value is then minus the non-dealer's.
        up: the up-card.
    """
    best = NO_SUIT
    best_value = 0.0
    best_tricks = 0
    suit = 4
    slack = _EQUAL * named[0].sum()
    for row in range(2, -1, -1):
        suit -= 1 + (suit - 1 == up // 13)
        value = sign * (named[row] * nondealer_values).sum()
        tricks = sign * (named[row] * np.arange(TRICK_COUNTS)).sum()
        if best == NO_SUIT or value > best_value + slack or (value >= best_value - slack and tricks > best_tricks):
            best = suit
            best_value = value
            best_tricks = tricks
    return best, best_value


# ------------------------------------------------------------------------------------- hands the opponent can hold


@kernel
def gaps_between(unseen: int, others: int, gaps: Any) -> int:
    """Cut cards into gaps: those of a field between which none of the others stands.

    Args:
        unseen: cards the opponent may hold.
        others: the player's cards and the card led.
        gaps: int64[MOST_GAPS], filled with a mask a gap.

    Returns:
        How many gaps there are.
    """
    count = 0
    while unseen:
        gaps[count] = lowest_run(unseen, others, TRUMP_FIELD)
        unseen ^= gaps[count]
        count += 1
    return count


@kernel
def list_layouts(state: InfoState, gaps: Any, gap_count: int, layouts: Any, weights: Any) -> int:
    """List the hands that the opponent can hold, one for all that differ inside gaps.

    Args:
        state: the knowledge of the player, in a position where the opponent has a card left.
        gaps, gap_count: the gaps that `gaps_between` fills in, and their number.
        layouts, weights: int64[MOST_LAYOUTS], filled: the hand, and how many it stands for.

    Returns:
        How many were filled in.
    """
    pools = np.empty(gap_count, dtype=np.int64)
    room = np.zeros(gap_count + 1, dtype=np.int64)  # cards of the pool in this gap and the later ones
    for gap in range(gap_count - 1, -1, -1):
        pools[gap] = gaps[gap] & state.pool
        room[gap] = room[gap + 1] + popcount(pools[gap])
    held = np.empty((gap_count + 1, 3), dtype=np.int64)  # at each gap: cards held below it, their weight, left to hold
    held[0, 0] = state.opponent_holds
    held[0, 1] = 1
    held[0, 2] = opponent_cards(state) - popcount(state.opponent_holds)
    takes = np.empty(gap_count, dtype=np.int64)
    takes[0] = max(0, held[0, 2] - room[1])
    count = 0
    gap = 0
    while gap >= 0:
        take = takes[gap]
        left = held[gap, 2]
        size = room[gap] - room[gap + 1]
        if take > min(size, left):
            gap -= 1
            if gap >= 0:
                takes[gap] += 1
            continue
        held[gap + 1, 0] = held[gap, 0] | _lowest_cards(pools[gap], take)
        held[gap + 1, 1] = held[gap, 1] * binomial(size, take)
        held[gap + 1, 2] = left - take
        if gap + 1 < gap_count:
            gap += 1
            takes[gap] = max(0, held[gap, 2] - room[gap + 1])
            continue
        layouts[count] = held[gap_count, 0]
        weights[count] = held[gap_count, 1]
        count += 1
        takes[gap] += 1
    return count


@kernel
def _lowest_cards(mask: int, count: int) -> int:
    rest = mask
    for _ in range(count):
        rest &= rest - 1
    return mask ^ rest


# ------------------------------------------------------------------------------------------------------------ play


@kernel
def distinct_plays(state: InfoState) -> int:
    """Return the legal cards, the lowest of each run that no card of the opponent's can interrupt."""
    return runs_of(legal_plays(state), state.opponent_holds | state.pool | state.led, TRUMP_FIELD)


@kernel
def _lead_tricks(tablebase: TablebaseArrays, hand: int, other: int, led: int, gaps: Any, gap_count: int) -> int:
    """As `solver.two_hands.tablebase.lead_tricks`, trying one reply a gap."""
    fewest = LARGEST_HAND
    replies = legal_followers(other, field_of(led, TRUMP_FIELD))
    for gap in range(gap_count):
        reply = lowest_bit(replies & gaps[gap])
        if reply:
            fewest = min(fewest, reply_tricks(tablebase, hand, other, led, reply))
    return fewest


@kernel
def tricks_of_play(
    tablebase: TablebaseArrays, state: InfoState, other: int, play: int, gaps: Any, gaps_used: int
) -> int:
    """Return the tricks still to come when a card is played.

    Args:
        tablebase: the arrays of the tablebase.
        state: the knowledge of the player.
        other: the opponent's hand, all masks being in play order.
        play: the card.
        gaps: int64[MOST_GAPS], the gaps that `gaps_between` fills in; read for a lead alone.
        gaps_used: the number of gaps.
    """
    if state.led == 0:
        return _lead_tricks(tablebase, state.hand, other, play, gaps, gaps_used)
    led = state.led
    return popcount(state.hand) - reply_tricks(tablebase, other | led, state.hand, led, play)


@kernel
def best_of(plays: int, state: InfoState, values: Any, model: Model) -> int:
    """Return the legal play of the highest value over all hands the opponent can hold.

    Of equal ones that with most tricks counts, then the lowest.

    Args:
        plays: mask of the plays compared.
        state: the knowledge of the player.
        values: float64[8], P(the player wins the tower) by all tricks the player takes in the hand.
        model: tablebase and workspace.
    """
    if popcount(plays) == 1 or _is_indifferent(state, values):
        return lowest_bit(plays)
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(state.opponent_holds | state.pool, state.hand | state.led, gaps)
    layouts = list_layouts(state, gaps, gap_count, model.layouts, model.weights)
    best = 0
    best_value = 0.0
    best_tricks = 0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        value = 0.0
        tricks = 0
        total = 0
        for layout in range(layouts):
            weight = model.weights[layout]
            more = tricks_of_play(model.tablebase, state, model.layouts[layout], play, gaps, gap_count)
            value += weight * values[state.taken + more]
            tricks += weight * more
            total += weight
        slack = _EQUAL * total
        if best == 0 or value > best_value + slack or (value >= best_value - slack and tricks > best_tricks):
            best = play
            best_value = value
            best_tricks = tricks
    return best


@kernel
def _is_indifferent(state: InfoState, values: Any) -> bool:
    """Return whether the tricks left change nothing."""
    left = values[state.taken : state.taken + popcount(state.hand) + 1]
    return bool(left.min() == left.max())


@kernel
def pimc_play(state: InfoState, values: Any, model: Model) -> int:
    """Return the card of the highest value, in play order; arguments as for `best_of`."""
    return best_of(distinct_plays(state), state, values, model)


# -------------------------------------------------------------------------------------------------------- cautious


@kernel
def cautious_play(state: InfoState, values: Any, model: Model) -> int:
    """Return the card of `pimc_play` among those that keep the best result which the claim prover shows to be safe.

    Results in question: not being swept, the next deal, the sweep. Where none can be proved all cards are compared.
    """
    plays = distinct_plays(state)
    if popcount(plays) == 1 or _is_indifferent(state, values):
        return lowest_bit(plays)
    safe = 0
    safe_tricks = 0
    remaining = plays
    while remaining:
        play = lowest_bit(remaining)
        remaining ^= play
        tricks = _useful_tricks(guaranteed_after(state, play, model), state, values)
        if tricks > safe_tricks:
            safe = 0
            safe_tricks = tricks
        if tricks == safe_tricks:
            safe |= play
    return best_of(safe, state, values, model)


@kernel
def _useful_tricks(tricks: int, state: InfoState, values: Any) -> int:
    """So many more tricks, less those at the end that improve nothing."""
    while tricks > 0 and values[state.taken + tricks] == values[state.taken + tricks - 1]:
        tricks -= 1
    return tricks


@kernel
def guaranteed_after(state: InfoState, play: int, model: Model) -> int:
    """Tricks still to come that one way of playing on after this card takes, whatever the opponent holds (TB-29)."""
    # The player is seat 0, the opponent, whose hand is hidden, seat 1.
    own = np.array((state.hand, state.opponent_holds, 0, 0))
    rules = ClaimRules(2, 1, NOBODY, 1, 1, TRUMP_FIELD, 0, 0, 0)
    tricks = popcount(state.hand)
    played = int(state.led != 0)
    followed = 0
    if played:
        followed = field_of(state.led, TRUMP_FIELD)
    pool, _ = settle_pools(state.pool, 0, tricks - played - popcount(state.opponent_holds), 0)
    known = state.hand | state.opponent_holds
    position = SearchState(known, pool, 0, 0, followed, state.led, 1, played, tricks)
    left, won = after_play(own, rules, position, play)
    return won + most_tricks(own, rules, left, model.prover)


# ---------------------------------------------------------------------------------------- all plays, for a review


@kernel
def list_hands(state: InfoState, gaps: Any, layouts: Any, weights: Any) -> tuple[int, int]:
    """Fill in gaps and layouts; returns how many of either, one empty hand where the opponent has no card left.

    Args:
        gaps: int64[MOST_GAPS].
        layouts, weights: int64[MOST_LAYOUTS]: a hand, and for how many that differ inside gaps it stands.
    """
    gap_count = gaps_between(state.opponent_holds | state.pool, state.hand | state.led, gaps)
    if opponent_cards(state) == 0:
        layouts[0] = 0
        weights[0] = 1
        return gap_count, 1
    return gap_count, list_layouts(state, gaps, gap_count, layouts, weights)


@kernel
def tricks_of_plays(tablebase: TablebaseArrays, state: InfoState, layouts: Any, tricks: Any) -> None:
    """The player's tricks, from this one on, by each play in each layout; the player is to play.

    Args:
        layouts: int64[layouts], of `list_hands`.
        tricks: int64[layouts, plays], filled: a column each of `distinct_plays`, lowest first.
    """
    gaps = np.empty(MOST_GAPS, dtype=np.int64)
    gap_count = gaps_between(state.opponent_holds | state.pool, state.hand | state.led, gaps)
    plays = distinct_plays(state)
    column = 0
    while plays:
        play = lowest_bit(plays)
        plays ^= play
        for layout in range(layouts.shape[0]):
            tricks[layout, column] = tricks_of_play(tablebase, state, layouts[layout], play, gaps, gap_count)
        column += 1


@kernel
def tricks_when_opponent_leads(tablebase: TablebaseArrays, state: InfoState, layouts: Any, tricks: Any) -> None:
    """As `tricks_of_plays` when the opponent is about to lead: int64[layouts, 1]."""
    for layout in range(layouts.shape[0]):
        tricks[layout, 0] = popcount(state.hand) - leader_tricks(tablebase, layouts[layout], state.hand)
