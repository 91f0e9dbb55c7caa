"""`towerlab value --against PLAYER`: the bidding solved against an opponent who bids as a player does (node locking).

Both see all cards after the bidding. A player is asked with each hand beside an up-card of spades; of two hands that
differ by swapping diamonds and hearts one stands for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from towerlab.analysis.players import find_player
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.progress import open_progress
from towerlab.analysis.towers_and_bowers.simulation import believed_deal_values
from towerlab.analysis.towers_and_bowers.solutions.bidding import check_solved, load_model_bidding, none_at_hand
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.written import Record
from towerlab.sim.towers_and_bowers.knowledge import make_model, rules_of
from towerlab.sim.towers_and_bowers.plans import bidding_of
from towerlab.solver.towers_and_bowers.bidding import evaluate, make_deals, payoffs, up_cards
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
        gain_mt: what knowing the player is worth, in mt.
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
    keys="against seats",
):
    """What `towerlab value --against` answers.

    Attributes:
        against: the player whose bids are answered.
        cards: hand size n.
        seats: of who answers.
    """

    against: str
    cards: int
    seats: tuple[SeatAgainst, ...]


def ask_value_against(
    player: object, cards: int, quiet: bool = True, options: TowersAndBowersOptions | None = None
) -> ValueAgainst:
    """What the best bidding makes of a player, in the double-dummy model, and what it makes more than the equilibrium.

    Args:
        player: of ours, but for ``"equilibrium"``, or your own (`analysis.players.find_player`).
        cards: hand size, 1..7.
        quiet: no progress on stderr.
        options: of the rules; only those that change no solution.

    Raises:
        TowerlabError: no such player, or a hand size without a solution at hand; rules not solved.
    """
    check_solved(options)
    found, rules = find_player(player, "towers-and-bowers"), TowersAndBowersOptions(first_n=cards)
    if found == "equilibrium":
        raise TowerlabError("nothing is won from the equilibrium by knowing it; expected another player, such as pimc")
    asked = rules_of(rules), make_model(rules, believed_deal_values(rules))
    worths = []
    with open_progress(f"answers to {found}, {cards} cards", len(up_cards()), quiet) as advance:
        for up in up_cards():
            stored, deals = load_model_bidding(cards, up % 13), make_deals(cards, up)
            if stored is None:
                raise TowerlabError(none_at_hand(f"equilibrium of {cards} cards", cards))
            worth = evaluate(deals, bidding_of(found, deals, *asked), payoffs(cards, stored.next_deal or 0.0))
            share = deals.weights / deals.weights.sum()
            worths.append(
                (
                    share @ best_nondealer_value(worth),
                    share @ nondealer_value(stored.strategies, worth),
                    1 - share @ best_dealer_value(cards, worth),
                    1 - share @ dealer_value(stored.strategies, worth),
                )
            )
            advance()
    values = np.mean(worths, axis=0).tolist()
    seats = SeatAgainst("nondealer", *values[:2]), SeatAgainst("dealer", *values[2:])
    return ValueAgainst(str(found), cards, seats, options=options)
