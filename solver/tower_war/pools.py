"""Values of pools while the draft goes on, and the splits and picks that follow from them.

`pool_features` describe a pool; the weights of each round are a least-squares fit of the difference of the final
decks' values (log-odds of the war, solver/tower_war/decks.py) on the difference of the two pools' features after that
round, over simulated drafts. Drafted pyramids add their own weights, fitted on wars (solver/data, study
`value-model`). So the value of two pools is log-odds as well: its sigmoid is P(win the war).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import JOKERS
from towerlab.games.jit import kernel
from towerlab.games.tower_war.battle import Array, card_points
from towerlab.games.tower_war.draft import ROUND_CARDS, ROUNDS
from towerlab.solver.tower_war.decks import deck_value, search_deck

POOL_FEATURES = 10


class DraftValues(NamedTuple):
    """The weights by which drafted cards are valued.

    Attributes:
        deck_size: option.
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
        pool: card mask, empty or not.
        size: cards of a deck.
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
    strengths.sort()
    features[7], features[5], features[3] = strengths[1:]
    features[4] = features[3] ** 2
    features[6] = features[5] ** 2
    for rank in range(13):
        features[9] += 0.1 * ranks[rank] * (ranks[rank] - 1) / 2


@kernel
def draft_round(cards: int) -> int:
    """The round (0..9) whose weights fit two pools of so many cards together."""
    return min(max(cards // ROUND_CARDS, 1), ROUNDS) - 1


@kernel
def pool_value(pool: int, cards: int, values: DraftValues) -> float:
    """The value of one pool when both together hold `cards` cards; only differences of values mean something."""
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
def some_of(cards: Array, subset: int) -> int:
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
    """The pile of the split whose worse half is best for the splitter; the taker is assumed to value alike.

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
        pile = some_of(cards, subset)
        gains = pile_gains(pools, player, pile, some_of(cards, 31 - subset), values)
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
