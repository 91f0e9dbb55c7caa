"""The up-card question by brute force: every layout a bidding tree of its own, every play a plain minimax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.oracles import naive

SUITS = "SHDC"


def answer(
    hand: frozenset[str],
    up: str,
    seat: str,
    second_round: bool,
    next_deal: float,
    *,
    tie_to_bidder: bool = False,
    allow_discard_upcard: bool = False,
    same_deal: float | None = None,
    leader_tricks: Callable[[frozenset[str], frozenset[str], str], int] = naive.leader_tricks,
    fits: Callable[[frozenset[str]], bool] = lambda other: True,
) -> dict[str, Any]:
    """The `actions` and `contracts` of the command, as nested dicts.

    `same_deal`: the dealer may throw the hand in; `fits`: the hands that the other can hold.
    """
    cards, up_suit = len(hand), up[1]
    others = [suit for suit in SUITS if suit != up_suit]
    layouts = [other for other in naive.hands_of(frozenset(naive.PACK) - hand - {up}, cards) if fits(other)]
    me_deals = seat == "dealer"

    def nondealer_tricks(other: frozenset[str], trump: str) -> int:
        leader, follower = (other, hand) if me_deals else (hand, other)
        return leader_tricks(leader, follower, trump)

    def accepted_tricks(other: frozenset[str], discard: str | None) -> int:
        """Of the non-dealer; the dealer discards that card, or the best one for this layout."""
        dealer, nondealer = (hand, other) if me_deals else (other, hand)
        choices = [discard] if discard else [*dealer, *([up] if allow_discard_upcard else [])]
        return min(leader_tricks(nondealer, (dealer | {up}) - {card}, up_suit) for card in choices)

    def worth(nondealer: int, nondealer_bids: bool) -> float:
        """P(the non-dealer wins the tower)."""
        if nondealer == cards:
            return 1.0
        if nondealer == 0:
            return 0.0
        bidder = nondealer if nondealer_bids else cards - nondealer
        made = 2 * bidder >= cards if tie_to_bidder else 2 * bidder > cards
        return next_deal if made == nondealer_bids else 1 - next_deal

    def dealer_names(other: frozenset[str]) -> float:
        named = [worth(nondealer_tricks(other, trump), False) for trump in others]
        return min(named if same_deal is None else [*named, 1 - same_deal])

    def second(other: frozenset[str]) -> float:
        return max(*(worth(nondealer_tricks(other, trump), True) for trump in others), dealer_names(other))

    def dealer_answers(other: frozenset[str]) -> float:
        return min(worth(accepted_tricks(other, None), False), second(other))

    def mine(nondealer: float) -> float:
        return 1 - nondealer if me_deals else nondealer

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    def contract(tricks: list[int], mine_bid: bool, discard: str | None = None) -> dict[str, Any]:
        own = [cards - t if me_deals else t for t in tricks]
        bidder = own if mine_bid else [cards - t for t in own]
        return {
            "make": mean([2 * t >= cards if tie_to_bidder else 2 * t > cards for t in bidder]),
            "sweep": mean([t == cards for t in own]),
            "swept": mean([t == 0 for t in own]),
            "tricks": mean(own),
            "tower": mine(mean([worth(t, mine_bid != me_deals) for t in tricks])),
            "discard": discard,
        }

    def accept_contract(mine_bid: bool) -> dict[str, Any]:
        if not (me_deals and mine_bid):
            return contract([accepted_tricks(other, None) for other in layouts], mine_bid)
        choices = [*hand, *([up] if allow_discard_upcard else [])]
        made = [contract([accepted_tricks(other, card) for other in layouts], True, card) for card in choices]
        return min(
            made,
            key=lambda value: (
                -round(value["tower"], 9),
                -round(value["tricks"], 9),
                naive.is_trump(value["discard"], up_suit),
                play_order(value["discard"], up_suit),
            ),
        )

    named = {trump: [nondealer_tricks(other, trump) for other in layouts] for trump in others}
    contracts: list[Mapping[str, Any]] = []
    for bidder, mine_bid in (("me", True), ("them", False)):
        if not second_round:
            contracts.append({"bidder": bidder, "trump": up_suit, **accept_contract(mine_bid)})
        contracts += [{"bidder": bidder, "trump": trump, **contract(named[trump], mine_bid)} for trump in others]
    if second_round:
        actions: dict[str, Any] = {trump: contract(named[trump], True) for trump in others}
        if not me_deals:
            actions["pass"] = {"tower": mean([dealer_names(other) for other in layouts])}
        elif same_deal is not None:
            actions["pass"] = {"tower": same_deal}
    else:
        later = second if me_deals else dealer_answers
        actions = {"accept": accept_contract(True), "pass": {"tower": mine(mean([later(o) for o in layouts]))}}
    return {"layouts": len(layouts), "actions": actions, "contracts": contracts}


def dealer_wins_open_bidding(nondealer: frozenset[str], dealer: frozenset[str], up: str, next_deal: float) -> float:
    """P(the dealer wins the tower) when both see all cards from the first bid on, by its own bidding tree."""
    cards = len(dealer)

    def worth(tricks: int, nondealer_bids: bool) -> float:
        if tricks in (0, cards):
            return float(tricks == cards)
        bidder = tricks if nondealer_bids else cards - tricks
        return next_deal if (2 * bidder > cards) == nondealer_bids else 1 - next_deal

    kept = [(dealer | {up}) - {card} for card in dealer]
    accepted = min(naive.leader_tricks(nondealer, hand, up[1]) for hand in kept)
    named = [naive.leader_tricks(nondealer, dealer, suit) for suit in SUITS if suit != up[1]]
    forced = min(worth(tricks, False) for tricks in named)
    second = max(forced, *(worth(tricks, True) for tricks in named))
    return 1 - max(worth(accepted, True), min(worth(accepted, False), second))


def play_order(card: str, trump: str) -> tuple[int, int]:
    """Plain suits of the other colour in the order C D H S, then the mate, then trumps; low to high."""
    if naive.is_trump(card, trump):
        return (4, naive.strength(card, trump))
    if card[1] == naive.MATES[trump]:
        return (3, naive.strength(card, trump))
    return ("CDHS".index(card[1]), naive.strength(card, trump))
