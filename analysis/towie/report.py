"""The Towie report: what its file of prose shows, and what on it has to add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.claims.page import checks_of_claims, claims_values
from analysis.report.bidding.page import by_kind, checks_of_costs
from analysis.report.cards import cards_html
from analysis.report.checks import Check, agrees, holds
from analysis.report.intervals import FINDING, ends_of, in_intervals, is_finding, told
from analysis.report.page import Page, rules_in_force
from analysis.report.prose import one_row, read_page
from analysis.report.studies import Part, Report, Runs
from analysis.towie.bidding_accuracy import ACTIONS, KINDS, MAJORS, OPENING, SLAM, card_rows
from analysis.towie.calls import goes_on
from analysis.towie.duplicate import CONTRACTS, OPEN_POINTS, POINTS, THREE
from analysis.towie.studies import STUDIES
from games.cards import parse_mask
from games.pbn import parse_hand
from games.towie import TowieOptions


def build(runs: Runs, seed: int, command: str) -> Page:
    """The page of the studies, once they have been run."""
    bidding, dealt = runs["bidding-accuracy"], runs["auction"].tables
    thresholds = bidding.tables["needed"]
    needed = {kind: card_rows(thresholds, kind) for kind in KINDS}
    gains = sorted((row for rows in needed.values() for row in rows.values()), key=lambda row: float(row["gain"]))
    worth = runs["exposed"].tables["worth"].iloc[1:]  # the first row is of all hands
    return read_page(
        "analysis.towie",
        "page.md",
        {
            "runs": runs,
            "bidding": bidding,
            "kinds": by_kind(bidding),
            "claims": claims_values(runs["claim-accuracy"]),
            "needed": needed,
            "majors": MAJORS[::-1],
            "slam": SLAM,
            "compared": len(thresholds),
            "thresholds": thresholds.assign(name=thresholds["bid"] + ", " + thresholds["kind"]),
            "gains": gains,
            "clear": sum(is_finding(row, "gain", of=len(thresholds)) for row in gains),
            "worked": worked_hand(bidding.tables["decisions"]),
            "ahead": ahead_frame(runs["duplicate"].tables["compared"]),
            "worth": worth[worth["hands"] > 1],
            "lengths": lengths_frame(runs["goulash"].tables["longest"]),
            "played": played_frame(dealt["statistics"]),
            "prices": dealt["contracts"][dealt["contracts"]["arm"].isin((*(f"{n} novices" for n in "345"), "3 pimc"))],
            "seats": seats_frame(dealt["statistics"]),
            "share": _share,
            "cards": lambda mask: cards_html(mask).replace("\u00a0", " "),  # thirteen are longer than a phone is wide
            "goes_on": goes_on("novice"),
            "rules": rules_in_force(TowieOptions()),
            "finding": FINDING,
        },
        command=command,
        checks=(*_checks(runs), *checks_of_costs(bidding), *checks_of_claims(runs["claim-accuracy"])),
        sources={"studies": list(runs), "seed": seed},
    )


# Some fourteen core-minutes in all, half of them for the deals and the games of pimc.
SIZES: Final[Mapping[str, Mapping[str, Any]]] = {
    "bidding-accuracy": {"chunks": 24, "decisions": 7, "layouts": 16},
    "duplicate": {"chunks": 144, "deals": 12, "samples": 8},
    "exposed": {"chunks": 36, "hands": 8, "layouts": 6},
    "goulash": {"chunks_per_arm": 16, "solved": 6},
    "auction": {"games": 2000, "pimc_games": 10, "samples": 8},
    "claim-accuracy": {},
}
REPORT: Final = Report("towie", build, [Part(STUDIES[name], sizes) for name, sizes in SIZES.items()])


def _share(row: Mapping[str, Any], key: str = "mean") -> str:
    low, high = ends_of(key, row)
    return told(row, ".1%" if row[high] - row[low] < 0.03 else ".0%", key)


def worked_hand(decisions: pd.DataFrame) -> dict[str, Any] | None:
    """A hand of the sample on which the card bids, with what the bid and a pass are worth: the median gain."""
    rows = decisions[(decisions["kind"] == OPENING) & ~decisions["fitted"]].to_dict("records")
    bids = sorted((row for row in rows if row["card"]), key=lambda row: row[f"value {row['card']}"] - row["value 0"])
    if not bids:
        return None
    row = bids[len(bids) // 2]
    return {
        **{name: row[name] for name in ("points", "six_points", "major")},
        "hand": parse_hand(str(row["hand"])), "six": parse_mask(str(row["six"])), "bid": ACTIONS[OPENING][row["card"]],
        "value": row[f"value {row['card']}"], "passed": row["value 0"],
    }  # fmt: skip


def ahead_frame(compared: pd.DataFrame) -> pd.DataFrame:
    """What pimc gains and how the contracts fare, shares in percent; of three alike somebody always declares."""
    frame = compared[(compared["seating"] != THREE) | (compared["what"] != CONTRACTS)]
    shares = ~frame["what"].isin((POINTS, OPEN_POINTS))
    numbers = ["new", "old", "mean", "low", "high"]
    return frame.assign(unit=np.where(shares, "%", "points"), **frame[numbers].mul(np.where(shares, 100, 1), axis=0))


def lengths_frame(longest: pd.DataFrame) -> pd.DataFrame:
    """Shares of hands by the length of their longest suit, a column a way of dealing; rare ones left out."""
    wide = longest.pivot_table(index="longest", columns="arm", values="share")[
        ["ordinary", "goulash", "second goulash"]
    ]
    return wide[wide.max(axis=1) >= 0.001].rename_axis("cards").reset_index()


def played_frame(statistics: pd.DataFrame) -> pd.DataFrame:
    """The length of a game by players and kind of player."""
    usual = statistics[(statistics["statistic"] == "played") & statistics["arm"].str.fullmatch(r"\d (novices|pimc)")]
    frame = usual.assign(players=usual["arm"].str[0].astype(int), kind=usual["arm"].str[2:])
    return frame.sort_values(["kind", "players"])[["kind", "players", "mean", "low", "high", "games"]]


def seats_frame(statistics: pd.DataFrame) -> pd.DataFrame:
    """Who sits, vulnerable or not, beside the fair share."""
    rows = statistics[statistics["statistic"].isin(("vulnerable_active", "other_active"))]
    return rows.assign(fair=3 / rows["arm"].str[0].astype(int))


def _checks(runs: Runs) -> tuple[Check, ...]:
    statistics, played = runs["auction"].tables["statistics"], runs["auction"].tables["contracts"]
    contracts, longest = (runs["goulash"].tables[name] for name in ("contracts", "longest"))
    worth, chosen = (runs["exposed"].tables[name] for name in ("worth", "contracts"))
    rules, decisions = (runs["bidding-accuracy"].tables[name] for name in ("rules", "decisions"))
    passed = decisions[(decisions["kind"] == OPENING) & ~decisions["fitted"]]
    sums = [frame.groupby(key)["share"].sum() for frame, key in ((chosen, "bidder"), (played, "arm"))]
    return (
        agrees("always passing costs the reference less a pass",
               one_row(rules, kind=OPENING, rule="always pass")["cost"],
               float((passed["reference"] - passed["value 0"]).mean())),
        holds("every kind of decision was met equally often", decisions["kind"].value_counts().nunique() == 1),
        in_intervals("every statistic lies in its interval", statistics),
        holds("a longest suit has 4 to 13 cards in every hand", np.allclose(longest.groupby("arm")["share"].sum(), 1)),
        holds("kinds of contract add up to all of them", all(np.allclose(part, 1) for part in sums)),
        holds("a slam or a second game is no more frequent than a game",
              ((contracts["slam"] <= contracts["game"]) & (contracts["two"] <= contracts["game"])).all()),
        agrees("hands by points in the six are all hands", float(worth["hands"].iloc[1:].sum()),
               float(worth["hands"].iloc[0])),
        agrees("points gained are points with the six less points without", float(worth["gained"].iloc[0]),
               float(worth["seen_points"].iloc[0] - worth["blind_points"].iloc[0])),
    )  # fmt: skip
