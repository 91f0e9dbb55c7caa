"""Write docs/commands.md from the commands, docs/objects.md from docstrings, docs/reproduce.md from published pages.

Run ``python -m docs.reference`` before the site is built: git ignores the first file, and a test compares the third.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import typing
from pathlib import Path
from typing import Any

import click
import pandas as pd

from towerlab import cli
from towerlab.commands import COMMANDS

HEAD = """# Commands

Made from the commands themselves. Every one takes `--help`, most take `--json`.
"""


def reference() -> str:
    """Return every command's help as Markdown; a command of several games is listed once a game."""
    root = click.Context(cli.towerlab, info_name="towerlab", **cli.towerlab.context_settings)
    parts = [HEAD]
    for name in sorted(COMMANDS):
        command = cli.towerlab.get_command(root, name)
        assert command is not None
        parts.append(f"## {name}\n")
        parts += [_help(root, [name], command)]
        if isinstance(command, click.Group):
            parts += [
                _help(root, [name, game], command.get_command(root, game)) for game in command.list_commands(root)
            ]
    return "\n".join(parts)


def _help(root: click.Context, words: list[str], command: click.Command | None) -> str:
    assert command is not None
    context = click.Context(command, info_name=" ".join(words), parent=root, terminal_width=100)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"```text\n{text}\n```\n"


OBJECTS = """# Objects

Made from the docstrings: what the functions of `towerlab` return and take, and the records in them. `print` shows an
answer as the command line does; `to_json()`, `to_frame()` and `about()` are there for every one.
"""


def objects() -> str:
    """Every class that the functions of `towerlab` name, and those of their fields, as Markdown."""
    parts = [OBJECTS]
    for kind in sorted(named_classes(), key=lambda kind: (kind.__name__, kind.__module__)):
        parts.append(f"## {kind.__name__}\n\n`{kind.__module__}`\n\n```text\n{inspect.getdoc(kind)}\n```\n")
        for name, member in vars(kind).items():
            function = getattr(member, "fget", None) or getattr(member, "func", member)
            if not name.startswith("_") and inspect.isfunction(function) and (text := inspect.getdoc(function)):
                shown = name if function is not member else f"{name}{inspect.signature(function)}"
                parts.append(f"- `{shown}`: {text.partition(chr(10) * 2)[0]}".replace("\n", " ") + "\n")
    return "\n".join(parts)


def named_classes() -> set[type[Any]]:
    """The classes that the entry point and the commands import for their types, and those of their fields."""
    classes: set[type[Any]] = set()
    root = Path(cli.__file__).resolve().parent
    for path in (root / "towerlab" / "__init__.py", *(root / "commands").glob("*.py")):
        guarded = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.If)]
        names = [part for node in guarded for part in node.body if isinstance(part, ast.ImportFrom)]
        for node in names:
            if str(node.module).startswith("towerlab."):
                module = importlib.import_module(str(node.module))
                for name in node.names:
                    _add(getattr(module, name.name), classes)
    return classes


def _add(kind: Any, classes: set[type[Any]]) -> None:
    """Add a class of ours and those of its fields, or those that a function takes and returns."""
    if inspect.isfunction(kind):
        kind = tuple[*typing.get_type_hints(kind).values()]
    for part in typing.get_args(kind):
        _add(part, classes)
    if inspect.isclass(kind) and kind.__module__.startswith("towerlab.") and kind not in classes:
        classes.add(kind)
        for field in typing.get_type_hints(kind, localns={"pd": pd}).values() if dataclasses.is_dataclass(kind) else ():
            _add(field, classes)


REPRODUCE = """# Reproduce a table

Made by `python -m docs.reference` from the `manifest.json` of every published page. The command of a page makes all
its tables, from the same studies and seeds, on any number of cores; a study alone by
`towerlab study GAME NAME --seed SEED`, with the page's sizes (`REPORT` in `analysis/GAME`) by `--set`. How long a page
took is not kept. What each column is, and in what unit, stands in `columns.md` beside the tables and in their Parquet
metadata.
"""


def reproduce() -> str:
    """Every published page's command, the seeds of its studies and its tables, as Markdown."""
    root = Path(__file__).parents[1] / "reports"
    parts = [REPRODUCE]
    for path in sorted(root.rglob("manifest.json")):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        tables = [Path(name).stem for name in manifest["files"] if name.endswith(".csv")]
        place = path.parent.relative_to(root).as_posix()
        parts += [f"## {place}\n", f"    {manifest['command']}\n", "| from | seed or command |", "|---|---|"]
        parts += [f"| {name} | {source} |" for name, source in _sources(manifest["sources"])]
        parts.append(f"\ntowerlab {manifest['versions']['towerlab']}; tables: {', '.join(tables)}.\n")
    return "\n".join(parts)


def _sources(sources: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for name, source in {**sources, **sources.get("studies", {})}.items():
        source = source.get("seed", source) if isinstance(source, dict) else source
        rows.append((name, f"`{source}`" if isinstance(source, str) else str(source)))
    return [row for row in rows if row[0] != "studies"]


WRITTEN = {"commands.md": reference, "objects.md": objects, "reproduce.md": reproduce}

if __name__ == "__main__":
    for name, make in WRITTEN.items():
        Path(__file__).with_name(name).write_text(make(), encoding="utf-8")
