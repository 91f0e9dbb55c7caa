# pyright: reportMissingImports=false
"""How is the policy trained? By self-play, or by distillation from a larger policy; both in JAX.

Self-play is proximal policy optimisation with a critic that sees both hands. An iteration plays a batch of hands by the
policy and improves it on their decisions, in one pass of eight minibatches. Decisions count that leave a choice while
the result is open. `iterate` is pure: a run depends on its seed and on nothing else, so that a run that was kept and
continued is the same as one that was never interrupted.

The policy that plays makes every call at least with a floor, so that no call stays unknown; the policy that answers is
the moving average of the weights, without floors. Rudolph, Lichtlé, Mohammadpour and others, "Reevaluating Policy
Gradient Methods for Imperfect-Information Games" (ICLR 2026), show how far this method goes with an entropy bonus.

Distillation: a small symmetric network learns to act as a larger policy, its teacher, does. The teacher plays with
itself, partly at random so that unusual positions come up as well. At each decision that leaves a choice while the
result is open it is asked twice, the two suits of the other colour in both orders; the mean of both answers is the
target. The pupil sees each decision in the standard order of the suits (`network`).

JAX and optax are the extra `train`; only these functions import them.

    towerlab study towers-and-bowers self-play --set minutes=60 --out run
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Array, Bools, Floats, Floats32, Ints
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACTIONS,
    CARDS,
    LARGEST_HAND,
    MOST_DECISIONS,
    OVER,
    SECOND_CALL,
    State,
    act_in,
    deal,
    is_settled,
    legal,
    mirror_hands,
    next_choices,
    payoffs,
    rows_of,
    step,
)
from towerlab.solver.towers_and_bowers.self_play.network import (
    CRITIC_INPUTS,
    INPUTS,
    MIRRORED_ACTIONS,
    Layer,
    Network,
    Policy,
    action_probabilities,
    choose,
    critic_inputs,
    encode,
    mirror_actions,
    new_network,
    outputs_of,
    symmetric_outputs,
    to_dense,
)

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
        key: uint32[4], of the random numbers.
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


class Situation(NamedTuple):
    """What is known before decisions, arrays of [decisions]; suits are in the standard order.

    Attributes:
        inputs: uint8[decisions, 352], the inputs of the critic (`critic_inputs`).
        legal: bool[decisions, 30].
        tied: bool, as of `network.Encoded`.
        is_call: bool, whether it is a call, which has a floor.
    """

    inputs: Array
    legal: Array
    tied: Array
    is_call: Array


class Decisions(NamedTuple):
    """Decisions with a choice while the result is open, arrays of [decisions]; suits are in the standard order.

    Attributes:
        seen: the situations.
        action: int64, made there.
        share: float32, its probability.
        value: float32, the critic's P(the seat to act takes the tower); then the value to learn.
        gain: float32, the advantage of the action.
        weight: float32, 1, or 0 of a row that fills up a minibatch.
    """

    seen: Situation
    action: Array
    share: Array
    value: Array
    gain: Array
    weight: Array


class Measures(NamedTuple):
    """Means over the decisions of an iteration: the policy's entropy in nats, and the critic's RMS error."""

    entropy: Any
    critic_error: float


def start_run(seed: np.random.SeedSequence, width: int, layers: int, start: Network | None = None) -> TrainingRun:
    """Return a run before its first iteration.

    Args:
        seed: the seed of the weights and of all random numbers.
        width, layers: the width and the number of the hidden layers of both networks.
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
    run = TrainingRun(
        policy=policy,
        critic=critic,
        average=policy,
        optimiser=_optimiser().init((policy, critic)),
        key=seed.generate_state(4),
        dealer_wins=np.full(LARGEST_HAND + 1, 0.5, np.float32),
        iterations=np.zeros((), np.int32),
    )
    return jax.tree.map(jnp.asarray, run)  # type: ignore[no-any-return]


def iterate(
    run: TrainingRun, progress: float, hands: int, deal_values: Sequence[float], waits: int = 0
) -> tuple[TrainingRun, Measures]:
    """Play hands by the policy and learn from them.

    Args:
        run: the run before the iteration.
        progress: the progress of the run, from 0 at the first to 1 at the last iteration.
        hands: the number of hands.
        deal_values: W(1), W(2), …, as far as they are known; the others are the run's own running means.
        waits: the iteration before which the policy does not learn.
    """
    done = int(run.iterations)
    random = np.random.default_rng([*np.asarray(run.key).tolist(), done])
    size = 1 + random.choice(LARGEST_HAND, hands, p=SIZES)
    state = deal(random.random((hands, CARDS)), size)
    values = np.array(run.dealer_wins[:LARGEST_HAND], dtype=np.float64)
    values[1 : len(deal_values) + 1] = deal_values
    decisions, won, error = play_hands(run, state, values, random, _geometric(FLOOR, progress))
    rows = _minibatches(decisions, int(COUNTED * MOST_DECISIONS * hands) // MINIBATCHES, random)
    rate = RATE[0] + (RATE[1] - RATE[0]) * progress
    policy, critic, optimiser, entropy = _compiled_learning()(
        run, rows, (rate * (done >= waits), rate), _geometric(FLOOR, progress), _geometric(ENTROPY, progress)
    )
    share = max(1 / AVERAGED, 1 / (1 + AVERAGED_SHARE * done))
    dealt = np.bincount(size, minlength=LARGEST_HAND + 1)
    sums = np.bincount(size, won, minlength=LARGEST_HAND + 1)
    means = np.where(dealt > 0, sums / np.maximum(dealt, 1), run.dealer_wins)
    after = run._replace(
        policy=policy,
        critic=critic,
        average=_map_trees(lambda old, new: old + np.float32(share) * (new - old), run.average, policy),
        optimiser=optimiser,
        dealer_wins=run.dealer_wins + np.float32(share) * (means.astype(np.float32) - run.dealer_wins),
        iterations=run.iterations + 1,
    )
    return after, Measures(entropy, error)


def play_hands(
    run: TrainingRun, state: State, deal_values: Floats, random: np.random.Generator, floor: float
) -> tuple[Decisions, Floats, float]:
    """Play hands to their result.

    Args:
        run: the run, whose policy plays and whose critic judges.
        state: the dealt hands, which are changed.
        deal_values: float64[7], W(n) at place n.
        random: the generator that draws what the policy does.
        floor: the least probability of a call.

    Returns:
        The decisions with their advantages and the values to learn; float64[hands], the dealer's probability of taking
        the tower in the end; and the critic's root mean square error.
    """
    steps: list[tuple[Ints, Ints, Decisions]] = []
    rows = np.arange(len(state.size))
    while len(rows := next_choices(state, rows, to_end=False)[0]):
        now = rows_of(state, rows)
        encoded = encode(state, rows, symmetric=True)
        seen = Situation(
            critic_inputs(now, symmetric=True),
            mirror_actions(legal(now), encoded.mirrored),
            encoded.tied,
            now.decision <= SECOND_CALL,
        )
        shares, value = _answers(run, seen, floor)
        action = choose(shares, random.random(len(rows)))
        share = np.take_along_axis(shares, action[:, None], axis=1)[:, 0]
        zero = np.zeros(len(rows), dtype=np.float32)
        steps.append((rows, now.turn, Decisions(seen, action, share, value, zero, zero + 1)))
        act_in(state, rows, np.where(encoded.mirrored, MIRRORED_ACTIONS[action], action))
    won = payoffs(state, deal_values)[:, 1]
    misses = [decisions.value - _dealer_value_to_turn(won[rows], turn) for rows, turn, decisions in steps]
    return _judge(steps, won), won, float(np.sqrt(np.mean(np.concatenate(misses) ** 2)))


def _answers(run: TrainingRun, seen: Situation, floor: float) -> tuple[Floats, Floats]:
    """float64[rows, 30] and float32[rows]: the probabilities that play, and the critic's values."""
    count = len(seen.tied)
    more = (1 << max(count - 1, 0).bit_length()) - count  # few shapes, each compiled once
    filled = Situation(*(np.concatenate([array, np.ones((more, *array.shape[1:]), array.dtype)]) for array in seen))
    shares, value = _compiled_answers()(run.policy, run.critic, filled, floor)
    return np.asarray(shares[:count], dtype=np.float64), np.asarray(value[:count])


@functools.cache
def _compiled_answers() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def answers(policy: Network, critic: Network, seen: Situation, floor: Array) -> Any:
        value = outputs_of(critic, seen.inputs.astype(jnp.float32), jnp)[:, 0]
        return _shares(policy, seen, floor)[1], jax.nn.sigmoid(value)

    return jax.jit(answers)  # type: ignore[no-any-return]


def _shares(policy: Network, seen: Situation, floor: Array) -> tuple[Array, Array]:
    """float32[rows, 30] twice: log-probabilities of the policy, and the probabilities with floors, which play."""
    import jax
    import jax.numpy as jnp

    outputs = symmetric_outputs(policy, seen.inputs[:, :INPUTS].astype(jnp.float32), seen.tied, jnp)
    logs = jax.nn.log_softmax(jnp.where(seen.legal, outputs, _NEVER))
    floors = jnp.where(seen.is_call[:, None], floor * seen.legal, 0)
    return logs, floors + (1 - floors.sum(axis=1, keepdims=True)) * jnp.exp(logs)


def _judge(steps: Sequence[tuple[Ints, Ints, Decisions]], won: Floats) -> Decisions:
    """Return all decisions with their advantages and with the values to learn: generalised advantage estimation.

    Args:
        steps: at most one decision of each hand: the hands, the seats, the decisions; later ones come later.
        won: float64[hands], the dealer's probability of taking the tower in the end.
    """
    next_value = won.astype(np.float32)
    next_gain = np.zeros_like(next_value)
    judged = []
    for rows, turn, decisions in reversed(steps):
        value = _dealer_value_to_turn(decisions.value, turn)
        gain = next_value[rows] - value + np.float32(DECAY) * next_gain[rows]
        next_value[rows] = value
        next_gain[rows] = gain
        target = np.clip(_dealer_value_to_turn(value + gain, turn), 0, 1)
        judged.append(decisions._replace(value=target, gain=np.where(turn == 1, gain, -gain)))
    together: Decisions = _map_trees(lambda *arrays: np.concatenate(arrays), *judged)
    return together


def _dealer_value_to_turn(dealer_wins: Array, turn: Array) -> Array:
    """Return the dealer's probability of taking the tower as that of the seat to act, or the other way round."""
    return np.asarray(np.where(turn == 1, dealer_wins, 1 - dealer_wins))


def _minibatches(decisions: Decisions, size: int, random: np.random.Generator) -> Decisions:
    """Return decisions in random order, arrays of [8, size]; rows that are missing have no weight."""
    order = random.permutation(len(decisions.weight))
    places = np.arange(MINIBATCHES * size)
    rows = _map_trees(lambda array: array[order[places % len(order)]], decisions)
    rows = rows._replace(weight=(places < len(order)).astype(np.float32))
    batches: Decisions = _map_trees(lambda array: array.reshape(MINIBATCHES, size, *array.shape[1:]), rows)
    return batches


def _map_trees(function: Callable[..., Any], *trees: Any) -> Any:
    """Return a tree of arrays, such as a network, made of the arrays of trees of the same kind."""
    import jax

    return jax.tree.map(function, *trees)


# ------------------------------------------------------------------------------------------------------------ learning


@functools.cache
def _compiled_learning() -> Callable[..., Any]:
    """Return the function (run, minibatches, rates, floor, bonus) → (policy, critic, optimiser, mean entropy)."""
    import jax

    def learn(run: TrainingRun, rows: Decisions, rates: Array, floor: Array, bonus: Array) -> Any:
        (networks, optimiser), entropies = jax.lax.scan(
            lambda state, some: _learn(state, some, rates, floor, bonus),
            ((run.policy, run.critic), run.optimiser),
            rows,
        )
        return *networks, optimiser, entropies.mean()

    return jax.jit(learn)  # type: ignore[no-any-return]


def _learn(state: Any, some: Decisions, rates: Array, floor: Array, bonus: Array) -> tuple[Any, Array]:
    """Make one step of Adam on some decisions; returns ((policy, critic), optimiser) and the policy's mean entropy.

    Args:
        state: ((policy, critic), optimiser).
        some: a minibatch.
        rates: the learning rates of the policy and of the critic.
        floor, bonus: the floor and the bonus of the iteration.
    """
    import jax

    networks, optimiser = state
    (_, entropy), slope = jax.value_and_grad(_loss, has_aux=True)(networks, some, floor, bonus)
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
        total: Array = (some.weight * array).sum() / jnp.maximum(some.weight.sum(), 1)
        return total

    policy, critic = networks
    logs, shares = _shares(policy, some.seen, floor)
    ratio = jnp.take_along_axis(shares, some.action[:, None], axis=1)[:, 0] / some.share
    gain = some.gain - mean(some.gain)
    gain = gain / jnp.sqrt(mean(gain**2) + 1e-8)
    improvement = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
    entropy = -(jnp.exp(logs) * logs).sum(axis=1)
    logit = outputs_of(critic, some.seen.inputs.astype(jnp.float32), jnp)[:, 0]
    miss = jnp.logaddexp(0, logit) - some.value * logit  # cross-entropy
    return mean(miss - improvement - bonus * entropy), mean(entropy)


def _optimiser() -> Any:
    """Adam, but for its rate, of gradients of limited norm."""
    import optax

    return optax.chain(optax.clip_by_global_norm(GRADIENT_NORM), optax.scale_by_adam())


def _geometric(ends: tuple[float, float], progress: float) -> float:
    return float(ends[0] * (ends[1] / ends[0]) ** progress)


STRAY_SHARES: Final = (0.01, 0.15)  # the share of actions at random, of two kinds of hands
MANY_STRAYS: Final = 0.6  # of the hands
RANDOM_CALLS: Final = 0.3  # of the hands, in which each call is made at random
MOST_CHOICES: Final = 8  # legal actions of a decision at most: the dealer's discard of a hand of seven


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
        teacher: the policy that decides.
        hands: the number of hands.
        random: the generator that draws deals and what the teacher does.
        sizes: the shares of hands of 1 to 7 cards among those dealt, in proportion.
    """
    often = np.asarray(sizes) / np.sum(sizes)
    size = 1 + random.choice(LARGEST_HAND, hands, p=often)
    state = deal(random.random((hands, CARDS)), size)
    strays = np.where(random.random(hands) < MANY_STRAYS, STRAY_SHARES[1], STRAY_SHARES[0])
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
        np.packbits(to_dense(encoded), axis=1),
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
        lessons: the decisions of the teacher.
        recipe: the settings of the training.
        random: the generator that draws weights and decisions.
        report: a function called every 500 steps: with the step, the mean loss since, the network so far.
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
