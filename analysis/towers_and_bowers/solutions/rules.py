"""Which rules a stored file was made for: it is not used once the rules have been edited.

The rules are what solvers and counts call: the kernels and constants of `MODULES`, without comments, docstrings and
layout, and the defaults of the options that solutions depend on. A study leaves a digest of them beside its files, in
``NAME.rules.json``. After an edit that changes no result, `STAMP` writes it again (`solutions.__main__`).
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from towerlab.analysis.whole_files import write_whole
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.untrusted import read_json

MODULES: Final = ("cards.py", "tricks.py", "towers_and_bowers/rules.py")
SUFFIX: Final = ".rules.json"
STAMP: Final = "python -m towerlab.analysis.towers_and_bowers.solutions"
STAMP_WORDS: Final = f"; where the edit changes no result, {STAMP} stamps it"
LEARNED_FILE: Final = "self_play_values.csv"  # stands for the networks
SHIPPED: Final = files("towerlab.analysis.towers_and_bowers").joinpath("data")
MADE_BY: Final = {  # studies, by how the names of their files begin
    "deal_outcomes": "deal-outcomes",
    "exact": "hand-equilibrium",
    "self_play_values": "self-play-values",
    "self_play": "self-play-accuracy",
}


def shipped_file(name: str) -> Any:
    """A file in ``data/``.

    Raises:
        TowerlabError: the rules were edited since it was made.
    """
    if not is_current(SHIPPED, name):
        raise TowerlabError(f"{other_rules(name)}; its place is {SHIPPED}")
    return SHIPPED.joinpath(name)


def other_rules(name: str, or_not: str = "") -> str:
    """Why a file is not used, and what makes it again."""
    study = next((study for stem, study in MADE_BY.items() if name.startswith(stem)), "answer-book")
    how = f"towerlab study towers-and-bowers {study} --out DIR makes it again"
    return f"{name} is not used: the rules were edited since it was made{or_not}; {how}{STAMP_WORDS}"


def is_current(folder: Any, name: str) -> bool:
    """Whether a file was made for the rules as they are; False where nothing says for which."""
    made_for: dict[str, Any] = {}
    for path in sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX)):
        status = path.stat()
        made_for |= _read_stamps(path, status.st_ino, status.st_mtime_ns)
    whole, _, bare = str(made_for.get(name)).partition(" ")
    return whole == _digest(_sources()) or bare == _digest(_bare(_sources()))


def is_learned() -> bool:
    """Whether the learned policy and its values were made for the rules as they are."""
    return is_current(SHIPPED, LEARNED_FILE)


@functools.cache
def _read_stamps(path: Path, file: int, written: int) -> dict[str, Any]:
    """Return the rules that files were made for, read once as long as the file (its number) is not written again."""
    return read_json(path, "which rules files were made for")


def stamp(names: Iterable[str]) -> bytes:
    """The content of a ``NAME.rules.json`` for files made now: what they were made for, with and without comments."""
    now = f"{_digest(_sources())} {_digest(_bare(_sources()))}"  # the first is quick to compare
    return (json.dumps(dict.fromkeys(sorted(names), now), indent=0) + "\n").encode()


def stamped(*stems: str) -> dict[str, bytes]:
    """Return the files that a study leaves beside those that it makes of these names."""
    kinds = (".npz", ".npy", "-up-cards.csv", ".csv")
    return {f"{stem}{SUFFIX}": stamp(stem + kind for kind in kinds) for stem in stems}


def stamp_files(folder: Path, *names: str) -> None:
    """Write that these files of a folder are of the rules as they are."""
    listed = folder / f"all{SUFFIX}"
    known = read_json(listed, "which rules files were made for") if listed.exists() else {}
    known |= json.loads(stamp(names))
    write_whole(listed, json.dumps(known, indent=0, sort_keys=True) + "\n")


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
