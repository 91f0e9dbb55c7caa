"""Situations of the rules, written as people tell them: the files of `tests/golden/situations/`.

A row is ``NAME: STEP | STEP | …``; each of the indented rows that follow goes on from there, by itself. A step is

- how the game begins, in words of the game's own test and options as ``name=value``,
- cards that are played one after the other (``X1=TC``: a joker as that card), calls while an auction goes on, or an
  action with its arguments (``*JS`` is the pack in order, JS on top, ``(JS,AS;KS)`` two lists),
- ``chance``: what chance would do; ``rest``: everybody plays the first of their cards that they may, to the end;
- a record as JSON, where what is written of it is at stake;
- ``may ACTION``: that is possible, and not done; ``listed ACTION``: it is also among what is legal,
- ``@NAME OPTIONS``: the steps of the row ``@NAME: STEP | …``, begun with more options.

After ``?`` stand facts that hold then, each ``name=value``; after ``!`` the rule that forbids the step (``-``: none is
named) and words of the refusal. Whatever is refused changes nothing, and every game is the same again when its records
are replayed.

A row may ask the rules themselves instead: a question's name, its words and options, and after ``=`` the answer.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from towerlab.games.cards import SUITS, card_text, cards_mask, mask_cards, parse_card
from towerlab.games.engine import Engine
from towerlab.games.errors import CardError, TowerlabError

Game = Engine[Any, Any]
Begin = Callable[[str, dict[str, Any]], Game]


def situations(name: str, begin: Begin, pack: int, **questions: Callable[..., Any]) -> Callable[..., None]:
    """The test of a file of situations.

    Args:
        begin: the game that the words of a first step and its options begin.
        pack: the cards of `*`.
        questions: what rows may ask, by name.
    """

    @pytest.mark.parametrize(("title", "steps"), [*_rows(name)])
    def test(title: str, steps: list[str]) -> None:
        if steps[0].split()[0] in questions:
            for step in steps:
                _ask(questions, step, pack)
            return
        first, _, facts = steps[0].partition("?")
        game = begin(*_options(first, pack))
        _check(game, facts, title)
        for step in steps[1:]:
            _take(game, step, pack)
        again = game.reset_copy()
        for record in game.actions:
            again.apply(record)
        assert again.state() == game.state()

    return test


def _rows(name: str) -> Iterator[tuple[str, list[str]]]:
    """(title, steps) of each row, with what stands before it."""
    macros: dict[str, list[str]] = {}
    title = ""
    before = list[str]()
    for line in (ROOT / "tests" / "golden" / "situations" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        said, _, steps = ("", "", line) if line.startswith(" ") else line.partition(": ")
        found = []
        for step in filter(None, map(str.strip, steps.split(" | "))):
            if step[0] == "@":
                macro, options, facts = re.fullmatch(r"@(\w+)([^?]*)(.*)", step).groups()
                first, *others = macros[macro]
                *found, last = [*found, f"{first} {options}", *others]
                step = f"{last} {facts[1:]}" if "?" in last else f"{last} {facts}"
            found.append(step)
        if said.startswith("@"):
            macros[said[1:]] = found
        elif line and not line.startswith("#"):
            title, before = (said, found) if said else (title, before)
            yield title, found if said else before + found


def _ask(questions: dict[str, Callable[..., Any]], step: str, pack: int) -> None:
    """Ask a question, or see it refused."""
    said, _, refusal = step.partition(" !")
    said, _, answer = said.partition(" = ")
    words, options = _options(said, pack)
    name, *given = words.split()
    with _refused(refusal) if refusal else nullcontext():
        found = questions[name](*(_value(word, pack) for word in given), **options)
        assert _is(found, answer.replace(" ", "_")), f"{step}: {found}"


def _options(said: str, pack: int) -> tuple[str, dict[str, Any]]:
    """The words of a step, and the options that stand among them."""
    options = {key: _value(value, pack) for key, value in re.findall(r"(\b[a-z]\w+)=(\S+)", said)}
    return re.sub(r"\b[a-z]\w+=\S+", "", said).strip(), options


def _refused(refusal: str) -> Any:
    """That the rule, and for the reason given, is named in a refusal of one line."""
    rule, _, why = refusal.strip().partition(" ")
    return pytest.raises(TowerlabError, match=rf"^.*{re.escape(why)}" + (rf".*\({rule}\)$" if rule != "-" else ".*$"))


def _take(game: Game, step: str, pack: int) -> None:
    """Take a step, or see it refused."""
    said, _, refusal = step.partition(" !")
    said, _, facts = said.partition("?")
    words = said.split()
    before = (game.state(), game.actions)
    is_tried = words[0] in ("may", "listed")
    for record in _records(game, words[is_tried:], pack):
        assert game.can(record) == (not refusal), f"{step}: {record} {_verdict(game, record)}"
        assert words[0] != "listed" or any(record.items() <= one.items() for one in game.legal()), step
        if refusal:
            with _refused(refusal):
                game.apply(record)
        elif not is_tried:
            game.apply(record)
    assert not (refusal or is_tried) or (game.state(), game.actions) == before, step
    _check(game, facts, step)


def _verdict(game: Game, record: dict[str, Any]) -> str:
    """What the engine says of a record: that it is possible, or why not."""
    try:
        game.verify(record)
    except TowerlabError as error:
        return f"is refused: {error}"
    return "is possible"


def _rest(game: Game) -> Iterator[dict[str, Any]]:
    while game.phase in ("LEAD", "PLAY"):
        yield game.legal(game.to_act)[0]


def _records(game: Game, words: list[str], pack: int) -> Iterable[dict[str, Any]]:
    """What the words of a step do: cards that are played, or one action."""
    if words[:1] and words[0].startswith("{"):
        return [json.loads(" ".join(words))]
    if words == ["rest"]:
        return _rest(game)
    if words == ["chance"]:
        return [game.chance(np.random.default_rng(0))]
    if not words or words[0] not in game.ACTIONS:
        if game.phase in ("BID", "AUCTION"):
            return [{"action": "call", "call": word} for word in words]
        played = [word.replace("=", ":").partition(":") for word in words]
        return [{"action": "play", "card": card, **({"copies": as_} if as_ else {})} for card, _, as_ in played]
    method = getattr(type(game), f"{words[0]}_" if words[0] == "pass" else words[0].replace("-", "_"))
    keys = [*inspect.signature(method).parameters][1:]
    return [{"action": words[0], **dict(zip(keys, (_value(word, pack) for word in words[1:]), strict=False))}]


def _value(word: str, pack: int) -> Any:
    """An argument or an option."""
    if word.startswith("*"):
        top = [parse_card(one) for one in word[1:].split(",") if one]
        return [card_text(card) for card in top + [card for card in mask_cards(pack) if card not in top]]
    if word.startswith("("):
        return [
            _value(f"({one})" if ";" in word else one, pack)
            for one in word[1:-1].split(";" if ";" in word else ",")
            if one or ";" in word
        ]
    if word in ("True", "False"):
        return word == "True"
    return float(word) if re.fullmatch(r"-?\d+\.\d+", word) else int(word) if re.fullmatch(r"-?\d+", word) else word


def _check(game: Game, facts: str, step: str) -> None:
    for fact in facts.split():
        name, _, said = fact.partition("=")
        found = _found(game, name)
        assert _is(found, said), f"{step}: {name} is {found}"


def _found(game: Game, name: str) -> Any:
    """What is known by a name: of the state, its hand or deal, that one's outcome, or of the game."""
    first, *rest = name.split(".")
    if asked := re.fullmatch(r"(view|claim_question)(\d)", first):
        value = getattr(game, asked[1])(int(asked[2]), *([1] if asked[1] != "view" else []))
    elif first == "chance":
        value = game.chance(np.random.default_rng(0))
    else:
        state = game.state()
        deal = getattr(state, "hand", getattr(state, "deal", None))
        holder = next(one for one in (state, deal, getattr(deal, "outcome", None), game) if hasattr(one, first))
        value = getattr(holder, first)
        value = value() if callable(value) else value
    for part in rest:
        if re.fullmatch(r"-?\d+", part):
            value = value[int(part)]
        else:
            value = len(value) if part == "#" else value[part] if isinstance(value, dict) else getattr(value, part)
    return value


def _is(value: Any, said: str) -> bool:
    """Whether a value is what is said of it: a number, a word, a suit, cards (one or a mask), or a tuple of those."""
    if isinstance(value, tuple):
        parts = [part for part in said.strip("()").split(",") if part]
        return len(parts) == len(value) and all(map(_is, value, parts))
    if str(value).replace(" ", "_") == said:
        return True
    if said in tuple(SUITS) and type(value) is int:
        return value == SUITS.index(said)
    with suppress(CardError):
        cards = [parse_card(card) for card in said.split(",")]
        return value in (cards_mask(cards), *cards[: len(cards) == 1])
    return False
