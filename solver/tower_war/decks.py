"""How good are a hand, a deck, and a pool while the draft goes on? And which split, pick and deck follow?

The value of a deck is the mean value of the hands of three it can draw, and the value of a hand is linear in a few
features (`hand_features`); the weights are a logistic regression of the winner of simulated wars on the difference of
two decks' mean features, so that hand_values are log-odds of winning the war (solver/tower_war/data, study
`value-model`). A mean over hands is a sum over triples of cards: one table of all triples makes every search below
cheap and exact.

`pool_features` describe a pool; the weights of each round are a least-squares fit of the difference of the final
decks' values on the difference of the two pools' features after that round, over simulated drafts. Drafted pyramids add
their own weights, fitted on wars. So the value of two pools is log-odds as well: its sigmoid is P(win the war).

>>> TRIPLES  # hands of three from 54 cards
24804
"""

import math
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.bits import deposit_bits, list_cards, lowest_index, popcount
from towerlab.games.cards import JOKER_1, JOKERS
from towerlab.games.jit import kernel
from towerlab.games.tower_war.records import ROUND_CARDS, ROUNDS
from towerlab.games.tower_war.rules import TOTAL, card_points
from towerlab.solver.tower_war.battle import WAY_PROFILE, WAY_ROOM, WAY_SIZE, ways_to_play

PACK = 54
TRIPLES = 54 * 53 * 52 // 6
HAND_FEATURES = 9
MAX_POOL = 40
_LEAST_GAIN = 1e-6  # of a sum over triples; smaller gains are rounding and could go on for ever

POOL_FEATURES = 10


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
    rows = np.zeros((TRIPLES, HAND_FEATURES), np.float32)
    ways = np.zeros((WAY_ROOM, WAY_SIZE), np.int64)
    features = np.zeros(HAND_FEATURES)
    for c in range(2, PACK):
        for b in range(1, c):
            for a in range(b):
                hand_features(1 << a | 1 << b | 1 << c, ways, features)
                for feature in range(HAND_FEATURES):
                    rows[triple_index(a, b, c), feature] = features[feature]
    return rows


@kernel
def deck_value(deck: int, hand_values: Array) -> float:
    """Return the mean value of the hands of a deck, in log-odds of the war; 0 for fewer than three cards.

    Args:
        deck: the card mask of the deck.
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
    """Return the best deck of a pool by steepest swaps, started from the best cards of the whole pool.

    A swap of two cards changes the sum over triples by sums that are kept up to date, so that all size · (n − size)
    swaps cost one look each; the search ends where no swap helps.

    Args:
        pool: the card mask of the pool.
        size: the number of cards in a deck; a smaller pool is returned whole (W2).
        hand_values: float [TRIPLES].
    """
    cards = np.empty(PACK, np.int64)
    count = list_cards(pool, cards)
    if count <= size:
        return pool
    cube = _triple_values(cards, count, hand_values)
    inside = np.zeros(count, np.int64)
    pairs = np.zeros((count, count))  # pairs[x, y]: sum over the deck's cards z of the value of x, y, z
    for x in range(count):
        _toggle_card(x, inside, pairs, cube)
    for _ in range(count - size):  # first drop, one by one, the card that is missed least
        worst = -1
        for x in range(count):
            if inside[x] and (worst < 0 or _card_sum(pairs, inside, x) < _card_sum(pairs, inside, worst)):
                worst = x
        _toggle_card(worst, inside, pairs, cube)
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
        _toggle_card(leaving, inside, pairs, cube)
        _toggle_card(entering, inside, pairs, cube)
    deck = 0
    for x in range(count):
        if inside[x]:
            deck |= 1 << cards[x]
    return deck


@kernel
def _triple_values(cards: Array, count: int, hand_values: Array) -> Array:
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
def _toggle_card(card: int, inside: Array, pairs: Array, cube: Array) -> None:
    """Put a card into the deck or take it out."""
    inside[card] = 1 - inside[card]
    for x in range(inside.size):
        for y in range(inside.size):
            pairs[x, y] += cube[x, y, card] if inside[card] else -cube[x, y, card]


@kernel
def best_deck(pool: int, size: int, hand_values: Array) -> int:
    """Return the best deck of a pool by looking at every subset: C(n, size) of them.

    Walks the subsets as a tree with an explicit stack; a card added costs its triples with the cards before it.

    Args:
        pool: the card mask of the pool, of at most `MAX_POOL` cards.
        size: the number of cards in a deck, at least 3; a smaller pool is returned whole.
        hand_values: float [TRIPLES].
    """
    cards = np.empty(PACK, np.int64)
    count = list_cards(pool, cards)
    if count <= size:
        return pool
    cube = _triple_values(cards, count, hand_values)
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
        size: the number of cards in the deck.
        guess: the deck one would build from the pool.
    """
    deck = seen
    for source in (guess & ~seen, pool & ~seen & ~guess):
        deck |= deposit_bits((1 << max(0, size - popcount(deck))) - 1, source)  # the lowest that there is room for
    return deck


class DraftValues(NamedTuple):
    """The weights by which drafted cards are valued.

    Attributes:
        deck_size: the option `deck_size`.
        hand_values: float32 [TRIPLES], value of every hand of three.
        pool_weights: float [ROUNDS, POOL_FEATURES].
        pyramid_weights: float [3], value of a drafted pyramid of each size.
    """

    deck_size: int
    hand_values: Array
    pool_weights: Array
    pyramid_weights: Array


@kernel
def pool_features(pool: int, size: int, hand_values: Array, features: Array) -> None:
    """Describe a pool.

    Args:
        pool: the card mask of the pool, empty or not.
        size: the number of cards in a deck.
        hand_values: float [TRIPLES], value of each hand.
        features: float [POOL_FEATURES], overwritten: value of the best deck; cards / 10; jokers; strengths of the three
            strongest suits, of the first two each with its square; ten-pointers / 10; pairs of a rank / 10. The
            strength of a suit is the sum of log10 points of its cards, in units of five ten-pointers.
    """
    features[:] = 0.0
    features[0] = deck_value(search_deck(pool, size, hand_values), hand_values)
    features[1] = popcount(pool) / 10.0
    features[2] = popcount(pool & JOKERS)
    strengths = np.zeros(4)
    ranks = np.zeros(13, np.int64)
    left = pool & ~JOKERS
    while left:
        card = lowest_index(left)
        left &= left - 1
        strengths[card // 13] += math.log10(card_points(card)) / 5.0
        ranks[card % 13] += 1
        features[8] += 0.1 if card % 13 >= 8 else 0.0
    for suit in range(1, 4):  # an insertion sort, which compiles in a tenth of the time of numba's
        while suit and strengths[suit - 1] > strengths[suit]:
            strengths[suit - 1], strengths[suit] = strengths[suit], strengths[suit - 1]
            suit -= 1
    features[7], features[5], features[3] = strengths[1:]
    features[4] = features[3] ** 2
    features[6] = features[5] ** 2
    for rank in range(13):
        features[9] += 0.1 * ranks[rank] * (ranks[rank] - 1) / 2


@kernel
def draft_round(cards: int) -> int:
    """Return the round (0..9) whose weights fit two pools of so many cards together."""
    return min(max(cards // ROUND_CARDS, 1), ROUNDS) - 1


@kernel
def pool_value(pool: int, cards: int, values: DraftValues) -> float:
    """Return the value of one pool when both together hold `cards` cards; only differences of values mean something."""
    features = np.empty(POOL_FEATURES)
    pool_features(pool, values.deck_size, values.hand_values, features)
    total = 0.0
    for feature in range(POOL_FEATURES):
        total += features[feature] * values.pool_weights[draft_round(cards), feature]
    return total


@kernel
def pile_gains(pools: Array, player: int, pile: int, other: int, values: DraftValues) -> Array:
    """Return the player's log-odds of the war with `pile` (the opponent gets `other`), and vice versa: float [2].

    Arrays: pools int64[2].
    """
    cards = popcount(pools[0] | pools[1] | pile | other)
    gains = np.empty(2)
    for turn in range(2):
        mine, theirs = (pile, other) if turn == 0 else (other, pile)
        gains[turn] = pool_value(pools[player] | mine, cards, values) - pool_value(
            pools[1 - player] | theirs, cards, values
        )
    return gains


@kernel
def cards_of_subset(cards: Array, subset: int) -> int:
    """Some of the five cards of a round, as a mask.

    Arrays: cards int64[5].
    """
    pile = 0
    for place in range(ROUND_CARDS):
        if (subset >> place) & 1:
            pile |= 1 << cards[place]
    return pile


@kernel
def split_by_model(pools: Array, player: int, cards: Array, values: DraftValues, stash: Array, offer: Array) -> int:
    """Return the pile of the split whose worse half is best for the splitter; the taker is assumed to value alike.

    Args:
        pools: int64 [2], card masks.
        player: the splitter.
        cards: int64 [5], the cards dealt.
        stash: int64 [3], the common stash; empty in the basic draft.
        offer: int64 [4], overwritten: pyramids of each size, and the pile (0: the one returned) they belong to.

    Returns:
        Card mask of pile 0.
    """
    best = -math.inf
    best_pile = 0
    pyramids = values.pyramid_weights
    offer[:] = 0
    for subset in range(1, 16):  # the fifth card always stays in the other pile
        pile = cards_of_subset(cards, subset)
        gains = pile_gains(pools, player, pile, cards_of_subset(cards, 31 - subset), values)
        for large in range(stash[0] + 1):
            for medium in range(stash[1] + 1):
                for small in range(stash[2] + 1):
                    bonus = large * pyramids[0] + medium * pyramids[1] + small * pyramids[2]
                    for pyramid_pile in range(2):
                        # The owner of the pile with the pyramids gains their value, the other player loses it.
                        first = gains[0] + (bonus if pyramid_pile == 0 else -bonus)
                        value = min(first, gains[1] + (bonus if pyramid_pile == 1 else -bonus))
                        if value > best + 1e-9:
                            best = value
                            best_pile = pile
                            offer[0] = large
                            offer[1] = medium
                            offer[2] = small
                            offer[3] = pyramid_pile
    return best_pile


@kernel
def take_by_model(pools: Array, player: int, pile: int, other: int, values: DraftValues, offer: Array) -> int:
    """Return the pile (0 or 1) of more value to the taker, its pyramids included.

    Arrays: pools int64[2], offer int64[4].
    """
    gains = pile_gains(pools, player, pile, other, values)
    pyramids = values.pyramid_weights
    bonus = offer[0] * pyramids[0] + offer[1] * pyramids[1] + offer[2] * pyramids[2]
    if offer[3] == 1:
        bonus = -bonus
    return 0 if gains[0] + bonus >= gains[1] - bonus else 1
