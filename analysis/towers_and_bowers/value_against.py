"""`towerlab value --against PLAYER`: the bidding solved against an opponent who bids as a player does (node locking).

Both see all cards after the bidding. Our players are asked with each hand while a spade is turned up, and of two hands
that differ by swapping diamonds and hearts one stands for both: they bid alike in every suit, but for ties. A player of
the user's, unless `symmetric`, is asked with every hand for each of the 24 up-cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from towerlab.analysis.players import Player, find_player
from towerlab.analysis.present import number_of
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.towers_and_bowers.players import EQUILIBRIUM, bidder_of
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, bidding_at_hand, check_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.games.cards import rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.written import Record
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.knowledge import Model, Rules, make_model, rules_of
from towerlab.sim.towers_and_bowers.plans import bidding_of
from towerlab.solver.towers_and_bowers.bidding import BiddingStrategies, Deals, evaluate, make_deals, payoffs, up_cards
from towerlab.solver.towers_and_bowers.bidding.strategies import (
    best_dealer_value,
    best_nondealer_value,
    dealer_value,
    nondealer_value,
)


@dataclass(frozen=True)
class SeatAgainst(Record, keys="seat best equilibrium gain_mt"):
    """One seat against the player.

    Attributes:
        best: P(winning the tower) of the best answer to the player's bids.
        equilibrium: of who bids by the equilibrium instead.
        gain_mt: the gain by knowing the player, in mt.
    """

    seat: str
    best: float
    equilibrium: float

    @property
    def gain_mt(self) -> float:
        return 1000 * (self.best - self.equilibrium)


@dataclass(frozen=True)
class ValueAgainst(
    Answer,
    game="towers-and-bowers",
    method="double-dummy model",
    shown_by="towerlab.analysis.towers_and_bowers.present.value:against_report",
    table="seats",
    keys="against up_cards seats",
):
    """The answer of `towerlab value --against`.

    Attributes:
        against: the player whose bids are answered.
        cards: hand size n.
        seats: of who answers.
        up_cards: beside how many the player was asked: 6, the spades, or all 24.
    """

    against: str
    cards: int
    seats: tuple[SeatAgainst, ...]
    up_cards: int


def ask_value_against(
    player: object, cards: int, quiet: bool = True, options: TowersAndBowersOptions | None = None
) -> ValueAgainst:
    """Return what the best bidding wins from a player, in the double-dummy model, and its gain over the equilibrium.

    Args:
        player: of ours, but for those who bid by the equilibrium, or your own (`analysis.players.find_player`).
        cards: hand size, 1..7.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.

    Raises:
        TowerlabError: no such player, or a hand size without a solution at hand; rules not solved.
    """
    check_solved(options)
    found, rules = find_player(player, "towers-and-bowers"), TowersAndBowersOptions(first_n=cards)
    if bidder_of(found) == EQUILIBRIUM:
        raise TowerlabError(f"{found} bids by the equilibrium, which nothing beats; expected another, such as pimc")
    asked = rules_of(rules), make_model(rules, deal_values(rules))
    worths = []
    with open_progress(f"answers to {found}, {number_of(cards, 'card')}", len(up_cards()), quiet) as advance:
        for up in up_cards():
            stored = bidding_at_hand(cards, up % 13, model=True)
            beside = [_worth(*each, stored.next_deal or 0.0) for each in _meetings(found, stored, *asked)]
            worths.append(np.mean(beside, axis=0))
            advance()
    values = np.mean(worths, axis=0).tolist()
    seats = SeatAgainst("nondealer", *values[:2]), SeatAgainst("dealer", *values[2:])
    asked_beside = len(up_cards()) * (4 if _in_every_suit(found) or found == "random" else 1)
    return ValueAgainst(str(found), cards, seats, asked_beside, options=options)


def _in_every_suit(player: Player) -> bool:
    """Whether the player may bid differently in other suits."""
    return isinstance(player, OwnPlayer) and not player.is_symmetric


def _meetings(
    player: str | OwnPlayer, stored: StoredBidding, rules: Rules, model: Model
) -> Iterator[tuple[Deals, BiddingStrategies, BiddingStrategies]]:
    """The deals of an up-card's rank, how the player bids them and how the equilibrium does."""
    deals = make_deals(stored.cards, stored.up)
    if not _in_every_suit(player):
        yield deals, bidding_of(player, deals, rules, model), stored.strategies
        return
    for suit in range(4):
        deals = make_deals(stored.cards, 13 * suit + rank_of(stored.up), mirrored=False)
        side = StoredSide(stored, deals.up, deals.hands, floor=0.0)
        made = BiddingStrategies(**vars(side.nondealer()), **vars(side.dealer()))
        yield deals, bidding_of(player, deals, rules, model), made


def _worth(deals: Deals, player: BiddingStrategies, equilibrium: BiddingStrategies, next_deal: float) -> list[float]:
    """P(win the tower) against the player: as non-dealer of the best answer and of the equilibrium, then as dealer."""
    worth, share = evaluate(deals, player, payoffs(deals.cards, next_deal)), deals.weights / deals.weights.sum()
    return [
        float(share @ best_nondealer_value(worth)),
        float(share @ nondealer_value(equilibrium, worth)),
        float(1 - share @ best_dealer_value(deals.cards, worth)),
        float(1 - share @ dealer_value(equilibrium, worth)),
    ]
