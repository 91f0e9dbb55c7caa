"""What Towie's page says of bidding: the table card, what bids need, what rules cost, what pimc gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from analysis.report.bidding.page import BiddingCosts
from analysis.report.cards import cards_html
from analysis.report.checks import Check, agrees, holds
from analysis.report.drawing import drawing
from analysis.report.intervals import interval_columns, is_finding, or_dash, told
from analysis.report.page import Column, Figure, KeyNumber, Points, Section, Table
from analysis.report.palette import series
from analysis.report.studies import Run
from analysis.towie.bidding_accuracy import (
    ACTIONS,
    CARD,
    GOULASH,
    KINDS,
    MAJORS,
    NO_TRUMP_GAME,
    OPENING,
    OVER,
    SLAM,
    card_rows,
)
from analysis.towie.calls import goes_on
from analysis.towie.duplicate import CONTRACTS, FAILED, ONE, OPEN_POINTS, POINTS, SLAMS_FAILED, THREE
from games.cards import parse_mask
from games.pbn import parse_hand

MODEL: Final = goes_on("novice")
_DOUBLE: Final = "double"


@dataclass(frozen=True)
class BiddingCard:
    """The rule for the table, what following it costs on the deals it was not fitted on, and a worked hand.

    Attributes:
        run: of the study `bidding-accuracy`.
    """

    run: Run

    def needed(self, kind: str) -> dict[str, dict[str, Any]]:
        """`card_rows` of a kind of decision."""
        return card_rows(self.run.tables["needed"], kind)

    def compared(self) -> int:
        """How many bids' gains are compared in the table that findings are picked from."""
        return len(self.run.tables["needed"])

    @property
    def costs(self) -> BiddingCosts:
        """What rules cost."""
        size = f"13 cards, six of the dummy seen, {self.run.summary['layouts']} layouts each"
        about = "“Game”: 4 of a major with eight cards of it or more, else 3NT."
        return BiddingCosts(self.run, "points a decision", ".0f", size, MODEL, about)

    def cost(self, rule: str) -> str:
        """What a rule costs when nobody has bid, with its interval."""
        return told(self.costs.rule(OPENING, rule), ".0f", "cost")

    def sentences(self) -> tuple[str, ...]:
        """The first screen's: the rule, after a goulash, over a bid, what it costs, a worked hand."""
        worked = self.worked()
        return (
            f"Add the high-card points of your hand and of the six (A 4, K 3, Q 2, J 1). {self._bids(OPENING)}; else "
            "pass, and let it come to a goulash.",
            f"After a goulash bid on less: {self._bids(GOULASH)}.",
            self._double(),
            f"What it costs when nobody has bid: {self.cost(CARD)} points a deal against the best call of the "
            f"reference, on deals it was not fitted on; there always passing costs {self.cost('always pass')}, to bid "
            f"as the player novice {self.cost('player novice')}.",
            *((worked,) if worked is not None else ()),
        )

    def _bids(self, kind: str) -> str:
        needed = self.needed(kind)
        words = [f"3NT with {self._least(needed[NO_TRUMP_GAME])}"] if NO_TRUMP_GAME in needed else []
        names = {MAJORS[2]: "seven", MAJORS[1]: "eight", MAJORS[0]: "nine"}
        majors = [f"{self._least(needed[bid])} with {names[bid]}" for bid in reversed(MAJORS) if bid in needed]
        if majors:
            words.append("4 of a major by how many cards of it you and the six hold: " + ", ".join(majors) + " or more")
        if SLAM in needed and is_finding(needed[SLAM], "gain", of=self.compared()):
            words.append(f"a small slam in the best suit with {self._least(needed[SLAM])}")
        elif SLAM in needed:
            gained = told(needed[SLAM], "+.0f", "gain")
            words.append(f"a slam with {needed[SLAM]['least']} points gains {gained}, which settles nothing yet")
        text = "; ".join(words) or "no bid rests on enough deals here"
        return text[0].upper() + text[1:] if kind == OPENING else text

    @staticmethod
    def _least(row: Mapping[str, Any]) -> str:
        return f"{row['least']} points ({row['least_low']} to {row['least_high']})"

    def _double(self) -> str:
        row = self.needed(OVER).get(_DOUBLE)
        if row is None:
            return "When to double rests on too few deals here."
        gain = told(row, "+.1f", "gain")
        if is_finding(row, "gain", of=self.compared()):
            return (
                f"Over a game, double with {self._least(row)} of your own: it gains {gain} points a deal over passing."
            )
        return (
            f"Over a game, double seldom: with {self._least(row)} of your own doubling gains {gain} points a deal over "
            "passing, no more than this sample's noise."
        )

    def worked(self) -> Markup | None:
        """A hand of the sample on which the card bids, with what the bid and a pass are worth: the median gain."""
        decisions = self.run.tables["decisions"]
        rows = decisions[(decisions["kind"] == OPENING) & ~decisions["fitted"]].reset_index(drop=True)
        bids = [row for row in rows.to_dict("records") if row["card"]]
        if not bids:
            return None
        row = sorted(bids, key=lambda row: row[f"value {row['card']}"] - row["value 0"])[len(bids) // 2]
        action = row["card"]
        return Markup(
            "A hand: {} and the six {}: {} + {} = {} points, {} cards in the longer major. Bid {}: it is worth {} "
            "points, a pass {}."
        ).format(
            _breakable(parse_hand(str(row["hand"]))), _breakable(parse_mask(str(row["six"]))), row["points"],
            row["six_points"], row["points"] + row["six_points"], row["major"], ACTIONS[OPENING][action],
            f"{row[f'value {action}']:+.0f}", f"{row['value 0']:+.0f}",
        )  # fmt: skip

    def key_number(self) -> KeyNumber:
        """What the card costs when nobody has bid."""
        card = self.costs.rule(OPENING, CARD)
        return KeyNumber(
            f"{card['cost']:.0f}", "points a deal: what the rule costs when nobody has bid",
            self.run.caption("-", "-", "-", (int(card["decisions"]), "decisions"), "Student's t").certainties[0],
        )  # fmt: skip

    def checks(self) -> tuple[Check, ...]:
        """That the costs are those of their decisions."""
        decisions = self.run.tables["decisions"]
        passed = decisions[(decisions["kind"] == OPENING) & ~decisions["fitted"]]
        return (
            *self.costs.checks(),
            agrees("always passing costs the reference less a pass", self.costs.rule(OPENING, "always pass")["cost"],
                   float((passed["reference"] - passed["value 0"]).mean())),
            holds("every kind of decision was met equally often", decisions["kind"].value_counts().nunique() == 1),
        )  # fmt: skip


def _breakable(mask: int) -> Markup:
    """Thirteen cards are longer than a phone is wide."""
    return cards_html(mask).replace("\u00a0", " ")


# ----------------------------------------------------------------------------------------------------- the sections


def bidding_sections(card: BiddingCard, duplicate: Run) -> tuple[Section, ...]:
    """What bids need, what rules cost, what pimc gains."""
    costs = card.costs
    return (
        Section("bids", "What a bid needs", (_needed_words(card), needed_figure(card))),
        Section("rules", "What bidding rules cost", (costs.words(), costs.rules_figure(), costs.lists_figure())),
        Section("ahead", "What looking ahead gains", (_ahead_words(duplicate), ahead_table(duplicate))),
    )


def _needed_words(card: BiddingCard) -> Points:
    gains = [row for kind in KINDS for row in card.needed(kind).values()]
    if not gains:
        return Points(("Too few decisions to say what a bid needs.",))
    clear = [row for row in gains if is_finding(row, "gain", of=card.compared())]
    best = max(gains, key=lambda row: float(row["gain"]))
    return Points(
        (
            f"Of {card.compared()} bids, kinds of decision and lengths of suit, {len(clear)} clearly gain over passing "
            f"on deals on which their least points were not fitted; most gains {best['bid']} {best['kind']}, "
            f"{told(best, '+.0f', 'gain')} points a decision.",
            "A goulash is worth provoking below these numbers: a pass that nobody follows by a bid counts 0, a failing "
            "game counts less.",
        )
    )


def needed_figure(card: BiddingCard) -> Figure:
    """Least points by bid and kind of decision, with the range of resampled decisions."""
    frame = card.run.tables["needed"].copy()
    frame["name"] = frame["bid"] + ", " + frame["kind"]
    with drawing(7.2, 0.9 + 0.33 * len(frame)) as (figure, axes):
        places = np.arange(len(frame))[::-1]
        for step, kind in enumerate(KINDS):
            of_kind = (frame["kind"] == kind).to_numpy()
            rows = frame[of_kind]
            error = [rows["least"] - rows["least_low"], rows["least_high"] - rows["least"]]
            axes.errorbar(
                rows["least"], places[of_kind], xerr=np.clip(np.array(error), 0, None), color=series(step),
                marker="osD"[step], capsize=3, linestyle="none", label=kind,
            )  # fmt: skip
        axes.set_yticks(places, frame["bid"])
        axes.set(xlabel="least high-card points, with the six (double: of your own)", xticks=range(4, 27, 2))
        axes.legend(loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=3)
    text = (
        "The number of points from which on the bid gains most in all over a pass, fitted on one half of the "
        "decisions; its range is that of 200 resamples of them. Gained: points a decision on the other half, by "
        "bidding so and passing else."
    )
    columns = (
        Column("bid", "bid"), Column("kind", "when"), Column("counted", "counted"), Column("least", "least points"),
        Column("least_low", "from"), Column("least_high", "to"), *interval_columns("gain", "gained", or_dash("+.1f")),
        Column("decisions", "decisions", ","),
    )  # fmt: skip
    caption = card.costs.caption(text, "decisions, as many fitted on", "bootstrap and Student's t")
    alt = "; ".join(f"{row['name']}: {row['least']}" for row in frame.to_dict("records"))
    return Figure("points-needed", "How many points a bid needs", figure, alt, caption, frame, columns)


def _ahead_words(run: Run) -> Points:
    table = run.tables["compared"]
    found = {seating: rows.set_index("what").to_dict("index") for seating, rows in table.groupby("seating")}
    one, three = found[ONE], found.get(THREE, {})
    gain = one[POINTS]
    verb = ("gains" if gain["mean"] > 0 else "loses") if is_finding(gain) else "gets, within the noise of this sample,"
    sentences = [
        "pimc lets the auction go on after a call, takes the others' calls for what they say, and expects a failing "
        "contract to be doubled; novice counts points and bids at once.",
        f"Beside two novices, pimc {verb} {told(gain, '+.0f')} points a deal against a third novice in the same "
        f"seat, on the same {int(gain['deals'])} deals, the contracts played out by pimc.",
    ]
    for seating, rows in (("beside two novices", one), ("among three of a kind", three)):
        for failed, what in ((FAILED, "contracts"), (SLAMS_FAILED, "slams")):
            if failed in rows:
                row = rows[failed]
                sentences.append(
                    f"Of pimc's {what} {row['new']:.0%} fail, of novice's {row['old']:.0%} ({100 * row['mean']:+.0f} "
                    f"percentage points, {100 * row['low']:+.0f} to {100 * row['high']:+.0f}), {seating}."
                )
    return Points(tuple(sentences))


def ahead_table(run: Run) -> Table:
    """What pimc gains, and how the contracts fare."""
    table = run.tables["compared"]
    table = table[(table["seating"] != THREE) | (table["what"] != CONTRACTS)].reset_index(drop=True)  # somebody does
    shares = ~table["what"].isin((POINTS, OPEN_POINTS))
    frame = table.assign(unit=np.where(shares, "%", "points"))
    frame[["new", "old", "mean", "low", "high"]] *= np.where(shares, 100, 1)[:, None]
    text = (
        "Each deal is bid by both in the same seat beside two novices, every third one by three of a kind, too. "
        "Points are less the mean of the two others'; of shares the difference is that of two ratios, linearised."
    )
    model = "contracts played by pimc, or double-dummy; who has won a game at random"
    certainty = (int(table["deals"].max()), "deals, each bid by both")
    columns = (
        Column("seating", "table"), Column("what", "what"), Column("unit", "in"), Column("new", "pimc", ".0f"),
        Column("old", "novice", ".0f"), *interval_columns("mean", "difference", "+.0f", bare=True),
        Column("deals", "deals", ","),
    )  # fmt: skip
    caption = run.caption(text, "3 players", model, certainty, "paired")
    return Table("looking-ahead", "pimc against novice", frame, caption, columns)
