"""Which tricks are certain at the start of a trick, without a search? Bounds of the tricks that are counted.

A lower bound holds against every layout, an upper bound with some layout. The docstrings have the proofs; nothing is
estimated.

>>> int(highest_cards(0b10110, 2)), int(count_matches(0b00110, 0b01001))
(20, 1)
"""

from towerlab.games.arrays import Ints
from towerlab.games.bits import highest_bit, popcount
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS
from towerlab.games.jit import kernel
from towerlab.solver.claims.belief import NOBODY, ClaimRules, SearchState, pool_shares


@kernel
def plain_field(lane: int, trumps: int) -> int:
    """Return the plain fields 0..3 at bits 0, 13, 26, 39; the last one is 0 unless there is no trump."""
    if lane == 3 and trumps != NO_TRUMP_FIELD:
        return 0
    return SUIT_BITS << 13 * lane


@kernel
def count_matches(losers: int, winners: int) -> int:
    """Return how many cards of `losers` can fall to different higher cards of `winners`, all of one field."""
    free = 0
    pairs = 0
    while losers:
        high = highest_bit(losers | winners)
        if high & winners:
            free += 1
            winners ^= high
        else:
            losers ^= high
            if free:
                free -= 1
                pairs += 1
    return pairs


@kernel
def highest_cards(mask: int, count: int) -> int:
    """Return the highest `count` cards of a mask, or all of them."""
    for _ in range(popcount(mask) - count):
        mask &= mask - 1
    return mask


@kernel
def cards_above(cards: int, others: int) -> int:
    """Return the cards that are higher than every one of `others`, all of one field."""
    high = highest_bit(others)
    return cards & ~(high | high - 1) if high else cards


@kernel
def longest_holding(own: Ints, rules: ClaimRules, known: int, pools: tuple[int, int, int, int], field: int) -> int:
    """Return how many cards of a field a hand can hold that the claimant does not play."""
    first, second, of_first, of_second = pools
    longest = 0
    for seat in range(rules.seats):
        if rules.claimant >> seat & 1 == 0:
            held = popcount(own[seat] & known & field)
            if seat == rules.first:
                held += min(of_first, popcount(first & field))
            elif seat == rules.second:
                held += min(of_second, popcount(second & field))
            longest = max(longest, held)
    return longest


@kernel
def cashing_tricks(
    own: Ints, rules: ClaimRules, known: int, pools: tuple[int, int, int, int], hand: int, partner: int
) -> int:
    """Return the tricks that a hand of the claimant's on lead takes at once: trumps, then cards above all others.

    Once its trumps have drawn those of the others, no other hand can ruff. The partner's own ruffs do no harm: it
    discards while it can, and when it has only trumps left, all of them win.
    """
    trumps = rules.trumps
    rest = (known | pools[0] | pools[1]) & ~hand
    tricks = popcount(cards_above(hand & trumps, rest & trumps))
    if rest & ~partner & trumps and tricks < longest_holding(own, rules, known, pools, trumps):
        return tricks
    for lane in range(4):
        field = plain_field(lane, trumps)
        tricks += popcount(cards_above(hand & field, rest & field))
    return tricks


@kernel
def hidden_cashing_tricks(
    sure: int,
    pool: int,
    other_sure: int,
    other_pool: int,
    share: int,
    other_share: int,
    own: Ints,
    rules: ClaimRules,
    known: int,
) -> int:
    """Tricks that a hidden hand on lead takes at once with some layout, when no hidden hand's tricks are counted.

    It holds the highest unseen cards, as far as some layout allows, and the other hidden hand none that is higher,
    which might have to take the lead. At no trump (and with no trump among the claimant's cards) it cashes one suit
    after the other; else one suit, as long as the claimant has to follow.
    """
    trumps = rules.trumps
    ours = 0
    for seat in range(rules.seats):
        if rules.claimant >> seat & 1:
            ours |= own[seat] & known
    room = min(share, popcount(pool & ~other_pool) + max(0, popcount(other_pool) - other_share))
    shared_room = max(0, popcount(other_pool) - other_share)
    ruffs = ours & trumps != 0
    best = 0
    total = 0
    for lane in range(5):
        field = trumps if lane == 4 else plain_field(lane, trumps)
        mine = (sure | pool) & field
        if mine == 0:
            continue
        others_alone = (other_sure | other_pool & ~pool) & field
        top = cards_above(mine, ours & field | others_alone)
        rounds = 99
        for seat in range(rules.seats):
            cards = own[seat] & known
            if rules.claimant >> seat & 1 and lane != 4 and cards & trumps:
                rounds = min(rounds, popcount(cards & field))
        shared = highest_cards(top & pool & other_pool, shared_room)
        certain = popcount(top & sure)
        count = min(certain + min(room, popcount(shared | top & pool & ~other_pool)), rounds)
        best = max(best, count)
        if not ruffs:
            drawn = max(0, count - certain)
            total += count
            room, shared_room = max(room - drawn, 0), max(shared_room - drawn, 0)
    return best if ruffs else total


@kernel
def trick_bounds(own: Ints, rules: ClaimRules, state: SearchState) -> tuple[int, int]:
    """Fewest and most tricks that are counted from the start of a trick on.

    Of trumps alone: one loses only to a higher one in the same trick. So the trumps of a hand of the claimant's take
    at least their number less those that can be matched with different higher ones, and so do those of a hidden hand
    that holds the highest.
    """
    known, first, second, turn, _, _, _, _, tricks = state
    trumps = rules.trumps
    if rules.claimant & rules.scoring == 0 or rules.cooperative:
        return 0, tricks
    of_first, of_second = pool_shares(own, rules, state)
    pools = (first, second, of_first, of_second)
    low = 0
    high = tricks
    ours = 0
    for seat in range(rules.seats):
        if rules.claimant >> seat & 1:
            ours |= own[seat] & known
    others = (known | first | second) & ~ours
    for seat in range(rules.seats):
        if rules.claimant >> seat & 1:
            mine = own[seat] & known & trumps
            low = max(low, popcount(mine) - count_matches(mine, others & trumps))
    if rules.claimant >> turn & 1:
        hand = own[turn] & known
        low = max(low, cashing_tricks(own, rules, known, pools, hand, ours & ~hand))
    for seat in (rules.first, rules.second):
        if (
            seat == NOBODY
            or rules.scoring >> rules.first & 1
            or (rules.second != NOBODY and rules.scoring >> rules.second & 1)
        ):
            continue
        pool = first
        other_pool = second
        share = of_first
        other_share = of_second
        if seat == rules.second:
            pool = second
            other_pool = first
            share = of_second
            other_share = of_first
        sure = own[seat] & known
        other_sure = 0
        if rules.second != NOBODY:
            other_sure = own[rules.first + rules.second - seat] & known
        shared = highest_cards(pool & other_pool & trumps, max(0, popcount(other_pool) - other_share))
        drawn = highest_cards(shared | pool & ~other_pool & trumps, share)
        held = sure & trumps | drawn
        high = min(high, tricks - popcount(held) + count_matches(held, ours & trumps))
        if turn == seat:
            taken = hidden_cashing_tricks(sure, pool, other_sure, other_pool, share, other_share, own, rules, known)
            high = min(high, tricks - taken)
    return min(low, tricks), max(high, 0)
