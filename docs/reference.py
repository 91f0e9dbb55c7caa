"""Writes docs/commands.md from the commands themselves: ``python -m docs.reference``; a test compares."""

from __future__ import annotations

from pathlib import Path

import click

import cli
from commands import COMMANDS

HEAD = """# Commands

Made by `python -m docs.reference` from the commands themselves. Every one takes `--help`, most take `--json`.
"""


def reference() -> str:
    """Every command's help as Markdown; a word that several games have is told once a game."""
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


if __name__ == "__main__":
    Path(__file__).with_name("commands.md").write_text(reference(), encoding="utf-8")
