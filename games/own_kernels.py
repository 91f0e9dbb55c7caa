"""Kernels of users, and ours with some of theirs in them: compiled for the run, kept nowhere.

Kernels take no functions. To let a kernel call one of a user's, it is made anew from the same source with another
function behind one of the names it uses, and so is every kernel between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from towerlab.games.jit import JIT_ENABLED, own_kernel


def is_kernel(value: Any) -> bool:
    """Whether something is a compiled function; any function where nothing is compiled."""
    return hasattr(value, "py_func") or (not JIT_ENABLED and isinstance(value, FunctionType))


def with_kernels(entry: Any, others: Mapping[Any, Any]) -> Any:
    """A kernel in which other kernels stand in the place of some that it calls, directly or not.

    Args:
        entry: the kernel.
        others: kernel → what is called instead.
    """
    made = {id(one): other for one, other in others.items()}

    def remade(one: Any) -> Any:
        if id(one) not in made:
            function = getattr(one, "py_func", one)
            used = {name: function.__globals__.get(name) for name in function.__code__.co_names}
            new = {name: remade(value) for name, value in used.items() if is_kernel(value)}
            new = {name: value for name, value in new.items() if value is not used[name]}
            made[id(one)] = one
            if new:
                parts = function.__name__, function.__defaults__, function.__closure__
                made[id(one)] = own_kernel(FunctionType(function.__code__, {**function.__globals__, **new}, *parts))
        return made[id(one)]

    return remade(entry)
