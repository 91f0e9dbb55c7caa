"""A code of the rules - a call, a phase, a set of cards, a seat - has one value in all that concerns a game."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from towerlab.analysis.catalog import GAMES

LAYERS = ("games", "solver", "sim", "analysis", "table")
CALLS = "PASS|ACCEPT|NAME|NAMING|SECOND_PASS|DOUBLE|REDOUBLE|MISERE"  # one value in all games
OTHERS = (
    "CHANCE|STARTER|TURN|SHUFFLE|CUT|DEAL|AUCTION|BID|BURY|DISCARD|EXCHANGE|LEAD|FOLLOW|PLAY|OVER|FIRST_CALL|ANSWER|"
    "SECOND_CALL|LAST_CALL|THROWN_IN|CARDS|DECK|PACK|JACK|ACE|NO_CARD|NO_SUIT|NOBODY|DEALER|NONDEALER|LEADER"
)
FOLDERS = {game.replace("-", "_"): game for game in GAMES}


@functools.cache
def constants(path: Path) -> dict[str, int]:
    """The whole numbers that a module gives names to, as far as they are written out."""
    found: dict[str, Any] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            with suppress(Exception):  # what other modules give is looked at there
                value = eval(ast.unparse(node.value), {"range": range}, found)
                found |= zip(map(ast.unparse, names), value if isinstance(target, ast.Tuple) else [value], strict=True)
    return {name: value for name, value in found.items() if type(value) is int}


@pytest.mark.parametrize("game", ["", *GAMES])
def test_a_code_of_the_rules_has_one_value(game: str) -> None:
    codes = re.compile(f"{CALLS}|{OTHERS}" if game else CALLS)
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in (path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_read = not game or all(FOLDERS.get(part, game) == game for part in parts)
        if is_read:
            for name, value in constants(path).items():
                if codes.fullmatch(name):
                    found[name][value].append(".".join(parts))
    different = {name: dict(values) for name, values in found.items() if len(values) > 1}
    assert found and not different, "expected one value, or another name for what means something else"
