"""The Towers & Bowers report as a page: its sections in order, what the deal is worth, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
from markupsafe import Markup

from analysis.claims.page import ClaimsData, checks_of_claims, claims_section
from analysis.report.checks import Check, agrees, holds
from analysis.report.page import Caption, Column, Exact, Page, Points, Section, Table
from analysis.report.studies import Run
from analysis.towers_and_bowers.report.bidding import bidding_section, checks_of_the_bidding
from analysis.towers_and_bowers.report.card import TableCard
from analysis.towers_and_bowers.report.choices import checks_of_the_choices, choices_section, play_section
from analysis.towers_and_bowers.report.equilibrium.figures import values_figure, values_frame
from analysis.towers_and_bowers.report.hidden_play import checks_of_hidden_play, hidden_play_section
from analysis.towers_and_bowers.report.lookup import Lookup, every_pair
from analysis.towers_and_bowers.report.played import (
    checks_of_the_gap,
    checks_of_the_tournament,
    gap_section,
    tournament_section,
)
from analysis.towers_and_bowers.report.view import SIZES
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.rules_of_thumb import RULES_OF_THUMB
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
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
    card, lookup, values = TableCard(), Lookup(rules), values_frame()
    claims = ClaimsData(runs[CLAIMING.name], f"n = 2 to {LARGEST_HAND}", "matches")
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
            claims_section(claims),
            bidding_section(runs[BIDDING.name]),
            tournament_section(runs[TOURNAMENT.name]),
            Section("deal", "What the deal is worth", (deal_text(values), values_figure(values), deal_table(values))),
            gap_section(runs[GAP.name]),
            hidden_play_section(rules),
        ),
        method=Section("method", "Method", (_method(runs),)),
        command=command,
        checks=(
            *card.checks(),
            *lookup.checks(card),
            *_checks_of_the_deal(values),
            *checks_of_the_choices(runs[RULES_OF_THUMB.name]),
            *checks_of_the_bidding(runs[BIDDING.name]),
            *checks_of_the_tournament(runs[TOURNAMENT.name]),
            *checks_of_the_gap(runs[GAP.name]),
            *checks_of_hidden_play(),
            *checks_of_claims(claims),
        ),
        sources={"studies": {name: run.command for name, run in runs.items()}},
    )


# --------------------------------------------------------------------------------------------------------- the deal


def deal_text(values: pd.DataFrame) -> str:
    """W(n) by both models, and why they differ."""
    ordered = values.sort_values("dealer")
    low, *_, top = ordered.to_dict("records")
    apart = 1000 * (values["open"] - values["dealer"])
    return (
        f"Dealing is always an advantage: W(n), the dealer's chance to win the tower, is highest with "
        f"{top['cards']} card{'s' * (top['cards'] > 1)} ({top['dealer']:.1%}) and lowest with {low['cards']} "
        f"({low['dealer']:.1%}). If both saw all cards it would be {max(0.0, apart.min()):.0f} to {apart.max():.0f} mt "
        "more, because there the dealer discards with the other hand in view, and at even sizes bids so too."
    )


def deal_table(values: pd.DataFrame) -> Table:
    """W(n) by both models."""
    frame = values[["cards", "dealer", "open", "deals"]].assign(apart=1000 * (values["open"] - values["dealer"]))
    text = (
        "W(n) = P(the player who deals the hand of n cards wins the tower). A hand that nobody sweeps is worth "
        "W(n − 1) to the player who deals next, each model by its own. More on the page “What the deal is worth”."
    )
    model = "hidden hands: the game itself up to n = 3, then double-dummy play; both see all cards: from the deal on"
    return Table(
        name="deal-worth",
        title="W(n) by both models",
        frame=frame,
        caption=Caption(text, "default rules", "n = 1 to 7", model, Exact(int(frame["deals"].sum()), "deals")),
        columns=(
            Column("cards", "cards n"), Column("dealer", "hidden hands", ".2%"),
            Column("open", "both see all cards", ".2%"), Column("apart", "difference, mt", "+.1f"),
        ),
    )  # fmt: skip


def _checks_of_the_deal(values: pd.DataFrame) -> tuple[Check, ...]:
    apart = values["open"] - values["dealer"]
    return (
        holds("the deal is worth no less if both see all cards", (apart >= -1e-9).all(), f"of {len(values)} sizes"),
        holds("dealing is an advantage at every size", (values["dealer"] > 0.5).all()),
        agrees("with one card both models agree: there is nothing to see", float(apart.iloc[0]), 0.0),
    )


def _method(runs: Mapping[str, Run]) -> Points:
    return Points(
        (
            f"Every hand of one to seven cards with every up-card, {sum(map(every_pair, SIZES)):,} in all, answered as "
            "`towerlab upcard` answers them; every deal is equally likely. Made by `towerlab study towers-and-bowers "
            "answer-book`, whose tables ship.",
            "The other bids as in equilibrium, each bid at least now and then, so that every decision has an answer; "
            "what he holds is weighed by how likely he is to have bid so. From four cards on the play comes from a "
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
