"""The table card and the section on bidding accuracy: how to count, what to bid, and what that costs."""

from __future__ import annotations

from typing import Any, Final

from markupsafe import Markup

from analysis.bowers.bidding_accuracy import ALL, CARD_RULE, counted, weights_of
from analysis.bowers.report.data import BIDDING_MODEL, ReportData
from analysis.report.bidding.page import make_up
from analysis.report.cards import cards_html
from analysis.report.checks import Check, holds
from analysis.report.intervals import interval_columns, told
from analysis.report.page import Column, Points, Table
from games.bowers import MOST_TRICKS
from games.cards import parse_mask

_WORDS: Final = {
    "trumps": "a trump", "bowers": "more for each bower", "top": "more for each of ace, king and queen of trumps",
    "aces": "a side ace", "kings": "a side king with another card of its suit", "voids": "a void",
}  # fmt: skip
_HAND: Final = "JS AS KS 9S 8S AH KD 7D 9C 8C"


def count_in_words(suit: dict[str, float]) -> str:
    """The whole count, every term of it."""
    terms = [f"{suit[name]:g} {words}" for name, words in _WORDS.items() if suit[name]]
    return ", ".join(terms) + f"; then {_signed(suit['to begin with'])}"


def _signed(number: float) -> str:
    """As a step of a calculation: ``take 1.5 off`` or ``add 0.5``."""
    return f"take {-number:g} off" if number < 0 else f"add {number:g}"


def _margin(data: ReportData, when: str) -> float:
    return float(data.summary[f"{when}_margin"])


def card(data: ReportData) -> tuple[Any, ...]:
    """The first screen: how to count, what to bid, a worked hand, what it costs."""
    suit, row = weights_of(data.tables["count"])["suit"], data.row("rules", kind=ALL, rule=CARD_RULE)
    passing = data.row("calls", when="nobody has bid", what="passing")
    opening, over = _margin(data, "opening"), _margin(data, "over")
    return (
        f"Count your tricks in each suit before the kitty, which is in it: {count_in_words(suit)}.",
        f"Opening: {_signed(opening)}, round down, and bid that many in the suit where the count is highest. Over "
        f"somebody's bid: {_signed(over)} instead. If that is no legal bid, or below 1, pass.",
        worked_hand(data),
        f"Following it costs {told(row, '.2f', 'cost')} points a deal against the reference, on "
        f"{int(row['decisions']):,} first calls it was not fitted on; always passing costs "
        f"{told(data.row('rules', kind=ALL, rule='always pass'), '.2f', 'cost')}. A pass is not nothing: when nobody "
        f"has bid yet it is worth {told(passing, '+.2f')} points, for somebody else will play.",
    )


def worked_hand(data: ReportData) -> Markup:
    """One hand, its count in its best suit, and the bid."""
    hand = parse_mask(_HAND)
    counts = counted([hand], weights_of(data.tables["count"]), no_trump=False)[0]
    trump = int(counts.argmax())
    level = int(min(max(0, (counts[trump] + _margin(data, "opening") + 1e-9) // 1), MOST_TRICKS))
    return Markup("You hold {} and open: the count is highest in {}, {:g} tricks; {}.").format(
        cards_html(hand, trump, bowers=True), "♣♦♥♠"[trump], counts[trump], f"bid {level}" if level else "pass"
    )


def bidding_words(data: ReportData) -> Points:
    """Margins, misère."""
    sentences = [
        f"The margin when nobody has bid is {_margin(data, 'opening'):+.1f} tricks, over somebody's bid "
        f"{_margin(data, 'over'):+.1f}: {_compared(_margin(data, 'opening'), _margin(data, 'over'))}.",
        *_misere_sentence(data),
    ]
    return Points(tuple(sentences))


def _compared(opening: float, over: float) -> str:
    if over > opening:
        return "over a bid bid more, for the alternative is to defend"
    return "over a bid be more careful" if over < opening else "the same"


def _misere_sentence(data: ReportData) -> tuple[str, ...]:
    frame = data.tables["calls"]
    rows = frame[(frame["when"] == "over 6")].set_index("what")
    if not {"misère", "passing"} <= set(rows.index):
        return ()
    misere, passing = (rows.loc[what].to_dict() for what in ("misère", "passing"))
    needed = (19 + passing["mean"]) / 29
    return (
        f"Misère over a 6 is worth {told(misere, '+.1f')} points with all hands alike, passing {told(passing, '+.1f')} "
        f"({int(passing['n'])} decisions): it wins 10 or loses 10 while each opponent gets 9, and so has to succeed "
        f"about {needed:.0%} of the time to be better than the pass.",
    )


# --------------------------------------------------------------------------------------------------------------- shown


def count_table(data: ReportData) -> Table:
    """Every term of the count."""
    text = (
        "Least squares on every suit of the hands it is fitted on: tricks with the kitty. Top: ace, king and queen of "
        "trumps; kings with another card of their suit; longest: the longest suit. To bid, the margin comes on top: "
        f"{_margin(data, 'opening'):+.1f} to open, {_margin(data, 'over'):+.1f} over a bid."
    )
    columns = (
        Column("in", "in"), Column("counted", "counted"),
        *interval_columns("tricks", "tricks", "+.2f", bare=True), Column("in quarters", "in quarters", "+.2f"),
    )  # fmt: skip
    caption = data.caption(text, data.summary["fitted"], "hands", "bootstrap", BIDDING_MODEL)
    return Table("count", "The whole count", data.tables["count"], caption, columns)


def calls_table(data: ReportData) -> Table:
    """What passing is worth."""
    text = (
        "What passing is worth, what the reference scores, and misère with every hand alike, by what has been bid. "
        "Points are the asker's less the mean of the others'."
    )
    columns = (
        Column("when", "when"), Column("what", "call"), *interval_columns("mean", "points", "+.2f"),
        Column("n", "decisions", ","),
    )  # fmt: skip
    caption = data.caption(text, data.summary["scored"], "first calls", "Student", BIDDING_MODEL)
    return Table("calls", "What passing is worth", data.tables["calls"], caption, columns)


def checks_of_the_card(data: ReportData) -> tuple[Check, ...]:
    """That the card tells the whole count, and is better than what it is compared with."""
    rules = data.tables["rules"]
    of_all = rules[rules["kind"] == ALL].set_index("rule")["cost"]
    calls = data.tables["calls"]
    return (
        holds(
            "the count on the first screen names every term of the fit",
            {*_WORDS, "to begin with"} == set(weights_of(data.tables["count"])["suit"]),
        ),
        holds("following the card costs less than passing", of_all[CARD_RULE] < of_all["always pass"]),
        holds("passing is not scored nothing", (calls[calls["what"] == "passing"]["mean"] != 0).all()),
        *make_up(rules, ALL),
    )
