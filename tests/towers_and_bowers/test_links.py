"""Positions as links: there and back from matches and from questions, the same answer, and what a bad one says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import towerlab as tl
from tests.conftest import Answer
from tests.oracles.match_driver import deal_hands
from towerlab.analysis.towers_and_bowers.answers import UpcardAnswer
from towerlab.analysis.towers_and_bowers.move import Reference
from towerlab.games.cards import DECK_24, card_text, mask_cards
from towerlab.games.towers_and_bowers import Match, Phase, View
from towerlab.games.towers_and_bowers.links import position_of, read_link

BIDS = (Phase.BID1_ND, Phase.BID1_D, Phase.BID2_ND, Phase.BID2_D)
COMMANDS = dict.fromkeys(BIDS, "upcard") | {Phase.DISCARD: "discard", Phase.PLAY: "move"}


def decisions(number: int, seed: int) -> list[tuple[Match, View]]:
    """So many decisions of hands of every size played at random, one a hand, with the match as it stands there."""
    random = np.random.default_rng(seed)
    found = list[tuple[Match, View]]()
    while len(found) < number:
        cards = 1 + len(found) % 7
        dealt = [card_text(card) for card in random.permutation(mask_cards(DECK_24))[: 2 * cards + 1].tolist()]
        match = deal_hands(" ".join(dealt[:cards]), " ".join(dealt[cards:-1]), dealt[-1], claims="off")
        for _ in range(int(random.integers(0, 2 * cards + 3))):
            actions = [one for one in match.legal() if one["action"] in ("accept", "pass", "name", "discard", "play")]
            if actions:
                match.apply(actions[int(random.integers(len(actions)))])
        seat = match.to_act
        if seat is not None and match.view(seat).phase in COMMANDS:
            found.append((match, match.view(seat)))
    return found


def test_a_hundred_positions_of_matches_come_back_from_their_links() -> None:
    phases = set()
    for _, view in decisions(100, seed=1):
        position = position_of(view)
        assert read_link(str(position)) == position
        assert read_link(f"file:///explorer.html#{position}".replace("?", "%3F")) == position
        command, asked = position.question()
        assert command == COMMANDS[view.phase]
        assert set(asked["hand"].split()) == {card_text(card) for card in mask_cards(view.hand)}
        phases.add(view.phase)
    assert phases == set(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2])
def test_a_link_gets_the_answer_of_the_match_it_is_of(seed: int) -> None:
    for match, view in decisions(14, seed):
        if view.n > 4:
            continue
        reference = Reference(match.options)
        answer = tl.open(str(position_of(view)))
        if isinstance(answer, UpcardAnswer):
            choice = reference.bid(view, view.phase in BIDS[2:])
            found = {f"name {name}" if name in "SHDC" else name: answer.tower(name) for name in answer.actions}
        elif view.phase == Phase.DISCARD:
            choice = reference.discard(view)
            found = {f"discard {one.card}": one.tower for one in answer.discards}
        else:
            choice = reference.play(view)
            found = {f"play {one.card}": one.value for one in answer.plays}
        assert found == pytest.approx(choice.values, abs=1e-9), position_of(view)
        asked = replace(view, led=None) if view.phase == Phase.DISCARD else view  # judged before the first lead
        assert answer.to_json()["link"] == answer.link == str(position_of(asked))


ASKED: list[tuple[Callable[..., Any], list[Any], dict[str, Any]]] = [
    (tl.upcard, ["JS AS KS 9S", "QS", "dealer"], {}),
    (tl.upcard, ["JS AS KS", "QS", "nondealer"], {"second_round": True, "seen": "9C", "opponent_void": "H"}),
    (tl.discard, ["AH KH 9C", "JD", "them"], {}),
    (tl.move, ["AH KS", "H", "me", "me"], {}),
    (tl.move, ["AH KS", "H", "me", "me"], {"up": "QH", "cards": 4, "won": 1}),
    (tl.move, ["AH 9H KS", "H", "me"], {"history": "JH/9D", "first_lead": "me"}),
    (tl.move, ["AH KS", "H", "them", "me"], {"opponent_void": "C", "opponent_holds": "JH", "seen": "9D"}),
    (tl.claim, ["9H TH", "H"], {"history": "AH/QC", "first_lead": "me", "tricks": 2}),
    (tl.claim, ["JD 9H", "H", "them", 1], {"opponent_holds": "JH"}),
    (tl.claim, ["TS 9S 9C", "H", "them"], {"concede": True}),
]


@pytest.mark.parametrize(("ask", "given", "known"), ASKED)
def test_a_link_asks_the_question_it_was_printed_for(
    ask: Callable[..., Any], given: list[Any], known: dict[str, Any]
) -> None:
    answer = ask(*given, **known)
    again = tl.open(answer.link)
    assert str(read_link(answer.link)) == answer.link
    assert again.to_json() == answer.to_json()


def test_the_commands_read_and_print_links(inside: Callable[..., Answer]) -> None:
    link = "ASKSJS9S/QS/d/p"
    asked = inside("upcard", "--hand", "JS AS KS 9S", "--up", "QS", "--seat", "dealer").stdout
    assert f"\nLink  {link}\n" in asked
    assert inside("open", link).stdout == asked
