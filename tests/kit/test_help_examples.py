"""Help and documents against behaviour: examples, `sh` blocks, commands in prose, links, suffixes and promises."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest

import towerlab as tl
from tests.conftest import ROOT, Answer, run_python, slow
from tests.kit.test_command_fuzz import cheap, examples
from tests.kit.test_documents import declared_commands
from towerlab.analysis.catalog import GAMES
from towerlab.commands import COMMANDS, GROUPS, Games, load_command, module_of
from towerlab.games.untrusted import FORMATS, formats

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


# ------------------------------------------------------------------------------------------- commands that prose names


def commands_in_prose() -> list[tuple[str, str]]:
    """(file, command) of every `towerlab …` in documents, docstrings, help texts and messages."""
    layers = ("towerlab", "commands", "web", "table", "analysis", "sim", "solver", "games")
    code = [path for layer in layers for path in (ROOT / layer).rglob("*.py")]
    paths = [*ROOT.glob("*.md"), ROOT / "cli.py", *(ROOT / "docs").rglob("*.md"), *code]
    spans = [(path, span) for path in paths for span in re.findall(r"`towerlab ([^`{}]+)`", path.read_text("utf-8"))]
    found = [(str(path.relative_to(ROOT)), " ".join(span.replace("…", "").split())) for path, span in spans]
    return [(name, span) for name, span in dict.fromkeys(found) if name != "CHANGELOG.md"]


def wrong_word(span: str) -> str | None:
    """The first word of a command that the program does not know: its name, its game or an option."""
    name, *words = shlex.split(span)
    if name.isupper() or name.startswith("--"):
        return None
    place = COMMANDS.get(name)
    if place is None:
        return name
    modules = [place] if isinstance(place, str) else list(map(module_of, place.names))
    if isinstance(place, Games) and words and not words[0].startswith("-") and not words[0].isupper():
        if words[0] not in place.names:
            return words[0]
        modules = [module_of(words.pop(0))]
    parameters = [parameter for module in modules for parameter in load_command(module, name).params]
    first = next((parameter.name for parameter in parameters if isinstance(parameter, click.Argument)), "")
    if first == "game" and re.match(r"[a-z][\w-]*$", " ".join(words[:1])) and words[0] not in GAMES:
        return words[0]
    known = {option for parameter in parameters for option in parameter.opts} | {"--help"}
    return next((word for word in words if word.startswith("--") and word.partition("=")[0] not in known), None)


def test_every_command_that_prose_names_exists_with_its_game_and_options() -> None:
    spans = commands_in_prose()
    assert len(spans) > 100
    assert [(name, span, word) for name, span in spans if (word := wrong_word(span))] == []
    assert wrong_word("exploit endgame --cards 3 --against pimc") == "--against"
    assert wrong_word("bid towers") == "towers"


def test_every_link_of_the_documents_is_answered() -> None:
    text = (ROOT / "docs/formats.md").read_text().split("| link | asks |")[1].partition("\n\n")[0]
    links = re.findall(r"^\| `([^`]+)` \|", text, re.M)
    assert len(links) >= 7
    assert all(tl.open(link).to_json()["link"] for link in links)


@pytest.mark.parametrize("of_deals", [False, True])
def test_every_suffix_of_help_is_read_and_written(of_deals: bool, tmp_path: Path) -> None:
    """The same question comes back; what is read only is made by others (`tests.kit.test_pbn`, Excel)."""
    rows = [{"deal": "N:A... K... Q... J..."}] if of_deals else [{"hand": "JH JD", "trump": "H", "lead": "me"}]
    ask, given = (tl.solve_many, {"table": True}) if of_deals else (tl.claim_many, {"tricks": 2})
    written = re.findall(r"\.[a-z]{2,}", formats(of_deals, written=True))
    read = re.findall(r"\.[a-z]{2,}", formats(of_deals))
    assert {*written} <= {*read} and {*read} <= {*FORMATS, ".gz"}
    for suffix in (*written, ".csv.gz", ".jsonl.gz"):
        if suffix in FORMATS or (suffix.endswith(".gz") and suffix != ".gz"):
            out = tmp_path / f"answers{suffix}"
            first = ask(rows, out=out, jobs=1, **given)
            again = ask(out, jobs=1, **given)
            columns = [column for column in first if column in again and column not in ("error", "options")]
            assert len(columns) > 3
            pd.testing.assert_frame_equal(first[columns].astype(str), again[columns].astype(str))


def test_whatever_installs_a_checkout_leaves_it_editable() -> None:
    """A plain installation in its place would run an old copy from then on."""
    paths = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.*"),
        *(ROOT / "analysis").rglob("*.py"),
        ROOT / ".ci" / "run",
    ]
    text = "\n".join(path.read_text("utf-8") for path in paths if path.suffix in (".md", ".ipynb", ".py", ""))
    lines = re.findall(r"pip install [^\n`]*?'?\.(?:\[[\w,]+\]'|(?= |`|$))", text, re.M)
    assert len(lines) >= 8
    assert [line for line in lines if " -e " not in line] == []


# ------------------------------------------------------------------------------------------------------------ promises


def sizes(ask: Callable[[int], object], least: int, most: int) -> Callable[[], None]:
    """Check that a question answers both ends of a range, and no more."""

    def check() -> None:
        ask(least)
        ask(most)
        with pytest.raises(tl.TowerlabError):
            ask(most + 1)

    return check


DECK = ["9S", "TS", "QS", "KS", "AS", "9H", "TH", "QH"]
OTHERS = ["AD", "KD", "QD", "TD", "9D", "AC", "KC", "JC"]


def whole_strategy() -> None:
    """Every information set with a choice, of every up-card, with probabilities that add up to 1."""
    tl.strategy("promised.parquet", 1)
    rows = pd.read_parquet("promised.parquet")
    assert {str(known) for known in tl.information_sets(1) if len(known.actions) > 1} <= {*rows.information_set}
    assert rows.groupby("information_set").probability.sum().round(9).eq(1).all()


def every_combination() -> None:
    """Of two values each; the usual rules are the yardstick of the others."""
    changes = tl.compare("bowers", {"target": [30, 40], "joker": ["none", "add"]}, games=2, jobs=1, quiet=True).changes
    assert [row["option"] for row in changes] == [
        f"target={points}{joker}" for points in (30, 40) for joker in ("", " joker=add")
    ]


PROMISE = re.compile(
    r"\bexact|(?<!default: )\ball (?:hands|choices)|\bevery (?!bury)|\d to \d|\b(?:one|two|three) (?:or|to) \w+ cards"
)
PROMISES: dict[str, Callable[[], object] | str] = {  # a check, or the test that tries it
    "Your 1 to 7 dealt cards, without the up-card.": sizes(
        lambda n: tl.upcard(DECK[:n], "JD", "dealer", method="pimc"), 1, 7
    ),
    "The hand that leads, 1 to 7 cards.": sizes(
        lambda n: tl.solve_towers_and_bowers(DECK[:n], follower=OTHERS[:n], trump="H"), 1, 7
    ),
    "How much a best response takes from a strategy in hands of one or two cards, exactly.": sizes(
        lambda n: tl.exploit("random", cards=n), 1, 2
    ),
    "Write the whole strategy of one and two cards as Parquet: every information set, action, probability.": (
        whole_strategy
    ),
    "Find the best play of a battle about to begin: exact with hands known, an equilibrium with decks known.": (
        "tests/tower_war/test_solver.py::test_battle_with_hands_known_is_the_exact_minimax"
    ),
    "Find the best fifteen cards of a pool: exact up to four million choices, else by a search.": (
        "tests/tower_war/test_solver.py::test_tw_7_the_best_deck_of_a_pool_is_the_best_of_all_subsets"
    ),
    "exact once all cards are known.": "tests/towers/test_endings.py::test_tr_12_exact_endings_equal_a_naive_search",
    "Find the value of every legal call;": (
        "tests/bowers/test_questions.py::test_what_follows_a_call_is_what_the_naive_twin_says"
    ),
    "A claim is sound if one way of playing takes the tricks against every hand the opponent can hold.": (
        "tests/towers_and_bowers/test_claims_refutations.py::test_every_unsound_claim_is_refuted_and_both_kinds_occur"
    ),
    "A claim is sound if one way of playing takes the tricks in every layout that fits the cards seen.": (
        "tests/kit/test_hidden_claims.py::test_sound_claims_survive_attacks"
    ),
    "open cards, all hands alike.": (
        "tests/kit/test_moves.py::test_all_hands_count_alike_where_the_history_is_not_known"
    ),
    "every combination is played.": every_combination,
    "Tricks of two hands, of every lead, and a line of best play;": (
        "tests/towers_and_bowers/test_tablebase.py::test_leads_and_replies_equal_minimax"
    ),
    "Also the tricks of every declarer in every trump, and par;": ("tests/kit/test_double_dummy_dds.py::test_tables"),
    "Write every game to FILE;": (
        "tests/kit/test_transcripts_of_simulations.py::test_the_games_that_are_written_are_the_games_that_are_counted"
    ),
    "Stop as soon as a 95 % interval valid at every look decides.": (
        "tests/kit/test_stats.py::test_anytime_interval_covers_at_every_look"
    ),
    **dict.fromkeys(
        (
            "above, every call is played out.",
            "Deals on which the learned policy plays every call out, from five cards on.",
        ),
        "tests/towers_and_bowers/test_one_answer.py::test_one_question_has_one_answer_in_seven_places",
    ),
    "Rank every legal play by the expected difference of points;": (
        "tests/towers/test_players.py::test_move_ranks_every_legal_play_and_recommends_the_best"
    ),
}


def promises() -> list[str]:
    """Every sentence of a declared question's help that says how much it covers, or that it is exact."""
    texts = [text for _, question in declared_commands() for text in (question.help, *map(str, helps(question)))]
    sentences = [part for text in texts for part in re.split(r"(?<=[.?!;])\s+", " ".join(text.split()))]
    return [sentence for sentence in dict.fromkeys(sentences) if PROMISE.search(sentence)]


def helps(question: Any) -> list[str]:
    return [how.help for how in question.typed.values()]


def test_every_promise_of_a_help_text_is_listed_here_and_no_other() -> None:
    missing = [sentence for sentence in promises() if sentence not in PROMISES]
    assert missing == [], "add a check, or the test that tries it, to PROMISES in tests/kit/test_help_examples.py"
    assert [sentence for sentence in PROMISES if sentence not in promises()] == []


@pytest.mark.parametrize("sentence", PROMISES)
def test_a_promise_is_kept(sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check = PROMISES[sentence]
    if isinstance(check, str):
        path, _, name = check.partition("::")
        assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), check
    else:
        check()


def test_the_first_help_fits_eighty_columns_and_cuts_nothing(inside: Callable[..., Answer]) -> None:
    """Every command once, under what it is for, with the games that have it."""
    named = [name for lines in GROUPS.values() for name in lines]
    assert sorted(named) == sorted(COMMANDS)
    printed = inside("--help", COLUMNS="80").stdout
    assert max(map(len, printed.splitlines())) <= 80
    assert not re.search(r"\.\.\.$", printed.partition("\n")[2], re.M)
    for name in named:
        (line,) = re.findall(rf"^  {name} .*", printed, re.M)
        place = COMMANDS[name]
        games = place.names if isinstance(place, Games) else ()
        assert all(game in line for game in games) or "every game" in line
