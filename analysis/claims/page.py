"""The section on claims of a game with tricks: which way of claiming is safe, and what it misses."""

from __future__ import annotations

from typing import Any, Final

from towerlab.analysis.claims.accuracy import FEW, MANY, PROVER, ROLES, TOP
from towerlab.analysis.report.checks import Check, holds
from towerlab.analysis.report.studies import Run

_WHO: Final = {
    "declarer": "a declarer",
    "defender": "a defender",
    "misère": "the declarer of a misère",
    "player": "a player",
}
_ENOUGH: Final = 100  # positions of a role, for a sentence about it


def claims_values(run: Run, unit: str = "deals") -> dict[str, Any]:
    """Return the values of the section ``claims.md`` from a run of the study; `unit` names a deal."""
    ways = run.tables["ways"]
    counts = ways[ways["way"] == TOP].set_index("role")["positions"]
    role = next((role for role in ROLES if counts.get(role, 0) >= _ENOUGH), str(counts.index[0]))
    shown = ways[(ways["role"] == role) & (ways["claims"] > 0)]
    names = ways["way"].mask((ways["role"] == "misère") & (ways["way"] == TOP), "low cards")
    return {
        "who": _WHO[role], "first": {str(row["way"]): row for row in ways[ways["role"] == role].to_dict("records")},
        "ways": ways.assign(who=ways["role"] + ": " + names), "shown": shown, "unit": unit, "seed": run.seed,
        "summary": run.summary, "command": run.command,
    }  # fmt: skip


def checks_of_claims(run: Run) -> tuple[Check, ...]:
    ways = run.tables["ways"]
    claims = ways.pivot(index="role", columns="way", values="claims")
    positions = ways.groupby("way")["positions"].sum()
    every = run.summary["positions"]
    return (
        holds("the prover's claims are never false", (ways.loc[ways["way"] == PROVER, "false"].fillna(0) == 0).all()),
        holds("counting every layout claims no more than counting some", bool((claims[MANY] <= claims[FEW]).all())),
        holds("a way is asked no oftener than there are positions", (ways["claims"] <= ways["positions"]).all()),
        holds("by role every position stands once", bool((positions <= every).all() and positions[TOP] == every)),
    )
