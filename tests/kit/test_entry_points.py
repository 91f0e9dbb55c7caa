"""The two entry points: `import towerlab` for Python, `towerlab` for the terminal, and what both show."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import importlib
import inspect
import itertools
import os
import pkgutil
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import ROOT, Answer, copy_of_the_package, run_python, slow
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.present.answers import ABOUT
from towerlab.analysis.present.answers import Answer as Base
from towerlab.analysis.question_rows import parameter_types
from towerlab.analysis.report.render import frame_values
from towerlab.analysis.report.write import _made_with
from towerlab.analysis.version import version
from towerlab.commands import COMMANDS, Games, load_command, module_of
from towerlab.commands.question import Question, function_name

COMMAND = ("solve", "towers-and-bowers", "--trump", "hearts", "--leader", "JH 9S", "--follower", "AH AS")


python = functools.partial(run_python, check=False)


# -------------------------------------------------------------------------------------------------------- from Python


def declared() -> dict[str, Any]:
    """Every declared question by its name in Python."""
    return {name: one for name, one in vars(tl).items() if isinstance(getattr(one, "question", None), Question)}


def answering(name: str) -> Any:
    """The function that the body of a declared question imports and calls with its arguments."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(declared()[name].question.answer))).body
    assert isinstance(function, ast.FunctionDef)
    _, imports, call = function.body
    assert isinstance(imports, ast.ImportFrom) and isinstance(call, ast.Return) and call.value is not None
    assert ast.unparse(call.value) == f"{imports.names[0].name}(**arguments())"
    return pkgutil.resolve_name(f"{imports.module}:{imports.names[0].name}")


@pytest.mark.parametrize("name", declared())
def test_a_question_is_declared_as_the_function_that_answers_takes_it(name: str) -> None:
    """Every argument, with the same default; a table has a column for each that a row may change."""
    question: Question = declared()[name].question
    taken = {**inspect.signature(answering(name)).parameters}
    kinds = parameter_types(answering(name))
    many = None if question.tables is None else pkgutil.resolve_name(question.tables)
    if hasattr(function := answering(name), "args"):  # it hands what it is given to a reader of the question
        kinds |= parameter_types(function.args[0])
    if many is not None:
        kinds |= parameter_types(many.asks)
        taken = {**inspect.signature(many.asks).parameters, **taken}
        single = {"options", "jobs", "quiet", "certificate", "opponent_cards", "first_n", "rollouts", "seed"}
        assert set(many.columns) - single == set(question.parameters) - single
        assert set(many.needed) - {"deal"} <= {
            key for key, one in question.parameters.items() if one.default is one.empty
        }
    for key, one in question.parameters.items():
        assert key in kinds, key
        own = taken.get(key)
        if own is not None and own.kind is not own.VAR_KEYWORD and one.default is not one.empty:
            same = {"first": 0, "second": 1}
            assert one.default == own.default or same.get(one.default) == own.default or own.default is own.empty, key


@pytest.mark.parametrize("name", tl.__all__)
def test_every_name_is_documented(name: str) -> None:
    found = getattr(tl, name)
    assert inspect.getdoc(found)
    if inspect.isfunction(found) and name != "open_deal_values":  # which cannot fail
        assert "Raises:" in (found.__doc__ or ""), name


def test_every_answer_of_the_command_line_is_a_function() -> None:
    """Every command with ``--json`` but those that write files: `simulate`, `review` and `show`, too."""
    for name, place in COMMANDS.items():
        games = place.names if isinstance(place, Games) else (str(place).replace("_", "-"),)
        for game in () if name in ("record", "report", "warmup") else games:
            ends = f"_{module_of(game)}" if isinstance(place, Games) and game != place.default else ""
            if any(option.name == "json" for option in load_command(module_of(game), name).params):
                assert name + ends in {*tl.__all__, "open"}, f"add {name + ends} to towerlab/__init__.py"


def test_importing_it_loads_nothing_heavy(tmp_path: Path) -> None:
    """Nor do the commands: the one that is asked for is loaded with what it needs."""
    heavy = ("numba", "pandas", "numpy", "click", "rich")
    layers = ("commands.any_game", "commands.table", "table", "analysis")
    script = f"import sys, towerlab; print([m for m in {heavy} if m in sys.modules])\nimport towerlab.cli\n"
    script += f"print([m for m in sys.modules if m.removeprefix('towerlab.').startswith({layers})])"
    assert python("-c", script, cwd=tmp_path).stdout == "[]\n[]\n"


def test_everything_that_names_the_version_names_the_commit_of_the_checkout(
    towerlab: Callable[..., Answer], tmp_path: Path
) -> None:
    """Also by way of the links; an installed package has no commit, and without git nothing fails."""
    git = functools.partial(subprocess.run, cwd=ROOT, capture_output=True, text=True, check=False)
    commit = git(["git", "rev-parse", "--short=7", "HEAD"]).stdout.strip()
    assert (
        re.fullmatch(rf"{re.escape(version())}\+g{commit}(\.edited)?", tl.__version__) or not (ROOT / ".git").exists()
    )
    assert towerlab("--version", cwd=tmp_path).stdout == f"towerlab {tl.__version__}\n"
    assert _made_with()["towerlab"] == tl.__version__ == frame_values()["version"]
    assert towerlab("--version", PATH=str(tmp_path)).stdout == f"towerlab {version()}\n"
    copy_of_the_package(tmp_path)
    show = "import towerlab as tl; print(tl.__version__, tl.__file__, hasattr(tl, 'version'))"
    told = python("-c", show, cwd=tmp_path, PYTHONPATH=str(tmp_path)).stdout
    assert told == f"{version()} {tmp_path / 'towerlab' / '__init__.py'} False\n"


def test_ordinary_names_of_the_users_own_hide_nothing(tmp_path: Path) -> None:
    """A folder with `analysis/`, `sim.py`, `games.py`, `web.py`: import, command, own players, workers."""
    (tmp_path / "analysis").mkdir()
    for name in ("analysis/__init__.py", "games.py", "web.py", "cli.py", "solver.py", "commands.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "sim.py").write_text("def first(view, legal, random):\n    return legal[0]\n")
    script = "import towerlab as tl, sim, games; print(tl.solve_bowers('JC', 'KC', 'AH', trump='C').line, tl.__file__)"
    assert python("-c", script, cwd=tmp_path).stdout.startswith("(")
    words = "simulate towers --players sim:first,random --games 40 --jobs 2 --json --quiet"
    played = python("-m", "towerlab", *words.split(), cwd=tmp_path)
    assert played.returncode == 0 and '"sim:first"' in played.stdout, played.stderr


def test_a_question_leaves_the_random_generators_of_others_alone(tmp_path: Path) -> None:
    script = """
import random, numpy
before = random.getstate(), numpy.random.get_state()[1].tolist()
import towerlab as tl
print(len(str(tl.upcard("JS AS", "QS", "dealer"))) > 100, len(tl.rules("towers")) > 5)
print((random.getstate(), numpy.random.get_state()[1].tolist()) == before)
"""
    assert python("-c", script, cwd=tmp_path).stdout == "True True\nTrue\n"


def test_studies_options_and_players_of_every_game() -> None:
    from towerlab.analysis.catalog import GAMES

    for game in GAMES:
        assert tl.studies(game) and tl.players(game)
        assert tl.options(game) == tl.options(game)
    assert tl.options("towers-and-bowers", tie_to="bidder").tie_to == "bidder"
    with pytest.raises(tl.TowerlabError, match="did you mean"):
        tl.options("towers-and-bowers", tie="bidder")


# ------------------------------------------------------------------------------------------------------------ answers


def test_an_answer_is_written_with_cards_and_prints_like_the_command(inside: Callable[..., Answer]) -> None:
    answer = tl.solve_towers_and_bowers("JH 9S", "AH AS", "hearts")
    assert repr(answer) == (
        "OpenHands(trump=♥, leader=9♠ J♥, follower=A♠ A♥, leader_tricks=1, leads={J♥: 1, 9♠: 1}, line=(9♠, A♠, A♥, J♥))"
    )
    printed = inside(*COMMAND).stdout
    assert str(answer) == "\n".join(line.rstrip() for line in printed.splitlines())
    assert "J♥</span>" in answer._repr_html_() and "<html" not in answer._repr_html_()
    frame = answer.to_frame()
    assert list(frame["card"]) == ["JH", "9S"] and list(frame["tricks"]) == [1, 1]


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    return [
        tl.split_tower_war("AH TC 6C 9S X1", "KC QC", "AS 9H 2D"),
        tl.pick_tower_war("AH TC | 6C 9S 2D", "KC QC", "AS 9H 3D"),
        tl.step_tower_war("AH TC 6C", "9S 4S 2S"),
        tl.step_towers("J Qb | K Qb Kb | 9 7 Kb K | -", "J:4"),
        tl.claim(hand="JD 9H", trump="H", lead="me", tricks=1),
        tl.claim_bowers("JC JS AC", trump="C", lead="declarer", tricks=3),
        tl.claim_bowers("JC AC", trump="C", lead="declarer", tricks=2),
        tl.claim(hand="TS 9S 9C", trump="H", lead="them", concede=True),
        tl.upcard("AH KH 9C", "JD", "dealer"),
        tl.value(2),
        tl.solve_towie("N:AK.Q2.. QJ.AK.. 32.43.. 54.65..", trump="NT", lead="W"),
        tl.solve_bowers("JC AC", "KC 7H", "AH KH", trump="C", lead="declarer"),
    ]


def test_every_answer_shows_itself_and_writes_no_mask(answers: list[Any]) -> None:
    """Nor does a mapping in it hold whole numbers beside others."""
    for answer in answers:
        written = repr(answer)
        assert not re.search(r"(?<![\d.])\d{9,}", written), written
        assert "\n" not in written
        assert str(answer).strip() and answer._repr_html_().startswith("<pre")
        for field in dataclasses.fields(answer):
            value = getattr(answer, field.name)
            kinds = set(map(type, value.values())) if isinstance(value, dict) else set()
            assert not {float, int} & kinds or len(kinds) == 1


def test_every_answer_says_what_it_is_and_is_a_table(answers: list[Any]) -> None:
    """`to_frame` has a row for each row of the table that is printed."""
    for answer in answers:
        assert isinstance(answer, Base)
        about = answer.about()
        told = answer.to_json()
        last = str(answer).splitlines()[-1]
        assert list(about) == list(told)[: len(about)] == ["version", *ABOUT, *["link"] * bool(answer.link)]
        assert about.items() <= told.items() and told["game"] in GAMES
        assert last.startswith(f"towerlab {tl.__version__} · {GAMES[told['game']].title}") and answer.rules in last
        assert (about["cards"] is None) == (" card" not in last)
        frame = answer.to_frame()
        printed = [re.split(r"\s{2,}", line.strip()) for line in str(answer).splitlines()]
        tables = [len(list(takewhile(lambda row: len(row) > 1, printed[start:]))) for start in range(len(printed))]
        assert frame.empty or len(frame) + 1 in tables, str(answer)
    with pytest.raises(tl.TowerlabError, match="there is no table 'x' in this answer; expected one of"):
        answer.to_frame("x")


def test_no_answer_writes_what_the_base_says() -> None:
    """A new answer gives its game and hand size as attributes: keys of its own would not be in the last line."""
    for name in declared():
        answering(name)
    kinds = [Base]
    for kind in kinds:
        kinds += kind.__subclasses__()
        assert not [key for key in kind._keys if re.split("[:=?]", key)[0] in ABOUT], kind
    assert len(kinds) > 20


def test_options_and_methods_are_said_as_they_were_asked() -> None:
    changed = tl.upcard("AH KH 9C", "JD", "dealer", options={"tie_to": "bidder"})
    assert changed.about().items() >= {"options": {"tie_to": "bidder"}, "method": "pimc", "method_asked": None}.items()
    assert str(changed).endswith("Towers & Bowers · 3 cards · tie_to=bidder · pimc")
    asked = tl.upcard("AH KH 9C", "JD", "dealer", method="pimc")
    assert (asked.method, asked.method_asked, asked.about()["options"]) == ("pimc", "pimc", {})
    claim = tl.claim_bowers("JC JS AC", trump="C", lead="declarer", tricks=3, options={"joker": "add"})
    assert claim.about()["options"] == {"joker": "add"} and claim.about()["cards"] == 3
    played = tl.simulate("towers-and-bowers", ["random", "random"], 4, unit="hand", cards=2, seed=7, quiet=True)
    assert str(played).endswith("Towers & Bowers · 2 cards · seed 7 · sampled")


ASKED_OTHERWISE: Mapping[str, tuple[Callable[..., Any], list[dict[str, object]], dict[str, object]]] = {
    "upcard": (tl.upcard_many, [{"hand": "JS AS", "up": "9S", "seat": "nondealer"}], {"tie_to": "bidder"}),
    "claim": (tl.claim_many, [{"hand": "JC JS", "trump": "C", "lead": "declarer", "tricks": 2}], {"joker": "add"}),
}


@pytest.mark.parametrize("name", ASKED_OTHERWISE)
@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet"])
def test_a_file_of_answers_says_its_options_and_is_asked_again_under_them(
    name: str, suffix: str, tmp_path: Path
) -> None:
    """Issue 65, 11: the same file, read again without them, gave a margin of the other sign."""
    ask, rows, options = ASKED_OTHERWISE[name]
    game = {"game": "bowers"} if name == "claim" else {}
    out = tmp_path / f"o{suffix}"
    plain = ask(rows, jobs=1, **game)
    asked = ask(rows, jobs=1, out=out, options=options, **game)
    text = ", ".join(f"{key}={value}" for key, value in options.items())
    assert asked.options.tolist() == [text] and asked["version"].tolist() == [tl.__version__]
    about = {"version": tl.__version__, "game": game.get("game", "towers-and-bowers"), "options": options}
    assert asked.attrs == about
    if suffix == ".parquet":
        assert pd.read_parquet(out).attrs == about
    again = ask(out, jobs=1, **game)
    pd.testing.assert_frame_equal(again[asked.columns].astype(str), asked.astype(str))
    pd.testing.assert_frame_equal(ask(asked, jobs=1, **game), asked, check_like=True)
    assert ask(out, jobs=1, options=options, **game).equals(again)
    name_of, changed = next(iter(options.items()))
    for answers, given in ((plain, options), (pd.concat([plain, asked]), None)):
        with pytest.raises(tl.TowerlabError, match=f"the rows were answered by .*{name_of}={changed}"):
            ask(answers, jobs=1, options=given, **game)


def test_the_games_of_a_file_are_reviewed_and_shown_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towerlab.table.review.BENCHMARKS", ())
    path = tmp_path / "games.jsonl"
    parts = [(ROOT / "tests/golden" / name).read_text().splitlines()[:5] for name in ("towers.jsonl", "bowers.jsonl")]
    path.write_text("".join(f"{line}\n" for part in parts for line in part))
    assert [one.game for one in tl.review_all(path)] == [one.game for one in tl.show(str(path))] == ["towers", "bowers"]


def test_an_answer_is_no_truth_value_which_an_unsound_claim_would_pass() -> None:
    refused = tl.claim(hand="JD 9H", trump="H", lead="me", tricks=1)
    for answer in (refused, tl.upcard("JS AS", "QS", "dealer"), tl.value(1)):
        with pytest.raises(TypeError, match=f"{type(answer).__name__} is neither true nor false; expected a question"):
            bool(answer)
    assert refused.sound is False


def test_what_one_seed_gives_is_equal() -> None:
    one, two = (tl.simulate("towers", ["random", "novice"], 10, seed=3, jobs=1, quiet=True) for _ in range(2))
    assert one == two and one != tl.simulate("towers", ["random", "novice"], 10, seed=4, jobs=1, quiet=True)


@pytest.mark.parametrize("name", [name for name, place in COMMANDS.items() if isinstance(place, Games)])
def test_a_game_that_is_named_first_leads_to_its_function(name: str) -> None:
    games = COMMANDS[name].names  # type: ignore[union-attr]
    for game, other in itertools.product(games, games):
        right = function_name(name, other)
        with pytest.raises(tl.TowerlabError, match=rf"takes no game; expected tl.{right}\("):
            getattr(tl, function_name(name, game))(other, hand="JH", trump="H")


def uniform(known: tl.InformationSet) -> list[float]:
    return [1 / len(known.actions)] * len(known.actions)


def test_measures_and_strategies_take_the_rule_options(tmp_path: Path) -> None:
    for ask in (
        lambda rules: tl.exploitability(uniform, cards=1, options=rules),
        lambda rules: tl.strategy(tmp_path / "s.parquet", 1, options=rules),
    ):
        ask({"towers_to_win": 2})
        with pytest.raises(tl.TowerlabError, match="expected the default rules"):
            ask({"tie_to": "bidder"})
    answer = tl.exploitability(uniform, cards=1, options={"towers_to_win": 2})
    assert answer.about()["options"] == {"towers_to_win": 2}


def test_a_loss_has_no_digits_of_rounding() -> None:
    def lowest(view: Any, legal: Any, random: Any) -> Any:
        return legal[0]

    assert tl.exploit(lowest, cards=1).loss["nondealer"] == 0 or tl.exploit(lowest, cards=1).loss["nondealer"] > 1e-6


def test_simulations_are_tables_of_players() -> None:
    result = tl.simulate("towers", ["random", "random"], 10, jobs=1, quiet=True)
    assert list(result.to_frame().columns) == ["player", "wins", "share", "low", "high", "mean_points"]
    assert "mean points" in str(result)


# ------------------------------------------------------------------------------------- arguments as Python has them


def test_a_path_may_be_a_text(tmp_path: Path, inside: Callable[..., Answer]) -> None:
    claim = str(tmp_path / "claim.json")
    strategy = str(tmp_path / "s.parquet")
    inside(
        "claim", "bowers", "--hand", "JC", "--trump", "C", "--lead", "declarer", "--tricks", "1", "--certificate", claim
    )
    assert tl.check(claim).valid
    inside("value", "--cards", "1", "--export", strategy)
    assert tl.exploit(strategy=strategy, cards=1).cards == 1
    result = tl.simulate("towers", ["random", "random"], 1e1, jobs=1, quiet=True, transcripts=str(tmp_path / "x.jsonl"))  # type: ignore[arg-type]
    assert result.games == 10 and (tmp_path / "x.jsonl").exists()


def test_options_may_be_an_object_or_a_mapping(tmp_path: Path) -> None:
    rules = {"joker": "add"}
    assert tl.claim_bowers(["JC", "JS"], trump="C", lead="declarer", tricks=2, options=rules).sound is False  # type: ignore[arg-type]
    for options in ({"tie_to": "bidder"}, tl.options("towers-and-bowers", tie_to="bidder")):
        assert tl.upcard("AH KH", "JD", "dealer", options=options, method="pimc").up  # type: ignore[attr-defined]
        simulated = tl.simulate("towers-and-bowers", ["random", "novice"], 4, options=options, jobs=1, quiet=True)
        assert simulated.games == 4
        with pytest.raises(tl.TowerlabError, match=r"default rules.*; expected no --option, not 'tie_to=bidder'"):
            tl.study("towers-and-bowers", "claim-accuracy", tmp_path / "study", options=options)
    with pytest.raises(tl.TowerlabError, match="did you mean"):
        tl.upcard("AH KH", "JD", "dealer", options={"tie": "bidder"})  # type: ignore[arg-type]
    with pytest.raises(tl.TowerlabError, match="options=3 is not understood"):
        tl.simulate("towers", ["random", "random"], 4, options=3)


def test_a_hand_may_be_a_list_of_cards() -> None:
    assert tl.upcard(["AH", "KH", "9C"], "JD", "dealer").to_json() == tl.upcard("AH KH 9C", "JD", "dealer").to_json()  # type: ignore[arg-type]
    assert tl.claim(hand=["JD", "9H"], trump="H", lead="me", tricks=1.0, seen=("AH",)).claim == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: tl.simulate("towers", [5, "novice"], 4), "player 5 is no name; expected one of: random"),
        (
            lambda: tl.simulate("towers", ["novice", "random"], 4.5),
            "games=4.5 is not understood; expected a whole number",
        ),
        (lambda: tl.upcard(5, "JD", "dealer"), "hand=5 is not understood; expected a text"),
        (lambda: tl.matchup(5, "novice", 1), "player 5 is no name"),
        (lambda: tl.exploitability(lambda known: None, 1), "the policy says None; expected"),
        (lambda: tl.exploitability(lambda known: ["x"] * len(known.actions), 1), "probabilities that add up to 1"),
        (lambda: tl.exploitability(3, 1), "policy=3 is not understood; expected a function"),
        (lambda: tl.value(1.5), "cards=1.5 is not understood; expected a whole number"),
        (lambda: tl.upcard("JS AS", None, "dealer"), "up=None is not understood; expected a text"),
        (lambda: tl.upcard("JS AS"), "upcard: missing a required argument: 'up'; expected hand, up, seat"),
        (lambda: tl.upcard("JS", "QS", "dealer", sede=1), "upcard: got an unexpected keyword argument 'sede'"),
        (lambda: tl.upcard("JS", "QS", "roof"), "seat='roof' is not understood; expected one of: dealer, nondealer"),
        (lambda: tl.simulate("towers"), "simulate: missing a required argument: 'players'"),
        (
            lambda: tl.simulate("towers", ["novice", "novice"], 4, seed=-1),
            "seed=-1 is out of range; expected at least 0",
        ),
        (lambda: tl.simulate("towers", ["novice", "novice"], 4, jobs=0), "jobs=0 is out of range; expected at least 1"),
        (lambda: tl.study("towers", "seats", jobs=0), "jobs=0 is out of range"),
        (lambda: tl.study("towers", "seats", seed=-1), "seed=-1 is out of range"),
        (
            lambda: tl.upcard_many(["JS AS"]),
            "questions=['JS AS'] are no table; expected a DataFrame, a list of dicts, or the path of a file",
        ),
        (lambda: tl.upcard_many("x.csv", jobs=0), "jobs=0 is out of range"),
        (lambda: tl.compare("towers", options=["layout=square"]), "is not understood; expected values by name"),
        (lambda: tl.compare("towers", jobs=0), "jobs=0 is out of range"),
        (lambda: tl.bid_bowers("JS", kitties=0), "kitties=0 is out of range; expected at least 1"),
        (lambda: tl.move_towers("8 | - | - | -", "5", seconds=float("inf")), "seconds=inf is out of range"),
        (lambda: tl.check(5), "path=5 is not understood; expected a text or a path"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(tl.TowerlabError) as refused:
        ask()
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_a_question_can_be_pickled() -> None:
    import pickle

    assert pickle.loads(pickle.dumps(tl.upcard)) is tl.upcard


# ------------------------------------------------------------------------------------------------------- the terminal


def test_every_command_written_is_named_and_every_name_is_written() -> None:
    named = set()
    for name, place in COMMANDS.items():
        named |= {(module_of(game), name) for game in place.names} if isinstance(place, Games) else {(place, name)}
    files = [path.stem for path in (ROOT / "commands").glob("*.py")]
    written = {
        (file, name)
        for file in files
        if file != "__init__"
        for name, found in vars(importlib.import_module(f"towerlab.commands.{file}")).items()
        if isinstance(found, click.Command) or isinstance(getattr(found, "question", None), Question)
    }
    assert named == written


def test_a_group_shows_examples_of_every_game(inside: Callable[..., Answer]) -> None:
    for name, place in COMMANDS.items():
        if isinstance(place, Games):
            shown = inside(name, "--help").stdout
            assert all(f"towerlab {name} {game} " in shown or place.default == game for game in place.names), name


def test_suits_are_letters_where_symbols_cannot_be_written(towerlab: Callable[..., Answer]) -> None:
    answer = towerlab(*COMMAND, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert answer.status == 0, answer.stderr
    assert "JH 9S leads against AH AS, trumps H." in answer.stdout


def test_an_ascii_locale_is_answered(towerlab: Callable[..., Answer], tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    # A command of few kernels; the digest of our own files is made anew.
    answer = towerlab(
        *["step", "tower-war", "--mine", "TH,9H,2H", "--theirs", "4C,3C,2C"],
        **plain,
        TOWERLAB_CACHE_DIR=str(tmp_path),
    )
    assert answer.status == 0 and "10H  " in answer.stdout, answer.stderr
    towerlab("options", "bowers", "--option", "♠", **plain).assert_refused("No such option")


@pytest.mark.parametrize("seat", ["Dealer", "non-dealer", "NonDealer"])
def test_seats_are_understood_however_they_are_written(inside: Callable[..., Answer], seat: str) -> None:
    answer = inside("upcard", "--hand", "AH", "--up", "JD", "--seat", seat, "--json").json
    assert answer["seat"] == seat.casefold().replace("-", "")


def test_suits_are_understood_by_name() -> None:
    from towerlab.games.cards import parse_suit, parse_trump
    from towerlab.games.errors import CardError

    names = {"Hearts": 2, "heart": 2, "SPADES": 3, "♦": 1, "clubs": 0, "d": 1}
    assert {name: parse_suit(name) for name in names} == names
    assert {parse_trump(text) for text in ("NT", "no trump", "No-Trumps", "n")} == {4}
    for wrong in ("", "s s", "hearth", "heartss", "10"):
        with pytest.raises(CardError):
            parse_suit(wrong)


def test_a_summary_is_read_like_a_table() -> None:
    from tests.oracles.toy_game import GAME
    from towerlab.analysis.present import as_text
    from towerlab.analysis.study import StudyResult
    from towerlab.analysis.study.runner import study_report

    gain = {"low_hands": {"mean": 0.25, "interval": [0.125, 0.5]}}
    summary = {"n": 7, "gain": gain, "by": [{"cards": 3}], "ok": True}
    study = next(iter(GAME.load("studies").values()))
    shown = as_text(study_report(study, StudyResult({}, summary), Path("out")))
    assert "{" not in shown and "[" not in shown
    assert "gain, low hands, interval" in shown and "0.125 to 0.5" in shown and "by 1, cards" in shown


def test_report_and_warmup_answer_in_json(
    inside: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tests.oracles import toy_game
    from towerlab.analysis import catalog
    from towerlab.analysis.report.studies import Report

    class Written(Report):
        def write(self, folder: Path, **how: Any) -> Path:  # type: ignore[override]
            return folder

    written = Written("toy", lambda runs, seed, command: pytest.fail("is not built"))
    monkeypatch.setattr(toy_game, "REPORT", written, raising=False)
    game = catalog.Game(
        "toy", "Toy", toy_game.GAME.options, report="tests.oracles.toy_game:REPORT",
        players=toy_game.GAME.players, simulate=toy_game.GAME.simulate,
    )  # fmt: skip
    monkeypatch.setitem(catalog.GAMES, "toy", game)
    out = str(tmp_path / "page")
    assert inside("report", "toy", "--out", out, "--json").json == {"game": "toy", "page": None, "out": out, "seed": 0}
    assert inside("warmup", "toy", "--json").json == {"games": ["toy"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("study", "bowers", "misere", "--set", "hands=" + "9" * 5000),
        ("study", "bowers", "misere", "--set", "hands=" + "[" * 100_000),
        ("simulate", "towers-and-bowers", "--players", "random,random", "--games", "4", "--unit", "hand",
         "--where", "(" * 3000 + "trumps(dealer) > 1" + ")" * 3000),
        ("simulate", "towers-and-bowers", "--players", "random,random", "--games", "4", "--unit", "hand",
         "--where", "not " * 5000 + "trumps(dealer) > 1"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)  # fmt: skip
def test_what_cannot_be_a_number_or_an_expression_is_a_wrong_question(
    inside: Callable[..., Answer], arguments: tuple[str, ...]
) -> None:
    inside(*arguments).assert_refused()


@pytest.mark.parametrize(
    ("closed", "command", "status"),
    [
        ("<&-", "play towers --record play.jsonl", 0),
        slow("<&-", "record towers --out record.jsonl", 0),
        slow(">&-", "claim --hand JH --trump H --lead me --tricks 1", 0),
        slow("2>&-", "claim --hand XH --trump H --lead me --tricks 1", 2),
        ("<&- >&- 2>&-", "claim --hand JH --trump H --lead me --tricks 1 --json", 0),
    ],
)
def test_closed_streams_are_empty_ones(closed: str, command: str, status: int, tmp_path: Path) -> None:
    """Issue 40, 7: they failed inside."""
    line = f"exec {sys.executable} -m towerlab {command} {closed}"
    path: Any = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}, "timeout": 300}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, **path)
    assert (done.returncode, "failed" in done.stdout + done.stderr) == (status, False), done
    assert ("2>&-" in closed) <= (done.stdout + done.stderr == "")


# ------------------------------------------------------------------------------------------------ names and arguments


def test_a_star_import_leaves_pythons_own_names_alone(tmp_path: Path) -> None:
    assert not set(tl.__all__) & set(dir(builtins)) and "open" in dir(tl)
    script = "from towerlab import *; open('x', 'w').close(); print(upcard.__name__, Study.__name__, __version__)"
    said = python("-c", script, cwd=tmp_path).stdout.split()
    assert said == ["upcard", "Study", tl.__version__]


@pytest.mark.parametrize("name", [name for name in tl.__all__ if inspect.isfunction(getattr(tl, name))])
def test_a_misspelt_keyword_is_a_type_error(name: str) -> None:
    function = getattr(tl, name)
    if name == "kernel":  # which takes a function alone
        return
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    if any(one.kind is one.VAR_KEYWORD for one in needed) and not name.endswith("_many"):
        return  # options and parameters of any name
    with pytest.raises(TypeError, match="optoins") as refused:
        function(**{one.name: "x" for one in needed if one.kind is not one.VAR_KEYWORD}, optoins=1)
    assert isinstance(refused.value, tl.TowerlabError)


@pytest.mark.parametrize("name", declared())
def test_help_shows_python(name: str) -> None:
    """Examples are calls that can be made: every keyword is known."""
    text = declared()[name].__doc__ or ""
    assert "towerlab " not in text.partition("Example:")[2]
    if declared()[name].question.examples:
        calls = re.findall(r"^    (tl\.\w+\(.*\))$", text, re.MULTILINE)
        assert calls, text
        for call in calls:
            tree = ast.parse(call, mode="eval").body
            assert isinstance(tree, ast.Call) and tree.func.attr == name, call  # type: ignore[attr-defined]
            assert {word.arg for word in tree.keywords} <= set(inspect.signature(declared()[name]).parameters)


@pytest.mark.parametrize("name", ["upcard_many", "claim_many", "solve_many", "move_many"])
def test_tables_name_how_they_are_answered(name: str) -> None:
    assert {"out", "options", "jobs", "resume", "quiet"} < set(inspect.signature(getattr(tl, name)).parameters)
