"""Does the command behave as a whole? Help, typos, pipes, narrow terminals, homes that cannot be written to, caches."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Answer
from tests.kit.test_command_fuzz import examples
from towerlab import cli
from towerlab.analysis.report.write import SingleFile, write_file
from towerlab.analysis.saved_games import write_whole
from towerlab.games.errors import OptionError
from towerlab.games.options import describe_options, parse_options
from towerlab.games.towers_and_bowers import TowersAndBowersOptions

SOLVE = ("solve", "towers-and-bowers", "--trump", "H", "--leader", "JH 9S", "--follower", "AH AS")


def test_a_bare_command_shows_its_help(towerlab: Callable[..., Answer]) -> None:
    for arguments in ((), ("solve",)):
        answer = towerlab(*arguments)
        assert (answer.status, answer.stderr) == (0, "") and answer.stdout.startswith("Usage: towerlab")


def test_every_command_has_an_example_in_its_help() -> None:
    assert all(examples().values())


@pytest.mark.parametrize(("number", "status"), [(errno.EACCES, 2), (errno.EROFS, 2), (errno.ENOSPC, 1)])
def test_a_page_that_cannot_be_written_has_the_same_status_everywhere(
    number: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "replace", fail)
    for write in (
        lambda: write_whole(tmp_path / "review.html", "a page"),
        lambda: write_file(tmp_path / "explorer", SingleFile("a page", "", "")),
    ):
        monkeypatch.setattr(cli, "_run", write)
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        assert stopped.value.code == status


def test_no_colour_in_a_pipe(towerlab: Callable[..., Answer]) -> None:
    answer = towerlab(*SOLVE)
    assert answer.status == 0 and "\x1b" not in answer.stdout


def test_a_narrow_terminal_still_gets_the_sentence(inside: Callable[..., Answer]) -> None:
    answer = inside(*SOLVE, COLUMNS="30")
    assert answer.status == 0 and "The leader takes 1 of 2 tricks" in answer.stdout


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m towerlab options towers-and-bowers --json | head -c 5"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout == '{"gam' and done.stderr == ""


def test_a_home_that_cannot_be_written_to(towerlab: Callable[..., Answer], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    places = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "TOWERLAB_CACHE_DIR": "", "TMPDIR": str(tmp_path)}
    answer = towerlab("options", "towers-and-bowers", "--json", **places)
    assert answer.status == 0 and answer.json["game"] == "towers-and-bowers"


def test_options_are_checked_wherever_they_come_from() -> None:
    with pytest.raises(OptionError, match="true or false"):
        TowersAndBowersOptions(early_stop=1)  # type: ignore[arg-type]
    assert parse_options(TowersAndBowersOptions, ["early_stop=no", "tie_to=Bidder"]).tie_to == "bidder"
    assert {option.rule[:2] for option in describe_options(TowersAndBowersOptions)} == {"TB"}
