"""The Towers & Bowers report as a page: the findings in words, and the sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
from markupsafe import Markup

from analysis.report.checks import adds_up, vanishes
from analysis.report.page import Exact, KeyNumber, Page, Points, Section
from analysis.report.studies import Run
from analysis.towers_and_bowers.report.card import TableCard
from analysis.towers_and_bowers.report.figures import (
    DISSENT,
    accept_chart,
    closeness,
    deal_values_figure,
    how_often,
    outcomes,
)
from analysis.towers_and_bowers.report.findings import Findings, find
from analysis.towers_and_bowers.report.leaks import (
    bidding_section,
    checks_of_the_bidding,
    checks_of_the_claims,
    claims_section,
)
from analysis.towers_and_bowers.report.played import (
    checks_of_the_gap,
    checks_of_the_tournament,
    gap_section,
    tournament_section,
)
from analysis.towers_and_bowers.report.sums import (
    check_chart,
    checks_of_the_book,
    checks_of_the_findings,
    checks_of_the_ledger,
)
from analysis.towers_and_bowers.report.tables import habits, ledger, striking_hands, when_to_pass
from analysis.towers_and_bowers.report.view import (
    CLOSE,
    SEAT_NAMES,
    SEATS,
    Scope,
    view_book,
)
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.double_dummy_gap import GAP
from analysis.towers_and_bowers.studies.tournament import TOURNAMENT
from solver.two_hands.tablebase import POSITIONS

CARDS: Final = ("one card", "two cards", "three cards", "four cards", "five cards", "six cards", "seven cards")
WARNING: Final = (
    "The rule, its cost and the hand above are the equilibrium's: hands stay hidden in the bidding. Unless a caption "
    "says “equilibrium” or “sampled”, the numbers further down assume perfect information: once the decision is taken, "
    "both players see all cards, in the bidding that follows and in the play. That is exact, and it is not how people "
    "play: after the dealer's pass the opponent names the suit that hurts most, and nobody ever guesses wrong. Read "
    "those gaps as a comparison, not as a prediction; the sections on played hands measure how far apart they are."
)


def build_page(
    book: pd.DataFrame, deal_values: pd.DataFrame, runs: Mapping[str, Run], rules: str, command: str
) -> Page:
    """The whole report.

    Args:
        book: see `analysis.towers_and_bowers.upcard.book`, of an odd hand size. An incomplete one fails the page's
        checks.
        deal_values: columns ``cards`` (1..7), ``dealer`` (W), ``deals``, of the perfect-information model.
        runs: the studies of played matches, by name.
        rules: `analysis.report.rules_in_force` of the options.
        command: what makes the page again.
    """
    view = view_book(book)
    scope = Scope(rules, int(book["hand"].iloc[0]).bit_count(), len(book))
    values = deal_values.assign(nondealer=1 - deal_values["dealer"])[["cards", "dealer", "nondealer", "deals"]]
    deal: dict[int, float] = dict(zip(values["cards"].tolist(), values["dealer"].tolist(), strict=True))
    shown_habits = habits(view, scope)
    charts = {seat: accept_chart(view, seat, scope) for seat in SEATS}
    endings = outcomes(view, deal[scope.cards - 1], scope)
    sizes = closeness(view, scope)
    shown_ledger = ledger(view, scope)
    found, card = find(view, shown_habits), TableCard()
    often = (_frequency_text(found), how_often(view, scope), sizes, shown_habits)
    striking = (
        Markup(
            "Each was found by a criterion, not picked by eye; <code>towerlab upcard --method pimc</code> answers them "
            "one by one."
        ),
        striking_hands(view, scope),
    )
    return Page(
        title="Towers & Bowers: accept or pass?",
        question="The up-card lies open: who should accept it, with what, and how much is at stake?",
        answer=card.sentences(),
        warning=WARNING,
        key_numbers=(*card.key_numbers(), *_key_numbers(found, scope, values)),
        sections=(
            Section("rule", "The rule for the table", (card.table(rules),)),
            Section("open-cards", "If both saw all cards", (Points(_answer(found, scope)),)),
            Section("dealer", "The dealer", (_dealer_text(found), charts["dealer"], when_to_pass(view, scope))),
            Section("nondealer", "The non-dealer", (_nondealer_text(found), charts["nondealer"])),
            Section("frequency", "How often, and how much it matters", often),
            Section("endings", "How hands end", (endings,)),
            Section("striking", "Striking hands", striking),
            Section("holdings", "The ledger", (shown_ledger,)),
            Section("deal", "What the deal is worth", (_deal_text(deal), deal_values_figure(values, rules))),
            bidding_section(runs[BIDDING.name]),
            tournament_section(runs[TOURNAMENT.name]),
            gap_section(runs[GAP.name]),
            claims_section(runs[CLAIMING.name]),
        ),
        method=Section("method", "Method", (_method(found, scope, deal[scope.cards - 1], runs),)),
        command=command,
        checks=(
            *card.checks(),
            *checks_of_the_book(view, scope, deal),
            *checks_of_the_findings(view, found),
            *(check_chart(view, seat, chart) for seat, chart in charts.items()),
            *checks_of_the_ledger(view, shown_ledger),
            vanishes("each bar's endings give its value", endings.frame["value"] - endings.frame["from_endings"]),
            *(adds_up(f"the {SEAT_NAMES[seat]}'s gaps are all counted", sizes.frame[seat], 1.0) for seat in SEATS),
            *checks_of_the_bidding(runs[BIDDING.name]),
            *checks_of_the_tournament(runs[TOURNAMENT.name]),
            *checks_of_the_gap(runs[GAP.name]),
            *checks_of_the_claims(runs[CLAIMING.name]),
        ),
        sources={
            "cards": scope.cards,
            "classes": scope.classes,
            "pairs": int(view["weight"].sum()),
            "studies": {name: run.command for name, run in runs.items()},
        },
    )


# --------------------------------------------------------------------------------------------------------- in words


def percent(value: float) -> str:
    r"""A share with one decimal, or with as many more as it takes not to claim all or nothing.

    >>> [percent(value).replace("\u202f", " ") for value in (0.97, 0.99996, 1.0)]
    ['97.0 %', '99.996 %', '100.0 %']
    """
    digits = 1
    while 0 < value < 1 and digits < 6 and f"{100 * value:.{digits}f}" in (f"{0:.{digits}f}", f"{100:.{digits}f}"):
        digits += 1
    return f"{100 * value:.{digits}f}\u202f%"


def _answer(found: Findings, scope: Scope) -> tuple[str, ...]:
    sentences = (
        f"Non-dealer: accept, or it makes no difference. At {CARDS[scope.cards - 1]} his pass never gains: for "
        f"{percent(found.indifferent)} of his hands both actions are worth the same, and passing every hand costs "
        f"{found.always_pass:.2f} mt a decision (1 mt = 0.001 of a tower).",
        f"Dealer, once the non-dealer has passed: accept {percent(found.dealer_accepts)} of the hands, and "
        f"{percent(found.two_trumps_accept)} of those with two trumps or more. Accepting every hand costs "
        f"{found.always_accept:.2f} mt a decision; waiting for two trumps costs {found.with_two:.1f}, for three "
        f"{found.with_three:.0f}.",
    )
    if found.passes is None:
        return sentences
    return (
        *sentences,
        f"Of the hands that the dealer should pass, {percent(found.passes.without_trump)} hold no trump and "
        f"{percent(found.passes.with_jack)} a jack of the other colour, a bower in either suit of that colour.",
    )


def _key_numbers(found: Findings, scope: Scope, values: pd.DataFrame) -> tuple[KeyNumber, ...]:
    counted = Exact(scope.classes, "classes of (hand, up-card)")
    deal = values[values["cards"] == scope.cards].to_dict("records")[0]
    return (
        KeyNumber(percent(found.dealer_accepts), "of the dealer's hands should accept if both saw all cards", counted),
        KeyNumber(
            f"{found.always_accept:.2f} mt",
            "lost a decision by a dealer who always accepts, if both saw all cards",
            counted,
        ),
        KeyNumber(
            f"{found.always_pass:.2f} mt",
            "lost a decision by a non-dealer who always passes, if both saw all cards",
            counted,
        ),
        KeyNumber(
            percent(deal["dealer"]),
            f"of towers go to the player who deals {CARDS[scope.cards - 1]}, if both saw all cards",
            Exact(deal["deals"], "deals"),
        ),
    )


def _dealer_text(found: Findings) -> str:
    worth = {card: f"{value:+.0f}".replace("-", "−") for card, value in found.gap_worth.items()}
    return (
        "The chart is the dealer's decision after the non-dealer has passed; what that pass tells about the other hand "
        "is left out. A pass of the dealer hands the choice of suit to an opponent who then sees all cards. On "
        f"average over all hands, each trump adds {worth['trump']} mt to the gap, the right bower "
        f"{worth['right bower']} on top, the left bower {worth['left bower']}, and each jack of the other colour "
        f"{worth['other jack']} (least squares)."
    )


def _nondealer_text(found: Findings) -> str:
    matter = percent(1 - found.close["nondealer"])
    return (
        "At an odd number of cards somebody always takes the majority, so it does not matter who bid; and a dealer to "
        "whom the up-card is passed can accept it himself and give up the same card. A pass therefore leaves him one "
        "choice more, and against best play it gains nothing, whether the cards lie open or not. It costs what he "
        f"makes of that choice: {CLOSE:g} mt or more for {matter} of the non-dealer's hands."
    )


def _frequency_text(found: Findings) -> str:
    return (
        f"Decisions with a gap below {CLOSE:g} mt are called close. They are {percent(found.close['nondealer'])} of "
        f"the non-dealer's and {percent(found.close['dealer'])} of the dealer's."
    )


def _deal_text(deal: dict[int, float]) -> str:
    most, least = max(deal, key=deal.__getitem__), min(deal, key=deal.__getitem__)
    return (
        f"The deal is worth most at {CARDS[most - 1]}, W({most}) = {deal[most]:.4f}, and least at "
        f"{CARDS[least - 1]}, W({least}) = {deal[least]:.4f}. A hand that nobody sweeps is worth W(n − 1) to the "
        "player who deals next and 1 − W(n − 1) to the other. These are the values with all cards seen after the deal; "
        "those with hidden hands have a page of their own (towerlab report towers-and-bowers --page equilibrium)."
    )


def _method(found: Findings, scope: Scope, next_deal: float, runs: Mapping[str, Run]) -> Points:
    worth, below = found.accept_worth["dealer"], scope.cards - 1
    return Points(
        (
            f"Every hand of {CARDS[below]} with every up-card: {scope.all_pairs:,} pairs in {scope.all_classes:,} "
            "classes that differ by more than the names of suits. Every deal is equally likely, so a class "
            "counts by its pairs.",
            f"For each class, all {scope.layouts:,} hands the opponent can hold, equally likely. The player who "
            "decides takes one action for all of them (a dealer who accepts: one discard); everything after it is "
            "chosen with all cards seen, each side maximising its probability of winning the tower. The play comes "
            f"from a table of all {POSITIONS:,} two-hand positions.",
            "A hand is worth 1 to the player who takes all tricks, 0 to the one who takes none, else "
            f"W({below}) = {next_deal:.4f} to the one who deals next and 1 − W({below}) to the other.",
            "mt: one thousandth of a tower, 0.001 of P(win the tower), a decision. Gap: the value of accepting minus "
            "the value of passing.",
            "Side strength: 3 for an ace, 2 for a king, 1 for a queen outside trumps. The scale follows what these "
            f"cards add to the dealer's value of accepting, by least squares over all classes: {worth['ace']:.0f}, "
            f"{worth['king']:.0f} and {worth['queen']:.0f} mt against a small card.",
            f"Hatching: at least {DISSENT:.0%} of the hands in a cell should do the opposite of the cell's mean. How "
            "far the model itself is from play has a section of its own and is not hatched.",
            "Only the sections on bidding rules, players, play and claims are sampled, and only they have intervals. "
            f"They come from these studies: {'; '.join(run.command for run in runs.values())}.",
        )
    )
