"""How is a kernel compiled, once and never stale? The only way to compile one: numba, with a cache that is always
writable and never stale.

numba's own cache compares only the file that a function stands in, not the files whose functions it calls. Here the
name of the cache folder holds a digest of the module *and of every towerlab module that it imports*: after an edit of a
helper, its callers are compiled again. The digest ignores where the sources are, so that a checkout and every
environment with the same sources share one cache.

`games.machine_code` compiles where it fits the installed numba; elsewhere numba's own target does, with its
own cache files in the same folder and the same answers.

Set ``TOWERLAB_CACHE_DIR`` to move the cache, ``NUMBA_DISABLE_JIT=1`` to run every kernel as plain Python.

>>> from towerlab.games.tricks import field_of
>>> uncompiled(field_of)(1 << 15, 0b11111 << 39) == 0b1111111111111 << 13  # the field of a plain card
True
"""

import functools
import hashlib
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba

from towerlab.games.cache_folder import announce_compiling, cache_root, hold_signals, mark_used, print_note

Function = TypeVar("Function", bound=Callable[..., Any])

ROOT = Path(__file__).resolve().parent.parent  # the folder of the packages, in a checkout as in an installation
JIT_ENABLED = not numba.config.DISABLE_JIT
_INSTRUCTIONS = "towerlab.games.bits"  # Python has none of the processor's instructions that its kernels are
_PROJECT_IMPORT = re.compile(
    r"^\s*(?:from|import)\s+(towerlab(?:\.\w+)*)(?:\s+import\s+(?:\(([^)]*)\)|([\w, ]+)))?", re.M
)


def kernel(function: Function) -> Function:
    """Compile a free function over ints and arrays; cached on disk where any place is writable.

    Kernels call each other freely but take no functions as arguments, do not recurse, and use int64 throughout.
    """
    return _compile(function)


def lean_kernel(function: Function) -> Function:
    """As `kernel`, for functions that make no arrays: numba then counts no references.

    Counting costs two atomic instructions an array and call, which is most of the time of a small kernel that gets its
    tables as arguments. Such a kernel calls lean kernels only; slices and whole-array assignments are arrays too.
    """
    return _compile(function, _nrt=False)


def inlined_kernel(function: Function) -> Function:
    """As `lean_kernel`, for parts of a long loop that occur in it once: LLVM puts the body in the place of the call.

    Arrays as arguments then cost nothing. Inlining in many places costs compile time.
    """
    return _compile(function, _nrt=False, forceinline=True)


def fast_kernel(function: Function) -> Function:
    """As `lean_kernel`, with numpy's division: a loop that need not stop at a zero takes vector instructions.

    Sums keep their order, and no product is fused with a sum: every processor gives the same bits.
    """
    return _compile(function, _nrt=False, error_model="numpy")


def brief_kernel(function: Function) -> Function:
    """As `kernel`, for what a player does once a turn: Python may run it first (`run_first_in_python`).

    All kernels of the rules, in `games`, are brief, but for those that are an instruction of the processor.
    """
    return _compile(function, is_brief=True)


def uncompiled(function: Function) -> Function:
    """Return a kernel's function as Python runs it: of the kernels that it calls, only those on its way are compiled.

    For decisions at a table, where a kernel that serves all players or phases would have all of them compiled.
    """
    return getattr(function, "py_func", function)


def _compile(function: Function, *, is_brief: bool = False, **options: Any) -> Function:
    if not JIT_ENABLED:
        return function
    dispatcher = _compiler()(function, _cache_folder(function.__module__), **options)
    module = function.__module__
    dispatcher.is_brief = is_brief or (module.startswith("towerlab.games.") and module != _INSTRUCTIONS)
    dispatcher.compile = hold_signals()(dispatcher.compile)  # numba's way to load a kernel as well
    return dispatcher  # type: ignore[no-any-return]


@functools.cache
def _compiler() -> Callable[..., Any]:
    """Return the function that compiles kernels; numba makes what all of them share for the first dispatcher."""
    with hold_signals():
        compile_kernel = _choose_compiler()
        compile_kernel(lambda: None, None)
    return compile_kernel


def _choose_compiler() -> Callable[..., Any]:
    try:
        from towerlab.games.machine_code import compile_kernel
    except (ImportError, AttributeError):
        process = sys.modules.get("multiprocessing.process")
        if process is None or process.parent_process() is None:  # workers leave the note to their parent
            print_note(f"note: towerlab's compiler does not fit numba {numba.__version__}; numba's own takes longer")
        return compile_with_numba
    return compile_kernel


def compile_with_numba(function: Callable[..., Any], folder: Path | None, **options: Any) -> Any:
    """As `machine_code.compile_kernel`, by numba's own target, which ignores the options that it does not know."""
    known = {name: value for name, value in options.items() if name in _known_options()}
    usual = numba.config.CACHE_DIR
    try:
        if folder is not None:
            for parent in (folder.parent, folder):
                parent.mkdir(mode=0o700, exist_ok=True)  # numba leaves the right to write to the umask
            numba.config.CACHE_DIR = str(folder)
        dispatcher = numba.njit(nogil=True, cache=folder is not None, **known)(function)
    except OSError as error:
        print_note(f"note: compiled kernels cannot be kept in {folder}: {error.strerror}")
        return compile_with_numba(function, None, **options)
    finally:
        numba.config.CACHE_DIR = usual
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = _TolerantCache(dispatcher._cache)
    return dispatcher


@functools.cache
def _known_options() -> frozenset[str]:
    try:
        from numba.core.options import DefaultOptions
    except ImportError:
        return frozenset({"error_model"})  # the documented one among ours
    return frozenset(vars(DefaultOptions))


class _TolerantCache:
    """numba's cache of a function; a damaged file or a full disk costs a compilation, not the answer."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *signature: Any) -> Any:
        try:
            compiled = self._cache.load_overload(*signature)
        except Exception:  # unpickling may raise anything
            compiled = None
            with suppress(OSError):
                self._cache.flush()
        if compiled is None:
            announce_compiling()
        return compiled

    def save_overload(self, *compiled: Any) -> None:
        try:
            self._cache.save_overload(*compiled)
        except OSError as error:
            print_note(f"note: compiled kernels cannot be kept in {self._cache.cache_path}: {error.strerror}")


@functools.cache
def _cache_folder(module: str) -> Path | None:
    root = cache_root()
    if root is None:
        return None
    folder = root / f"numba-{numba.__version__}" / f"{module}-{source_digest(module)}"
    mark_used(folder)
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
    """Return a source and the modules it may import, names that are no modules among them."""
    source = path.read_bytes()
    modules: list[str] = []
    for module, in_brackets, on_the_line in _PROJECT_IMPORT.findall(source.decode("utf-8")):
        names = (in_brackets or on_the_line).split(",")
        modules += [module, *(f"{module}.{name.strip()}" for name in names if name.strip())]
    return source, tuple(modules)


@functools.cache
def _source(module: str) -> Path | None:
    stem = ROOT.joinpath(*module.removeprefix("towerlab.").split("."))
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.is_file():
            return path
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file else None
