"""After the first call: what rules of thumb cost that say what to discard, which suit to name, what to lead."""

from __future__ import annotations

from typing import Any, Final

from towerlab.analysis.report.page import Check, holds
from towerlab.analysis.report.studies import Run
from towerlab.analysis.towers_and_bowers.report.card import MT_A_POINT
from towerlab.analysis.towers_and_bowers.studies.rules_of_thumb import LAST

DISCARDS: Final = {
    "discard, the dealer bid": "Discard, having accepted as dealer",
    "discard, the other bid": "Discard, the non-dealer having accepted",
}
SUITS: Final = {
    "second round, nondealer": "Second round, non-dealer: which suit",
    "second round, dealer": "Second round, dealer: which suit",
}
BIDDING: Final = DISCARDS | SUITS
PLAY: Final = {
    "first lead": "First lead",
    f"lead with {LAST} cards left": f"Lead with {LAST} cards left",
    f"reply with {LAST} cards left": f"Reply with {LAST} cards left",
}


def choices_values(run: Run) -> dict[str, Any]:
    """Return what the page names of discards, suits and leads: costs in percentage points, and the rules found."""
    rules = run.tables["rules"]
    rules = rules.assign(when=rules["decision"].map(BIDDING | PLAY))
    for name, column in {"cost": "cost_mt", "low": "low", "high": "high", "found": "found_mt"}.items():
        rules[name] = rules[column] / MT_A_POINT
    order = [*BIDDING.values(), *PLAY.values()]
    rules = rules.sort_values(["when", "cost"], key=lambda of: of.map(order.index) if of.name == "when" else of)
    best = rules.loc[rules.groupby("decision")["found"].idxmin()].set_index("decision")
    return {
        "thumb": run,
        "choosing": rules[rules["when"].isin([*BIDDING.values()])].reset_index(drop=True),
        "playing": rules[rules["when"].isin([*PLAY.values()])].reset_index(drop=True),
        "best": {str(name): row for name, row in best.to_dict("index").items()},
    }


def checks_of_the_choices(run: Run) -> tuple[Check, ...]:
    """Every decision has its rules, and no rule costs less than nothing."""
    rules = run.tables["rules"]
    named = {*BIDDING, *PLAY}
    return (
        holds("rules of every decision are measured", set(rules["decision"]) == named, f"{len(named)} decisions"),
        holds("no rule costs less than the best choice", (rules["cost_mt"] >= 0).all() and (rules["low"] >= 0).all()),
    )
