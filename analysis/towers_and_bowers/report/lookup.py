"""Accept or pass by kinds of hands, a tab a hand size: charts by the equilibrium, what splits the kinds that disagree.

The tables are those that ship (`analysis.towers_and_bowers.explorer.kinds`); open cards stand beside as a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.cards import card_html, cards_html
from analysis.report.checks import Check, adds_up, agrees, holds
from analysis.report.grid import Cell, Panel, grid_svg
from analysis.report.page import Caption, Column, Exact, Figure, Section, Tab, Table, Tabs
from analysis.report.palette import accept_or_pass
from analysis.towers_and_bowers.explorer.kinds import DISSENT, HOLDINGS, KIND, UP_RANKS, stored
from analysis.towers_and_bowers.report.card import MODEL, TableCard
from analysis.towers_and_bowers.report.view import CLOSE, SEAT_NAMES, SHADES, SIZES
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.cards import SUITS, card_symbol, mask_cards, parse_mask
from solver.towers_and_bowers.bidding.deals import SPADES

EXPLORER: Final = "explorer.html"
_JACKS: Final = ("no jack of the other colour", "one of its two jacks", "both its jacks")
_SHARE: Final = Column("share", "how often", ".2%", help="share of all hands with an up-card")
_ACCEPTS: Final = Column("accepts", "should accept", ".1%", help="share of these hands for which accepting is no worse")
_GAP: Final = Column("gap", "accept − pass, mt", "+.1f", help="mean value of accepting less that of passing")


class Lookup:
    """The tabs, the striking hands and their checks.

    Args:
        rules: `analysis.report.rules_in_force` of the options.
    """

    def __init__(self, rules: str) -> None:
        self._rules = rules
        kinds = stored("kinds")
        self.kinds = kinds.assign(share=kinds["pairs"] / kinds["cards"].map(every_pair))
        self.parts = stored("kinds_split").merge(self.kinds[[*KIND]], on=[*KIND], validate="m:1")
        self.striking = _striking_frame()

    def section(self) -> Section:
        """A tab a hand size."""
        text = (
            "Find the row of your trumps and the column of the up-card; the jacks of the other colour are bowers in "
            "either of its suits. Spades stand for any suit. A cell's letter is what at least "
            f"{1 - DISSENT:.0%} of its hands should do, its number the mean gap in mt; where more of them disagree it "
            "shows instead how many should accept, and the table below the chart tells what decides."
        )
        tabs = tuple(Tab(SIZES[cards], tuple(self._blocks(cards))) for cards in SIZES)
        return Section("look-up", "Look up your hand", (text, Tabs("sizes", tabs, chosen=len(tabs) - 1)))

    def _blocks(self, cards: int) -> Iterator[str | Figure | Table]:
        odd = cards % 2
        yield self._chart(cards, "dealer")
        if odd:
            yield (
                f"Non-dealer with {SIZES[cards]}: accept. Somebody always takes the majority, whoever bid, and a "
                "dealer who is passed to can still accept: against best play a pass gains nothing."
            )
        else:
            yield self._chart(cards, "nondealer")
        parts = self.parts[self.parts["cards"] == cards]
        if len(parts):
            yield self._split_table(cards, parts)

    def caption(self, text: str, cards: int) -> Caption:
        """A caption for counts of the answer book."""
        return Caption(text, self._rules, f"n = {cards}", MODEL, Exact(every_pair(cards), "hands with an up-card"))

    def _chart(self, cards: int, seat: str) -> Figure:
        kinds = self.kinds[(self.kinds["cards"] == cards) & (self.kinds["seat"] == seat)].reset_index(drop=True)
        used = [name for name in HOLDINGS if (kinds["holding"] == name).any()]
        panels = [
            Panel(
                _JACKS[int(str(jacks))],
                {(row["holding"], _up_name(row["up"])): _cell(row) for row in part.to_dict("records")},
            )
            for jacks, part in kinds.groupby("other_jacks")
        ]
        called = kinds["accepts"].map(_call)
        told = ", ".join(f"{word} in {int((called == word).sum())}" for word in ("accept", "pass", "mixed"))
        asked = "Their decision after the non-dealer has passed" if seat == "dealer" else "Their first decision"
        return Figure(
            name=f"chart-{seat}-{cards}",
            title=f"{SEAT_NAMES[seat].capitalize()}, {SIZES[cards]}: accept or pass?",
            drawing=grid_svg(
                panels,
                used,
                [_up_name(up) for up in UP_RANKS],
                row_axis="trumps held",
                column_axis="up-card",
                tells=_TELLS,
            ),
            alt=f"{len(panels)} grids by jacks of the other colour, {len(kinds)} cells in all: {told}.",
            caption=self.caption(
                f"{asked}. A = accept, P = pass, with the mean gap in mt; a share instead of a letter where more than "
                f"{DISSENT:.0%} of the hands disagree: so many should accept. Colours grow stronger from "
                f"{', '.join(f'{bound:g}' for bound in SHADES)} mt on.",
                cards,
            ),
            frame=kinds.drop(columns=["cards", "seat"]),
            columns=(
                Column("holding", "trumps held"), Column("up", "up-card", _up_name),
                Column("other_jacks", "jacks of the other colour"), _SHARE, _ACCEPTS, _GAP,
                Column("open_accepts", "should accept if both saw all cards", ".1%"), Column("decides", "what decides"),
            ),
            rows=_SHOWN,
        )  # fmt: skip

    def _split_table(self, cards: int, parts: pd.DataFrame) -> Table:
        whole = every_pair(cards)
        frame = pd.DataFrame(
            {
                "seat": parts["seat"].map(SEAT_NAMES),
                "kind": [_kind_text(row) for row in parts.to_dict("records")],
                "part": parts["part"].where(parts["part"] != "", "nothing found that decides"),
                "call": [_call_text(share) for share in parts["accepts"]],
                "accepts": parts["accepts"],
                "gap": parts["gap"],
                "share": parts["pairs"] / whole,
            }
        )
        left = float(frame.loc[frame["accepts"].between(DISSENT, 1 - DISSENT, "neither"), "share"].sum())
        seats = frame["seat"].nunique()
        return Table(
            name=f"decides-{cards}",
            title=f"{SIZES[cards].capitalize()}: what decides in the cells without a letter",
            frame=frame,
            caption=self.caption(
                "Every cell without a letter, split by the feature that saves most, twice at the most, out of eight: "
                "cards in the best and in the worst other suit (bowers counted), side strength (3 for an ace, 2 for a "
                f"king, 1 for a queen) and five more. Undecided even so: {left / seats:.1%} of a seat's hands.",
                cards,
            ),
            columns=(
                Column("kind", "hands"), Column("seat", "seat"), Column("part", "which of them"),
                Column("call", "call"), _ACCEPTS, _GAP, _SHARE,
            ),
            folded=len(frame) > _SHOWN,
        )  # fmt: skip

    def striking_hands(self) -> Table:
        """Hands found by stated criteria, answered as `towerlab upcard` does, open cards beside."""
        sizes = sorted(self.striking["cards"].unique().tolist())
        looked = " and ".join(f"{SIZES[cards]}: {int(rows['of'].iloc[0]):,} classes" for cards, rows in self.by_size())
        return Table(
            name="striking-hands",
            title="Striking hands",
            frame=self.striking,
            caption=Caption(
                f"Each hand is the first by its criterion among all classes ({looked}); “clearly” means by {CLOSE:g} "
                "mt or more, “weakest” by the chance to win the tower. The call and its gap are what "
                "`towerlab upcard` says; the last column is the gap if both saw all cards once the call is made "
                "(`--method pimc`).",
                self._rules,
                f"n = {' and '.join(map(str, sizes))}",
                MODEL,
                Exact(int(self.striking.groupby("cards")["of"].first().sum()), "classes searched"),
            ),
            columns=(
                Column("why", "what is striking"),
                Column("hand", "hand", lambda text: cards_html(parse_mask(text), SPADES, True)),
                Column("up", "up-card", card_html), Column("call", "call"), Column("gap", "accept − pass, mt", "+.1f"),
                Column("discard", "discard"), Column("open_gap", "if both saw all cards, mt", "+.1f"),
            ),
        )  # fmt: skip

    def by_size(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """The striking hands of each size."""
        for cards, rows in self.striking.groupby("cards"):
            yield int(str(cards)), rows

    def checks(self, card: TableCard) -> tuple[Check, ...]:
        """Cells hold every hand, parts their cells, and their gaps are those of the rules on the first screen."""
        checks = []
        for (cards, seat), kinds in self.kinds.groupby(["cards", "seat"]):
            size, who = int(str(cards)), SEAT_NAMES[str(seat)]
            checks.append(adds_up(f"the cells hold every hand of n = {size}, {who}", kinds["pairs"], every_pair(size)))
            checks.append(
                agrees(
                    f"their mean gap is what accepting all gains on passing all, n = {size}, {who}",
                    float(np.average(kinds["gap"], weights=kinds["pairs"])),
                    card.cost(size, str(seat), size + 1) - card.cost(size, str(seat), 0),
                    within=0.01,
                )
            )
            checks.append(
                agrees(
                    f"accepting them all costs what the first screen says, n = {size}, {who}",
                    float(np.average(kinds["accepting_costs"], weights=kinds["pairs"])),
                    card.cost(size, str(seat), 0),
                    within=0.001,
                )
            )
        mixed = self.kinds[self.kinds["accepts"].map(_call) == "mixed"].set_index([*KIND])["pairs"]
        parts = self.parts.groupby([*KIND])["pairs"].sum()
        checks.append(adds_up("the parts of every cell without a letter make it up", (parts - mixed).abs(), 0.0))
        lettered = self.kinds[self.kinds["accepts"].map(_call) != "mixed"]
        checks.append(
            holds(
                "every letter is what the mean gap of its hands says, too",
                ((lettered["gap"] >= 0) == (lettered["accepts"] > 0.5)).all(),
                f"of {len(lettered)} cells with a letter",
            )
        )
        clear = self.striking[self.striking["gap"].abs() >= CLOSE]
        checks.append(
            holds(
                "the call of every striking hand is that of towerlab upcard",
                ((clear["gap"] > 0) == (clear["call"] == "accept")).all() and len(clear),
            )
        )
        return tuple(checks)


_SHOWN: Final = 20


def every_pair(cards: int) -> int:
    """Hands with an up-card."""
    return comb(24, cards) * (24 - cards)


def _call(accepts: float) -> str:
    if DISSENT < accepts < 1 - DISSENT:
        return "mixed"
    return "accept" if accepts > 0.5 else "pass"


def _call_text(accepts: float) -> str:
    called = _call(accepts)
    return "depends" if called == "mixed" else called


def _cell(row: dict[Any, Any]) -> Cell:
    gap, accepts = row["gap"], row["accepts"]
    link = f"{EXPLORER}#{row['example'].replace(' ', '-')}/{row['up']}{SUITS[SPADES]}/{row['seat']}/1"
    if _call(accepts) == "mixed":
        return Cell(f"{accepts:.0%}", "even", tells=_tells(row), link=link)
    size = f"{abs(gap):.0f}" if abs(gap) >= 1 else "<1"
    return Cell(f"{'A' if accepts > 0.5 else 'P'} {size}", accept_or_pass(gap, SHADES), tells=_tells(row), link=link)


_TELLS: Final = ("hands", "should accept", "accept − pass, mt", "makes it", "if both saw all cards", "what decides")


def _tells(row: dict[Any, Any]) -> tuple[str, ...]:
    """What a chosen cell tells, by `_TELLS`."""
    gap = f"{row['gap']:+.0f} ({row['least']:+.0f} to {row['most']:+.0f})".replace("-", "−")
    seen = f"{row['open_accepts']:.0%} accept, {row['open_gap']:+.0f} mt".replace("-", "−")
    return f"{row['share']:.2%} of all", f"{row['accepts']:.0%}", gap, f"{row['make']:.0%}", seen, row["decides"]


def _kind_text(row: dict[Any, Any]) -> str:
    held = row["holding"]
    trumps = {"none": "no trump", "1": "1 trump", "1, a bower": "a bower alone"}.get(held)
    if trumps is None:
        count, _, bowers = held.partition(", ")
        trumps = f"{count} trumps" + (f" with {bowers}" if bowers else "").replace("with both", "with both bowers")
    jacks = ("", ", a jack of the other colour", ", both jacks of the other colour")[row["other_jacks"]]
    return f"{trumps}{jacks}, {_up_name(row['up'])} up"


def _up_name(rank: str) -> str:
    return rank.replace("T", "10")


def _striking_frame() -> pd.DataFrame:
    """Every striking hand asked afresh."""
    rows = []
    for row in stored("striking").to_dict("records"):
        hand, up, dealer = int(row["hand"]), int(row["up"]), row["seat"] == "dealer"
        answer, seen = (UpcardQuestion(hand, up, dealer, method=method).answer() for method in ("equilibrium", "pimc"))
        discard = getattr(answer.actions["accept"], "discard", None)
        rows.append(
            {
                "cards": row["cards"],
                "why": f"{SIZES[row['cards']]}, {row['why']}",
                "seat": row["seat"],
                "hand": " ".join(f"{card_symbol(card)}" for card in mask_cards(hand)),
                "up": up,
                "call": answer.recommend,
                "gap": 1000 * answer.margin,
                "discard": card_symbol_of(discard),
                "open_gap": 1000 * seen.margin,
                "of": row["of"],
            }
        )
    return pd.DataFrame(rows)


def card_symbol_of(text: str | None) -> str:
    """A card's symbol, a dash for none."""
    return "–" if text is None else card_symbol(mask_cards(parse_mask(text))[0])
