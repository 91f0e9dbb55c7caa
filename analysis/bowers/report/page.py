"""The Bowers report as a page, and what on it has to add up."""

from __future__ import annotations

from typing import Final

from analysis.bowers.auctions import RUNGS
from analysis.bowers.claim_accuracy import CLAIMING
from analysis.bowers.misere_findings import value_needing
from analysis.bowers.report.data import SIZE, WARNING, ReportData
from analysis.bowers.report.figures import (
    best_bids_figure,
    bury_figure,
    holdings_table,
    jokers_table,
    kitty_table,
    levels_table,
    makes_figure,
    misere_figure,
    misere_hands_table,
    misere_success_table,
    policies_figure,
    rule_table,
    rungs_figure,
)
from analysis.bowers.report.words import (
    answer,
    bids_words,
    hands_words,
    joker_words,
    key_numbers,
    kitty_words,
    method,
    misere_words,
    rule_words,
    rungs_words,
)
from analysis.bowers.studies import BIDS
from analysis.claims.page import claims_report
from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.page import Page, Section, rules_in_force
from analysis.report.studies import Part, Report, Runs
from games.bowers import BowersOptions


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the two studies, once they have been run."""
    bids, rungs = runs[BIDS.name], runs[RUNGS.name]
    tables, summary = {**bids.tables, **rungs.tables}, {**bids.summary, **rungs.summary}
    return build_page(ReportData(tables, summary, rules_in_force(BowersOptions()), seed), command)


CLAIMS_PAGE: Final = claims_report(CLAIMING, "Bowers", SIZE)

REPORT: Final = Report(
    "bowers",
    build,
    (Part(BIDS, {"hands": 5_000, "bury_hands": 960}), Part(RUNGS, {"pimc_deals": 1_000})),
    pages={CLAIMS_PAGE.page: CLAIMS_PAGE},
)


def build_page(data: ReportData, command: str) -> Page:
    """The whole report.

    Args:
        data: tables of the study.
        command: what makes the page again.
    """
    return Page(
        title="Bowers",
        question="What is a hand worth, what do the kitty and a good bury add, and what should misère be worth?",
        answer=answer(data),
        warning=WARNING,
        sections=(
            Section("hands", "What hands make what", (hands_words(data), makes_figure(data), holdings_table(data))),
            Section("counting", "Counting tricks", (*rule_words(data), rule_table(data), policies_figure(data))),
            Section("bids", "Which bid", (bids_words(data), best_bids_figure(data), levels_table(data))),
            Section(
                "kitty-and-bury", "Kitty, bury, lead", (kitty_words(data), kitty_table(data), bury_figure(data))
            ),
            Section(
                "misere", "Misère",
                (misere_words(data), misere_figure(data), misere_hands_table(data), misere_success_table(data)),
            ),
            Section("auctions", "Auctions between players", (rungs_words(data), rungs_figure(data))),
            Section("joker", "With a joker", (joker_words(data), jokers_table(data))),
        ),
        method=Section("method", "Method", method(data)),
        command=command,
        checks=checks(data),
        key_numbers=key_numbers(data),
        sources={"studies": ["bids", "rungs"], "seed": data.seed},
    )  # fmt: skip


def checks(data: ReportData) -> tuple[Check, ...]:
    tables = data.tables
    makes = tables["makes"].pivot(index="holding", columns="level", values="mean")
    misere = tables["misere-values"]
    policies = tables["policies"]
    ten = misere[misere["value"] == 10].iloc[0]
    lost = 10 * (2 * ten["needed"] - 1) / (1 - ten["needed"])
    return (
        adds_up("every hand has one best bid", tables["best-bids"]["mean"], 1.0),
        holds("more tricks are made less often", (makes.diff(axis=1).iloc[:, 1:] <= 1e-12).all(axis=None)),
        holds(
            "every mean lies in its interval",
            all(
                ((frame["low"] <= frame["mean"] + 1e-12) & (frame["mean"] <= frame["high"] + 1e-12)).all()
                for frame in (tables["makes"], tables["kitty"], tables["jokers"], tables["misere-success"])
            ),
        ),
        holds("a pass scores nothing", (policies[policies["way"] == "pass"]["points"] == 0).all()),
        vanishes(
            "costs are differences of points", policies["points"].max() - policies["points"] - policies["cost"], 1e-9
        ),
        agrees("the needed success of misère gives back its value", value_needing(ten["needed"], lost), 10.0, 1e-6),
        *(
            adds_up(f"every deal of {lineup} ends on one rung", part["share"], 1.0)
            for lineup, part in tables["rungs"].groupby("lineup")
        ),
        holds("all packs have misères", set(misere["joker"]) == {"none", "replace_7c", "add"}),
    )
