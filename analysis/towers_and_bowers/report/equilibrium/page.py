"""The page on the equilibrium: the tables that its file of prose shows, and its checks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict
from math import comb
from typing import Final

import numpy as np
import pandas as pd

from analysis.report.cards import card_html, cards_html
from analysis.report.checks import Check, adds_up, agrees, holds, vanishes
from analysis.report.page import Page
from analysis.report.prose import read_page
from analysis.towers_and_bowers.explorer.kinds import UP_RANKS
from analysis.towers_and_bowers.report.equilibrium.data import DECISIONS, Decisions, guarantees, load_decisions, mixes
from analysis.towers_and_bowers.report.equilibrium.surprises import Surprise, surprises
from analysis.towers_and_bowers.report.view import SEAT_NAMES
from analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND
from analysis.towers_and_bowers.solutions.hidden_values import best_deal_value, bidding_value, whole_hand_values
from analysis.towers_and_bowers.solutions.model_error import ALL, FEWEST_CARDS, model_errors, stored_lines
from analysis.towers_and_bowers.solutions.value_bounds import value_bounds
from analysis.towers_and_bowers.studies.hidden_play import HIDDEN_PLAY
from analysis.towers_and_bowers.studies.model_price import stored_losses
from analysis.towers_and_bowers.value import price_of_models
from solver.towers_and_bowers.bidding.deals import SPADES

COMMAND: Final = "towerlab report towers-and-bowers --page equilibrium"
SIZES: Final = range(1, 8)
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
    kept, odd_ones, hidden = with_prices(pd.concat(sure, ignore_index=True)), surprises(decisions), hidden_play_frame()
    modelled = hidden[(hidden["round"] == 1) & (hidden["cards"] >= FEWEST_CARDS)]
    errors = modelled[modelled["band"] == ALL]
    first, asked = mixed["decision"] == DECISIONS["nondealer"], mixed["decision"] == DECISIONS["dealer"]
    even = mixed["cards"] % 2 == 0
    return read_page(
        "analysis.towers_and_bowers.report",
        "equilibrium.md",
        {
            "values": values,
            "by_up": by_up,
            "losses": stored_losses().assign(
                nondealer_loss=lambda frame: (1000 * frame["nondealer_loss"]).round(6) + 0.0,
                dealer_loss=lambda frame: (1000 * frame["dealer_loss"]).round(6) + 0.0,
            ),
            "errors": errors,
            "turned": errors.dropna(subset="turned").sort_values("turned"),
            "by_gap": modelled[modelled["band"] != ALL],
            "truth": hidden[(hidden["band"] == ALL) & hidden["true_error"].notna()],
            "hidden_command": f"towerlab study {HIDDEN_PLAY.game} {HIDDEN_PLAY.name}",
            "kept": kept,
            "measured_sizes": f"n = {kept['cards'].min()} to {kept['cards'].max()}",
            "measured_deals": sum(map(deals_of, kept["cards"].unique().tolist())),
            "mixed": mixed,
            "most_mixed": {
                "even": mixed["mixed"][even & (first | asked)].max(),
                "first_odd": mixed["mixed"][first & ~even].max(),
                "first_even": mixed["mixed"][first & even].max(),
            },
            "sizes": "n = " + ", ".join(str(found.cards) for found in decisions),
            "classes": sum(len(found.frame) for found in decisions),
            "surprises": odd_ones,
            "card": card_html,
            "cards": lambda hand: cards_html(hand, SPADES, True),
            "solutions": ", ".join(f"n = {found.cards}: {found.solved}" for found in decisions),
            "floors": ", ".join(f"n = {found.cards}: {1 / found.floor:,.0f}" for found in decisions if found.floor),
        },
        command=COMMAND,
        checks=(
            *_checks_of_values(values, by_up),
            *_checks_of_decisions(decisions),
            *_checks_of_guarantees(kept),
            *_checks_of_surprises(odd_ones),
            *_checks_of_hidden_play(hidden, errors),
        ),
        sources={"solved": dict(values[["cards", "solved"]].astype(str).to_numpy()),
                 "sizes": [found.cards for found in decisions]},
    )  # fmt: skip


def deals_of(cards: int) -> int:
    """How many deals (hand, hand, up-card) there are."""
    return comb(24, cards) * comb(24 - cards, cards) * (24 - 2 * cards)


def values_frame() -> pd.DataFrame:
    """A row a hand size: the best W(n) at hand and of what, the bounds, W(n) by model."""
    frame = price_of_models(len(SIZES))
    best = [best_deal_value(cards) for cards in SIZES]
    bounds = [{"cards": cards, **asdict(found)} for cards in SIZES if (found := value_bounds(cards))]
    frame = frame.assign(
        name=[f"n = {cards}" for cards in SIZES],
        dealer=[value.dealer for value in best],
        solved=[value.exploitability_of for value in best],
        exploitability=[1000 * value.exploitability for value in best],
        double_dummy_off=1000 * frame.pop("double_dummy_less_exact"),
        perfect_information_off=1000 * frame.pop("perfect_information_less_exact"),
        deals=list(map(deals_of, SIZES)),
    )
    return frame.merge(pd.DataFrame(bounds), on="cards", how="left")


def by_up_frame() -> pd.DataFrame:
    """W(n) by up-card rank, wherever it is at hand: a row a hand size, model and rank."""
    found = {cards: (whole_hand_values().get(cards), bidding_value(cards)) for cards in SIZES}
    rows = [
        (cards, value.exploitability_of, rank, value.by_up[rank], value.by_up[rank] - value.dealer)
        for cards, values in found.items()
        for value in values
        if value is not None
        for rank in UP_RANKS
    ]
    frame = pd.DataFrame(rows, columns=["cards", "solved", "up_rank", "dealer", "above"])
    best = frame["solved"] == frame.groupby("cards")["solved"].transform("first")
    return frame.assign(size=[f"n = {cards}" for cards in frame["cards"]], best=best)


def hidden_play_frame() -> pd.DataFrame:
    """What ships of hidden play, a row a hand size, seat, round and size of gap."""
    frame = pd.read_csv(io.StringIO("\n".join(stored_lines())))
    return frame.assign(who=frame["seat"].map(SEAT_NAMES), band=frame["band"].str.replace("-", "–"))


def with_prices(frame: pd.DataFrame) -> pd.DataFrame:
    """With what each way of bidding gives up against the first of its hand size, in mt."""
    for seat in ("nondealer", "dealer"):
        first = frame.groupby("cards")[seat].transform("first")
        frame[f"{seat}_price"] = (1000 * (first - frame[seat])).round(9) + 0.0
    frame.loc[frame["bidding"].str.startswith("non-dealer"), ["dealer", "dealer_price"]] = np.nan
    return frame


# ------------------------------------------------------------------------------------------------------------ checks


def _checks_of_values(values: pd.DataFrame, by_up: pd.DataFrame) -> tuple[Check, ...]:
    solved = values[values["solved"] == WHOLE_HAND]
    bounded = values.dropna(subset="lower")
    open_more = values["perfect_information"] - values["dealer"]
    return (
        vanishes("W(n) by up-card averages to W(n)", by_up.groupby(["cards", "solved"])["above"].mean(), 1e-7),
        holds("proven bounds are in order", (bounded["lower"] <= bounded["upper"] + _EQUAL).all()),
        holds(
            "where the game is solved its W(n) lies in the proven bounds",
            solved["dealer"].between(solved["lower"] - _EQUAL, solved["upper"] + _EQUAL).all(),
        ),
        holds("every W(n) is a probability", values["dealer"].between(0, 1).all()),
        holds("exploitability is never negative", (values["exploitability"] > -1e-6).all()),
        holds(
            "the deal is worth no less if both see all cards", (open_more >= -_EQUAL).all(), f"of {len(values)} sizes"
        ),
        holds("dealing is an advantage at every size", (values["dealer"] > 0.5).all()),
        agrees("with one card both models agree: there is nothing to see", float(open_more.iloc[0]), 0.0),
    )


def _checks_of_decisions(decisions: Sequence[Decisions]) -> tuple[Check, ...]:
    checks = []
    for found in decisions:
        size, frame = found.cards, found.frame
        passed, reached = (
            float(np.average(values, weights=frame["weight"]))
            for values in (1 - frame["nondealer_accepts"], frame["dealer_reached"])
        )
        pairs = comb(24, size) * (24 - size)
        checks += [
            adds_up(f"every hand and up-card is counted once at n = {size}", frame["weight"], pairs),
            agrees(f"the dealer is asked as often as the non-dealer passes at n = {size}", reached, passed, 1e-7),
        ]
    return tuple(checks)


def _checks_of_guarantees(kept: pd.DataFrame) -> tuple[Check, ...]:
    checks = []
    for cards, part in kept.groupby("cards"):
        size = int(str(cards))
        model = bidding_value(size)
        assert model is not None
        left = 1 - part.iloc[0]["nondealer"] - part.iloc[0]["dealer"]
        claim = f"what both seats are sure of at n = {size} leaves the exploitability on file"
        checks.append(agrees(claim, left, model.exploitability, _SLACK))
        if size % 2:
            always = part[part["bidding"].str.startswith("non-dealer")].iloc[0]["nondealer"]
            claim = f"accepting every up-card is sure of the whole value at n = {size}"
            checks.append(agrees(claim, always, 1 - model.dealer, model.exploitability + _SLACK))
    return tuple(checks)


def _checks_of_surprises(found: Sequence[Surprise]) -> tuple[Check, ...]:
    return tuple(
        holds(
            f"what is said to be done is not the worse call: {surprise.rule}",
            surprise.answer.mix is not None
            and surprise.answer.margin * (surprise.accepts - 0.5) >= -surprise.answer.mix.exploitability * 100,
        )
        for surprise in found
    )


def _checks_of_hidden_play(frame: pd.DataFrame, errors: pd.DataFrame) -> tuple[Check, ...]:
    whole = frame[frame["band"] == ALL]
    inside = whole["model_error"].between(whole["model_error_low"], whole["model_error_high"])
    sizes = whole[whole["cards"] >= FEWEST_CARDS].groupby("cards")["hands"].sum()
    shown = {(row["cards"], row["seat"]): row["model_error"] for row in errors.to_dict("records")}
    return (
        holds("every error of the model lies in its interval", inside.all()),
        holds("at least 400 hands of every size from four cards on were played out", (sizes >= 400).all()),
        holds("the errors that `towerlab upcard` reports are those of the table", shown == dict(model_errors())),
    )
