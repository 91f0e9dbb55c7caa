"""What does the page of Bowers show? The values in its prose, and the checks of its tables.

Example:
    towerlab report bowers --out reports/bowers
"""

from collections.abc import Mapping
from typing import Any, Final

from towerlab.analysis.bidding.accuracy import PASSING, REFERENCE
from towerlab.analysis.bidding.race import compare_calls
from towerlab.analysis.bowers.bid import POOL, BowersQuestion, FollowedCalls
from towerlab.analysis.bowers.studies.bidding_accuracy import (
    ALL,
    BIDDING,
    CARD_RULE,
    MUCH,
    OPENING,
    OVER,
    RULE,
    TIES,
    call_of_count,
    count_tricks,
)
from towerlab.analysis.bowers.studies.claim_accuracy import CLAIMING
from towerlab.analysis.bowers.studies.misere import LAYOUTS, MISERE_HANDS
from towerlab.analysis.bowers.studies.rule_options import RULE_OPTIONS
from towerlab.analysis.claims.accuracy import checks_of_claims, claims_values
from towerlab.analysis.report.page import Check, Page, check_that
from towerlab.analysis.report.plots import in_intervals
from towerlab.analysis.report.prose import read_page
from towerlab.analysis.report.studies import Report, ReportStudy, Run, Runs
from towerlab.analysis.report.wording import cards_html
from towerlab.games.bowers import PASS, Auction, BowersOptions, call_level, call_symbol, parse_call
from towerlab.games.cards import parse_mask
from towerlab.sim.bowers import result_values

_HAND: Final = "JS AS KS 9S 8S AH KD 7D 9C 8C"
_KITTIES: Final = 600


def build(runs: Runs, seed: int, command: str) -> Page:
    """Return the page of its studies, once they have been run."""
    misere, bidding, claims = (runs[study.name] for study in (MISERE_HANDS, BIDDING, CLAIMING))
    rules = bidding.tables["rules"]
    worked = worked_hand(seed + 2)
    costs = rules[(rules["kind"] != ALL) & (rules["rule"] != REFERENCE)]
    mean = costs[costs["rule"] == CARD_RULE][["kind", "cost", "cost_low", "cost_high"]]
    shown = {
        "bidding": bidding,
        "costs": costs.sort_values("cost", kind="stable"),
        "single": mean.merge(bidding.tables["single"], on="kind"),
        "many": MUCH,
        "drawn": lambda hand: cards_html(parse_mask(hand)),
        "called": lambda call: call_symbol(parse_call(call)),
        "claims": claims_values(claims),
        "card_rule": CARD_RULE,
        "kinds": {"all": ALL, "opening": OPENING, "over": OVER},
        "rule": RULE,
        "ties": TIES,
        "worked": worked,
        "misere": misere.tables["misere-hands"],
        "misere_layouts": LAYOUTS,
    }  # fmt: skip
    held = (*checks(misere, bidding, worked), *checks_of_claims(claims))
    return read_page("towerlab.analysis.bowers", "page.md", shown, command=command, checks=held, runs=runs)


# The count was found on seeds 1 and 1001.
REPORT: Final = Report(
    "bowers",
    build,
    (
        ReportStudy(MISERE_HANDS, seed=1, small={"hands": 3_000}),
        ReportStudy(BIDDING, {"decisions": 600}, seed=2001, small={"decisions": 40}),
        ReportStudy(CLAIMING, {"chunks": 24}, seed=1, small={"chunks": 2}),
        ReportStudy(RULE_OPTIONS, {"games": 2_000}, seed=1, small={"games": 24}),
    ),
)


def worked_hand(seed: int) -> dict[str, Any]:
    """Return a worked hand: its count in the best suit, the tricks bid, and the gain of that bid over a pass.

    The difference is paired, over layouts.
    """
    hand = parse_mask(_HAND)
    counts = count_tricks(hand)
    call = call_of_count(counts, PASS)
    trump = int(counts.argmax())
    question = BowersQuestion(hand, Auction(), BowersOptions().rules())
    deals = FollowedCalls(question, POOL, seed, quiet=True)
    points = result_values(BowersOptions())
    calls = question.calls.index(call), question.calls.index(PASS)
    gain = compare_calls(deals.forecast(points), deals.solver(points), *calls, _KITTIES)
    about = {"hand": hand, "trump": trump, "tricks": counts.max(), "bid": int(call_level(call)), "seed": seed}
    return about | gain.row() | {"n": gain.n}


def checks(misere: Run, bidding: Run, worked: Mapping[str, Any]) -> tuple[Check, ...]:
    rules = bidding.tables["rules"]
    calls = bidding.tables["calls"]
    costs = rules.set_index(["kind", "rule"])["cost"]
    numbers = rules.drop_duplicates("kind").set_index("kind")["n"]
    return (
        check_that("following the card costs less than passing", costs[ALL, CARD_RULE] < costs[ALL, PASSING]),
        check_that("the worked hand: the bid is worth more than a pass", worked["low"] > 0),
        check_that("passing is not scored nothing", (calls[calls["what"] == "passing"]["mean"] != 0).all()),
        check_that("opening and other first calls make up all", numbers[OPENING] + numbers[OVER] == numbers[ALL]),
        in_intervals("every gain lies in its interval", bidding.tables["gained"]),
        in_intervals("every cost lies in its interval", rules, key="cost"),
        in_intervals("every rule's gain lies in its interval", rules, key="gain"),
        in_intervals("every mean lies in its interval", misere.tables["misere-hands"]),
    )
