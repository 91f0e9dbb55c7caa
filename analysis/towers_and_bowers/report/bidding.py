"""The section on what bidding rules cost."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from analysis.report.bidding.page import by_kind, checks_of_costs, make_up
from analysis.report.cards import card_html
from analysis.report.checks import Check, adds_up, agrees
from analysis.report.page import Section
from analysis.report.prose import read_section
from analysis.report.studies import Run
from analysis.towers_and_bowers.studies.bidding_accuracy import BOTH, reference_in_words
from games.cards import parse_card
from games.towers_and_bowers import LARGEST_HAND


def bidding_section(run: Run) -> Section:
    """What rules cost, decision lists, the players' ten costliest decisions."""
    about = (
        "First decisions (accept the up-card or pass), every hand size and seat equally often, random hands; calls "
        f"that the reference finds indifferent are no decisions. Made by `{run.command}`."
    )
    frame = run.tables["mistakes"]
    frame = frame[frame["cost_mt"] > 0].reset_index(drop=True)
    values = {
        "bidding": run, "kinds": by_kind(run), "unit": "mt a decision", "form": ".1f", "about": about,
        "size": f"n = 1 to {LARGEST_HAND}", "model": f"reference: {reference_in_words(run.summary['reference'])}",
        "mistakes": frame.assign(seat=np.where(frame.pop("dealer"), "dealer", "non-dealer")), "shown": _show_cards,
    }  # fmt: skip
    return read_section('## What bidding rules cost {#rules}\n\n{% include "bidding.md" %}', values, run.rules)


def _show_cards(text: str) -> Markup:
    return Markup("\u00a0").join(card_html(parse_card(card)) for card in text.split())


def checks_of_the_bidding(run: Run) -> tuple[Check, ...]:
    """The seats make up both, and the two constant rules make up all decisions."""
    rules = run.tables["rules"]
    constant = rules[(rules["kind"] == BOTH) & rules["rule"].isin(("always accept", "never accept"))]
    first = run.tables["lists"].iloc[0]
    return (
        *checks_of_costs(run),
        *make_up(rules, BOTH),
        adds_up("always and never accepting lose nothing in every decision together", constant["no_worse"], 1.0),
        agrees(
            "the list of one clause costs what that constant rule costs",
            first["cost"],
            constant.set_index("rule")["cost"]["always accept" if "accept" in first["rule"] else "never accept"],
        ),
    )
