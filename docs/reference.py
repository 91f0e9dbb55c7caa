"""Write docs/commands.md from the commands and docs/reproduce.md from the manifests of the published pages.

Run ``python -m docs.reference`` before the site is built: git ignores the first file, and a test compares the second.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

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


WRITTEN = {"commands.md": reference, "reproduce.md": reproduce}

if __name__ == "__main__":
    for name, make in WRITTEN.items():
        Path(__file__).with_name(name).write_text(make(), encoding="utf-8")
