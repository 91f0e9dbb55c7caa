"""Every example of a help text and every `sh` block of the documents works from an empty folder, as installed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Answer, run_python, slow
from tests.kit.test_command_fuzz import cheap, examples

LONG = ("compare", "exploit", "simulate", "review", "claim towie", "move towers", "move towie", "train", "warmup")
ZERO = re.compile(r"(?<![\w.−-])[−-]0(?:\.0+)?(?![\w.])")
HYPHEN = re.compile(r"(?:^|[ (])-\d[\d,.]*+(?![A-Za-z])")
PLURAL = re.compile(
    r"(?<![\d,.\w])1 (?:kitties|matches|(?:hand|layout|deal|game|trick|card|set|sample|decision|row|pair)s)\b"
)
ENVIRONMENT = ("python3 -m venv", "export PATH=$PWD/.venv/bin", "dask ")  # lines that set one up


def blocks() -> Iterator[tuple[str, str]]:
    """Every line of an `sh` block, and where it stands."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for block in re.findall(r"^```sh\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
            yield from ((path.name, line) for line in block.replace("\\\n", " ").splitlines())


def unfit(printed: str) -> list[str]:
    """Numbers as no output may have them: a zero with a sign; outside data a hyphen for a minus, one of a plural."""
    data = ("{", "[", '"')
    lines = [line for line in printed.splitlines() if not line.lstrip().startswith(data) and line.count(",") < 4]
    return ZERO.findall(printed) + [part for line in lines for part in HYPHEN.findall(line) + PLURAL.findall(line)]


@pytest.mark.parametrize("path", examples())
def test_a_help_text_names_both_ends_of_a_range(path: str, inside: Callable[..., Answer]) -> None:
    assert not re.search(r"\[[^]]*<=?None|None<=?[^]]*\]", inside(*path.split(), "--help").stdout)


def lines_of_documents() -> list[list[str]]:
    found = []
    for _, line in blocks():
        for command in line.split("&&") if not line.startswith("export") else ():
            words = shlex.split(command)
            if Path(words[0]).name == "towerlab" and words[1] != "serve" and "--scheduler" not in words:
                found.append(words[1:])
    return found


def lines_of_help(is_long: bool) -> list[list[str]]:
    """What several commands show is asked once, by the first that shows it."""
    shown: dict[str, list[list[str]]] = {name: lines for name, lines in examples().items() if lines}
    asked = [line for name, lines in shown.items() if (name in LONG) == is_long for line in lines]
    if not is_long:
        known = {tuple(line) for name in LONG for line in shown[name] if " ".join(line[:2]).startswith(name)}
        asked = [line for line in asked if tuple(line) not in known]
    return [list(line) for line in dict.fromkeys(map(tuple, asked))]


@pytest.mark.parametrize("is_long", [False, slow(True)])
def test_examples_work_from_an_empty_folder_as_installed(is_long: bool, installed: Path, tmp_path: Path) -> None:
    lines = [
        cheap(["1" if line[0] == "exploit" and word == "2" else word for word in line])
        for line in lines_of_help(is_long)
    ]
    lines += [] if is_long else lines_of_documents()
    program = Path(__file__).with_name("as_installed.py")
    places = {"PYTHONPATH": str(installed)}
    done = run_python(
        program, cwd=tmp_path, stdin=json.dumps(lines), check=False, XDG_DATA_HOME=str(tmp_path), **places
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines) + 1, done.stderr
    assert Path(answers.pop()[2]).is_relative_to(installed)
    assert [(" ".join(words), error) for words, status, _, error in answers if status] == []
    assert [(" ".join(words), part) for words, _, out, error in answers for part in unfit(out + error)] == []


def test_every_block_of_the_documents_pastes_as_it_stands() -> None:
    """A page whose blocks begin without an environment names the one that its first block makes."""
    for name, line in blocks():
        if name == "README.md":
            assert line.startswith(("python3 -m venv", ".venv/bin/")), line
        assert line.startswith((*ENVIRONMENT, "towerlab ", ".venv/bin/towerlab ")), (name, line)
