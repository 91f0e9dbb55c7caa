"""Three cards of Towers & Bowers by a second program, written from the rule sheet alone.

Nothing of ``games`` or ``solver`` is used. Given what both players call and discard, a contract is a zero-sum game of
hidden hands: it is solved by regret matching over every pair of hands, walked card by card, and both best replies are
measured. Cards are 0..23, suit by suit (clubs, diamonds, hearts, spades), 9 T J Q K A in each; the up-card is a spade.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numba
import numpy as np

JACK = 2
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NOBODY = 24  # in place of the card led: one leads oneself
CONTRACTS = ("accept", "answer", "name_C", "name_D", "name_H", "left_C", "left_D", "left_H")
TRUMPS = (SPADES, SPADES, CLUBS, DIAMONDS, HEARTS, CLUBS, DIAMONDS, HEARTS)
MIRRORED = np.array([card + {DIAMONDS: 6, HEARTS: -6}.get(card // 6, 0) for card in range(24)])
Array = np.ndarray[Any, Any]


class States(NamedTuple):
    """Both seats in a contract, the non-dealer's hands first: a row for each hand, of the dealer hand and discard.

    Attributes:
        cards: int64[S, 3], what is played.
        dealt: int64[S], the cards that the other cannot hold then, as a mask.
        weight: float64[S], how likely calls and discard are with them.
        first: float64[S, 25, 3], P(each card) to the first trick, by the card led.
        second: float32[S, 3, 24, 25], P(the lower of two left) to the second, by the place of the own card and the
            other's card in the first and the card led.
    """

    cards: Array
    dealt: Array
    weight: Array
    first: Array
    second: Array


@numba.njit
def follows(card: int, beside: int, third: int, led: int, suits: Array) -> bool:
    """Whether a card held beside two others (or twice one) may be played to one led."""
    return bool(suits[card] == suits[led] or (suits[beside] != suits[led] and suits[third] != suits[led]))


@numba.njit
def walk(states: States, dealers: int, suits: Array, beaten: Array, pay: Array) -> tuple[Array, Array]:
    """What each card wins, weighed by how likely the other's calls and cards lead there.

    Args:
        states: of both; the dealer's from row `dealers` on.
        suits: of each card the suit it belongs to, the left bower to trumps.
        beaten: int64[24, 24], 1 where a card led loses to a reply.
        pay: float64[4], P(the non-dealer wins the tower) by tricks of that player.

    Returns:
        float64[S, 25, 3] to the first trick, and float32[S, 3, 24, 25] how much more the lower card wins to the second.
    """
    cards, dealt, weight, first, second = states
    worth, better = np.zeros(first.shape), np.zeros(second.shape, np.float32)
    chance, leads_win, value = np.zeros(2), np.zeros(2), np.zeros((2, 2))
    for led in range(24):
        for met in range(24):
            lost = beaten[led, met]  # then the dealer leads to the second trick
            replying = np.flatnonzero((cards[dealers:] == met).sum(1)) + dealers
            for one in np.flatnonzero((cards[:dealers] == led).sum(1)):
                a = np.flatnonzero(cards[one] == led)[0]
                to_two = weight[one] * first[one, NOBODY, a]
                for two in replying:
                    if dealt[one] & dealt[two]:
                        continue
                    b = 0 if cards[two, 0] == met else 1 if cards[two, 1] == met else 2
                    if not follows(met, cards[two, (b + 1) % 3], cards[two, (b + 2) % 3], led, suits):
                        continue
                    to_one = weight[two] * first[two, led, b]
                    if lost:
                        leader, own, theirs, follower, place, replied = two, b, led, one, a, met
                        to_leader, to_follower = to_two, to_one
                    else:
                        leader, own, theirs, follower, place, replied = one, a, met, two, b, led
                        to_leader, to_follower = to_one, to_two
                    leads = cards[leader, int(own == 0)], cards[leader, 2 - int(own == 2)]
                    replies = cards[follower, int(place == 0)], cards[follower, 2 - int(place == 2)]
                    share = second[leader, own, theirs, NOBODY]
                    for x in range(2):
                        lead, last = leads[x], leads[1 - x]
                        may = follows(replies[0], replies[1], replies[1], lead, suits)
                        both = may and follows(replies[1], replies[0], replies[0], lead, suits)
                        chance[0] = second[follower, place, replied, lead] if both else (1.0 if may else 0.0)
                        chance[1] = 1 - chance[0]
                        for y in range(2):
                            reply, left = replies[y], replies[1 - y]
                            tricks = 2 - beaten[lead, reply]  # the leader's, who has won the first
                            tricks += beaten[left, last] if beaten[lead, reply] else 1 - beaten[last, left]
                            value[x, y] = 1 - pay[3 - tricks] if lost else pay[tricks]
                        leads_win[x] = chance[0] * value[x, 0] + chance[1] * value[x, 1]
                        if both:
                            reach = to_follower * (share if x == 0 else 1 - share)
                            better[follower, place, replied, lead] += reach * (value[x, 1] - value[x, 0])
                    better[leader, own, theirs, NOBODY] += to_leader * (leads_win[0] - leads_win[1])
                    total = share * leads_win[0] + (1 - share) * leads_win[1]
                    won = 1 - total if lost else total
                    worth[one, NOBODY, a] += to_one * won
                    worth[two, led, b] += to_two * (1 - won)
    return worth, better


@numba.njit
def learn(
    states: States, dealers: int, found: tuple[Array, Array], memory: Any, step: int, suits: Array, rows: Any
) -> None:
    """One step of one seat: sum what was played, add regrets above zero, match them with the last ones counted twice.

    Args:
        states, dealers, suits: of `walk`; the strategies are replaced.
        found: what `walk` has returned.
        memory: regrets of the first card and of both second ones, summed strategies of either; added to.
        step: 1, 2, …
        rows: the seat's.
    """
    cards, _, _, first, second = states
    worth, better = found
    regrets, lower, higher, sums, second_sums = memory
    hopes, weight = np.zeros(3), float(step) ** 2
    for row in rows:
        for own in range(3):
            for met in range(24):
                played = weight * first[row, NOBODY if row < dealers else met, own]
                for led in range(25):
                    share, gap = second[row, own, met, led], better[row, own, met, led]
                    second_sums[row, own, met, led] += played * share
                    low = max(lower[row, own, met, led] + (1 - share) * gap, 0.0)
                    high = max(higher[row, own, met, led] - share * gap, 0.0)
                    lower[row, own, met, led], higher[row, own, met, led] = low, high
                    low, high = max(low + (1 - share) * gap, 0.0), max(high - share * gap, 0.0)
                    second[row, own, met, led] = low / (low + high) if low + high > 0 else 0.5
        for led in range(25):
            mean, free = (first[row, led] * worth[row, led]).sum(), 0
            for own in range(3):
                sums[row, led, own] += weight * first[row, led, own]
                beside, third = cards[row, (own + 1) % 3], cards[row, (own + 2) % 3]
                hopes[own] = -1.0  # of a card that may not be played
                if led == NOBODY or follows(cards[row, own], beside, third, led, suits):
                    more = worth[row, led, own] - mean
                    regrets[row, led, own] = max(regrets[row, led, own] + more, 0.0)
                    hopes[own], free = max(regrets[row, led, own] + more, 0.0), free + 1
            total = np.maximum(hopes, 0.0).sum()
            for own in range(3):
                even = 1.0 if hopes[own] >= 0 else 0.0
                first[row, led, own] = max(hopes[own], 0.0) / total if total > 0 else even / free


def solve(states: States, dealers: int, trump: int, pay: Array, steps: int) -> tuple[Array, float]:
    """What best replies win against the other's mean strategy of so many steps.

    Returns:
        float64[S], weighed by how likely the other's calls lead here and summed over the hands that the other can hold;
        and what best replies of both gain, given that it comes to the contract.
    """
    suits, ranks = np.arange(24) // 6, np.arange(24) % 6
    suits[6 * (3 - trump) + JACK] = trump
    ranks[6 * (3 - trump) + JACK], ranks[6 * trump + JACK] = 6, 7
    higher = (suits == suits[:, None]) & (ranks > ranks[:, None])
    beaten = (higher | ((suits == trump) & (suits[:, None] != trump))).astype(np.int64)
    shapes = (states.first, states.second, states.second, states.first, states.second)
    memory = tuple(np.zeros_like(array) for array in shapes)
    found = (np.zeros_like(states.first), np.zeros_like(states.second))
    seats = np.arange(dealers), np.arange(dealers, len(states.cards))
    for step, seat in itertools.product(range(steps + 1), seats):  # by turns; step 0 makes even what may be played
        learn(states, dealers, found, memory, step, suits, seat)
        if step or seat is seats[1]:
            found = walk(states, dealers, suits, beaten, pay)
    sums, second_sums = memory[3:]
    leads = np.arange(len(sums)) < dealers
    played = np.where(leads[:, None, None], sums[:, NOBODY, :, None], sums[:, :NOBODY].transpose(0, 2, 1))[..., None]
    for mean, summed, total in ((states.first, sums, sums.sum(2, keepdims=True)), (states.second, second_sums, played)):
        mean[:] = np.divide(summed, total, out=np.full(mean.shape, 0.5), where=total > 0)
    better = walk(states, dealers, suits, beaten, pay)[1]
    won = np.zeros(len(sums))
    for seat in (leads, ~leads):
        replies = states._replace(second=np.where(seat[:, None, None, None], better > 0, states.second))
        won[seat] = walk(replies, dealers, suits, beaten, pay)[0].max(2).sum(1)[seat]
    comes = (states.weight[:dealers] @ meets(states.dealt[:dealers], states.dealt[dealers:])) @ states.weight[dealers:]
    return won, float(won @ states.weight / comes) - 1


def meets(ours: Array, theirs: Array) -> Array:
    """float64[ours, theirs]: 1 where two sets of cards have none in common."""
    return ((ours[:, None] & theirs) == 0).astype(np.float64)


class Calls(NamedTuple):
    """What both call and discard with each of H hands, from the lowest card; rows add up to 1 but for the two chances.

    Attributes:
        hands: int64[H, 3], cards dealt.
        accept, answer: float64[H], P(the non-dealer, the dealer accepts).
        names, left: float64[H, 4] and [H, 3], the second round: clubs, diamonds, hearts, pass.
        discards, own_discards: float64[H, 3], when the non-dealer, the dealer has accepted.
    """

    hands: Array
    accept: Array
    names: Array
    discards: Array
    answer: Array
    own_discards: Array
    left: Array


def values(
    up: int, calls: Calls, next_deal: float, steps: int, rounds: tuple[int, ...] = (1, 2)
) -> tuple[dict[str, Array], dict[str, float]]:
    """What every call and discard wins the hand that makes it, with best play after it.

    Args:
        up: the up-card, a spade.
        calls: strategies, the same for hands that differ by diamonds and hearts changing places.
        next_deal: P(the dealer of two cards wins the tower).
        steps: of every contract.
        rounds: of the calls; the first one takes the second and three times as long.

    Returns:
        float64[H] by ``accept``, ``pass``, ``name_C`` …, ``name_pass``, ``discard_1`` …, ``answer``, ``answer_pass``,
        ``own_discard_1`` …, ``left_C`` …; and by contract what best replies gain there.
    """
    hands, count = calls.hands, len(calls.hands)
    dealt = (1 << hands).sum(1)
    rows = {mask: row for row, mask in enumerate(dealt.tolist())}
    mirror = [rows[mask] for mask in (1 << MIRRORED[hands]).sum(1).tolist()]
    passes, refuses = 1 - calls.accept, 1 - calls.answer
    ours, theirs = {"accept": calls.accept, "answer": passes}, {"accept": calls.discards}
    theirs["answer"] = calls.answer[:, None] * calls.own_discards
    for place, suit in enumerate("CDH"):
        ours |= {f"name_{suit}": passes * calls.names[:, place], f"left_{suit}": passes * calls.names[:, 3]}
        theirs |= {f"name_{suit}": refuses[:, None], f"left_{suit}": (refuses * calls.left[:, place])[:, None]}
    discarded = np.repeat(hands[None], 3, 0)
    discarded[range(3), :, range(3)] = up
    pay = np.array([0, 1 - next_deal, next_deal, 1])  # of three tricks who takes two deals next, whoever has bid
    won, gains = {}, {}
    for name, trump in zip(CONTRACTS, TRUMPS, strict=True):
        if trump == DIAMONDS or (trump == SPADES and 1 not in rounds):
            continue
        weight = np.concatenate([ours[name], theirs[name].T.ravel()])
        played = discarded if trump == SPADES else hands[None]
        states = States(
            np.concatenate([hands, *played]),
            np.tile(dealt, 1 + len(played)),
            weight,
            np.zeros((len(weight), 25, 3)),
            np.zeros((len(weight), 3, 24, 25), np.float32),
        )
        found, gains[name] = solve(states, count, trump, pay, steps)
        won[name] = found.reshape(-1, count)
    for stem in ("name", "left"):
        won[f"{stem}_D"] = won[f"{stem}_H"][:, mirror]
    met = meets(dealt, dealt)
    own, dealers = ({name: wins[seat] for name, wins in won.items()} for seat in (0, 1))
    named, left = ([f"{stem}_{suit}" for suit in "CDH"] for stem in ("name", "left"))
    later, last = sum(own[name] for name in left), np.max([dealers[name] for name in left], axis=0)
    every, comes, passed, left_to = met.sum(1), met @ refuses, met @ passes, met @ ours["left_C"]
    found = {"name_pass": later / comes}
    found |= {name: own[name] / comes for name in named} | {name: dealers[name] / left_to for name in left}
    if 1 not in rounds:
        return found, gains
    second = np.maximum(later, np.max([own[name] for name in named], axis=0))
    found |= {"accept": own["accept"] / every, "pass": (own["answer"] + second) / every}
    for place in range(3):
        found[f"discard_{place + 1}"] = won["accept"][1 + place] / (met @ calls.accept)
        found[f"own_discard_{place + 1}"] = won["answer"][1 + place] / passed
    found["answer"] = won["answer"][1:].max(0) / passed
    found["answer_pass"] = (sum(dealers[name] for name in named) + last) / passed
    return found, gains
