"""How are kernels compiled? By towerlab's own compiler: a numba target that compiles kernels sooner than numba's and
loads them sooner.

numba optimises and translates each function separately, then links the functions that call each other and repeats this
at every level of calls. This target keeps a function as LLVM's intermediate code until Python calls it. LLVM then
translates it once, together with everything that it calls.

The cache stores a function that Python calls as machine code only. Loading it skips what numba knows of types and
operations, which only compiling needs.

The target is called "towerlab" (numba's target extension). numba's own target, configuration and caches stay as they
are. All of this overrides private parts of numba: importing this module raises ImportError where the installed numba
lacks a part or was never tested, and `games.jit` then compiles with numba's own target.

>>> TARGET
'towerlab'
"""

import functools
import gc
import hashlib
import os
import pickle
import stat
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numba
from llvmlite.binding import add_symbol, address_of_symbol
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.event import trigger_event
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.core.runtime import _nrt_python, rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.core.target_extension import (
    CPU,
    current_target,
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)
from numba.core.types import BaseFunction
from numba.core.types.misc import unliteral
from numba.core.typing import Context
from numba.extending import overload
from numba.np.arrayobj import raise_with_shape_context

from towerlab.games import cache_folder
from towerlab.games.cache_folder import announce_compiling, is_private, print_note

TESTED: Final = (0, 62), (0, 68)  # the first and the last release of numba
REQUIRED: Final[dict[type[Any], tuple[str, ...]]] = {  # private methods of numba that are overridden or called here
    JITCodeLibrary: (
        "_ensure_finalized",
        "_finalize_final_module",
        "_get_compiled_object",
        "_optimize_final_module",
        "_optimize_functions",
        "_set_compiled_object",
        "_unserialize",
        "serialize_using_bitcode",
        "serialize_using_object_code",
    ),
    JITCPUCodegen: (
        "_customize_tm_options",
        "_function_pass_manager",
        "_library_class",
        "_module_pass_manager",
        "_pass_builder",
        "set_env",
    ),
    CPUContext: ("init", "insert_user_function", "load_additional_registries"),
    Context: ("_lookup_global", "resolve_function_type"),
    CPUTarget: ("_toplevel_target_context", "_toplevel_typing_context"),
    CPUDispatcher: (
        "_compile_for_args",
        "add_overload",
        "compile",
        "get_call_template",
        "get_overload",
        "typeof_pyval",
    ),
    PassManager: ("_runPass", "finalize"),
    CompilerBase: ("define_pipelines",),
    DefaultPassBuilder: ("define_nopython_pipeline",),
    CompileResult: ("_rebuild", "_reduce"),
}


def _check_numba() -> None:
    if not TESTED[0] <= numba.version_info.short <= TESTED[1]:
        raise ImportError(f"towerlab's compiler was not tested with numba {numba.__version__}")
    for owner, names in REQUIRED.items():
        for name in names:
            if not hasattr(owner, name):
                raise ImportError(f"numba {numba.__version__} has no {owner.__name__}.{name}")


_check_numba()

TARGET: Final = "towerlab"
# LLVM's third level takes two fifths longer and makes none of our kernels faster.
OPT: Final = numba.config.OPT if "NUMBA_OPT" in os.environ else type(numba.config.OPT)(2)
_ENVIRONMENT: Final = "_ZN08NumbaEnv"  # the variable that holds a function's constants has a name that begins so
_MACHINE_CODE: Final = "machine code"
_DIGEST_SIZE: Final = 32


class LazyLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A function and everything that it calls, translated on the first request for its address."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._is_translated = False
        self.is_linked = True  # into other kernels

    def _optimize_functions(self, module: Any) -> None:
        """Run numba's passes over functions, with one manager for all functions of a module."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Do nothing yet: the functions that it calls are not in it."""

    def _finalize_final_module(self) -> None:
        if self._object_caching_enabled and self._compiled_object:
            self._add_to_engine()
        self._finalized = True

    def _add_to_engine(self) -> None:
        self._is_translated = True
        super()._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """Return a function's address, 0 if the library has no function of this name."""
        self._ensure_finalized()
        if not self._is_translated and name in _symbols(self._final_module.functions, declared=False):
            self._inline_calls()
            super()._optimize_final_module()
            self._final_module.verify()
            self._add_to_engine()
            for variable in _symbols(self._final_module.global_variables, declared=False):
                environment = lookup_environment(variable) if variable.startswith(_ENVIRONMENT) else None
                if environment is not None:
                    self._codegen.set_env(variable, environment)
        return int(super().get_pointer_to_function(name))

    def _inline_calls(self) -> None:
        """Inline twice before numba's passes: each round exposes reference counting that the next one removes.

        A library without reference counting is left to numba's passes.
        """
        counts = any(function.name == "NRT_incref" for function in self._final_module.functions)
        for _ in range(2 * counts):
            passes, builder = self._codegen._module_pass_manager(
                cost="cheap", opt=1, loop_vectorize=False, slp_vectorize=False
            )
            passes.run(self._final_module, builder)

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        """Return the content of a cache file: name, kind, data.

        Before translation the data is intermediate code. Afterwards it is numba's own format for a linked library, else
        machine code, the symbols that it defines and those that it needs.
        """
        if not self._is_translated:
            return self.serialize_using_bitcode()  # type: ignore[no-any-return]
        if self.is_linked:
            return super().serialize_using_object_code()  # type: ignore[no-any-return]
        module = self._final_module
        defined = _symbols(module.functions, declared=False) | _symbols(module.global_variables, declared=False)
        needed = _symbols(module.functions, declared=True) | _symbols(module.global_variables, declared=True)
        return self.name, _MACHINE_CODE, (self._get_compiled_object(), defined, needed)

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, str, Any]) -> Any:
        name, kind, data = state
        if kind != _MACHINE_CODE:
            return super()._unserialize(codegen, state)
        code, defined, needed = data
        engine = codegen._engine
        for add_symbols in (_add_runtime_symbols, KERNELS.target_context.refresh):
            if all(address_of_symbol(symbol) or engine.is_symbol_defined(symbol) for symbol in needed):
                break
            add_symbols()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        engine._defined_symbols |= defined
        return library


def _symbols(values: Any, *, declared: bool) -> set[str]:
    """Return the names that a module only declares, or those that it defines; LLVM's own functions are left out."""
    return {value.name for value in values if value.is_declaration == declared and not value.name.startswith("llvm.")}


@functools.cache
def _add_runtime_symbols() -> None:
    """Make numba's array memory known to LLVM, without what `rtsys.initialize` compiles for compiling."""
    for name, address in _nrt_python.c_helpers.items():
        add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = LazyLibrary

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        super()._customize_tm_options(options)
        options["opt"] = OPT

    def _pass_builder(self, **options: Any) -> Any:
        return super()._pass_builder(**{"opt": OPT} | options)

    def set_env(self, name: str, environment: Any) -> None:
        """Set a function's constants, if the function has been translated."""
        if self._engine.is_symbol_defined(name):
            super().set_env(name, environment)


class _Context(CPUContext):  # type: ignore[misc]
    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("towerlab.exec")

    def load_additional_registries(self) -> None:
        rtsys.initialize(cpu_target.target_context)  # all targets share the runtime: numba's target compiles it
        super().load_additional_registries()


class _TypingContext(Context):  # type: ignore[misc]
    """Stores the signatures of operators and of numba's own functions, which numba works out at every call."""

    def __init__(self) -> None:
        super().__init__()
        self._signatures: dict[Any, Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call, as numba's method does."""
        if kws or isinstance(func, str):  # a string names a look-up in a tuple: its arguments are positions, not types
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._signatures:
            signature = super().resolve_function_type(func, args, kws)
            function = self._lookup_global(func) or func
            if signature is None or not isinstance(function, BaseFunction):
                return signature
            if function.get_impl_key(signature) is not function.typing_key:  # compiled separately for each caller
                return signature
            self._signatures[key] = signature
        return self._signatures[key]


class _Target(CPUTarget):  # type: ignore[misc]
    @functools.cached_property
    def _toplevel_target_context(self) -> Any:
        return _Context(self.typing_context, self._target_name)

    @functools.cached_property
    def _toplevel_typing_context(self) -> Any:
        return _TypingContext()


def _pause_garbage_collection(compile_types: Callable[..., Any]) -> Callable[..., Any]:
    """Compiling makes millions of objects that stay alive: collecting garbage takes a fifth of its time."""

    def compile_and_resume(args: Any, return_type: Any) -> Any:
        announce_compiling()
        is_enabled = gc.isenabled()
        gc.disable()
        try:
            return compile_types(args, return_type)
        finally:
            if is_enabled:
                gc.enable()

    return compile_and_resume


KERNELS: Final = _Target(TARGET)


class _Passes(PassManager):  # type: ignore[misc]
    def _runPass(self, index: int, compiler_pass: Any, state: Any) -> None:  # noqa: N802
        """Run a pass without numba's timers and reports, which take a tenth of the time of compiling."""
        compiler_pass.analysis = self._analysis
        compiler_pass.run_initialization(state)
        compiler_pass.run_pass(state)
        compiler_pass.run_finalizer(state)


class _Compiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> list[PassManager]:
        passes = _Passes("towerlab")
        passes.passes = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        passes.finalize()
        return [passes]


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel that Python calls.

    Other kernels call `linked()`, a second form without an entry for Python, which takes a third of the compiling.
    """

    targetdescr = KERNELS
    linked: Callable[[], Any] | None = None
    is_brief = False
    seconds_in_python = 0.0

    def __init__(self, *args: Any, **kws: Any) -> None:
        super().__init__(*args, **kws | {"pipeline_class": _Compiler})
        self._compiler.compile = _pause_garbage_collection(self._compiler.compile)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Return what numba calls for arguments of new types: the compiled form, or Python's own of a brief kernel."""
        if self.is_brief and self.seconds_in_python < cache_folder.patience and not self._is_stored(args):
            return self._run_in_python
        return super()._compile_for_args(*args, **kws)

    def _is_stored(self, args: Any) -> bool:
        types = tuple(map(self.typeof_pyval, args))
        return isinstance(self._cache, KernelCache) and self._cache.holds(types, self.targetctx.codegen())

    def _run_in_python(self, *args: Any, **kws: Any) -> Any:
        start = time.perf_counter()
        try:
            return self.py_func(*args, **kws)
        finally:
            self.seconds_in_python += time.perf_counter() - start
            cache_folder.has_run_in_python = True

    def compile(self, sig: Any) -> Any:
        """Return the address of the form for these types, as numba's method does.

        It sets no timers: where kernels call kernels, every timer of numba's hears of each call of LLVM.
        """
        with target_override(TARGET), global_compiler_lock, self._compiling_counter:
            types, return_type = normalize_signature(sig)
            if tuple(types) in self.overloads:
                return self.overloads[tuple(types)].entry_point
            result = self._cache.load_overload(sig, self.targetctx)
            if result is None:
                self._cache_misses[sig] += 1
                with trigger_event("numba:compile"):
                    result = self._compiler.compile(types, return_type)
                self._cache.save_overload(sig, result)
            else:
                self._cache_hits[sig] += 1
                self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
            self.add_overload(result)
            return result.entry_point

    def get_call_template(self, args: Any, kws: Any) -> Any:
        callee = self._callee()
        if callee is None:
            return super().get_call_template(args, kws)
        # A constant counts as an integer: numba would compile the callee for every constant.
        types = tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        return callee.get_call_template(*types)

    def get_overload(self, sig: Any) -> Any:
        callee = self._callee()
        return super().get_overload(sig) if callee is None else callee.get_overload(sig)

    def _callee(self) -> Any:
        """Return what the function being compiled calls; None if this dispatcher is the linked form itself."""
        if current_target() != TARGET:
            return self._numba_form
        return self.linked and self.linked()

    @functools.cached_property
    def _numba_form(self) -> Any:
        """The kernel for a user's function, which numba's own target compiles."""
        return numba.njit(nogil=True)(self.py_func)


class Kernels(CPU):  # type: ignore[misc]
    """The target "towerlab"."""


target_registry[TARGET] = Kernels
dispatcher_registry[Kernels] = KernelDispatcher
jit_registry[Kernels] = functools.partial(  # functions of numba's own, which only kernels call
    numba.jit, _target=TARGET, no_cfunc_wrapper=True, no_cpython_wrapper=True
)


@overload(raise_with_shape_context, target=TARGET)  # type: ignore[untyped-decorator]
def _refuse_shapes(src_shapes: Any, index_shape: Any) -> Any:
    """Raise a fixed message: numba's message names the shapes, which takes as long to compile as ten kernels."""

    def refuse(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return refuse


class KernelCache(NullCache):  # type: ignore[misc]
    """The compiled forms of one function, each in a file: a digest of file name and content, then the content."""

    def __init__(self, function: Callable[..., Any], folder: Path, *, is_linked: bool) -> None:
        self._folder = folder
        self._name = f"{function.__qualname__}{'-linked' if is_linked else ''}".replace("<", "").replace(">", "")
        code = function.__code__
        self._function = code.co_code, code.co_firstlineno, sys.implementation.cache_tag, OPT
        self._is_linked = is_linked

    def holds(self, sig: Any, codegen: Any) -> bool:
        """Return whether a compiled form for these types is stored."""
        return self._path(sig, codegen).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled form for these types, or None; a damaged file is removed and compiled again."""
        path = self._path(sig, target_context.codegen())
        try:
            with path.open("rb") as file:
                if not is_private(os.fstat(file.fileno()), stat.S_ISREG):
                    return None
                digest = file.read(_DIGEST_SIZE)
                content = file.read()
        except OSError:
            return None
        with suppress(Exception):  # unpickling and LLVM may raise anything
            if digest == _digest(path, content):
                return CompileResult._rebuild(target_context, *pickle.loads(content))
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled form; if the file cannot be written, the next process compiles again."""
        path = self._path(sig, data.codegen)
        if data.library.has_dynamic_globals:
            print_note(f"note: {path.stem} has an array among its globals; it is compiled in every run")
            return
        data.library.is_linked = self._is_linked
        content = dumps(data._reduce())
        temporary = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            temporary.touch(mode=0o600)
            temporary.write_bytes(_digest(path, content) + content)
            temporary.replace(path)
        except OSError as error:
            print_note(f"note: compiled kernels cannot be kept in {self._folder.parent}: {error.strerror}")
            with suppress(OSError):
                temporary.unlink()

    def _path(self, sig: Any, codegen: Any) -> Path:
        key = repr((str(sig), codegen.magic_tuple(), self._function)).encode()
        return self._folder / f"{self._name}-{hashlib.blake2b(key, digest_size=12).hexdigest()}.nbc"


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.blake2b(path.name.encode() + content, digest_size=_DIGEST_SIZE).digest()


def compile_kernel(function: Callable[..., Any], folder: Path | None, **options: Any) -> Any:
    """Return the dispatcher of a kernel, which compiles it on its first call.

    Args:
        function: a free function over numbers and arrays.
        folder: the folder of the kernel's cache, None for no cache.
        options: numba's options, private ones included.
    """

    def dispatcher(is_linked: bool, **more: Any) -> Any:
        form = numba.njit(_target=TARGET, nogil=True, no_cfunc_wrapper=True, **options, **more)(function)
        if folder is not None:
            form._cache = KernelCache(function, folder, is_linked=is_linked)
        return form

    kernel = dispatcher(is_linked=False)
    kernel.linked = functools.cache(lambda: dispatcher(is_linked=True, no_cpython_wrapper=True))
    return kernel
