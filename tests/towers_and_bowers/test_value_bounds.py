"""Bounds of W(n): the best response to the player of the bounds against plain recursion, and what follows from it."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pandas as pd
import pytest

from tests.oracles import naive
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import (
    SEATS,
    best_deal_value,
    value_bounds,
    whole_hand_values,
)
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.studies.value_bounds import VALUE_BOUNDS, model_mean, model_response
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import (
    SUITS,
    card_text,
    card_texts,
    mask_cards,
    parse_mask,
    to_play_order,
    to_printed,
)
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.best_response import best_response_to
from towerlab.sim.towers_and_bowers.hand import DEALER, NONDEALER
from towerlab.sim.towers_and_bowers.knowledge import InfoState, Model, make_model, payoff_table
from towerlab.sim.towers_and_bowers.perfect_information import pimc_play
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards

OPTIONS = TowersAndBowersOptions()
DEALS = (0.0, *(best_deal_value(cards).dealer for cards in range(1, 8)))
Hand = frozenset[str]


@pytest.fixture(scope="module")
def model() -> Model:
    return make_model(OPTIONS, DEALS)


def stored(cards: int, up: int) -> StoredBidding:
    return dataclasses.replace(bidding_at_hand(cards, up % 13, model=True), floor=0.0)


def payoffs(cards: int) -> Floats:
    return payoff_table(OPTIONS, DEALS)[None, cards, :, : cards + 1].copy()


# ------------------------------------------------------------------------------------------------------ best responses


@pytest.mark.parametrize("seat", [NONDEALER, DEALER])
@pytest.mark.parametrize(("cards", "layouts"), [(1, 8), (2, 12), (3, 12)])
def test_a_best_response_equals_plain_recursion(cards: int, layouts: int, seat: int, model: Model) -> None:
    rng = random.Random(10 * cards + seat)
    for _ in range(3):
        up = rng.choice(up_cards())
        hands = make_deals(cards, up).hands
        hand = int(rng.choice(hands.tolist()))
        others = np.array(rng.sample(hands[hands & hand == 0].tolist(), layouts))
        side = StoredSide(stored(cards, up), up, others)
        found = best_response_to(
            side.dealer() if seat == NONDEALER else side.nondealer(), hand, up, others, payoffs(cards), model
        )
        assert found[0] == pytest.approx(Naive(cards, up, seat, side, model).value(hand, others), abs=1e-12)


class Naive:
    """The same on card texts: lists of (player's hand, their discard, how likely), no ranges, no masks."""

    def __init__(self, cards: int, up: int, seat: int, side: StoredSide, model: Model) -> None:
        self.cards, self.up, self.seat, self.model = cards, card_text(up), seat, model
        self.way = side.dealer() if seat == NONDEALER else side.nondealer()
        self.worth = payoffs(cards)[0]

    def value(self, hand: int, others: Ints) -> float:
        own = frozenset(texts(hand))
        hands = [texts(int(other)) for other in others]
        suits = [suit for suit in SUITS if suit != self.up[1]]
        spades, way = self.up[1], self.way
        every = range(len(hands))

        def named(reach: Floats, suit: str, bids: bool) -> float:
            return self.best(own, None, [(frozenset(hands[i]), None, reach[i]) for i in every], suit, bids)

        if self.seat == NONDEALER:
            passes = 1 - way.answers

            def against(shares: Floats, bids: bool) -> float:
                listed = [
                    (frozenset(hands[i]) - {card} | {self.up}, card, shares[i][place])
                    for i in every
                    for place, card in enumerate(hands[i])
                ]
                return self.best(own, None, listed, spades, bids)

            left = sum(named(passes * way.left[:, place], suit, False) for place, suit in enumerate(suits))
            second = max([left, *(named(passes, suit, True) for suit in suits)])
            answered = against(way.answers[:, None] * way.own_discards, False)
            return max(against(way.discards, True), answered + second) / len(hands)

        def takes(reach: Floats, bids: bool) -> float:
            listed = [(frozenset(hands[i]), None, reach[i]) for i in every]
            return max(self.best(own - {card} | {self.up}, card, listed, spades, bids) for card in own)

        passes = 1 - way.accepts
        told = sum(named(passes * way.names[:, place], suit, False) for place, suit in enumerate(suits))
        second = told + max(named(passes * way.names[:, 3], suit, True) for suit in suits)
        return (takes(way.accepts, False) + max(takes(passes, True), second)) / len(hands)

    def best(
        self,
        own: Hand,
        discard: str | None,
        listed: list[tuple[Hand, str | None, float]],
        trump: str,
        bids: bool,
    ) -> float:
        exchanged = trump == self.up[1]
        players = []
        for held, gone, share in listed:
            sure = frozenset({self.up}) if exchanged and self.seat == DEALER else frozenset()
            pool = frozenset(naive.PACK) - held - {self.up} - ({gone} if gone else set())
            players.append((held, sure, pool, share))
        return self.respond(own, players, trump, bids, self.seat == NONDEALER, None, 0, 0)

    def respond(
        self,
        own: Hand,
        players: list[tuple[Hand, Hand, Hand, float]],
        trump: str,
        bids: bool,
        leads: bool,
        led: str | None,
        taken: int,
        lost: int,
    ) -> float:
        """`leads`: whether the responder leads or has led."""
        players = [player for player in players if player[3] > 0]
        if not players:
            return 0.0
        if not own and led is None:
            return float(sum(share for *_, share in players)) * float(self.worth[int(bids), taken])
        if leads == (led is None):  # the responder's turn
            legal = naive.legal_replies(own, led, trump) if led else sorted(own)
            results = []
            for card in legal:
                seen = [
                    (held, sure - {card}, self.seen(pool, card, led, trump), share)
                    for held, sure, pool, share in players
                ]
                results.append(self.after(own - {card}, seen, trump, bids, leads, led, card, taken, lost))
            return max(results)
        groups: dict[str, list[tuple[Hand, Hand, Hand, float]]] = {}
        for held, sure, pool, share in players:
            card = self.play(held, sure, pool, led, trump, not bids, lost)
            groups.setdefault(card, []).append((held - {card}, sure, pool, share))
        return sum(self.after(own, group, trump, bids, leads, led, card, taken, lost) for card, group in groups.items())

    def after(
        self,
        own: Hand,
        players: list[tuple[Hand, Hand, Hand, float]],
        trump: str,
        bids: bool,
        leads: bool,
        led: str | None,
        card: str,
        taken: int,
        lost: int,
    ) -> float:
        if led is None:
            return self.respond(own, players, trump, bids, leads, card, taken, lost)
        mine = naive.leader_wins(led, card, trump) == leads
        return self.respond(own, players, trump, bids, mine, None, taken + mine, lost + (not mine))

    def seen(self, pool: Hand, card: str, led: str | None, trump: str) -> Hand:
        pool = pool - {card}
        if led and naive.suit_followed(card, trump) != naive.suit_followed(led, trump):
            return frozenset(c for c in pool if naive.suit_followed(c, trump) != naive.suit_followed(led, trump))
        return pool

    def play(self, held: Hand, sure: Hand, pool: Hand, led: str | None, trump: str, is_bidder: bool, taken: int) -> str:
        """Return the player's card: their choice is the kernel's, where they have one."""
        legal = naive.legal_replies(held, led, trump) if led else sorted(held)
        if len(legal) == 1:
            return legal[0]
        suit = "CDHS".index(trump)
        masks = [
            int(to_play_order(parse_mask(" ".join(part)), suit, True)) for part in (held, sure, pool, {led} - {None})
        ]
        card = int(
            pimc_play(InfoState(self.cards, taken, *masks), self.model.payoffs[self.cards, int(is_bidder)], self.model)
        )
        return texts(int(to_printed(card, suit, True)))[0]


def texts(mask: int) -> list[str]:
    return card_texts(mask_cards(mask))


def test_fewer_layouts_never_lower_what_a_response_wins_on_average(model: Model) -> None:
    up, rng = up_cards()[0], np.random.default_rng(0)
    hands = make_deals(2, up).hands
    hand = int(hands[100])
    others = rng.permutation(hands[hands & hand == 0])[:168]
    means = []
    for parts in (1, 4, 28):  # the same layouts, answered together or in parts
        won = [
            best_response_to(StoredSide(stored(2, up), up, some).dealer(), hand, up, some, payoffs(2), model)[0]
            for some in np.split(others, parts)
        ]
        means.append(float(np.mean(won)))
    assert means[0] <= means[1] <= means[2]
    assert means[0] < means[2]


# ---------------------------------------------------------------------------------------------------------- the bounds


@pytest.mark.parametrize("seat", [NONDEALER, DEALER])
@pytest.mark.parametrize("cards", [1, 2])
def test_the_control_has_the_mean_that_ships(cards: int, seat: int) -> None:
    up = up_cards()[1]
    found = [model_response(stored(cards, up), seat, hand) for hand in make_deals(cards, up).hands.tolist()]
    assert np.mean(found) == pytest.approx(model_mean(cards, 1, seat), abs=1e-9)


def test_the_study_counts_small_hands_exactly() -> None:
    chunks = range(6)
    tables = [
        VALUE_BOUNDS.run_chunk(chunk, np.random.SeedSequence(chunk), {"cards": 1, "chunks": 1}) for chunk in chunks
    ]
    found = VALUE_BOUNDS.combine(tables, {"cards": 1, "chunks": 1}).tables["value_bounds"]
    assert (found["error"] == 0).all()
    won = dict(zip(found["seat"], found["won"], strict=True))
    assert won["dealer"] == pytest.approx(59 / 69)  # nothing can be lost with one card
    assert won["nondealer"] == pytest.approx(10 / 69)


def test_errors_are_those_of_a_sample_stratified_by_up_card() -> None:
    """Draw a few hands a rank again and again: the error that is stated is the spread of the means."""
    random, per_rank = np.random.default_rng(0), 10
    middles = {up: 0.1 * place for place, up in enumerate(up_cards())}
    means, errors = [], []
    for _ in range(400):
        rows = [
            (3, "dealer", up, 0.6, 50, 0.0, middles[up] + random.normal(0, 0.02))
            for up in middles
            for _ in range(per_rank)
        ]
        table = pd.DataFrame(rows, columns=["cards", "seat", "up", "next_deal", "layouts", "control", "won"])
        row = VALUE_BOUNDS.combine([table], {"cards": 3, "chunks": 1}).tables["value_bounds"].iloc[0]
        means.append(row["won"])
        errors.append(row["error"])
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.1)  # ten times that where the ranks are pooled
    within = np.abs(np.array(means) - np.mean(means)) <= 1.96 * np.array(errors)
    assert 0.91 < within.mean() < 0.98


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5, 6, 7])
def test_bounds_hold_the_values_between_them(cards: int) -> None:
    bounds = value_bounds(cards)
    assert bounds is not None
    assert 0.45 < bounds.lower <= bounds.upper + 1e-12 < 0.9
    value = whole_hand_values().get(cards)
    if value is not None:
        assert bounds.lower - 1e-9 <= value.dealer <= bounds.upper + 1e-9
        assert bounds.upper - bounds.lower < 0.03
    if cards == 4:
        assert (bounds.lower, bounds.upper) == pytest.approx((0.6295, 0.6535), abs=1e-4)
    assert set(SEATS) == {"nondealer", "dealer"}
