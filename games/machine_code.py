"""What `games.jit` has otherwise than numba: when functions are translated, and what is kept of them on disk.

numba optimises and translates each function by itself, then links those that call each other and does it again at every
level of calls. Here a function stays LLVM's intermediate code until somebody asks for an address in it, which only a
call from Python does: everything is translated once, with all that it calls.

The machine code of a function that Python calls is kept without its intermediate code, and read without loading what
numba knows of types and operations, which only compiling needs.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from typing import Any, Final

import numba
from llvmlite.binding import address_of_symbol
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

_ENVIRONMENT: Final = "_ZN08NumbaEnv"  # how numba names the variable through which a function finds its constants
_CODE_ALONE: Final = "machine code"


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
        if not all(address_of_symbol(symbol) or engine.is_symbol_defined(symbol) for symbol in outside):
            load_types()
        library = codegen.create_library(name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        engine._defined_symbols |= inside
        return library


def _names(values: Any, *, declared: bool) -> set[str]:
    """Of what is declared only, or of what is defined; LLVM's own functions are neither."""
    return {value.name for value in values if value.is_declaration == declared and not value.name.startswith("llvm.")}


class _CodeAlone(CompileResultCacheImpl):  # type: ignore[misc]
    def reduce(self, cres: Any) -> Any:
        cres.library.is_linked = False
        return super().reduce(cres)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Of functions that Python calls."""

    _impl_class = _CodeAlone

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As numba's, without asking for more than the memory of arrays."""
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)


class _Compiling(event.Listener):  # type: ignore[misc]
    """Compiling makes millions of objects that stay: looking for garbage among them costs a fifth of the time."""

    depth = 0
    collecting = False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            load_types()
            self.collecting = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()


@functools.cache
def load_types() -> None:
    """Load what numba knows of types and operations.

    It looks for scipy's BLAS, which costs a tenth of a second, and does without where there is none; no kernel of ours
    multiplies matrices. What others compile finds it when it asks for it.
    """
    blas = "scipy.linalg.cython_blas"
    hidden = blas not in sys.modules
    if hidden:
        sys.modules[blas] = None  # type: ignore[assignment]
    cpu_target.target_context.refresh()
    if hidden:
        del sys.modules[blas]
    # What recursion needs, while nothing else is being added to the engine.
    rtsys.library.get_pointer_to_function("nrt_unresolved_abort")


def _set_env(codegen: Any, name: str, environment: Any) -> None:
    if codegen._engine.is_symbol_defined(name):
        JITCPUCodegen.set_env(codegen, name, environment)


def _translate_late() -> None:
    if "NUMBA_OPT" not in os.environ:  # LLVM's third level takes two fifths longer and makes none of our kernels faster
        numba.config.OPT = type(numba.config.OPT)(2)
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = LateLibrary
    codegen.set_env = functools.partial(_set_env, codegen)
    event.register("numba:compile", _Compiling())


_translate_late()
