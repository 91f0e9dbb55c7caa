"""Which layouts of the unseen cards fit a player's view? They are drawn here, before the play and during it.

After an ordinary deal all ways to deal the unseen cards are equally likely. After a goulash hands have long suits.
Within a suit, ranks stay exchangeable (for ``goulash_sort=random``), and so do the suits, so only the suit lengths of
the four hands need a distribution. It comes from many simulated goulashes: those with the suit lengths of the player's
view, in any renaming of the suits. A player's memory of the hands before a goulash is not used, nor are calls and plays
other than failures to follow suit.

>>> hand = (1 << 13) - 1  # all clubs
>>> exposed = 0b111111 << 13
>>> layouts = sample_layouts(0, hand, exposed, 3, np.random.default_rng(1))
>>> [int(layout[0]) == hand and int(layout[3]) & exposed == exposed for layout in layouts]
[True, True, True]
"""

import functools
from itertools import permutations
from math import comb
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import list_cards, popcount
from towerlab.games.cards import DECK_52, SUIT_BITS
from towerlab.games.jit import kernel
from towerlab.games.shuffling import shuffle_cards
from towerlab.games.towie.dealing import DUMMY, EXPOSED, HAND_SIZE, HANDS, PACK_SIZE, deal_singly, goulash
from towerlab.games.towie.options import CUT, RANK_DESCENDING
from towerlab.sim.towie.state import suit_length

POOL: Final = 30_000
"""Simulated goulashes of each depth that suit lengths are drawn from."""
DEEPEST: Final = 3
"""Later goulashes of a deal are taken as the third."""
PRIOR: Final = 1.0
"""Weight of an ordinary deal among the goulashes found, in goulashes: it decides alone when none was found."""
_POOL_SEED: Final = 20261121

RENAMINGS: Final = np.array(list(permutations(range(4))), dtype=np.int64)
CHOOSE: Final = np.array([[float(comb(n, k)) for k in range(14)] for n in range(14)])
LENGTHS: Final = 14**3  # of a table of suit lengths: those of C, D, H; that of S follows


# ------------------------------------------------------------------------------------------------- many goulashes


@kernel
def simulate_goulashes(pool: Ints, depth: int, rules: Ints, rng: np.random.Generator) -> None:
    """Suit lengths after so many goulashes of one deal.

    Args:
        pool: output [number, hand, suit].
        depth: the number of goulashes in a row, at least 1.
        rules: the rules, from `TowieOptions.rules`.
    """
    pack = np.arange(PACK_SIZE)
    hands = np.zeros(HANDS, dtype=np.int64)
    piles = np.zeros((HANDS, HAND_SIZE), dtype=np.int64)
    for number in range(pool.shape[0]):
        shuffle_cards(pack, PACK_SIZE, rng)
        deal_singly(pack, hands)
        for _ in range(depth):
            goulash(hands, rules, rng, piles, pack)
        for hand in range(HANDS):
            pool[number, hand] = suit_lengths(hands[hand])


def goulash_pool(rules: Ints, goulashes: int) -> Ints:
    """Suit lengths [number, hand, suit] after so many goulashes; of none, an empty pool."""
    if goulashes == 0:
        return np.zeros((0, HANDS, 4), dtype=np.int64)
    return _cached_pool(min(goulashes, DEEPEST), int(rules[RANK_DESCENDING]), int(rules[CUT]))


@functools.lru_cache(maxsize=DEEPEST)
def _cached_pool(depth: int, rank_descending: int, cut: int) -> Ints:
    rules = np.zeros(CUT + 2, dtype=np.int64)
    rules[RANK_DESCENDING] = rank_descending
    rules[CUT] = cut
    pool = np.zeros((POOL, HANDS, 4), dtype=np.int64)
    simulate_goulashes(pool, depth, rules, np.random.default_rng(_POOL_SEED + depth))
    return pool


@kernel
def suit_lengths(mask: int) -> Ints:
    """Return how many cards of each suit a printed mask holds, int64[4]."""
    lengths = np.zeros(4, dtype=np.int64)
    for suit in range(4):
        lengths[suit] = suit_length(mask, suit)
    return lengths


@kernel
def _find_fitting(pool: Ints, hand: int, lengths: Ints) -> Ints:
    """Goulashes of a pool in which a hand has such suit lengths, int64[4]: ``24 * number + renaming``, int64[found]."""
    fitting = np.empty(24 * pool.shape[0], dtype=np.int64)
    count = 0
    shape = _shape_number(lengths)
    for number in range(pool.shape[0]):
        if _shape_number(pool[number, hand]) != shape:
            continue
        for renaming in range(RENAMINGS.shape[0]):
            if _are_lengths(pool[number, hand], RENAMINGS[renaming], lengths):
                fitting[count] = 24 * number + renaming
                count += 1
    return fitting[:count]


@kernel
def _are_lengths(lengths: Ints, names: Ints, known: Ints) -> bool:
    """Return whether a hand has these suit lengths, int64[4], once its suits are renamed."""
    differing = 0
    for suit in range(4):
        differing += abs(lengths[names[suit]] - known[suit])
    return differing == 0


# ------------------------------------------------------------------------------------------------- before the play


@kernel
def deal_unseen(caller: int, hand: int, exposed: int, rng: np.random.Generator, layouts: Ints) -> None:
    """Ordinary deals that fit a hand and the six exposed cards.

    Args:
        caller: the caller who holds the hand.
        hand, exposed: printed masks.
        layouts: output, printed masks [number, hand].
    """
    cards = np.zeros(PACK_SIZE, dtype=np.int64)
    count = list_cards(DECK_52 & ~(hand | exposed), cards)
    for number in range(layouts.shape[0]):
        shuffle_cards(cards, count, rng)
        layout = layouts[number]
        layout[:] = 0
        layout[caller] = hand
        layout[DUMMY] = exposed
        place = 0
        for other in range(HANDS):
            while popcount(layout[other]) < HAND_SIZE:
                layout[other] |= 1 << cards[place]
                place += 1


@kernel
def deal_unseen_after_goulash(
    caller: int,
    hand: int,
    exposed: int,
    pool: Ints,
    rng: np.random.Generator,
    layouts: Ints,
) -> bool:
    """Goulash deals that fit a hand and the six exposed cards; if none of the pool does, False: layouts are left alone.

    Args:
        pool: the pool that `goulash_pool` returns.
        layouts: output, printed masks [number, hand].
    """
    which = _find_fitting(pool, caller, suit_lengths(hand))
    faced = suit_lengths(exposed)
    sums = np.empty(len(which))
    total = 0.0
    for place in range(len(which)):
        lengths = pool[which[place] // 24]
        names = RENAMINGS[which[place] % 24]
        weight = 1.0
        for suit in range(4):
            weight *= CHOOSE[lengths[DUMMY, names[suit]], faced[suit]]
        total += weight
        sums[place] = total
    if total == 0.0:
        return False
    cards = np.zeros(13, dtype=np.int64)
    for number in range(layouts.shape[0]):
        drawn: int = which[np.searchsorted(sums, rng.random() * total)]
        lengths = pool[drawn // 24]
        names = RENAMINGS[drawn % 24]
        layout = layouts[number]
        layout[:] = 0
        layout[caller] = hand
        layout[DUMMY] = exposed
        for suit in range(4):
            unseen = DECK_52 & ~(hand | exposed) & SUIT_BITS << 13 * suit
            shuffle_cards(cards, list_cards(unseen, cards), rng)
            place = 0
            for other in range(HANDS):
                while suit_length(layout[other], suit) < lengths[other, names[suit]]:
                    layout[other] |= 1 << cards[place]
                    place += 1
    return True


def sample_layouts(
    caller: int, hand: int, exposed: int, count: int, rng: np.random.Generator, pool: Ints | None = None
) -> Ints:
    """Return layouts that fit a hand and the six exposed cards, printed masks [number, hand].

    Args:
        caller: the caller who holds the hand, 0 the dealer, 1 on the left, 2 on the right.
        hand: printed mask of 13 cards; exposed: that of the six exposed cards.
        count: the number of layouts.
        pool: the pool that `goulash_pool` returns, after a goulash; None or empty for an ordinary deal.
    """
    assert hand.bit_count() == HAND_SIZE and exposed.bit_count() == EXPOSED and not hand & exposed
    layouts = np.zeros((count, HANDS), dtype=np.int64)
    if pool is None or not deal_unseen_after_goulash(caller, hand, exposed, pool, rng, layouts):
        deal_unseen(caller, hand, exposed, rng, layouts)
    return layouts


# -------------------------------------------------------------------------------------------------- during the play


@kernel
def length_odds(me: int, mine: int, dummy: int, other: int, pool: Ints) -> Floats:
    """Return how often a third hand had each combination of suit lengths in the goulashes that fit two whole hands.

    Args:
        me: caller with a known hand, as dealt, like dummy's.
        mine, dummy: printed masks of 13 cards.
        other: the caller whose lengths are wanted.

    Returns:
        float64[14 ** 3], counts by 196 C + 14 D + H.
    """
    odds = np.zeros(LENGTHS)
    dummys = suit_lengths(dummy)
    for fit in _find_fitting(pool, me, suit_lengths(mine)):
        hands = pool[fit // 24]
        names = RENAMINGS[fit % 24]
        if _are_lengths(hands[DUMMY], names, dummys):
            lengths = hands[other]
            odds[196 * lengths[names[0]] + 14 * lengths[names[1]] + lengths[names[2]]] += 1.0
    return odds


def goulash_likelihood(firsts: Ints, me: int, mine: int, dummy: int, first: int, pool: Ints) -> Floats:
    """Return how likely each deal of the two hidden hands is after a goulash, float64[number].

    Before the goulash is looked at all these deals are equally likely.

    Args:
        firsts: printed masks [number], the hand of the caller `first` as it was dealt.
        me: caller with a known hand.
        mine, dummy: printed masks of that hand and of dummy's, as dealt.
        pool: the pool that `goulash_pool` returns.
    """
    odds = length_odds(me, mine, dummy, first, pool)
    likelihood = np.empty(len(firsts))
    sizes = suit_lengths(DECK_52 & ~(mine | dummy))
    for row, hand in enumerate(firsts.tolist()):
        held = suit_lengths(hand)
        ways = np.prod(CHOOSE[sizes, held])
        likelihood[row] = odds[196 * held[0] + 14 * held[1] + held[2]] / ways + PRIOR / 10_400_600.0
    return likelihood


@kernel
def _shape_number(lengths: Ints) -> int:
    """A number that equal suit lengths share in any order, and hardly any others: to reject most of a pool quickly."""
    shape = 0
    for suit in range(4):
        shape += lengths[suit] * lengths[suit] * lengths[suit]
    return shape
