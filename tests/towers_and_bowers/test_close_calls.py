"""The study `close-calls`: calls played out, again by a recursion on card texts; errors of made-up ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from towerlab.analysis.towers_and_bowers.exploitability.strategies import whole_game
from towerlab.analysis.towers_and_bowers.solutions.bidding import load_model_bidding
from towerlab.analysis.towers_and_bowers.studies.close_calls import (
    CLOSE_CALLS,
    MODEL,
    PLAYED,
    READ,
    _floored_bids,
    gaps_of,
    played_calls,
)
from towerlab.analysis.towers_and_bowers.upcard.values import Side
from towerlab.games.cards import card_text, mask_cards
from towerlab.sim.towers_and_bowers.searches.averages import mean_play
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.bidding.views import dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding
from towerlab.solver.towers_and_bowers.whole_hand import Strategy
from towerlab.solver.towers_and_bowers.whole_hand.by_class import numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.meetings import meet

from tests.oracles.naive_equilibrium import DEALER, NONDEALER, Game, History, Own, SolverOdds

JACK, UP = 9, "JS"


def played_out(game: Game, odds: SolverOdds, owns: dict[str, Own], history: History) -> float:
    """The non-dealer's P(win the tower) when both follow the odds."""
    player = game.standing(history).to_play
    if not player:
        return game.payoff(history)
    actions = game.actions(owns[player], history)
    value = 0.0
    for action, share in zip(actions, odds(owns[player], history, actions), strict=True):
        if share:
            then, later = game.after(owns[player], history, action)
            value += share * played_out(game, odds, owns | {player: then}, later)
    return value


def test_played_calls_agree_with_a_recursion_on_card_texts() -> None:
    stored = load_model_bidding(2, JACK)
    assert stored is not None
    next_deal, deals, whole = stored.next_deal or 0.0, make_deals(2, stored.up), whole_game(2, JACK)
    bids, bidding = _floored_bids(stored, JACK), open_bidding(2, next_deal)
    strategy = Strategy(bids, mean_play(whole, JACK, bids, True))
    game, odds = Game(2, UP, next_deal), SolverOdds(whole, UP, strategy)
    hands = deals.classes[[20, 77]]
    rows = np.array([numbers_of(whole, JACK)[int(hand)] for hand in hands])
    views = nondealer_views(hands, stored.up, None, bidding), dealer_views(hands, stored.up, None, bidding)
    for seat, player in enumerate((NONDEALER, DEALER)):
        model = Side(2, bool(seat), next_deal).weighted(views[seat], 0.0)
        contracts = meet(whole, strategy, strategy, seat).contracts
        first, second = played_calls(whole, bids, seat, rows, contracts, model)
        for hand, (accepts, _), named in zip(hands, first, second, strict=True):
            own = Own(tuple(map(card_text, mask_cards(int(hand)))))
            if player == NONDEALER:
                worth = [
                    played_out(game, odds, {NONDEALER: own, DEALER: other}, ("accept",))
                    for other in game.hands(own.dealt)
                ]
                assert accepts == pytest.approx(np.mean(worth), abs=1e-12)
                continue
            left = {}
            for other in game.hands(own.dealt):
                passes = odds(other, (), ["accept", "pass"])[1]
                left[other] = passes * odds(other, ("pass", "pass"), ["C", "D", "H", "pass"])[3]
            for place, suit in enumerate("CDH"):
                history = ("pass", "pass", "pass", suit)
                won = sum(
                    share * (1 - played_out(game, odds, {NONDEALER: other, DEALER: own}, history))
                    for other, share in left.items()
                )
                assert named[place] == pytest.approx(won / sum(left.values()), abs=1e-12)


def test_gaps_of_a_rank_are_those_of_its_hands() -> None:
    found = gaps_of(2, JACK)
    assert len(found) == 4 * len(make_deals(2, 13 * 3 + JACK).classes) and found.notna().all(axis=None)
    second = found[found["round"] == 2]
    assert (second[MODEL] >= 0).all()  # the model's best call less the next best
    weighted = [np.average((found[way] - found["truth"]) ** 2, weights=found["weight"]) for way in (MODEL, READ)]
    assert weighted[1] < weighted[0]


def test_errors_of_ways_are_told_as_they_were_made() -> None:
    random, hands = np.random.default_rng(3), 3000
    truth = random.uniform(-25, 25, hands)
    model = truth + 4 + random.normal(0, 1, hands)
    made = {"truth": truth, MODEL: model, READ: truth + random.normal(0, 2, hands), PLAYED: model + 4}
    told = {"cards": 2, "seat": "dealer", "up": 48, "hand": 0, "weight": 1.0, "half": random.integers(2, size=hands)}
    frames = [pd.DataFrame(told | made | {"round": number}) for number in (1, 2)]
    ratios = CLOSE_CALLS.combine(frames, {}).tables["ratios"].set_index(["round", "way"])
    expected = {READ: 2 / 17**0.5, PLAYED: 65**0.5 / 17**0.5, "shifted": 1 / 17**0.5}
    for way, ratio in expected.items():
        row = ratios.loc[(2, way)]
        assert row["error_ratio"] == pytest.approx(ratio, rel=0.06)
        assert row["error_ratio_low"] < row["error_ratio"] < row["error_ratio_high"]
