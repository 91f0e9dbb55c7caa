"""What a question loads: no table, plot or statistics library, no compiler's knowledge, no other game."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_python, slow
from towerlab.analysis.catalog import GAMES

NOT_FOR_ONE_ANSWER = {"pandas", "pyarrow", "matplotlib", "scipy.linalg", "scipy.stats", "joblib", "starlette", "jinja2"}
FOR_CLAIMS_OR_TABLES = {
    "towerlab.analysis.claims",
    "towerlab.analysis.study",
    "towerlab.solver.claims.judging",
    "towerlab.solver.double_dummy",
    "towerlab.solver.towers_and_bowers.whole_hand",
}
FOR_COMPILING = "numba.np.arraymath"  # half of a second, for the first answer alone
QUESTIONS = {
    "upcard": ["--hand", "JS AS KS 9S AD 10H 9C", "--up", "QS", "--seat", "nondealer"],
    "claim": ["--hand", "JH JD AH 9H AS", "--trump", "H", "--lead", "me", "--tricks", "5"],
    "claim bowers": ["--hand", "JC JS AC", "--trump", "C", "--lead", "declarer", "--tricks", "3"],
    "solve towers-and-bowers": ["--trump", "H", "--leader", "JH 9S", "--follower", "AH AS"],
    "solve bowers": ["--trump", "C", "--declarer", "JC JS", "--left", "KC QC", "--right", "TC 7C"],
    "solve towie": ["--deal", "N:AK... QJ... 32... 54...", "--trump", "NT", "--lead", "W"],
    "bury bowers": ["--hand", "JS JC AS KS 8S 9D TD AH QD 7C KC 8H", "--bid", "6S", "--layouts", "2"],
    "split tower-war": ["--cards", "AH TC 6C 9S X1", "--mine", "KC QC", "--theirs", "AS 9H 2D"],
    "step towers": ["--board", "J Qb | K Qb Kb | 9 7 Kb K | -", "--play", "J:4"],
    "step tower-war": ["--mine", "AH TC 6C", "--theirs", "9S 4S 2S"],
    "value": [],
    "rules bowers": ["BO-3"],
}
QUICK = ("upcard", "claim bowers", "solve towie", "split tower-war", "rules bowers")  # of every kind one
ASK = """
import sys
from towerlab import cli
sys.argv = ["towerlab", *sys.argv[1:]]
try:
    cli.main()
finally:
    print("\\nLOADED", *sys.modules)
"""


@pytest.mark.parametrize("question", [name if name in QUICK else slow(name) for name in QUESTIONS])
def test_an_answer_loads_what_it_uses(question: str) -> None:
    words = [*question.split(), *QUESTIONS[question]]
    loaded = _loaded_by(words)
    if FOR_COMPILING in loaded:  # a first answer has been compiled
        loaded = _loaded_by(words)
    assert not (NOT_FOR_ONE_ANSWER | {FOR_COMPILING}) & loaded
    assert question != "upcard" or not FOR_CLAIMS_OR_TABLES & loaded
    packages = {game.rules.rpartition(".")[2] for game in GAMES.values()}
    modules = (name.split(".") for name in loaded if name.startswith("towerlab.") and ".commands." not in name)
    of_games = [name[2] for name in modules if len(name) > 2]
    games = packages.intersection(of_games)  # what `claim` parses for other games is no more than words
    assert len(games) == 1, "one game's question loads another game"


def test_help_loads_no_compiler() -> None:
    assert not {"numba", "numpy", "rich"} & _loaded_by(["upcard", "--help"])


def test_the_tables_of_all_games_are_laid_before_anything_is_compiled(tmp_path: Path) -> None:
    lay = "import sys; from towerlab.table.commanding import *; [*map(table_of, GAMES)]; print(*sys.modules)"
    loaded = run_python("-c", lay, TOWERLAB_CACHE_DIR=str(tmp_path)).stdout.split()
    assert "numba" in loaded and FOR_COMPILING not in loaded


def _loaded_by(words: list[str]) -> set[str]:
    told = subprocess.check_output([sys.executable, "-c", ASK, *words], cwd=ROOT, text=True, timeout=300)
    return set(told.rsplit("LOADED", 1)[1].split())


def test_options_and_help_are_the_same_without_docstrings() -> None:
    """PYTHONOPTIMIZE=2: they are read from docstrings, which Python drops then."""
    script = """
import click
from towerlab.cli import towerlab
def show(command, context):
    print(command.get_help(context))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            show(one, click.Context(one, context, name))
show(towerlab, click.Context(towerlab))
"""
    pages = [run_python("-c", script, PYTHONOPTIMIZE=level).stdout for level in ("0", "2")]
    assert pages[0] == pages[1] and len(pages[0]) > 20_000
    asked = ["-m", "towerlab", "upcard", "--hand", "JS AS", "--up", "QS", "--seat", "dealer", "--json"]
    assert run_python(*asked, PYTHONOPTIMIZE="2").stdout == run_python(*asked).stdout
