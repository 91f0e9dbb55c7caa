"""The Towers & Bowers report as a page: its sections in order, what the deal is worth, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from analysis.claims.page import checks_of_claims, claims_values
from analysis.report.page import Page, Points, Section
from analysis.report.prose import read_section
from analysis.report.studies import Run
from analysis.towers_and_bowers.report.bidding import bidding_section, checks_of_the_bidding
from analysis.towers_and_bowers.report.card import TableCard
from analysis.towers_and_bowers.report.choices import checks_of_the_choices, choices_section, play_section
from analysis.towers_and_bowers.report.lookup import Lookup, every_pair
from analysis.towers_and_bowers.report.view import SIZES
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.rules_of_thumb import RULES_OF_THUMB
from games.towers_and_bowers import LARGEST_HAND
from solver.two_hands.tablebase import POSITIONS

WARNING: Final = (
    "Equilibrium: neither player sees the other's hand while they bid, and no other way of bidding gains. Up to three "
    "cards that is the game itself, to the last card; from four on both see all cards once the bidding is over, which "
    "no player does. Where “both saw all cards” is written, they see them from the call on: a comparison, not advice."
)


def build_page(runs: Mapping[str, Run], rules: str, command: str) -> Page:
    """The whole report.

    Args:
        runs: the sampled studies, by name.
        rules: `analysis.report.rules_in_force` of the options.
        command: what makes the page again.
    """
    card, lookup = TableCard(), Lookup(rules)
    claims = {"claims": claims_values(runs[CLAIMING.name], "matches"), "size": f"n = 2 to {LARGEST_HAND}"}
    striking = (
        Markup("Found by a criterion, not picked by eye; <code>towerlab upcard</code> answers them one by one."),
        lookup.striking_hands(),
    )
    return Page(
        title="Towers & Bowers: accept or pass?",
        question="The up-card lies open: who should accept it, with what, and how much is at stake?",
        answer=card.sentences(),
        warning=WARNING,
        key_numbers=card.key_numbers(),
        sections=(
            Section("rule", "The rule for the table", (card.table(rules),)),
            lookup.section(),
            Section("striking", "Striking hands", striking),
            choices_section(runs[RULES_OF_THUMB.name], rules),
            play_section(runs[RULES_OF_THUMB.name]),
            read_section('{% include "claims.md" %}', claims, runs[CLAIMING.name].rules),
            bidding_section(runs[BIDDING.name]),
        ),
        method=Section("method", "Method", (_method(runs),)),
        command=command,
        checks=(
            *card.checks(),
            *lookup.checks(card),
            *checks_of_the_choices(runs[RULES_OF_THUMB.name]),
            *checks_of_the_bidding(runs[BIDDING.name]),
            *checks_of_claims(runs[CLAIMING.name]),
        ),
        sources={"studies": {name: run.command for name, run in runs.items()}},
    )


def _method(runs: Mapping[str, Run]) -> Points:
    return Points(
        (
            f"Every hand of one to seven cards with every up-card, {sum(map(every_pair, SIZES)):,} in all, answered as "
            "`towerlab upcard` answers them; every deal is equally likely. Made by `towerlab study towers-and-bowers "
            "answer-book`, whose tables ship.",
            "The other bids as in equilibrium, each bid at least now and then, so that every decision has an answer; "
            "what they hold is weighed by how likely they are to have bid so. From four cards on the play comes from a "
            f"table of all {POSITIONS:,} two-hand positions.",
            "mt: one thousandth of a tower, 0.001 of P(win the tower), a decision. Gap: the value of accepting less "
            "that of passing.",
            "What counts as a finding: its interval leaves out nought; a maximum, a minimum and “the cheapest” say of "
            "how many. Intervals are those of single numbers. No interval stands where fewer than twenty cases, or "
            "cases that are all alike, would make it.",
            "Only the sections on discards and suits, leads, claims, bidding rules, players and the gap are sampled. "
            f"They come from these studies: {'; '.join(f'`{run.command}`' for run in runs.values())}.",
        )
    )
