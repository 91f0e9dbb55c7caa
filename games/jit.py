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
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching
from numba.core.types.misc import unliteral

from games.machine_code import KernelCache

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = Path(__file__).resolve().parent.parent
JIT_ENABLED = not numba.config.DISABLE_JIT
# numba before 0.63 names it with an underscore and knows no other locators: its caches are one a place of the sources.
numba.config.CACHE_LOCATOR_CLASSES = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
_Locator: Any = getattr(caching, "UserProvidedCacheLocator", None) or caching._UserProvidedCacheLocator
_DAY = 86_400.0
_PROJECT_IMPORT = re.compile(
    r"^\s*(?:from|import)\s+((?:games|solver|sim|analysis)(?:\.\w+)*)(?:\s+import\s+(?:\(([^)]*)\)|([\w, ]+)))?", re.M
)


class SourceLocator(_Locator):  # type: ignore[misc]
    """Keeps the kernels of a module in the folder named after its sources, wherever these lie."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = numba.config.CACHE_DIR

    def ensure_cache_path(self) -> None:
        """Once a folder: `cache_root` has tried whether files can be written, numba would try it for every kernel."""
        if not Path(self._cache_path).is_dir():
            super().ensure_cache_path()


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


def _compiled(function: Function, **flags: bool) -> Function:
    """The kernel that Python calls; the one that kernels call has no way in from Python, a third of the compiling."""
    if not JIT_ENABLED:
        return function
    from_python = _dispatcher(function, "", KernelCache, **flags)
    from_kernels = functools.cache(
        lambda: _dispatcher(function, "inner", caching.FunctionCache, no_cpython_wrapper=True, **flags)
    )

    def call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Of a number: one for every constant would be compiled else."""
        types = tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        return from_kernels().get_call_template(*types)

    from_python.get_call_template = call_template
    from_python.get_overload = lambda types: from_kernels().get_overload(types)
    return from_python  # type: ignore[no-any-return]


def _dispatcher(function: Function, part: str, cache: Any, **flags: bool) -> Any:
    dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, **flags)(function)
    folder = _cache_folder(function.__module__)
    if folder is None:
        return dispatcher
    others = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    locator = f"{__name__}.{SourceLocator.__name__}"
    numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = str(folder / part), locator
    try:
        dispatcher._cache = cache(function)
    finally:  # what a notebook compiles for itself is cached where numba puts it
        numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES = others
    return dispatcher


@functools.lru_cache(maxsize=1)
def cache_root() -> Path | None:
    """The first place that can be written to, or None (then every process compiles for itself)."""
    named = os.environ.get("TOWERLAB_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [Path(named)] if named else []
    places += [Path(home).expanduser() / "towerlab", Path(tempfile.gettempdir()) / f"towerlab-{_user()}"]
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            if hasattr(os, "getuid") and place.stat().st_uid != os.getuid():
                continue  # numba unpickles what it finds: never somebody else's folder
            with tempfile.TemporaryFile(dir=place):
                return place
        except OSError:
            continue
    print("note: no folder for compiled kernels is writable; compiling for this run only", file=sys.stderr)
    return None


def kernels_are_compiled(module: str) -> bool:
    """Whether an earlier run left compiled kernels of this module; False means the first answer takes seconds."""
    folder = _cache_folder(module)
    return not JIT_ENABLED or (folder is not None and any(folder.glob("**/*.nbi")))


@functools.cache
def _cache_folder(module: str) -> Path | None:
    root = cache_root()
    if root is None:
        return None
    folder = root / f"numba-{numba.__version__}" / f"{module}-{source_digest(module)}"
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)  # in use
        return folder
    _prune(root)
    return folder


@functools.cache
def _prune(root: Path) -> None:
    """Remove what no sources or no numba in use has asked for in a month; called when something new is compiled."""
    for folder in root.glob("numba-*/*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > 30 * _DAY:
                shutil.rmtree(folder, ignore_errors=True)


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
    stem = ROOT.joinpath(*module.split("."))
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.is_file():
            return path
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file else None


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"
