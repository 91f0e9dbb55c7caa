"""The Towers & Bowers report as a page: what its file of prose names, and its checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup

from analysis.claims.page import checks_of_claims, claims_values
from analysis.report.bidding.page import by_kind
from analysis.report.cards import card_html, cards_html
from analysis.report.page import Page
from analysis.report.prose import read_page
from analysis.report.studies import Run
from analysis.towers_and_bowers.report.bidding import checks_of_the_bidding, mistakes
from analysis.towers_and_bowers.report.card import TableCard
from analysis.towers_and_bowers.report.choices import checks_of_the_choices, choices_values
from analysis.towers_and_bowers.report.lookup import Lookup, chart, chart_in_words, every_pair, up_name
from analysis.towers_and_bowers.report.view import SEAT_NAMES, SIZES
from analysis.towers_and_bowers.studies.bidding_accuracy import BIDDING, reference_in_words
from analysis.towers_and_bowers.studies.claim_accuracy import CLAIMING
from analysis.towers_and_bowers.studies.rules_of_thumb import RULES_OF_THUMB
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.cards import DECK_24, parse_card, parse_mask
from solver.towers_and_bowers.bidding.deals import SPADES
from solver.two_hands.tablebase import POSITIONS

_WORKED: Final = ("JS QS 10S AD 9D 9H", "KS")


def build_page(runs: Mapping[str, Run], rules: str, command: str) -> Page:
    """The whole report.

    Args:
        runs: the sampled studies, by name.
        rules: `analysis.report.rules_in_force` of the options.
        command: what makes the page again.
    """
    card, lookup = TableCard(), Lookup()
    thumb, bidding, claiming = (runs[study.name] for study in (RULES_OF_THUMB, BIDDING, CLAIMING))
    worked = UpcardQuestion(parse_mask(_WORKED[0], DECK_24, "the hand"), parse_card(_WORKED[1]), dealer=False)
    values: dict[str, Any] = {
        "card": card.frame(),
        "hands": card.hands,
        "worked": worked.answer(),
        "lookup": lookup,
        "parts": lookup.parts.assign(seat=lookup.parts["seat"].map(SEAT_NAMES)),
        "picture": chart,
        "in_words": chart_in_words,
        "every_pair": every_pair,
        "rank": up_name,
        "cards": _cards,
        "one_card": card_html,
        "shown": lambda cards: Markup("\u00a0").join(card_html(parse_card(card)) for card in cards.split()),
        "sizes": SIZES,
        **choices_values(thumb),
        "claims": claims_values(claiming, "matches"),
        "bidding": bidding,
        "kinds": by_kind(bidding),
        "reference": reference_in_words(bidding.summary["reference"]),
        "mistakes": mistakes(bidding),
        "positions": POSITIONS,
        "commands": [run.command for run in runs.values()],
    }
    checks = (
        *card.checks(),
        *lookup.checks(card),
        *checks_of_the_choices(thumb),
        *checks_of_the_bidding(bidding),
        *checks_of_claims(claiming),
    )
    sources = {"studies": {name: run.command for name, run in runs.items()}}
    package = "analysis.towers_and_bowers.report"
    return read_page(package, "page.md", values, command=command, checks=checks, sources=sources, rules=rules)


def _cards(hand: int | str) -> Markup:
    """A hand beside a spade, trumps first."""
    return cards_html(parse_mask(hand) if isinstance(hand, str) else hand, SPADES, True)
