"""The examples in docstrings and in the README are run and print what they promise."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from collections.abc import Callable, Iterator

import pytest

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
def test_examples_in_the_readme(towerlab: Callable[..., Answer], arguments: str, expected: str) -> None:
    answer = towerlab(*shlex.split(arguments), COLUMNS="100", NO_COLOR="1")
    printed = "\n".join(line.rstrip() for line in answer.stdout.splitlines()).strip()
    assert answer.status == 0, answer.stderr
    assert printed == expected.strip()


def test_the_readme_examples_in_python() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    assert blocks
    for block in blocks:
        example = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
        results = doctest.DocTestRunner().run(example)
        assert results.attempted and not results.failed
