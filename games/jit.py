"""The one way to compile a kernel: numba with a cache that is always writable and never stale.

numba's own cache looks at the file a function stands in, not at the files whose functions it calls. Here the cache
folder is named after a digest of the module *and every towerlab module it imports*, so that an edited helper is
never served from an old cache; where the sources lie does not enter, so that a checkout and every environment that has
the same sources compile once between them. Set ``TOWERLAB_CACHE_DIR`` to move the cache, ``NUMBA_DISABLE_JIT=1`` to run
every kernel as plain Python.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

from towerlab.games.cache_folder import cache_root, in_use
from towerlab.games.machine_code import TARGET, KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = Path(__file__).resolve().parent.parent  # the folder of the packages, in a checkout as in an installation
JIT_ENABLED = not numba.config.DISABLE_JIT
_PROJECT_IMPORT = re.compile(
    r"^\s*(?:from|import)\s+(towerlab(?:\.\w+)*)(?:\s+import\s+(?:\(([^)]*)\)|([\w, ]+)))?", re.M
)


def kernel(function: Function) -> Function:
    """Compile a free function over ints and arrays; cached on disk where any place is writable.

    Kernels call each other freely but take no functions as arguments, do not recurse, and use int64 throughout.
    """
    return _compiled(function)


def lean_kernel(function: Function) -> Function:
    """As `kernel`, for functions that make no arrays: numba then counts no references.

    Counting costs two atomic instructions an array and call, which is most of the time of a small kernel that gets its
    tables as arguments. Such a kernel calls lean kernels only; slices and whole-array assignments are arrays too.
    """
    return _compiled(function, _nrt=False)


def inlined_kernel(function: Function) -> Function:
    """As `lean_kernel`, for the parts of one long loop that stand once in it: LLVM puts the body where it is called.

    Arrays as arguments then cost nothing. Inlined in many places it costs compile time.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def own_kernel(function: Function) -> Function:
    """Compile a free function over ints and arrays that may call towerlab's kernels; once a process.

    The kernels of towerlab are kept on disk by their sources. Yours may change between two runs of one session, and may
    call what stands in other files, so they are not.
    """
    return _compiled(function, is_kept=False)


def _compiled(function: Function, is_kept: bool = True, **flags: bool) -> Function:
    if not JIT_ENABLED:
        return function
    made = functools.partial(_dispatcher, function, is_kept, **flags)
    from_python = made(is_linked=False)
    from_python.inner = functools.cache(lambda: made(is_linked=True, no_cpython_wrapper=True))
    return from_python  # type: ignore[no-any-return]


def _dispatcher(function: Function, is_kept: bool, is_linked: bool, **flags: bool) -> Any:
    dispatcher = numba.njit(_target=TARGET, nogil=True, no_cfunc_wrapper=True, **flags)(function)
    folder = _cache_folder(function.__module__) if is_kept else None
    if folder is not None:
        dispatcher._cache = KernelCache(function, folder, is_linked=is_linked)
    return dispatcher


@functools.cache
def _cache_folder(module: str) -> Path | None:
    root = cache_root()
    if root is None:
        return None
    folder = root / f"numba-{numba.__version__}" / f"{module}-{source_digest(module)}"
    in_use(folder)
    return folder


@functools.cache
def source_digest(module: str) -> str:
    """Digest of a module's source and of the sources of all towerlab modules it can reach."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_reachable(module)):
        digest.update(_read(path)[0])
    return digest.hexdigest()


def _reachable(module: str) -> set[Path]:
    seen: set[Path] = set()
    waiting = [module]
    while waiting:
        path = _source(waiting.pop())
        if path is not None and path not in seen:
            seen.add(path)
            waiting += _read(path)[1]
    return seen


@functools.cache
def _read(path: Path) -> tuple[bytes, tuple[str, ...]]:
    """A source and the modules it may import, names that are no modules among them."""
    source = path.read_bytes()
    found: list[str] = []
    for imported, in_brackets, on_the_line in _PROJECT_IMPORT.findall(source.decode("utf-8")):
        names = (in_brackets or on_the_line).split(",")
        found += [imported, *(f"{imported}.{name.strip()}" for name in names if name.strip())]
    return source, tuple(found)


@functools.cache
def _source(module: str) -> Path | None:
    stem = ROOT.joinpath(*module.removeprefix("towerlab.").split("."))
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.is_file():
            return path
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file else None
