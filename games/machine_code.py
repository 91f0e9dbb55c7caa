"""How kernels are compiled and kept: a numba target of our own, so that nobody else's functions change.

numba optimises and translates each function by itself, then links those that call each other and does it again at every
level of calls. Here a function stays LLVM's intermediate code until somebody asks for an address in it, which only a
call from Python does: everything is translated once, with all that it calls.

The machine code of a function that Python calls is kept without its intermediate code, and read without loading what
numba knows of types and operations, which only compiling needs.

All of this belongs to the target "towerlab" (numba's target extension): numba's own target, configuration and caches
stay as they are.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import pickle
import stat
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numba
from llvmlite.binding import add_symbol, address_of_symbol
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.core.runtime import _nrt_python, rtsys
from numba.core.serialize import dumps
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

from towerlab.games.cache_folder import announce_compiling, is_private, note

TARGET: Final = "towerlab"
# LLVM's third level takes two fifths longer and makes none of our kernels faster.
OPT: Final = numba.config.OPT if "NUMBA_OPT" in os.environ else type(numba.config.OPT)(2)
_ENVIRONMENT: Final = "_ZN08NumbaEnv"  # how numba names the variable through which a function finds its constants
_CODE_ALONE: Final = "machine code"
_DIGEST: Final = 32


class LateLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A function and all that it calls, translated when an address in it is first asked for."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._translated = False
        self.is_linked = True

    def _optimize_final_module(self) -> None:
        """Not before all that it calls is in it and it is to be run."""

    def _finalize_final_module(self) -> None:
        if self._object_caching_enabled and self._compiled_object:
            self._add_to_engine()
        self._finalized = True

    def _add_to_engine(self) -> None:
        self._translated = True
        super()._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> int:
        """As numba's: 0 where nothing of that name is in it."""
        self._ensure_finalized()
        if not self._translated and name in _names(self._final_module.functions, declared=False):
            self._put_together()
            super()._optimize_final_module()
            self._final_module.verify()
            self._add_to_engine()
            for variable in _names(self._final_module.global_variables, declared=False):
                environment = lookup_environment(variable) if variable.startswith(_ENVIRONMENT) else None
                if environment is not None:
                    self._codegen.set_env(variable, environment)
        return int(super().get_pointer_to_function(name))

    def _put_together(self) -> None:
        """Two rounds of inlining before numba's: each removes counting of references that the one before laid bare."""
        for _ in range(2):
            passes, builder = self._codegen._module_pass_manager(
                cost="cheap", opt=1, loop_vectorize=False, slp_vectorize=False
            )
            passes.run(self._final_module, builder)

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        """As numba's; intermediate code alone of what has not been translated.

        Of a library that nobody links: machine code, the names in it, and those that it needs.
        """
        if not self._translated:
            return self.serialize_using_bitcode()  # type: ignore[no-any-return]
        if self.is_linked:
            return super().serialize_using_object_code()  # type: ignore[no-any-return]
        module = self._final_module
        inside = _names(module.functions, declared=False) | _names(module.global_variables, declared=False)
        outside = _names(module.functions, declared=True) | _names(module.global_variables, declared=True)
        return self.name, _CODE_ALONE, (self._get_compiled_object(), inside, outside)

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, str, Any]) -> Any:
        name, kind, data = state
        if kind != _CODE_ALONE:
            return super()._unserialize(codegen, state)
        code, inside, outside = data
        engine = codegen._engine
        for supply in (_add_runtime_symbols, KERNELS.target_context.refresh):
            if all(address_of_symbol(symbol) or engine.is_symbol_defined(symbol) for symbol in outside):
                break
            supply()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        engine._defined_symbols |= inside
        return library


def _names(values: Any, *, declared: bool) -> set[str]:
    """Of what is declared only, or of what is defined; LLVM's own functions are neither."""
    return {value.name for value in values if value.is_declaration == declared and not value.name.startswith("llvm.")}


@functools.cache
def _add_runtime_symbols() -> None:
    """The memory of arrays, as numba's `rtsys.initialize` without compiling what only compiling needs."""
    for name, address in _nrt_python.c_helpers.items():
        add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = LateLibrary

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        super()._customize_tm_options(options)
        options["opt"] = OPT

    def _pass_builder(self, **options: Any) -> Any:
        return super()._pass_builder(**{"opt": OPT} | options)

    def set_env(self, name: str, environment: Any) -> None:
        """As numba's, where that function has been translated."""
        if self._engine.is_symbol_defined(name):
            super().set_env(name, environment)


class _Context(CPUContext):  # type: ignore[misc]
    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("towerlab.exec")

    def load_additional_registries(self) -> None:
        rtsys.initialize(cpu_target.target_context)  # all targets share it: compiled as numba does
        super().load_additional_registries()


class _Types(Context):  # type: ignore[misc]
    """Finds once what operators and numba's own functions make of types: numba tries all forms at every place."""

    def __init__(self) -> None:
        super().__init__()
        self._found: dict[Any, Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """As numba's."""
        if kws or isinstance(func, str):  # a look-up in a tuple, say: of places, which are no types
            return super().resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._found:
            found, function = super().resolve_function_type(func, args, kws), self._lookup_global(func) or func
            if found is None or not isinstance(function, BaseFunction):
                return found
            if function.get_impl_key(found) is not function.typing_key:  # compiled for who calls it
                return found
            self._found[key] = found
        return self._found[key]


class _Target(CPUTarget):  # type: ignore[misc]
    @functools.cached_property
    def _toplevel_target_context(self) -> Any:
        return _Context(self.typing_context, self._target_name)

    @functools.cached_property
    def _toplevel_typing_context(self) -> Any:
        return _Types()


def _without_collecting(compile_types: Callable[..., Any]) -> Callable[..., Any]:
    """Compiling makes millions of objects that stay: looking for garbage among them takes a fifth of the time."""

    def compile_all(args: Any, return_type: Any) -> Any:
        announce_compiling()
        collecting = gc.isenabled()
        gc.disable()
        try:
            return compile_types(args, return_type)
        finally:
            if collecting:
                gc.enable()

    return compile_all


KERNELS: Final = _Target(TARGET)


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function for Python; other kernels call `inner`, which has no way in from Python: a third of the compiling."""

    targetdescr = KERNELS
    inner: Callable[[], Any] | None = None

    def __init__(self, *args: Any, **kws: Any) -> None:
        super().__init__(*args, **kws)
        self._compiler.compile = _without_collecting(self._compiler.compile)

    def compile(self, sig: Any) -> Any:
        with target_override(TARGET):
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        called = self._called()
        if called is None:
            return super().get_call_template(args, kws)
        # Of a number: one for every constant would be compiled else.
        types = tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
        return called.get_call_template(*types)

    def get_overload(self, sig: Any) -> Any:
        called = self._called()
        return super().get_overload(sig) if called is None else called.get_overload(sig)

    def _called(self) -> Any:
        if current_target() != TARGET:
            return self._by_numba
        return self.inner and self.inner()

    @functools.cached_property
    def _by_numba(self) -> Any:
        """For a function that somebody else compiles: compiled with it, as numba does."""
        return numba.njit(nogil=True)(self.py_func)


class Kernels(CPU):  # type: ignore[misc]
    """The target "towerlab"."""


target_registry[TARGET] = Kernels
dispatcher_registry[Kernels] = KernelDispatcher
jit_registry[Kernels] = functools.partial(numba.jit, _target=TARGET)


@overload(raise_with_shape_context, target=TARGET)  # type: ignore[untyped-decorator]
def _refuse_shapes(src_shapes: Any, index_shape: Any) -> Any:
    """As numba's for other targets: to put the shapes into words takes as long to compile as ten kernels."""

    def refuse(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return refuse


class KernelCache(NullCache):  # type: ignore[misc]
    """The compiled forms of one function, a file each: a digest of its name and content, then the content."""

    def __init__(self, function: Callable[..., Any], folder: Path, *, is_linked: bool) -> None:
        self._folder = folder
        self._name = f"{function.__qualname__}{'-inner' if is_linked else ''}".replace("<", "").replace(">", "")
        code = function.__code__
        self._function = code.co_code, code.co_firstlineno, sys.implementation.cache_tag, OPT
        self._is_linked = is_linked

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these types, or None; what is damaged is removed, to be compiled again."""
        path = self._path(sig, target_context.codegen())
        try:
            with path.open("rb") as file:
                if not is_private(os.fstat(file.fileno()), stat.S_ISREG):
                    return None
                digest, content = file.read(_DIGEST), file.read()
        except OSError:
            return None
        with suppress(Exception):  # whatever unpickling or LLVM may raise
            if digest == _digest(path, content):
                return CompileResult._rebuild(target_context, *pickle.loads(content))
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form; what cannot be written is compiled again next time."""
        path = self._path(sig, data.codegen)
        if data.library.has_dynamic_globals:
            note(f"note: {path.stem} has an array among its globals; it is compiled in every run")
            return
        data.library.is_linked = self._is_linked
        content = dumps(data._reduce())
        written = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            written.touch(mode=0o600)
            written.write_bytes(_digest(path, content) + content)
            written.replace(path)
        except OSError as error:
            note(f"note: compiled kernels cannot be kept in {self._folder.parent}: {error.strerror}")
            with suppress(OSError):
                written.unlink()

    def _path(self, sig: Any, codegen: Any) -> Path:
        key = repr((str(sig), codegen.magic_tuple(), self._function)).encode()
        return self._folder / f"{self._name}-{hashlib.blake2b(key, digest_size=12).hexdigest()}.nbc"


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.blake2b(path.name.encode() + content, digest_size=_DIGEST).digest()
