"""Wrong command lines by the thousand: the examples of every command with something broken in them.

Whatever is typed is answered (status 0) or refused (status 2) with one line; a failure (1) or a traceback is ours.
"""

from __future__ import annotations

import io
import random
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from tests.conftest import Answer, exhaustive
from towerlab import cli

NOT_TYPED = ("serve",)  # would wait for a browser
CHEAP = {"--games": "2", "--kitties": "1", "--layouts": "2", "--samples": "2", "--seconds": "0.01", "--jobs": "1"}
JUNK = (
    "", " ", "-", "--", "-1", "0", "1", "3", "8", "99", "1.5", "nan", "inf", "-inf", "1e400", "9" * 5000,
    "-" + "9" * 5000, "true", "null", "[", "[" * 3000, "{" * 3000, "(" * 3000, "not " * 3000, "()", "{}", "a=b",
    "=", "==", "x=[1,2", ",", ";", "|", "/", "\n", "\t", "%s", "{0}", "é", "♠", "J♠", "JS", "JS JS", "JS AS KS 9S",
    "XX", "X1", "X1 X2", "X1=TC", "10H" * 40, "10H 9H", "A" * 5000, "S", "NT", "hearts", "dealer", "me", "me,left",
    "none", "7NT", "P P P P", "8S", "6S X XX", "towers", "towie", "towers-and-bowers", "tower-war", "bowers",
    "pimc", "pimc:0", "pimc:-1", "pimc:999999999999999999999", "random", "random,random", "random,random,random",
    "random" * 11, "hand", "match", "deal", "AKQ94.AK3.QJ7.82", "AKQJT98765432...", "....",
    "N:AK.Q2.. QJ.AK.. 32.43.. 54.65..", "X:... ... ... ...", "9C/AC AH/QC", "AH/", "/AH", "J Qb | K Qb Kb | 9 | -",
    "Qb | - | - | -", "| | |", "J:4", "J:0", "5:2-3", "5:3-2", ":", "LLMMSS", "L" * 99, "no-such-file.csv", ".",
    "/", "answers.xlsx", "trumps(me) > 1", "holds(dealer, JS) and", "points(x) > 1", "__import__('os')", "target=0",
    "first_n=99", "tie_to=bidder", "joker=add", "layout=square", "cards=9", "hands=1", "tcp://127.0.0.1:1",
)  # fmt: skip


def examples() -> dict[str, list[list[str]]]:
    """The examples in the help text of every command, as words without ``towerlab``."""
    found: dict[str, list[list[str]]] = {}

    def collect(command: click.Command, path: list[str]) -> None:
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command)):
                inner = command.get_command(click.Context(command), name)
                assert inner is not None
                if name not in NOT_TYPED:
                    collect(inner, [*path, name])
            return
        assert command.help, path
        lines = (command.epilog or "").replace("\\\n", " ").replace("&&", "\n").splitlines()
        found[" ".join(path)] = [words[1:] for words in map(shlex.split, lines) if words[:1] == ["towerlab"]]

    collect(cli.towerlab, [])
    return found


def command_lines() -> list[list[str]]:
    """Every example, made cheap, and every command by its name alone."""
    return [line for path, lines in examples().items() for line in (path.split(), *map(cheap, lines))]


@pytest.mark.parametrize("path", sorted(examples().keys() - {"warmup"}))
def test_a_command_without_what_it_needs_says_what_it_expects(inside: Callable[..., Answer], path: str) -> None:
    answer = inside(*path.split())
    assert answer.status == 0 or "expected" in answer.stderr or "For example: towerlab" in answer.stderr


def cheap(words: list[str]) -> list[str]:
    made = [word if word == "1" else CHEAP.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    return [*made, "--until-width", "0.9"] if made[:2] == ["bid", "towie"] and "--until-width" not in made else made


def broken(lines: list[list[str]], dice: random.Random) -> Iterator[list[str]]:
    """Without end: a line with one to three things wrong, or at least odd."""
    options = sorted(
        {word for line in lines for word in line if word.startswith("--")} | {"--json", "--option", "--set"}
    )
    while True:
        line = list(dice.choice(lines))
        for _ in range(dice.choice((1, 1, 2))):
            place = dice.randrange(1, len(line) + 1)
            values = [at for at in range(1, len(line)) if not line[at].startswith("--")]
            match dice.randrange(10):
                case 0:
                    line.insert(place, dice.choice(JUNK))
                case 1 if place < len(line):
                    del line[place]
                case 2 | 3:
                    line += [dice.choice(options), dice.choice(JUNK)]
                case 4 | 5 | 6 if values:  # spoil a word that was right
                    at = dice.choice(values)
                    cut = dice.randrange(len(line[at]) + 1)
                    line[at] = line[at][:cut] + dice.choice((*JUNK, *line[at][cut + 1 : cut + 2])) + line[at][cut + 1 :]
                case _ if values:
                    line[dice.choice(values)] = dice.choice(JUNK)
        yield cheap(line)


@pytest.fixture
def nothing_runs_for_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Studies, reports and compilations are asked for, not run: parsing and checking is what is broken into here."""
    import analysis.study
    from towerlab.analysis import catalog
    from towerlab.analysis.study import StudyResult

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # where games are kept
    monkeypatch.setattr("sys.stdin", io.StringIO())  # nobody answers `play`
    monkeypatch.setattr(analysis.study, "run_study", lambda *given, **named: StudyResult({}, {"n": 1}))
    monkeypatch.setattr(
        "towerlab.commands.any_game._warm_up",
        lambda name=None, quiet=False: [catalog.find_game(name).name] if name else [],
    )
    for game in catalog.GAMES.values():
        report = catalog.find_report(game.name)
        monkeypatch.setattr(type(report), "write", lambda self, folder, **named: folder)
    monkeypatch.setattr("towerlab.analysis.report.write.write_index", lambda folder, games: folder)


@pytest.mark.parametrize(("lines", "seed"), [(60, 1), *(exhaustive(1_000, 100 + part) for part in range(20))])
def test_broken_command_lines_are_refused_in_one_line(
    lines: int, seed: int, inside: Callable[..., Answer], nothing_runs_for_long: None
) -> None:
    dice = random.Random(seed)
    answered = 0
    for _, words in zip(range(lines), broken(command_lines(), dice), strict=False):
        answer = inside(*words)
        told = [line for line in answer.stderr.splitlines() if line.startswith("towerlab: ")]
        shown = shlex.join(word if len(word) < 300 else word[:20] + "…" for word in words)
        assert answer.status in (0, 2), (shown, answer.stderr)
        assert "Traceback" not in answer.stderr, shown
        assert len(told) == (answer.status == 2), (shown, answer.stderr)
        assert answer.status == 0 or answer.stdout == "" or "--from" in words, (shown, answer.stdout)
        answered += answer.status == 0
    assert 0 < answered < lines / 2  # it breaks most of them, not all
