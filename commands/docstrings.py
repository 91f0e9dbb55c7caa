"""Docstrings, out of which options and help texts are made, also where Python runs without them (`-OO`)."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any


def docstring_of(function: Callable[..., Any]) -> str:
    """The docstring of a function; from its source where Python has dropped it."""
    if function.__doc__ is not None:
        return inspect.cleandoc(function.__doc__)
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    return ast.get_docstring(definition) or "" if isinstance(definition, ast.FunctionDef) else ""
