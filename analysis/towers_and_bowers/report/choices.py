"""After the first call: what to discard, which suit to name, what to lead, the last three cards.

What the best answers look like is counted over every hand; what rules of thumb cost is sampled.
"""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from analysis.report.checks import Check, holds
from analysis.report.studies import Run
from analysis.towers_and_bowers.explorer.kinds import stored
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
    """What the page names of discards, suits and leads: tables of `run` and of what is counted over every hand."""
    shares, rules = stored("choices"), run.tables["rules"]
    rules = rules.assign(of=rules["decision"].map(BIDDING | PLAY))
    given = shares[shares["decision"].str.startswith("discard")]
    by_what = {what: rows["share"] for what, rows in given.groupby("what")}
    dear = given[given["what"].isin(("a trump", "a side ace"))].groupby(["decision", "cards"])["share"].sum()
    bids = rules[rules["decision"].isin(BIDDING) & (rules["cards"] > 0)]
    cheapest = bids.loc[bids.groupby(["decision", "cards"])["cost_mt"].idxmin()].reset_index(drop=True)
    return {
        "thumb": run,
        "discarding": [*DISCARDS.values()],
        "naming": [*SUITS.values()],
        "playing": [*PLAY.values()],
        "overall": rules[rules["cards"] == 0].sort_values("cost_mt", kind="stable", ignore_index=True),
        "rules_by_size": cheapest.assign(decision=cheapest["of"]).drop(columns="of"),
        "best_answers": _best_answers(shares),
        "discards": {
            "low": by_what["the lowest of its suit"],
            "short": by_what["from the shortest side suit"],
            "dear": dear,
            "large": dear[dear.index.get_level_values("cards") >= 4],
        },
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
