"""What the generic commands find of Towers & Bowers: its studies, its report and its kernels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final

from analysis.study import Study
from analysis.towers_and_bowers import claims, review
from analysis.towers_and_bowers import simulation as match_simulation
from analysis.towers_and_bowers.studies import bidding_solution, model_price, value_bounds, whole_hand
from analysis.towers_and_bowers.studies.answer_book import ANSWER_BOOK
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.deal_outcomes import DEAL_OUTCOMES
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from analysis.towers_and_bowers.upcard.answers import METHODS, SEATS
from analysis.towers_and_bowers.upcard.asking import ask_upcard
from analysis.towers_and_bowers.upcard.book import BOOK
from solver.towers_and_bowers.bidding import FLOOR

EQUILIBRIUM_BIDDING: Final = Study(
    game="towers-and-bowers",
    name="equilibrium-bidding",
    help="The bidding equilibrium on double-dummy play, for every class of hand and up-card, with its exploitability.",
    parameters={"cards": 4, "next_deal": None, "steps": None, "rounds": 1, "floor": FLOOR},
    count_chunks=bidding_solution.count_chunks,
    run_chunk=bidding_solution.solve_chunk,
    combine=bidding_solution.combine_chunks,
    warm_up=bidding_solution.warm_up,
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
    parameters=whole_hand.PARAMETERS,
    count_chunks=whole_hand.count_chunks,
    run_chunk=whole_hand.solve_chunk,
    combine=whole_hand.combine_chunks,
    warm_up=whole_hand.warm_up,
    keeps_checkpoints=True,
)

MODEL_PRICE: Final = Study(
    game="towers-and-bowers",
    name="model-price",
    help="What bidders who believe in a model lose to a best response in the game itself: hands of 1, 2 or 3 cards.",
    parameters=model_price.PARAMETERS,
    count_chunks=whole_hand.count_chunks,
    run_chunk=model_price.run_chunk,
    combine=model_price.combine,
    warm_up=whole_hand.warm_up,
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
