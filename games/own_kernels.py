"""Kernels of users, and ours with some of theirs in them: compiled for the run, kept nowhere.

Kernels take no functions. To let a kernel call one of a user's, it is made anew from the same source with another
function behind one of the names it uses, and so is every kernel between the two.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

import numba

from towerlab.games.jit import JIT_ENABLED
from towerlab.games.machine_code import TARGET

Function = TypeVar("Function", bound=Callable[..., Any])


def own_kernel(function: Function) -> Function:
    """Compile a free function over ints and arrays that may call towerlab's kernels; once a process.

    The kernels of towerlab are kept on disk by their sources. Yours may change between two runs of one session, and may
    call what stands in other files, so they are not.
    """
    if not JIT_ENABLED:
        return function
    made = functools.partial(numba.njit, _target=TARGET, nogil=True, no_cfunc_wrapper=True)
    from_python = made()(function)
    from_python.inner = functools.cache(lambda: made(no_cpython_wrapper=True)(function))
    return from_python  # type: ignore[no-any-return]


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
