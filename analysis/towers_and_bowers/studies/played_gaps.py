"""The gap between two calls as `upcard` tells it, and as it is played with hidden hands: the deals of `hidden-play`.

The opponent's cards are drawn with the weights that `upcard` gives them. Both calls are followed to their contracts on
the *same* deals: the opponent bids and discards by the stored solution, the asker's later call and discard are the best
of the model. The contracts are played by two of `pimc`, who see only their own cards. The value of the same contract
with open cards is kept beside it: its mean over all deals is the model's gap exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.towers_and_bowers.solutions.hidden_values import best_deal_value
from towerlab.analysis.towers_and_bowers.upcard.answers import SEATS
from towerlab.analysis.towers_and_bowers.upcard.played import Contracts, Decision, find_decision, follow
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import mask_cards, suit_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.hand import DEALER, NONDEALER, deal_hand, new_record, play_contracts
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, make_model, rules_of
from towerlab.sim.towers_and_bowers.players import PIMC
from towerlab.solver.towers_and_bowers.upcard import named_suits
from towerlab.solver.two_hands.tablebase import load_tables, printed_tricks

OPTIONS: Final = TowersAndBowersOptions(early_stop=False)  # all tricks are counted
MT: Final = 1000.0
COLUMNS: Final = (
    *("cards", "seat", "round", "hand", "up", "reached", "gap", "truth", "deals"),
    *("played", "open", "played_variance", "open_variance", "covariance"),
)


class Table:
    """Where contracts are played: the players, what they believe, and what tricks are worth."""

    def __init__(self) -> None:
        values = (0.0, *(best_deal_value(cards).dealer for cards in range(1, LARGEST_HAND + 1)))
        self._rules, self._model, self._record = rules_of(OPTIONS), make_model(OPTIONS, values), new_record()

    def values(
        self, decision: Decision, rows: Ints, made: Contracts, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """float64[rows] twice, mt for the asker: of the contracts as they are played, and with open cards."""
        view, theirs = decision.weighing.view, decision.layouts[rows]
        mine = np.full(len(rows), view.hand)
        hands = np.stack([theirs, mine] if view.dealer else [mine, theirs], axis=1)
        accepted = made.suit == ACCEPTED
        discards = [
            mask_cards(int(hand))[place] if by else NO_CARD
            for hand, place, by in zip(hands[:, DEALER], made.given, accepted, strict=True)
        ]
        trumps = np.array([*named_suits(view.up), suit_of(view.up)])[made.suit]
        contracts = np.stack([made.bidder, trumps, discards], axis=1)
        taken = np.empty(len(rows), dtype=np.int64)
        play_contracts(
            (PIMC, PIMC), hands, view.up, contracts, self._rules, self._model, random, self._record, taken
        )  # fmt: skip
        kept = [
            dealt if card == NO_CARD else (dealt | 1 << view.up) & ~(1 << card)
            for dealt, card in zip(hands[:, DEALER].tolist(), discards, strict=True)
        ]
        leads = zip(hands[:, NONDEALER].tolist(), kept, trumps.tolist(), strict=True)
        seen = [int(printed_tricks(load_tables(), *position)) for position in leads]
        played, open_cards = (MT * decision.payoffs[made.bidder, tricks] for tricks in (taken, seen))
        return (MT - played, MT - open_cards) if view.dealer else (played, open_cards)


# ------------------------------------------------------------------------------------------------------------ the chunk


def count_chunks(parameters: Mapping[str, Any]) -> int:
    """As many as were asked for.

    Raises:
        TowerlabError: a hand size of which nothing can be played out.
    """
    _sizes(parameters)
    return int(parameters["chunks"])


def _sizes(parameters: Mapping[str, Any]) -> list[int]:
    sizes = [str(size) for size in parameters["sizes"]]
    wrong = [size for size in sizes if size not in tuple("234567")]
    if wrong or not sizes:
        raise TowerlabError(f"sizes={','.join(sizes)} cannot be; expected hand sizes from 2 to {LARGEST_HAND}")
    return [int(size) for size in sizes]


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a hand: the model's gap and, over its deals, mean and variance of both gaps; all in mt."""
    random, table, rows = np.random.default_rng(seed), Table(), []
    for cards in _sizes(parameters):
        for seat in SEATS:
            for turn, hands in ((1, parameters["hands"]), (2, parameters["second_round_hands"])):
                for _ in range(hands):
                    decision = _draw_decision(cards, seat == SEATS[0], turn == 2, parameters["widest"], random)
                    rows.append((cards, seat, turn, *_measure(decision, table, parameters["deals"], random)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _draw_decision(
    cards: int, dealer: bool, second_round: bool, widest: float, random: np.random.Generator
) -> Decision:
    """Of a random deal, the gap being less than `widest` mt."""
    while True:
        first, second, up = deal_hand(cards, random)
        decision = find_decision(second if dealer else first, up, dealer, second_round)
        if MT * abs(decision.gap) < widest:
            return decision


def _measure(decision: Decision, table: Table, deals: int, random: np.random.Generator) -> tuple[Any, ...]:
    """Both calls on the same deals."""
    weighing, paths = decision.weighing, decision.weighing.way.paths()
    weights = paths.second if decision.second_round else paths.first
    rows = random.choice(len(weights), size=deals, p=weights / weights.sum())
    first, second = (
        np.array(table.values(decision, rows, follow(decision, call, rows, random), random)) for call in decision.calls
    )
    gaps = first - second
    (played_variance, covariance), (_, open_variance) = np.cov(gaps).tolist()
    reported = decision.reached, MT * decision.gap, MT * decision.truth, deals, *gaps.mean(1).tolist()
    return weighing.view.hand, weighing.view.up, *reported, played_variance, open_variance, covariance
