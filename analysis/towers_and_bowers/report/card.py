"""The first screen of the report, by the equilibrium: the rule for the table, what it costs, a worked hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from analysis.report.cards import card_html, cards_html
from analysis.report.checks import Check, holds
from analysis.report.page import Caption, Column, Exact, KeyNumber, Table
from analysis.towers_and_bowers.explorer.kinds import HOLDINGS, stored
from analysis.towers_and_bowers.explorer.rules import SEATS, best_rules, stored_rules
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.cards import DECK_24, parse_card, parse_mask, suit_of

NEEDED: Final = 4  # trumps with which a non-dealer accepts at an even number of cards
MODEL: Final = "equilibrium with hidden hands; from four cards on both see all cards once the bidding is over"
_WORKED: Final = ("JS QS 10S AD 9D 9H", "KS")
EXCEPTED: Final = (4, 6)  # cards at which the dealer has an exception to the rule
_FREE: Final = 1.0  # mt a decision: what the rule may lose on the best threshold, except where the text says so
_SAID: Final = 6  # cards at which one trump is a better rule for the dealer, which the exception covers


class TableCard:
    """The rule, its table and its sentences, from what every threshold of trumps costs."""

    def __init__(self, rules: pd.DataFrame | None = None) -> None:
        rules = stored_rules() if rules is None else rules
        self._rules = rules.set_index(["cards", "seat", "trumps"])["cost_mt"]
        self._best = best_rules(rules).set_index(["cards", "seat"])["cost_mt"]
        self._kinds = stored("kinds").query("seat == 'dealer'")
        self.sizes = sorted(rules["cards"].unique().tolist())
        self.hands = int(rules.drop_duplicates(["cards", "seat"])["hands"].sum())

    def cost(self, cards: int, seat: str, trumps: int) -> float:
        """Mt a decision of accepting with so many trumps or more."""
        return float(self._rules[cards, seat, min(trumps, cards + 1)])

    def ruled(self, cards: int, seat: str) -> int:
        """The rule's threshold: the dealer always accepts, the non-dealer at odd sizes and else with four trumps."""
        return NEEDED if seat == "nondealer" and cards % 2 == 0 else 0

    def costs(self, seat: str) -> Mapping[int, float]:
        """What the rule costs a decision, by number of cards."""
        return {cards: self.cost(cards, seat, self.ruled(cards, seat)) for cards in self.sizes}

    def excepting(self, cards: int) -> float:
        """The dealer's cost when they pass without a trump if they hold a jack of the other colour."""
        kinds = self._kinds[self._kinds["cards"] == cards]
        passes = (kinds["holding"] == HOLDINGS[0]) & (kinds["other_jacks"] > 0)
        return float(
            np.average(np.where(passes, kinds["passing_costs"], kinds["accepting_costs"]), weights=kinds["pairs"])
        )

    def sentences(self) -> tuple[str, ...]:
        """The first screen's: rule, cost, a worked hand."""
        dealer, nondealer = (max(self.costs(seat).items(), key=lambda cost: cost[1]) for seat in SEATS)
        always = max(((cards, self.cost(cards, "nondealer", 0)) for cards in self.sizes), key=lambda cost: cost[1])
        return (
            "Dealer: always accept. Non-dealer: with an odd number of cards accept too, with an even number only with "
            f"{NEEDED} trumps or more.",
            f"The rule costs the dealer at most {dealer[1]:.1f} mt a decision (at {dealer[0]} cards), the non-dealer "
            f"at most {nondealer[1]:.1f} (at {nondealer[0]}), of {len(self.sizes)} hand sizes; 10 mt are one tower in "
            f"a hundred. A non-dealer who accepts everything pays up to {always[1]:.0f} mt, at {always[0]} cards.",
            f"One exception pays: with {' or '.join(map(str, EXCEPTED))} cards a dealer without a trump who holds a "
            f"jack of the other colour passes. That brings their cost down to "
            f"{' and '.join(f'{self.excepting(cards):.1f}' for cards in EXCEPTED)} mt.",
            _worked(),
        )

    def key_numbers(self) -> tuple[KeyNumber, ...]:
        """What the rule costs, and what accepting everything does."""
        counted = Exact(self.hands, "hands with an up-card, both seats")
        dealer, nondealer = (max(self.costs(seat).values()) for seat in SEATS)
        return (
            KeyNumber(f"{dealer:.1f} mt", "a decision at most: the rule, dealer", counted),
            KeyNumber(f"{nondealer:.1f} mt", "a decision at most: the rule, non-dealer", counted),
        )

    def table(self, rules: str) -> Table:
        """The rule by number of cards."""
        frame = pd.DataFrame([self._row(cards) for cards in self.sizes])
        text = (
            "What to do with how many cards, and what it costs a decision on the mean, against always making the "
            "better call. The dealer's decision is that after a pass. Every hand and up-card weighs alike."
        )
        caption = Caption(text, rules, f"n = {self.sizes[0]} to {self.sizes[-1]}", MODEL, Exact(self.hands, "hands"))
        columns = (
            Column("cards", "cards"), Column("dealer", "dealer"), Column("dealer_cost", "costs, mt", ".1f"),
            Column("excepting", "with the exception, mt", ".1f"), Column("nondealer", "non-dealer"),
            Column("nondealer_cost", "costs, mt", ".1f"),
            Column("accepting_all", "non-dealer who accepts everything, mt", ".1f"),
            Column("passing_all", "non-dealer who passes everything, mt", ".1f"),
        )  # fmt: skip
        return Table("table-card", "By number of cards", frame, caption, columns)

    def _row(self, cards: int) -> dict[str, object]:
        needed = self.ruled(cards, "nondealer")
        with_trumps = "pass" if needed > cards else f"accept with {needed} trumps"
        return {
            "cards": cards,
            "dealer": "accept",
            "dealer_cost": self.cost(cards, "dealer", 0),
            "excepting": self.excepting(cards) if cards in EXCEPTED else np.nan,
            "nondealer": with_trumps if needed else "accept",
            "nondealer_cost": self.cost(cards, "nondealer", needed),
            "accepting_all": self.cost(cards, "nondealer", 0),
            "passing_all": self.cost(cards, "nondealer", cards + 1),
        }

    def checks(self) -> tuple[Check, ...]:
        """That no other number of trumps is much better, and that what the sentences say of six cards is so."""
        lost = {
            (cards, seat): self.costs(seat)[cards] - float(self._best[cards, seat])
            for cards in self.sizes
            for seat in SEATS
            if (cards, seat) != (_SAID, "dealer")
        }
        worst = max(lost.values())
        saved = {cards: self.cost(cards, "dealer", 0) - self.excepting(cards) for cards in self.sizes}
        return (
            holds(
                f"no other number of trumps does better than the rule for the table by {_FREE:g} mt, but for a dealer "
                f"of {_SAID} cards",
                worst < _FREE,
                f"at most {worst:.2f} mt better, of {len(lost)} sizes and seats",
            ),
            holds(
                "the exception saves the dealer 3 mt and more where it is named, and costs them at the other sizes",
                all(gain >= 3 if cards in EXCEPTED else gain < 0 for cards, gain in saved.items()),
                ", ".join(f"n = {cards}: {gain:+.1f}" for cards, gain in saved.items()),
            ),
        )


def _worked() -> Markup:
    """One hand with its answer."""
    hand, up = parse_mask(_WORKED[0], DECK_24, "the hand"), parse_card(_WORKED[1])
    answer = UpcardQuestion(hand, up, dealer=False).answer()
    call = "Accept" if answer.recommend == "accept" else "Pass"
    return Markup("You hold {} as the non-dealer beside {}. {}: it is better by {:.0f} mt.").format(
        cards_html(hand, suit_of(up), True), card_html(up), call, abs(1000 * answer.margin)
    )
