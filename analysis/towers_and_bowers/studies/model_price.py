"""The study `model-price`: what bidders who believe in a model lose in the game itself, where it has been solved.

The means over up-cards are kept in ``data/model_price.csv``, put together from ``model-price-N.csv`` of the study for
N = 1, 2, 3 (`mean_losses`).

A bidder takes calls and discards from a model and plays cards as the solved hand does. The loss of a seat is
what its best possible opponent wins from it beyond the value of the game: exact, over all deals, and as sure as the
solution is hard to exploit. Where a model's discards lead to cards that the solution never holds, play follows what
it has learnt for them all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.study.folder import Checkpoint
from towerlab.analysis.towers_and_bowers.simulation import believed_deal_values
from towerlab.analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, load_model_bidding
from towerlab.analysis.towers_and_bowers.solutions.shipped import shipped_frame
from towerlab.analysis.towers_and_bowers.studies.whole_hand import count_chunks, measure, solve_up_card, warm_up
from towerlab.games.cards import card_text
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.knowledge import make_model, rules_of
from towerlab.sim.towers_and_bowers.plans import bidding_of
from towerlab.solver.towers_and_bowers.bidding import BiddingStrategies, Deals
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, by_class
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import UP_SUIT

EQUILIBRIUM: Final = "equilibrium"
PERFECT_INFORMATION: Final = "perfect information"
PARAMETERS: Final = {"cards": 3, "next_deal": None, "target": 1e-5, "every": None, "most": None, "floor": 1e-8}


def run_chunk(
    chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any], checkpoint: Checkpoint
) -> pd.DataFrame:
    """Solve one up-card and let every bidder meet their best opponent (nothing is drawn: the seed is not used)."""
    rank = UP_RANKS[chunk]
    solver, _ = solve_up_card(rank, parameters, checkpoint)
    game, everywhere = solver.game, solver.strategy(everywhere=True)
    value = measure(game, rank, solver.strategy())[0]
    deals, own = by_class(game, rank, solver.strategy())
    rows = []
    for bidder, bidding in ((EQUILIBRIUM, own), *_believers(deals, rank)):
        middle, gain, _ = measure(game, rank, as_strategy(game, rank, deals, bidding, everywhere.play))
        rows.append((game.cards, card_text(13 * UP_SUIT + rank), bidder, value - middle + gain, middle + gain - value))
    return pd.DataFrame(rows, columns=["cards", "up", "bidder", "nondealer_loss", "dealer_loss"])


def _believers(deals: Deals, rank: int) -> Iterator[tuple[str, BiddingStrategies]]:
    stored = load_model_bidding(deals.cards, rank)
    if stored is not None:
        yield DOUBLE_DUMMY, stored.strategies
    options = TowersAndBowersOptions()
    model = make_model(options, believed_deal_values(options))
    yield PERFECT_INFORMATION, bidding_of("pimc", deals, rules_of(options), model)


def mean_losses(losses: pd.DataFrame) -> pd.DataFrame:
    """Losses of both seats by hand size and bidder: means over the up-cards, which are equally likely."""
    return losses.groupby(["cards", "bidder"], as_index=False)[["nondealer_loss", "dealer_loss"]].mean()


def stored_losses() -> pd.DataFrame:
    """What ``data/model_price.csv`` has: cards, bidder, nondealer_loss, dealer_loss in P(win the tower)."""
    return shipped_frame("model_price.csv")


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Losses by up-card, and their means."""
    losses = pd.concat(tables, ignore_index=True)
    means = mean_losses(losses).set_index("bidder")[["nondealer_loss", "dealer_loss"]]
    return StudyResult(
        {f"model-price-{parameters['cards']}": losses},
        {"cards": int(parameters["cards"]), "mean_losses": means.to_dict("index")},
    )


MODEL_PRICE: Final = Study(
    game="towers-and-bowers",
    name="model-price",
    help="What bidders who believe in a model lose to a best response in the game itself: hands of 1, 2 or 3 cards.",
    parameters=PARAMETERS,
    count_chunks=count_chunks,
    run_chunk=run_chunk,
    combine=combine,
    warm_up=warm_up,
    keeps_checkpoints=True,
)
