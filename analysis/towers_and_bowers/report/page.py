"""The Towers & Bowers report as a page: what its file of prose names, and its checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from towerlab.analysis.claims.accuracy import checks_of_claims, claims_values
from towerlab.analysis.report.page import Page
from towerlab.analysis.report.prose import read_page
from towerlab.analysis.report.studies import Run
from towerlab.analysis.towers_and_bowers.questions.upcard import UpcardQuestion
from towerlab.analysis.towers_and_bowers.report.card import MT_A_POINT, TableCard, draw, hands_in_order
from towerlab.analysis.towers_and_bowers.report.choices import checks_of_the_choices, choices_values
from towerlab.analysis.towers_and_bowers.report.lookup import (
    chart,
    chart_in_words,
    charted_kinds,
    checks_of_kinds,
    every_pair,
    up_name,
)
from towerlab.analysis.towers_and_bowers.report.view import CHARTED, SIZES
from towerlab.analysis.towers_and_bowers.solutions.deal_value import open_deal_values
from towerlab.analysis.towers_and_bowers.solutions.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.studies.call_rules import sentence
from towerlab.analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from towerlab.analysis.towers_and_bowers.studies.rule_options import RULE_OPTIONS
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import RULES_OF_THUMB
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES


def build_page(runs: Mapping[str, Run], command: str) -> Page:
    """The whole report.

    Args:
        runs: the sampled studies, by name.
        command: what makes the page again.
    """
    card = TableCard()
    kinds = charted_kinds()
    thumb, claiming, changes = (runs[study.name] for study in (RULES_OF_THUMB, CLAIMING, RULE_OPTIONS))
    worked = UpcardQuestion(*card.worst_to_accept(6), dealer=False).answer()
    assert worked.model_error is not None
    costs = card.frame()
    values: dict[str, Any] = {
        "costs": costs,
        "ordered": hands_in_order(LARGEST_STORED),
        "drawn": draw,
        "dealer_rule": sentence("dealer"),
        "other_rule": sentence("nondealer"),
        "hands": card.hands,
        "worked": worked,
        "spades": SPADES,
        "error": worked.model_error / MT_A_POINT,
        "kinds": kinds,
        "picture": chart,
        "in_words": chart_in_words,
        "every_pair": every_pair,
        "rank": up_name,
        "charted": CHARTED,
        "sizes": SIZES,
        "changes": changes.tables["changes"],
        "seeds": {name: run.seed for name, run in runs.items()},
        "largest": LARGEST_STORED,
        "solved": SIZES[LARGEST_STORED],
        "modelled": SIZES[LARGEST_STORED + 1],
        **choices_values(thumb),
        "claims": claims_values(claiming, "matches"),
        "commands": [run.command for run in runs.values()],
    }
    checks = (
        *card.checks(),
        *checks_of_kinds(kinds, card),
        *checks_of_the_choices(thumb),
        *checks_of_claims(claiming),
    )
    return read_page(
        "towerlab.analysis.towers_and_bowers.report",
        "page.md",
        values,
        command=command,
        checks=checks,
        sources={"studies": {name: run.command for name, run in runs.items()}},
        quantities={f"W({value.cards}), perfect information": value.dealer for value in open_deal_values()},
    )
