"""After the first call: what to discard, which suit to name, what to lead, the last three cards.

What the best answers look like is counted over every hand; what rules of thumb cost is sampled.
"""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from analysis.report.checks import Check, holds
from analysis.report.studies import Run
from analysis.towers_and_bowers.explorer.kinds import stored
from analysis.towers_and_bowers.report.card import MT_A_POINT
from analysis.towers_and_bowers.studies.rules_of_thumb import LAST

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
    """What the page names of discards, suits and leads: costs in percentage points, and the rules that were found."""
    rules, shares = run.tables["rules"], stored("choices")
    rules = rules[rules["cards"] == 0].assign(when=rules["decision"].map(BIDDING | PLAY))
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
        "best_answers": _best_answers(shares),
    }


def _best_answers(shares: pd.DataFrame) -> pd.DataFrame:
    """What is given up and named, a column a hand size, over every hand."""
    frame = shares.pivot_table(index=["decision", "what"], columns="cards", values="share", sort=False)
    frame = frame.rename(columns=lambda cards: f"n{cards}").reset_index()
    frame = frame.sort_values("decision", key=lambda names: names.map(list(BIDDING).index), kind="stable")
    return frame.assign(decision=frame["decision"].map(BIDDING))


def checks_of_the_choices(run: Run) -> tuple[Check, ...]:
    """Every decision has its rules, and no rule costs less than nothing."""
    rules, shares = run.tables["rules"], stored("choices")
    named = {*BIDDING, *PLAY}
    passed = shares[(shares["decision"] == "second round, dealer") & (shares["what"] == "pass")]
    return (
        holds("rules of every decision are measured", set(rules["decision"]) == named, f"{len(named)} decisions"),
        holds("no rule costs less than the best choice", (rules["cost_mt"] >= 0).all() and (rules["low"] >= 0).all()),
        holds("every share of discards and suits lies between 0 and 1", shares["share"].between(0, 1).all()),
        holds("the dealer never passes in the second round", (passed["share"] == 0).all()),
    )
