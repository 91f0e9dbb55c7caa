"""Whoever renames the suits gets the same answer: every question of every game, at its examples and at random cards.

Of equal plays any may be recommended, so rows are compared as sets; of samples the intervals have to meet.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import towerlab as tl
from tests.conftest import Answer, exhaustive, slow
from tests.kit.test_command_fuzz import examples
from towerlab.analysis.saved_games import read_lines
from towerlab.commands.table import question_forms
from towerlab.games.cards import DECK_24, DECK_32, DECK_52, card_text, mask_cards
from towerlab.solver.towers_and_bowers.bidding import suit_renamings
from towerlab.table.commanding import game_of_file

SUITS = "CDHS"
ALL = [*itertools.permutations(range(4))]
COLOURS = [tuple(names) for names in suit_renamings()]
RANKED = [(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)]  # minors and majors score alike
PACKS = {"towers-and-bowers": DECK_24, "bowers": DECK_32, "towie": DECK_52, "tower-war": DECK_52}
RENAMINGS: dict[str, list[tuple[int, ...]]] = {
    **dict.fromkeys(("upcard", "discard", "claim/towers-and-bowers", "solve/towers-and-bowers"), COLOURS),
    **dict.fromkeys(("move/towers-and-bowers", "move/bowers", "bid/bowers", "bury/bowers"), COLOURS),
    **dict.fromkeys(("claim/bowers", "solve/bowers"), COLOURS),
    **dict.fromkeys(("claim/towie", "solve/towie"), ALL),
    "move/towie": RANKED,
    "bid/towie": [],  # suits rank in its auction (TO-4): no two are alike
    **dict.fromkeys((f"{word}/tower-war" for word in ("move", "step", "split", "pick", "build", "battle")), ALL),
    "move/towers": [],  # cards without suits
    "step/towers": [],
}
"""Which suits are alike in each question of the catalog."""
FREE = {
    "line",
    "link",
    "proof",
    "refutation",
    "deck",
    "unused",
    "nodes",
    "recommend",
    "best",
    "take",
    "beside",
    "worths",
    "par",
    "reason",
}
"""Keys that may differ among equal plays, and par, for which suits rank; what is recommended is compared by its row."""
CARD = r"\b(10|[2-9TJQKA])([CDHS])\b"
HAND = r"[AKQJT2-9]*(?:\.[AKQJT2-9]*){3}"
CALLS = ("--trump", "--auction", "--bid", "--contract")

Rename = Callable[[str], str]


def renamer(names: tuple[int, ...], deal: dict[str, str] | None = None) -> tuple[Rename, Rename]:
    """What renames the suits of a text with cards (dealt otherwise before, by `deal`), and of one with calls."""

    def card(found: re.Match[str]) -> str:
        rank = found[1].replace("10", "T")
        suit = found[2]
        rank, suit = (deal or {}).get(rank + suit, rank + suit)
        return rank + SUITS[names[SUITS.index(suit)]]

    def hand(found: re.Match[str]) -> str:
        cards = [rank + suit for suit, ranks in zip("SHDC", found[0].split("."), strict=True) for rank in ranks]
        new = re.sub(CARD, card, " ".join(cards)).split()
        return ".".join("".join(one[0] for one in new if one[1] == suit) for suit in "SHDC")

    def call(found: re.Match[str]) -> str:
        return found[1] + SUITS[names[SUITS.index(found[2])]]

    return (
        lambda text: re.sub(HAND, hand, text) if re.search(HAND, text) else re.sub(CARD, card, text),
        lambda text: re.sub(r"\b(\d*|[TJQKA])([CDHS])\b", call, text),
    )


def renamed(words: list[str], names: tuple[int, ...], deal: dict[str, str]) -> list[str]:
    cards, calls = renamer(names, deal)
    return [calls(word) if before in CALLS else cards(word) for before, word in zip(["", *words], words, strict=False)]


def plain(answer: Any, game: str, names: tuple[int, ...]) -> Any:
    """An answer with its suits renamed, in an order that no suit's name decides, its numbers rounded."""
    cards, calls = renamer(names)
    if isinstance(answer, dict):
        for key in {"why", "verdict"} & answer.keys():  # they name suits in the order of their ids
            answer = {**answer, key: re.findall(r"[\d.]*\d|\w+|[♠♥♦♣]", answer[key])}
        if "piles" in answer and "values" in answer:  # which of two piles is the first is of no account
            answer = {**answer, "piles": [*map(list, zip(answer["piles"], answer["values"].values(), strict=True))]}
            del answer["values"]
        suits = game in ("towers-and-bowers", "bowers") or "NT" in answer
        return {
            calls(key) if suits else key: plain(value, "bowers" if key in ("trump", "contract") else game, names)
            for key, value in answer.items()
            if key not in FREE
        }
    if isinstance(answer, list):
        items = [plain(item, game, names) for item in answer]
        in_order = all(isinstance(item, int | float) for item in items)  # the ends of an interval, shares by tricks
        return items if in_order else sorted(items, key=json.dumps)
    if isinstance(answer, str):
        symbols = str.maketrans("♣♦♥♠", "".join("♣♦♥♠"[name] for name in names))
        return (calls if game in ("towers-and-bowers", "bowers") else cards)(answer).translate(symbols)
    return round(answer, 6) + 0.0 if isinstance(answer, float) else answer


def rows(answer: dict[str, Any]) -> dict[str, Any]:
    """The alternatives of a plain answer by name, and what is said of each."""
    named = dict(answer["actions"]) if isinstance(answer.get("actions"), dict) else {}
    for row in (row for value in answer.values() if isinstance(value, list) for row in value if isinstance(row, dict)):
        name = next((key for key in ("card", "bid", "play", "cards", "bury") if key in row), None)
        if name is not None:
            named[words_of(row[name])] = {key: said for key, said in row.items() if key != name}
    return named


def unordered(action: Any) -> Any:
    """An action in which the order of cards, and of piles, does not count."""
    if isinstance(action, dict):
        return {name: unordered(value) for name, value in action.items()}
    is_set = isinstance(action, list) and action and not isinstance(action[0], int)
    return sorted(map(unordered, action), key=str) if is_set else action


def words_of(name: Any) -> str:
    return " ".join(sorted(name.split() if isinstance(name, str) else map(str, name or ())))


def assert_alike(game: str, answer: dict[str, Any], other: dict[str, Any], names: tuple[int, ...]) -> None:
    """The second answer, of the suits renamed, is the first."""
    same = (0, 1, 2, 3)
    mine, theirs = plain(answer, game, names), plain(other, game, same)
    listed = rows(mine), rows(theirs)
    best = [one.get("recommend", one.get("best")) for one in (answer, other)]
    chosen = words_of(plain(best[0], game, names)), words_of(plain(best[1], game, same))
    if answer.get("seed") is not None and game != "towers-and-bowers":  # which draws under standard names
        assert listed[0].keys() == listed[1].keys()
        for name in chosen:
            low, high = listed[0][name]["interval"]
            least, most = listed[1][name]["interval"]
            assert max(low, least) <= min(high, most), name
    elif answer["method"] == "hidden":  # an equilibrium to within 1 mt: of mixed plays the values
        assert listed[0].keys() == listed[1].keys()
        values = [{name: row["value"] for name, row in one.items()} for one in listed]
        assert abs(max(values[0].values()) - max(values[1].values())) < 0.003
        assert all(abs(value - values[1][name]) < 0.02 for name, value in values[0].items())
    elif mine.get("sound", True) is not None and theirs.get("sound", True) is not None:  # proofs within their nodes
        if "best_case" in mine:  # bounds where a search was not settled
            (low, high), (least, most) = (
                sorted((one.pop("guaranteed"), one.pop("best_case"))) for one in (mine, theirs)
            )
            assert max(low, least) <= min(high, most)
        assert mine == theirs
        assert not listed[0] or listed[0].get(chosen[0]) == listed[1].get(chosen[1])


@pytest.mark.parametrize("count", [1, exhaustive(30)])
@pytest.mark.parametrize("path", [form.path for form in question_forms()])
def test_suits_may_be_renamed(inside: Callable[..., Answer], path: str, count: int) -> None:
    game = {form.path: form.game for form in question_forms()}[path]
    command = path.split("/")
    dice = random.Random(path)
    answered = 0
    lines = [line for line in examples()[" ".join(command)] if line[0] == command[0] and "--game" not in line]
    lines = [line for line in lines if game in line or len(command) == 1 or line[1].startswith("--")]
    assert path in RENAMINGS, (
        f"which suits are alike in {path}? expected an entry in RENAMINGS, tests/kit/test_symmetry.py; "
        "of a sampled answer each alternative needs its `interval`"
    )
    assert lines, f"no example of {path} in its docstring, commands/{game.replace('-', '_')}.py"
    if not RENAMINGS[path]:
        return
    pack = [card_text(card) for card in mask_cards(PACKS[game])]
    for number in range(count):
        line = [word for word in lines[number % len(lines)] if word != "--json"]
        deal = dict(zip(pack, pack if number < len(lines) else dice.sample(pack, len(pack)), strict=True))
        names = dice.choice(RENAMINGS[path])
        first, second = (renamed(line, ways, deal) for ways in ((0, 1, 2, 3), names))
        one = inside(*first, "--json")
        two = inside(*second, "--json")
        assert one.status == two.status, (first, second)
        if one.status == 0:
            answered += 1
            assert_alike(game, one.json, two.json, names)
    assert answered


@pytest.mark.parametrize(
    ("option", "name", "sizes"),
    [
        ("--method", "equilibrium", (2, 3)),
        ("--method", "pimc", (3, 6)),
        ("--method", "self-play", (4, 5)),
        *(("--against", name, (2, 3)) for name in tl.players("towers-and-bowers") if "learned" not in name),
        slow("--against", "learned", (2, 3)),
        *(exhaustive("--against", name, (2, 3)) for name in tl.players("towers-and-bowers") if "learned:" in name),
    ],
)
def test_an_up_card_has_no_favourite_suit(
    inside: Callable[..., Answer], option: str, name: str, sizes: tuple[int, ...]
) -> None:
    dice = random.Random(name)
    rounds = [[], ["--second-round"]][: 1 + (option == "--method")]
    for seat, cards, later in itertools.product(("dealer", "nondealer"), sizes, rounds):
        *hand, up = (card_text(card) for card in dice.sample(mask_cards(DECK_24), cards + 1))
        line = ["upcard", "--hand", " ".join(hand), "--up", up, "--seat", seat, option, name, *later, "--json"]
        first = inside(*line)
        for names in dice.sample(COLOURS, 3):
            assert_alike("towers-and-bowers", first.json, inside(*renamed(line, names, {})).json, names)


@pytest.mark.parametrize(
    ("game", "every"), [("tower-war", 6), exhaustive("tower-war", 1), slow("towers-and-bowers", 9), slow("bowers", 6)]
)
def test_advice_at_the_table_may_be_renamed(game: str, every: int, tmp_path: Path) -> None:
    """The same game with other names of its suits: what is exact stays, what is sampled is of the same plays."""
    # black stays black: the first black jack deals
    path = tmp_path / "game.jsonl"
    names = (3, 2, 1, 0)
    players = ["novice"] * (2 + (game == "bowers"))
    if game == "tower-war":
        names = (2, 3, 1, 0)
        players = ["even", "novice"]
    tl.simulate(game, players, 1, seed=3, jobs=1, quiet=True, transcripts=path)
    cards, calls = renamer(names)

    def rename(action: Any, of: str = "") -> Any:
        if isinstance(action, dict):
            return {key: rename(value, key) for key, value in action.items()}
        if isinstance(action, list):
            return [rename(item, of) for item in action]
        return (calls if of in ("suit", "call") else cards)(action) if isinstance(action, str) else action

    table = game_of_file(path)
    actions = table.replay(read_lines(path)).actions
    one = table.start(None)
    two = table.start(None)
    turns = itertools.count(1)
    exact = 0
    for action in actions:
        seat = one.to_act
        if seat is not None and next(turns) % every == 0:
            advices = [table.advise(game.view(seat), game.options) for game in (one, two)]
            listed = [
                {json.dumps(unordered(way(option.action)), sort_keys=True): option for option in advice.alternatives}
                for advice, way in zip(advices, (rename, dict), strict=True)
                if advice is not None
            ]
            assert len(listed) != 1 and (not listed or listed[0].keys() == listed[1].keys())
            for name in listed[0] if listed else ():
                losses = [found[name].cost for found in listed]
                assert all(math.isfinite(loss.mean) for loss in losses), (name, losses)
                if all(loss.low == loss.high for loss in losses):
                    assert losses[0].mean == pytest.approx(losses[1].mean, abs=1e-3), (name, action)
                    exact += 1
        one.apply(action)
        two.apply(rename(action))
    assert exact
