"""Values of decks, and the best deck of a pool.

The value of a deck is the mean value of the hands of three it can draw, and the value of a hand is linear in a few
features (`hand_features`); the weights are a logistic regression of the winner of simulated wars on the difference of
two decks' mean features, so that hand_values are log-odds of winning the war (solver/data, study `value-model`). A mean
over hands is a sum over triples of cards: one table of all triples makes every search below cheap and exact.
"""

from __future__ import annotations

import math

import numpy as np

from towerlab.games.bits import deposit_bits, list_cards, lowest_index, popcount
from towerlab.games.cards import JOKER_1
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import TOTAL, Array, card_points
from towerlab.solver.tower_war.battle import WAY_PROFILE, WAY_ROOM, WAY_SIZE, ways_to_play

PACK = 54
TRIPLES = 54 * 53 * 52 // 6
HAND_FEATURES = 9
MAX_POOL = 40
_LEAST_GAIN = 1e-6  # of a sum over triples; smaller gains are rounding and could go on for ever


@kernel
def triple_index(a: int, b: int, c: int) -> int:
    """Place of three different cards in a table of triples, in any order."""
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    return high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low


@kernel
def hand_features(hand: int, ways: Array, features: Array) -> None:
    """Describe a hand of three by numbers.

    Args:
        hand: mask of three cards.
        ways: workspace for its ways (overwritten).
        features: float [HAND_FEATURES], overwritten: log10 of the largest battle total the hand can make, and its
            square; 1 if a card can be a double; jokers; 1 if two, and if three cards are of a suit (jokers aside);
            sums of log10 points of all plain cards; log10 of the lowest points; ranks above ten / 12.
    """
    count = ways_to_play(hand, 0, ways)
    total = 1
    for row in range(count):
        total = max(total, ways[row, WAY_PROFILE + TOTAL])
    features[:] = 0.0
    features[0] = math.log10(total)
    features[1] = features[0] ** 2
    ranks = 0
    suits = 0
    lowest = 10
    left = hand
    while left:
        card = lowest_index(left)
        left &= left - 1
        if card >= JOKER_1:
            features[3] += 1.0
            features[2] = 1.0
            continue
        rank = card % 13
        suit = card // 13
        if (ranks >> rank) & 1:
            features[2] = 1.0
        ranks |= 1 << rank
        suits += 1 << (4 * suit)
        lowest = min(lowest, card_points(card))
        features[6] += math.log10(card_points(card))
        features[8] += max(0, rank - 8) / 12.0
    for suit in range(4):
        held = (suits >> (4 * suit)) & 15
        features[4] += 1.0 if held == 2 else 0.0
        features[5] += 1.0 if held == 3 else 0.0
    features[7] = math.log10(lowest)


@kernel
def triple_features() -> Array:
    """`hand_features` of every hand: float32 [TRIPLES, HAND_FEATURES] by `triple_index`."""
    table = np.zeros((TRIPLES, HAND_FEATURES), np.float32)
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    features = np.zeros(HAND_FEATURES)
    for c in range(2, PACK):
        for b in range(1, c):
            for a in range(b):
                hand_features(1 << a | 1 << b | 1 << c, ways, features)
                for feature in range(HAND_FEATURES):
                    table[triple_index(a, b, c), feature] = features[feature]
    return table


@kernel
def deck_value(deck: int, hand_values: Array) -> float:
    """Return the mean value of the hands of a deck, in log-odds of the war; 0 for fewer than three cards.

    Args:
        deck: card mask.
        hand_values: float [TRIPLES], value of each hand.
    """
    cards = np.empty(PACK, np.int64)
    count = list_cards(deck, cards)
    total = 0.0
    for z in range(2, count):
        for y in range(1, z):
            for x in range(y):
                total += hand_values[triple_index(cards[x], cards[y], cards[z])]
    return total / max(1, count * (count - 1) * (count - 2) // 6)


@kernel
def search_deck(pool: int, size: int, hand_values: Array) -> int:
    """The best deck of a pool by steepest swaps, started from the best cards of the whole pool.

    A swap of two cards changes the sum over triples by sums that are kept up to date, so that all size · (n − size)
    swaps cost one look each; the search ends where no swap helps.

    Args:
        pool: card mask.
        size: cards of a deck; a smaller pool is returned whole (W2).
        hand_values: float [TRIPLES].
    """
    cards = np.empty(PACK, np.int64)
    count = list_cards(pool, cards)
    if count <= size:
        return pool
    cube = _cube(cards, count, hand_values)
    inside = np.zeros(count, np.int64)
    pairs = np.zeros((count, count))  # pairs[x, y]: sum over the deck's cards z of the value of x, y, z
    for x in range(count):
        _turn(x, inside, pairs, cube)
    for _ in range(count - size):  # first drop, one by one, the card that is missed least
        worst = -1
        for x in range(count):
            if inside[x] and (worst < 0 or _card_sum(pairs, inside, x) < _card_sum(pairs, inside, worst)):
                worst = x
        _turn(worst, inside, pairs, cube)
    sums = np.empty(count)
    while True:
        for x in range(count):
            sums[x] = _card_sum(pairs, inside, x)
        gain = _LEAST_GAIN
        leaving = -1
        entering = -1
        for x in range(count):
            for y in range(count):
                if inside[x] and not inside[y] and sums[y] - pairs[x, y] - sums[x] > gain:
                    gain = sums[y] - pairs[x, y] - sums[x]
                    leaving = x
                    entering = y
        if leaving < 0:
            break
        _turn(leaving, inside, pairs, cube)
        _turn(entering, inside, pairs, cube)
    deck = 0
    for x in range(count):
        if inside[x]:
            deck |= 1 << cards[x]
    return deck


@kernel
def _cube(cards: Array, count: int, hand_values: Array) -> Array:
    """Return the values of all triples of some cards, in every order: float64[count, count, count]."""
    cube = np.zeros((count, count, count))
    for z in range(2, count):
        for y in range(1, z):
            for x in range(y):
                value = hand_values[triple_index(cards[x], cards[y], cards[z])]
                for p, q, r in ((x, y, z), (y, z, x), (z, x, y)):
                    cube[p, q, r] = value
                    cube[q, p, r] = value
    return cube


@kernel
def _card_sum(pairs: Array, inside: Array, x: int) -> float:
    """Sum of the hand_values of the triples of a card with two others of the deck."""
    total = 0.0
    for y in range(inside.size):
        if inside[y] and y != x:
            total += pairs[x, y]
    return total / 2.0


@kernel
def _turn(card: int, inside: Array, pairs: Array, cube: Array) -> None:
    """Put a card into the deck or take it out."""
    inside[card] = 1 - inside[card]
    for x in range(inside.size):
        for y in range(inside.size):
            pairs[x, y] += cube[x, y, card] if inside[card] else -cube[x, y, card]


@kernel
def best_deck(pool: int, size: int, hand_values: Array) -> int:
    """The best deck of a pool by looking at every subset: C(n, size) of them.

    Walks the subsets as a tree with an explicit stack; a card added costs its triples with the cards before it.

    Args:
        pool: card mask of at most `MAX_POOL` cards.
        size: cards of a deck, at least 3; a smaller pool is returned whole.
        hand_values: float [TRIPLES].
    """
    cards = np.empty(PACK, np.int64)
    count = list_cards(pool, cards)
    if count <= size:
        return pool
    cube = _cube(cards, count, hand_values)
    chosen = np.full(size, -1)
    totals = np.zeros(size + 1)
    # gains[depth, x]: what card x adds to the first `depth` chosen cards
    gains = np.zeros((size + 1, count))
    best = -math.inf
    best_chosen = chosen.copy()
    depth = 0
    while depth >= 0:
        chosen[depth] += 1
        card = chosen[depth]
        if card > count - size + depth:
            depth -= 1
            continue
        totals[depth + 1] = totals[depth] + gains[depth, card]
        if depth == size - 1:
            if totals[size] > best:
                best = totals[size]
                best_chosen[:] = chosen
            continue
        for x in range(card + 1, count):
            added = 0.0
            for j in range(depth):
                added += cube[chosen[j], card, x]
            gains[depth + 1, x] = gains[depth, x] + added
        depth += 1
        chosen[depth] = card
    deck = 0
    for place in best_chosen:
        deck |= 1 << cards[place]
    return deck


@kernel
def believed_deck(pool: int, seen: int, size: int, guess: int) -> int:
    """Return the likeliest deck of an opponent: the cards seen from it, filled up from a guess.

    Args:
        pool: cards the player may have drafted.
        seen: cards of the deck that were played, discarded or built in.
        size: of the deck.
        guess: the deck one would build from the pool.
    """
    deck = seen
    for source in (guess & ~seen, pool & ~seen & ~guess):
        deck |= deposit_bits((1 << max(0, size - popcount(deck))) - 1, source)  # the lowest that there is room for
    return deck
