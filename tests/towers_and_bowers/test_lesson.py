"""The lesson: its sentences against a second reading of the rules; how it begins and ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit.test_table_ends import begin, played
from towerlab.games.cards import card_symbol, mask_cards, parse_card
from towerlab.games.towers_and_bowers import Phase
from towerlab.games.towers_and_bowers.records import View
from towerlab.table.commanding import open_session, table_of
from towerlab.table.drawing import card_words
from towerlab.table.game import Prompt
from towerlab.table.towers_and_bowers.game import explain
from towerlab.web.pages import arrange_scene

MATES = dict(zip("♠♣♥♦", "♣♠♦♥", strict=True))


def suit_in_play(card: str, trump: str) -> str:
    """The suit of ``"J♠"`` when some suit is trumps."""
    return trump if card == f"J{MATES[trump]}" else card[-1]


def expected(view: View, legal: set[str]) -> tuple[str, list[str]]:
    """The kind of decision, and words that the lesson must then have; cards are symbols."""
    held = [card_symbol(card) for card in mask_cards(view.hand)]
    up = card_symbol(view.up_card or 0)
    trump = up[-1] if view.trump is None else "♣♦♥♠"[view.trump]
    trumps = {card for card in held if suit_in_play(card, trump) == trump}
    bowers = [f"J{trump}, the right bower", f"J{MATES[trump]}, the left bower"]
    suits = dict(zip("♣♦♥♠", ("clubs", "diamonds", "hearts", "spades"), strict=True))[trump]
    suit = suits.removesuffix("s")
    mine = f"Your {suits} now are" if trumps else f"You hold no {suit}"
    if len(trumps) == 1:
        mine = f"Your only {suit} now is"
    if view.phase in (Phase.BID1_ND, Phase.BID1_D):
        needed = f"you must take {view.n // 2 + 1} of {view.n} trick"
        return "first", [up, f"{suits} are trumps", needed, *bowers, mine, *trumps]
    if view.phase in (Phase.BID2_ND, Phase.BID2_D):
        return "second", [f"{up} is out of the game"]
    if view.phase == Phase.DISCARD:
        return "discard", [f"You take {up}"]
    if view.led is None:
        return "lead", [*bowers, mine, *trumps]
    led = card_symbol(view.led)
    field = suit_in_play(led, trump)
    if any(suit_in_play(card, trump) == field for card in held):
        assert {card for card in held if suit_in_play(card, trump) == field} == legal
        left = f"J{MATES[trump]}"
        stays = f"J{MATES[trump]} does not follow"
        return "follow", [f"{led} was led", "follow with", *legal, stays if left in held and field == left[-1] else ""]
    wins = field != trump and trumps
    return "free", ["play any", f"A {suit} takes the trick" if wins else "You cannot take this trick"]


def test_every_sentence_is_what_the_rules_say() -> None:
    seen = dict[str, int]()
    for seed in range(8):
        session = begin("towers-and-bowers", seed, towers_to_win=1)
        for _ in played(session, seed, 400):
            if session.waits_for != 0 or session.is_over:
                continue
            view = session.engine.view(0)
            legal = session.engine.legal()
            plays = {card_symbol(parse_card(a["card"])) for a in legal if a["action"] == "play"}
            if said := " ".join(explain(view)):
                kind, words = expected(view, plays)
                assert all(word in said for word in words), (kind, words, said)
                seen[kind] = seen.get(kind, 0) + 1
    assert set(seen) == {"first", "second", "discard", "lead", "follow", "free"} and min(seen.values()) > 3, seen


def test_a_lesson_is_three_hands_and_explains_every_decision(tmp_path: Path) -> None:
    session = open_session("towers-and-bowers", record=tmp_path / "lesson.jsonl", seed=None, lesson=True)
    (seat,) = session.seating.humans
    decisions = 0
    sizes = set[int]()
    while not session.is_over:
        if session.waits_for != seat:
            session.step()
            continue
        sizes.add(session.engine.view(seat).n)
        decisions += 1
        said = session.lesson_sentences(seat)
        assert said and all(re.search(r"[.:]$", sentence) for sentence in said), said
        session.act(seat, session.prompt(seat).choices[0].action)
    assert sizes <= {3, 2, 1} and 3 in sizes and decisions > 3
    assert "lesson" in (tmp_path / "lesson.jsonl").read_text() and table_of("bowers").lesson is None
    plain = open_session("towers-and-bowers", record=tmp_path / "plain.jsonl", seed=1)
    assert not plain.lesson_sentences(0)
    with pytest.raises(Exception, match="bowers has no lesson"):
        open_session("bowers", record=tmp_path / "none.jsonl", seed=1, lesson=True)


def test_a_card_carries_the_number_of_the_sentence_that_names_it() -> None:
    session = begin("towers-and-bowers", 157, first_n=3)
    seen = set[str]()
    for _ in played(session, 1, 40):
        if session.waits_for == 0 and (lesson := explain(session.engine.view(0))):
            zones, _ = arrange_scene(session.scene(0), (), Prompt("", ()), lesson)
            for card in (card for zone in zones.values() for row in zone for card in row.get("cards", ())):
                words = card_words(card["card"]) or "face down"
                told = [number for number, said in enumerate(lesson, 1) if words in said]
                assert card["told"] == (told[0] if told else ""), (card, lesson)
                seen.update(card["card"] for _ in told)
    assert len(seen) > 3
