"""The tables of the Towers & Bowers report: ledger, habits, when to pass, ten striking hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.cards import card_html, cards_html
from analysis.report.page import Column, Table
from analysis.towers_and_bowers.report.figures import ACCEPT, GAP, PASS, PASSES, SEAT, SHARE, TRUMPS
from analysis.towers_and_bowers.report.view import (
    CLOSE,
    SEAT_NAMES,
    SEATS,
    SPADES,
    Scope,
    decisions_by,
    mean,
    means_by,
    share,
    side_aces,
    trump_sets,
)
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.cards import card_text, mask_text, parse_card, parse_mask, rank_of

_ACE = 12


def ledger(view: pd.DataFrame, scope: Scope) -> Table:
    """Every up-card with every set of trumps: how often, and what accepting and passing are worth to either seat."""
    groups = view.assign(held=trump_sets(view["hand"].to_numpy(np.int64)))
    parts = {seat: decisions_by(groups, seat, ("up", "held")) for seat in SEATS}
    first = parts[SEATS[0]]
    frame = pd.DataFrame(
        {
            "up_card": [card_text(up) for up in first["up"]],
            "trumps_held": [mask_text(held, SPADES, True) for held in first["held"]],
            "pairs": first["pairs"],
            "share": first["share"],
        }
    )
    for seat, part in parts.items():
        for name in ("accept", "pass", "gap", "passes"):
            frame[f"{seat}_{name}"] = part[name]
    by_seat = [
        Column(f"{seat}_{column.name}", f"{SEAT_NAMES[seat]}: {column.title}", column.show, column.help)
        for seat in SEATS
        for column in (ACCEPT, PASS, GAP)
    ]
    return Table(
        name="ledger",
        title="Ledger of trump holdings",
        frame=frame.sort_values("share", ascending=False, ignore_index=True, kind="stable"),
        caption=scope.caption(
            "Every up-card with every set of trumps that can be held with it; means over all side cards. Spades stand "
            "for any suit; the left bower is J♣."
        ),
        columns=(
            Column("up_card", "up-card", _show_card),
            Column("trumps_held", "trumps held", _show_cards),
            SHARE,
            *by_seat,
            Column("dealer_passes", "dealer: pass right", PASSES.show, PASSES.help),
        ),
        sorted_by="share",
        descending=True,
    )


def when_to_pass(view: pd.DataFrame, scope: Scope) -> Table:
    """The dealer's passes by trumps and jacks of the other colour."""
    keys = ("held", "other_jacks")
    groups = view.assign(held=view["trumps"].clip(upper=3))
    frame = decisions_by(groups, "dealer", keys)
    losses = pd.DataFrame({"cost": np.maximum(0, -view["dealer_gap"])})
    frame["cost"] = means_by(groups, keys, losses)["cost"]
    frame["trumps"] = frame["held"].map(lambda held: "3 or more" if held == 3 else str(held))
    return Table(
        name="when-to-pass",
        title="When the dealer should pass",
        frame=frame[["trumps", "other_jacks", "pairs", "share", "accept", "pass", "gap", "passes", "cost"]],
        caption=scope.caption(
            "The dealer's hands by trumps held and by jacks of the other colour, each a bower in either suit of that "
            "colour. The last column is what accepting with all of these hands costs a decision."
        ),
        columns=(
            TRUMPS,
            Column("other_jacks", "jacks of the other colour"),
            SHARE,
            ACCEPT,
            PASS,
            GAP,
            PASSES,
            Column("cost", "cost of accepting all, mt", ".2f"),
        ),
    )


def habits(view: pd.DataFrame, scope: Scope) -> Table:
    """What simple habits cost, in mt a decision."""
    trumps = view["trumps"].to_numpy()
    accepting: dict[str, Any] = {"always accept": trumps >= 0}
    for count in (1, 2, 3, 4):
        accepting[f"accept with {count} trump{'s' * (count > 1)} or more"] = trumps >= count
    accepting["never accept"] = trumps < 0
    frame = pd.DataFrame(
        [
            {"habit": name, "accepted": share(view, accepts)} | {seat: _cost(view, seat, accepts) for seat in SEATS}
            for name, accepts in accepting.items()
        ]
    )
    return Table(
        name="habits",
        title="What simple habits cost",
        frame=frame,
        caption=scope.caption(
            "Mean loss against the better action of every single hand, over all decisions of a seat; a habit looks "
            "only at the number of trumps among the dealt cards."
        ),
        columns=(
            Column("habit", "habit"),
            Column("accepted", "accepts", ".1%", help="share of deals in which the habit accepts"),
            *(Column(seat, f"{SEAT_NAMES[seat]}: cost, mt", ".2f") for seat in SEATS),
        ),
    )


def _cost(view: pd.DataFrame, seat: str, accepts: Any) -> float:
    gap = view[f"{seat}_gap"].to_numpy()
    return mean(view, np.where(accepts, np.maximum(0, -gap), np.maximum(0, gap)))


# --------------------------------------------------------------------------------------------- ten striking hands


@dataclass(frozen=True)
class _Search:
    """A striking hand is the first of those that fit.

    Attributes:
        why: what is striking about it.
        seat: whose decision it is.
        fits: rows to choose from.
        rank: columns to sort by, rising, or falling with a minus in front.
    """

    why: str
    seat: str
    fits: Callable[[pd.DataFrame], Any]
    rank: tuple[str, ...]


_SEARCHES: Final = (
    _Search(
        "most trumps, and still a clear pass", "dealer", lambda v: v.dealer_gap <= -CLOSE, ("-trumps", "dealer_gap")
    ),
    _Search("weakest hand that clearly accepts", "dealer", lambda v: v.dealer_gap >= CLOSE, ("dealer_accept",)),
    _Search("accepting costs most", "dealer", lambda v: v.dealer_gap < 0, ("dealer_gap",)),
    _Search("passing costs most", "dealer", lambda v: v.dealer_gap > 0, ("-dealer_gap",)),
    _Search("closest with a trump", "dealer", lambda v: (v.dealer_gap != 0) & (v.trumps > 0), ("dealer_nearness",)),
    _Search("best hand that clearly passes", "dealer", lambda v: v.dealer_gap <= -CLOSE, ("-dealer_pass",)),
    _Search(
        "an ace is discarded and most lesser side cards are kept",
        "dealer",
        lambda v: (v.dealer_gap >= CLOSE) & (v.discard.map(rank_of) == _ACE) & (v.discard // 13 != SPADES),
        ("-lesser", "-dealer_gap"),
    ),
    _Search("passing costs most", "nondealer", lambda v: v.nondealer_gap > 0, ("-nondealer_gap",)),
    _Search(
        "most trumps, and a pass costs nothing",
        "nondealer",
        lambda v: v.nondealer_gap == 0,
        ("-trumps", "-nondealer_accept"),
    ),
    _Search(
        "the seats disagree most: as dealer it should pass",
        "nondealer",
        lambda v: v.disagreement > 0,
        ("-disagreement",),
    ),
)


def striking_hands(view: pd.DataFrame, scope: Scope) -> Table:
    """Ten hands found by stated criteria, no hand twice (fewer, if nothing fits a criterion)."""
    cards_held = view["hand"].map(int.bit_count)
    ranked = view.assign(
        dealer_nearness=view["dealer_gap"].abs(),
        disagreement=np.minimum(view["nondealer_gap"], -view["dealer_gap"]),
        lesser=cards_held - view["trumps"] - side_aces(view["hand"].to_numpy(np.int64)),
    )
    rows: list[dict[str, Any]] = []
    for search in _SEARCHES:
        found = ranked[search.fits(ranked)]
        if not found.empty:
            place = _most_striking(found, search.rank)
            rows.append(_striking_row(ranked.loc[[place]].to_dict("records")[0], search))
            ranked = ranked.drop(index=place)
    return Table(
        name="striking-hands",
        title="Ten striking hands",
        frame=pd.DataFrame(rows),
        caption=scope.caption(
            "Each hand is the first by its criterion among all classes, and no hand comes twice; of equals, the first "
            f"in the book. “Clearly” means by {CLOSE:g} mt or more. The last columns are the gap if the other player "
            "held the hand, and the gap when hands stay hidden, by the equilibrium."
        ),
        columns=(
            Column("why", "what is striking"),
            SEAT,
            Column("hand", "hand", _show_cards),
            Column("up_card", "up-card", _show_card),
            ACCEPT,
            PASS,
            GAP,
            Column("discard", "discard", _show_card, help="the dealer's best one for all layouts"),
            Column("other_gap", "gap in the other seat, mt", "+.1f"),
            Column("hidden_gap", "gap with hidden hands, mt", "+.1f", help="by the equilibrium"),
        ),
    )


def _most_striking(found: pd.DataFrame, rank: tuple[str, ...]) -> Any:
    names = [name.removeprefix("-") for name in rank]
    rising = [not name.startswith("-") for name in rank]
    return found.sort_values(names, ascending=rising, kind="stable").index[0]


def _striking_row(row: dict[Any, Any], search: _Search) -> dict[str, Any]:
    seat = search.seat
    other = next(name for name in SEATS if name != seat)
    return {
        "why": search.why,
        "seat": seat,
        "hand": mask_text(row["hand"], SPADES, True),
        "up_card": card_text(row["up"]),
        "accept": row[f"{seat}_accept"],
        "pass": row[f"{seat}_pass"],
        "gap": row[f"{seat}_gap"],
        "discard": card_text(row["discard"]) if seat == "dealer" else "",
        "other_gap": row[f"{other}_gap"],
        "hidden_gap": 1000 * UpcardQuestion(int(row["hand"]), int(row["up"]), seat == "dealer").answer().margin,
        "pairs": row["weight"],
    }


def _show_cards(text: str) -> str:
    return cards_html(parse_mask(text), SPADES, True) if text else "none"


def _show_card(text: str) -> str:
    return card_html(parse_card(text)) if text else "–"
