"""``towerlab upcard --against PLAYER``: the best answer to an opponent who bids by a player's rule.

A file of its own, because it is the only answer for which the simulator has to be loaded.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from towerlab.analysis.players import Player
from towerlab.analysis.present.faults import blame
from towerlab.analysis.towers_and_bowers.simulation import check_player
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import EQUILIBRIUM, BidderView, UpcardAnswer, rounded
from towerlab.analysis.towers_and_bowers.upcard.values import make_answer
from towerlab.analysis.towers_and_bowers.upcard.weighted import layouts_of, weigh
from towerlab.games.arrays import Ints
from towerlab.games.cards import rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.knowledge import make_model, rules_of
from towerlab.sim.towers_and_bowers.plans import dealer_plans, nondealer_plans
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids


def answer_against(view: BidderView, options: TowersAndBowersOptions, player: Player) -> UpcardAnswer:
    """The best answer to an opponent who bids like a player.

    Raises:
        TowerlabError: rules that are not covered.
    """
    if options.allow_discard_upcard or not options.force_dealer_to_name:
        raise blame(
            TowerlabError("--against counts with allow_discard_upcard=false and force_dealer_to_name=true only"),
            "against",
        )
    up, dealer, hands = view.up, view.dealer, layouts_of(view)
    check_player(player, options)
    stored = load_bidding(view.cards, rank_of(up)) if player == EQUILIBRIUM and view.cards <= LARGEST_STORED else None
    if stored is not None:
        side = StoredSide(stored, up, hands, floor=0.0)  # the player never errs
        way = side.nondealer() if dealer else side.dealer()
    else:
        way = _planned(player, hands, up, dealer, options)
    next_deal = deal_value(view.cards - 1, options)
    likelihood = rounded(way.paths().likelihood(view.second_round))
    values = weigh(view, way, next_deal, tie_to_bidder=options.tie_to_bidder)
    if not likelihood:  # the value of a pass if the player got here with any hand alike, and bids on as ever
        nothing = np.zeros(len(hands))
        if isinstance(way, NondealerBids):
            way = NondealerBids(nothing, way.names)
        else:
            way = dataclasses.replace(way, answers=nothing)
        again = weigh(view, way, next_deal, tie_to_bidder=options.tie_to_bidder)
        values = dataclasses.replace(values, passing=again.passing)
    answer = make_answer(view, values, next_deal or None, "against")
    return dataclasses.replace(answer, against=str(player), likelihood=likelihood)


def _planned(
    player: Player, hands: Ints, up: int, dealer: bool, options: TowersAndBowersOptions
) -> DealerBids | NondealerBids:
    """A player's own plans."""
    model = make_model(options, deal_values(options))
    given = (player, hands, up, rules_of(options), model)
    return NondealerBids(*nondealer_plans(*given)) if dealer else DealerBids(*dealer_plans(*given))
