"""Where is what? The folders are as ARCHITECTURE.md says: its files, class names that several games share."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from tests.conftest import ROOT


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
