# pyright: reportMissingImports=false
"""Training of the policy by self-play, in JAX: proximal policy optimisation with a critic that sees both hands.

An iteration plays a batch of hands by the policy and improves it on their decisions, in one pass of eight minibatches.
Decisions count that leave a choice while the result is open. `iterate` is pure: a run depends on its seed and on
nothing else, so that a run that was kept and continued is the same as one that was never interrupted.

The policy that plays makes every call at least with a floor, so that no call stays unknown; the policy that answers is
the moving average of the weights, without floors. Rudolph, Lichtlé, Mohammadpour and others, "Reevaluating Policy
Gradient Methods for Imperfect-Information Games" (ICLR 2026), show how far this method goes with an entropy bonus.

JAX and optax are the extra `train`; only these functions import them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.solver.towers_and_bowers.self_play.encoding import CRITIC_INPUTS, INPUTS, critic_inputs
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACTIONS,
    CARDS,
    LARGEST_HAND,
    MOST_DECISIONS,
    SECOND_CALL,
    Array,
    State,
    deal,
    is_settled,
    legal,
    payoffs,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import Floats32, Network, new_network, outputs_of

SIZES: Final = (0.01, 0.03, 0.08, 0.2, 0.2, 0.22, 0.26)  # how often hands of 1 to 7 cards are dealt
MINIBATCHES: Final = 8
CLIP: Final = 0.2  # how far the ratio of probabilities may go from 1
DECAY: Final = 0.9  # λ of generalised advantage estimation
GRADIENT_NORM: Final = 0.5
ENTROPY: Final = (0.02, 0.0003)  # bonus, at the first and at the last iteration
FLOOR: Final = (0.06, 0.01)  # of every call
RATE: Final = (6e-4, 2e-5)  # of Adam
AVERAGED: Final = 500  # iterations in the moving average at most: it keeps 0.998 of itself
AVERAGED_SHARE: Final = 0.1  # of the iterations so far
CRITIC_FIRST: Final = 20  # iterations in which a new critic learns alone beside a policy that has been trained
COUNTED: Final = 0.55  # of an iteration's decisions, learned from: all that count, in general

_NEVER: Final = -1e9


class TrainingRun(NamedTuple):
    """A run between two iterations; arrays of JAX.

    Attributes:
        policy: the network that plays.
        critic: P(the seat to act takes the tower), as a logit of `critic_inputs`.
        average: the moving average of the policy's weights, which answers.
        optimiser: the state of Adam, of policy and critic.
        key: uint32[2], of the random numbers to come.
        dealer_wins: float32[8], running means of the dealer's probability of taking the tower, by hand size.
        iterations: int32, done so far.
    """

    policy: Network
    critic: Network
    average: Network
    optimiser: Any
    key: Array
    dealer_wins: Array
    iterations: Array


class Decisions(NamedTuple):
    """Decisions with what became of them, arrays of [decisions] or, while hands are played, of [steps, hands].

    Attributes:
        state: the hands before them.
        action: made there.
        share: float32, its probability.
        value: float32, the critic's P(the seat to act takes the tower); then the value to learn.
        gain: float32, the advantage of the action.
        counts: bool, whether there is a choice and the result is open.
    """

    state: State
    action: Array
    share: Array
    value: Array
    gain: Array
    counts: Array


class Measures(NamedTuple):
    """Means over the decisions of an iteration: the policy's entropy in nats, the critic's RMS error, counted share."""

    entropy: Array
    critic_error: Array
    counted: Array


def start_run(seed: np.random.SeedSequence, width: int, layers: int, start: Network | None = None) -> TrainingRun:
    """Return a run before its first iteration.

    Args:
        seed: of the weights and of all random numbers.
        width, layers: of the hidden layers of both networks.
        start: a policy to continue; its size counts.
    """
    import jax
    import jax.numpy as jnp

    random = np.random.default_rng(seed)
    if start is not None:
        width = len(start.hidden[0].bias)
        layers = len(start.hidden)
    policy = start or new_network(random, INPUTS, width, layers, ACTIONS)
    critic = new_network(random, CRITIC_INPUTS, width, layers, 1)
    key = jax.random.PRNGKey(int(seed.generate_state(1)[0]))
    run = TrainingRun(
        *(policy, critic, policy, _optimiser().init((policy, critic)), key),
        *(np.full(LARGEST_HAND + 1, 0.5, np.float32), np.int32(0)),
    )
    return jax.tree.map(jnp.asarray, run)  # type: ignore[no-any-return]


@functools.cache
def compiled_iteration(
    hands: int, deal_values: tuple[float, ...], waits: int = 0
) -> Callable[[TrainingRun, float], tuple[TrainingRun, Measures]]:
    """Return the function (run, progress from 0 to 1) → (run after one more iteration, measures), compiled.

    Args:
        hands: of an iteration.
        deal_values: W(1), W(2), …, as far as they are known; the others are the run's own running means.
        waits: iterations in which the critic learns alone.
    """
    import jax

    known = np.zeros(LARGEST_HAND, dtype=np.float32)
    known[1 : len(deal_values) + 1] = deal_values
    return jax.jit(lambda run, progress: iterate(run, progress, hands, known, waits))  # type: ignore[no-any-return]


def iterate(
    run: TrainingRun, progress: Array, hands: int, known: Floats32, waits: int = 0
) -> tuple[TrainingRun, Measures]:
    """Play hands by the policy and learn from them.

    Args:
        run: before the iteration.
        progress: from 0 at the first to 1 at the last iteration.
        hands: how many.
        known: float32[7], W(n) at place n where it is known, else 0.
        waits: the policy does not learn before that iteration.
    """
    import jax
    import jax.numpy as jnp

    key, sizing, dealing, playing, drawing = jax.random.split(run.key, 5)
    size = 1 + jax.random.choice(sizing, LARGEST_HAND, (hands,), p=jnp.array(SIZES))
    dealt = deal(jax.random.uniform(dealing, (hands, CARDS)), size, jnp)
    floor = _geometric(FLOOR, progress)
    last, decisions = _play(run, jax.tree.map(lambda array: array.astype(jnp.int32), dealt), playing, floor)
    won = payoffs(last, jnp.where(known > 0, known, run.dealer_wins[:LARGEST_HAND]), jnp)[:, 1]
    judged = _judge(decisions, won)

    flat = jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:]), judged)
    order = jnp.argsort(jax.random.uniform(drawing, flat.counts.shape) + ~flat.counts)  # those that count come first
    rows = order[: int(COUNTED * len(order)) // MINIBATCHES * MINIBATCHES].reshape(MINIBATCHES, -1)
    rates = (RATE[0] + (RATE[1] - RATE[0]) * progress) * jnp.array([run.iterations >= waits, True])
    learnt, entropies = jax.lax.scan(
        lambda state, rows: _learn(state, jax.tree.map(lambda array: array[rows], flat), rates, floor, progress),
        ((run.policy, run.critic), run.optimiser),
        rows,
    )
    (policy, critic), optimiser = learnt
    share = jnp.maximum(1 / AVERAGED, 1 / (1 + AVERAGED_SHARE * run.iterations))
    average = jax.tree.map(lambda old, new: old + share * (new - old), run.average, policy)
    sizes = size[:, None] == jnp.arange(LARGEST_HAND + 1)
    dealt_often = sizes.sum(axis=0)
    means = jnp.where(
        dealt_often > 0, (sizes * won[:, None]).sum(axis=0) / jnp.maximum(dealt_often, 1), run.dealer_wins
    )
    dealer_wins = run.dealer_wins + share * (means - run.dealer_wins)
    misses = jnp.where(decisions.counts, (decisions.value - _of_turn(won, decisions.state.turn)) ** 2, 0)
    counted = flat.counts.sum()
    measures = Measures(entropies.mean(), jnp.sqrt(misses.sum() / counted), counted / flat.counts.size)
    return TrainingRun(policy, critic, average, optimiser, key, dealer_wins, run.iterations + 1), measures


def _play(run: TrainingRun, dealt: State, key: Array, floor: Array) -> tuple[State, Decisions]:
    """Play hands to their ends; the decisions have no `gain` yet."""
    import jax
    import jax.numpy as jnp

    def decide(state: State, key: Array) -> tuple[State, Decisions]:
        rows = critic_inputs(state, jnp).astype(jnp.float32)
        possible = legal(state, jnp)
        _, shares = _shares(run.policy, rows, possible, state, floor)
        action = jax.random.categorical(key, jnp.log(shares))
        share = jnp.take_along_axis(shares, action[:, None], axis=1)[:, 0]
        value = jax.nn.sigmoid(outputs_of(run.critic, rows, jnp)[:, 0])
        counts = (possible.sum(axis=1) > 1) & ~is_settled(state, jnp)
        return step(state, action, jnp), Decisions(state, action, share, value, jnp.zeros_like(value), counts)

    return jax.lax.scan(decide, dealt, jax.random.split(key, MOST_DECISIONS))  # type: ignore[no-any-return]


def _shares(policy: Network, rows: Array, possible: Array, state: State, floor: Array) -> tuple[Array, Array]:
    """float32[rows, 30] twice: log-probabilities of the policy, and the probabilities with floors, which play."""
    import jax
    import jax.numpy as jnp

    logits = jnp.where(possible, outputs_of(policy, rows[:, :INPUTS], jnp), _NEVER)
    logs = jax.nn.log_softmax(logits)
    floors = jnp.where((state.decision <= SECOND_CALL)[:, None], floor * possible, 0)
    return logs, floors + (1 - floors.sum(axis=1, keepdims=True)) * jnp.exp(logs)


def _judge(decisions: Decisions, won: Array) -> Decisions:
    """Return the decisions with their advantages and with the values to learn: generalised advantage estimation.

    Args:
        decisions: of [steps, hands]; those that do not count are passed over.
        won: float32[hands], the dealer's probability of taking the tower in the end.
    """
    import jax
    import jax.numpy as jnp

    def back(later: tuple[Array, Array], at: tuple[Array, Array]) -> tuple[tuple[Array, Array], Array]:
        next_value, next_gain = later
        value, counts = at
        gain = next_value - value + DECAY * next_gain
        return (jnp.where(counts, value, next_value), jnp.where(counts, gain, next_gain)), gain

    turn = decisions.state.turn
    values = _of_turn(decisions.value, turn)
    gains = jax.lax.scan(back, (won, jnp.zeros_like(won)), (values, decisions.counts), reverse=True)[1]
    targets = jnp.clip(_of_turn(values + gains, turn), 0, 1)
    return decisions._replace(value=targets, gain=jnp.where(turn == 1, gains, -gains))


def _of_turn(dealer_wins: Array, turn: Array) -> Array:
    """The dealer's probability of taking the tower as that of the seat to act, or the other way round."""
    import jax.numpy as jnp

    return jnp.where(turn == 1, dealer_wins, 1 - dealer_wins)


# ------------------------------------------------------------------------------------------------------------ learning


def _learn(state: Any, some: Decisions, rates: Array, floor: Array, progress: Array) -> tuple[Any, Array]:
    """Make one step of Adam on some decisions; returns ((policy, critic), optimiser) and the policy's mean entropy.

    Args:
        state: ((policy, critic), optimiser).
        some: a minibatch.
        rates: of the policy and of the critic.
        floor, progress: of the iteration.
    """
    import jax

    networks, optimiser = state
    (_, entropy), slope = jax.value_and_grad(_loss, has_aux=True)(networks, some, floor, _geometric(ENTROPY, progress))
    moves, optimiser = _optimiser().update(slope, optimiser)
    moved = tuple(
        jax.tree.map(lambda weight, move, rate=rate: weight - rate * move, network, move)
        for network, move, rate in zip(networks, moves, rates, strict=True)
    )
    return (moved, optimiser), entropy


def _loss(networks: tuple[Network, Network], some: Decisions, floor: Array, bonus: Array) -> tuple[Array, Array]:
    """Return the loss of policy and critic, and the policy's mean entropy."""
    import jax.numpy as jnp

    def mean(array: Array) -> Array:
        return (some.counts * array).sum() / jnp.maximum(some.counts.sum(), 1)

    policy, critic = networks
    rows = critic_inputs(some.state, jnp).astype(jnp.float32)
    possible = legal(some.state, jnp)
    logs, shares = _shares(policy, rows, possible, some.state, floor)
    ratio = jnp.take_along_axis(shares, some.action[:, None], axis=1)[:, 0] / some.share
    gain = some.gain - mean(some.gain)
    gain = gain / jnp.sqrt(mean(gain**2) + 1e-8)
    improvement = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
    entropy = -(jnp.exp(logs) * logs).sum(axis=1)
    logit = outputs_of(critic, rows, jnp)[:, 0]
    miss = jnp.logaddexp(0, logit) - some.value * logit  # cross-entropy
    return mean(miss - improvement - bonus * entropy), mean(entropy)


def _optimiser() -> Any:
    """Adam, but for its rate, of gradients of limited norm."""
    import optax

    return optax.chain(optax.clip_by_global_norm(GRADIENT_NORM), optax.scale_by_adam())


def _geometric(ends: tuple[float, float], progress: Array) -> Array:
    return ends[0] * (ends[1] / ends[0]) ** progress
