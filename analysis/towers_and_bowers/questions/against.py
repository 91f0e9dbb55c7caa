"""``towerlab upcard --against PLAYER``: the best answer to an opponent who bids by a player's rule.

A file of its own, because it is the only answer for which the simulator has to be loaded.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable

import numpy as np

from towerlab.analysis.players import Player
from towerlab.analysis.towers_and_bowers.position import standard_names
from towerlab.analysis.towers_and_bowers.questions.answers import AGAINST, BidderView, UpcardAnswer, rounded
from towerlab.analysis.towers_and_bowers.questions.played import answer_played
from towerlab.analysis.towers_and_bowers.questions.values import Values, count_layouts, make_answer, weighted_values
from towerlab.analysis.towers_and_bowers.ranges import CallModel, policy_calls, range_of, solved_calls
from towerlab.analysis.towers_and_bowers.simulation import EQUILIBRIUM, bidder_of, check_player
from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value, deal_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED, is_learned
from towerlab.analysis.towers_and_bowers.solutions.stored_side import RenamedHands
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import former_names, rank_of
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.players.knowledge import make_model, rules_of
from towerlab.sim.towers_and_bowers.players.seats import dealer_plans, nondealer_plans, ready_player
from towerlab.solver.towers_and_bowers.bidding import SPADES, DealerBids, NondealerBids, rename
from towerlab.solver.towers_and_bowers.self_play.playouts import SPADE_FRAME
from towerlab.solver.towers_and_bowers.upcard import named_suits, open_bidding
from towerlab.solver.towers_and_bowers.views import layout_hands


def answer_against(
    view: BidderView, options: TowersAndBowersOptions, player: Player, count: int, seed: int
) -> UpcardAnswer:
    """The answer to an opponent who bids like a player: played out, under other rules with all cards seen.

    Args:
        view: what the asker sees, and what else is known.
        options: the rules.
        player: how the opponent bids.
        count, seed: of the deals that are played out.

    Raises:
        TowerlabError: rules that are not covered.
    """
    if options.allow_discard_upcard or not options.force_dealer_to_name:
        wrong = "--against counts with allow_discard_upcard=false and force_dealer_to_name=true only"
        raise blame(TowerlabError(wrong), "against")
    bidder = bidder_of(player)
    check_player(bidder, options)
    if rules_are_solved(options) and is_learned():
        own = policy_calls if view.cards > LARGEST_STORED else solved_calls
        is_symmetric = not isinstance(bidder, OwnPlayer) or bidder.is_symmetric
        other = _call_model(view, bidder, options)
        believed = range_of(view.seen, other, least=0.0, is_symmetric=is_symmetric)
        return answer_played(view, believed, own, count, seed, method=AGAINST, against=str(player))
    hands = layouts_of(view)
    way = _planned(bidder, hands, view.up, view.dealer, options)
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
    return make_answer(view, values, next_deal or None, AGAINST, against=str(player), likelihood=likelihood)


def _call_model(view: BidderView, bidder: Player, options: TowersAndBowersOptions) -> CallModel:
    """Return how a player calls with hands under the standard names; it is asked under those of the question."""
    if bidder == EQUILIBRIUM and view.cards <= LARGEST_STORED:
        return functools.partial(solved_calls, floor=0.0)  # the player never errs
    names = standard_names(view.seen)[0]

    def calls(hands: Ints, up: int, seat: int) -> Floats:
        way = _planned(bidder, rename(hands, former_names(names)), view.up, not seat, options)
        accepts, named = (way.accepts, way.names) if isinstance(way, NondealerBids) else (way.answers, way.left)
        columns = np.zeros((len(hands), 5))
        columns[:, 0] = accepts
        for place, suit in enumerate(named_suits(view.up)):
            columns[:, SPADE_FRAME.index(names[suit])] = named[:, place]
        if seat == 0:
            columns[:, 4] = named[:, 3]
        return columns

    return calls


def layouts_of(view: BidderView) -> Ints:
    """int64[layouts]: every hand that the other can hold with what is known, printed masks."""
    hands = layout_hands(view.hand, view.up)
    return hands if view.known is None else hands[view.known.among(hands)]


def weigh(view: BidderView, way: NondealerBids | DealerBids, options: TowersAndBowersOptions) -> Values:
    """Both decisions of a player, a batch of one, the other bidding in a known way with each layout (`layouts_of`)."""
    bidding = open_bidding(view.cards, deal_values(options), options.hand_rules)
    views = count_layouts(view, way, bidding, options.hand_rules)
    return weighted_values(views, view.cards, deal_value(view.cards - 1, options), options.hand_rules)


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
