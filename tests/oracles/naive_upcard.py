"""Bidding and play with all cards seen, by brute force on card texts: every layout a tree, every play a minimax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.oracles import naive
from towerlab.games.towers_and_bowers import DEFAULT_RULES, HandRules

SUITS = "SHDC"
Hand = frozenset[str]


@dataclass(frozen=True)
class OpenGame:
    """One up-card; what is played for is P(the non-dealer wins the tower)."""

    cards: int
    up: str
    next_deal: float
    rules: HandRules = DEFAULT_RULES
    same_deal: float = 0.0  # read where the dealer may throw the hand in

    @property
    def suits(self) -> list[str]:
        """What can be named."""
        return [suit for suit in SUITS if suit != self.up[1]]

    def worth(self, tricks: int, nondealer_bids: bool) -> float:
        bidder = tricks if nondealer_bids else self.cards - tricks
        result = naive.hand_result(self.cards, bidder, self.rules)
        gained = 1.0 if result.is_tower else self.next_deal
        return gained if result.bidder_gains == nondealer_bids else 1 - gained

    def discards(self, dealer: Hand) -> list[str]:
        return [*dealer, *([self.up] if self.rules.allow_discard_upcard else [])]

    def accepted_tricks(self, nondealer: Hand, dealer: Hand, discard: str | None = None) -> int:
        """Of the non-dealer; the dealer discards that card, or the best one for this layout."""
        kept = [(dealer | {self.up}) - {card} for card in ([discard] if discard else self.discards(dealer))]
        return min(naive.leader_tricks(nondealer, hand, self.up[1]) for hand in kept)

    def accepted(self, nondealer: Hand, dealer: Hand, nondealer_bids: bool, discard: str | None = None) -> float:
        return self.worth(self.accepted_tricks(nondealer, dealer, discard), nondealer_bids)

    def named(self, nondealer: Hand, dealer: Hand, trump: str, nondealer_bids: bool) -> float:
        return self.worth(naive.leader_tricks(nondealer, dealer, trump), nondealer_bids)

    def left(self, nondealer: Hand, dealer: Hand) -> float:
        """The dealer has to name."""
        named = [self.named(nondealer, dealer, trump, False) for trump in self.suits]
        return min(named if self.rules.force_dealer_to_name else [*named, 1 - self.same_deal])

    def second_round(self, nondealer: Hand, dealer: Hand) -> float:
        named = [self.named(nondealer, dealer, trump, True) for trump in self.suits]
        return max(*named, self.left(nondealer, dealer))

    def answered(self, nondealer: Hand, dealer: Hand) -> float:
        """The non-dealer has passed."""
        return min(self.accepted(nondealer, dealer, False), self.second_round(nondealer, dealer))

    def value(self, nondealer: Hand, dealer: Hand) -> float:
        return max(self.accepted(nondealer, dealer, True), self.answered(nondealer, dealer))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def answer(
    game: OpenGame, hand: Hand, seat: str, second_round: bool, fits: Callable[[Hand], bool] = lambda other: True
) -> dict[str, Any]:
    """The `actions` and `contracts` of the command, as nested dicts; `fits`: the hands that the other can hold."""
    cards = game.cards
    up_suit = game.up[1]
    me_deals = seat == "dealer"
    others = [other for other in naive.hands_of(frozenset(naive.PACK) - hand - {game.up}, cards) if fits(other)]
    layouts = [(other, hand) if me_deals else (hand, other) for other in others]

    def mine(nondealer: float) -> float:
        return 1 - nondealer if me_deals else nondealer

    def contract(tricks: list[int], mine_bid: bool, discard: str | None = None) -> dict[str, Any]:
        own = [cards - t if me_deals else t for t in tricks]
        bidder = own if mine_bid else [cards - t for t in own]
        return {
            "make": mean([2 * t >= cards if game.rules.tie_to else 2 * t > cards for t in bidder]),
            "sweep": mean([t == cards for t in own]),
            "swept": mean([t == 0 for t in own]),
            "tricks": mean(own),
            "tower": mine(mean([game.worth(t, mine_bid != me_deals) for t in tricks])),
            "discard": discard,
        }

    def accept_contract(mine_bid: bool) -> dict[str, Any]:
        if not (me_deals and mine_bid):
            return contract([game.accepted_tricks(*layout) for layout in layouts], mine_bid)
        made = [
            contract([game.accepted_tricks(*layout, card) for layout in layouts], True, card)
            for card in game.discards(hand)
        ]
        return min(
            made,
            key=lambda value: (
                -round(value["tower"], 9),
                -round(value["tricks"], 9),
                naive.play_order(value["discard"], up_suit),
            ),
        )

    named = {trump: [naive.leader_tricks(*layout, trump) for layout in layouts] for trump in game.suits}
    contracts: list[Mapping[str, Any]] = []
    for bidder, mine_bid in (("me", True), ("them", False)):
        if not second_round:
            contracts.append({"bidder": bidder, "trump": up_suit, **accept_contract(mine_bid)})
        contracts += [{"bidder": bidder, "trump": trump, **contract(named[trump], mine_bid)} for trump in game.suits]
    if second_round:
        actions: dict[str, Any] = {trump: contract(named[trump], True) for trump in game.suits}
        if not me_deals:
            actions["pass"] = {"tower": mean([game.left(*layout) for layout in layouts])}
        elif not game.rules.force_dealer_to_name:
            actions["pass"] = {"tower": game.same_deal}
    else:
        later = game.second_round if me_deals else game.answered
        passed = {"tower": mine(mean([later(*layout) for layout in layouts]))}
        actions = {"accept": accept_contract(True), "pass": passed}
    return {"layouts": len(layouts), "actions": actions, "contracts": contracts}


# ------------------------------------------------------------------------------------ against an opponent's ways to bid


@dataclass(frozen=True)
class Way:
    """How a hand is bid: probabilities of accepting, of second calls, and of discards by who accepted."""

    accepts: float
    names: Mapping[str, float]
    discards: Mapping[str, float]
    own_discards: Mapping[str, float]


def best_answer(game: OpenGame, hand: Hand, dealer: bool, ways: Mapping[Hand, Way], second: bool) -> dict[str, float]:
    """P(the asker wins the tower) of each call against an opponent who bids in these ways, by enumeration."""
    if dealer and all(way.accepts == 1 for way in ways.values()):  # they never pass: all hands alike
        ways = {other: replace(way, accepts=0.0) for other, way in ways.items()}

    def weighted(parts: list[tuple[float, float]]) -> float:
        total = sum(weight for weight, _ in parts)
        return sum(weight * value for weight, value in parts) / total if total else 0.0

    passed = [(1 - way.accepts, other, way) for other, way in ways.items()]
    if not dealer:
        calls = {
            suit: weighted([(w, game.named(hand, other, suit, True)) for w, other, _ in passed]) for suit in game.suits
        }
        calls["pass"] = weighted(
            [(w * way.names[suit], game.named(hand, other, suit, False)) for w, other, way in passed for suit in calls]
        )
        if second:
            return calls
        accept = weighted(
            [
                (share, game.accepted(hand, other, True, card))
                for other, way in ways.items()
                for card, share in way.discards.items()
            ]
        )
        answered = sum(
            way.accepts * share * game.accepted(hand, other, False, card)
            for other, way in ways.items()
            for card, share in way.own_discards.items()
        )
        rest = sum(w for w, _, _ in passed) * max(calls.values())
        return {"accept": accept, "pass": (answered + rest) / len(ways)}
    left = [(w * way.names["pass"], other) for w, other, way in passed]
    calls = {
        suit: 1 - weighted([(w, game.named(other, hand, suit, False)) for w, other in left]) for suit in game.suits
    }
    if second:
        return calls
    accept = max(
        1 - weighted([(w, game.accepted(other, hand, False, card)) for w, other, _ in passed]) for card in hand
    )
    named = sum(
        w * way.names[suit] * (1 - game.named(other, hand, suit, True))
        for w, other, way in passed
        for suit in game.suits
    )
    rest = sum(w for w, _ in left) * max(calls.values())
    return {"accept": accept, "pass": (named + rest) / sum(w for w, _, _ in passed)}
