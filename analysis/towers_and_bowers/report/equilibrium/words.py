"""The page's sentences: surprising decisions found by rule, odd and even hands told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from analysis.report.cards import card_html, cards_html
from analysis.towers_and_bowers.report.equilibrium.data import SURE, Decisions
from analysis.towers_and_bowers.report.view import CLOSE, SEAT_NAMES
from analysis.towers_and_bowers.upcard.answers import ContractValue, UpcardAnswer
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from analysis.towers_and_bowers.upcard.book import book_rows

_SPADES: Final = 3
_OFTEN: Final = 0.001  # a decision reached less often is off the path
_TRIED: Final = 100  # hands that are asked about, in order
BY_STRENGTH: Final = ["trumps", "bowers", "side"]


@dataclass(frozen=True)
class Surprise:
    """A decision found by rule.

    Attributes:
        rule: how it was found.
        answer: what the equilibrium says.
        open_answer: what perfect information says.
        accepts: P(accept) in equilibrium.
    """

    rule: str
    answer: UpcardAnswer
    open_answer: UpcardAnswer
    accepts: float

    def sentence(self) -> Markup:
        """For the page."""
        answer = self.answer
        accepted = answer.actions["accept"]
        assert isinstance(accepted, ContractValue)
        gap = 1000 * (answer.tower("accept") - answer.tower("pass"))
        does = "accepts" if self.accepts >= SURE else "passes" if self.accepts <= 1 - SURE else "mixes"
        open_gap = 1000 * (self.open_answer.tower("accept") - self.open_answer.tower("pass"))
        return Markup(
            "<strong>{rule}.</strong> {count}, up-card {up}: the {seat} with {hand} {does}{after}. Accepting wins the "
            "tower with probability {accept:.3f} (a majority for him in {make:.0%} of the deals, every trick in "
            "{sweep:.0%}, none in {swept:.0%}), passing with {passing:.3f}: accepting is {gap:.0f} mt {better}. With "
            "all cards seen it would be {open_gap:.0f} mt {open_better}."
        ).format(
            rule=self.rule,
            count="One card" if answer.cards == 1 else f"{answer.cards} cards",
            up=card_html(answer.up),
            seat=SEAT_NAMES[answer.seat],
            hand=cards_html(answer.hand, _SPADES, True),
            does=does,
            after=" after the non-dealer's pass" if answer.seat == "dealer" else "",
            accept=answer.tower("accept"),
            make=accepted.make,
            sweep=accepted.sweep,
            swept=accepted.swept,
            passing=answer.tower("pass"),
            gap=abs(gap),
            better="better" if gap >= 0 else "worse",
            open_gap=abs(open_gap),
            open_better="better" if open_gap >= 0 else "worse",
        )


def surprises(decisions: Sequence[Decisions]) -> tuple[Surprise, ...]:
    """Three of them: two of the largest even hand size at hand, one of two cards."""
    by_size = {each.cards: each for each in decisions}
    even = [size for size in by_size if size % 2 == 0]
    if not even:
        return ()
    largest = by_size[max(even)]
    found: list[Surprise | None] = [_strongest_pass(largest.frame, seat) for seat in ("dealer", "nondealer")]
    if 2 in by_size:
        found.append(_disagreement(by_size[2].frame))
    return tuple(each for each in found if each is not None)


def _strongest_pass(frame: pd.DataFrame, seat: str) -> Surprise | None:
    """The strongest hand that surely passes and gains by it; None if it is not among the first that pass."""
    chosen = frame[(frame[f"{seat}_accepts"] <= 1 - SURE) & (frame[f"{seat}_reached"] > _OFTEN)]
    order = chosen.sort_values([*BY_STRENGTH, "up", "hand"], ascending=[False] * 3 + [True] * 2)
    rule = (
        f"The {SEAT_NAMES[seat]}'s strongest hand (by trumps, then bowers, then side strength) that passes and gains "
        f"{CLOSE:g} mt or more by it"
    )
    for row in order.head(_TRIED).to_dict("records"):
        found = _surprise(rule, row, seat)
        if 1000 * (found.answer.tower("pass") - found.answer.tower("accept")) >= CLOSE:
            return found
    return None


def _disagreement(frame: pd.DataFrame) -> Surprise | None:
    """Where the equilibrium does what perfect information thinks worst of: two cards, every class."""
    book = book_rows(2, 0, len(frame))
    worst: tuple[float, Any, str] | None = None
    for seat in SEAT_NAMES:
        accept, passing = book[f"{seat}_accept"].to_numpy(), book[f"{seat}_pass"].to_numpy()
        share = frame[f"{seat}_accepts"].to_numpy()
        loss = np.maximum(accept, passing) - share * accept - (1 - share) * passing
        loss = np.where(frame[f"{seat}_reached"] > _OFTEN, loss, -1.0)
        at = int(loss.argmax())
        if loss[at] > 0 and (worst is None or loss[at] > worst[0]):
            worst = float(loss[at]), frame.iloc[at].to_dict(), seat
    if worst is None:
        return None
    return _surprise("The largest disagreement with perfect information at two cards", worst[1], worst[2])


def _surprise(rule: str, row: Any, seat: str) -> Surprise:
    hand, up, dealer = int(row["hand"]), int(row["up"]), seat == "dealer"
    return Surprise(
        rule,
        UpcardQuestion(hand, up, dealer, method="equilibrium").answer(),
        UpcardQuestion(hand, up, dealer, method="pimc").answer(),
        float(row[f"{seat}_accepts"]),
    )


PROOF: Final = (
    "At an odd number of cards the tricks cannot be shared alike: somebody takes the majority, and he deals next. What "
    "the hand is worth depends on who took it, not on who bid.",
    "Either player can force the game in which the up-card is accepted: the non-dealer by accepting it, the dealer by "
    "accepting it after a pass, with the discard he would have made anyway. Both ways lead to the same cards, the "
    "same trump and the same play.",
    "So the non-dealer has at least the value of the accepted game, and the dealer can hold him to it. At odd n W(n) "
    "is that value alone, whether the cards lie open or not: a first-round pass gains nothing against best play.",
    "A dealer who has been passed to still has a real choice, off the path: the pass may have been a mistake.",
    "At an even number of cards the tricks can be shared alike, and the tie goes to the defender, who then deals next. "
    "A bidder needs one trick more than half: only here does bidding carry a risk.",
)


def remember() -> Markup:
    """Odd and even in one breath."""
    return Markup(
        "To remember: <strong>odd – somebody has the majority, and accepting never costs anything; even – a tie is the "
        "defender’s, so a bid has to win more than half.</strong>"
    )
