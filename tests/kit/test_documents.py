"""The examples in docstrings and in the README are run and print what they promise."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import shlex
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

import towerlab
from docs.reference import WRITTEN
from tests.conftest import ROOT, Answer

# Of learnt answers all but the numbers is compared: the processor's vectors choose the order of sums, and what a card
# off the mix makes is not settled by best play.
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def modules() -> Iterator[str]:
    yield "towerlab"
    for package in ("games", "solver", "sim", "analysis", "table"):
        yield f"towerlab.{package}"
        yield from (found.name for found in pkgutil.walk_packages([str(ROOT / package)], f"towerlab.{package}."))


@pytest.mark.parametrize("module", list(modules()))
def test_examples_in_docstrings(module: str) -> None:
    found = importlib.import_module(module)
    assert doctest.testmod(found).failed == 0


def readme_examples() -> list[tuple[str, str]]:
    """(arguments, expected output) of every ``towerlab`` line that a text block follows."""
    text = "".join((ROOT / name).read_text() for name in ("README.md", "docs/analyse.md"))
    pattern = r"^(?:.*\.venv/bin/)?towerlab ([^\n]+)\n```\n+```text\n(.*?)\n```$"
    return re.findall(pattern, text, re.M | re.S)


def test_documents_have_examples() -> None:
    assert len(readme_examples()) >= 3


@pytest.mark.parametrize(("arguments", "expected"), readme_examples(), ids=lambda text: text[:30])
def test_examples_in_the_readme(inside: Callable[..., Answer], arguments: str, expected: str) -> None:
    answer = inside(*shlex.split(arguments), COLUMNS="100", NO_COLOR="1")
    printed = "\n".join(line.rstrip() for line in answer.stdout.splitlines()).strip()
    assert answer.status == 0, answer.stderr
    if not expected.endswith("· hidden"):
        assert printed == expected.strip()
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected.strip())
    for now, then in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        assert abs(float(now) - float(then)) <= 1, (now, then)


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_the_python_in_documents(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a document are one session; what shows no prompt is not ours to run (other people's clusters)."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(>>>.*?)^```$", (ROOT / name).read_text(), re.M | re.S)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, name, name, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    assert bool(example.examples) == (name in {"README.md", "docs/python.md", "docs/formats.md"})


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_by_docs_reference_is_what_it_would_write(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == WRITTEN[name](), "python -m docs.reference writes it"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target


def ways_of_questions() -> list[tuple[str, list[str]]]:
    """(arguments, functions in order) of each command under "The way of a question" in ARCHITECTURE.md."""
    section = (ROOT / "ARCHITECTURE.md").read_text().split("## The way of a question")[1].split("\n## ")[0]
    _, *parts = re.split(r"^`towerlab (.*)`$", section, flags=re.M)
    return [
        (words, re.findall(r"`((?:commands|analysis|solver)(?:\.\w+)+)`", text))
        for words, text in zip(parts[::2], parts[1::2], strict=True)
    ]


@pytest.mark.parametrize(("words", "named"), ways_of_questions(), ids=lambda part: part[:6])
def test_a_question_goes_the_way_that_architecture_names(
    inside: Callable[..., Answer], words: str, named: list[str]
) -> None:
    called: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            called.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}".removeprefix("towerlab."))

    sys.setprofile(note)
    try:
        inside(*shlex.split(words))
    finally:
        sys.setprofile(None)
    assert len(named) >= 5
    left = iter(called)
    assert [name for name in named if name not in left] == []


def test_a_class_name_means_one_class_but_for_those_that_games_share() -> None:
    packages = defaultdict(list)  # by class name, (layer, folder) of each class of that name
    for layer in ("games", "solver", "sim", "analysis", "table", "commands", "web", "towerlab", "cli.py"):
        for path in (ROOT / layer).rglob("*.py") if (ROOT / layer).is_dir() else [ROOT / layer]:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    packages[node.name].append(path.relative_to(ROOT).parts[:2])
    shared = {name: places for name, places in packages.items() if len(places) > 1}
    sentence = (ROOT / "ARCHITECTURE.md").read_text().split("share these on purpose")[1].split(" A test")[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == shared.keys() and len(packages) > 300
    for places in shared.values():
        assert len(set(places)) == len(places) and len({layer for layer, _ in places}) == 1, places


def test_the_navigation_has_every_page_once_and_no_other() -> None:
    named = re.findall(r"(\S+\.(?:md|ipynb))$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    there = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb")]
    assert sorted(named) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in there)


def test_the_study_of_the_documents_runs(
    inside: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/extend.md: by its name from its folder, and handed over in Python, with the same result."""
    text = re.search(
        r"^```python\n(import numpy.*?)^```$", (ROOT / "docs/extend.md").read_text(), re.DOTALL | re.MULTILINE
    )
    (tmp_path / "mystudy.py").write_text(text[1])
    monkeypatch.chdir(tmp_path)
    asked = ("study", "mystudy:SHARES", "--set", "games=2", "--set", "chunks=2", "--jobs", "1", "--quiet", "--json")
    answer = inside(*asked, "--out", "shares").json
    assert (answer["game"], answer["study"]) == ("towers", "shares")
    found = towerlab.study(sys.modules["mystudy"].SHARES, out="again", games=2, chunks=2, jobs=1, quiet=True)
    assert found.summary == answer["summary"] and (tmp_path / "shares" / "wins.csv").exists()
    assert "chunks=4" in inside("study", "mystudy:SHARES", "--help").stdout
    inside("study", "mystudy:SHARES", "more").assert_refused("is a study; expected no further name")
    inside("study", "mystudy:combine").assert_refused("expected an analysis.study.Study")
    inside("study", "mystudy:OTHERS").assert_refused("mystudy has no 'OTHERS'")


def test_documents_and_package_name_the_same_version() -> None:
    (version,) = re.findall(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {version} (" in (ROOT / "CHANGELOG.md").read_text()
    assert set(re.findall(r"towerlab (\d+\.\d+\.\d+)", (ROOT / "docs/publish.md").read_text())) == {version}
