"""What the generic commands find of Towers & Bowers: its studies, its report and its kernels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final

from analysis.study import Study
from analysis.towers_and_bowers import claims, review
from analysis.towers_and_bowers import simulation as match_simulation
from analysis.towers_and_bowers.solutions.deal_value import combine_outcomes, count_outcome_chunks, count_outcomes
from analysis.towers_and_bowers.studies import bidding_solution as bidding_equilibrium
from analysis.towers_and_bowers.studies import model_price, value_bounds
from analysis.towers_and_bowers.studies import whole_hand as hand_equilibrium
from analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from analysis.towers_and_bowers.upcard.asking import METHODS, SEATS, ask_upcard
from analysis.towers_and_bowers.upcard.book import BOOK
from solver.towers_and_bowers.bidding import FLOOR

DEAL_OUTCOMES: Final = Study(
    game="towers-and-bowers",
    name="deal-outcomes",
    help="Count all deals of 1..7 cards by what each contract yields: the data file behind W(n).",
    parameters={"most_cards": 7},
    count_chunks=count_outcome_chunks,
    run_chunk=count_outcomes,
    combine=combine_outcomes,
)

EQUILIBRIUM_BIDDING: Final = Study(
    game="towers-and-bowers",
    name="equilibrium-bidding",
    help="The bidding equilibrium on double-dummy play, for every class of hand and up-card, with its exploitability.",
    parameters={"cards": 4, "next_deal": None, "steps": None, "rounds": 1, "floor": FLOOR},
    count_chunks=bidding_equilibrium.count_chunks,
    run_chunk=bidding_equilibrium.solve_chunk,
    combine=bidding_equilibrium.combine_chunks,
    warm_up=bidding_equilibrium.warm_up,
)

VALUE_BOUNDS: Final = Study(
    game="towers-and-bowers",
    name="value-bounds",
    help="Bounds of W(n): players of habits against an opponent who sees all cards, in sampled deals.",
    parameters={"chunks": 12},
    count_chunks=value_bounds.count_chunks,
    run_chunk=value_bounds.run_chunk,
    combine=value_bounds.combine,
    warm_up=value_bounds.warm_up,
)

HAND_EQUILIBRIUM: Final = Study(
    game="towers-and-bowers",
    name="hand-equilibrium",
    help="Solve the whole hand of 1, 2 or 3 cards with hidden hands, bidding, discard and play; how exploitable it is.",
    parameters=hand_equilibrium.PARAMETERS,
    count_chunks=hand_equilibrium.count_chunks,
    run_chunk=hand_equilibrium.solve_chunk,
    combine=hand_equilibrium.combine_chunks,
    warm_up=hand_equilibrium.warm_up,
    keeps_checkpoints=True,
)

MODEL_PRICE: Final = Study(
    game="towers-and-bowers",
    name="model-price",
    help="What bidders who believe in a model lose to a best response in the game itself: hands of 1, 2 or 3 cards.",
    parameters=model_price.PARAMETERS,
    count_chunks=hand_equilibrium.count_chunks,
    run_chunk=model_price.run_chunk,
    combine=model_price.combine,
    warm_up=hand_equilibrium.warm_up,
    keeps_checkpoints=True,
)

STUDIES: Final[Mapping[str, Study]] = {
    study.name: study
    for study in (
        ANSWER_BOOK,
        BOOK,
        DEAL_OUTCOMES,
        HAND_EQUILIBRIUM,
        MODEL_PRICE,
        EQUILIBRIUM_BIDDING,
        VALUE_BOUNDS,
        TOURNAMENT,
        BIDDING,
        CLAIMING,
        GAP,
    )
}


def warm_up() -> None:
    """Compile every kernel that an answer of this game needs."""
    for seat, method in itertools.product(SEATS, METHODS):
        ask_upcard("JS AH", "QS", seat, method=method)
    claims.warm_up()
    review.warm_up()
    match_simulation.warm_up()
