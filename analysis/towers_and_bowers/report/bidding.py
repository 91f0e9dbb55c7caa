"""The section on what bidding rules cost."""

from __future__ import annotations

from markupsafe import Markup

from analysis.report.bidding.page import BiddingCosts, make_up
from analysis.report.cards import card_html
from analysis.report.checks import Check, adds_up, agrees
from analysis.report.page import Column, Section, Table
from analysis.report.studies import Run
from analysis.towers_and_bowers.studies.bidding_accuracy import BOTH, reference_in_words
from games.cards import parse_card
from games.towers_and_bowers import LARGEST_HAND


def _costs(run: Run) -> BiddingCosts:
    about = (
        "First decisions (accept the up-card or pass), every hand size and seat equally often, random hands; calls "
        f"that the reference finds indifferent are no decisions. Made by `{run.command}`."
    )
    model = f"reference: {reference_in_words(run.summary['reference'])}"
    return BiddingCosts(run, "mt a decision", ".1f", f"n = 1 to {LARGEST_HAND}", model, about)


def bidding_section(run: Run) -> Section:
    """What rules cost, decision lists, the costliest mistakes."""
    costs = _costs(run)
    blocks = (costs.words(), costs.rules_figure(), costs.lists_figure(), _mistakes(run, costs))
    return Section("rules", "What bidding rules cost", blocks)


def _mistakes(run: Run, costs: BiddingCosts) -> Table:
    """The players' ten costliest decisions."""
    frame = run.tables["mistakes"]
    frame = frame[frame["cost_mt"] > 0].reset_index(drop=True)
    frame = frame.assign(seat=frame["dealer"].map({True: "dealer", False: "non-dealer"})).drop(columns="dealer")
    text = "The ten decisions of the sample that cost a player most. The dealer's hand is shown without the up-card."
    columns = (
        Column("rule", "rule"), Column("seat", "seat"), Column("cards", "cards n"), Column("hand", "hand", _show_cards),
        Column("up", "up-card", _show_cards), Column("chose", "chose"), Column("cost_mt", "cost, mt", ".1f"),
    )  # fmt: skip
    caption = costs.caption(text, "unforced decisions", "the costs of single hands are exact and need no")
    return Table("mistakes", "The costliest mistakes", frame, caption, columns, folded=True)


def _show_cards(text: str) -> Markup:
    return Markup("\u00a0").join(card_html(parse_card(card)) for card in text.split())


def checks_of_the_bidding(run: Run) -> tuple[Check, ...]:
    """The seats make up both, and the two constant rules make up all decisions."""
    rules = run.tables["rules"]
    constant = rules[(rules["kind"] == BOTH) & rules["rule"].isin(("always accept", "never accept"))]
    first = run.tables["lists"].iloc[0]
    return (
        *_costs(run).checks(),
        *make_up(rules, BOTH),
        adds_up("always and never accepting lose nothing in every decision together", constant["no_worse"], 1.0),
        agrees(
            "the list of one clause costs what that constant rule costs",
            first["cost"],
            constant.set_index("rule")["cost"]["always accept" if "accept" in first["rule"] else "never accept"],
        ),
    )
