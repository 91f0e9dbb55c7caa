"""What does the page of Towie show? The values in its prose, and the checks of its tables.

Example:
    towerlab report towie --out reports/towie
"""

from collections.abc import Mapping
from typing import Any, Final

from towerlab.analysis.bidding.accuracy import PASSING
from towerlab.analysis.bidding.race import compare_calls
from towerlab.analysis.claims.accuracy import checks_of_claims, claims_values
from towerlab.analysis.report.page import Check, Page, check_that
from towerlab.analysis.report.plots import in_intervals
from towerlab.analysis.report.prose import one_row, read_page
from towerlab.analysis.report.studies import Report, ReportStudy, Runs
from towerlab.analysis.report.wording import cards_html
from towerlab.analysis.towie.bid import POOL
from towerlab.analysis.towie.calls import FollowedCalls, TowieQuestion, auction_model
from towerlab.analysis.towie.contracts import TowieStakes
from towerlab.analysis.towie.studies import STUDIES
from towerlab.analysis.towie.studies.bidding_accuracy import (
    GOULASH,
    MANY,
    OPENING,
    OVER,
    RULES_OF,
    THE_RULE,
    TIES,
    bid_of_rule,
)
from towerlab.games.cards import SUITS, SYMBOLS, parse_mask
from towerlab.games.pbn import parse_hand
from towerlab.games.towie.auction import PASS, call_text
from towerlab.sim.towie.players import high_card_points

_HAND: Final = "K975.AT86.8.A653"
_SIX: Final = "AS 4S 2S QD 9D 7C"
_LAYOUTS: Final = 200


def build(runs: Runs, seed: int, command: str) -> Page:
    """Return the page of the studies, once they have been run."""
    bidding = runs["bidding-accuracy"]
    claims = runs["claim-accuracy"]
    tables = bidding.tables
    worked = worked_hand(seed + 1)
    gains = tables["rules"][tables["rules"]["rule"] != PASSING]
    mean = gains[gains["rule"] == THE_RULE][["kind", "cost", "cost_low", "cost_high"]]
    shown = {
        "bidding": bidding,
        "gains": gains,
        "single": mean.merge(tables["single"], on="kind"),
        "many": MANY,
        "drawn": lambda hand: cards_html(parse_hand(hand)),
        "shown": lambda six: cards_html(parse_mask(six)),
        "ours": THE_RULE,
        "rule": RULES_OF,
        "ties": TIES,
        "kinds": {"opening": OPENING, "over": OVER, "goulash": GOULASH},
        "worked": worked,
        "claims": claims_values(claims),
        "goes_on": auction_model("novice"),
    }
    checks = (*_checks(tables, worked), *checks_of_claims(claims))
    return read_page("towerlab.analysis.towie", "page.md", shown, command=command, checks=checks, runs=runs)


def worked_hand(seed: int) -> dict[str, Any]:
    """Return a hand that opens, its points, and the gain of the rule's bid over a pass, as `bid towie` finds it."""
    hand = parse_hand(_HAND)
    six = parse_mask(_SIX)
    call = bid_of_rule(OPENING, hand, six, 0)
    question = TowieQuestion(hand, six, (), TowieStakes())
    deals = FollowedCalls(question, POOL, seed, quiet=True)
    calls = deals.calls.index(call), deals.calls.index(PASS)
    gain = compare_calls(deals.forecast(), deals.solver(), *calls, _LAYOUTS)
    named = call_text(call)
    return {
        "hand": hand, "six": six, "bid": named[0] + SYMBOLS[SUITS.index(named[1])],
        "points": int(high_card_points(hand)), "six_points": int(high_card_points(six)),
        "n": gain.n, "seed": seed, **gain.row(),
    }  # fmt: skip


def _checks(tables: Mapping[str, Any], worked: Mapping[str, Any]) -> tuple[Check, ...]:
    rules = tables["rules"]
    decisions = tables["decisions"]
    return (
        check_that("when nobody has bid the rule gains over always passing",
              one_row(rules, kind=OPENING, rule=THE_RULE)["gain_low"] > 0),
        check_that("the worked hand bids by the rule",
              worked["points"] + worked["six_points"] >= RULES_OF[OPENING].least),
        check_that("the worked hand: the bid is worth more than a pass", worked["low"] > 0),
        check_that("every kind of decision was met equally often", decisions["kind"].value_counts().nunique() == 1),
        in_intervals("every gain lies in its interval", rules, tables["points"], key="gain"),
        in_intervals("every cost lies in its interval", rules, key="cost"),
    )  # fmt: skip


# The rule was found on seed 1.
REPORT: Final = Report(
    "towie",
    build,
    (
        ReportStudy(
            STUDIES["bidding-accuracy"],
            {"chunks": 100, "decisions": 2},
            seed=2,
            small={"chunks": 4, "decisions": 20, "layouts": 2},
        ),
        ReportStudy(
            STUDIES["claim-accuracy"],
            {"chunks": 20},
            seed=1,
            small={"chunks": 1, "deals": 2, "nodes": 300, "limit": 1_000, "layouts": 100},
        ),
        ReportStudy(STUDIES["rule-options"], {"games": 2_000}, seed=1, small={"games": 12}),
    ),
)
