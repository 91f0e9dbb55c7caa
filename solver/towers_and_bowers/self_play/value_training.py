# pyright: reportMissingImports=false
"""Training of the network of `contract_values`, from contracts that a policy has played out.

A hand that was played says how a contract ended; the same deal with all cards seen, played by the tablebase, is a
control variate: over all that the other can hold, weighted by its calls, its mean is known exactly
(`solver.towers_and_bowers.bidding.views`). A sample's target is so the played result, less the open one, plus that
mean: not a probability, yet one on the mean, and much less noisy. Squared errors of the chances and of what they pay
need only the sum of the targets of a hand and contract, and are bounded where a sum is negative, as cross-entropy is
not. Samples are so added up once, and training goes over hands. Each hand size has networks of its own.

Each hand that was played counts for both seats, with the weight of the other's calls over that with which it was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import rank_of, to_play_order
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import DealerViews
from towerlab.solver.towers_and_bowers.self_play.calls import (
    SPADE_FRAME,
    TRUMP_FRAME_CARDS,
    from_frame,
    of_rows,
    to_frame,
)
from towerlab.solver.towers_and_bowers.self_play.contract_values import (
    SUIT_PLACES,
    HandRows,
    calls_inputs,
    contract_inputs,
    hand_rows,
    offsets,
    open_shares,
    own_calls,
    seat_views,
)
from towerlab.solver.towers_and_bowers.self_play.network import (
    Floats32,
    Layer,
    Network,
    Policy,
    new_network,
    outputs_of,
)
from towerlab.solver.towers_and_bowers.self_play.playouts import CONTRACTS, DrawnHands, play_contracts
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks, load_tables

# A hand played out: masks of the up-card frame as dealt, the non-dealer's tricks, the discard's place in the trump
# frame or `NONE`, and the seat whose hand was drawn to be valued, or `BOTH`.
PLAYED: Final = np.dtype(
    [
        ("size", "u1"),
        ("rank", "u1"),
        ("nondealer", "<i4"),
        ("dealer", "<i4"),
        ("contract", "u1"),
        ("tricks", "u1"),
        ("discard", "u1"),
        ("seat", "u1"),
    ]
)
QUOTAS: Final = np.array([0.2, 0.1, 0.1, 0.1, 0.3, 0.07, 0.065, 0.065])  # of hands, by contract
NONE: Final = 255
BOTH: Final = 2


def play_shard(policy: Policy, hands: DrawnHands, count: int, random: np.random.Generator) -> NDArray[Any]:
    """Return hands played out, a `PLAYED` record each, contracts by `QUOTAS`."""
    seat = None if hands.learned.all() else int(random.integers(2))
    often = random.multinomial(count, QUOTAS)
    pairs = [hands.draw(contract, int(number), random, seat) for contract, number in enumerate(often) if number]
    nondealer, dealer = np.concatenate(pairs, axis=1)
    shard = np.zeros(count, dtype=PLAYED)
    shard["seat"] = BOTH if seat is None else seat
    shard["size"] = hands.cards
    shard["rank"] = rank_of(hands.up)
    shard["nondealer"] = hands.frame[nondealer]
    shard["dealer"] = hands.frame[dealer]
    shard["contract"] = np.repeat(np.arange(CONTRACTS), often)
    dealt = np.stack([shard["nondealer"], shard["dealer"]], axis=1)
    up = np.full(count, to_frame(np.array([1 << hands.up]))[0])
    played = play_contracts(policy, shard["size"].astype(np.int32), dealt, up, shard["contract"], random)
    shard["tricks"] = played.tricks
    shard["discard"] = np.where(played.discard > 0, np.frexp(played.discard.astype(float))[1] - 1, NONE)
    return shard


# ------------------------------------------------------------------------------------------------------- what is learnt


@dataclass(frozen=True)
class Lesson:
    """All hands of one size, up-card and seat, by class: what the networks are shown, and what they are to say.

    Attributes:
        rows: what is shown.
        exact: float32[hands, 8, 8], chances of the non-dealer's tricks with all cards seen, by contract, weighted by
            the other's calls.
        calls: float32[hands, 5], how likely the other makes them: see `Contracts`.
        sums: float32[hands, 8, 8], the targets of samples added up, by contract and the non-dealer's tricks.
        weights: float32[hands, 8], of the samples added up.
    """

    rows: HandRows
    exact: Floats32
    calls: Floats32
    sums: Floats32
    weights: Floats32


def empty_lesson(drawn: DrawnHands, seat: int) -> Lesson:
    """Return the lesson of a seat before any sample; a row each of the hands `drawn.learned`."""
    hands = drawn.classes[drawn.learned]
    views = seat_views(hands, drawn.up, seat, drawn.bids)
    bids = of_rows(drawn.bids, drawn.learned)
    opened = open_shares(views, bids[seat])
    own = own_calls(bids[seat])
    if isinstance(views, DealerViews):
        taken = (bids.dealer.discards[:, :, None] * views.theirs).sum(1)
        answered = (bids.dealer.own_discards[:, :, None] * views.own).sum(1)
    else:
        taken = views.accepted
        answered = views.answered
    named = views.named[:, SUIT_PLACES]
    left = views.left[:, SUIT_PLACES]
    mass = np.concatenate([taken[:, None], named, answered[:, None], left], axis=1)
    reached = mass.sum(-1)
    others = np.concatenate([reached[:, 1:4] if seat else reached[:, 5:], reached[:, [5]] * seat], axis=1)
    first = reached[:, [0 if seat else 4]] / views.open_passed.sum(1)[:, None]
    calls = np.concatenate([first, others / others.sum(1, keepdims=True)], axis=1)
    return Lesson(
        hand_rows(hands, drawn.up, seat, opened, own),
        (mass / np.where(reached > 0, reached, 1)[..., None]).astype(np.float32),
        calls.astype(np.float32),
        np.zeros((len(hands), CONTRACTS, OUTCOMES), dtype=np.float32),
        np.zeros((len(hands), CONTRACTS), dtype=np.float32),
    )


def add_samples(lessons: tuple[Lesson, Lesson], drawn: DrawnHands, shard: NDArray[Any], variate: float) -> None:
    """Add hands that were played to the lessons of both seats.

    Args:
        lessons: of the non-dealer and of the dealer.
        drawn: the hands that they were drawn from.
        shard: `PLAYED` records of that size and up-card.
        variate: the part of the open result that is taken off, 0 to 1.
    """
    order = np.argsort(drawn.frame)
    rows = np.cumsum(drawn.learned) - 1
    tilts = [drawn.tilts(number) for number in range(CONTRACTS)]
    for seat, lesson in enumerate(lessons):
        played = shard[(shard["seat"] == seat) | (shard["seat"] == BOTH)]
        own, other = (
            order[np.searchsorted(drawn.frame, played[name], sorter=order)]
            for name in (("nondealer", "dealer"), ("dealer", "nondealer"))[seat]
        )
        contract = played["contract"].astype(np.int64)
        tilt = np.stack([of[1 - seat] for of in tilts])
        weight = _reach(drawn, seat)[contract, other] / tilt[contract, other]
        place = np.where(drawn.mirrored[own], _MIRRORED[contract], contract)
        flat = rows[drawn.row[own]] * CONTRACTS + place
        shape = lesson.weights.shape
        count = lesson.weights.size
        total = np.bincount(flat, weight, count)
        result = np.bincount(flat * OUTCOMES + played["tricks"], weight, count * OUTCOMES)
        opened = np.bincount(flat * OUTCOMES + open_tricks(drawn.up, played), weight, count * OUTCOMES)
        lesson.weights[:] += total.reshape(shape)
        lesson.sums[:] += (result - variate * opened).reshape(*shape, OUTCOMES)
        lesson.sums[:] += variate * total.reshape(shape)[..., None] * lesson.exact


_MIRRORED: Final = np.array([0, 1, 3, 2, 4, 5, 7, 6])  # contracts when the two suits of the other colour are swapped


def _reach(drawn: DrawnHands, seat: int) -> Floats:
    """float64[8, hands]: how likely each hand of the other lets it come to a contract, the asker's own calls aside."""
    way = drawn.bids.nondealer if seat else drawn.bids.dealer
    paths = way.paths()
    row = drawn.row
    mirrored = drawn.mirrored
    named = paths.named[:, SUIT_PLACES][row]
    named[mirrored] = named[mirrored][:, [0, 2, 1]]
    first = paths.first[row]
    second = paths.second[row]
    accepted = paths.accepted[row]
    if seat:  # the non-dealer accepts, names; the dealer accepts after a pass, names after two
        return np.stack([accepted, *named.T, first, second, second, second])
    return np.stack([first, second, second, second, accepted, *named.T])


def open_tricks(up: int, shard: NDArray[Any]) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that were played, had both seen all cards after the discard."""
    own, other = from_frame(shard["nondealer"]), from_frame(shard["dealer"])
    suit = shard["contract"] & 3
    given = 1 << TRUMP_FRAME_CARDS[np.where(shard["discard"] == NONE, 0, shard["discard"])]
    other = np.where(suit == 0, (other | 1 << up) & ~given, other)
    return _open_tricks(load_tables(), own, other, np.array(SPADE_FRAME)[suit])


@kernel
def _open_tricks(tables: TableArrays, nondealers: Ints, dealers: Ints, trumps: Ints) -> Ints:
    tricks = np.empty(len(trumps), dtype=np.int64)
    for hand in range(len(trumps)):
        own = to_play_order(nondealers[hand], trumps[hand], True)
        tricks[hand] = leader_tricks(tables, own, to_play_order(dealers[hand], trumps[hand], True))
    return tricks


# ------------------------------------------------------------------------------------------------------------ training


class Examples(NamedTuple):
    """Lessons of one size side by side, arrays of [hands, …].

    Attributes:
        rows: what is shown.
        calls: float32[hands, 5], as of `Lesson`.
        targets: float32[hands, 8, 8], `Lesson.sums`, scaled: a hand and contract of each seat has weight 1 on the mean.
        weights: float32[hands, 8], alike.
        payoffs: float32[8, 8], the non-dealer's P(win the tower), by contract and own tricks.
    """

    rows: HandRows
    calls: Floats32
    targets: Floats32
    weights: Floats32
    payoffs: Floats32


def examples(lessons: Iterable[Lesson], next_deal: float) -> Examples:
    """Put lessons of hands of one size n, as many of either seat, side by side; `next_deal` is W(n - 1)."""
    lessons = list(lessons)
    seats = np.array([lesson.rows.seat[0] for lesson in lessons])
    means = [np.mean([lessons[place].weights.mean() for place in np.flatnonzero(seats == seat)]) for seat in seats]
    scales = [np.float32(1 / max(mean, _NONE_PLAYED)) for mean in means]
    paid = np.repeat(payoffs(int(lessons[0].rows.size[0]), next_deal, DEFAULT_RULES), CONTRACTS // 2, axis=0)
    return Examples(
        HandRows(*map(np.concatenate, zip(*(lesson.rows for lesson in lessons), strict=True))),
        np.concatenate([lesson.calls for lesson in lessons]),
        np.concatenate([scale * lesson.sums for scale, lesson in zip(scales, lessons, strict=True)]),
        np.concatenate([scale * lesson.weights for scale, lesson in zip(scales, lessons, strict=True)]),
        paid.astype(np.float32),
    )


_NONE_PLAYED: Final = 1e-9


def contract_rows(taught: Examples, count: int, random: np.random.Generator) -> tuple[Floats32, ...]:
    """Return inputs, what is added to the outputs, targets, weights and payoffs: all contracts of hands at random."""
    hands = random.integers(len(taught.calls), size=count // CONTRACTS)
    contract = np.tile(np.arange(CONTRACTS), len(hands))
    inputs = contract_inputs(taught.rows.at(np.repeat(hands, CONTRACTS)), contract)
    targets = taught.targets[hands].reshape(-1, OUTCOMES)
    return inputs, offsets(inputs), targets, taught.weights[hands].ravel(), taught.payoffs[contract]


def calls_rows(taught: Examples, count: int, random: np.random.Generator) -> tuple[Floats32, ...]:
    """Return inputs and targets of hands at random."""
    hands = random.integers(len(taught.calls), size=count)
    return calls_inputs(taught.rows.at(hands)), taught.calls[hands]


def contract_loss(outputs: Any, opened: Any, targets: Any, weights: Any, paid: Any) -> Any:
    """Return the mean squared error of chances, plus that of what they pay, less a constant, a JAX scalar."""
    import jax

    chances = jax.nn.softmax(outputs + opened, axis=1)
    chance = weights * (chances**2).sum(1) - 2 * (chances * targets).sum(1)
    value = (chances * paid).sum(1)
    return (chance + _PAID * (weights * value**2 - 2 * value * (targets * paid).sum(1))).mean()


def calls_loss(outputs: Any, targets: Any) -> Any:
    """Return the mean cross-entropy of the other's calls, a JAX scalar."""
    import jax
    import jax.numpy as jnp

    first = outputs[:, 0]
    names = outputs[:, 1:]
    accepts = jnp.logaddexp(0, first) - targets[:, 0] * first
    return (accepts + jax.nn.logsumexp(names, axis=1) - (targets[:, 1:] * names).sum(1)).mean()


def train(
    draw: Callable[[int, np.random.Generator], tuple[Any, ...]],
    loss: Callable[..., Any],
    outputs: int,
    recipe: Recipe,
    report: Callable[[int, float, Network], None] | None = None,
) -> Network:
    """Train a network by Muon, what is no matrix by Adam; the moving average of its weights is returned.

    Args:
        draw: returns so many rows at random: the inputs, then what `loss` wants beside the outputs.
        loss: of outputs and these, a JAX scalar.
        outputs: of the network.
        recipe: how.
        report: called every `_REPORT` steps: the step, the mean loss since, the network so far.
    """
    import jax
    import jax.numpy as jnp
    import optax

    random = np.random.default_rng(recipe.seed)
    columns = draw(recipe.rows, random)[0].shape[1]
    weights = jax.tree.map(jnp.asarray, new_network(random, columns, recipe.width, recipe.layers, outputs))
    rates = [
        optax.join_schedules(
            [optax.linear_schedule(0, rate, _WARM_UP), optax.linear_schedule(rate, 0, recipe.steps - _WARM_UP)],
            [_WARM_UP],
        )
        for rate in (recipe.rate, recipe.rate * _ADAM)
    ]
    moves = optax.contrib.muon(rates[0], weight_decay=recipe.decay, adam_learning_rate=rates[1])
    state = moves.init(weights)

    @jax.jit
    def step(weights: Any, mean: Any, state: Any, part: Any, rows: Any) -> Any:
        value, slope = jax.value_and_grad(lambda network: loss(outputs_of(network, rows[0], jnp), *rows[1:]))(weights)
        change, state = moves.update(slope, state, weights)
        weights = optax.apply_updates(weights, change)
        return weights, optax.incremental_update(weights, mean, part), state, value

    mean = weights
    values = []
    for number in range(1, recipe.steps + 1):
        part = max(1 / number, _AVERAGED)
        weights, mean, state, value = step(weights, mean, state, part, draw(recipe.rows, random))
        values.append(float(value))
        if report is not None and number % _REPORT == 0:
            report(number, float(np.mean(values[-_REPORT:])), _as_arrays(mean))
    return _as_arrays(mean)


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: its size, the steps, rows of each, learning rate, decay of weights, seed."""

    width: int = 128
    layers: int = 3
    steps: int = 3000
    rows: int = 2048
    rate: float = 0.02
    decay: float = 0.03
    seed: int = 0


_PAID: Final = 3.0  # the weight of the second part of the loss
_WARM_UP: Final = 200  # steps
_ADAM: Final = 0.075  # its rate, a part of Muon's
_AVERAGED: Final = 0.003  # of the moving average, the new weights' part
_REPORT: Final = 500


def _as_arrays(network: Any) -> Network:
    hidden = tuple(Layer(*(np.asarray(array, dtype=np.float32) for array in layer)) for layer in network.hidden)
    return Network(hidden, np.asarray(network.weight, np.float32), np.asarray(network.bias, np.float32))
