"""The page on the equilibrium: sections, first screen, checks."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Final

import numpy as np
import pandas as pd
from markupsafe import Markup

from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.page import Exact, KeyNumber, Page, Points, Section
from analysis.towers_and_bowers.report.equilibrium.data import DECISIONS, Decisions, guarantees, load_decisions, mixes
from analysis.towers_and_bowers.report.equilibrium.figures import (
    SIZES,
    by_up_figure,
    by_up_frame,
    guarantees_table,
    losses_table,
    mixes_table,
    price_table,
    values_figure,
    values_frame,
)
from analysis.towers_and_bowers.report.equilibrium.words import PROOF, Surprise, remember, surprises
from analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND
from analysis.towers_and_bowers.solutions.hidden_values import bidding_value

COMMAND: Final = "towerlab report towers-and-bowers --page equilibrium"
WARNING: Final = (
    "Where a caption says “the game”, the whole hand has been solved with hidden hands: bidding, discard and play. "
    "Where it says “double-dummy model”, only the bidding and the discard are hidden; the play after them is with all "
    "cards seen, which nobody's is. Exploitability is measured in the game or model that is named, never across."
)
_EQUAL: Final = 1e-9  # one card is counted, both bounds being its value
_MEASURED: Final = 3  # largest hand size at which bidding without mixes is measured: seconds
_SLACK: Final = 1e-6  # beyond the exploitability of rounded probabilities


def build_page(sizes: Sequence[int] = SIZES, measured: int = _MEASURED) -> Page:
    """The whole page, of what is at hand.

    Args:
        sizes: hand sizes whose bidding is looked at.
        measured: up to which hand size best responses against other ways of bidding are computed.
    """
    decisions = [found for cards in sizes if (found := load_decisions(cards)) is not None]
    values, by_up = values_frame(), by_up_frame()
    mixed = pd.concat([mixes(found) for found in decisions], ignore_index=True)
    sure = [part for found in decisions if found.cards <= measured and (part := guarantees(found.cards)) is not None]
    kept = with_prices(pd.concat(sure, ignore_index=True))
    odd_ones = surprises(decisions)
    return Page(
        title="Towers & Bowers: what the deal is worth",
        question="Hands are hidden: what is dealing worth at each hand size, and when is a bid a mix?",
        answer=_answer(values, mixed),
        warning=WARNING,
        key_numbers=_key_numbers(values),
        sections=(
            Section("deal", "The value of the deal", (values_figure(values), by_up_figure(by_up))),
            Section("price", "The price of the model", (_price_text(values), price_table(), losses_table())),
            Section(
                "odd-even", "Odd and even hands", (remember(), Points(PROOF), _kept_text(kept), guarantees_table(kept))
            ),
            Section("mixing", "How often the equilibrium mixes", (_mix_text(mixed), mixes_table(mixed, decisions))),
            Section("surprises", "Surprising decisions", (_SURPRISES, Points(tuple(s.sentence() for s in odd_ones)))),
        ),
        method=Section("method", "Method", (_method(decisions),)),
        command=COMMAND,
        checks=(
            *_checks_of_values(values, by_up),
            *_checks_of_decisions(decisions),
            *_checks_of_guarantees(kept),
            *_checks_of_surprises(odd_ones),
        ),
        sources={
            "solved": {
                str(n): s for n, s in zip(values["cards"].tolist(), values["solved"].tolist(), strict=True) if s
            },
            "sizes": [found.cards for found in decisions],
        },
    )


def with_prices(frame: pd.DataFrame) -> pd.DataFrame:
    """With what each way of bidding gives up against the first of its hand size, in mt."""
    for seat in ("nondealer", "dealer"):
        first = frame.groupby("cards")[seat].transform("first")
        frame[f"{seat}_price"] = (1000 * (first - frame[seat])).round(9) + 0.0
    frame.loc[frame["bidding"].str.startswith("non-dealer"), ["dealer", "dealer_price"]] = np.nan
    return frame


# ---------------------------------------------------------------------------------------------------------- in words

_SURPRISES: Final = Markup(
    "Each was found by the rule in bold, not picked by eye; <code>towerlab upcard --method equilibrium</code> answers "
    "them one by one. Values: against the other's equilibrium bids; of more than three cards with double-dummy play."
)


def _answer(values: pd.DataFrame, mixed: pd.DataFrame) -> tuple[str, ...]:
    shown = values.dropna(subset="dealer")
    ordered = shown.sort_values("dealer").to_dict("records")
    low, top = ordered[0], ordered[-1]
    solved = [int(cards) for cards in values.loc[values["solved"] == WHOLE_HAND, "cards"]]
    known = f"The game itself is solved for n = {', '.join(map(str, solved))}; the rest is" if solved else "All this is"
    even = mixed[mixed["decision"].isin((DECISIONS["nondealer"], DECISIONS["dealer"])) & (mixed["cards"] % 2 == 0)]
    return (
        f"The dealer wins the tower in {low['dealer']:.1%} (W({low['cards']})) to {top['dealer']:.1%} "
        f"(W({top['cards']})) of all deals. {known} the double-dummy model.",
        "At an odd number of cards accepting never loses against best play, whatever the hand. At an even number a tie "
        "goes to the defender, and bidding carries a risk.",
        f"Even there hardly any first-round decision is a mix: at most {even['mixed'].max():.1%} of those reached."
        if len(even)
        else "No even hand size is at hand.",
    )


def _key_numbers(values: pd.DataFrame) -> tuple[KeyNumber, ...]:
    return tuple(
        KeyNumber(f"{row['dealer']:.1%}", f"W({row['cards']}), {row['solved']}", Exact(row["deals"], "deals"))
        for row in values.dropna(subset="dealer").iloc[::2].to_dict("records")
    )


def _price_text(values: pd.DataFrame) -> str:
    both = values.dropna(subset="double_dummy")
    apart = 1000 * (both["open"] - both["double_dummy"])
    return (
        "A model in which cards lie open is easier to count and wrong by a known amount where the game is solved. "
        f"Between the two models themselves the deal differs by {apart.abs().min():.1f} to {apart.abs().max():.1f} mt."
    )


def _kept_text(kept: pd.DataFrame) -> str:
    rows = kept[kept["bidding"].str.startswith("non-dealer")]
    told = [
        f"{round(price, 2) + 0.0:.2f} mt at n = {cards}"
        for cards, price in zip(rows["cards"], rows["nondealer_price"], strict=True)
    ]
    return (
        f"Measured in the double-dummy model: a non-dealer who accepts every up-card gives up {', '.join(told)} "
        "against a dealer who answers best."
    )


def _mix_text(mixed: pd.DataFrame) -> str:
    first = mixed[mixed["decision"] == DECISIONS["nondealer"]]
    parts = {name: first[first["cards"] % 2 == odd]["mixed"] for name, odd in (("odd", 1), ("even", 0))}
    told = " and ".join(f"at most {part.max():.1%} at {name} n" for name, part in parts.items() if len(part))
    return (
        f"The non-dealer's first call is a mix in {told}. At odd n that is mere indifference: accepting always would "
        "do as well. At even n a mix is needed where the likeliest call alone has a price in the second table."
    )


def _method(decisions: Sequence[Decisions]) -> Points:
    solved = ", ".join(f"n = {found.cards}: {found.solved}" for found in decisions)
    floors = ", ".join(f"n = {found.cards}: {1 / found.floor:,.0f}" for found in decisions if found.floor)
    return Points(
        (
            f"Bidding at hand for {solved}. It is read from the files that ship with towerlab (or from the folder that "
            "TOWERLAB_DATA names) when the page is built.",
            "Values of hidden hands are those of the strategies in these files; exploitability is what best responses "
            "of both seats gain against them, computed over every pair of hands, up-cards weighing alike.",
            "How often a decision is reached is counted by inclusion and exclusion over the cards of one's own hand: "
            "the mean, over every hand the opponent can hold, of how likely he is to have bid so.",
            "mt: one thousandth of a tower, 0.001 of P(win the tower), a decision; of a value of the deal, a hand.",
            "Every bid is made at least once in so many times, so that answers to bids that never happen are sensible: "
            f"{floors}.",
            "Proven bounds: who bids by the double-dummy equilibrium and plays as pimc is sure of what the best "
            "response to him leaves; his seat is worth at least that. They include the far ends of 95 % intervals; "
            "from five cards on the response is fitted to some hundred hands of his, which only widens them.",
        )
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ checks


def _checks_of_values(values: pd.DataFrame, by_up: pd.DataFrame) -> tuple[Check, ...]:
    solved = values[values["solved"] == WHOLE_HAND]
    bounded = values.dropna(subset="lower")
    means = by_up.groupby(["cards", "solved"])["above"].mean()
    known = values.dropna(subset="dealer")
    return (
        holds("W(n) is at hand for one hand size at least", len(known)),
        vanishes("W(n) by up-card averages to W(n)", means, 1e-7),
        holds("proven bounds are in order", (bounded["lower"] <= bounded["upper"] + _EQUAL).all()),
        holds(
            "where the game is solved its W(n) lies in the proven bounds",
            solved["dealer"].between(solved["lower"] - _EQUAL, solved["upper"] + _EQUAL).all(),
        ),
        holds("every W(n) is a probability", known["dealer"].between(0, 1).all()),
        holds("exploitability is never negative", (known["exploitability"] > -1e-6).all()),
    )


def _checks_of_decisions(decisions: Sequence[Decisions]) -> tuple[Check, ...]:
    pairs = [
        adds_up(f"every hand and up-card is counted once at n = {found.cards}", found.frame["weight"],
                comb(24, found.cards) * (24 - found.cards))
        for found in decisions
    ]  # fmt: skip
    reached = [
        agrees(
            f"the dealer is asked as often as the non-dealer passes at n = {found.cards}",
            float(np.average(found.frame["dealer_reached"], weights=found.frame["weight"])),
            float(np.average(1 - found.frame["nondealer_accepts"], weights=found.frame["weight"])),
            1e-7,
        )
        for found in decisions
    ]
    return (*pairs, *reached)


def _checks_of_guarantees(kept: pd.DataFrame) -> tuple[Check, ...]:
    checks = []
    for cards, part in kept.groupby("cards"):
        size = int(str(cards))
        model = bidding_value(size)
        assert model is not None
        first = part.iloc[0]
        checks.append(
            agrees(
                f"what both seats are sure of at n = {size} leaves the exploitability on file",
                1 - first["nondealer"] - first["dealer"],
                model.exploitability,
                _SLACK,
            )
        )
        if size % 2:
            always = part[part["bidding"].str.startswith("non-dealer")].iloc[0]
            checks.append(
                agrees(
                    f"accepting every up-card is sure of the whole value at n = {size}",
                    always["nondealer"],
                    1 - model.dealer,
                    model.exploitability + _SLACK,
                )
            )
    return tuple(checks)


def _checks_of_surprises(found: Sequence[Surprise]) -> tuple[Check, ...]:
    return tuple(
        holds(
            f"what is said to be done is not the worse call: {surprise.rule}",
            (surprise.answer.tower("accept") - surprise.answer.tower("pass")) * (surprise.accepts - 0.5)
            >= -surprise.answer.mix.exploitability * 100
            if surprise.answer.mix
            else False,
        )
        for surprise in found
    )
