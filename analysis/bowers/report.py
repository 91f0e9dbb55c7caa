"""The Bowers report: what its file of prose shows, and what on it has to add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from analysis.bowers.auctions import RUNGS, THROWN_IN
from analysis.bowers.bidding_accuracy import ALL, BIDDING, CARD_RULE, counted, weights_of
from analysis.bowers.claim_accuracy import CLAIMING
from analysis.bowers.studies import BIDS
from analysis.claims.page import checks_of_claims, claims_values
from analysis.report.bidding.page import by_kind, checks_of_costs, make_up
from analysis.report.cards import cards_html
from analysis.report.checks import Check, adds_up, holds
from analysis.report.intervals import FINDING, in_intervals
from analysis.report.page import Page, rules_in_force
from analysis.report.prose import read_page
from analysis.report.studies import Part, Report, Run, Runs
from analysis.stats import share_interval
from games.bowers import MOST_TRICKS, BowersOptions
from games.cards import parse_mask

_HAND: Final = "JS AS KS 9S 8S AH KD 7D 9C 8C"


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of its studies, once they have been run."""
    bids, rungs, bidding, claims = (runs[study.name] for study in (BIDS, RUNGS, BIDDING, CLAIMING))
    weights, ended = weights_of(bidding.tables["count"]), rungs.tables["rungs"]
    opening, over = (float(bidding.summary[f"{when}_margin"]) for when in ("opening", "over"))
    return read_page(
        "analysis.bowers",
        "page.md",
        {
            "bids": bids,
            "rungs": rungs,
            "bidding": bidding,
            "kinds": by_kind(bidding),
            "claims": claims_values(claims),
            "card_rule": CARD_RULE,
            "suit": weights["suit"],
            "opening": opening,
            "over": over,
            "worked": worked_hand(weights, opening),
            "cards": lambda hand, trump: cards_html(hand, trump, bowers=True),
            "lineups": [lineup_row(str(lineup), part) for lineup, part in ended.groupby("lineup", sort=False)],
            "reached": ended[ended.groupby("rung")["won"].transform("sum") > 0],
            "rules": rules_in_force(BowersOptions()),
            "finding": FINDING,
        },
        command=command,
        checks=(*checks(bids, rungs, bidding), *checks_of_costs(bidding), *checks_of_claims(claims)),
        sources={"studies": list(runs), "seed": seed},
    )


REPORT: Final = Report(
    "bowers",
    build,
    (
        Part(BIDS, {"hands": 5_000, "bury_hands": 960}),
        Part(RUNGS, {"pimc_deals": 120}),
        Part(BIDDING, {"decisions": 600}),
        Part(CLAIMING, {"chunks": 60}),  # two minutes of one core
    ),
)


def worked_hand(weights: Mapping[str, Mapping[str, float]], margin: float) -> dict[str, Any]:
    """One hand, its count in its best suit, and how many tricks are bid, 0 for a pass."""
    hand = parse_mask(_HAND)
    counts = counted([hand], weights, no_trump=False)[0]
    trump = int(counts.argmax())
    bid = int(min(max(0, (counts[trump] + margin + 1e-9) // 1), MOST_TRICKS))
    return {"hand": hand, "trump": trump, "tricks": float(counts[trump]), "bid": bid}


def lineup_row(lineup: str, part: pd.DataFrame) -> dict[str, Any]:
    """Which rungs three players reach, and how often the bid that wins is made."""
    bids = part[part["won"] > 0]
    played = bids[bids["made"].notna()]
    levels = part["rung"].str.extract(r"^(\d+)")[0].astype(float).mask(part["rung"] == "misère", 6)
    made = share_interval(round((played["made"] * played["won"]).sum()), int(played["won"].sum()))
    return {
        "lineup": lineup,
        "deals": int(part["deals"].iloc[0]),
        "top": bids.sort_values("share").to_dict("records")[-1],
        "six": float(part["share"][levels >= 6].sum()),
        "seven": float(part["share"][levels >= 7].sum()),
        "thrown_in": float(part["share"][part["rung"] == THROWN_IN].sum()),
        **made.row("made"),
    }


def checks(bids: Run, rungs: Run, bidding: Run) -> tuple[Check, ...]:
    tables, rules, calls = bids.tables, bidding.tables["rules"], bidding.tables["calls"]
    of_all = rules[rules["kind"] == ALL].set_index("rule")["cost"]
    makes = tables["makes"].pivot(index="holding", columns="level", values="mean")
    return (
        holds("following the card costs less than passing", of_all[CARD_RULE] < of_all["always pass"]),
        holds("passing is not scored nothing", (calls[calls["what"] == "passing"]["mean"] != 0).all()),
        *make_up(rules, ALL),
        holds("more tricks are made less often", (makes.diff(axis=1).iloc[:, 1:] <= 1e-12).all(axis=None)),
        in_intervals(
            "every mean lies in its interval",
            *(tables[name] for name in ("makes", "kitty", "jokers", "misere-success")),
        ),
        *(
            adds_up(f"every deal of {lineup} ends on one rung", part["share"], 1.0)
            for lineup, part in rungs.tables["rungs"].groupby("lineup")
        ),
        holds("all packs have misères", set(tables["misere-values"]["joker"]) == {"none", "replace_7c", "add"}),
    )
