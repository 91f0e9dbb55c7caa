"""Worked situations, options and games of Bowers step by step (BO-1 .. BO-14)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.bowers_driver import STATUS, dealt_game, points
from tests.oracles.situations import situations
from towerlab.games.bowers import (
    Auction,
    BowersGame,
    BowersOptions,
    bid_trumps,
    call_symbol,
    call_text,
    call_trump,
    field_to_follow,
    from_bid_order,
    game_winner,
    is_legal_call,
    list_burials,
    parse_call,
    to_bid_order,
)
from towerlab.games.cards import (
    DECK_32,
    JOKER_1,
    SUIT_BITS,
    SUITS,
    card_texts,
    holds,
    mask_cards,
    parse_card,
    parse_mask,
    sorted_cards,
)
from towerlab.games.tricks import beats, legal_followers

ALL = DECK_32 | 1 << JOKER_1


def begin(words: str, options: dict[str, Any]) -> BowersGame:
    """A game that has not begun, or one in its first deal."""
    if words == "new":
        return BowersGame(BowersOptions(**options))
    return dealt_game(None if words == "sorted" else words.split(" / "), **options)


def auction(*calls: str, min_bid: int = 1) -> tuple[str, int | None, str]:
    """How an auction stands, who made the standing bid, and that bid."""
    made = Auction.parse(" ".join(calls), min_bid)
    return STATUS[made.status], made.bidder, call_text(made.standing)


def totals(before: list[int], call: str, tricks: int, left: int) -> tuple[int, ...]:
    """The scores after a deal, and who has won 50 points."""
    scores = np.add(before, points(call, tricks, left)).tolist()
    return (*scores, int(game_winner(*scores, 50)))


def in_order(call: str, *cards: str) -> int:
    """Cards as they lie when a bid is played."""
    return int(to_bid_order(parse_mask(" ".join(cards), ALL), parse_call(call)))


def follow(call: str, led: str, held: list[str], names: str | None = None) -> int:
    """The cards that may be played to a lead."""
    named = 0 if names is None else int(to_bid_order(SUIT_BITS << 13 * SUITS.index(names), parse_call(call)))
    field = field_to_follow(in_order(call, led), named, int(bid_trumps(parse_call(call))), names is not None)
    return int(from_bid_order(legal_followers(in_order(call, *held), field), parse_call(call)))


def cards(**options: Any) -> tuple[int, int, bool, bool]:
    """How many cards the pack and the kitty have, and whether a joker and the seven of clubs are among them."""
    rules = BowersOptions(**options)
    return rules.deck.bit_count(), rules.kitty, holds(rules.deck, JOKER_1), holds(rules.deck, parse_card("7C"))


test_bowers_goes_as_the_rules_say = situations(
    "bowers",
    begin,
    DECK_32,
    auction=auction,
    beats=lambda call, card, other: beats(in_order(call, card), in_order(call, other), bid_trumps(parse_call(call))),
    burials=lambda held, count: len(set(list_burials(parse_mask(" ".join(held)), count))),
    follow=follow,
    over=lambda standing, call, least=1: is_legal_call(parse_call(standing), parse_call(call), least),
    cards=cards,
    points=points,
    ranks=lambda call: tuple(card_texts(sorted_cards(DECK_32, int(call_trump(parse_call(call))), bowers=True))),
    read=lambda word="": call_text(parse_call(str(word))),
    symbol=lambda call: call_symbol(parse_call(call)),
    totals=totals,
    trumps=lambda call: from_bid_order(
        in_order(call, *card_texts(mask_cards(ALL))) & bid_trumps(parse_call(call)), parse_call(call)
    ),
    winner=lambda scores: game_winner(*scores, 50),
)
