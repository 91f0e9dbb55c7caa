"""Where is what? The folders are as ARCHITECTURE.md says: its files, class names that several games share. Every module
says first which question it answers, every package which modules it has."""

from __future__ import annotations

import ast
import re
import shlex
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tests.conftest import ROOT, Answer

LAYERS = ("games", "solver", "sim", "analysis", "table", "commands", "web")


def docstrings() -> dict[Path, str]:
    """The docstring of every module of the layers, by its path."""
    paths = (path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))
    return {path: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" for path in paths}


def test_every_module_begins_with_the_question_that_it_answers() -> None:
    found = docstrings()
    assert len(found) > 300
    without = [str(path.relative_to(ROOT)) for path, text in found.items() if "?" not in text.split("\n\n")[0]]
    assert without == []


def test_the_docstring_of_a_package_names_its_modules_and_no_other() -> None:
    packages = {path.parent: text for path, text in docstrings().items() if path.name == "__init__.py"}
    assert len(packages) > 40
    for folder, text in packages.items():
        there = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}
        there |= {path.parent.name for path in folder.glob("*/__init__.py")}
        missing = {name for name in there if not re.search(rf"\b{name}\b", text)}
        listed = re.findall(r"^([a-z_]+(?:, [a-z_]+)*)  +\S", text.partition("\n\n")[2], re.MULTILINE)
        strangers = {name for names in listed for name in names.split(", ")} - there
        assert not missing and not strangers, (folder.relative_to(ROOT), missing, strangers)


def test_the_files_that_architecture_names_exist() -> None:
    text = re.sub(r"GAME|NAME", "bowers", (ROOT / "ARCHITECTURE.md").read_text())
    named = set(re.findall(r"[\w.]+(?:/[\w.-]+)+\.(?:py|md|txt|csv|json)\b", text))
    assert len(named) > 30
    assert [name for name in named - {"templates/page.md"} if not (ROOT / name).exists()] == []  # of each game


def test_a_class_name_means_one_class_but_for_those_that_games_share() -> None:
    packages = defaultdict(list)  # by class name, (layer, folder) of each class of that name
    for layer in ("games", "solver", "sim", "analysis", "table", "commands", "web", "cli.py"):
        for path in (ROOT / layer).rglob("*.py") if (ROOT / layer).is_dir() else [ROOT / layer]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    packages[node.name].append(path.relative_to(ROOT).parts[:2])
    shared = {name: places for name, places in packages.items() if len(places) > 1}
    sentence = (ROOT / "ARCHITECTURE.md").read_text().split("share these on purpose")[1].split(" A test")[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == shared.keys() and len(packages) > 300
    for places in shared.values():
        assert len(set(places)) == len(places) and len({layer for layer, _ in places}) == 1, places


def test_the_commands_in_docstrings_of_modules_can_be_typed(inside: Callable[..., Answer]) -> None:
    """With ``--help`` behind them, so that words and options are read and nothing is answered."""
    lines = [line for text in docstrings().values() for line in re.findall(r"^    towerlab (.*[^\\])$", text, re.M)]
    assert len(lines) > 40
    for line in lines:
        answer = inside(*shlex.split(line), "--help")
        assert answer.status == 0, (line, answer.stderr)
