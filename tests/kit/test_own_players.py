"""Players of the user's in every place where a player is named, from another folder."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import towerlab
from tests.conftest import ROOT, Answer, run_python
from towerlab.analysis.catalog import GAMES
from towerlab.games.errors import TowerlabError, TranscriptError
from towerlab.table.commanding import open_session
from towerlab.web.app import TableServer

SOURCE = ROOT / "tests" / "players_of_users.py"
TB = "mine:Careful"
TOWIE = "mine:patient"
BAD = """
def illegal(view, legal, random):
    return {"action": "play", "card": "2S"}

def raises(view, legal, random):
    return legal[1000]

def silent(view, legal, random):
    pass

class Mixing:
    def probabilities(self, views):
        raise ValueError("no idea")
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the user's module, the current one."""
    shutil.copy(SOURCE, tmp_path / "mine.py")
    (tmp_path / "bad.py").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    for name in ("mine", "bad"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def test_the_example_has_thirty_lines() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 30


def test_simulated_from_another_folder_in_a_process_of_its_own(mine: Path) -> None:
    words = f"-m towerlab simulate towie --players {TOWIE},novice,random --games 3 --json --quiet"
    answer = json.loads(run_python(*words.split(), cwd=mine).stdout)
    assert answer["players"] == [TOWIE, "novice", "random"] and answer["games"] == 3


@pytest.mark.parametrize(
    "asked",
    [
        f"simulate towers-and-bowers --players {TB},novice --games 4 --unit tower --jobs 1",
        f"simulate towie --players {TOWIE},{TOWIE},novice --games 3 --transcripts games.jsonl --jobs 1",
        f'upcard --hand "AH KH" --up JD --seat nondealer --against {TB}',
        f"exploit {TB} --cards 1 --out response.parquet",
        f"compare towers-and-bowers --players {TB},novice --option first_n=2 --games 8 --jobs 1",
        f"study towers-and-bowers exploitability --set players={TB} --set sizes=1 --out exact --jobs 1",
    ],
    ids=lambda asked: " ".join(asked.split()[:2]),
)
def test_every_command_takes_them(inside: Callable[..., Answer], mine: Path, asked: str) -> None:
    assert "mine:" in json.dumps(inside(*shlex.split(asked), "--quiet", "--json").json)


@pytest.mark.parametrize(("game", "player"), [("towers-and-bowers", TB), ("towie", TOWIE)])
def test_at_the_table_and_again_from_its_file(mine: Path, game: str, player: str) -> None:
    path = mine / "game.jsonl"
    session = open_session(game, against=player, record=path, seed=4)
    session.advance()
    with pytest.raises(TranscriptError, match=f"--against {player} lets it play on"):
        open_session(None, resume=path)
    again = open_session(None, resume=path, against=player)
    assert again.engine.actions == session.engine.actions and again.waits_for == session.waits_for
    assert TableServer(mine / "tables", own=[player]).own == (player,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("illegal", "does what is not possible: .*'2S'.*expected one of .*view player=0"),
        ("raises", "raises IndexError: .*; view player=0"),
        ("silent", "answers nothing; expected one of .*; view player=0"),
        ("Mixing", "raises ValueError: no idea; view "),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(mine: Path, name: str, words: str) -> None:
    for game, others in (("towers-and-bowers", ["novice"]), ("towie", ["novice", "random"]))[: 1 + (name != "Mixing")]:
        with pytest.raises(TowerlabError, match=f"the player bad:{name} {words}.*before: 0 played") as told:
            towerlab.simulate(game, [f"bad:{name}", *others], 6, jobs=1, quiet=True)
        assert "\n" not in str(told.value)
        assert str(told.value).count("the player ") == str(told.value).count("; view ") == 1  # nested, they came twice


def test_players_that_never_end_a_game_are_stopped_and_progress_is_told(
    mine: Path, inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who always bids the highest in Bowers loses it to both others alike, who tie for ever (BO-14)."""
    monkeypatch.setattr("towerlab.analysis.simulation.MOST_ACTIONS", 400)
    monkeypatch.setattr("towerlab.analysis.present.progress.FIRST_LINE", 0.0)
    (mine / "endless.py").write_text("def highest(view, legal, random):\n    return legal[-1]\n")
    answer = inside("simulate", "bowers", "--players", "endless:highest,novice,novice", "--games", "3", "--jobs", "1")
    assert answer.status != 0 and "is not over after 400 actions" in answer.stderr
    assert "Bowers: 0 of 1 chunk" in answer.stderr
    monkeypatch.setattr("towerlab.sim.towers_and_bowers.user_players.MOST_THROWN_IN", 20)
    (mine / "lazy.py").write_text(
        "def passes(view, legal, random):\n"
        "    return next((action for action in legal if action['action'] == 'pass'), legal[0])\n"
    )
    words = ["simulate", "towers-and-bowers", "--players", "lazy:passes,lazy:passes", "--games", "2", "--jobs", "1"]
    inside(*words, "--option", "force_dealer_to_name=false").assert_refused("20 hands of match 1 are thrown in")


NOBODY_BIDS: dict[str, dict[str, object]] = {
    "towers-and-bowers": {"force_dealer_to_name": False},
    "bowers": {"min_bid": 10},
    "towie": {"max_goulash": 0},
}


@pytest.mark.parametrize("game", NOBODY_BIDS)
def test_the_players_of_a_batch_end_their_games(game: str) -> None:
    """Kernels play for our players alone: where nobody need bid the deals have a limit, or chance ends them (TB-12).

    A game of Towers and a war end by their rules.
    """
    for player in ("random", "novice"):
        players = [player] * GAMES[game].load("simulate").table_sizes[0]
        assert towerlab.simulate(game, players, 2, options=NOBODY_BIDS[game], jobs=1, quiet=True).games == 2


@pytest.mark.parametrize("name", ["a[/]b", "[bold]x", ":smile:", "\x1b[2Jgone", "two\nlines\u202e", "x" * 300])
def test_a_name_is_no_markup_and_moves_no_cursor(name: str) -> None:
    player = type("Player", (), {"name": name, "act": lambda self, view, legal, random: legal[0]})()
    result = towerlab.simulate("towers", [player, "novice"], 2, jobs=1, quiet=True)
    shown = str(result)
    page = result._repr_html_()
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", shown + page) and "\nlines" not in shown
    if name.isprintable() and len(name) < 20:
        assert name in shown and result.players[0] == name
    player.act = lambda view, legal, random: None
    with pytest.raises(TowerlabError) as refusal:
        towerlab.simulate("towers", [player, "novice"], 2, jobs=1, quiet=True)
    assert "answers nothing" in str(refusal.value) and not re.search("[\x00-\x1f]", str(refusal.value))
