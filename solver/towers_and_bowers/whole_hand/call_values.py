"""Values of the calls, discards and contracts of a hand against a whole strategy, with best play after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT_COLUMN,
    ANSWER,
    EXCHANGE,
    FIRST_CALL,
    LAST_CALL,
    NAMING,
    NAMING_PASS_COLUMN,
    PASS_COLUMN,
    contract_reach,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    HandGame,
    paying,
)
from towerlab.solver.towers_and_bowers.whole_hand.solve import PlayPasses
from towerlab.solver.towers_and_bowers.whole_hand.strategies import options_of, over_others

_PER_TRICK: Final = 1e-5  # P(win the tower), so that of plays that win as much the one with more tricks is taken
_BONUS: Final = 1e-8  # what a number of tricks pays more while it is counted


def values_of_calls(game: HandGame, bidding: Floats, hands: Ints, own: Floats, dealers: Floats) -> Floats:
    """Return P(win the tower) after each call or discard, for the player who makes it, with best play from there on.

    Args:
        game: the hand.
        bidding: float64[6, sets, 4], how the other bids.
        hands: int64[hands], numbers of the sets of n cards (`HandGame.members`) to be evaluated.
        own, dealers: float64[hands, 8, n], what best play of every contract wins (`PlayPasses.best_plays`) as the
            non-dealer and as the dealer.

    Returns:
        float64[hands, 2 n + 11] by `solver.towers_and_bowers.bidding.packed.value_columns`: means over the other's
        hands, each as likely as the calls so far; nan where the other never calls so.
    """
    dealer_leads, nondealer_leads = (leads[hands, :, None] for leads in leading_calls(game, bidding))
    options = options_of((own, dealers))
    reached = {  # by decision, in the order of the columns: how far the other's calls lead there
        FIRST_CALL: dealer_leads[:, NONDEALER_ACCEPTS],
        NAMING: dealer_leads[:, NONDEALER_NAMES],
        EXCHANGE + NONDEALER_ACCEPTS: nondealer_leads[:, NONDEALER_ACCEPTS],
        ANSWER: nondealer_leads[:, DEALER_ACCEPTS],
        EXCHANGE + DEALER_ACCEPTS: nondealer_leads[:, DEALER_ACCEPTS],
        LAST_CALL: nondealer_leads[:, DEALER_NAMES],
    }
    with np.errstate(invalid="ignore"):  # 0 / 0 where the other never calls so
        return np.hstack([options[decision] / leads for decision, leads in reached.items()])


def leading_calls(game: HandGame, bidding: Floats) -> tuple[Floats, Floats]:
    """Return how far the calls of the dealer, and of the non-dealer, lead to each contract.

    Args:
        game: the hand.
        bidding: float64[6, sets, 4], how both bid.

    Returns:
        float64[sets, 8] each: summed over the hands that the one who calls may have beside each hand of the other. In
        contracts that this player names the last call is the other's.
    """
    nondealer, dealer = contract_reach(game, bidding)[:, :, : len(game.dealt)].transpose(1, 2, 0)
    # whatever is discarded
    dealer[:, NONDEALER_ACCEPTS] = 1.0
    dealer[:, DEALER_ACCEPTS] = bidding[ANSWER, :, ACCEPT_COLUMN]
    return over_others(game, dealer), over_others(game, nondealer)


class ContractTable(NamedTuple):
    """Of both seats, by the card that a dealer puts away who takes the up-card, else at place 0.

    Attributes:
        values: float64[2, sets, 8, n], P(the seat wins the tower) with its best play, the contract having been reached.
        tricks: float64[2, sets, 8, n, n + 1], how likely it takes so many tricks then.
    """

    values: Floats
    tricks: Floats


def contract_table(passes: PlayPasses, bidding: Floats, plays: Sequence[Floats]) -> ContractTable:
    """Value every contract with every hand, once it is reached.

    How often so many tricks are taken follows from what best play wins where they pay a little more; of plays that win
    as much the one with more tricks counts.

    Args:
        passes: over the average play of a game; the last tricks in double precision.
        bidding: float64[6, sets, 4], how both bid, every call at least with a floor.
        plays: float64[sets, 8, n] of both seats: `PlayPasses.best_plays` against it.
    """
    game = passes.game
    tricks = np.zeros((2, *plays[0].shape, game.cards + 1))
    each = _PER_TRICK * np.arange(game.cards + 1)
    for seat, sign in ((NONDEALER, 1), (DEALER, -1)):
        passes.game = paying(game, game.payoffs + each)
        without = passes.best_plays(bidding, seat)
        for taken in range(game.cards):
            passes.game = paying(game, game.payoffs + each + _BONUS * (np.arange(game.cards + 1) == taken))
            gain = sign * (passes.best_plays(bidding, seat) - without) / _BONUS
            tricks[seat, ..., taken if seat == NONDEALER else game.cards - taken] = gain
    passes.game = game
    reach = np.stack(leading_calls(game, bidding))[..., None]
    with np.errstate(invalid="ignore"):  # sets that cannot be dealt
        tricks = np.clip(tricks / reach[..., None], 0.0, 1.0)
        rest = np.maximum(1 - tricks.sum(-1), 0.0)
        tricks[NONDEALER, ..., -1], tricks[DEALER, ..., 0] = rest
        return ContractTable(np.stack(plays) / reach, tricks)


def gains_inside(game: HandGame, bidding: Floats, plays: Sequence[Floats]) -> dict[str, float]:
    """Return what best replies of both players gain together in each part of the hand, given that it comes there.

    Args:
        game, bidding, plays: as for `contract_table`.

    Returns:
        P(win the tower) of the accepted game, of the hand after one, two and three passes, and ``named_gain``: the most
        of any contract in a suit that is named.
    """
    own, theirs = plays
    leads = leading_calls(game, bidding)[0]
    reach = contract_reach(game, bidding)[:, :, : len(game.dealt)]
    options = options_of(plays)
    best = {decision: won.max(axis=1) for decision, won in options.items()}
    every = leads[:, NONDEALER_ACCEPTS]
    twice = leads[:, NONDEALER_NAMES]

    def gain(mine: Floats, won: Floats, yours: Floats, theirs_won: Floats, comes: Floats) -> float:
        return float(((mine * won).sum() + (yours * theirs_won).sum()) / (mine * comes).sum() - 1)

    contracts = NONDEALER_ACCEPTS, DEALER_ACCEPTS, DEALER_NAMES
    accepts, passed, thrice = (reach[contract, NONDEALER] for contract in contracts)
    dealers = game.dealt
    called = reach[NONDEALER_NAMES, DEALER]
    suits = [
        gain(reach[each, NONDEALER], own[:, each, 0], reach[each, DEALER], theirs[:, each, 0], leads[:, each])
        for each in range(NONDEALER_NAMES, CONTRACTS)
    ]
    accepted = options[FIRST_CALL][:, ACCEPT_COLUMN]
    left = options[NAMING][:, NAMING_PASS_COLUMN]
    return {
        "accepted_gain": gain(accepts, accepted, dealers, best[EXCHANGE + NONDEALER_ACCEPTS], every),
        "passed_gain": gain(passed, options[FIRST_CALL][:, PASS_COLUMN], dealers, best[ANSWER], every),
        "passed_twice_gain": gain(passed, best[NAMING], called, options[ANSWER][:, PASS_COLUMN], twice),
        "passed_thrice_gain": gain(thrice, left, called, best[LAST_CALL], twice),
        "named_gain": max(suits),
    }
