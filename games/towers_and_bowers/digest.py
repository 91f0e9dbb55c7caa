"""Which rules was a file made for? A digest of what solvers and counts call.

The rules are the kernels and constants of `MODULES`, without comments, docstrings and layout, and the defaults of the
options that solutions depend on.

>>> len(rules_digest())
16
"""

import ast
import dataclasses
import functools
import hashlib
from importlib.resources import files
from typing import Final

from towerlab.games.towers_and_bowers.options import TowersAndBowersOptions

MODULES: Final = ("cards.py", "tricks.py", "towers_and_bowers/rules.py")


def rules_digest(with_comments: bool = False) -> str:
    """Return the digest of the rules as they are; with comments it is quick, and changes more often."""
    return _digest(_sources() if with_comments else _bare(_sources()))


@functools.cache
def _sources() -> tuple[str, ...]:
    texts = (files("towerlab.games").joinpath(name).read_text(encoding="utf-8") for name in MODULES)
    fields = dataclasses.fields(TowersAndBowersOptions)
    return (*texts, *(f"{field.name} = {field.default!r}" for field in fields if not field.metadata["solved"]))


@functools.cache
def _bare(sources: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_rules_in, sources))


def _rules_in(source: str) -> str:
    """Kernels, constants, and the functions that these call when a module is read."""
    body = ast.parse(source).body
    read = [node for node in body if isinstance(node, (ast.Assign, ast.AnnAssign)) or _is_kernel(node)]
    called = {used.id for node in read for used in ast.walk(node) if isinstance(used, ast.Name)}
    read = [node for node in body if node in read or (isinstance(node, ast.FunctionDef) and node.name in called)]
    for node in read:
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return "\n".join(map(ast.unparse, read))  # the dump of a tree differs from one Python to the next


def _is_kernel(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(ast.unparse(by).endswith("kernel") for by in node.decorator_list)


@functools.cache
def _digest(texts: tuple[str, ...]) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=8).hexdigest()
