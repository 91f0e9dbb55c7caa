"""The figures and tables of the page on the equilibrium, each with its numbers and its caption."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final

import numpy as np
import pandas as pd

from analysis.report.drawing import drawing
from analysis.report.page import Caption, Column, Exact, Figure, Sampled, Table
from analysis.report.palette import INK, series
from analysis.towers_and_bowers.explorer.kinds import UP_RANKS
from analysis.towers_and_bowers.report.equilibrium.data import SURE, Decisions
from analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND
from analysis.towers_and_bowers.solutions.deal_value import deal_value
from analysis.towers_and_bowers.solutions.hidden_values import bidding_value, hidden_value, whole_hand_values
from analysis.towers_and_bowers.solutions.value_bounds import value_bounds
from analysis.towers_and_bowers.studies.model_price import stored_losses
from analysis.towers_and_bowers.value import price_of_models

RULES: Final = "default rules"
MODELS: Final = {
    WHOLE_HAND: "the game itself: bidding, discard and play with hidden hands",
    DOUBLE_DUMMY: "double-dummy model: bidding and discard with hidden hands, play with all cards seen",
}
OPEN: Final = "perfect information: both see all cards from the first bid on"
SIZES: Final = range(1, 8)
_MARKS: Final = (
    ("exact", "the game", "o"),
    ("double_dummy", "double-dummy", "s"),
    ("open", "perfect information", "^"),
)


def deals_of(cards: int) -> int:
    """How many deals (hand, hand, up-card) there are."""
    return comb(24, cards) * comb(24 - cards, cards) * (24 - 2 * cards)


# ------------------------------------------------------------------------------------------------ value of the deal


def values_frame() -> pd.DataFrame:
    """A row a hand size: the best W(n) at hand and of what, the bounds, W(n) by model."""
    rows = []
    for cards in SIZES:
        best, exact, model, bounds = (
            hidden_value(cards),
            whole_hand_values().get(cards),
            bidding_value(cards),
            value_bounds(cards),
        )
        rows.append(
            {
                "cards": cards,
                "dealer": best.dealer if best else np.nan,
                "solved": best.exploitability_of if best else None,
                "exploitability": 1000 * best.exploitability if best else np.nan,
                "lower": bounds.lower if bounds else np.nan,
                "upper": bounds.upper if bounds else np.nan,
                "exact": exact.dealer if exact else np.nan,
                "double_dummy": model.dealer if model else np.nan,
                "open": deal_value(cards),
                "deals": deals_of(cards),
                "bound_hands": bounds.hands if bounds else 0,
            }
        )
    return pd.DataFrame(rows)


def values_figure(values: pd.DataFrame) -> Figure:
    """Dumbbells of W(n) by model, on the bounds."""
    with drawing(7.2, 4.0) as (figure, axes):
        places = -values["cards"]
        axes.hlines(places, values["lower"], values["upper"], color=INK, linewidth=0.8, label="proven bounds")
        for number, (name, label, mark) in enumerate(_MARKS):
            axes.plot(values[name], places, mark, color=series(number), label=label, markersize=7, fillstyle="none")
        axes.axvline(0.5, color=INK, linewidth=0.8, linestyle=":")
        axes.set_yticks(places, [f"n = {cards}" for cards in values["cards"]])
        axes.set(xlabel="W(n) = P(the dealer wins the tower)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    text = (
        "W(n) = P(the player who deals the hand of n cards wins the tower), each model on its own W(n − 1), "
        "double-dummy from n = 4 on as continued from the game's W(3). Line: "
        "proven bounds of the game's W(n): what a fixed strategy leaves the best response to it. Exploitability: "
        "what best responses of both seats gain in the game or model that was solved. Dotted: an even game."
    )
    sure = (
        Exact(int(values["deals"].sum()), "deals, for the marks"),
        Sampled(int(values["bound_hands"].iloc[2:].min()), "hands a seat or more, for the bounds, n > 2", 0, "normal"),
    )
    told = "; ".join(f"n = {n}: {w:.3f}" for n, w in zip(values["cards"], values["dealer"], strict=True) if w == w)
    columns = (
        Column("cards", "cards n"), Column("dealer", "W(n), best at hand", ".4%"), Column("solved", "of the"),
        Column("exploitability", "exploitability, mt", ".2g"), Column("lower", "at least", ".4f"),
        Column("upper", "at most", ".4f"), Column("exact", "the game", ".6f"),
        Column("double_dummy", "double-dummy", ".6f"), Column("open", "perfect information", ".6f"),
        Column("deals", "deals"),
    )  # fmt: skip
    caption = Caption(text, RULES, "n = 1 to 7", "the game, double-dummy, perfect information, as marked", sure)
    return Figure(
        "value-of-the-deal", "W(n) by model", figure, f"Marks by hand size. Best at hand: {told}.", caption, values,
        columns,
    )  # fmt: skip


def by_up_frame() -> pd.DataFrame:
    """W(n) by up-card rank, wherever it is at hand: a row a hand size, model and rank."""
    rows = []
    for cards in SIZES:
        for value in (whole_hand_values().get(cards), bidding_value(cards)):
            if value is None:
                continue
            rows += [
                (cards, value.exploitability_of, rank, value.by_up[rank], value.by_up[rank] - value.dealer)
                for rank in UP_RANKS
            ]
    return pd.DataFrame(rows, columns=["cards", "solved", "up_rank", "dealer", "above"])


def by_up_figure(frame: pd.DataFrame) -> Figure:
    """Lines over the rank of the up-card, the best answer of each hand size."""
    with drawing(7.2, 3.2) as (figure, axes):
        for number, (cards, part) in enumerate(frame.groupby("cards")):
            shown = part[part["solved"] == part["solved"].iloc[0]]
            mark = "osD^vP*"[number]
            axes.plot(shown["up_rank"], shown["dealer"], marker=mark, color=series(number), label=f"n = {cards}")
        axes.set(xlabel="up-card, as trumps rank", ylabel="P(the dealer wins the tower)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
    text = (
        "What dealing is worth once the up-card is seen; of each hand size the game where it has been solved, else the "
        "double-dummy model. The jack is the right bower. All six ranks are equally likely."
    )
    sizes = frame["cards"].unique().tolist()
    caption = Caption(
        text, RULES, f"n = {min(sizes)} to {max(sizes)}", "as in the table", Exact(sum(map(deals_of, sizes)), "deals")
    )
    columns = (
        Column("cards", "cards n"), Column("solved", "of the"), Column("up_rank", "up-card"),
        Column("dealer", "W(n)", ".5f"), Column("above", "less the mean", "+.4f"),
    )  # fmt: skip
    top = frame.sort_values("dealer").iloc[-1]
    alt = (
        f"Lines by hand size; the highest point is {top['dealer']:.3f}, up-card {top['up_rank']} at n = {top['cards']}."
    )
    return Figure("value-by-up-card", "By up-card", figure, alt, caption, frame, columns)


def price_table() -> Table:
    """What each model is wrong by."""
    frame = price_of_models()
    for name in ("double_dummy", "perfect_information"):
        frame[f"{name}_less_exact"] *= 1000
    text = (
        "W(n) of the game beside that of its two models, each on its own W(n − 1), and by how much a model overrates "
        "the deal, in mt. A dash: not at hand."
    )
    columns = (
        Column("cards", "cards n"), Column("exact", "the game", ".6f"), Column("double_dummy", "double-dummy", ".6f"),
        Column("double_dummy_less_exact", "too high by, mt", "+.2f"),
        Column("perfect_information", "perfect information", ".6f"),
        Column("perfect_information_less_exact", "too high by, mt", "+.2f"),
    )  # fmt: skip
    sizes = frame["cards"].tolist()
    caption = Caption(
        text, RULES, f"n = {sizes[0]} to {sizes[-1]}", "the game, double-dummy, perfect information, by column",
        Exact(sum(map(deals_of, sizes)), "deals"),
    )  # fmt: skip
    return Table("price-of-the-model", "The price of the model", frame, caption, columns)


def losses_table() -> Table:
    """What bidders who believe in a model lose."""
    frame = stored_losses()
    for name in ("nondealer_loss", "dealer_loss"):
        frame[name] = (1000 * frame[name]).round(6) + 0.0
    text = (
        "What each seat loses to a best response in the game itself, in mt, when calls and discards are a model's and "
        "cards are played as the solved hand plays them. The equilibrium's own line is what was left to gain from the "
        "solution that the others were measured in; differences of that size tell nothing."
    )
    columns = (
        Column("cards", "cards n"), Column("bidder", "calls and discards by"),
        Column("nondealer_loss", "non-dealer loses, mt", ".3f"), Column("dealer_loss", "dealer loses, mt", ".3f"),
    )  # fmt: skip
    sizes = sorted(frame["cards"].unique().tolist())
    caption = Caption(
        text, RULES, f"n = {sizes[0]} to {sizes[-1]}", "the game itself; the bidder's own, by line",
        Exact(sum(map(deals_of, sizes)), "deals"),
    )  # fmt: skip
    return Table("bidders-of-models", "Bidders who believe in a model", frame, caption, columns)


# ---------------------------------------------------------------------------------------------------------------- mixes


def mixes_table(frame: pd.DataFrame, decisions: Sequence[Decisions]) -> Table:
    """How often decisions are mixed."""
    text = (
        f"A decision is a mix if no call is made in {SURE:.0%} of the cases or more. Reached: share of deals. Mixed: "
        "share of the decisions reached. Difference: the largest between the values of accepting and of passing among "
        "the mixed decisions compared, those met most often, against the other's bids, of more than three cards with "
        "double-dummy play. An exact equilibrium would have none: it shows how far the solution is from one. Two "
        "suits that differ by name only count as a mix, too."
    )
    columns = (
        Column("cards", "cards n"), Column("decision", "decision"), Column("solved", "of the"),
        Column("reached", "reached", ".2%"), Column("mixed", "mixed", ".2%"), Column("checked", "compared"),
        Column("difference", "difference, mt", ".3f"),
    )  # fmt: skip
    total = sum(len(each.frame) for each in decisions)
    caption = Caption(text, RULES, sizes_of(decisions), "as in the table", Exact(total, "classes of (hand, up-card)"))
    return Table("mixes", "How often the equilibrium mixes", frame, caption, columns)


def guarantees_table(frame: pd.DataFrame) -> Table:
    """What bidding without mixes is sure of."""
    text = (
        "P(win the tower) that each seat is sure of, the other answering best: with the bidding as solved, with the "
        "likeliest call in place of every mix, and with a non-dealer who accepts every up-card. Less than in the first "
        "line is the price of bidding that way."
    )
    columns = (
        Column("cards", "cards n"), Column("bidding", "bidding"),
        Column("nondealer", "non-dealer is sure of", ".6f"), Column("nondealer_price", "price, mt", ".3f"),
        Column("dealer", "dealer is sure of", ".6f"), Column("dealer_price", "price, mt", ".3f"),
    )  # fmt: skip
    sizes = frame["cards"].unique().tolist()
    caption = Caption(
        text,
        RULES,
        f"n = {min(sizes)} to {max(sizes)}",
        MODELS[DOUBLE_DUMMY],
        Exact(sum(map(deals_of, sizes)), "deals"),
    )
    return Table("without-mixing", "What mixing is for", frame, caption, columns)


def sizes_of(decisions: Sequence[Decisions]) -> str:
    """The hand sizes, as a caption states them."""
    return "n = " + ", ".join(str(each.cards) for each in decisions)
