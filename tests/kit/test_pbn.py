"""Deals in PBN."""

from __future__ import annotations

from towerlab.games.cards import DECK_52, parse_mask
from towerlab.games.pbn import deal_text, parse_deal

DEAL = "N:T986.832.K82.J95 K7.KT75.AT5.QT84 QJ53.QJ94.Q94.A2 A42.A6.J763.K763"


def test_hands_are_read_clockwise_from_the_named_seat() -> None:
    hands = parse_deal("S:A... K... Q... J...")
    assert hands == tuple(parse_mask(card) for card in ("QS", "JS", "AS", "KS"))


def test_suits_stand_in_the_order_spades_hearts_diamonds_clubs() -> None:
    assert parse_deal("N:A.K.Q.J K.Q.J.A Q.J.A.K J.A.K.Q")[0] == parse_mask("AS KH QD JC")


def test_a_whole_deal_comes_back_as_it_was_written() -> None:
    hands = parse_deal(DEAL)
    assert sum(hands) == DECK_52
    assert deal_text(hands) == DEAL


def test_tag_lower_case_and_figures_are_understood() -> None:
    assert parse_deal(f'[Deal "{DEAL.lower().replace("t", "10")}"]') == parse_deal(DEAL)
