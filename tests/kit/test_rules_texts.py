"""`towerlab rules`: the rules in our own words, complete and with the ids that the code cites."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.conftest import ROOT, Answer
from towerlab.analysis.catalog import GAMES
from towerlab.games.rulebook import read_rules


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_has_its_text(game: str) -> None:
    rules = read_rules(GAMES[game].rules)
    prefix = rules[0].id[:2]
    assert [rule.id for rule in rules] == [f"{prefix}-{number}" for number in range(1, len(rules) + 1)]
    assert all(rule.section and len(rule.text) > 20 and rule.text.endswith(".") for rule in rules)
    assert any(rule.ours for rule in rules) and not all(rule.ours for rule in rules)


def test_whatever_the_code_cites_can_be_looked_up() -> None:
    known = {rule.id for game in GAMES.values() for rule in read_rules(game.rules)}
    sources = [path for part in ("games", "solver", "sim", "analysis", "table") for path in (ROOT / part).rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    prefixes = "|".join({name[:2] for name in known})
    cited = {name for text in texts for name in re.findall(rf"\b(?:{prefixes})-\d+", text)}
    assert len(cited) > 80 and cited <= known


@pytest.mark.parametrize("game", GAMES)
def test_the_options_that_a_text_names_exist(game: str) -> None:
    from towerlab.games.options import describe_options

    options = {option.name for option in describe_options(GAMES[game].load("options"))}
    for rule in read_rules(GAMES[game].rules):
        for named in re.findall(r"\boptions? ((?:\w+(?:=\w+)?(?:, )?)+)", f"{rule.section} {rule.text}"):
            assert {name.partition("=")[0] for name in named.split(", ")} <= options, (rule.id, named)


@pytest.mark.parametrize("game", GAMES)
def test_every_option_is_set_in_a_test_of_its_game(game: str) -> None:
    from towerlab.games.options import describe_options

    rows = ROOT / "tests/golden/situations" / f"{game}.txt"
    tests = sorted((ROOT / "tests" / game.replace("-", "_")).glob("test_*.py"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in [rows, *tests] if path.exists())
    for option in describe_options(GAMES[game].load("options")):
        assert re.search(rf"\b{option.name}\b", text), (
            f"no test of {game} sets {option.name}; expected a row `{option.rule} option {option.name}: …` in "
            f"{rows.relative_to(ROOT)}, and that a naive twin in tests/oracles reads it"
        )


@pytest.mark.parametrize("game", GAMES)
def test_every_option_stands_in_the_text_of_its_rule(game: str) -> None:
    from towerlab.games.options import describe_options

    texts = {rule.id: f"{rule.section} {rule.text}" for rule in read_rules(GAMES[game].rules)}
    for option in describe_options(GAMES[game].load("options")):
        assert option.rule in texts, option
        assert re.search(rf"\b{option.name}\b", texts[option.rule]), option


@pytest.mark.parametrize("game", GAMES)
def test_an_option_leaves_a_choice(game: str) -> None:
    from towerlab.games.options import describe_options

    for option in describe_options(GAMES[game].load("options")):
        assert option.default in (True, False) or re.search(r"\bor\b|number", option.expected), option


@pytest.mark.parametrize("game", GAMES)
def test_options_are_readable_in_60_columns(game: str, inside: Callable[..., Answer]) -> None:
    listed = inside("options", game, "--json").json["options"]
    narrow = inside("options", game, COLUMNS="60").stdout
    assert all(word in narrow for option in listed for word in option["help"].split())  # none is broken
    assert len(narrow.splitlines()) <= 1 + 4.5 * len(listed)


def test_to_4_a_doubled_bid_cannot_be_doubled_again() -> None:
    assert "not doubled yet" in read_rules("towerlab.games.towie", "TO-4")[0].text
