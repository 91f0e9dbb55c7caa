"""Values of the cards of the last two tricks, for all pairs of cards at once."""

from __future__ import annotations

from towerlab.games.jit import fast_kernel
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    FIRST_DIAMOND,
    FIRST_HEART,
    MIRRORED,
    NONDEALER,
    UP_CARD,
    HandGame,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks.pairs import (
    COUNT,
    GONE,
    GONE_ROW,
    LEAD,
    NUMBER,
    ONE,
    ROWS,
    UNSEEN,
    ZERO,
    CardPairs,
    LastTricks,
    first_state,
)
from towerlab.solver.towers_and_bowers.whole_hand.workspace import WalkBuffers, discards_of


@fast_kernel
def read_payoffs(
    game: HandGame, contract: int, updated: int, depth: int, leader: int, work: WalkBuffers, t: LastTricks
) -> None:
    """`payoff`, `same` and `put`, to the updated player."""
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
    """The leader's last cards, by the place among the leader's, the follower's and all unseen cards."""
    p = t.leader
    c = t.led[LEAD]
    leads = p.size[COUNT]
    rows = p.size[ROWS]
    comes = False
    for place in range(CARDS):
        t.by_card[place] = ZERO
        t.by_row[place] = ZERO
        t.total[place] = ZERO
    for x in range(leads):
        pair = p.number[x, c]
        if pair < 0:
            for r in range(rows):
                t.last[x, r] = ZERO
            continue
        total = ZERO
        for r in range(rows):
            entry = pair * rows + r
            share = p.share[entry] if c < x else ONE - p.share[entry]
            t.last[x, r] = p.reach[entry] * share
        for r in range(rows):
            total += t.last[x, r]
        t.total[x] = total
        if t.follower.place[p.cards[x]] >= 0:
            t.by_card[t.follower.place[p.cards[x]]] = total
        if t.row_of[p.cards[x]] >= 0:
            t.by_row[t.row_of[p.cards[x]]] = total
        comes = comes or bool(total > ZERO)
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
            t.keeping[w, j] = ZERO
        for x in range(leads):
            reach = t.total[x]
            if reach != ZERO:
                for j in range(CARDS):
                    t.keeping[w, j] += reach * t.payoff[w, x, j]
    if lead_rows > 1:
        for j in range(count):
            row = t.row_of[p.cards[j]]
            for w in range(2):
                total = ZERO
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
                if put != ZERO:
                    for j in range(CARDS):
                        t.card_value[i, j] -= put * t.payoff[w, x, j]
            if own >= 0:
                for j in range(count):
                    t.card_value[i, j] += t.last[own, t.row_of[p.cards[j]]] * t.same[w, i, j]
    if gone >= 0:
        for i in range(CARDS):
            t.card_value[gone, i] = ZERO
            t.card_value[i, gone] = ZERO
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
                p.of_card[0, first + r] = p.of_card[1, first + r] = ZERO
            continue
        low = t.card_value[k, h]
        high = t.card_value[h, k]
        wl = t.wins[k]
        wh = t.wins[h]
        for r in range(rows):
            p.of_card[0, first + r] = low - t.out[wl, h, r]
            p.of_card[1, first + r] = high - t.out[wh, k, r]
        p.of_card[0, first + t.led[GONE_ROW]] = p.of_card[1, first + t.led[GONE_ROW]] = ZERO


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
            t.played[i, j] = ZERO
    if rows == 1:
        for pair in range(pairs):
            low = p.reach[pair] * p.share[pair]
            t.played[p.low[pair], p.high[pair]] = low
            t.played[p.high[pair], p.low[pair]] = p.reach[pair] - low
    else:
        for pair in range(pairs):
            k, h = p.low[pair], p.high[pair]
            low_total = ZERO
            every_total = ZERO
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
            t.played[gone, i] = ZERO
            t.played[i, gone] = ZERO


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
            t.keeping[w, j] = ZERO
    for i in range(count):
        w = t.wins[i]
        for j in range(CARDS):
            t.keeping[w, j] += t.played[i, j]
    for x in range(leads):
        total = ZERO
        for j in range(count):
            total += t.keeping[0, j] * t.payoff[0, x, j] + t.keeping[1, j] * t.payoff[1, x, j]
        own = p.place[t.leader.cards[x]]
        if own >= 0:
            w = t.wins[own]
            taken = ZERO
            for j in range(count):
                taken += t.played[own, j] * t.same[w, own, j]
            total -= taken
        for r in range(lead_rows):
            t.last_value[x, r] = total
    if rows > 1:
        for r in range(CARDS):
            t.by_row[r] = ZERO
        for i in range(count):
            w = t.wins[i]
            for j in range(count):
                if t.played[i, j] != ZERO:
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
    c = t.led[LEAD]
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
