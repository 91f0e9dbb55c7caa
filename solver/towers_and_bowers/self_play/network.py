"""The learned policy in numpy: three layers of 512 over the inputs of `encoding`, then a logit for each action.

A layer is y = x · weight + bias over the outputs x of the layer before; y is normalised to mean 0 and variance 1,
multiplied by scale, shifted, and negative numbers become 0. From the second layer on x is added.

`data/policy.npz` has the weights that play, in float16: a prototype of the recipe in the documents trained them, on one
H100 in 495 seconds, by 274 million hands against itself.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.solver.towers_and_bowers.self_play.encoding import inputs
from towerlab.solver.towers_and_bowers.self_play.environment import Array, State, legal, rows_of

Floats32 = NDArray[np.float32]

STORED_POLICY: Final = Path(__file__).parents[1] / "data" / "policy.npz"

_SMALL_VARIANCE: Final = np.float32(1e-5)
_ROWS: Final = 512  # at once: inputs and the outputs of a layer stay in the processor's cache


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
        """float[rows, outputs], of the weights' type: the outputs for float or uint8[rows, inputs].

        In single precision they depend on the other rows of a batch by rounding, some 1e-6.
        """
        parts = [self._batch(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.bias)), dtype=self.bias.dtype)

    def _batch(self, rows: NDArray[Any]) -> NDArray[Any]:
        x: NDArray[Any] = rows.astype(self.weight.dtype)
        for place, layer in enumerate(self.hidden):
            y = _normalise(x @ layer.weight + layer.bias) * layer.scale + layer.shift
            np.maximum(y, 0, out=y)
            x = y if place == 0 else x + y
        return x @ self.weight + self.bias


def _normalise(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the rows with mean 0 and variance 1."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.dtype.type(rows.shape[1])
    return np.asarray(rows / np.sqrt(variance + _SMALL_VARIANCE)[:, None])


def new_network(random: np.random.Generator, inputs: int, width: int, layers: int, outputs: int) -> Network:
    """Return a network before training, whose outputs are all 0; of the inputs some third is 1."""
    hidden = []
    before = inputs
    for place in range(layers):
        weight = random.normal(0, np.sqrt(2 / (before if place else inputs / 3)), (before, width)).astype(np.float32)
        zeros = np.zeros(width, dtype=np.float32)
        hidden.append(Layer(weight, zeros, zeros + np.float32(0.5 if place else 1.0), zeros))
        before = width
    return Network(tuple(hidden), np.zeros((before, outputs), np.float32), np.zeros(outputs, np.float32))


def outputs_of(network: Network, rows: Array, xp: ModuleType) -> Array:
    """float32[rows, outputs]: `Network.outputs` of float32[rows, inputs] in one batch, which JAX can differentiate."""
    x = rows
    for place, layer in enumerate(network.hidden):
        y = x @ layer.weight + layer.bias
        y = y - y.mean(axis=1, keepdims=True)
        y = y / xp.sqrt((y * y).mean(axis=1, keepdims=True) + _SMALL_VARIANCE) * layer.scale + layer.shift
        y = xp.maximum(y, 0)
        x = x + y if place else y
    return x @ network.weight + network.bias


def read_network(path: Path | IO[bytes]) -> Network:
    """Read a network from an .npz file.

    Args:
        path: a file with `layer0_weight`, `layer0_bias`, `layer0_scale`, `layer0_shift`, and so on; the last layer has
            a weight and a bias only. Numbers of any float type.
    """
    with np.load(path) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    last = sum(name.endswith("_weight") for name in arrays) - 1
    hidden = (Layer(*(arrays[f"layer{place}_{name}"] for name in Layer._fields)) for place in range(last))
    return Network(tuple(hidden), arrays[f"layer{last}_weight"], arrays[f"layer{last}_bias"])


def write_network(path: Path | IO[bytes], network: Network) -> None:
    """Write a network as `read_network` reads it, the weights as float16 and the rest as float32."""
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
    np.savez_compressed(path, **numbers)


@functools.cache
def stored_policy() -> Network:
    """Return the network that plays."""
    return read_network(STORED_POLICY)


@functools.cache
def answering_policy() -> Network:
    """Return the network that plays, in double precision: its answers do not depend on what else is asked."""
    return stored_policy().in_double()


def action_probabilities(policy: Network, state: State, temperature: float = 1.0) -> Floats:
    """float64[hands, 30]: how likely each action is; all 0 where the hand is over.

    Equal views of a seat are computed once.

    Args:
        policy: a network with 30 outputs.
        state: hands before a decision.
        temperature: the logits are divided by it: above 1 the choices are more alike, near 0 the likeliest is made.
    """
    possible = legal(state)
    shares = possible.astype(np.float64)
    rows = np.flatnonzero(shares.sum(axis=1) > 1)  # elsewhere there is no choice
    if len(rows):
        first, back = _alike(rows_of(state, rows))
        different = rows[first]
        logits = policy.outputs(inputs(rows_of(state, different)))
        shares[rows] = softmax(logits / temperature, possible[different])[back]
    return np.asarray(shares)


def _alike(state: State) -> tuple[Ints, Ints]:
    """Return a row of each different view of the seats to act, and of each row which of these views it is."""
    own = np.arange(2) == state.turn[:, None]
    is_dealer = state.turn == 1
    seen = state._replace(hands=np.where(own, state.hands, 0), discard=np.where(is_dealer, state.discard, 0))
    keys = np.ascontiguousarray(np.column_stack(seen), dtype=np.int32)
    _, first, back = np.unique(keys.view(f"V{keys[0].nbytes}").ravel(), return_index=True, return_inverse=True)
    return first, back


def softmax(logits: NDArray[Any], possible: Bools) -> Floats:
    """float64, as `logits`: the probabilities of what is possible, 0 elsewhere; each row has something possible."""
    weights = np.where(possible, logits, -np.inf).astype(np.float64)
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def choose(shares: Floats, draws: Floats) -> Ints:
    """int64[rows]: an action of each row at random.

    Args:
        shares: float64[rows, actions], probabilities; a row of zeros gives action 0.
        draws: float64[rows], uniform in [0, 1).
    """
    sums = np.cumsum(shares, axis=1)
    return np.asarray(np.argmax(sums > draws[:, None] * sums[:, -1:], axis=1))
