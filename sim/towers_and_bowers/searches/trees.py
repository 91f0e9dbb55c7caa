"""One player's view of a hand: the legal actions, the other's, in which layouts; for searches of some steps.

All layouts that fit are there. Cards of the other's that touch (no card of the player's between them, jacks apart) are
worth the same: hands that differ in such cards only are one layout, weighted by their number, and of touching
cards the lowest is played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.bits import lowest_bit, popcount
from towerlab.games.cards import JACK, TRUMP_FIELD, mask_cards
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers
from towerlab.sim.towers_and_bowers.searches.open_cards import TRICK, OpenCards, open_cards, ordered
from towerlab.solver.towers_and_bowers.whole_hand import HandGame
from towerlab.solver.towers_and_bowers.whole_hand.best_response import play_order_of
from towerlab.solver.towers_and_bowers.whole_hand.hand import ANSWER, DISCARD, FIRST_CALL, LAST_CALL, SECOND_CALL
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHERS,
    UP_CARD,
    card_numbers,
)
from towerlab.solver.two_hands.tablebase import TableArrays, lead_tricks, leader_tricks, load_tables, reply_tricks

PLAY: Final = 6  # the stage after the decisions of `whole_hand.hand`
NOTHING: Final = -1  # in place of the card led


class Around(NamedTuple):
    """What is the same in a whole search.

    Attributes:
        game, cards: which game, and its values with open cards.
        calls: float64[5, hands, hands], by stage up to the first discard, with open cards from there on; `DISCARD` is
            the dealer's after the non-dealer's acceptance.
        order: int64[8, 24], `play_order_of`.
        fields: int64[8, 24], the cards that have to follow each card, as bits.
        wins: bool[8, 24, 24], whether a card led wins against a reply.
        payoffs: float64[8, n + 1], the non-dealer's, by the non-dealer's tricks.
    """

    game: HandGame
    cards: OpenCards
    calls: Floats
    order: Ints
    fields: Ints
    wins: Bools
    payoffs: Floats


@dataclass(frozen=True)
class View:
    """Where a hand stands for the player who searches.

    Attributes:
        seat: the player's.
        stage: `FIRST_CALL` … `DISCARD` + 1, or `PLAY`.
        contract: 0..7, -1 before there is one.
        own: the player's cards as bits 0..23.
        worlds: int64[worlds], the other's cards as bits 0..23.
        lower: int64[24], by card, those that touch it from below.
        leader: who leads or has led the trick.
        led: the card led, or `NOTHING`.
        tricks: of the non-dealer.
    """

    seat: int
    stage: int
    contract: int
    own: int
    worlds: Ints
    lower: Ints
    leader: int = NONDEALER
    led: int = NOTHING
    tricks: int = 0

    def is_forced(self) -> bool:
        """Whether only the last trick is left."""
        return self.stage == PLAY and self.own.bit_count() < 2 and int(self.worlds[0]).bit_count() < 2

    def mover(self) -> int:
        """Whose turn it is."""
        if self.stage < PLAY:
            return NONDEALER if self.stage in (FIRST_CALL, SECOND_CALL) else DEALER
        return self.leader if self.led == NOTHING else 1 - self.leader


class Step(NamedTuple):
    """One action and what it leads to.

    Attributes:
        action: a place among the actions of a call (`whole_hand.hand`), or a card's number.
        view: what is known after it.
        worlds: int64, of each world of the view the place of the one that it comes from, rising.
    """

    action: int
    view: View
    worlds: Ints


def around(game: HandGame, up_rank: int) -> Around:
    """The surroundings of searches beside one up-card, in a game that is not mirrored."""
    cards, kept = open_cards(game, up_rank), game.kept[: int(game.sets[game.cards])]
    named, left = cards.contract(NONDEALER), cards.contract(DEALER)
    accepts, answers = (cards.exchanged(bidder, kept).min(axis=2) for bidder in (NONDEALER, DEALER))
    last = left.min(axis=0)
    second = np.maximum(named.max(axis=0), last)
    first = np.minimum(answers, second)
    calls = np.stack([np.maximum(accepts, first), first, second, last, accepts, answers])
    order = play_order_of(up_rank)
    fields = np.array([[_bits(row & field_of(led, TRUMP_FIELD)) for led in row.tolist()] for row in order])
    wins = np.array([[[leader_wins(led, reply, TRUMP_FIELD) for reply in row] for led in row] for row in order])
    return Around(game, cards, calls, order, fields, wins, game.payoffs + TRICK * np.arange(game.cards + 1))


def _bits(masks: Ints) -> int:
    return sum(1 << place for place, mask in enumerate(masks.tolist()) if mask)


def first_view(table: Around, up_rank: int, decision: int, hand: int) -> tuple[View, Floats]:
    """A decision of the bidding: the view of a hand, and how many hands each world stands for."""
    game = table.game
    own = int(game.set_masks[game.cards, hand])
    lower = _touching(own, up_rank)
    everything = game.set_masks[game.cards, np.flatnonzero(table.cards.fits[hand])]
    # of each run of touching cards the lowest
    lowest = [mask for mask in everything.tolist() if all(not lower[card] & ~mask for card in mask_cards(mask))]
    runs = _runs(int(np.bitwise_or.reduce(everything)), lower)
    twins = [math.prod(math.comb(run.bit_count(), (run & mask).bit_count()) for run in runs) for mask in lowest]
    weights = np.array(twins, dtype=np.float64)
    contract = decision - DISCARD if decision >= DISCARD else -1
    seat = NONDEALER if decision in (FIRST_CALL, SECOND_CALL) else DEALER
    return View(seat, decision, contract, own, np.array(lowest), np.array(lower)), weights


def _touching(own: int, up_rank: int) -> list[int]:
    """By card number, the cards below it that it touches: no own card, nor the up-card, nor a jack is between."""
    printed = card_numbers(up_rank)
    number = {card: place for place, card in enumerate(printed)}
    lower = [0] * CARDS
    for place, card in enumerate(printed[:OTHERS]):
        below = number.get(card - 1)
        jack = card % 13 == JACK or (card - 1) % 13 == JACK
        if not jack and below not in (None, UP_CARD) and card % 13 and not own >> below & 1:
            lower[place] = lower[below] | 1 << below
    return lower


def _runs(pool: int, lower: list[int]) -> list[int]:
    """The cards cut into runs of touching ones."""
    left = mask_cards(pool)
    tops = [top for top in left if not any(lower[card] >> top & 1 for card in left)]
    return [lower[top] | 1 << top for top in tops]


# ------------------------------------------------------------------------------------------------------ what follows


def steps(table: Around, view: View) -> list[Step]:
    """What the player whose turn it is may do. The other's discard is one step: it is not seen."""
    every = np.arange(len(view.worlds))
    if view.stage < DISCARD:
        return [
            Step(action, replace(view, stage=stage, contract=contract), every)
            for action, stage, contract in _CALLS[view.stage]
        ]
    if view.stage < PLAY:
        return _discards(view)
    if view.mover() == view.seat:
        return [Step(card, _after(table, view, card, view.own & ~(1 << card), view.worlds), every)
                for card in _own_cards(table, view)]  # fmt: skip
    return _replies(table, view)


_CALLS: Final = {
    FIRST_CALL: ((0, DISCARD, NONDEALER_ACCEPTS), (1, ANSWER, -1)),
    ANSWER: ((0, DISCARD + 1, DEALER_ACCEPTS), (1, SECOND_CALL, -1)),
    SECOND_CALL: (*((suit, PLAY, NONDEALER_NAMES + suit) for suit in range(3)), (3, LAST_CALL, -1)),
    LAST_CALL: tuple((suit, PLAY, DEALER_NAMES + suit) for suit in range(3)),
}


def _discards(view: View) -> list[Step]:
    """The dealer puts one card away and takes the up-card."""
    played = replace(view, stage=PLAY)
    every = np.arange(len(view.worlds))
    if view.seat == DEALER:
        held = [card for card in range(OTHERS) if view.own >> card & 1]
        return [Step(place, replace(played, own=view.own & ~(1 << card) | 1 << UP_CARD), every)
                for place, card in enumerate(held)]  # fmt: skip
    found = [(place, mask & ~(1 << card) | 1 << UP_CARD) for place, mask in enumerate(view.worlds.tolist())
             for card in range(OTHERS) if mask >> card & 1 and not mask & int(view.lower[card])]  # fmt: skip
    places, masks = zip(*found, strict=True)
    return [Step(NOTHING, replace(played, worlds=np.array(masks)), np.array(places))]


def _own_cards(table: Around, view: View) -> list[int]:
    held = mask_cards(view.own)
    following = [card for card in held if view.led != NOTHING and table.fields[view.contract, view.led] >> card & 1]
    return following or held


def _replies(table: Around, view: View) -> list[Step]:
    """The other's cards, each with the worlds in which it may be played."""
    found = []
    for card in range(CARDS):
        may = (view.worlds >> card & 1 == 1) & (view.worlds & view.lower[card] == 0)
        if view.led != NOTHING:
            field = int(table.fields[view.contract, view.led])
            may &= (field >> card & 1 == 1) | (view.worlds & field == 0)
        if may.any():
            places = np.flatnonzero(may)
            found.append(Step(card, _after(table, view, card, view.own, view.worlds[places] & ~(1 << card)), places))
    return found


def _after(table: Around, view: View, card: int, own: int, worlds: Ints) -> View:
    if view.led == NOTHING:
        return replace(view, own=own, worlds=worlds, led=card)
    leader = view.leader if table.wins[view.contract, view.led, card] else 1 - view.leader
    tricks = view.tricks + (leader == NONDEALER)
    return replace(view, own=own, worlds=worlds, led=NOTHING, leader=leader, tricks=tricks)


# -------------------------------------------------------------------------------------------------------- open cards


def open_values(table: Around, view: View) -> Floats:
    """float64[worlds]: the player's P(win the tower) if all cards are open from here on."""
    if view.stage < PLAY:
        game = table.game
        number = _numbers(game, view.worlds)
        own = _numbers(game, np.array([view.own]))[0]
        values = table.calls[view.stage]
        found = values[own, number] if view.seat == NONDEALER else values[number, own]
    else:
        more = np.zeros(len(view.worlds), dtype=np.int64)
        leads = view.leader == view.seat
        _open_tricks(load_tables(), table.order[view.contract], view.own, view.worlds, view.led, leads, more)
        cards = view.own.bit_count() + (leads and view.led != NOTHING)
        nondealers = view.tricks + (more if view.seat == NONDEALER else cards - more)
        found = table.payoffs[view.contract][nondealers]
    return np.asarray(found if view.seat == NONDEALER else 1.0 - found)


def _numbers(game: HandGame, masks: Ints) -> Ints:
    """The numbers of sets of n cards."""
    rising = game.set_masks[game.cards, : int(game.sets[game.cards])]
    by_mask = np.argsort(rising)
    return np.asarray(by_mask[np.searchsorted(rising[by_mask], masks)])


@kernel
def _open_tricks(tables: TableArrays, order: Ints, own: int, worlds: Ints, led: int, leads: bool, more: Ints) -> None:
    """The player's tricks still to come, both playing best with open cards.

    Args:
        order: play-order masks by card.
        own, worlds: the player's cards and the other's by number.
        led: the card on the table, -1 for none.
        leads: whether the player leads or has led.
        more: int64[worlds], filled.
    """
    mine, card = ordered(own, order), order[led] if led >= 0 else 0
    for world in range(len(worlds)):
        theirs = ordered(worlds[world], order)
        if mine == 0 and card == 0:
            more[world] = 0
        elif card and leads:
            more[world] = lead_tricks(tables, mine | card, theirs, card)
        elif card:
            replies = legal_followers(mine, field_of(card, TRUMP_FIELD))
            while replies:
                reply = lowest_bit(replies)
                replies ^= reply
                taken = popcount(mine) - reply_tricks(tables, theirs | card, mine, card, reply)
                more[world] = max(more[world], taken)
        elif leads:
            more[world] = leader_tricks(tables, mine, theirs)
        else:
            more[world] = popcount(mine) - leader_tricks(tables, theirs, mine)
