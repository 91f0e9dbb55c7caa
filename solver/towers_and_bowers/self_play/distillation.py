# pyright: reportMissingImports=false
"""Distillation: a small symmetric network learns to act as a larger policy, its teacher, does.

The teacher plays with itself, partly at random so that unusual positions come up as well. At each decision that
leaves a choice while the result is open it is asked twice, the two suits of the other colour in both orders; the mean
of both answers is the target. The pupil sees each decision in the standard order of the suits (`encoding`).

JAX and optax are the extra `train`; only `distil` imports them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats
from towerlab.solver.towers_and_bowers.self_play.encoding import INPUTS, dense, encode, mirror_actions
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACTIONS,
    CARDS,
    LARGEST_HAND,
    MOST_DECISIONS,
    OVER,
    SECOND_CALL,
    State,
    deal,
    is_settled,
    legal,
    mirror_hands,
    rows_of,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import (
    Floats32,
    Layer,
    Network,
    Policy,
    action_probabilities,
    choose,
    new_network,
    symmetric_outputs,
)
from towerlab.solver.towers_and_bowers.self_play.training import SIZES

STRAYS: Final = (0.01, 0.15)  # the share of actions at random, of two kinds of hands
MANY_STRAYS: Final = 0.6  # of the hands
RANDOM_CALLS: Final = 0.3  # of the hands, in which each call is made at random
MOST_CHOICES: Final = 8  # legal actions of a decision at most: the dealer's discard of a hand of seven
_PACKED: Final = -(-INPUTS // 8)


class Lessons(NamedTuple):
    """Decisions of the teacher, arrays of [decisions].

    Attributes:
        seen: uint8[decisions, 38], the 304 inputs in the standard order, as bits.
        legal: int32, masks of the legal actions, of the same order.
        tied: bool, whether the decision is its own mirror image.
        shares: float16[decisions, 8], the teacher's probabilities of the legal actions in order, then 0.
    """

    seen: NDArray[np.uint8]
    legal: NDArray[np.int32]
    tied: Bools
    shares: NDArray[np.float16]


def play_lessons(teacher: Policy, hands: int, random: np.random.Generator, sizes: Sequence[float] = SIZES) -> Lessons:
    """Return the decisions of so many hands that the teacher plays with itself.

    Args:
        teacher: decides.
        hands: how many.
        random: draws deals and what the teacher does.
        sizes: how often hands of 1 to 7 cards are dealt; in proportion.
    """
    often = np.asarray(sizes) / np.sum(sizes)
    size = 1 + random.choice(LARGEST_HAND, hands, p=often)
    state = deal(random.random((hands, CARDS)), size)
    strays = np.where(random.random(hands) < MANY_STRAYS, STRAYS[1], STRAYS[0])
    calls_at_random = random.random(hands) < RANDOM_CALLS
    parts = []
    for _ in range(MOST_DECISIONS):
        rows = np.flatnonzero((state.decision != OVER) & ~is_settled(state))
        if not len(rows):
            break
        state = rows_of(state, rows)
        strays = strays[rows]
        calls_at_random = calls_at_random[rows]
        possible = legal(state)
        shares = possible.astype(np.float64)
        choices = np.flatnonzero(possible.sum(axis=1) > 1)
        lessons, shares[choices] = _ask(teacher, rows_of(state, choices), possible[choices])
        parts.append(lessons)
        stray = (random.random(len(rows)) < strays) | calls_at_random & (state.decision <= SECOND_CALL)
        shares = np.where(stray[:, None], possible / possible.sum(axis=1, keepdims=True), shares)
        state = step(state, choose(shares, random.random(len(rows))))
    return Lessons(*map(np.concatenate, zip(*parts, strict=True)))


def _ask(teacher: Policy, state: State, possible: Bools) -> tuple[Lessons, Floats]:
    """Return the lessons of decisions, and the teacher's probabilities: float64[decisions, 30]."""
    named_only = (state.trump == 2) | (state.trump == 3)
    mirrored = action_probabilities(teacher, mirror_hands(state))
    shares = (action_probabilities(teacher, state) + mirror_actions(mirrored, ~named_only)) / 2
    encoded = encode(state, np.arange(len(state.size)), symmetric=True)
    standard = mirror_actions(possible, encoded.mirrored)
    order = np.argsort(~standard, axis=1, kind="stable")[:, :MOST_CHOICES]
    return Lessons(
        np.packbits(dense(encoded), axis=1),
        (standard * (1 << np.arange(ACTIONS))).sum(axis=1).astype(np.int32),
        encoded.tied,
        np.take_along_axis(mirror_actions(shares, encoded.mirrored), order, axis=1).astype(np.float16),
    ), shares


# ------------------------------------------------------------------------------------------------------------ training


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: its size, the steps, rows of each, learning rate, decay of weights."""

    width: int = 192
    layers: int = 3
    steps: int = 10_000
    rows: int = 2048
    rate: float = 0.02
    decay: float = 0.01


_WARM_UP: Final = 200  # steps, of long runs
_ADAM: Final = 0.075  # its rate, a part of Muon's
_AVERAGED: Final = 0.003  # of the moving average, the new weights' part
_REPORT: Final = 500


def lesson_rows(lessons: Lessons, rows: Any) -> tuple[Floats32, Bools, Bools, Floats32]:
    """Return inputs, legal actions, whether they are tied, and the teacher's probabilities of some decisions."""
    seen = np.unpackbits(lessons.seen[rows], axis=1, count=INPUTS).astype(np.float32)
    possible = (lessons.legal[rows, None] >> np.arange(ACTIONS) & 1) != 0
    place = np.minimum(np.cumsum(possible, axis=1) - 1, MOST_CHOICES - 1)
    shares = np.take_along_axis(lessons.shares[rows].astype(np.float32), np.maximum(place, 0), axis=1)
    shares = np.where(possible, shares, 0)
    return seen, possible, lessons.tied[rows], shares / shares.sum(axis=1, keepdims=True)


def lesson_loss(network: Network, seen: Any, possible: Any, tied: Any, shares: Any) -> Any:
    """Return the mean Kullback-Leibler divergence of a network from the teacher's probabilities, in nats, a scalar."""
    import jax
    import jax.numpy as jnp

    outputs = symmetric_outputs(network, seen, tied, jnp)
    logs = jax.nn.log_softmax(jnp.where(possible, outputs, -1e9))
    return (shares * (jnp.log(jnp.maximum(shares, 1e-12)) - jnp.where(possible, logs, 0))).sum(1).mean()


def distil(
    lessons: Lessons,
    recipe: Recipe,
    random: np.random.Generator,
    report: Callable[[int, float, Network], None] | None = None,
    start: Network | None = None,
) -> Network:
    """Train a network by Muon, what is no matrix by Adam; the moving average of its weights is returned.

    Args:
        lessons: what the teacher does.
        recipe: how.
        random: draws weights and decisions.
        report: called every 500 steps: the step, the mean loss since, the network so far.
        start: a network to continue; its size counts.
    """
    import jax
    import jax.numpy as jnp
    import optax

    first = start or new_network(random, INPUTS, recipe.width, recipe.layers, ACTIONS)
    weights = jax.tree.map(jnp.asarray, first)
    rates = [
        optax.join_schedules(
            [optax.linear_schedule(0, rate, _WARM_UP), optax.cosine_decay_schedule(rate, recipe.steps - _WARM_UP)],
            [_WARM_UP],
        )
        for rate in (recipe.rate, recipe.rate * _ADAM)
    ]
    moves = optax.contrib.muon(rates[0], weight_decay=recipe.decay, adam_learning_rate=rates[1])
    state = moves.init(weights)

    @jax.jit
    def step(weights: Any, mean: Any, state: Any, part: Any, rows: Any) -> Any:
        value, slope = jax.value_and_grad(lesson_loss)(weights, *rows)
        change, state = moves.update(slope, state, weights)
        weights = optax.apply_updates(weights, change)
        return weights, optax.incremental_update(weights, mean, part), state, value

    mean = weights
    losses = []
    order = np.empty(0, dtype=np.int64)
    for number in range(1, recipe.steps + 1):
        if len(order) < recipe.rows:
            order = np.concatenate([order, random.permutation(len(lessons.legal))])
        rows = order[: recipe.rows]
        order = order[recipe.rows :]
        part = max(1 / number, _AVERAGED)
        weights, mean, state, value = step(weights, mean, state, part, lesson_rows(lessons, rows))
        losses.append(value)
        if report is not None and number % _REPORT == 0:
            report(number, float(np.mean(losses[-_REPORT:])), _as_arrays(mean))
    return _as_arrays(mean)


def held_out_loss(network: Network, lessons: Lessons) -> float:
    """Return the loss of a network on decisions that it has not seen."""
    return float(lesson_loss(network, *lesson_rows(lessons, slice(None))))


def _as_arrays(network: Any) -> Network:
    hidden = tuple(Layer(*(np.asarray(array, dtype=np.float32) for array in layer)) for layer in network.hidden)
    return Network(hidden, np.asarray(network.weight, np.float32), np.asarray(network.bias, np.float32))
