"""How does an auction of Towie go on if all players call by stated rules? From a layout and a call to a contract.

Nothing here solves or scores. Hands are printed masks by caller: the dealer, the left, the right, dummy.

    towerlab bid towie --hand AKQ94.AK3.QJ7.82 --dummy "JS 6S QH JH AC 4D" --others novice
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.jit import kernel
from towerlab.games.towie.auction import (
    AUCTION_SIZE,
    BID,
    BIDDER,
    CALLERS,
    DOUBLING,
    LAST_BID,
    PASS,
    auction_is_over,
    caller_of,
    make_call,
    start_auction,
    strain_of,
)
from towerlab.games.towie.dealing import HANDS
from towerlab.sim.towie.players import novice_call, novice_doubles, random_call
from towerlab.sim.towie.sampling import sample_layouts

CALL_RULES: Final = ("novice", "random", "pass")
NOVICE, RANDOM, ALWAYS_PASS = range(len(CALL_RULES))
OWN_RULE: Final = "you pass from then on, or double as a novice would, and bid no more"
TRIES: Final = 60
"""Layouts dealt for each that is kept, once somebody has called: the first in which the rule makes all those calls."""
# how well a call of the rule agrees with the one that was made
_SAME = 2
_LIKE = 1


@kernel
def continue_auction(auction: Ints, hands: Ints, exposed: int, asker: int, rule: int, rng: np.random.Generator) -> None:
    """Take an auction to its end.

    Args:
        auction: the auction, changed.
        hands: the hands by caller.
        asker: the caller that bids no more (`OWN_RULE`).
        rule: the rule of the others, a number of `CALL_RULES`; where they pass, the asker passes as well.
    """
    while not auction_is_over(auction):
        caller = caller_of(auction)
        if rule == ALWAYS_PASS:
            call = PASS
        elif caller == asker:
            call = novice_doubles(auction, hands[caller])
        elif rule == RANDOM:
            call = random_call(auction, rng)
        else:
            call = novice_call(auction, hands[caller], exposed)
        make_call(auction, call)


@kernel
def final_contracts(auction: Ints, call: int, layouts: Ints, exposed: int, rule: int, rng: np.random.Generator) -> Ints:
    """Return the contract that an auction ends in on every layout if the next caller makes this call.

    Args:
        auction: the next caller's turn; it is left alone.
        call: a legal call.
        layouts: the layouts [number, 4], hands by caller.
        rule: the rule of the others, a number of `CALL_RULES`.

    Returns:
        int64[number, 3]: bid (0 for none), doubling, its caller.
    """
    contracts = np.zeros((layouts.shape[0], 3), dtype=np.int64)
    asker = caller_of(auction)
    work = np.zeros(AUCTION_SIZE, dtype=np.int64)
    for number in range(layouts.shape[0]):
        work[:] = auction
        make_call(work, call)
        continue_auction(work, layouts[number], exposed, asker, rule, rng)
        contracts[number, 0] = work[BID]
        contracts[number, 1] = work[DOUBLING]
        contracts[number, 2] = work[BIDDER]
    return contracts


@kernel
def count_agreement(calls: Ints, made: int, asker: int, hands: Ints, exposed: int) -> int:
    """Return how well the others' calls so far agree with the novice's rule on a layout.

    A call that the rule makes counts 2, a bid of the same strain at another level 1.
    """
    auction = np.zeros(AUCTION_SIZE, dtype=np.int64)
    start_auction(auction)
    agreed = 0
    for place in range(made):
        caller = caller_of(auction)
        call = calls[place]
        if caller != asker:
            expected = novice_call(auction, hands[caller], exposed)
            if expected == call:
                agreed += _SAME
            elif PASS < call <= LAST_BID and PASS < expected <= LAST_BID and strain_of(call) == strain_of(expected):
                agreed += _LIKE
        make_call(auction, call)
    return agreed


@kernel
def _keep_agreeing(calls: Ints, made: int, asker: int, exposed: int, dealt: Ints, tries: int, layouts: Ints) -> int:
    """Keep the best agreeing layout of every so many; return how many of those agree with every call."""
    most = 0
    for place in range(made):
        if place % CALLERS != asker:
            most += _SAME
    perfect = 0
    for number in range(layouts.shape[0]):
        best = -1
        for place in range(number * tries, (number + 1) * tries):
            agreed = count_agreement(calls, made, asker, dealt[place], exposed)
            if agreed > best:
                best = agreed
                layouts[number] = dealt[place]
                if best == most:
                    perfect += 1
                    break
    return perfect


def sample_after_calls(
    calls: Ints, asker: int, hand: int, exposed: int, count: int, rng: np.random.Generator, pool: Ints | None = None
) -> tuple[Ints, int]:
    """Draw layouts that fit a player's view and, if the others call as novices, their calls.

    Of `TRIES` layouts that fit the cards the first is taken in which the novice's rule makes every call that the others
    have made, else the one that comes nearest (`count_agreement`).

    Args:
        calls: the calls so far, the dealer's first.
        asker: the caller whose hand is known.
        hand, exposed: printed masks of 13 and of six cards.
        count: the number of layouts.
        pool: the pool that `sampling.goulash_pool` returns, after a goulash.

    Returns:
        printed masks [number, 4] by caller, and in how many of them all calls are the rule's.
    """
    if all(place % CALLERS == asker for place in range(len(calls))):
        return sample_layouts(asker, hand, exposed, count, rng, pool), count
    dealt = sample_layouts(asker, hand, exposed, count * TRIES, rng, pool)
    layouts = np.zeros((count, HANDS), dtype=np.int64)
    made = np.asarray(calls, dtype=np.int64)
    return layouts, int(_keep_agreeing(made, len(made), asker, exposed, dealt, TRIES, layouts))
