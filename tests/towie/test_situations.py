"""Vectors and games of Towie step by step (TO-1 .. TO-22)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.situations import situations
from tests.oracles.towie_driver import Seats, dealt_game, points
from towerlab.games.cards import DECK_52, TRUMPS, cards_mask, parse_card, parse_mask
from towerlab.games.towie import Towie, TowieOptions, auction, dealing, scoring


def begin(words: str, options: dict[str, Any]) -> Towie:
    """A game that has not begun, or one whose first deal has its six cards faced."""
    rules = TowieOptions(**options)
    if words == "new":
        return Towie(rules)
    if words == "suits":
        return dealt_game(options=rules)
    return dealt_game("", [parse_mask(hand) for hand in words.split(" / ")], rules)


def bidding(*calls: str) -> tuple[str, int, bool]:
    """Contract, declarer from the dealer, and whether it is played, after an auction that has ended."""
    end = auction.auction_of(auction.parse_auction(" ".join(calls)))
    assert auction.auction_is_over(end), calls
    bid = int(end[auction.BID])
    doubling = int(end[auction.DOUBLING])
    return (
        auction.contract_text(bid, doubling) or "none",
        int(end[auction.BIDDER]),
        bool(auction.is_game_contract(bid, doubling, 1)),
    )


def packed(top: list[str]) -> None:
    """Check a pack that begins so."""
    dealing.check_pack([*map(parse_card, top), *range(52 - len(top))])


def pile(by_rank: bool, *cards: str) -> None:
    """Check a pile of a hand with seven spades and six hearts."""
    hand = parse_mask("AS KS QS JS TS 9S 8S AH KH QH JH TH 9H", DECK_52)
    dealing.check_pile([parse_card(card) for card in cards], hand, by_rank)


def posted(totals: list[int], games: list[int], player: int, ours: int, theirs: int, made: bool) -> tuple[Any, ...]:
    """The ledger and the games after a deal, and whether the game is over."""
    after = np.array(totals)
    won = np.array(games)
    scoring.post(after, won, player, ours, theirs, made)
    assert scoring.is_vulnerable(won, player) == (won[player] > 0)
    return (*after.tolist(), *won.tolist(), bool(scoring.game_is_over(won)))


def change(active: str, waiting: str, *declared: str, retiree_waits: bool = False) -> str:
    """Who plays and who waits after these declarers."""
    table = Seats(active, waiting.strip("-"), retiree_waits)
    for name, made in declared:
        table.declares(name, made == "+")
    return " ".join(table.letters).strip()


test_towie_goes_as_the_rules_say = situations(
    "towie",
    begin,
    DECK_52,
    auction=bidding,
    change=change,
    cut=lambda at, fixed: dealing.check_cut(at, None if fixed == "None" else fixed),
    honours=lambda strain, *cards: scoring.honours_in(cards_mask(map(parse_card, cards)), TRUMPS.index(strain)),
    next=scoring.next_dealer,
    options=TowieOptions,
    packed=packed,
    pile=pile,
    points=points,
    posted=posted,
    read=lambda word="": auction.call_text(auction.parse_call(str(word))),
    settled=lambda totals: tuple(scoring.settlement(totals)),
    under=lambda contract, when: tuple(points(contract, when, -under)[1] for under in range(1, 9)),
    winner=lambda totals: scoring.overall_winner(np.array(totals)),
)
