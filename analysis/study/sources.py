"""Versions of packages and code, on which the numbers of a study depend besides its parameters.

Code is every module that the study can reach by imports: towerlab's and the user's own. The standard library and
installed packages count by version, or not at all.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from towerlab.analysis.players import FILE
from towerlab.analysis.version import version
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import source_digest

_PACKAGES = ("numpy", "numba", "pandas", "pyarrow")
_INSTALLED = {"site-packages", "dist-packages"}
_MAIN = "__main__"


def versions(*modules: str) -> dict[str, str]:
    """Versions of the packages, and as ``code`` a digest of the sources that these modules reach.

    Raises:
        TowerlabError: one of the modules is not found here.
    """
    packages = {package: metadata.version(package) for package in _PACKAGES}
    return {"towerlab": version(), **packages, "code": _code_digest(modules)}


def modules_to_send(module: str) -> tuple[str, ...]:
    """The modules that another computer must have to run a study: for a script only its imports."""
    path = _user_source(_MAIN) if module == _MAIN else None
    if path is None:
        return (module,) if module != _MAIN else ()
    return tuple(sorted(name for name in set(_imports(path, _MAIN)) if _is_towerlab(name) or _user_source(name)))


def _code_digest(modules: tuple[str, ...]) -> str:
    if len(modules) == 1 and _is_towerlab(modules[0]):
        return source_digest(modules[0])
    sources: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        is_strategy = name.endswith(FILE) and name in modules  # the module pyarrow.parquet is none
        path = Path(name) if is_strategy else _user_source(name)
        if _is_towerlab(name):
            sources[name] = source_digest(name).encode()
        elif path is not None:
            sources[name] = path.read_bytes()
            waiting += _imports(path, name)
        elif name == _MAIN:  # a notebook or the prompt: no text is known
            sources[name] = os.urandom(8)
        elif name in modules:
            raise TowerlabError(f"the module {name} of the study is not found here; expected its folder in PYTHONPATH")
    digest = hashlib.blake2b(digest_size=8)
    for name, source in sorted(sources.items()):
        digest.update(b"%s\0%d\0%s" % (name.encode(), len(source), source))
    return digest.hexdigest()


def _is_towerlab(name: str) -> bool:
    return name.partition(".")[0] == "towerlab"


def _user_source(name: str) -> Path | None:
    """The file of a module that the user has written; None of all others."""
    top = name.partition(".")[0]
    if name == _MAIN:
        file = getattr(sys.modules[_MAIN], "__file__", None)
        return Path(file) if file else None
    if top in sys.stdlib_module_names or _is_towerlab(name):
        return None
    for module in dict.fromkeys((top, name)):  # the package first: looking into one imports it
        spec = None
        with suppress(ImportError, ValueError, AttributeError):
            spec = importlib.util.find_spec(module)
        if spec is None:
            return None
        places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
        if any(_INSTALLED & set(Path(place).parts) for place in places):
            return None
    return Path(spec.origin) if spec is not None and spec.has_location and spec.origin else None


def _imports(path: Path, module: str) -> list[str]:
    """Return every name that a source may import, with the packages these are in; some are no modules."""
    if path.suffix != ".py":
        return []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    if module == _MAIN:
        package = getattr(sys.modules[_MAIN], "__package__", None) or ""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: 1 - node.level or None]
                base = ".".join(filter(None, (*parent, base)))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names += [str(argument.value) for argument in node.args[:1] if isinstance(argument, ast.Constant)]
    parts = [name.split(".") for name in names]
    return [".".join(words[:depth]) for words in parts for depth in range(1, len(words) + 1) if all(words)]
