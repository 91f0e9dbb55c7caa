"""How a player would bid with each of many hands: what `towerlab upcard --against` weighs layouts with."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import HandRules, Phase, TowersAndBowersOptions
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYER_IDS, follows_habits, habitual_bids, searched_bids
from towerlab.sim.towers_and_bowers.players.knowledge import NO_SUIT, Model
from towerlab.sim.towers_and_bowers.players.python_player import PythonPlayer, bidding_views, check_draws

Shares = Floats
ReadyPlayer = str | PythonPlayer


def ready_player(player: str | OwnPlayer, options: TowersAndBowersOptions) -> ReadyPlayer:
    """Return a player ready to decide: a name of `PLAYERS` as it is, a Python player under these rules."""
    if isinstance(player, str):
        return player
    return PythonPlayer(player, dataclasses.replace(options, claims="off"))


def nondealer_plans(player: ReadyPlayer, hands: Ints, up: int, rules: HandRules, model: Model) -> tuple[Shares, Shares]:
    """Return how a non-dealer bids with each hand.

    Args:
        player: of `ready_player`.
        hands: int64[hands], printed masks of equal size.
        up: the up-card.
        rules, model: as the game is played.

    Returns:
        P(accepting), float64[hands]; of the second round float64[hands, 4]: the suits in order of id, then a pass.
    """
    if isinstance(player, PythonPlayer):
        first, second = (bidding_views(hands, up, phase) for phase in (Phase.BID1_ND, Phase.BID2_ND))
        return player.shares(first)[:, 0], player.shares(second)
    if player == "random":
        return np.full(len(hands), 0.5), np.full((len(hands), 4), 0.25)
    plans = _plans(player, hands, up, False, rules, model)
    return plans[:, 0].astype(np.float64), _shares_at(_suit_places(plans[:, 1], up), 4)


def dealer_plans(
    player: ReadyPlayer, hands: Ints, up: int, rules: HandRules, model: Model
) -> tuple[Shares, Shares, Shares, Shares]:
    """Return how a dealer who has to name bids with each hand; arguments as for `nondealer_plans`.

    Returns:
        Discard when the other has accepted, float64[hands, n], from the lowest card; P(accepting) after a
        pass; the discard then; the suit named after two passes, float64[hands, 3].
    """
    n = int(hands[0]).bit_count()
    if isinstance(player, PythonPlayer):
        for_other, own = (player.shares(bidding_views(hands, up, Phase.DISCARD, bidder)) for bidder in (0, 1))
        first, last = (player.shares(bidding_views(hands, up, phase)) for phase in (Phase.BID1_D, Phase.BID2_D))
        return for_other, first[:, 0], own, last
    if player == "random":
        alike = np.full((len(hands), n), 1 / n)
        return alike, np.full(len(hands), 0.5), alike, np.full((len(hands), 3), 1 / 3)
    plans = _plans(player, hands, up, True, rules, model)
    discards = [_shares_at(np.bitwise_count(hands & ((1 << plans[:, place]) - 1)), n) for place in (3, 2)]
    return discards[0], plans[:, 0].astype(np.float64), discards[1], _shares_at(_suit_places(plans[:, 1], up), 3)


def _plans(player: str, hands: Ints, up: int, is_dealer: bool, rules: HandRules, model: Model) -> Ints:
    """int64[hands, 4]: the fields of each `BidPlan`."""
    random = np.random.default_rng(0)
    before = random.bit_generator.state
    searched = None if follows_habits(PLAYER_IDS[player]) else model
    plans = plan_all(PLAYER_IDS[player], hands, np.full(len(hands), up), is_dealer, rules, searched, random)
    check_draws(player, random.bit_generator.state != before)
    return plans


def _suit_places(names: Ints, up: int) -> Ints:
    """Place of a suit among those that can be named; 3 for a pass."""
    places = names - (names > up // 13)
    return np.where(names == NO_SUIT, 3, places)


def _shares_at(places: Ints, count: int) -> Shares:
    """float64[.., count]: one at each place."""
    return np.eye(count)[places]


@kernel
def plan_all(
    player: int, hands: Any, ups: Any, is_dealer: bool, rules: HandRules, model: Model | None, random: Any
) -> Ints:
    """Return int64[hands, 4]: the fields of a player's `BidPlan` with each hand.

    Args:
        player: its number.
        hands: int64[hands], printed masks.
        ups: int64[hands], the up-cards.
        is_dealer, rules, random: as of `plan_bids`.
        model: None where the player follows habits.
    """
    plans = np.empty((hands.shape[0], 4), dtype=np.int64)
    for place in range(hands.shape[0]):
        if model is None:
            plan = habitual_bids(player, hands[place], ups[place], is_dealer, rules, random)
        else:
            plan = searched_bids(player, hands[place], ups[place], is_dealer, rules, model, random)
        plans[place, 0] = plan.accepts
        plans[place, 1] = plan.names
        plans[place, 2] = plan.discard
        plans[place, 3] = plan.discard_for_other
    return plans
