"""What the table says of a hand's end, of towers that fall and of what was: against the engine's own account."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.kit.test_engine import random_options, step
from tests.oracles.naive_tower_war import winner
from towerlab.analysis.catalog import GAMES
from towerlab.analysis.saved_games import read_lines
from towerlab.games.cards import DECK_32, NO_TRUMP, card_text, parse_card
from towerlab.games.towers.engine import TowersGame
from towerlab.games.towie.scoring import honours_of_sides
from towerlab.table.commanding import game_of_file, table_of
from towerlab.table.drawing import card_words
from towerlab.table.postmortem import final_scene, hand_rows, is_face_up
from towerlab.table.review import _scores, judge_some, review_game
from towerlab.table.scene import Cards, Hand, HandEnd, trump_names
from towerlab.table.session import Lineup, Session
from towerlab.table.towers import effects


def begin(game: str, seed: int, against: str = "random", **given: object) -> Session:
    table = table_of(game)
    options = GAMES[game].load("options")(**given)
    seating = Lineup(("human", *(against,) * (table.seats(options) - 1)), seed)
    return Session.begin(table, options, seating, None)


def played(session: Session, seed: int, most: int) -> Iterator[Session]:
    """The same session after each action of a random game."""
    rng = np.random.default_rng(seed)
    while session.length < most and not session.is_over:
        if session.waits_for is None:
            session.step()
        else:
            actions = [choice.action for choice in session.prompt(0).choices if not choice.is_aside]
            session.act(0, actions[int(rng.integers(len(actions)))])
        yield session


@pytest.mark.parametrize("game", GAMES)
def test_the_past_is_shown_as_it_was_seen(game: str) -> None:
    session = begin(game, 3)
    seen = [session.scene(0), *(one.scene(0) for one in played(session, 3, 60))]
    for length in range(0, len(seen) - 1, 7):
        assert session.scene_after(0, length) == seen[length]


@pytest.mark.parametrize("game", GAMES)
def test_digits_count_the_cards_from_left_to_right_as_they_lie(game: str) -> None:
    session = begin(game, 4)
    for one in played(session, 4, 120):
        if one.waits_for == 0:
            rows = [part for part in one.scene(0).parts if isinstance(part, Cards) and part.own]
            lying = [card for row in rows for card in row.cards]
            prompt = one.prompt(0)
            places = [lying.index(choice.card) for choice in prompt.choices if choice.card]
            assert places == sorted(places, reverse=prompt.gives)


@pytest.mark.parametrize("game", ["towers-and-bowers", "bowers", "towie"])
def test_all_hands_lie_open_once_a_deal_is_over(game: str) -> None:
    session = begin(game, 5)
    seen = 0
    for one in played(session, 5, 160):
        scene = final_scene(one, one.scene(0), 0, one.length)
        if not is_face_up(one, one.length):
            assert scene == one.scene(0)
            continue
        cards = [card for row in hand_rows(scene) for card in row.cards]
        labels = [label for row in hand_rows(scene) for label in row.labels if label]
        shown = [
            action["card"] for action in one.engine.actions[one.hand_began(one.length) :] if action["action"] == "play"
        ]
        assert {*shown} <= {*cards} and len(cards) == len({*cards}) and len(labels) == len(shown)
        seen += 1
    assert seen > 1


def won_by(game: str, session: Session, end: HandEnd, before: tuple[int, ...]) -> None:
    """Whether what is said of a hand agrees with the score before and after it."""
    state = session.engine.state()
    text = " ".join(end.said)
    gained = tuple(now - then for now, then in zip(end.totals, before, strict=True))
    if game == "towers-and-bowers":
        assert end.gains == state.hand.outcome.taken and end.totals == state.towers
        assert sum(gained) == any(re.fullmatch(r"\S+ takes? the tower\.", said) for said in end.said)
        if state.hand.outcome.ending == "played" and state.hand.bidder is not None:
            taken = end.gains[state.hand.bidder]
            assert ("made" in text) == (2 * taken > sum(end.gains) + session.engine.state().hand.tricks_left)
    elif game == "bowers":
        assert end.gains == gained and end.totals == state.scores
        assert session.is_over or f"Next dealer: {session.seating.names(0)[state.dealer]}." in text
        assert ("made" in text) == any(gain > 0 for gain in gained) * ("down" not in text)
    else:
        assert end.gains == gained and end.totals == state.ledger
        assert ("made" in text) == state.deal.score.made
        hands = np.array(state.deal.dealt, dtype=np.int64)
        bid = state.deal.contract.bid
        honours = honours_of_sides(hands, state.deal.contract.declarer, (bid - 1) % 5)
        assert session.engine.view(0).score.honours == honours and ("honours" in text) == any(honours)


@pytest.mark.parametrize("game", ["towers-and-bowers", "bowers", "towie"])
def test_what_is_told_of_a_hand_is_what_the_engine_scored(game: str) -> None:
    found = 0
    for seed in range(3):
        session = begin(game, seed)
        before = None
        for one in played(session, seed, 400):
            end = one.hand_end(0, one.length)
            if end is not None and one.hand_ends(0)[-1][0] == one.length:
                won_by(game, one, end, before or (0,) * len(end.totals))
                before, found = end.totals, found + 1
                assert one.is_between_hands or one.is_over
                assert one.hand_began(one.length) < one.length
        assert [end.name for _, end in session.hand_ends(0)] or game == "towie"
    assert found > 3


@pytest.mark.parametrize("game", ["bowers", "towie"])
def test_the_graph_of_a_review_ends_with_the_result(game: str) -> None:
    table = table_of(game)
    engine = table.replay(read_lines(ROOT / f"tests/golden/{game}.jsonl"))
    first, *scores = _scores(table, engine)
    assert engine.result is not None and scores[-1] == engine.result.scores and not any(first)
    assert len(scores) > 5


def test_a_battle_is_counted_as_the_engine_counts_it() -> None:
    session = begin("tower-war", 4)
    found = 0
    for one in played(session, 4, 400):
        end = one.hand_end(0, one.length)
        if end is not None:
            assert end.gains == tuple(int(one.engine.profile(seat)[-1]) for seat in (0, 1))  # type: ignore[attr-defined]
            assert hand_rows(one.scene(0)) == []
            found += 1
    assert found


def test_the_products_beside_a_total_make_it() -> None:
    """Of each player's cards: the products add up to the total, and the total is the engine's."""
    session = begin("tower-war", 6)
    seen = set()
    for one in played(session, 6, 400):
        for part in one.scene(0).parts:
            if isinstance(part, Cards) and part.title.startswith("Played by"):
                seat = one.names(0).index(part.title.removeprefix("Played by "))
                said = re.fullmatch(r"total (\d+)(?:: ([^,]+))?.*", part.note)
                assert said is not None and int(said[1]) == int(one.engine.profile(seat)[-1])  # type: ignore[attr-defined]
                products = [re.findall(r"\d+", product) for product in (said[2] or said[1]).split(" + ")]
                assert sum(math.prod(map(int, product)) for product in products) == int(said[1])
                seen.add(max(map(len, products)))
    assert {1, 2} <= seen


@pytest.mark.parametrize("game", ["bowers", "towie"])
def test_the_question_for_a_card_says_what_must_be_followed(game: str) -> None:
    seen = set()
    for seed in range(3):
        for one in played(begin(game, seed), seed, 200):
            if one.waits_for != 0 or (prompt := one.prompt(0)).choices[0].action["action"] != "play":
                continue
            cards = {choice.card for choice in prompt.choices if choice.card}
            held = next(
                part.cards
                for part in one.scene(0).parts
                if isinstance(part, Cards) and (part.title == "Dummy" if prompt.source else isinstance(part, Hand))
            )
            if suit := re.search("is led: follow with a (.+)[.]", prompt.question):
                assert suit[1] == "trump" or suit[1] in {card_words(card)[-1] for card in cards}
            else:
                assert "lay any card" in prompt.question and cards == {*held}
            seen.add(prompt.question.partition(" ")[2])
    assert len(seen) > 2


def facts_by_options(game: str, engine: Any, names: tuple[str, ...]) -> Iterator[tuple[object, object]]:
    """Pairs of what the table says now and what the rules say, where an option decides it."""
    table = table_of(game)
    view = engine.view(0)
    options = engine.options
    end = table.hand_end(view, names, options)
    parts = table.scene(view, names, options).parts
    text = "" if end is None else " ".join(end.said)
    if game == "towers-and-bowers" and view.bidder is not None:
        needed = view.n // 2 if options.tie_to == "bidder" and view.n % 2 == 0 else view.n // 2 + 1
        yield dict(parts[0].facts)["bidder"].rpartition(" ")[2], str(needed)
        if end is not None and view.outcome.ending in ("played", "claimed"):
            yield "made" in text, view.bidder in (view.outcome.next_dealer, view.outcome.tower_to)
            yield f"needed {needed} of " in text, True
    if game == "bowers" and "next deal" in text:
        again = engine.copy()
        again.apply(again.chance(np.random.default_rng(0)))
        factor = again.view(0).factor
        yield f"counts {'double' if factor == 2 else f'{factor} times'}." in text, True
    if game == "tower-war" and view.battle and not any(None in side for side in view.shown):
        for part in parts:
            if isinstance(part, Cards) and part.title.startswith("Played by"):
                seat = names.index(part.title.removeprefix("Played by "))
                sides = [list(map(card_text, side)) for side in view.shown]
                both = range(min(map(len, view.shown)))
                won = [k for k in both if winner(sides[seat], sides[1 - seat], k, options.tens_only) == "leader"]
                yield list(part.marked), won


@pytest.mark.parametrize("game", ["towers-and-bowers", "bowers", "tower-war"])
def test_the_table_knows_the_rule_options(game: str) -> None:
    """By random options: what is needed, made, doubled and won."""
    table = table_of(game)
    pairs = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        engine = table.start(random_options(GAMES[game].load("options"), rng))
        names = tuple(f"player {seat + 1}" for seat in engine.seats)
        for _ in range(120):
            if engine.result is None:
                passes = {"action": "call", "player": engine.to_act, "call": "P"}
                engine.apply(passes) if game == "bowers" and engine.can(passes) else step(engine, rng)
                pairs += facts_by_options(game, engine, names)
    assert pairs and all(said == is_so for said, is_so in pairs)


def test_the_sections_that_are_marked_are_those_that_fell() -> None:
    rng = np.random.default_rng(2)
    fell = 0
    for _ in range(6):
        game = TowersGame()
        game.apply(game.chance(rng))
        while game.result is None:
            action = game.legal().sample(rng)
            done = game.apply(action)
            effect = effects(done)
            assert (effect is None) == (not done.removed and not done.collected)
            if effect is not None:
                gone = Counter(block.text for block in effect[1].blocks if block.gone)
                lost = Counter(done.removed) + Counter(done.collected)
                assert lost - gone <= Counter([action.get("card", "")]) and not gone - lost
                fell += 1
    assert fell > 20


@pytest.mark.parametrize(("trump", "right", "left"), [(0, "JC", "JS"), (3, "JS", "JC"), (1, "JD", "JH")])
def test_tb_17_the_left_bower_is_said_to_be_a_trump(trump: int, right: str, left: str) -> None:
    names = trump_names(trump, DECK_32, bowers=True)
    assert names[right] == "right bower" and names[left] == "left bower" and len(names) == 9
    assert all(parse_card(card) // 13 == trump for card, name in names.items() if name == "trump")
    assert not trump_names(NO_TRUMP, DECK_32, bowers=True)
    plain = trump_names(trump, DECK_32, bowers=False)
    assert set(plain) == {card_text(13 * trump + rank) for rank in range(5, 13)} and set(plain.values()) == {"trump"}


def test_a_forced_card_is_known_and_only_then() -> None:
    session = begin("bowers", 1)
    forced = 0
    for one in played(session, 1, 300):
        if one.waits_for == 0:
            legal: list[Any] = list(one.engine.legal(0))
            action = one.forced_action()
            assert (action is not None) == (len(legal) == 1 and legal[0]["action"] == "play")
            assert action is None or action == legal[0]
            forced += action is not None
    assert forced


def test_every_player_has_a_place_and_one_is_on_turn() -> None:
    for game in GAMES:
        for one in played(begin(game, 8), 8, 90):
            rows = [part for part in one.scene(0).parts if isinstance(part, Cards) and part.due]
            assert len(rows) <= 1 and (not rows or one.engine.to_act is not None)
            if rows and game != "towie":  # where declarer plays for dummy
                assert (rows[0].area == "bottom") == (one.engine.to_act == 0)


def test_tb_21_an_early_stop_explains_itself() -> None:
    said = Counter[bool]()
    for one in played(begin("towers-and-bowers", 3), 3, 400):
        end = one.hand_end(0, one.length)
        if end is not None and one.engine.phase != "MATCH_OVER":
            hand = one.engine.state().hand
            stopped = hand.outcome.ending == "played" and sum(hand.outcome.taken) < hand.n
            assert any("stops early" in sentence for sentence in end.said) == stopped
            said[stopped] += 1
    assert said[True] and said[False]


@pytest.mark.parametrize(("name", "first", "last"), [("towers-and-bowers-match", 1, 32), ("towers", 1, 12)])
def test_decisions_of_a_hand_are_graded_as_in_the_review_of_the_game(name: str, first: int, last: int) -> None:
    path = ROOT / "tests" / "golden" / f"{name}.jsonl"
    game = game_of_file(path)
    engine = game.replay(read_lines(path)[: last + 1])
    numbers = list(range(first, last + 1))
    found = {}
    while left := [number for number in numbers if number not in found]:  # slice by slice
        found |= judge_some(game, engine, dict.fromkeys(left, 0), 0.0)
    whole = review_game(game, engine, ("you", "other"), (0,)).decisions
    graded = [one for number in numbers for one in found[number]]
    assert [(one.number, one.done, one.best, one.cost) for one in graded] == [
        (one.number, one.done, one.best, one.cost) for one in whole
    ]
    assert any(one.cost.mean > 0 for one in graded) and not all(found.values())


def test_what_would_fall_is_what_then_falls() -> None:
    session = begin("towers", 2)
    rng = np.random.default_rng(2)
    fell = 0
    session.advance()
    while not session.is_over:
        actions = [choice.action for choice in session.prompt(0).choices]
        tried = [session.preview_effect(0, action) for action in actions]
        place = max(range(len(actions)), key=lambda one: (tried[one][1] is not None, rng.random()))
        before = session.length
        session.act(0, actions[place])
        words, part = tried[place]
        assert session._done[before].effect == part and (part is None or session.log(0)[-1].endswith(words))
        fell += part is not None
        session.advance()
    assert fell
