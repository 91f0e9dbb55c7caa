"""Towie at the table: claims, dummy's six and hands sorted by people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.oracles.naive_double_dummy import naive_tricks
from tests.oracles.towie_driver import dealt_game, random_game, take_lot
from towerlab.games.cards import (
    card_text,
    mask_cards,
    mask_text,
    parse_card,
    parse_mask,
    suit_of,
    to_play_order,
    trump_field,
)
from towerlab.games.errors import IllegalAction, TowerlabError
from towerlab.games.towie import Phase, Towie, TowieOptions
from towerlab.games.towie.auction import strain_of
from towerlab.games.towie.dealing import hand_at
from towerlab.sim.towie.seats import SeatedPlayer
from towerlab.table.commanding import open_session, read_session, table_of
from towerlab.table.play import Terminal
from towerlab.table.record import Recording
from towerlab.table.session import Lineup, Session

CLAIMS = TowieOptions(claims=True)
FOUR_ACES = tuple(
    parse_mask(text)
    for text in (
        "AS KS QS JS TS AH KH QH AD KD AC KC QC",
        "9S 8S 7S 9H 8H 7H 9D 8D 7D 9C 8C 7C 6C",
        "6S 5S 4S 6H 5H 4H 6D 5D 4D 3D 2D 5C 4C",
        "3S 2S JH TH 3H 2H QD JD TD JC TC 3C 2C",
    )
)
"""The dealer has every top card."""


def endings(most: int, seed: int = 0) -> Iterator[Towie]:
    """Random deals with so many cards or fewer to play, between tricks and in the middle of one."""
    rng = np.random.default_rng(seed)
    while True:
        game = random_game(int(rng.integers(2**31)), CLAIMS, 0)
        while game.phase in (Phase.DEAL, Phase.EXPOSE, Phase.AUCTION, Phase.GOULASH):
            take_lot(game, rng) if game.phase == Phase.AUCTION else game.apply(game.chance(rng))
        while game.phase in (Phase.LEAD, Phase.PLAY) and not game.state().played:
            take_lot(game, rng)
            if game.phase == Phase.PLAY and len(game.state().deal.tricks) >= 13 - most and rng.random() < 0.3:
                yield game
                break


# ---------------------------------------------------------------------------------------------------------- claims


def test_to_8_the_end_of_a_deal_that_was_claimed_is_told_to_each() -> None:
    game = dealt_game("7NT pass pass", FOUR_ACES, CLAIMS)
    game.play(parse_card("9S"))
    game.claim(0, 13)
    game.consent()
    game.consent()
    ended = table_of("towie").hand_end
    assert ended is not None
    for names in (("you", "left", "right"), ("left", "you", "right")):
        end = ended(game.view(0), names, CLAIMS)
        assert end is not None and f"A game won: {names[0]}, now vulnerable." in end.said


def test_to_8_players_of_the_simulator_agree_to_what_minimax_gives() -> None:
    """Each of the other two, by a plain minimax over all four hands, which the faced hand shows."""
    answers = set()
    rng = np.random.default_rng(1)
    for game, _ in zip(endings(3), range(60), strict=False):
        deal = game.state().deal
        left = 13 - len(game.state().deal.tricks)
        strain = int(strain_of(deal.contract.bid))
        declarer = deal.contract.declarer
        hands = [deal.hands[int(hand_at(position, declarer))] for position in range(4)]
        best = naive_tricks(
            tuple(int(to_play_order(hand, strain, False)) for hand in hands),
            int(trump_field(strain)),
            deal.leader,
            tuple(int(to_play_order(1 << card, strain, False)) for card in deal.plays),
        )
        claimant = deal.players[int(rng.integers(3))]
        tricks = int(rng.integers(1, left + 1))
        game.claim(claimant, tricks)
        declarers = tricks if claimant == deal.players[declarer] else left - tricks
        while game.phase == Phase.CLAIM:
            seat = game.to_act
            said = SeatedPlayer("random", game.options).choose(game.view(seat), rng)["action"]
            fair = declarers >= best if seat == deal.players[declarer] else declarers <= best
            assert said == ("consent" if fair else "insist")
            answers.add(said)
            game.apply({"action": "consent"})
        assert game.state().deal.score.tricks == deal.declarer_tricks + declarers
    assert answers == {"consent", "insist"}


def claiming(folder: Path | None = None) -> Session:
    """A person declares 7 no trump and has every top card; the first card is led."""
    path = None if folder is None else folder / "claim.jsonl"
    session = Session.begin(table_of("towie"), CLAIMS, Lineup(("human", "novice", "novice"), 1), path)
    game = dealt_game("7NT pass pass", FOUR_ACES, CLAIMS)
    game.play(parse_card("9S"))
    for action in game.actions:
        session._take(action)
    return session


def test_to_8_a_claim_in_the_terminal_is_answered_and_ends_the_deal(tmp_path: Path) -> None:
    session = claiming(tmp_path)
    printed = list[str]()
    Terminal(session, ["claim 13"], lambda line: printed.append(line.plain)).run()
    assert any("you: claim 13 tricks" in line for line in printed)
    assert any("7NT made: declarer +1895" in line for line in printed), printed
    assert any(line.startswith("Deal: You played 7NT with dummy and took 13 tricks: made") for line in printed)
    assert read_session(tmp_path / "claim.jsonl").engine.state() == session.engine.state()
    refused = claiming()
    refused.act(0, {"action": "concede", "tricks": 1})
    refused.step()
    assert refused.engine.last_action["action"] == "consent"  # a gift
    proof = session.game.prove(claiming().engine.view(0), {"action": "claim", "tricks": 13})
    assert proof.sound


def test_to_8_a_claim_of_the_record_faces_the_hand(tmp_path: Path) -> None:
    recording = Recording(table_of("towie"), CLAIMS, 1, tmp_path / "record.jsonl")
    for line in ("3S 2S JH TH 3H 2H", mask_text(FOUR_ACES[1]), "7NT", "pass", "pass", "9S", "QD JD TD JC TC 3C 2C"):
        recording.answer(line)
    recording.answer("player 1: claim 13")
    asked = recording.ask()
    assert asked.question == "player 1: which 13 cards?" and asked.many == 13
    recording.answer(mask_text(FOUR_ACES[0]))
    recording.answer("consent")
    recording.answer("consent")
    assert recording.layout.engine.state().ledger == (1895, 0, 0)
    assert recording.ended_hands


# --------------------------------------------------------------------------------------------------------- by hand


def dealing(seed: int, seat: int = 0, **options: object) -> Session:
    names = ["novice"] * 3
    names[seat] = "human"
    session = Session.begin(table_of("towie"), TowieOptions(**options), Lineup(tuple(names), seed, True), None)
    session.advance()
    return session


def test_to_3_the_dealer_turns_up_six_of_dummys_cards_without_looking() -> None:
    """Thirteen cards face down, in an order that tells nothing; every place is a card, the same when asked again."""
    shown = dict[int, set[int]]()
    for seed in range(40):
        session = dealing(seed)
        pick = session.prompt(0).pick
        assert pick is not None and pick.cards == tuple(map(str, range(1, 14))) and pick.many == "6"
        assert not session.engine.view(0).exposed
        dummy = session.engine.state().deal.dealt[3]
        first = pick.make(pick.cards[:6])
        assert first == session.prompt(0).pick.make(pick.cards[:6])
        places = [parse_mask(" ".join(pick.make(pick.cards[place : place + 1])["cards"])) for place in range(13)]
        assert sum(places) == dummy
        shown.setdefault(0, set()).add(mask_cards(dummy).index(mask_cards(places[0])[0]))
        session.act(0, first)
        assert session.engine.view(0).exposed == parse_mask(" ".join(first["cards"]))
    assert len(shown[0]) > 8  # the first place is no card in particular
    other = dealing(3, seat=1)
    assert other.engine.phase == Phase.AUCTION  # another player deals
    left = dealing(3)
    left.agree(0)
    assert left.step() and left.engine.view(0).exposed  # left to chance


def test_to_9_people_sort_their_hands_for_a_goulash_and_the_dealer_dummys() -> None:
    session = dealing(2, max_goulash=1)
    session.agree(0)
    session.advance()
    for _ in range(9):
        if session.engine.phase == Phase.AUCTION and session.waits_for == 0:
            session.act(0, {"action": "call", "call": "pass"})
        if session.engine.phase != Phase.GOULASH:
            session.step()
    if session.engine.phase != Phase.GOULASH:
        session = passed_out()
    deal = session.engine.state().deal
    own = session.prompt(0)
    assert own.question == "Sort your hand for the goulash: which suits from the top?"
    suits = len({suit_of(card) for card in mask_cards(deal.hands[0])})
    assert len(own.choices) == {4: 24, 3: 6, 2: 2, 1: 1}[suits]
    session.act(0, own.choices[-1].action)
    dummys = session.prompt(0)
    assert dummys.question.startswith("Sort dummy's hand, ")
    session.act(0, dummys.choices[0].action)
    assert session.waits_for is None
    piles = session.engine.state().deal.sorted
    assert [len(pile) for pile in piles] == [13, 0, 0, 13]
    session.step()
    goulash = session.engine.last_action
    assert goulash["action"] == "goulash" and goulash["piles"][0] == own.choices[-1].action["pile"]
    assert goulash["piles"][3] == [card_text(card) for card in piles[3]]


def passed_out() -> Session:
    """Everybody has passed at a table of one person, the dealer."""
    session = Session.begin(table_of("towie"), TowieOptions(), Lineup(("human", "novice", "novice"), 4, True), None)
    for action in dealt_game("pass pass pass").actions:
        session._take(action)
    return session


def test_to_9_a_hand_that_is_not_sorted_or_not_held_is_refused() -> None:
    session = passed_out()
    engine = session.engine
    pile = list(mask_cards(session.engine.state().deal.hands[0]))
    with pytest.raises(TowerlabError, match="other cards than were held"):
        engine.sort(1, pile)
    mixed = dealt_game("pass pass pass", FOUR_ACES)
    cards = mask_cards(FOUR_ACES[0])
    with pytest.raises(IllegalAction, match=r"not sorted by suit.*TO-9"):
        mixed.sort(0, cards[::2] + cards[1::2])
    mixed.sort(0, cards)
    record = mixed.chance(np.random.default_rng(1))
    assert record["piles"][0] == [card_text(card) for card in cards]
    record["piles"][0].reverse()
    with pytest.raises(IllegalAction, match=r"as its player has sorted it.*TO-9"):
        mixed.apply(record)


def test_tb_7_the_non_dealer_is_offered_the_cut(tmp_path: Path) -> None:
    options = {"game": "towers-and-bowers", "against": "novice", "seed": 4, "by_hand": True}
    session = open_session(record=tmp_path / "cut.jsonl", **options)
    session.advance()
    while session.engine.phase != "CUT":
        session.act(0, session.prompt(0).choices[0].action)
        session.advance()
    prompt = session.prompt(0)
    assert prompt.question == "Do you cut the pack?" and len(prompt.choices) == 18
    pack = session.engine.state().pack
    assert read_session(tmp_path / "cut.jsonl").prompt(0).question == prompt.question
    session.act(0, prompt.choices[-1].action)
    assert session.engine.last_action == {"action": "cut", "player": 0, "position": 20}
    assert session.engine.state().pack == pack[20:] + pack[:20]
    plain = open_session(record=tmp_path / "plain.jsonl", **options | {"by_hand": False})
    plain.advance()
    assert plain.engine.phase not in ("CUT", "SHUFFLE")


def test_tb_28_a_person_has_played_what_an_early_stop_left() -> None:
    session = open_session(game="towers-and-bowers", against="novice", seed=5, by_hand=True)
    for _ in range(400):
        session.advance()
        if "insist" in [choice.text for choice in session.prompt(0).choices]:
            break
        session.act(0, next(one.action for one in session.prompt(0).choices if not one.is_aside))
    session.act(0, {"action": "insist"})
    assert session.engine.phase == "PLAY" and session.engine.state().hand.plays_out
