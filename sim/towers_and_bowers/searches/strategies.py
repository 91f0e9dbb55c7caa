"""The searches by name, and the strategy of a whole hand that each is.

A search says what a player does in one state; asked in all of them, it is a strategy. Nothing is sampled but in
IS-MCTS: every layout is counted. All play for the payoffs of the game that they are measured in, make the earlier
of two calls that are worth the same, of equal cards those that win more tricks, and the rest of equals alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.errors import TowerlabError
from towerlab.sim.towers_and_bowers.searches.averages import SAME_CALL, best_alike, mean_bids, mean_play
from towerlab.sim.towers_and_bowers.searches.fronts import front_values
from towerlab.sim.towers_and_bowers.searches.is_mcts import is_mcts_strategy
from towerlab.sim.towers_and_bowers.searches.open_cards import open_cards
from towerlab.sim.towers_and_bowers.searches.trees import Around, around, first_view
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    DECISIONS,
    DISCARD,
    LAST_CALL,
    MOST_ENTRIES,
    mirrored_entry,
)


class Search(NamedTuple):
    """A search.

    Attributes:
        about: what it does, in one line.
        largest: the largest hand for which its strategy is computed.
    """

    about: str
    largest: int


SEARCHES: Final[Mapping[str, Search]] = {
    "alphamu-1": Search("αμ of one move, which is PIMC: pimc, but of equal actions each alike", 3),
    "alphamu-2": Search("αμ, two own moves the same in all layouts, against one who sees all", 2),
    "pimc-weighted": Search("PIMC, layouts as likely as the calls make them if the other bids the same way", 3),
    "is-mcts": Search("IS-MCTS of OpenSpiel: visits in 4 runs of 100 simulations, in one with two cards", 2),
}


def check_size(name: str, cards: int) -> None:
    """Refuse hands that are too large for a search.

    Raises:
        TowerlabError: they are.
    """
    if cards > SEARCHES[name].largest:
        most = SEARCHES[name].largest
        raise TowerlabError(f"{name} is not computed for hands of {cards} cards; expected at most {most}")


def search_strategy(name: str, game: HandGame, up_rank: int) -> Strategy:
    """What a search does in a whole hand.

    Args:
        name: of `SEARCHES`.
        game: not mirrored.
        up_rank: printed rank of the up-card, a spade.

    Raises:
        TowerlabError: a hand size that is too large for it, or OpenSpiel is needed and not there.
    """
    check_size(name, game.cards)
    if name == "is-mcts":
        return is_mcts_strategy(game, up_rank)
    if name == "alphamu-2":
        bidding = _bids_by_fronts(around(game, up_rank), up_rank)
        return Strategy(bidding, mean_play(game, up_rank, bidding))  # with two cards nothing is left to plan
    weighted = name == "pimc-weighted"
    bidding = mean_bids(game, open_cards(game, up_rank), weighted)
    return Strategy(bidding, mean_play(game, up_rank, bidding, weighted))


def _bids_by_fronts(table: Around, up_rank: int) -> Floats:
    """`Strategy.bidding` of αμ of two moves."""
    game = table.game
    hands = int(game.sets[game.cards])
    bidding = np.zeros((DECISIONS, hands, MOST_ENTRIES))
    for decision in range(DECISIONS):
        for hand in np.flatnonzero(game.dealt[:hands]).tolist():
            image = int(game.mirror_set[game.cards, hand])
            if image < hand:  # diamonds and hearts swapped, it has been asked
                for entry in range(MOST_ENTRIES if decision < DISCARD else game.cards):
                    bidding[decision, hand, mirrored_entry(game, decision, image, entry)] = bidding[
                        decision, image, entry
                    ]
                continue
            shares = chosen(decision, call_values(table, up_rank, decision, hand))
            bidding[decision, hand, : len(shares)] = shares
    return bidding


def call_values(table: Around, up_rank: int, decision: int, hand: int) -> Floats:
    """float64[actions]: what each action of a decision of the bidding is worth by αμ of two moves."""
    view, weights = first_view(table, up_rank, decision, hand)
    return front_values(table, view, weights, 2)


def chosen(decision: int, values: Floats) -> Floats:
    """The shares of the actions: the earlier of two calls of equal worth, of equal suits or discards each alike."""
    if decision >= LAST_CALL:
        return np.asarray(best_alike(values[None])[0])
    later = len(values) - 1  # the pass
    calls = best_alike(values[None, :later])[0] * (values[:later].max() >= values[later] - SAME_CALL)
    return np.append(calls, 1.0 - calls.sum())
