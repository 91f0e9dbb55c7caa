"""``towerlab upcard --against PLAYER``: the best answer to an opponent who bids by a player's rule.

A file of its own, because it is the only answer for which the simulator has to be loaded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from towerlab.analysis.players import Player
from towerlab.analysis.present.faults import blame
from towerlab.analysis.towers_and_bowers.players import EQUILIBRIUM, bidder_of
from towerlab.analysis.towers_and_bowers.simulation import check_player
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_bidding
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.solutions.stored_side import RenamedHands, StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import BidderView, UpcardAnswer, rounded
from towerlab.analysis.towers_and_bowers.upcard.values import make_answer
from towerlab.analysis.towers_and_bowers.upcard.weighted import layouts_of, weigh
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.players.bidding import dealer_plans, nondealer_plans, ready_player
from towerlab.sim.towers_and_bowers.players.knowledge import make_model, rules_of
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids


def answer_against(view: BidderView, options: TowersAndBowersOptions, player: Player) -> UpcardAnswer:
    """The best answer to an opponent who bids like a player.

    Raises:
        TowerlabError: rules that are not covered.
    """
    if options.allow_discard_upcard or not options.force_dealer_to_name:
        wrong = "--against counts with allow_discard_upcard=false and force_dealer_to_name=true only"
        raise blame(TowerlabError(wrong), "against")
    up = view.up
    dealer = view.dealer
    hands = layouts_of(view)
    bidder = bidder_of(player)
    check_player(bidder, options)
    stored = load_bidding(view.cards, rank_of(up)) if bidder == EQUILIBRIUM and view.cards <= LARGEST_STORED else None
    if stored is not None:
        side = StoredSide(stored, up, hands, floor=0.0)  # the player never errs
        way = side.nondealer() if dealer else side.dealer()
    else:
        way = _planned(bidder, hands, up, dealer, options)
    next_deal = deal_value(view.cards - 1, options)
    likelihood = rounded(way.paths().likelihood(view.second_round))
    values = weigh(view, way, options)
    if not likelihood:  # the value of a pass if the player got here with any hand alike, and bids on as ever
        never = np.zeros(len(hands))
        if isinstance(way, NondealerBids):
            way = NondealerBids(never, way.names)
        else:
            way = dataclasses.replace(way, answers=never)
        again = weigh(view, way, options)
        values = dataclasses.replace(values, passing=again.passing)
    return make_answer(view, values, next_deal or None, "against", against=str(player), likelihood=likelihood)


def _planned(
    player: Player, hands: Ints, up: int, dealer: bool, options: TowersAndBowersOptions
) -> DealerBids | NondealerBids:
    """A player's own plans.

    Ours are asked with a spade turned up, with each hand and with its mirror image: of equal suits, which such a rule
    takes in their order, each is as likely as the other. A player of the user's may bid every suit in its own way.
    """
    given = rules_of(options).hand, make_model(options, deal_values(options))
    ready = ready_player(player, options)
    plans = nondealer_plans if dealer else dealer_plans  # of the other
    if isinstance(player, OwnPlayer) and not player.is_symmetric:
        made: Iterable[Floats] = plans(ready, hands, up, *given)
    else:
        ways = []
        for swapped in (False, True):
            side = RenamedHands(up, hands, swapped)
            order = np.argsort(side.renamed)  # a network rounds by the order of its rows
            made = plans(ready, side.renamed[order], 13 * SPADES + rank_of(up), *given)
            *others, names = (each[np.argsort(order)] for each in made)
            ways.append([*(each if each.ndim == 1 else side.discards(each) for each in others), side.suits(names)])
        made = [np.mean(both, axis=0) for both in zip(*ways, strict=True)]
    return NondealerBids(*made) if dealer else DealerBids(*made)
