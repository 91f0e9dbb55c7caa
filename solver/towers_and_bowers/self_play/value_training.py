"""Training of the network of `contract_values`, from contracts that a policy has played out.

A hand that was played says how a contract ended; the same deal with all cards seen, played by the tablebase, is a
control variate: over all that the other can hold, weighted by its calls, its mean is known exactly
(`solver.towers_and_bowers.bidding.views`). A sample's target is so the played result, less the open one, plus that
mean: not a probability, yet one on the mean, and much less noisy. Cross-entropy is linear in the target, so that the
samples of a hand and contract are added up once, and training goes over hands.

Each hand that was played counts for both seats, with the weight of the other's calls over that with which it was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import rank_of, to_play_order
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.bidding.views import DealerViews
from towerlab.solver.towers_and_bowers.self_play.calls import SPADE_FRAME, of_rows, to_frame
from towerlab.solver.towers_and_bowers.self_play.contract_values import (
    _SUITS,
    OUTPUTS,
    network_inputs,
    offsets,
    open_shares,
    own_calls,
    seat_views,
)
from towerlab.solver.towers_and_bowers.self_play.environment import CARDS, LARGEST_HAND
from towerlab.solver.towers_and_bowers.self_play.network import Floats32, Layer, Network
from towerlab.solver.towers_and_bowers.self_play.playouts import CONTRACTS, DrawnHands, play_contracts
from towerlab.solver.towers_and_bowers.upcard import OUTCOMES
from towerlab.solver.two_hands.tablebase import TableArrays, leader_tricks, load_tables

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
)  # a hand played out: masks of the up-card frame as dealt, tricks of the non-dealer, discard of the trump frame or 255,
# and the seat whose hand was drawn to be asked, 2 where it is both
QUOTAS: Final = np.array([0.2, 0.1, 0.1, 0.1, 0.3, 0.07, 0.065, 0.065])  # of hands, by contract
NONE: Final = 255
BOTH: Final = 2


def play_shard(policy: Network, hands: DrawnHands, count: int, random: np.random.Generator) -> NDArray[Any]:
    """Return hands played out, a `PLAYED` record each, contracts by `QUOTAS`."""
    seat = None if hands.asked.all() else int(random.integers(2))
    often = random.multinomial(count, QUOTAS)
    pairs = [hands.draw(contract, int(number), random, seat) for contract, number in enumerate(often) if number]
    nondealer, dealer = np.concatenate(pairs, axis=1)
    shard = np.zeros(count, dtype=PLAYED)
    shard["seat"] = BOTH if seat is None else seat
    shard["size"], shard["rank"] = hands.cards, rank_of(hands.up)
    shard["nondealer"], shard["dealer"] = hands.frame[nondealer], hands.frame[dealer]
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
    """All hands of one size, up-card and seat, by class: what the network is shown, and what it is to say.

    Attributes:
        inputs: float32[hands, inputs].
        opened: float32[hands, 8, 8], of `offsets`.
        exact: float32[hands, 8, 8], chances of the non-dealer's tricks with all cards seen, by contract, weighted by
            the other's calls.
        calls: float32[hands, 5], how likely the other makes them: see `Contracts`.
        sums: float32[hands, 8, 8], the targets of samples added up, by contract and the non-dealer's tricks.
        weights: float32[hands, 8], of the samples added up.
    """

    inputs: Floats32
    opened: Floats32
    exact: Floats32
    calls: Floats32
    sums: Floats32
    weights: Floats32


def empty_lesson(drawn: DrawnHands, seat: int) -> Lesson:
    """Return the lesson of a seat before any sample; a row each of the hands `drawn.asked`."""
    hands = drawn.classes[drawn.asked]
    views, bids = seat_views(hands, drawn.up, seat, drawn.bids), of_rows(drawn.bids, drawn.asked)
    opened, own = open_shares(views, bids), own_calls(bids, seat)
    if isinstance(views, DealerViews):
        taken = (bids.dealer.discards[:, :, None] * views.theirs).sum(1)
        answered = (bids.dealer.own_discards[:, :, None] * views.own).sum(1)
    else:
        taken, answered = views.accepted, views.answered
    named, left = views.named[:, _SUITS], views.left[:, _SUITS]
    mass = np.concatenate([taken[:, None], named, answered[:, None], left], axis=1)
    reached = mass.sum(-1)
    others = np.concatenate([reached[:, 1:4] if seat else reached[:, 5:], reached[:, [5]] * seat], axis=1)
    first = reached[:, [0 if seat else 4]] / views.open_passed.sum(1)[:, None]
    calls = np.concatenate([first, others / others.sum(1, keepdims=True)], axis=1)
    return Lesson(
        network_inputs(hands, drawn.up, seat, opened, own),
        offsets(opened),
        (mass / np.maximum(reached, 1e-12)[..., None]).astype(np.float32),
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
    order, rows = np.argsort(drawn.frame), np.cumsum(drawn.asked) - 1
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
        shape, count = lesson.weights.shape, lesson.weights.size
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
    paths, row, mirrored = way.paths(), drawn.row, drawn.mirrored
    named = paths.named[:, _SUITS][row]
    named[mirrored] = named[mirrored][:, [0, 2, 1]]
    first, second, accepted = paths.first[row], paths.second[row], paths.accepted[row]
    if seat:  # the non-dealer accepts, names; the dealer accepts after a pass, names after two
        return np.stack([accepted, *named.T, first, second, second, second])
    return np.stack([first, second, second, second, accepted, *named.T])


def open_tricks(up: int, shard: NDArray[Any]) -> Ints:
    """int64[hands]: the non-dealer's tricks of hands that were played, had both seen all cards after the discard."""
    return _open_tricks(
        load_tables(),
        up,
        np.array(SPADE_FRAME),
        *(shard[name] for name in ("nondealer", "dealer", "contract", "discard")),
    )


@kernel
def _open_tricks(
    tables: TableArrays,
    up: int,
    suits: Ints,
    nondealers: NDArray[np.int32],
    dealers: NDArray[np.int32],
    contracts: NDArray[np.uint8],
    discards: NDArray[np.uint8],
) -> Ints:
    tricks = np.empty(len(nondealers), dtype=np.int64)
    for hand in range(len(nondealers)):
        trump = suits[contracts[hand] & 3]
        own, other = 0, 0
        for place in range(4):
            own |= (np.int64(nondealers[hand]) >> 6 * place & 63) << 13 * suits[place] + 7
            other |= (np.int64(dealers[hand]) >> 6 * place & 63) << 13 * suits[place] + 7
        own, other = to_play_order(own, trump, True), to_play_order(other, trump, True)
        if contracts[hand] & 3 == 0:
            other |= to_play_order(1 << up, trump, True)
            other &= ~_card_of(discards[hand], suits)
        tricks[hand] = leader_tricks(tables, own, other)
    return tricks


@kernel
def _card_of(place: int, suits: Ints) -> int:
    """The mask in play order of a card of the trump frame, the up-card's suit, suits[0], being trump."""
    trump = suits[0]
    if place < 7:  # 9 T Q K A, left bower, right bower
        card = 13 * trump + 7 + place + (place > 1) if place < 5 else 13 * suits[1 if place == 5 else 0] + 9
    elif place < 12:
        card = 13 * suits[1] + place + (place > 8)
    else:
        card = 13 * suits[place // 6] + 7 + place % 6
    return to_play_order(1 << card, trump, True)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------------------ training

_CALLS_COUNT: Final = 0.3  # of the loss of the other's calls, beside that of the contracts
_FIRST_COUNTS: Final = 2.0  # of the two contracts of the first round, beside the others


class Examples(NamedTuple):
    """Lessons side by side, float32 arrays of [hands, …], as `Lesson` has them; `inside` is what is possible.

    Attributes:
        inputs, opened, calls: as of `Lesson`.
        targets: [hands, 8, 8], sums; of a size, seat and contract they weigh as much as of any other.
        weights: [hands, 8], alike.
        share: float64[hands], how often each hand is drawn.
    """

    inputs: NDArray[Any]
    opened: NDArray[Any]
    calls: NDArray[Any]
    targets: NDArray[Any]
    weights: NDArray[Any]
    share: Floats


def examples(lessons: Iterable[tuple[int, Lesson]], shares: dict[int, float]) -> Examples:
    """Put lessons side by side.

    Args:
        lessons: sizes, and the lessons of a seat and up-card each.
        shares: how often a hand of each size is drawn.
    """
    groups: dict[tuple[int, int], list[Lesson]] = {}
    for size, lesson in lessons:
        groups.setdefault((size, int(lesson.inputs[0, _SEAT_INPUT])), []).append(lesson)
    parts = []
    for (size, _), group in groups.items():
        weights = np.concatenate([lesson.weights for lesson in group])
        scale = 1 / np.maximum(weights.mean(0), 1e-9)
        scale[[0, CONTRACTS // 2]] *= _FIRST_COUNTS
        targets = np.concatenate([lesson.sums for lesson in group]) * scale[:, None]
        share = np.full(len(weights), shares[size] / len(weights))
        shown = (np.concatenate([getattr(lesson, name) for lesson in group]) for name in ("inputs", "opened", "calls"))
        parts.append((*shown, targets.astype(np.float32), (weights * scale).astype(np.float32), share))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Examples(*columns[:-1], columns[-1] / columns[-1].sum())


def loss_of(outputs: Any, inputs: Any, opened: Any, calls: Any, targets: Any, weights: Any) -> Any:
    """Return the mean loss of outputs, a JAX scalar; the arrays are those of `Examples`."""
    import jax
    import jax.numpy as jnp

    rows, contracts = len(inputs), CONTRACTS * OUTCOMES
    size = 1 + jnp.argmax(inputs[:, _SIZE_INPUTS], axis=1)
    logits = outputs[:, :contracts].reshape(rows, CONTRACTS, OUTCOMES) + opened
    logits = jnp.where(jnp.arange(OUTCOMES) <= size[:, None, None], logits, _NEVER)
    played = weights * jax.nn.logsumexp(logits, axis=2) - (targets * jnp.maximum(logits, _NEVER)).sum(2)
    first = outputs[:, contracts]
    accepts = jnp.logaddexp(0, first) - calls[:, 0] * first
    names = jax.nn.logsumexp(outputs[:, contracts + 1 :], axis=1) - (calls[:, 1:] * outputs[:, contracts + 1 :]).sum(1)
    return played.sum(1).mean() + _CALLS_COUNT * (accepts + names).mean()


def train(
    taught: Examples, width: int, layers: int, steps: int, seed: int, report: Any = None, start: Network | None = None
) -> Network:
    """Train a network.

    Args:
        taught: what it learns.
        width, layers: of the hidden layers.
        steps: of `_ROWS` hands each.
        seed: of the weights and of what is drawn.
        report: called with the step and the network so far, every `_REPORT` steps.
        start: a network to go on from.
    """
    import jax
    import jax.numpy as jnp

    random = np.random.default_rng(seed)
    given = _new_network(random, taught.inputs.shape[1], width, layers) if start is None else start
    weights = jax.tree.map(jnp.asarray, given)
    moments = [jax.tree.map(jnp.zeros_like, weights)] * 2

    def loss(network: Network, *rows: Any) -> Any:
        return loss_of(_outputs(network, rows[0], jnp), *rows)

    @jax.jit
    def step(weights: Any, mean: Any, first: Any, second: Any, count: Any, rate: Any, rows: Any) -> Any:
        value, slope = jax.value_and_grad(loss)(weights, *rows)
        first = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, first, slope)
        second = jax.tree.map(lambda old, new: 0.99 * old + 0.01 * new * new, second, slope)
        moved = jax.tree.map(
            lambda old, one, two: old - rate * one / (1 - 0.9**count) / (jnp.sqrt(two / (1 - 0.99**count)) + 1e-8),
            weights,
            first,
            second,
        )
        mean = jax.tree.map(lambda old, new: old + (new - old) * jnp.maximum(1 / count, 0.003), mean, moved)
        return moved, mean, first, second, value

    sums, mean, values = np.cumsum(taught.share), weights, []
    for number in range(1, steps + 1):
        drawn = np.minimum(np.searchsorted(sums, random.random(_ROWS)), len(sums) - 1)
        rows = tuple(np.asarray(array[drawn], dtype=np.float32) for array in taught[:-1])
        rate = _RATE * min(1, number / 100) * (1 - number / (steps + 1))
        weights, mean, *moments, value = step(weights, mean, *moments, float(number), rate, rows)
        values.append(float(value))
        if report is not None and number % _REPORT == 0:
            report(number, float(np.mean(values[-_REPORT:])), _as_arrays(mean))
    return _as_arrays(mean)


_ROWS: Final = 2048
_RATE: Final = 2e-3
_REPORT: Final = 250
_NEVER: Final = -30.0
_SIZE_INPUTS: Final = slice(CARDS, CARDS + LARGEST_HAND)
_SEAT_INPUT: Final = CARDS + LARGEST_HAND + 6 + 1  # 1 of the dealer


def _new_network(random: np.random.Generator, inputs: int, width: int, layers: int) -> Network:
    hidden, before = [], inputs
    for place in range(layers):
        weight = random.normal(0, np.sqrt(2 / (before if place else inputs / 3)), (before, width))
        hidden.append(Layer(weight, np.zeros(width), np.full(width, 0.5 if place else 1.0), np.zeros(width)))
        before = width
    network = Network(tuple(hidden), random.normal(0, 0.01, (before, OUTPUTS)), np.zeros(OUTPUTS))
    return _as_arrays(network)


def _as_arrays(network: Any) -> Network:
    hidden = tuple(Layer(*(np.asarray(array, dtype=np.float32) for array in layer)) for layer in network.hidden)
    return Network(hidden, np.asarray(network.weight, np.float32), np.asarray(network.bias, np.float32))


def _outputs(network: Network, rows: Any, xp: Any) -> Any:
    """`Network.outputs`, so that JAX can differentiate it."""
    x = rows
    for place, layer in enumerate(network.hidden):
        y = x @ layer.weight + layer.bias
        y = y - y.mean(axis=1, keepdims=True)
        y = y / xp.sqrt((y * y).mean(axis=1, keepdims=True) + 1e-5) * layer.scale + layer.shift
        y = xp.maximum(y, 0)
        x = x + y if place else y
    return x @ network.weight + network.bias
