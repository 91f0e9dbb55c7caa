"""Functions that somebody else compiles with numba: what they are compiled to, and what becomes of numba's settings.

    python user_kernels.py [towerlab]

Prints one JSON object. With `towerlab` a question is answered first, by kernels that this process compiles or loads.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

import numba
import numpy as np
from numba.experimental import jitclass
from numba.typed import Dict


@numba.njit
def total(values):
    result = 0
    for value in values:
        result += value * value
    return result


@numba.njit(cache=True)
def saxpy(a, x, y):
    return a * x + y


@numba.njit(fastmath=True, error_model="numpy")
def mean(values):
    return values.sum() / values.size


@numba.njit(parallel=True)
def roots(values):
    result = np.empty_like(values)
    for index in numba.prange(values.size):
        result[index] = np.sqrt(values[index])
    return result


@numba.njit
def product(a, b):
    return a @ b


@numba.njit
def norm(a):
    return np.linalg.norm(a)


@numba.njit
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@numba.njit
def counts(values):
    found = Dict.empty(numba.int64, numba.int64)
    for value in values:
        found[value % 7] = found.get(value % 7, 0) + 1
    return found


@numba.njit(cache=True)
def refused(n):
    if n < 0:
        raise ValueError("below zero", n)
    return total(np.arange(n))


@numba.vectorize(["float64(float64, float64)"])
def larger(a, b):
    return a if a > b else b


@numba.guvectorize(["(float64[:], float64[:])"], "(n)->(n)")
def running(values, result):
    total = 0.0
    for index in range(values.shape[0]):
        total += values[index]
        result[index] = total


@numba.cfunc("float64(float64)")
def square(x):
    return x * x


@jitclass([("place", numba.int64)])
class Walker:
    def __init__(self, place):
        self.place = place

    def step(self, size):
        self.place += size
        return self.place


def main(towerlab: bool) -> dict[str, Any]:
    if towerlab:
        import towerlab as tl

        assert tl.claim("JH JD", trump="H", lead="me", tricks=2).sound
    numbers = np.arange(64)
    floats = numbers.astype(np.float64)
    square_matrix = floats.reshape(8, 8)
    answers = [
        total(numbers), saxpy(2.0, floats, floats), mean(floats), roots(floats), product(square_matrix, square_matrix),
        norm(square_matrix), fibonacci(12), sorted(counts(numbers).items()), refused(5),
        larger(floats, 3.0), running(floats), square(3.0), Walker(1).step(2),
    ]  # fmt: skip
    try:
        refused(-1)
    except ValueError as error:
        answers.append(error.args)
    compiled = {
        one.__name__: [form.library for form in one.overloads.values()]
        for one in (total, saxpy, mean, roots, product, norm, fibonacci, counts, refused)
    }
    compiled["larger"] = [form.library for form in larger._dispatcher.overloads.values()]
    compiled["running"] = [form.library for form in running.gufunc_builder.nb_func.overloads.values()]
    compiled["square"] = [square._library]
    compiled["Walker"] = [form.library for form in Walker.class_type.jit_methods["step"].overloads.values()]
    return {
        "assembly": {name: [_digest(library.get_asm_str()) for library in of] for name, of in compiled.items()},
        "answers": [str(answer) for answer in answers],
        "config": {name: str(value) for name, value in vars(numba.config).items() if name.isupper()},
        "hits": {one.__name__: sum(one.stats.cache_hits.values()) for one in (saxpy, refused)},
        "threads": numba.get_num_threads(),
    }


def _digest(assembly: str) -> str:
    """Of the instructions and registers in their order, without names, addresses and other numbers."""
    code = [line.split("#")[0] for line in assembly.splitlines() if line.startswith("\t") and line[1] != "."]
    plain = [re.sub(r"\$?-?[\w.$]*\d[\w.$]*", "", re.sub(r"%(\w+)", _letters, line)) for line in code]
    return hashlib.blake2b("\n".join(plain).encode(), digest_size=8).hexdigest()


def _letters(register: re.Match[str]) -> str:
    return register.group().translate(str.maketrans("0123456789", "abcdefghij"))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:] == ["towerlab"])))
