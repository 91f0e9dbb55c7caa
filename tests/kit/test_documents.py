"""The examples in docstrings and in the README are run and print what they promise."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docs.reference import reference
from tests.conftest import ROOT, Answer


def modules() -> Iterator[str]:
    yield "towerlab"
    for package in ("games", "solver", "sim", "analysis"):
        yield package
        yield from (found.name for found in pkgutil.walk_packages([str(ROOT / package)], f"{package}."))


@pytest.mark.parametrize("module", list(modules()))
def test_examples_in_docstrings(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def readme_examples() -> list[tuple[str, str]]:
    """(arguments, expected output) of every ``towerlab`` line that a text block follows."""
    text = (ROOT / "README.md").read_text()
    pattern = r"^(?:.*\.venv/bin/)?towerlab ([^\n]+)\n```\n+```text\n(.*?)\n```$"
    return re.findall(pattern, text, re.M | re.S)


def test_the_readme_has_examples() -> None:
    assert len(readme_examples()) >= 3


@pytest.mark.parametrize(("arguments", "expected"), readme_examples(), ids=lambda text: text[:30])
def test_examples_in_the_readme(inside: Callable[..., Answer], arguments: str, expected: str) -> None:
    answer = inside(*shlex.split(arguments), COLUMNS="100", NO_COLOR="1")
    printed = "\n".join(line.rstrip() for line in answer.stdout.splitlines()).strip()
    assert answer.status == 0, answer.stderr
    assert printed == expected.strip()


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_the_python_in_documents(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a document are one session; what shows no prompt is not ours to run (other people's clusters)."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(>>>.*?)^```$", (ROOT / name).read_text(), re.M | re.S)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, name, name, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    assert bool(example.examples) == (name in {"README.md", "docs/python.md", "docs/formats.md"})


def test_the_command_reference_is_that_of_the_commands() -> None:
    assert (ROOT / "docs" / "commands.md").read_text() == reference(), "python -m docs.reference writes it"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target
