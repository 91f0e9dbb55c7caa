"""A page of Towers & Bowers over made-up and very small studies."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd

from analysis.report import Page
from analysis.report.studies import Run
from analysis.study import map_chunks
from analysis.towers_and_bowers.report import PLAYED
from analysis.towers_and_bowers.report.page import build_page
from analysis.towers_and_bowers.report.view import (
    SEATS,
    Scope,
)
from games.cards import effective_suit, mask_cards, rank_of
from solver.towers_and_bowers.classes import up_card_classes

CARDS = 3


NEXT_DEAL = 0.7


SPADES = 3


SCOPE = Scope("default rules", CARDS, 6_006)


def side(hand: int) -> int:
    """Side strength, card by card."""
    worth = {12: 3, 11: 2, 10: 1}
    return sum(worth.get(rank_of(card), 0) for card in mask_cards(hand) if effective_suit(card, SPADES, True) != SPADES)


def trumps(hand: int) -> int:
    return sum(effective_suit(card, SPADES, True) == SPADES for card in mask_cards(hand))


@functools.cache
def book() -> pd.DataFrame:
    """Accepting gains with trumps and side cards; the dealer passes without a trump and with a red jack."""
    hands, ups, weights = up_card_classes(CARDS)
    held = np.array([trumps(hand) for hand in hands.tolist()])
    points = np.array([side(hand) for hand in hands.tolist()])
    jacks = (hands >> 22 & 1) + (hands >> 35 & 1)
    rows: dict[str, Any] = {"hand": hands, "up": ups.astype(np.int8), "weight": weights.astype(np.int8), "trumps": held}
    for seat in SEATS:
        make = 0.1 + 0.15 * held + 0.03 * points
        if seat == "nondealer":
            passing = make - 0.02 * (held >= 2)
        else:
            passing = make - 0.05 - 0.1 * held + 0.06 * jacks + 0.001 * (ups % 13)
        for names, ahead in (
            (("sweep", "make", "set", "swept"), make),
            (("pass_sweep", "pass_ahead", "pass_behind", "pass_swept"), passing),
        ):
            values = (np.full(len(hands), 0.03), ahead, 0.95 - ahead, np.full(len(hands), 0.02))
            rows |= {f"{seat}_{name}": value for name, value in zip(names, values, strict=True)}
        rows[f"{seat}_accept"] = 0.03 + NEXT_DEAL * make + (1 - NEXT_DEAL) * (0.95 - make)
        rows[f"{seat}_pass"] = 0.03 + NEXT_DEAL * passing + (1 - NEXT_DEAL) * (0.95 - passing)
    rows["discard"] = np.array([mask_cards(hand)[0] for hand in hands.tolist()], dtype=np.int8)
    return pd.DataFrame(rows)


def deal_values() -> pd.DataFrame:
    accepted = float(np.average(book()["nondealer_accept"], weights=book()["weight"]))
    dealer = [0.9, NEXT_DEAL, 1 - accepted, 0.66, 0.65, 0.6, 0.58]
    return pd.DataFrame({"cards": range(1, 8), "dealer": dealer, "deals": [10**n for n in range(7)]})


def build(changed: pd.DataFrame | None = None, values: pd.DataFrame | None = None) -> Page:
    made_from = book() if changed is None else changed
    values = deal_values() if values is None else values
    return build_page(made_from, values, runs(), "default rules", "towerlab report x")


SMALL: dict[str, dict[str, Any]] = {
    "tournament": {"chunks": 1, "pairs": 8, "tower_units": 2, "match_units": 2},
    "bidding-accuracy": {"chunk_pairs": 1, "deals": 4},
    "double-dummy-gap": {"chunks": 1, "hands": 20},
    "claim-accuracy": {"chunks": 1, "matches": 2},
}


@functools.cache
def runs() -> dict[str, Run]:
    """Every study of played matches, as small as it gets."""
    done = {}
    for study in (part.study for part in PLAYED):
        parameters = {**study.parameters, **SMALL[study.name]}
        chunks = study.count_chunks(parameters)
        tables = map_chunks(study.run_chunk, chunks, seed=3, jobs=1, parameters=parameters, quiet=True)
        done[study.name] = Run(study, 3, study.combine(tables, parameters), SMALL[study.name])
    return done


@functools.cache
def page() -> Page:
    return build()
