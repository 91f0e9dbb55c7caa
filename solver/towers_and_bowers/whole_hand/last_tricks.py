"""What is every card worth in the last trick, or the last two tricks, of a contract, for all hands at once?

Nearly all the time of a pass is spent here. The leader and the follower each choose once more; then one card each is
left. The strategies of these two decisions are regrets, averages, and the shares that follow from them.

Before the last two tricks each player has two cards. Pairs of cards are numbered as they are stored, one entry a pair
and, for a dealer who took the up-card, a discard: the innermost loops run over neighbours. The buffers have the pairs,
how far choices lead to each, and the tables of payoffs and values over them. The value of a card in the last trick
against a vector of the other player's last cards is a sum over pairs of cards, less the pairs that cannot be: one card
in two places.

    towerlab study towers-and-bowers hand-equilibrium --set cards=2 --out folder
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Ints
from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    DEALER,
    DEPTH_STARTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    MIRRORED,
    NONDEALER,
    OTHER_CARDS,
    TRUMPS,
    UP_CARD,
    HandGame,
    is_own_image,
)
from towerlab.solver.towers_and_bowers.whole_hand.iteration import (
    AnyFloats,
    PlayArrays,
    WalkBuffers,
    Weights,
    discards_of,
    discounts_since,
    trick_winner,
)

ZERO_32: Final = np.float32(0.0)
ONE_32: Final = np.float32(1.0)
HALF_32: Final = np.float32(0.5)
STEPS: Final = np.float32(65534.0)  # of a share in 16 bits, which is one more: 0 stands for none
_PAIRS: Final = CARDS * (CARDS - 1) // 2
COUNT, NUMBER, ROWS = range(3)  # of `CardPairs.size`
UNSEEN, LED_PLACE, GONE, GONE_ROW = range(4)  # of `LastTricks.led`


class CardPairs(NamedTuple):
    """The pairs of cards that one player may hold: a lower and a higher card, by their places among the cards.

    Attributes:
        size: int64[3], how many cards, pairs, and rows: discards of each pair.
        cards: int64[24], the cards, of the follower those of the suit led first.
        place: int64[24], the place of each card number, -1 for none.
        low, high: int64[276], the places of both.
        number: int64[24, 24], the number of the pair by both places, -1 for none.
        reach, comes: float[276 * 24], by pair and discard: the share with which the player's choices lead here, and how
            much has gone into the averages on the way here.
        share: the share with which the lower card is played.
        of_card: float[2, 276 * 24], the values of playing the lower card, and the higher one; `value`: of the choice.
    """

    size: Ints
    cards: Ints
    place: Ints
    low: Ints
    high: Ints
    number: Ints
    reach: AnyFloats
    comes: AnyFloats
    share: AnyFloats
    of_card: AnyFloats
    value: AnyFloats


class LastTricks(NamedTuple):
    """Buffers; cards are places of `CardPairs`, discards are rows: places among the unseen cards.

    Attributes:
        leader, follower: the pairs of cards of the leader and of the follower.
        unseen, row_of: int64[24], the unseen cards, and the row of each card, -1 for none.
        led: int64[4], how many cards are unseen, and of the card led its place among the leader's, among the
            follower's, and its row; -1 for none.
        wins: int64[24], 1 where a card of the follower's takes the trick.
        last: float[24, 24], how often the leader keeps a card, by discard.
        total, by_card, by_row: float[24], the same over all discards by the leader's place, the follower's, by row.
        payoff: float[2, 24, 24], by who took the trick (0 the leader), the leader's last card, the follower's.
        same: as `payoff`, where the leader's last card is what the follower has played.
        put: as `payoff`, by the follower's last card and the row of the leader's.
        out: float[2, 24, 24], what is taken out of a follower's values for the own discard.
        card_value: float[24, 24], the value to the follower of playing a card and keeping another.
        played: float[24, 24], how often the follower does that; `played_by_row` by discard too.
        keeping: float[2, 24], sums by who takes the trick and what the follower keeps.
        last_value: float[24, 24], the value of the leader's last card, by discard.
    """

    leader: CardPairs
    follower: CardPairs
    unseen: Ints
    row_of: Ints
    led: Ints
    wins: Ints
    last: AnyFloats
    total: AnyFloats
    by_card: AnyFloats
    by_row: AnyFloats
    payoff: AnyFloats
    same: AnyFloats
    put: AnyFloats
    out: AnyFloats
    card_value: AnyFloats
    played: AnyFloats
    played_by_row: AnyFloats
    keeping: AnyFloats
    last_value: AnyFloats


def make_last_tricks(kind: type[Any]) -> LastTricks:
    """Buffers for passes of any hand size over what has been learnt in numbers of a kind."""

    def floats(*shape: int) -> AnyFloats:
        return np.zeros(shape, dtype=kind)

    two = (CARDS, CARDS)
    three = (2, CARDS, CARDS)
    return LastTricks(
        *(_new_pairs(floats), _new_pairs(floats)),
        *(_integers(CARDS), _integers(CARDS), _integers(4), _integers(CARDS)),
        *(floats(*two), floats(CARDS), floats(CARDS), floats(CARDS)),
        *(floats(*three), floats(*three), floats(*three), floats(*three)),
        *(floats(*two), floats(*two), floats(CARDS, CARDS, CARDS), floats(2, CARDS), floats(*two)),
    )


def _new_pairs(floats: Callable[..., AnyFloats]) -> CardPairs:
    places = _integers(3), _integers(CARDS), _integers(CARDS)
    pairs = _integers(_PAIRS), _integers(_PAIRS), _integers(CARDS, CARDS)
    size = _PAIRS * CARDS
    return CardPairs(*places, *pairs, floats(size), floats(size), floats(size), floats(2, size), floats(size))


def _integers(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)


@fast_kernel
def list_unseen(seen: int, t: LastTricks) -> None:
    """Fill `unseen`, how many there are, and `row_of`."""
    rows = 0
    for card in range(OTHER_CARDS):
        t.row_of[card] = -1
        if not seen >> card & 1:
            t.unseen[rows] = card
            t.row_of[card] = rows
            rows += 1
    t.row_of[UP_CARD] = -1
    t.led[UNSEEN] = rows


@fast_kernel
def _list_cards(allowed: int, p: CardPairs, count: int) -> int:
    """Put cards after the first so many; returns how many there are then."""
    for card in range(CARDS):
        if allowed >> card & 1:
            p.cards[count] = card
            p.place[card] = count
            count += 1
    return count


@fast_kernel
def _list_pairs(first: int, end: int, holds: bool, number: int, p: CardPairs) -> int:
    """Pairs of the cards at places first..end - 1; if the up-card is held only those with it, the last one."""
    for h in range(end - 1 if holds else first + 1, end):
        for k in range(first, h):
            number = _add_pair(k, h, number, p)
    return number


@fast_kernel
def _add_pair(low: int, high: int, number: int, p: CardPairs) -> int:
    """One more pair; returns how many there are then."""
    p.low[number] = low
    p.high[number] = high
    p.number[high, low] = p.number[low, high] = number
    return number + 1


@fast_kernel
def _start_list(contract: int, depth: int, player: int, work: WalkBuffers, p: CardPairs, t: LastTricks) -> bool:
    """Forget the cards and pairs of before; whether the player holds the up-card."""
    p.size[ROWS] = t.led[UNSEEN] if discards_of(contract, player) > 1 else 1
    for card in range(CARDS):
        p.place[card] = -1
    return player == DEALER and work.holds_up_card[depth] > 0


@fast_kernel
def list_leads(contract: int, depth: int, leader: int, work: WalkBuffers, t: LastTricks) -> None:
    """The leader's cards and pairs."""
    p = t.leader
    holds = _start_list(contract, depth, leader, work, p, t)
    for i in range(CARDS):
        for j in range(CARDS):
            p.number[i, j] = -1
    p.size[COUNT] = _list_cards(work.allowed[leader, depth], p, 0)
    p.size[NUMBER] = _list_pairs(0, p.size[COUNT], holds, 0, p)


@fast_kernel
def list_follows(
    game: HandGame, contract: int, field: int, depth: int, follower: int, work: WalkBuffers, t: LastTricks
) -> tuple[int, int]:
    """List the follower's cards and pairs: those without the suit led, then pairs of it, then mixed ones.

    Returns:
        Where the first and the second group of pairs end.
    """
    p = t.follower
    allowed = work.allowed[follower, depth]
    led = game.field_masks[contract, field]
    holds = _start_list(contract, depth, follower, work, p, t)
    suited = _list_cards(allowed & led, p, 0)
    p.size[COUNT] = count = _list_cards(allowed & ~led, p, suited)
    up_led = holds and suited > 0 and p.cards[suited - 1] == UP_CARD
    others = 0 if up_led else _list_pairs(suited, count, holds, 0, p)
    number = both = _list_pairs(0, suited, holds, others, p) if up_led or not holds else others
    for h in range(suited, count):
        for k in range(suited):
            if not holds or p.cards[k] == UP_CARD or p.cards[h] == UP_CARD:
                number = _add_pair(k, h, number, p)
    p.size[NUMBER] = number
    return others, both


@fast_kernel
def first_state(game: HandGame, contract: int, player: int, a: int, b: int) -> int:
    """Return where the pair begins in the vectors of a player."""
    number = b if a == UP_CARD else a if b == UP_CARD else game.join[1, a, b]
    return number * discards_of(contract, player)


@fast_kernel
def read_reach(
    game: HandGame, contract: int, depth: int, player: int, work: WalkBuffers, p: CardPairs, t: LastTricks
) -> None:
    """`reach` and `comes` of every pair, zero for a discard that is one of its cards."""
    rows = p.size[ROWS]
    at = work.reach_at[player, depth]
    for pair in range(p.size[NUMBER]):
        a, b = p.cards[p.low[pair]], p.cards[p.high[pair]]
        state = first_state(game, contract, player, a, b)
        for r in range(rows):
            put = t.unseen[r] if rows > 1 else 0
            p.reach[pair * rows + r] = work.reach[player, at, state + put]
            p.comes[pair * rows + r] = work.comes[at, state + put]
        if rows > 1:
            if a != UP_CARD:
                p.reach[pair * rows + t.row_of[a]] = ZERO_32
            if b != UP_CARD:
                p.reach[pair * rows + t.row_of[b]] = ZERO_32


@fast_kernel
def read_payoffs(
    game: HandGame, contract: int, updated: int, depth: int, leader: int, work: WalkBuffers, t: LastTricks
) -> None:
    """Fill `payoff`, `same` and `put` with payoffs to the updated player."""
    leads = t.leader.size[COUNT]
    count = t.follower.size[COUNT]
    sign = 1.0 if updated == NONDEALER else -1.0
    for w in range(2):
        player = leader if w == 0 else 1 - leader
        tricks = work.tricks[depth] + (1 if player == NONDEALER else 0)
        for j in range(count):
            own = t.follower.cards[j]
            for x in range(leads):
                t.payoff[w, x, j] = sign * game.last_payoffs[contract, player, tricks, leader, t.leader.cards[x], own]
            for i in range(count):
                t.same[w, i, j] = sign * game.last_payoffs[contract, player, tricks, leader, t.follower.cards[i], own]
            if t.follower.size[ROWS] > 1:
                for r in range(t.led[UNSEEN]):
                    t.put[w, j, r] = sign * game.last_payoffs[contract, player, tricks, leader, t.unseen[r], own]


@fast_kernel
def reach_last_cards(t: LastTricks) -> bool:
    """Fill `last`, `total`, `by_card` and `by_row`; return whether a hand of the leader's plays the card led."""
    p = t.leader
    c = t.led[LED_PLACE]
    leads = p.size[COUNT]
    rows = p.size[ROWS]
    comes = False
    for place in range(CARDS):
        t.by_card[place] = ZERO_32
        t.by_row[place] = ZERO_32
        t.total[place] = ZERO_32
    for x in range(leads):
        pair = p.number[x, c]
        if pair < 0:
            for r in range(rows):
                t.last[x, r] = ZERO_32
            continue
        total = ZERO_32
        for r in range(rows):
            entry = pair * rows + r
            share = p.share[entry] if c < x else ONE_32 - p.share[entry]
            t.last[x, r] = p.reach[entry] * share
        for r in range(rows):
            total += t.last[x, r]
        t.total[x] = total
        if t.follower.place[p.cards[x]] >= 0:
            t.by_card[t.follower.place[p.cards[x]]] = total
        if t.row_of[p.cards[x]] >= 0:
            t.by_row[t.row_of[p.cards[x]]] = total
        comes = comes or bool(total > ZERO_32)
    return comes


@fast_kernel
def value_follows(t: LastTricks) -> None:
    """Fill `of_card` with the value of each card of each pair to the follower."""
    p = t.follower
    leads = t.leader.size[COUNT]
    lead_rows = t.leader.size[ROWS]
    count = p.size[COUNT]
    pairs = p.size[NUMBER]
    rows = p.size[ROWS]
    gone = t.led[GONE]
    for w in range(2):
        for j in range(CARDS):
            t.keeping[w, j] = ZERO_32
        for x in range(leads):
            reach = t.total[x]
            if reach != ZERO_32:
                for j in range(CARDS):
                    t.keeping[w, j] += reach * t.payoff[w, x, j]
    if lead_rows > 1:
        for j in range(count):
            row = t.row_of[p.cards[j]]
            for w in range(2):
                total = ZERO_32
                for x in range(leads):
                    total += t.last[x, row] * t.payoff[w, x, j]
                t.keeping[w, j] -= total
    for i in range(count):
        w = t.wins[i]
        reach = t.by_card[i]
        for j in range(CARDS):
            t.card_value[i, j] = t.keeping[w, j] - reach * t.same[w, i, j]
        if lead_rows > 1:
            row = t.row_of[p.cards[i]]
            own = t.leader.place[p.cards[i]]
            for x in range(leads):
                put = t.last[x, row]
                if put != ZERO_32:
                    for j in range(CARDS):
                        t.card_value[i, j] -= put * t.payoff[w, x, j]
            if own >= 0:
                for j in range(count):
                    t.card_value[i, j] += t.last[own, t.row_of[p.cards[j]]] * t.same[w, i, j]
    if gone >= 0:
        for i in range(CARDS):
            t.card_value[gone, i] = ZERO_32
            t.card_value[i, gone] = ZERO_32
    if rows == 1:
        for pair in range(pairs):
            p.of_card[0, pair] = t.card_value[p.low[pair], p.high[pair]]
            p.of_card[1, pair] = t.card_value[p.high[pair], p.low[pair]]
        return
    for w in range(2):
        for j in range(count):
            for r in range(rows):
                t.out[w, j, r] = t.by_row[r] * t.put[w, j, r]
    for pair in range(pairs):
        k, h = p.low[pair], p.high[pair]
        first = pair * rows
        if k == gone or h == gone:
            for r in range(rows):
                p.of_card[0, first + r] = p.of_card[1, first + r] = ZERO_32
            continue
        low = t.card_value[k, h]
        high = t.card_value[h, k]
        wl = t.wins[k]
        wh = t.wins[h]
        for r in range(rows):
            p.of_card[0, first + r] = low - t.out[wl, h, r]
            p.of_card[1, first + r] = high - t.out[wh, k, r]
        p.of_card[0, first + t.led[GONE_ROW]] = p.of_card[1, first + t.led[GONE_ROW]] = ZERO_32


@fast_kernel
def reach_follows(t: LastTricks) -> None:
    """Fill `played` and `played_by_row`."""
    p = t.follower
    gone = t.led[GONE]
    gone_row = t.led[GONE_ROW]
    count = p.size[COUNT]
    pairs = p.size[NUMBER]
    rows = p.size[ROWS]
    for i in range(count):
        for j in range(CARDS):
            t.played[i, j] = ZERO_32
    if rows == 1:
        for pair in range(pairs):
            low = p.reach[pair] * p.share[pair]
            t.played[p.low[pair], p.high[pair]] = low
            t.played[p.high[pair], p.low[pair]] = p.reach[pair] - low
    else:
        for pair in range(pairs):
            k, h = p.low[pair], p.high[pair]
            low_total = ZERO_32
            every_total = ZERO_32
            first = pair * rows
            for r in range(rows):
                reach = p.reach[first + r]
                low = reach * p.share[first + r]
                t.played_by_row[k, h, r] = low
                t.played_by_row[h, k, r] = reach - low
                low_total += low
                every_total += reach
            t.played[k, h] = low_total - t.played_by_row[k, h, gone_row]
            t.played[h, k] = every_total - low_total - t.played_by_row[h, k, gone_row]
    if gone >= 0:
        for i in range(CARDS):
            t.played[gone, i] = ZERO_32
            t.played[i, gone] = ZERO_32


@fast_kernel
def value_last_cards(t: LastTricks) -> None:
    """Fill `last_value` with the value of the leader's last card."""
    p = t.follower
    leads = t.leader.size[COUNT]
    lead_rows = t.leader.size[ROWS]
    count = p.size[COUNT]
    rows = p.size[ROWS]
    for w in range(2):
        for j in range(CARDS):
            t.keeping[w, j] = ZERO_32
    for i in range(count):
        w = t.wins[i]
        for j in range(CARDS):
            t.keeping[w, j] += t.played[i, j]
    for x in range(leads):
        total = ZERO_32
        for j in range(count):
            total += t.keeping[0, j] * t.payoff[0, x, j] + t.keeping[1, j] * t.payoff[1, x, j]
        own = p.place[t.leader.cards[x]]
        if own >= 0:
            w = t.wins[own]
            taken = ZERO_32
            for j in range(count):
                taken += t.played[own, j] * t.same[w, own, j]
            total -= taken
        for r in range(lead_rows):
            t.last_value[x, r] = total
    if rows > 1:
        for r in range(CARDS):
            t.by_row[r] = ZERO_32
        for i in range(count):
            w = t.wins[i]
            for j in range(count):
                if t.played[i, j] != ZERO_32:
                    for r in range(rows):
                        t.by_row[r] += t.played_by_row[i, j, r] * t.put[w, j, r]
        for x in range(leads):
            if t.leader.cards[x] != UP_CARD:
                t.last_value[x, 0] -= t.by_row[t.row_of[t.leader.cards[x]]]
    if lead_rows > 1:
        for i in range(count):
            row = t.row_of[p.cards[i]]
            w = t.wins[i]
            for x in range(leads):
                total = t.keeping[0, i] * t.payoff[0, x, i] + t.keeping[1, i] * t.payoff[1, x, i]
                for j in range(count):
                    total += t.played[i, j] * t.payoff[w, x, j]
                own = p.place[t.leader.cards[x]]
                if own >= 0:
                    total -= t.played[own, i] * t.same[t.wins[own], own, i]
                t.last_value[x, row] -= total


@fast_kernel
def value_leads(t: LastTricks) -> None:
    """Write the values of the last cards as those of the card led."""
    p = t.leader
    c = t.led[LED_PLACE]
    leads = p.size[COUNT]
    rows = p.size[ROWS]
    for x in range(leads):
        pair = p.number[x, c]
        led = 1 if c > x else 0
        if pair >= 0:
            for r in range(rows):
                p.of_card[led, pair * rows + r] = t.last_value[x, r]


@fast_kernel
def mirror_leads(game: HandGame, t: LastTricks) -> None:
    """Copy the value of leading a diamond to that of leading its heart from the mirrored hand."""
    p = t.leader
    leads = t.leader.size[COUNT]
    rows = t.leader.size[ROWS]
    for c in range(leads):
        if not FIRST_DIAMOND <= p.cards[c] < FIRST_HEART:
            continue
        d = p.place[MIRRORED[p.cards[c]]]
        for x in range(leads):
            pair = p.number[x, c]
            y = p.place[MIRRORED[p.cards[x]]]
            if pair < 0:
                continue
            led = 1 if c > x else 0
            image_led = 1 if d > y else 0
            for r in range(rows):
                s = t.row_of[MIRRORED[t.unseen[r]]] if rows > 1 else 0
                p.of_card[image_led, p.number[y, d] * rows + s] = p.of_card[led, pair * rows + r]


@fast_kernel
def return_values(
    game: HandGame,
    contract: int,
    depth: int,
    player: int,
    of_diamonds: bool,
    work: WalkBuffers,
    p: CardPairs,
    t: LastTricks,
) -> None:
    """Add the values of the pairs to those of the hands; the value of a diamond led is its heart's to the image."""
    rows = p.size[ROWS]
    for pair in range(p.size[NUMBER]):
        a, b = p.cards[p.low[pair]], p.cards[p.high[pair]]
        state = first_state(game, contract, player, a, b)
        image = 0
        if of_diamonds:
            image = first_state(game, contract, player, MIRRORED[a], MIRRORED[b])
        for r in range(rows):
            put = t.unseen[r] if rows > 1 else 0
            if rows > 1 and (put in (a, b)):
                continue
            value = p.value[pair * rows + r]
            work.values[depth, state + put] += value
            if of_diamonds:
                other = MIRRORED[put] if rows > 1 else 0
                work.values[depth, image + other] += value


@fast_kernel
def keep_card_values(game: HandGame, contract: int, depth: int, leader: int, work: WalkBuffers, t: LastTricks) -> None:
    """The values of the leader's cards where somebody may ask for them: at the first lead of a walk."""
    p = t.leader
    rows = t.leader.size[ROWS]
    discards = discards_of(contract, leader)
    for pair in range(p.size[NUMBER]):
        low = 2 * first_state(game, contract, leader, p.cards[p.low[pair]], p.cards[p.high[pair]])
        for r in range(rows):
            put = t.unseen[r] if rows > 1 else 0
            work.card_values[depth, low + put] = p.of_card[0, pair * rows + r]
            work.card_values[depth, low + discards + put] = p.of_card[1, pair * rows + r]


@fast_kernel
def read_shares(
    game: HandGame, play: PlayArrays, start: int, size: int, at: int, is_average: bool, p: CardPairs
) -> None:
    """How often the lower card is played: by matching regrets, or on average where there is one.

    Args:
        start, size: the entries of the lower cards; those of the higher ones follow.
        at: the place in `p` where they begin.
    """
    regrets = play.regrets
    averages = play.averages
    shares = play.shares
    for entry in range(size):
        low = max(regrets[start + entry], ZERO_32)
        total = low + max(regrets[start + size + entry], ZERO_32)
        p.share[at + entry] = low / total if total > ZERO_32 else HALF_32
    if is_average and start + 2 * size <= len(averages):
        for entry in range(size):
            total = averages[start + entry] + averages[start + size + entry]
            if total > ZERO_32:
                p.share[at + entry] = averages[start + entry] / total
    elif is_average:
        start = (start - game.last_start) // 2
        for entry in range(size):
            if shares[start + entry] > 0:
                p.share[at + entry] = (np.float32(shares[start + entry]) - ONE_32) / STEPS


@fast_kernel
def add_to_averages(
    game: HandGame, play: PlayArrays, start: int, size: int, at: int, weights: Weights, p: CardPairs
) -> None:
    """Add this iteration to the averages."""
    averages = play.averages
    shares = play.shares
    weight = averages.dtype.type(weights.average)
    if start + 2 * size <= len(averages):
        for entry in range(size):
            reach = weight * p.reach[at + entry]
            low = reach * p.share[at + entry]
            averages[start + entry] += low
            averages[start + size + entry] += reach - low
        return
    start = (start - game.last_start) // 2
    for entry in range(size):
        reach = weight * p.reach[at + entry]
        if reach > ZERO_32:
            share = p.share[at + entry]
            before = shares[start + entry]
            if before > 0 and p.comes[at + entry] > reach:
                mean = (np.float32(before) - ONE_32) / STEPS
                share = mean + (share - mean) * (reach / p.comes[at + entry])
            shares[start + entry] = np.uint16(share * STEPS + (ONE_32 + HALF_32))


@fast_kernel
def update_regrets(
    contract: int, node: int, start: int, size: int, at: int, weights: Weights, play: PlayArrays, p: CardPairs
) -> None:
    """Add the values of the choices to `value`, and the gain of each card over the choice to its regret."""
    if weights.responds:
        for entry in range(at, at + size):
            p.value[entry] += max(p.of_card[0, entry], p.of_card[1, entry])
        for entry in range(size if weights.keeps_values else 0):
            play.regrets[start + entry] = p.of_card[0, at + entry]
            play.regrets[start + size + entry] = p.of_card[1, at + entry]
        return
    before, after = discounts_since(weights, play.visited[contract, node])
    now = weights.iteration
    number = play.regrets.dtype.type
    fade_positive = number(weights.positive[now])
    fade_negative = number(weights.negative[now])
    positive = number(before)
    negative = number(after)
    regrets = play.regrets
    for entry in range(size):
        share = p.share[at + entry]
        low = p.of_card[0, at + entry]
        high = p.of_card[1, at + entry]
        value = share * low + (ONE_32 - share) * high
        p.value[at + entry] += value
        regret = regrets[start + entry]
        regret = regret * (positive if regret > ZERO_32 else negative) + (low - value)
        regrets[start + entry] = regret * (fade_positive if regret > ZERO_32 else fade_negative)
        regret = regrets[start + size + entry]
        regret = regret * (positive if regret > ZERO_32 else negative) + (high - value)
        regrets[start + size + entry] = regret * (fade_positive if regret > ZERO_32 else fade_negative)


@fast_kernel
def mirror_shares(game: HandGame, pairs: int, p: CardPairs, t: LastTricks) -> None:
    """Mirrored hands play alike to the last bit."""
    rows = p.size[ROWS]
    for pair in range(pairs):
        k, h = p.low[pair], p.high[pair]
        a, b = p.place[MIRRORED[p.cards[k]]], p.place[MIRRORED[p.cards[h]]]
        swapped = a > b
        image = p.number[a, b]
        if image < pair:
            continue
        for r in range(rows):
            other = t.row_of[MIRRORED[t.unseen[r]]] if rows > 1 else 0
            share = p.share[pair * rows + r]
            if image == pair and other <= r:
                if other == r and swapped:
                    p.share[pair * rows + r] = HALF_32
                continue
            p.share[image * rows + other] = ONE_32 - share if swapped else share


class LastLead(NamedTuple):
    """Where the last two tricks begin.

    Attributes:
        contract: the number of the contract, 0..7.
        depth: the depth of the last lead with a choice, 2n - 4.
        leader: 0 the non-dealer, 1 the dealer.
        updated: the player whose values, regrets and averages are updated.
        has_twins: whether the cards played are their own mirror image, so that hearts follow from diamonds.
    """

    contract: int
    depth: int
    leader: int
    updated: int
    has_twins: bool


@fast_kernel
def last_trick(game: HandGame, contract: int, updated: int, work: WalkBuffers) -> None:
    """Values of the only trick of a hand of one card."""
    dealers = UP_CARD if work.holds_up_card[0] else 0
    discards = discards_of(contract, DEALER)
    for nondealers in range(OTHER_CARDS):
        reach = work.reach[NONDEALER, 0, nondealers]
        for state in range(OTHER_CARDS):  # the dealer's discard, or the own card where none is put away
            card = dealers if discards > 1 else state
            payoff = game.last_payoffs[contract, NONDEALER, 0, NONDEALER, nondealers, card]
            if state == nondealers:
                continue
            if updated == NONDEALER:
                work.values[0, nondealers] += payoff * work.reach[DEALER, 0, state]
            else:
                work.values[0, state] -= payoff * reach


@fast_kernel
def last_two_tricks(
    game: HandGame,
    contract: int,
    updated: int,
    depth: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Both last decisions: the values of the updated player's hands, its regrets and averages (`update.play_pass`).

    Args:
        depth: the depth of the last lead with a choice, 2n - 4.
    """
    leader = work.leader[depth]
    twins = game.uses_mirror and is_own_image(contract, work.seen[depth])
    here = LastLead(contract, depth, leader, updated, twins)
    for state in range(game.sets[work.hidden[updated, depth]] * discards_of(contract, updated)):
        work.values[depth, state] = 0.0
    node = DEPTH_STARTS[depth] + work.history[depth]
    start = game.node_starts[contract, node]
    list_unseen(work.seen[depth], t)
    list_leads(contract, depth, leader, work, t)
    read_reach(game, contract, depth, leader, work, t.leader, t)
    size = t.leader.size[NUMBER] * t.leader.size[ROWS]
    read_shares(game, play, start, size, 0, weights.responds and leader != updated, t.leader)
    if twins:
        mirror_shares(game, t.leader.size[NUMBER], t.leader, t)
    if leader == updated:
        for entry in range(size):
            t.leader.of_card[0, entry] = t.leader.of_card[1, entry] = ZERO_32
    for field in range(1, TRUMPS + 1):
        for c in range(t.leader.size[COUNT]):
            if game.fields[contract, t.leader.cards[c]] == field:
                _lead_suit(game, here, field, weights, play, work, t)
                break
    if updated == leader:
        _update_leader(game, here, start, size, weights, play, work, t)


@fast_kernel
def _lead_suit(
    game: HandGame, here: LastLead, field: int, weights: Weights, play: PlayArrays, work: WalkBuffers, t: LastTricks
) -> None:
    """Try all leads of a suit."""
    contract = here.contract
    depth = here.depth
    follower = 1 - here.leader
    free_pairs, choosing_pairs = list_follows(game, contract, field, depth, follower, work, t)
    rows = t.follower.size[ROWS]
    free = free_pairs * rows
    choosing = choosing_pairs * rows
    every = t.follower.size[NUMBER] * rows
    read_reach(game, contract, depth, follower, work, t.follower, t)
    read_payoffs(game, contract, here.updated, depth, here.leader, work, t)
    for entry in range(every):
        t.follower.value[entry] = ZERO_32
    for entry in range(choosing, every):
        t.follower.share[entry] = ONE_32
    for c in range(t.leader.size[COUNT]):
        card = t.leader.cards[c]
        if game.fields[contract, card] == field and not (here.has_twins and FIRST_HEART <= card < FIRST_SPADE):
            t.led[LED_PLACE], t.led[GONE] = c, t.follower.place[card]
            t.led[GONE_ROW] = t.row_of[card] if rows > 1 else -1
            _lead_card(game, here, card, free, choosing, every, weights, play, work, t)
    if here.updated == follower:
        of_diamonds = here.has_twins and field == game.fields[contract, FIRST_DIAMOND]
        return_values(game, contract, depth, follower, of_diamonds, work, t.follower, t)


@fast_kernel
def _lead_card(
    game: HandGame,
    here: LastLead,
    card: int,
    free: int,
    choosing: int,
    every: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Try one lead.

    Args:
        free, choosing, every: the numbers of the follower's entries that have a choice without the suit led, of those
            that have a choice, and of all.
    """
    contract = here.contract
    depth = here.depth
    follower = 1 - here.leader
    learns = here.updated == follower
    averages = weights.average > 0.0 and work.reachable[follower, depth]
    leader_comes = reach_last_cards(t)
    if not (leader_comes or averages if learns else work.reachable[follower, depth]):
        return
    child = DEPTH_STARTS[depth + 1] + work.history[depth] * CARDS + card
    first = game.node_starts[contract, child]
    second = first + 2 * free
    responds = weights.responds and not learns
    read_shares(game, play, first, free, 0, responds, t.follower)
    read_shares(game, play, second, choosing - free, free, responds, t.follower)
    for j in range(t.follower.size[COUNT]):
        wins = trick_winner(game, contract, here.leader, card, t.follower.cards[j])
        t.wins[j] = 0 if wins == here.leader else 1
    if here.has_twins and not FIRST_DIAMOND <= card < FIRST_SPADE:
        mirror_shares(game, choosing // t.follower.size[ROWS], t.follower, t)
    if not learns:
        reach_follows(t)
        value_last_cards(t)
        value_leads(t)
        return
    if averages:
        add_to_averages(game, play, first, free, 0, weights, t.follower)
        add_to_averages(game, play, second, choosing - free, free, weights, t.follower)
    if leader_comes:
        value_follows(t)
        update_regrets(contract, child, first, free, 0, weights, play, t.follower)
        update_regrets(contract, child, second, choosing - free, free, weights, play, t.follower)
        for entry in range(choosing, every):
            t.follower.value[entry] += t.follower.of_card[0, entry]
        if not weights.responds:
            play.visited[contract, child] = weights.iteration


@fast_kernel
def _update_leader(
    game: HandGame,
    here: LastLead,
    start: int,
    size: int,
    weights: Weights,
    play: PlayArrays,
    work: WalkBuffers,
    t: LastTricks,
) -> None:
    """Update the leader's averages and regrets, and add the values of its cards to those of its hands.

    Args:
        start, size: the entries of the lower cards; those of the higher ones follow.
    """
    contract = here.contract
    depth = here.depth
    leader = here.leader
    node = DEPTH_STARTS[depth] + work.history[depth]
    if here.has_twins:
        mirror_leads(game, t)
    if weights.average > 0.0 and work.reachable[leader, depth]:
        add_to_averages(game, play, start, size, 0, weights, t.leader)
    if not work.reachable[1 - leader, depth]:
        return
    for entry in range(size):
        t.leader.value[entry] = ZERO_32
    update_regrets(contract, node, start, size, 0, weights, play, t.leader)
    if not weights.responds:
        play.visited[contract, node] = weights.iteration
    return_values(game, contract, depth, leader, False, work, t.leader, t)
    if depth == game.line_cards:
        keep_card_values(game, contract, depth, leader, work, t)
