"""``towerlab upcard --against PLAYER``: the best answer to an opponent who bids by a player's rule.

A file of its own, because it is the only answer for which the simulator has to be loaded.
"""

from __future__ import annotations

import dataclasses
from contextlib import suppress

from analysis.towers_and_bowers.simulation import believed_deal_values, bids_by_equilibrium
from analysis.towers_and_bowers.solutions.bidding import load_bidding, rules_are_solved
from analysis.towers_and_bowers.solutions.deal_value import best_deal_value, deal_value
from analysis.towers_and_bowers.upcard.asking import UpcardAnswer, UpcardQuestion
from analysis.towers_and_bowers.upcard.weighted import WeightedView, answer_from, stored_dealer, stored_nondealer
from games.cards import rank_of
from games.errors import TowerlabError, did_you_mean
from games.towers_and_bowers import TowersAndBowersOptions
from sim.towers_and_bowers import PLAYERS
from sim.towers_and_bowers.knowledge import make_mind, rules_of
from sim.towers_and_bowers.plans import dealer_plans, nondealer_plans
from solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids, make_layouts


def answer_against(question: UpcardQuestion, player: str, options: TowersAndBowersOptions) -> UpcardAnswer:
    """The best answer to an opponent who bids like a player.

    Raises:
        TowerlabError: no such player, or rules that are not covered.
    """
    if player not in PLAYERS:
        raise TowerlabError(f"unknown player {player!r}; {did_you_mean(player, PLAYERS)}")
    if options.allow_discard_upcard or not options.force_dealer_to_name:
        raise TowerlabError("--against counts with allow_discard_upcard=false and force_dealer_to_name=true only")
    cards = question.hand.bit_count()
    layouts = make_layouts(question.hand, question.up, question.dealer)
    stored = load_bidding(cards, rank_of(question.up)) if bids_by_equilibrium(player, options) else None
    if stored is not None:
        stored = dataclasses.replace(stored, floor=0.0)  # the player himself never errs
        way = (stored_nondealer if question.dealer else stored_dealer)(stored, question.up, layouts.hands)
    else:
        mind = make_mind(options, believed_deal_values(options))
        given = (player, layouts.hands, question.up, rules_of(options), mind)
        way = NondealerBids(*nondealer_plans(*given)) if question.dealer else DealerBids(*dealer_plans(*given))
    next_deal = deal_value_for(cards - 1, options) if cards > 1 else None
    view = WeightedView(question.hand, question.up, layouts, way, next_deal or 0.0, options.tie_to_bidder)
    return answer_from(question, view, next_deal, "against", against=player)


def deal_value_for(cards: int, options: TowersAndBowersOptions) -> float:
    """W(cards) to count with: of hidden hands where it is at hand for these rules, else of perfect information."""
    if rules_are_solved(options):
        with suppress(TowerlabError):
            return best_deal_value(cards).dealer
    return deal_value(cards, options)
