"""docs/rules-covered.md: every rule stands there, and whatever its rows name exists."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from towerlab.analysis.catalog import GAMES
from towerlab.commands import COMMANDS, Games, module_of
from towerlab.games.options import describe_options
from towerlab.games.rulebook import read_rules

SECTIONS = {
    title: [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows.splitlines() if row.startswith("| ")][1:]
    for title, rows in re.findall(
        r"^## (.+)\n((?:.*\n)+?)(?=## |\Z)", (ROOT / "docs/rules-covered.md").read_text(), re.M
    )
}


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_is_covered_and_every_name_exists(game: str) -> None:
    options = GAMES[game].load("options")
    actions = type(GAMES[game].load("simulate").start(options())).ACTIONS
    played = {*actions, *(option.name for option in describe_options(options))}
    others = {module_of(other) for other in GAMES if other != game}
    questions = {
        name
        for name, place in COMMANDS.items()
        if (game in place.names if isinstance(place, Games) else place not in others)
    }
    cited = set[str]()
    used = set[str]()
    for sentence, rules, in_play, recorded, asked in SECTIONS[game]:
        named = set(re.findall(r"`(.+?)`", in_play))
        assert named or in_play in ("follows", "–"), sentence
        cited, used = cited | set(rules.split(", ")), used | named
        assert recorded in ("typed", "follows", "unseen", "–"), sentence
        assert asked == "–" or set(re.findall(r"`(.+?)`", asked)) <= questions, sentence
    assert cited == {rule.id for rule in read_rules(GAMES[game].rules)}
    assert used <= played
    assert set(actions) <= used


def test_the_list_is_of_all_sheets() -> None:
    assert set(SECTIONS) == set(GAMES)
    assert sum(map(len, SECTIONS.values())) > 120
