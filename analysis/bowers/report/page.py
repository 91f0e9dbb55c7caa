"""The Bowers report as a page, and what on it has to add up."""

from __future__ import annotations

from typing import Final

from analysis.bowers.auctions import RUNGS
from analysis.bowers.bidding_accuracy import BIDDING
from analysis.bowers.claim_accuracy import CLAIMING
from analysis.bowers.report.bidding import (
    bidding_words,
    calls_table,
    card,
    checks_of_the_card,
    count_table,
)
from analysis.bowers.report.data import BIDDING_MODEL, SIZE, WARNING, ReportData
from analysis.bowers.report.figures import (
    bury_figure,
    holdings_table,
    jokers_table,
    kitty_table,
    levels_table,
    makes_figure,
    misere_figure,
    misere_hands_table,
    misere_success_table,
    rungs_figure,
)
from analysis.bowers.report.words import (
    hands_words,
    joker_words,
    key_numbers,
    kitty_words,
    method,
    misere_words,
    needs_words,
    rungs_words,
)
from analysis.bowers.studies import BIDS
from analysis.claims.page import ClaimsData, checks_of_claims, claims_section
from analysis.report.bidding.page import BiddingCosts
from analysis.report.checks import Check, adds_up, holds
from analysis.report.intervals import in_intervals
from analysis.report.page import Page, Section, rules_in_force
from analysis.report.studies import Part, Report, Runs
from games.bowers import BowersOptions

ABOUT_COSTS: Final = (
    "First calls, the players before having called as novices. The reference makes the call that is best on all "
    "layouts but an eighth and is scored on that eighth. Counts and margins were fitted on other deals."
)


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of its studies, once they have been run."""
    parts = [runs[study.name] for study in (BIDS, RUNGS, BIDDING)]
    tables = {name: table for part in parts for name, table in part.tables.items()}
    summary = {name: value for part in parts for name, value in part.summary.items()}
    costs = BiddingCosts(runs[BIDDING.name], "points a deal", ".2f", SIZE, BIDDING_MODEL, ABOUT_COSTS)
    claims = ClaimsData(runs[CLAIMING.name], SIZE)
    return build_page(ReportData(tables, summary, rules_in_force(BowersOptions()), seed), costs, claims, command)


REPORT: Final = Report(
    "bowers",
    build,
    (
        Part(BIDS, {"hands": 5_000, "bury_hands": 960}),
        Part(RUNGS, {"pimc_deals": 120}),
        Part(BIDDING, {"decisions": 600}),
        Part(CLAIMING, {"chunks": 60}),  # two minutes of one core
    ),
)


def build_page(data: ReportData, costs: BiddingCosts, claims: ClaimsData, command: str) -> Page:
    """The whole report.

    Args:
        data: tables of the studies.
        costs: of bidding rules.
        claims: of ways of claiming.
        command: what makes the page again.
    """
    return Page(
        title="Bowers",
        question="How to count a hand and what to bid; what passing, the kitty, a good bury and misère are worth.",
        answer=card(data),
        warning=WARNING,
        sections=(
            Section(
                "bidding-accuracy", "Bidding accuracy",
                (costs.words(), bidding_words(data), count_table(data), costs.rules_figure(), costs.lists_figure(),
                 calls_table(data)),
            ),
            Section("hands", "What hands make what", (hands_words(data), makes_figure(data), holdings_table(data))),
            Section("bids", "What a bid needs", (needs_words(data), levels_table(data))),
            Section(
                "kitty-and-bury", "Kitty, bury, lead", (kitty_words(data), kitty_table(data), bury_figure(data))
            ),
            Section(
                "misere", "Misère",
                (misere_words(data), misere_figure(data), misere_hands_table(data), misere_success_table(data)),
            ),
            Section("auctions", "Auctions between players", (rungs_words(data), rungs_figure(data))),
            claims_section(claims),
            Section("joker", "With a joker", (joker_words(data), jokers_table(data))),
        ),
        method=Section("method", "Method", method(data)),
        command=command,
        checks=(*checks(data), *costs.checks(), *checks_of_claims(claims)),
        key_numbers=key_numbers(data),
        sources={"studies": ["bids", "rungs", "bidding-accuracy", "claim-accuracy"], "seed": data.seed},
    )  # fmt: skip


def checks(data: ReportData) -> tuple[Check, ...]:
    tables = data.tables
    makes = tables["makes"].pivot(index="holding", columns="level", values="mean")
    misere = tables["misere-values"]
    return (
        *checks_of_the_card(data),
        holds("more tricks are made less often", (makes.diff(axis=1).iloc[:, 1:] <= 1e-12).all(axis=None)),
        in_intervals(
            "every mean lies in its interval",
            *(tables[name] for name in ("makes", "kitty", "jokers", "misere-success")),
        ),
        *(
            adds_up(f"every deal of {lineup} ends on one rung", part["share"], 1.0)
            for lineup, part in tables["rungs"].groupby("lineup")
        ),
        holds("all packs have misères", set(misere["joker"]) == {"none", "replace_7c", "add"}),
    )
