"""Binomial coefficients in kernels. A module of its own: a change of `games.bits` would compile everything again."""

from __future__ import annotations

from towerlab.games.jit import lean_kernel


@lean_kernel
def binomial(size: int, count: int) -> int:
    """Return how many subsets of `count` a set of `size` has; none where `count` is negative or too large."""
    if count < 0 or count > size:
        return 0
    ways = 1
    for taken in range(count):
        ways = ways * (size - taken) // (taken + 1)
    return ways
