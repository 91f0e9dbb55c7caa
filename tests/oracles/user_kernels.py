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


@numba.njit(cache=True)
def refused(n):
    if n < 0:
        raise ValueError("below zero", n)
    return total(np.arange(n))


@numba.vectorize(["float64(float64, float64)"])
def larger(a, b):
    return a if a > b else b


def main(towerlab: bool) -> dict[str, Any]:
    if towerlab:
        import towerlab as tl

        assert tl.claim("JH JD", trump="H", lead="me", tricks=2).sound
    numbers = np.arange(64)
    floats = numbers.astype(np.float64)
    answers = [
        total(numbers), saxpy(2.0, floats, floats), mean(floats), roots(floats), refused(5), larger(floats, 3.0),
    ]  # fmt: skip
    try:
        refused(-1)
    except ValueError as error:
        answers.append(error.args)
    compiled = {
        one.__name__: [form.library for form in one.overloads.values()] for one in (total, saxpy, mean, roots, refused)
    }
    compiled["larger"] = [form.library for form in larger._dispatcher.overloads.values()]
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
