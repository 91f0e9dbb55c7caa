"""Towie at the table: claims, and hands sorted for a goulash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.oracles.naive_double_dummy import naive_tricks
from tests.oracles.towie_tables import dealt_game, random_game, take_chance, take_lot
from towerlab.games.cards import (
    card_text,
    mask_cards,
    mask_text,
    parse_card,
    parse_mask,
    to_play_order,
    trump_field,
)
from towerlab.games.errors import IllegalAction, TowerlabError
from towerlab.games.towie import Phase, Towie, TowieOptions
from towerlab.games.towie.auction import strain_of
from towerlab.games.towie.play import hand_at
from towerlab.sim.towie.seats import SeatedPlayer
from towerlab.table.commanding import read_session, table_of
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
            (take_lot if game.phase == Phase.AUCTION else take_chance)(game, rng)
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
    ended = table_of("towie").ended
    assert ended is not None
    for names in (("you", "left", "right"), ("left", "you", "right")):
        end = ended(game.view(0), names, CLAIMS)
        assert end is not None and f"A game won: {names[0]}, now vulnerable." in end.said


def test_to_8_players_of_the_simulator_agree_to_what_minimax_gives() -> None:
    """Each of the other two, by a plain minimax over all four hands, which the faced hand shows."""
    answers, rng = set(), np.random.default_rng(1)
    for game, _ in zip(endings(3), range(60), strict=False):
        deal, left = game.state().deal, 13 - len(game.state().deal.tricks)
        strain, declarer = int(strain_of(deal.contract.bid)), deal.contract.declarer
        hands = [deal.hands[int(hand_at(position, declarer))] for position in range(4)]
        best = naive_tricks(
            tuple(int(to_play_order(hand, strain, False)) for hand in hands),
            int(trump_field(strain)),
            deal.leader,
            tuple(int(to_play_order(1 << card, strain, False)) for card in deal.table),
        )
        claimant, tricks = deal.players[int(rng.integers(3))], int(rng.integers(1, left + 1))
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
    session, printed = claiming(tmp_path), list[str]()
    Terminal(session, ["claim 13"], lambda line: printed.append(line.plain)).run()
    assert any("you: claim 13 tricks" in line for line in printed)
    assert any("7NT made: declarer +1895" in line for line in printed), printed
    assert any(line.startswith("Deal: You played 7NT with dummy and took 13: made") for line in printed)
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
    assert recording.ended


def test_to_9_a_hand_that_is_not_sorted_or_not_held_is_refused() -> None:
    mixed, cards = dealt_game("pass pass pass", FOUR_ACES), mask_cards(FOUR_ACES[0])
    with pytest.raises(TowerlabError, match="other cards than were held"):
        mixed.sort(1, cards)
    with pytest.raises(IllegalAction, match=r"not sorted by suit.*TO-9"):
        mixed.sort(0, cards[::2] + cards[1::2])
    mixed.sort(0, cards)
    record = mixed.chance(np.random.default_rng(1))
    assert record["piles"][0] == [card_text(card) for card in cards]
    record["piles"][0].reverse()
    with pytest.raises(IllegalAction, match=r"as its player has sorted it.*TO-9"):
        mixed.apply(record)
