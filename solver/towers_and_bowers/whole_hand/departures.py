"""What every contract is worth to a hand, and the tricks taken in it, wherever best play has left its path.

A strategy of the whole hand says nothing of what it never comes to. Such a place is a game in its own right: whoever
left the path did so with any hand alike, and from there on the rest is solved (the parts of
`solver.towers_and_bowers.whole_hand.hand` whose calls have been made). The same holds again where that solution in turn
does not come: a contract is valued in the first game, of those listed for it, whose calls lead there often enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand.best_response import Strategy, contract_values
from towerlab.solver.towers_and_bowers.whole_hand.hand import CONTRACT, MADE_CALLS
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    HandGame,
)

_HEARTS = 2  # their contracts are solved as diamonds


class Source(NamedTuple):
    """A solved game in which a contract may be valued.

    Attributes:
        strategy: its solution.
        contract: the contract that is played there, of the same cards and payoffs.
        least: how often the other's calls must lead there for the value to mean anything: more than this.
    """

    strategy: Strategy
    contract: int
    least: float


class ContractTable(NamedTuple):
    """Of both seats, by the card that a dealer puts away who takes the up-card, else at place 0.

    Attributes:
        worth: float64[2, hands, 8, n], P(the seat wins the tower) with its best play, the contract having been reached.
        tricks: float64[2, hands, 8, n, n + 1], how likely it takes so many tricks then.
        likelihood: float64[2, hands, 8], how often the other's calls lead there, in the game it is valued in.
        place: int64[2, hands, 8], which of the sources that was.
    """

    worth: Floats
    tricks: Floats
    likelihood: Floats
    place: Ints


def contract_table(
    game: HandGame, up_rank: int, hands: Ints, sources: Callable[[int], Sequence[Callable[[], Source]]]
) -> ContractTable:
    """Value every contract.

    Args:
        game, up_rank: which game.
        hands: int64[hands], numbers of the sets of n cards.
        sources: of each contract the games to be asked in turn; each is called only when a hand needs it.
    """
    shape = 2, len(hands), CONTRACTS
    table = ContractTable(
        np.zeros((*shape, game.cards)),
        np.zeros((*shape, game.cards, game.cards + 1)),
        np.zeros(shape),
        np.zeros(shape, dtype=np.int64),
    )
    count = int(game.sets[game.cards])
    masks, dealt = game.set_masks[game.cards, :count], game.dealt[:count] > 0
    others = ((masks[hands, None] & masks) == 0) @ dealt.astype(np.float64)
    for contract in range(CONTRACTS):
        asked = sources(contract)
        for seat in (NONDEALER, DEALER):
            places = range(game.cards if seat == DEALER and contract <= DEALER_ACCEPTS else 1)
            open_rows = np.arange(len(hands))
            for number, ask in enumerate(asked):
                source = ask()
                tricks = np.zeros((len(open_rows), CONTRACTS, game.cards, game.cards + 1))
                given = hands[open_rows], [source.contract]
                won = contract_values(game, up_rank, source.strategy, seat, *given, tricks=tricks)
                weights = tricks[:, source.contract]
                reach = weights[:, 0].sum(-1) / others[open_rows]
                taken = reach > (source.least if number + 1 < len(asked) else 0.0)
                rows = open_rows[taken]
                for place in places:
                    total = weights[taken, place].sum(-1)
                    shares = weights[taken, place] / total[:, None]
                    table.worth[seat, rows, contract, place] = won[taken, source.contract, place] / total
                    table.tricks[seat, rows, contract, place] = shares if seat == NONDEALER else shares[:, ::-1]
                table.likelihood[seat, rows, contract] = reach[taken]
                table.place[seat, rows, contract] = number
                open_rows = open_rows[~taken]
                if not len(open_rows):
                    break
    return table


def played_alone(game: HandGame, contract: int) -> tuple[int, int]:
    """(part to solve, contract that it plays) for a contract of 1..7 that all hands come to.

    With an odd number of cards it is no matter who bids, and the naming non-dealer's contracts stand for the dealer's.
    """
    if game.cards % 2 and contract >= DEALER_NAMES:
        contract -= 3
    hearts = contract > DEALER_ACCEPTS and (contract - DEALER_ACCEPTS - 1) % 3 == _HEARTS
    return CONTRACT + contract - hearts, contract


def alone(game: HandGame, contract: int, strategy: Strategy) -> Strategy:
    """The same play, every hand having made the calls that lead to a contract of 1..7."""
    bidding = strategy.bidding.copy()
    for decision, call in enumerate(MADE_CALLS[CONTRACT + contract]):
        if call >= 0:
            bidding[decision] = 0.0
            bidding[decision, :, call] = 1.0
    return Strategy(bidding, strategy.play)
