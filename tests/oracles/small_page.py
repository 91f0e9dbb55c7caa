"""A page of Towers & Bowers over very small studies."""

from __future__ import annotations

import functools
from typing import Any

import pandas as pd

from towerlab.analysis.report.page import Page
from towerlab.analysis.report.render import render_page
from towerlab.analysis.report.studies import Run
from towerlab.analysis.study import map_chunks
from towerlab.analysis.study.definition import default_parameters
from towerlab.analysis.towers_and_bowers.report import PLAYED
from towerlab.analysis.towers_and_bowers.report.page import build_page
from towerlab.analysis.towers_and_bowers.studies import STUDIES
from towerlab.games.cards import effective_suit, mask_cards, rank_of

SPADES = 3


def side(hand: int) -> int:
    """Side strength, card by card."""
    worth = {12: 3, 11: 2, 10: 1}
    return sum(worth.get(rank_of(card), 0) for card in mask_cards(hand) if effective_suit(card, SPADES, True) != SPADES)


def trumps(hand: int) -> int:
    return sum(effective_suit(card, SPADES, True) == SPADES for card in mask_cards(hand))


SMALL = {part.study.name: part.small for part in PLAYED}


@functools.cache
def small_chunks(name: str) -> list[pd.DataFrame]:
    """The chunks of a study as small as it gets."""
    study = STUDIES[name]
    parameters = small_parameters(name)
    return map_chunks(
        study.run_chunk, study.count_chunks(parameters), seed=3, jobs=1, parameters=parameters, quiet=True
    )


def small_parameters(name: str) -> dict[str, Any]:
    return {**default_parameters(STUDIES[name]), **SMALL[name]}


def small_run(name: str) -> Run:
    study = STUDIES[name]
    return Run(study, 3, study.combine(small_chunks(name), small_parameters(name)), SMALL[name])


@functools.cache
def runs() -> dict[str, Run]:
    """Every study of the page."""
    return {part.study.name: small_run(part.study.name) for part in PLAYED}


@functools.cache
def page() -> Page:
    return build_page(runs(), "towerlab report x")


@functools.cache
def written() -> str:
    return render_page(page())
