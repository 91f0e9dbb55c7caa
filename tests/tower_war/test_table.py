"""The draft of Tower War at the table: divisions typed, recorded and advised, with pyramids beside a pile (TW-6)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.oracles import naive_tower_war as naive
from towerlab.games.cards import parse_card
from towerlab.games.errors import TowerlabError
from towerlab.games.tower_war import TowerWarOptions
from towerlab.table.game import HUMAN
from towerlab.table.reading import pick_hint, read_action
from towerlab.table.record import Recording
from towerlab.table.session import Lineup, Session
from towerlab.table.tower_war import TABLE
from towerlab.web.app import _chosen
from towerlab.web.pages import table_page

ADVANCED = TowerWarOptions(advanced=True)


def drafting(options: TowerWarOptions = ADVANCED) -> Session:
    """The first division is the person's."""
    session = Session.begin(TABLE, options, Lineup((HUMAN, "novice"), 7), None)
    session.advance()
    return session


@pytest.mark.parametrize("advanced", [False, True])
def test_tw_6_every_division_is_listed_and_what_advice_says_can_be_typed(advanced):
    session = drafting(TowerWarOptions(advanced=advanced))
    prompt = session.prompt(0)
    advice = session.advice(0)
    assert len({frozenset(map(tuple, one.action["piles"])) for one in prompt.choices}) == len(prompt.choices) == 15
    assert any("pyramids" in one.action for one in advice.alternatives) == advanced
    for one in advice.alternatives:
        typed = read_action(one.text, prompt)
        assert session.engine.can(typed) and advice.of(typed).value == pytest.approx(one.value)


def test_tw_6_a_pile_is_named_with_the_pyramids_beside_it():
    session = drafting()
    first, second, *_ = cards = session.prompt(0).pick.cards
    prompt = session.prompt(0)
    assert "+L" in pick_hint(prompt.pick)
    for line in (f"{first} {second} +LLS", f"{first},{second} + lls", f"{' '.join(cards[2:])} | {first} {second} +SLL"):
        action = read_action(line, prompt)
        pile = action["piles"][action["beside"]]
        assert (sorted(pile), action["pyramids"]) == (sorted([first, second]), [2, 0, 1])
    session.act(0, action)
    assert session.engine.state().offer == ((2, 0, 1), 1)
    assert any("+LLS" in line for line in session.log(0))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{0} +LLLLLL", "L5 M5 S5"),
        ("{0} +Q", "L5 M5 S5"),
        ("{0} +L | {1} {2} {3} {4} +S", "one of the piles"),
        ("{0} +L | {1}", "two piles of the five cards"),
        ("{0} {1} {2} {3} {4} +L", "two piles of the five cards"),
        ("+L", "two piles of the five cards"),
    ],
)
def test_tw_6_pyramids_that_cannot_be_laid_are_refused(line, words):
    prompt = drafting().prompt(0)
    with pytest.raises(TowerlabError, match=words.replace("+", r"\+")) as caught:
        read_action(line.format(*prompt.pick.cards), prompt)
    assert "TW-6" in str(caught.value) or "TW-3" in str(caught.value)


def test_tw_6_pyramids_of_both_players_are_recorded():
    recording = Recording(TABLE, ADVANCED, 0, None)
    recording.answer("AH TC 6C 9S X1")
    recording.answer("AH TC +LLS")
    recording.answer("pile 1")
    assert recording.layout.engine.state().stashes == ((5, 5, 5), (7, 5, 6))
    recording.answer("2H 3H 4H 5H 6H")
    assert "+L" in recording.ask().hint
    recording.answer("2H 3H +M")
    recording.answer("pile 2")
    assert recording.layout.engine.state().stashes == ((5, 5, 5), (7, 6, 6))


def test_tw_6_a_division_with_pyramids_that_was_not_advised_is_graded():
    session = drafting()
    advice = session.advice(0)
    cards = session.prompt(0).pick.cards
    graded = advice.of(read_action(f"{cards[0]} +LLMMSS", session.prompt(0)))
    assert graded.cost.mean >= 0


@pytest.mark.parametrize("advanced", [False, True])
def test_tw_3_a_division_is_graded_as_it_was_recorded(advanced):
    session = drafting(TowerWarOptions(advanced=advanced))
    advice = session.advice(0)
    session.act(0, advice.alternatives[3].action)
    assert advice.of(session.engine.actions[1]).cost == advice.alternatives[3].cost


def test_tw_6_pyramids_are_counted_in_the_browser_with_the_cards_ticked():
    session = drafting()
    page = table_page(session, 0)
    assert 'name="also-L"' in page and 'name="also-S"' in page
    assert 'name="also-' not in table_page(drafting(TowerWarOptions()), 0)
    prompt = session.prompt(0)
    cards = session.prompt(0).pick.cards
    for pyramids in ([2, 0, 1], [0, 1, 0], None):
        counts = {f"also-{size}": [str(count)] for size, count in zip("LMS", pyramids or (), strict=False)}
        action = _chosen(prompt, {"do": ["pick"], "pick": list(cards[:2])} | counts)
        assert action["piles"][0] == list(cards[:2]) and action.get("pyramids") == pyramids


def what_decided(mine: list[str], theirs: list[str]) -> str:
    """The sentence about a battle that the table would show, its totals by the naive twin."""
    session = Session.begin(TABLE, TowerWarOptions(), Lineup(("novice", "novice"), 7), None)
    shown = tuple(tuple(map(parse_card, cards)) for cards in (mine, theirs))
    view = replace(session.engine.view(0), battle=1, shown=shown, played=shown)
    end = TABLE.hand_end(view, ("you", "novice"), TowerWarOptions())
    assert end is not None and end.gains == (naive.total(mine), naive.total(theirs))
    return next((said for said in end.said if "decide" in said), "")


def test_tw_12_what_decided_a_battle_follows_its_numbers():
    theirs = ["QC", "8H", "3D"]
    assert what_decided(["KS", "9H", "2D"], theirs) == ""
    assert what_decided(["KS", "9H", "4D"], theirs) == (
        "Suits did not decide it: without them you would have won, 23 to 21."
    )
    assert what_decided(["KS", "9S", "2D"], theirs) == (
        "Suits decided it: without them you would have drawn, 21 to 21."
    )
    assert what_decided(["5S", "2S", "3S"], ["QC", "8H", "2D"]) == (
        "Suits decided it: without them you would have lost, 10 to 20."
    )
    assert what_decided(["2S", "3H", "4D"], ["KC", "8C", "5D"]) == (
        "Suits did not decide it: without them novice would have won, 23 to 9."
    )


def test_tw_12_suits_decide_a_battle_that_would_not_be_won_without_them():
    dice = random.Random(3)
    seen = set()
    for _ in range(300):
        deck = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
        drawn = dice.sample(deck, 6)
        mine, theirs = drawn[:3], drawn[3:]
        said = what_decided(mine, theirs)
        ahead = naive.total(mine) - naive.total(theirs)
        plain = sum(map(naive.points, mine)) - sum(map(naive.points, theirs))
        assert bool(said) == bool(ahead)
        if said:
            by_suits = ahead * plain <= 0
            assert said.startswith("Suits decided" if by_suits else "Suits did not")
            outcome = "drawn" if plain == 0 else "lost" if by_suits else "won"
            assert f"would have {outcome}, " in said
            seen.add(by_suits)
    assert seen == {True, False}
