"""Accept or pass by kinds of hands: charts by the equilibrium.

The tables are those that ship (`analysis.towers_and_bowers.studies.kinds`); open cards stand beside as a comparison.
"""

from __future__ import annotations

from math import comb
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.present import printed
from towerlab.analysis.report.drawing import accept_or_pass
from towerlab.analysis.report.page import Check, holds, vanishes
from towerlab.analysis.report.render import Cell, Panel, grid_svg
from towerlab.analysis.towers_and_bowers.questions.answers import SEATS
from towerlab.analysis.towers_and_bowers.report.card import MT_A_POINT, TableCard
from towerlab.analysis.towers_and_bowers.report.view import SHADES
from towerlab.analysis.towers_and_bowers.studies.kinds import DISSENT, HOLDINGS, UP_RANKS, stored
from towerlab.games.cards import SUITS, parse_card, parse_mask
from towerlab.games.towers_and_bowers.links import LinkedPosition
from towerlab.solver.towers_and_bowers.bidding.deals import SPADES

EXPLORER: Final = "explorer.html"
_JACKS: Final = ("no jack of the other colour", "one of its two jacks", "both its jacks")
_TELLS: Final = ("hands", "should accept", "accept − pass, points", "makes it", "if both saw all cards", "what decides")


def charted_kinds() -> pd.DataFrame:
    """A row a kind of hands, with the share of all hands that are of it."""
    kinds = stored()
    return kinds.assign(share=kinds["pairs"] / kinds["cards"].map(every_pair), points=kinds["gap"] / MT_A_POINT)


def checks_of_kinds(every: pd.DataFrame, card: TableCard) -> tuple[Check, ...]:
    """Cells hold every hand, and their gaps are those of the rules on the first screen."""
    missing = []
    gaps = []
    accepted = []
    for (cards, seat), kinds in every.groupby(["cards", "seat"]):
        size = int(str(cards))
        who = str(seat)
        gap, accepting = (float(np.average(kinds[of], weights=kinds["pairs"])) for of in ("gap", "accepting_costs"))
        missing.append(kinds["pairs"].sum() - every_pair(size))
        gaps.append(gap - card.accepting(size, who, size + 1) + card.accepting(size, who))
        accepted.append(accepting - card.accepting(size, who))
    checks = (
        vanishes("the cells hold every hand of every size and seat", missing),
        vanishes("their mean gap is what accepting all gains on passing all", gaps, 0.01),
        vanishes("accepting them all costs what the first screen says", accepted, 0.001),
    )
    lettered = every[every["accepts"].map(_call) != "mixed"]
    agree = ((lettered["gap"] >= 0) == (lettered["accepts"] > 0.5)).all()
    claim = "every letter is what the mean gap of its hands says, too"
    return (*checks, holds(claim, agree, f"of {len(lettered)} cells with a letter"))


def chart(kinds: pd.DataFrame) -> tuple[str, ...]:
    """The kinds of one hand size and seat as a grid, a panel a number of jacks of the other colour."""
    panels = [
        Panel(
            _JACKS[int(str(jacks))],
            {(row["holding"], up_name(row["up"])): _cell(row) for row in part.to_dict("records")},
        )
        for jacks, part in kinds.groupby("other_jacks")
    ]
    held = [name for name in HOLDINGS if (kinds["holding"] == name).any()]
    ups = [up_name(up) for up in UP_RANKS]
    return grid_svg(panels, held, ups, row_axis="trumps held", column_axis="up-card", tells=_TELLS)


def chart_in_words(kinds: pd.DataFrame) -> str:
    """How many cells say what."""
    called = kinds["accepts"].map(_call).value_counts()
    words = ", ".join(f"{word} in {called.get(word, 0)}" for word in ("accept", "pass", "mixed"))
    return f"{kinds['other_jacks'].nunique()} grids by jacks of the other colour, {len(kinds)} cells in all: {words}."


def every_pair(cards: int) -> int:
    """Hands with an up-card."""
    return comb(24, cards) * (24 - cards)


def up_name(rank: str) -> str:
    """A rank as it is written."""
    return rank.replace("T", "10")


def _call(accepts: float) -> str:
    if DISSENT < accepts < 1 - DISSENT:
        return "mixed"
    return "accept" if accepts > 0.5 else "pass"


def _cell(row: dict[Any, Any]) -> Cell:
    gap = row["gap"]
    accepts = row["accepts"]
    up = parse_card(f"{row['up']}{SUITS[SPADES]}")
    dealer = row["seat"] == SEATS[0]
    link = f"{EXPLORER}#{LinkedPosition(parse_mask(row['example']), up, dealer, 'p' * dealer)}"
    if _call(accepts) == "mixed":
        return Cell(f"{accepts:.0%}", "even", tells=_tells(row), link=link)
    size = f"{abs(gap) / MT_A_POINT:.1f}" if abs(gap) >= 1 else "<0.1"
    return Cell(f"{'A' if accepts > 0.5 else 'P'} {size}", accept_or_pass(gap, SHADES), tells=_tells(row), link=link)


def _tells(row: dict[Any, Any]) -> tuple[str, ...]:
    """Return the words of a chosen cell, by `_TELLS`."""
    mean, least, most, open_gap = (row[of] / MT_A_POINT for of in ("gap", "least", "most", "open_gap"))
    gap = f"{mean:+.1f} ({least:+.1f} to {most:+.1f})"
    seen = f"{row['open_accepts']:.0%} accept, {open_gap:+.1f} points"
    words = f"{row['share']:.2%} of all", f"{row['accepts']:.0%}", gap, f"{row['make']:.0%}", seen, row["decides"]
    return tuple(map(printed, words))
