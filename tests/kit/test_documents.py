"""The examples in docstrings and in the README are run and print what they promise."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

import towerlab
from docs.reference import named_classes, objects, reference, reproduce
from tests.conftest import ROOT, Answer, run_python, slow
from towerlab.analysis.towers_and_bowers.played import answer_by_policy
from towerlab.analysis.version import exact_version, version
from towerlab.commands import COMMANDS, Games, module_of
from towerlab.commands.question import Question, allowed_words, types_of

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
    pattern = r"^(?:[^\n]*\.venv/bin/)?towerlab ([^\n]+)\n```\n+```text\n(.*?)\n```$"
    return re.findall(pattern, text, re.M | re.S)


def test_every_printed_answer_of_the_readme_is_an_example() -> None:
    printed = sum((ROOT / name).read_text().count("```text") for name in ("README.md", "docs/analyse.md"))
    assert len(readme_examples()) == printed


@pytest.mark.parametrize(("arguments", "expected"), readme_examples(), ids=lambda text: text[:30])
def test_examples_in_the_readme(inside: Callable[..., Answer], arguments: str, expected: str) -> None:
    answer = inside(*shlex.split(arguments), COLUMNS="100", NO_COLOR="1")
    printed = "\n".join(line.rstrip() for line in answer.stdout.splitlines()).strip()
    printed = printed.replace(exact_version(), version())  # documents are older than the commit
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
    assert bool(example.examples) == (name in {"docs/python.md", "docs/formats.md", "docs/publish.md"})


def scripts(name: str) -> list[str]:
    """The blocks of a document that stand alone."""
    return re.findall(r"^```python\n(?!>>>)(.*?)^```$", (ROOT / name).read_text(), re.M | re.S)


SCRIPTS = scripts("docs/python.md")


def test_the_scripts_of_the_readme_run_as_installed(installed: Path, tmp_path: Path) -> None:
    (script,) = scripts("README.md")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    done = run_python("script.py", cwd=tmp_path, check=False, PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    assert "accept" in done.stdout and "lowest" in done.stdout and "dealer" in done.stdout
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 2
    assert script.count("\n") - script.count("\n\n") <= 14


def test_pictures_are_there_and_small() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert len(pictures) == 2
    assert all((ROOT / picture).stat().st_size < 100_000 for picture in pictures)


@pytest.mark.parametrize("numbers", [(3, 6, 8), slow((0, 1, 2, 4, 5, 7, 9))], ids=["some", "the others"])
def test_the_ten_scripts_of_a_newcomer_run(numbers: tuple[int, ...], tmp_path: Path) -> None:
    """One after the other in a process."""
    assert len(SCRIPTS) == 10 and max(script.count("\n") for script in SCRIPTS) <= 20
    (tmp_path / "run.py").write_text(
        "import json, sys\nfor script in json.load(sys.stdin):\n    exec(script, {'__name__': '__main__'})"
    )
    chosen = json.dumps([SCRIPTS[number] for number in numbers])
    done = run_python("run.py", cwd=tmp_path, check=False, stdin=chosen)
    assert done.returncode == 0, done.stderr


def test_the_page_of_objects_has_what_the_functions_return() -> None:
    page = objects()
    names = {kind.__name__ for kind in named_classes()}
    assert {"View", "InformationSet", "Study", "StudyResult", "UpcardAnswer", "ClaimAnswer", "MoveAnswer"} <= names
    assert {"OpenHands", "DealTable", "SimulationResult", "PlayReview", "GameEnvironment", "Par"} <= names
    assert all(f"## {name}\n" in page for name in names) and "None\n```" not in page


def test_the_list_of_reproducible_tables_is_that_of_the_manifests() -> None:
    assert (ROOT / "docs" / "reproduce.md").read_text() == reproduce(), "python -m docs.reference writes it"


def declared_commands() -> Iterator[tuple[str, Question]]:
    """What is typed for each declared question."""
    for name, place in COMMANDS.items():
        for game in place.names if isinstance(place, Games) else (place,):
            module = importlib.import_module(f"towerlab.commands.{module_of(game)}")
            if found := getattr(getattr(module, name), "question", None):
                yield f"{name} {game}" if isinstance(place, Games) else name, found


def test_the_help_of_a_command_says_what_its_declaration_says() -> None:
    """In docs/commands.md: its sentence, every argument with its name, text, choices and default, and no other."""
    pattern = r"^```text\nUsage: towerlab ([\w -]+?) (?:\[OPTIONS\]|COMMAND).*?\n(.*?)^```"
    helps = dict(re.findall(pattern, reference(), re.M | re.S))
    usual = {"--option", "--json", "--quiet", "--help"}
    for words, question in declared_commands():
        shown = " ".join(helps[words].split())
        assert " ".join(question.help.split()) in shown
        own = {how.name or f"--{key.replace('_', '-')}": key for key, how in question.typed.items() if how.name != ""}
        many = {"--from", "--out", "--resume", "--jobs"} if question.tables else set()
        named = set(re.findall(r"^  (?:-h, )?(--[\w-]+)", helps[words], re.M))
        assert own.keys() | many <= named <= own.keys() | many | usual, words
        for name, key in own.items():
            parameter = question.parameters[key]
            how = question.typed[key]
            assert f"{name} " in shown and " ".join(how.help.split()) in shown, (words, name)
            assert "|".join(allowed_words(types_of(parameter))) in shown.replace("- ", "-"), (words, name)
            if isinstance(parameter.default, (int, float)) and not isinstance(parameter.default, bool):
                assert f"[default: {parameter.default}" in shown, (words, name)


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

    answer_by_policy.cache_clear()  # another test may have asked the same
    sys.setprofile(note)
    try:
        inside(*shlex.split(words))
    finally:
        sys.setprofile(None)
    assert len(named) >= 5
    left = iter(called)
    assert [name for name in named if name not in left] == []


def test_the_navigation_has_every_page_once_and_no_other() -> None:
    """Also the page that is made when the site is."""
    named = re.findall(r"(\S+\.(?:md|ipynb))$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    there = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb")]
    assert sorted(named) == sorted(
        {path.relative_to(ROOT / "docs").as_posix() for path in there} | {"commands.md", "objects.md"}
    )


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


def test_documents_and_package_name_the_same_version_and_its_state() -> None:
    """A version is unreleased, without a tag, or released, with a date, which CITATION.cff then gives as well."""
    (version,) = re.findall(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {version}\n" in citation
    first, state = re.findall(r"^## (\S+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[0]
    assert first == version
    assert re.findall(r"^date-released: (.*)$", citation, re.M) == ([] if state == "unreleased" else [state])
    tags = subprocess.run(["git", "-C", str(ROOT), "tag", "--list", f"v{version}"], capture_output=True, text=True)
    assert state != "unreleased" or tags.stdout == ""
    assert set(re.findall(r"towerlab (\d+\.\d+\.\d+)", (ROOT / "docs/publish.md").read_text())) == {version}


def test_the_changelog_is_short_and_sorted() -> None:
    """By release and kind, a line an entry, without figures: the history of git has the rest."""
    text = (ROOT / "CHANGELOG.md").read_text()
    for release in text.split("\n## ")[1:]:
        assert len(release.encode()) <= 12_000, "a release has 12,000 bytes at most"
        version, *kinds = release.split("\n### ")
        assert re.fullmatch(r"\d+\.\d+\.\d+( \(.*\))?", version.strip()), version
        names = [kind.partition("\n")[0] for kind in kinds]
        assert names and names == [name for name in ("Added", "Changed", "Removed", "Fixed") if name in names]
        for kind in kinds:
            entries = kind.strip().splitlines()[2:]
            assert entries and all(re.fullmatch(r"- .{10,140}", entry) for entry in entries), entries


def test_every_column_of_answers_stands_in_formats() -> None:
    """But for those that it shortens: `name_S_percent` to `name_C_percent`, `N_NT` to `W_C`."""
    text = (ROOT / "docs/formats.md").read_text()
    shown = {name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line)}
    shortened = re.compile(r"name_[HD]_percent|[NESW]_(NT|[SHDC])")
    tables = {question.tables for _, question in declared_commands() if question.tables}
    assert len(tables) > 5
    for table in sorted(tables):
        whole = {name for name in pkgutil.resolve_name(table).kinds if not shortened.fullmatch(name)}
        assert whole <= shown, f"{table}: expected a row in docs/formats.md for each of {whole - shown}"
