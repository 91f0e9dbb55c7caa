"""What does a seat see before a decision, as 304 numbers of 0 or 1, and what does the learned policy make of them?

| numbers | what |
|---|---|
| 7 | hand size, one-hot |
| 5 | decision, one-hot: first-round call, second-round call, discard, lead, follow |
| 5 | flags: dealer; bidder; there is a trump; the up-card was accepted; it was turned down |
| 5 | trump's suit in the up-card frame, one-hot; 4: none yet |
| 24 × 10 | masks: hand; up-card; up-card if the other surely holds it; cards the other may hold; own discard; cards \
played by the seat, by the other; of these, cards led by the seat, by the other; the card led to the trick under way |
| 4, 4 | suits of the trump frame in which the other, the seat itself, has failed to follow |
| 8, 8, 8 | one-hot: tricks of the seat; of the other; cards of each still to be played |
| 8 | one-hot: tricks that the seat still needs for its aim (bidder: more than half; else the rest + 1) |
| 2 | flags: the seat has all tricks so far; the other has |

The frames of cards are those of `environment`.

**Standard order.** The two suits of the colour that is not trump's, or not the up-card's before there is a trump, are
cards 12 to 17 and 18 to 23. A symmetric policy sees them exchanged where that makes the first the larger by what the
seat knows of each (`_knowledge_of_suit`), and its actions are exchanged back. A trump of that colour in the up-card
frame, 2 or 3, is told as 2: there only the name differs. A view whose two suits are alike is its own mirror image
(*tied*), and actions that mirror each other have the mean of their outputs. Renaming suits so changes no probability.

**Network.** Hidden layers over the inputs, then a logit for each action. A layer is y = x · weight + bias over the
outputs x of the layer before; y is normalised to mean 0 and variance 1, multiplied by scale, shifted, and negative
numbers become 0. From the second layer on x is added. The first layer adds up the weights of the inputs that are 1, in
a kernel; the others are products of matrices, each on one thread.

    towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from towerlab.games.arrays import Array, Bools, Floats, Floats32, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.jit import fast_kernel, kernel, lean_kernel
from towerlab.solver.towers_and_bowers.self_play.environment import (
    ACTIONS,
    CARDS,
    DECK,
    DISCARD,
    LARGEST_HAND,
    NAME_ACTION,
    NO_TRUMP_YET,
    OVER,
    SECOND_CALL,
    SUIT_MASKS,
    State,
    act,
    bits_of,
    legal_actions,
    of_seat,
    tricks_needed,
)

_DECISION: Final = LARGEST_HAND
_FLAGS: Final = _DECISION + OVER
_TRUMP: Final = _FLAGS + 5
_MASKS: Final = _TRUMP + NO_TRUMP_YET + 1
_MASK_COUNT: Final = 10
_VOIDS: Final = _MASKS + CARDS * _MASK_COUNT
_COUNTS: Final = _VOIDS + 2 * len(SUIT_MASKS)
_ALL_TRICKS: Final = _COUNTS + 4 * (LARGEST_HAND + 1)
INPUTS: Final = _ALL_TRICKS + 2  # 304
CRITIC_INPUTS: Final = INPUTS + 2 * CARDS
MOST_ONES: Final = 96  # more than any view has

_FIRST: Final = 12  # card of the first of the two suits
_SECOND: Final = 18
_SUIT: Final = 63  # its six ranks
_MIRRORED_ACTIONS: Final = np.arange(ACTIONS)
_MIRRORED_ACTIONS[_FIRST:CARDS] = [*range(_SECOND, CARDS), *range(_FIRST, _SECOND)]
_MIRRORED_ACTIONS[NAME_ACTION + 1 : NAME_ACTION + 3] = NAME_ACTION + 2, NAME_ACTION + 1
MIRRORED_ACTIONS: Final[Ints] = _MIRRORED_ACTIONS


class Encoded(NamedTuple):
    """What seats see, arrays of [rows].

    Attributes:
        ones: int16[rows, 96]: the inputs that are 1.
        total: int64, how many of them there are.
        mirrored: bool, whether the two suits were exchanged.
        tied: bool, whether the view is its own mirror image; only of the standard order.
    """

    ones: NDArray[np.int16]
    total: Ints
    mirrored: Bools
    tied: Bools


@kernel
def encode(state: State, rows: Ints, symmetric: bool) -> Encoded:
    """Return what the seats to act see, of their own cards and of what is public.

    Args:
        state: hands; of the other seat's cards nothing is read.
        rows: int64, of the hands.
        symmetric: whether suits are put into the standard order.
    """
    count = len(rows)
    encoded = Encoded(
        np.empty((count, MOST_ONES), dtype=np.int16),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.bool_),
        np.empty(count, dtype=np.bool_),
    )
    for place in range(count):
        row = rows[place]
        trump = state.trump[row]
        named_only = trump in (2, 3)
        order = 0
        if symmetric and not named_only:
            order = _knowledge_of_suit(state, row, 0) - _knowledge_of_suit(state, row, 1)
        encoded.mirrored[place] = order < 0
        encoded.tied[place] = symmetric and not named_only and order == 0
        shown = 2 if symmetric and named_only else trump
        encoded.total[place] = _write_ones(state, row, order < 0, shown, encoded.ones[place])
    return encoded


def some_views(encoded: Encoded, rows: Ints) -> Encoded:
    """Return some of the rows."""
    return Encoded(encoded.ones[rows], encoded.total[rows], encoded.mirrored[rows], encoded.tied[rows])


def inputs(state: State, symmetric: bool = False) -> NDArray[np.uint8]:
    """uint8[hands, 304]: what the seats to act see; for the arguments see `encode`."""
    return to_dense(encode(state, np.arange(len(state.size)), symmetric))


@kernel
def to_dense(encoded: Encoded) -> NDArray[np.uint8]:
    """uint8[rows, 304]: the inputs as numbers."""
    numbers = np.zeros((len(encoded.total), INPUTS), dtype=np.uint8)
    for row in range(len(numbers)):
        for place in range(encoded.total[row]):
            numbers[row, encoded.ones[row, place]] = 1
    return numbers


def critic_inputs(state: State, symmetric: bool = False) -> NDArray[np.uint8]:
    """uint8[hands, 352]: the inputs of the seat to act, then the other's hand and the dealer's discard."""
    encoded = encode(state, np.arange(len(state.size)), symmetric)
    hidden = np.stack([of_seat(state.hands, 1 - state.turn), state.discard], axis=1)
    bits = bits_of(hidden, CARDS)
    bits[encoded.mirrored] = bits[encoded.mirrored][..., MIRRORED_ACTIONS[:CARDS]]
    return np.concatenate([to_dense(encoded), bits.reshape(len(bits), 2 * CARDS).astype(np.uint8)], axis=1)


def mirror_actions(rows: Array, mirrored: Bools) -> Array:
    """Return what belongs to the 30 actions, [rows, 30], with the two suits exchanged where they are mirrored."""
    return np.where(mirrored[:, None], rows[:, MIRRORED_ACTIONS], rows)


# ------------------------------------------------------------------------------------------------------------ kernels


@lean_kernel
def _knowledge_of_suit(state: State, row: int, place: int) -> int:
    """What the seat to act knows of the first or second of the two suits, as a number: a larger one comes first."""
    seat = state.turn[row]
    other = 1 - seat
    shift = _FIRST + 6 * place
    hand = state.hands[row, seat] >> shift & _SUIT
    played = state.played[row, seat] >> shift & _SUIT
    discard = state.discard[row] >> shift & _SUIT if seat == 1 else 0
    key = hand | played | discard
    key = key << 6 | state.played[row, other] >> shift & _SUIT
    key = key << 6 | hand
    key = key << 6 | state.leads[row, seat] >> shift & _SUIT
    key = key << 6 | state.leads[row, other] >> shift & _SUIT
    key = key << 6 | state.led[row] >> shift & _SUIT
    key = key << 6 | discard
    key = key << 1 | state.voids[row, seat] >> 2 + place & 1
    return int(key << 1 | state.voids[row, other] >> 2 + place & 1)


@lean_kernel
def _write_ones(state: State, row: int, mirrored: bool, trump: int, ones: Any) -> int:
    """Write the inputs of a view that are 1; return how many there are."""
    seat = state.turn[row]
    other = 1 - seat
    size = state.size[row]
    decision = state.decision[row]
    has_trump = trump != NO_TRUMP_YET
    is_bidder = state.bidder[row] == seat
    ones[0] = size - 1
    count = 1
    if decision < OVER:
        count = _add(ones, count, _DECISION + decision, True)
    count = _add(ones, count, _FLAGS, seat == 1)
    count = _add(ones, count, _FLAGS + 1, is_bidder)
    count = _add(ones, count, _FLAGS + 2, has_trump)
    count = _add(ones, count, _FLAGS + 3, trump == 0)
    count = _add(ones, count, _FLAGS + 4, (has_trump and trump > 0) or decision == SECOND_CALL)
    count = _add(ones, count, _TRUMP + trump, True)
    count = _add_cards(ones, count, 0, state.hands[row, seat], mirrored)
    count = _add_cards(ones, count, 1, state.up[row], mirrored)
    count = _add_cards(ones, count, 2, _surely_held(state, row, seat), mirrored)
    count = _add_cards(ones, count, 3, may_hold(state, row, seat), mirrored)
    count = _add_cards(ones, count, 4, state.discard[row] if seat == 1 else 0, mirrored)
    count = _add_cards(ones, count, 5, state.played[row, seat], mirrored)
    count = _add_cards(ones, count, 6, state.played[row, other], mirrored)
    count = _add_cards(ones, count, 7, state.leads[row, seat], mirrored)
    count = _add_cards(ones, count, 8, state.leads[row, other], mirrored)
    count = _add_cards(ones, count, 9, state.led[row], mirrored)
    count = _add_voids(ones, count, _VOIDS, state.voids[row, other], mirrored)
    count = _add_voids(ones, count, _VOIDS + len(SUIT_MASKS), state.voids[row, seat], mirrored)
    taken = state.tricks[row, seat]
    lost = state.tricks[row, other]
    complete = taken + lost
    needed = max(tricks_needed(size, is_bidder) - taken, 0)
    count = _add(ones, count, _COUNTS + taken, True)
    count = _add(ones, count, _COUNTS + 8 + lost, True)
    count = _add(ones, count, _COUNTS + 16 + size - complete, True)
    count = _add(ones, count, _COUNTS + 24 + needed, True)
    count = _add(ones, count, _ALL_TRICKS, taken == complete)
    return _add(ones, count, _ALL_TRICKS + 1, lost == complete)


@lean_kernel
def _add(ones: Any, count: int, number: int, is_one: bool) -> int:
    if is_one:
        ones[count] = number
        return count + 1
    return count


@lean_kernel
def _add_cards(ones: Any, count: int, number: int, cards: int, mirrored: bool) -> int:
    """Add the inputs of a mask, the suits exchanged where they are mirrored."""
    left = cards
    if mirrored:
        left = left & (1 << _FIRST) - 1 | (left >> _SECOND & _SUIT) << _FIRST | (left >> _FIRST & _SUIT) << _SECOND
    while left:
        ones[count] = _MASKS + CARDS * number + lowest_index(left)
        count += 1
        left &= left - 1
    return count


@lean_kernel
def _add_voids(ones: Any, count: int, start: int, voids: int, mirrored: bool) -> int:
    if mirrored:
        voids = voids & 3 | (voids >> 3 & 1) << 2 | (voids >> 2 & 1) << 3
    for suit in range(len(SUIT_MASKS)):
        count = _add(ones, count, start + suit, (voids >> suit & 1) != 0)
    return count


@lean_kernel
def may_hold(state: State, row: int, seat: int) -> int:
    """Return the cards that the other player may hold, as far as the seat knows."""
    known = state.hands[row, seat] | state.played[row, 0] | state.played[row, 1]
    if seat == 1:
        known |= state.discard[row]
    if _surely_held(state, row, seat) == 0:
        known |= state.up[row]
    voids = state.voids[row, 1 - seat]
    for suit in range(len(SUIT_MASKS)):
        if voids >> suit & 1:
            known |= SUIT_MASKS[suit]
    return int(DECK & ~known)


@lean_kernel
def _surely_held(state: State, row: int, seat: int) -> int:
    """Return the up-card, where the seat is the non-dealer and the dealer has taken and not yet played it; else 0."""
    held = state.trump[row] == 0 and state.decision[row] > DISCARD and seat == 0
    return int(state.up[row] & ~state.played[row, 1]) if held else 0


_SMALL_VARIANCE: Final = np.float32(1e-5)
_ROWS: Final = 512  # at once: the outputs of a layer stay in the processor's cache
_LANES: Final = 16  # sums of numbers side by side: vector instructions, the same order on every processor


class Layer(NamedTuple):
    """The weights of a hidden layer: float32[inputs, width] and three of float32[width]."""

    weight: Floats32
    bias: Floats32
    scale: Floats32
    shift: Floats32


class Network(NamedTuple):
    """A network of hidden layers and a last, linear layer.

    Attributes:
        hidden: the hidden layers.
        weight: float32[width, outputs], of the last layer.
        bias: float32[outputs].
    """

    hidden: tuple[Layer, ...]
    weight: Floats32
    bias: Floats32

    def in_double(self) -> Network:
        """Return the network in double precision, whose outputs differ by 1e-14 between batches and machines."""
        hidden: list[list[Any]] = [[array.astype(np.float64) for array in layer] for layer in self.hidden]
        last: list[Any] = [self.weight.astype(np.float64), self.bias.astype(np.float64)]
        return Network(tuple(Layer(*layer) for layer in hidden), *last)

    def outputs(self, rows: NDArray[Any]) -> NDArray[Any]:
        """float[rows, outputs], of the weights' type: the outputs for float or uint8[rows, inputs]."""
        with one_blas_thread:
            return np.asarray(outputs_of(self, rows.astype(self.weight.dtype), np))

    def outputs_of_views(self, encoded: Encoded) -> NDArray[Any]:
        """float[rows, outputs], of the weights' type: the outputs for what seats see.

        In single precision they depend on the other rows of a batch by rounding, some 1e-6.
        """
        rows = len(encoded.total)
        result = np.empty((rows, len(self.bias)), dtype=self.weight.dtype)
        lanes = np.zeros((2, _LANES), dtype=self.weight.dtype)
        with one_blas_thread:
            for start in range(0, rows, _ROWS):
                part = slice(start, start + _ROWS)
                x = np.empty((len(encoded.total[part]), len(self.hidden[0].bias)), dtype=self.weight.dtype)
                _first_layer(self.hidden[0], encoded.ones[part], encoded.total[part], lanes, x)
                for layer in self.hidden[1:]:
                    _add_layer(layer, x @ layer.weight, lanes, x)
                np.matmul(x, self.weight, out=result[part])
        result += self.bias
        return result


class Policy(NamedTuple):
    """A network with 30 outputs that decides.

    Attributes:
        network: the network whose outputs are the logits.
        is_symmetric: whether it sees the suits in their standard order, so that their names do not matter.
    """

    network: Network
    is_symmetric: bool


# ------------------------------------------------------------------------------------------------- the hidden layers


@fast_kernel
def _first_layer(layer: Layer, ones: Any, count: Any, lanes: Any, x: Any) -> None:
    """Write the outputs of the first layer, float[rows, width], for the inputs that are 1."""
    for row in range(len(count)):
        for column in range(x.shape[1]):
            x[row, column] = layer.bias[column]
        _add_weights(layer.weight, ones, count[row], row, x)
        _normalise(x, row, lanes)
        for column in range(x.shape[1]):
            y = x[row, column] * layer.scale[column] + layer.shift[column]
            x[row, column] = max(y, lanes[1, 0])


@fast_kernel
def _add_weights(weight: Any, ones: Any, count: int, row: int, x: Any) -> None:
    """Add rows of weights, four at a time: fewer passes over x."""
    whole = count // 4 * 4
    for place in range(0, whole, 4):
        first = ones[row, place]
        second = ones[row, place + 1]
        third = ones[row, place + 2]
        fourth = ones[row, place + 3]
        for column in range(x.shape[1]):
            pair = weight[first, column] + weight[second, column]
            x[row, column] += pair + (weight[third, column] + weight[fourth, column])
    for place in range(whole, count):
        number = ones[row, place]
        for column in range(x.shape[1]):
            x[row, column] += weight[number, column]


@fast_kernel
def _add_layer(layer: Layer, y: Any, lanes: Any, x: Any) -> None:
    """Add the outputs of a layer to x, both float[rows, width]; y is x · weight and is overwritten."""
    for row in range(len(x)):
        for column in range(x.shape[1]):
            y[row, column] += layer.bias[column]
        _normalise(y, row, lanes)
        for column in range(x.shape[1]):
            x[row, column] += max(y[row, column] * layer.scale[column] + layer.shift[column], lanes[1, 0])


@fast_kernel
def _normalise(y: Any, row: int, lanes: Any) -> None:
    """Give a row mean 0 and variance 1; lanes, float[2, 16], has zeros in the second row."""
    width = y.shape[1]
    _add_up(y, row, False, lanes)
    lanes[0, 0] /= width
    for column in range(width):
        y[row, column] -= lanes[0, 0]
    _add_up(y, row, True, lanes)
    lanes[0, 0] = 1 / np.sqrt(lanes[0, 0] / width + _SMALL_VARIANCE)
    for column in range(width):
        y[row, column] *= lanes[0, 0]


@fast_kernel
def _add_up(y: Any, row: int, squares: bool, lanes: Any) -> None:
    """Write the sum of the numbers of a row, or of their squares, into the first lane."""
    width = y.shape[1]
    whole = width // _LANES * _LANES
    for lane in range(_LANES):
        lanes[0, lane] = 0
    for start in range(0, whole, _LANES):
        for lane in range(_LANES):
            number = y[row, start + lane]
            lanes[0, lane] += number * number if squares else number
    for column in range(whole, width):
        number = y[row, column]
        lanes[0, column - whole] += number * number if squares else number
    for lane in range(1, _LANES):
        lanes[0, 0] += lanes[0, lane]


class _OneThread:
    """Lets products of matrices use one thread while anybody is inside: more threads only wait for each other.

    What was set before comes back with the last one to leave. threadpoolctl finds the libraries; its own limit is for
    the first Python thread that asks, and does nothing in the others.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[tuple[Callable[[int], Any], int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = [
                    (getattr(library, "_real_set_num_threads", library.set_num_threads), library.num_threads)
                    for library in _blas_libraries()
                ]
                for set_threads, _ in self._before:
                    set_threads(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for set_threads, threads in self._before:
                    set_threads(threads)


one_blas_thread: Final = _OneThread()


@functools.cache
def _blas_libraries() -> list[Any]:
    return ThreadpoolController().select(user_api="blas").lib_controllers  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------------- the networks


def new_network(random: np.random.Generator, inputs: int, width: int, layers: int, outputs: int) -> Network:
    """Return a network before training, whose outputs are 0; its weights suit inputs of which a third are 1."""
    hidden = []
    before = inputs
    for place in range(layers):
        weight = random.normal(0, np.sqrt(2 / (before if place else inputs / 3)), (before, width)).astype(np.float32)
        zeros = np.zeros(width, dtype=np.float32)
        hidden.append(Layer(weight, zeros, zeros + np.float32(0.5 if place else 1.0), zeros))
        before = width
    return Network(tuple(hidden), np.zeros((before, outputs), np.float32), np.zeros(outputs, np.float32))


def outputs_of(network: Network, rows: Array, xp: Any) -> Any:
    """float32[rows, outputs]: `Network.outputs` of float32[rows, inputs] in one batch, which JAX can differentiate."""
    x = rows
    for place, layer in enumerate(network.hidden):
        y = x @ layer.weight + layer.bias
        y = y - y.mean(axis=1, keepdims=True)
        y = y / xp.sqrt((y * y).mean(axis=1, keepdims=True) + _SMALL_VARIANCE) * layer.scale + layer.shift
        y = xp.maximum(y, 0)
        x = x + y if place else y
    return x @ network.weight + network.bias


def symmetric_outputs(network: Network, rows: Array, tied: Array, xp: Any) -> Any:
    """float32[rows, 30]: `outputs_of` of the standard order; tied rows have the mean with their mirror images."""
    outputs = outputs_of(network, rows, xp)
    return xp.where(tied[:, None], (outputs + outputs[:, MIRRORED_ACTIONS]) / 2, outputs)


def read_policy(path: Path | IO[bytes]) -> Policy:
    """Read a policy from an .npz file.

    Args:
        path: a file with `layer0_weight`, `layer0_bias`, `layer0_scale`, `layer0_shift`, and so on; the last layer has
            a weight and a bias only. Numbers of any float type; and `is_symmetric`, by default false.

    Raises:
        ValueError, LookupError, OSError: the file has no such network.
    """
    with np.load(path) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    is_symmetric = bool(arrays.pop("is_symmetric", False))
    last = sum(name.endswith("_weight") for name in arrays) - 1
    hidden = (Layer(*(arrays[f"layer{place}_{name}"] for name in Layer._fields)) for place in range(last))
    return Policy(Network(tuple(hidden), arrays[f"layer{last}_weight"], arrays[f"layer{last}_bias"]), is_symmetric)


def write_network(path: Path | IO[bytes], network: Network, **more: Any) -> None:
    """Write a network as `read_policy` reads it, the weights as float16 and the rest as float32."""
    arrays = {
        f"layer{place}_{name}": array
        for place, layer in enumerate(network.hidden)
        for name, array in layer._asdict().items()
    }
    last = len(network.hidden)
    arrays |= {f"layer{last}_weight": network.weight, f"layer{last}_bias": network.bias}
    numbers: dict[str, Any] = {
        name: np.asarray(array, np.float16 if "weight" in name else np.float32) for name, array in arrays.items()
    }
    np.savez_compressed(path, **numbers, **more)


def write_policy(path: Path | IO[bytes], policy: Policy) -> None:
    """Write a policy as `read_policy` reads it."""
    write_network(path, policy.network, is_symmetric=np.array(policy.is_symmetric))


# ------------------------------------------------------------------------------------------------------ the decisions


class Decided(NamedTuple):
    """A policy's outputs for the decisions of some hands; equal views are computed once.

    Attributes:
        outputs: float[views, 30], of the different views, in the order of the suits that the policy saw.
        number: int64[rows], the view of each row.
        mirrored, tied: bool[rows], as of `Encoded`.
    """

    outputs: NDArray[Any]
    number: Ints
    mirrored: Bools
    tied: Bools


def _decide(policy: Policy, state: State, rows: Ints) -> Decided:
    encoded = encode(state, rows, policy.is_symmetric)
    view = np.empty(len(rows), dtype=np.int64)
    first = np.empty(len(rows), dtype=np.int64)
    count = _find_alike(encoded.ones, encoded.total, first, view)
    different = some_views(encoded, first[:count])
    outputs = policy.network.outputs_of_views(different)
    return Decided(outputs, view, encoded.mirrored, encoded.tied)


@kernel
def _find_alike(ones: Any, count: Any, first: Any, view: Any) -> int:
    """Number the different views in the order in which they come; return how many there are.

    Args:
        ones, count: the arrays `ones` and `total` of `Encoded`.
        first: int64[rows], filled: a row of each view.
        view: int64[rows], filled: the view of each row.
    """
    places = 4
    while places < 2 * len(count):
        places *= 2
    slots = np.full(places, -1, dtype=np.int64)
    views = 0
    for row in range(len(count)):
        key = count[row]
        for place in range(count[row]):
            key = (key ^ ones[row, place]) * 0x100000001B3
        place = (key ^ key >> 29) & (places - 1)
        while slots[place] >= 0 and not _are_alike(ones, count, row, first[slots[place]]):
            place = (place + 1) & (places - 1)
        if slots[place] < 0:
            slots[place] = views
            first[views] = row
            views += 1
        view[row] = slots[place]
    return views


@kernel
def _are_alike(ones: Any, count: Any, row: int, other: int) -> bool:
    if count[row] != count[other]:
        return False
    place = 0
    while place < count[row] and ones[row, place] == ones[other, place]:
        place += 1
    return place == count[row]  # type: ignore[no-any-return]


def action_probabilities(policy: Policy, state: State, temperature: float = 1.0) -> Floats:
    """float64[hands, 30]: how likely each action is; all 0 where the hand is over.

    Args:
        policy: the policy that decides.
        state: hands before a decision.
        temperature: the logits are divided by it: above 1 the choices are more alike, near 0 the likeliest is made.
    """
    rows = np.arange(len(state.size))
    shares = np.zeros((len(rows), ACTIONS))
    _write_shares(state, rows, _decide(policy, state, rows), MIRRORED_ACTIONS, 1 / temperature, shares)
    return shares


def act_by(policy: Policy, state: State, rows: Ints, draws: Floats) -> None:
    """Let a policy make a decision each in some hands, which are changed.

    Args:
        policy: the policy that decides.
        state: the hands.
        rows: int64, the hands in which it decides; none is over.
        draws: float64[rows], uniform in [0, 1).
    """
    _choose(state, rows, _decide(policy, state, rows), MIRRORED_ACTIONS, draws)


@kernel
def _write_shares(state: State, rows: Any, decided: Decided, mirror: Any, sharpness: float, shares: Any) -> None:
    for place in range(len(rows)):
        _write_row(legal_actions(state, rows[place]), decided, place, mirror, sharpness, shares)


@kernel
def _choose(state: State, rows: Any, decided: Decided, mirror: Any, draws: Any) -> None:
    shares = np.zeros((len(rows), ACTIONS))
    for place in range(len(rows)):
        row = rows[place]
        legal = legal_actions(state, row)
        _write_row(legal, decided, place, mirror, 1.0, shares)
        left = draws[place]
        chosen = -1
        for action in range(ACTIONS):
            if legal >> action & 1:
                chosen = action
                left -= shares[place, action]
                if left < 0:
                    break
        act(state, row, chosen)


@kernel
def _write_row(legal: int, decided: Decided, row: int, mirror: Any, sharpness: float, shares: Any) -> None:
    """Write the probabilities of the legal actions of a row: the softmax of its logits.

    Sums go over the order in which the policy saw the suits: mirrored views have the same numbers to the last digit.
    """
    number = decided.number[row]
    highest = -np.inf
    for seen in range(ACTIONS):
        action = mirror[seen] if decided.mirrored[row] else seen
        if legal >> action & 1:
            logit = np.float64(decided.outputs[number, seen])
            if decided.tied[row]:
                logit = (logit + decided.outputs[number, mirror[seen]]) / 2
            shares[row, action] = logit * sharpness
            highest = max(highest, shares[row, action])
    total = 0.0
    for seen in range(ACTIONS):
        action = mirror[seen] if decided.mirrored[row] else seen
        if legal >> action & 1:
            shares[row, action] = np.exp(shares[row, action] - highest)
            total += shares[row, action]
    for action in range(ACTIONS):
        if legal >> action & 1:
            shares[row, action] /= total


def choose(shares: Floats, draws: Floats) -> Ints:
    """int64[rows]: an action of each row at random.

    Args:
        shares: float64[rows, actions], probabilities; a row of zeros gives action 0.
        draws: float64[rows], uniform in [0, 1).
    """
    sums = np.cumsum(shares, axis=1)
    return np.asarray(np.argmax(sums > draws[:, None] * sums[:, -1:], axis=1))
