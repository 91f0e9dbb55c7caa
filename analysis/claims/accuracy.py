"""Which methods of claiming are safe, and what do they miss? The study `claim-accuracy` and its section of a page.

A player plays deals against itself. At every start of a trick with at least two tricks to come, the declarer and one
random defender (in Towers & Bowers both players) say how many tricks they could claim for their side. The prover is the
reference: a claim is sound if it proves it, and false if it refutes it. Claims that it cannot settle are counted
separately. Methods of claiming:

- *top trumps*: count the trumps above all other trumps, no more than the longer hand can play;
- *top tricks*: the same in every suit; in a misère, the cards below all others;
- *20 layouts*, *200 layouts*: the fewest tricks of best play with open cards, over so many random layouts that fit what
  has been seen (voids and counts included);
- *all layouts*: the same over all layouts, in positions where they are few enough to count;
- *prover*: what is proved within a few nodes.

A method makes a *claim* where it finds at least one trick (in a misère, where it finds that the declarer takes none).
Positions of one deal are correlated, so intervals are of ratios over deals::

    towerlab study bowers claim-accuracy --set deals=2 --set chunks=1
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.claims.asking import Claimant
from towerlab.analysis.report.page import Check, check_that
from towerlab.analysis.report.studies import Run
from towerlab.analysis.stats import Estimate, ratio_interval, wilson
from towerlab.analysis.study import Study, StudyResult
from towerlab.games.bits import popcount
from towerlab.games.tricks import field_of
from towerlab.solver.claims.belief import Belief, bits_upward
from towerlab.solver.claims.judging import (
    HiddenHands,
    all_layouts,
    claimant_tricks,
    draw_layout,
    guaranteed_between,
    layout_with,
    split_belief,
)
from towerlab.solver.double_dummy import shared_solver
from towerlab.solver.two_hands.tablebase import load_tablebase

_WHO: Final = {
    "declarer": "a declarer",
    "defender": "a defender",
    "misère": "the declarer of a misère",
    "player": "a player",
}
_ENOUGH: Final = 100  # a role has a sentence of its own with so many positions


Positions = Callable[[Mapping[str, Any], int, np.random.Generator], Iterator[Claimant]]

TRUMPS = "top trumps"
TOP = "top tricks"
FEW = "20 layouts"
MANY = "200 layouts"
ALL = "all layouts"
PROVER = "prover"
WAYS: Final = (TRUMPS, TOP, FEW, MANY, ALL, PROVER)
_FEW: Final = 20
_MANY: Final = 200
# Errors that a method cannot make: in every layout best play takes at least the sound tricks; a proof is never false.
_NEVER: Final = {FEW: ("missed",), MANY: ("missed",), ALL: ("missed",), PROVER: ("false", "unsettled")}
ROLES: Final = ("declarer", "defender", "misère", "player")
_USUAL: Final = {"chunks": 24, "deals": 5, "player": "novice", "nodes": 1_000, "limit": 20_000, "layouts": 3_000}


def accuracy_study(game: str, positions: Positions, options: type[Any] | None, **own: Any) -> Study:
    """Return the study of a game.

    Args:
        game: the game's name.
        positions: (parameters, number of the deal, random) → the positions of a deal in order of play; a function of
            the game's own module.
        options: the dataclass of its rule options, if the study takes any.
        own: the parameters that differ from the usual ones.
    """
    return Study(
        game=game,
        name="claim-accuracy",
        help="How often claims are sound in played deals, and what the usual ways of claiming get wrong.",
        parameters=_USUAL | own,
        run_chunk=functools.update_wrapper(functools.partial(observe_deals, positions), positions),
        combine=combine,
        rule_options=options,
        players=("player",),
    )


# ------------------------------------------------------------------------------------------------- the observations


def observe_deals(
    positions: Positions, chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the rows of a chunk, one for each position and claimant.

    Args:
        positions: the same as in `accuracy_study`.
        chunk, seed, parameters: the same as in `Study.run_chunk`.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for place in range(parameters["deals"]):
        deal = chunk * int(parameters["deals"]) + place
        for claimant in positions(parameters, deal, rng):
            draw = random.Random(int(rng.integers(1 << 62)))
            rows.append({"deal": deal} | judge_position(claimant, draw, parameters))
    return pd.DataFrame(rows)


def judge_position(claimant: Claimant, draw: random.Random, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a position: the tricks that are proved, those not refuted, and the claim of each method.

    Args:
        claimant: the player and the position.
        draw: the random numbers for the layouts.
        parameters: the study's parameters: `nodes` for the method *prover*, `limit` for the reference, `layouts` to
            count at most.
    """
    belief = claimant.knowledge.belief
    misere = claimant.knowledge.misere
    sampled = [draw_layout(belief, draw) for _ in range(_MANY)]
    few = fewest_tricks(belief, sampled[:_FEW], misere)
    many = min(few, fewest_tricks(belief, sampled[_FEW:], misere, few))
    every = None
    if belief.is_two_handed:
        every = layout_with(belief, load_tablebase(), worst=True)[1]
    elif belief.layouts <= parameters["layouts"]:
        every = min(many, fewest_tricks(belief, list(all_layouts(belief)), misere, many))
    most = many if every is None else every  # no strategy takes more than double-dummy play in one of the layouts
    nodes = int(parameters["nodes"])
    limit = int(parameters["limit"])
    quick, most = guaranteed_between(belief, nodes, 0, most)
    low, high = (quick, most) if quick == most else guaranteed_between(belief, limit, quick, most)
    top = top_tricks(belief)
    trumps = 0 if misere else top_tricks(belief, belief.trumps)
    claims = dict(zip(WAYS, (trumps, top, few, many, every, quick), strict=True))
    row: dict[str, Any] = {"role": claimant.role, "contract": claimant.contract, "to_come": belief.tricks}
    row |= {"layouts": belief.layouts, "low": low, "high": high}
    return row | {way: _claimed_tricks(tricks, belief.tricks, misere) for way, tricks in claims.items()}


def _claimed_tricks(tricks: int | None, to_come: int, misere: bool) -> float:
    """Return the tricks that a method claims; in a misère all or none, NaN without a result."""
    if tricks is None:
        return np.nan
    return float(tricks if not misere or tricks == to_come else 0)


def fewest_tricks(belief: Belief, layouts: Sequence[HiddenHands], misere: bool, below: int | None = None) -> int:
    """Return the claiming side's fewest double-dummy tricks over some layouts.

    Args:
        belief: a position at the start of a trick.
        layouts: the hidden hands of each layout.
        misere: whether the declarer wants few tricks.
        below: an upper bound of the result, which saves searching for more.
    """
    if belief.is_two_handed:
        hand, _, _, led, turn = split_belief(belief)
        taken = [int(claimant_tricks(load_tablebase(), hand, layout[0], led, turn)) for layout in layouts]
        return min(taken, default=belief.tricks) if below is None else min(below, *taken)
    hands = np.empty((len(layouts), len(belief.own)), np.int64)
    hands[:] = belief.own
    for place, seat in enumerate(belief.hidden):
        hands[:, seat] = [layout[place] for layout in layouts]
    solver = shared_solver()
    of_declarer = 0 in belief.scoring
    if below is not None:
        need = below if of_declarer else belief.tricks - below + 1
        enough = solver.many_at_least(hands, need, belief.trumps, belief.leader, fewest=misere, names=belief.names)
        hands = hands[~enough if of_declarer else enough]
        if len(hands) == 0:
            return below
    tricks = solver.tricks_of_many(hands, belief.trumps, belief.leader, fewest=misere, names=belief.names)
    return int(tricks.min()) if of_declarer else belief.tricks - int(tricks.max())


def top_tricks(belief: Belief, fields: int = -1) -> int:
    """Count the claimant's cards above all others' cards of their suit, no more than the longer hand has of the suit.

    For a misère's declarer, count the cards below all others' cards of their suit.

    Args:
        belief: what the claimant knows.
        fields: the suits to count, a mask of fields.
    """
    hands = [belief.own[seat] for seat in belief.claimant]
    others = belief.known & ~sum(hands)
    for pool in belief.pools:
        others |= pool
    tops: dict[int, int] = {}
    for card in bits_upward(sum(hands) & fields):
        field = int(field_of(card, belief.trumps))
        rivals = others & field
        is_top = card > rivals if belief.claimant & belief.scoring else rivals != 0 and rivals & (card - 1) == 0
        tops[field] = tops.get(field, 0) + is_top
    tricks = sum(min(count, max(popcount(hand & field) for hand in hands)) for field, count in tops.items())
    return min(tricks, belief.tricks)


# ------------------------------------------------------------------------------------------------------- the tables


def combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the table `ways`: the claims that are false, not settled and missed, by role and method."""
    rows = pd.concat(list(chunks), ignore_index=True)
    parts = [(role, rows[rows["role"] == role]) for role in ROLES if (rows["role"] == role).any()]
    tables = {"ways": pd.DataFrame([way_row(role, way, part) for role, part in parts for way in WAYS])}
    settled = ratio_over_deals(rows["low"] == rows["high"], rows["low"] >= 0, rows)
    summary = {
        "deals": int(rows["deal"].nunique()),
        "positions": len(rows),
        "doubled_deals": int(rows.loc[rows["contract"].str.contains("X"), "deal"].nunique()),
        "goulash_deals": int(rows.loc[rows["contract"].str.contains("goulash"), "deal"].nunique()),
        "settled": settled._asdict(),
        **{name: parameters[name] for name in ("player", "nodes", "limit", "layouts")},
    }
    return StudyResult(tables, summary)


def ratio_over_deals(
    above: pd.Series[Any], below: pd.Series[Any], rows: pd.DataFrame, of: int = 1, most: float = 1.0
) -> Estimate:
    """Return the ratio of two sums over positions, with an interval over deals.

    If the first sum is 0, the interval is Wilson's for no success in as many deals.

    Args:
        above, below: the summands by position.
        rows: the positions, with their deals.
        of: a factor of the ratio.
        most: the largest possible ratio.
    """
    sums = pd.DataFrame({"above": above, "below": below}).astype(float).groupby(rows["deal"]).sum()
    ratio = ratio_interval(sums["above"], sums["below"])
    low, high = max(ratio.low, 0.0), min(ratio.high, most) if np.isfinite(ratio.low) else np.nan
    if not sums["above"].any():
        low, high = wilson(0, int((sums["below"] > 0).sum())) if sums["below"].any() else (np.nan, np.nan)
    return Estimate(of * ratio.mean, of * low, of * high, len(sums))


def way_row(role: str, way: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a row of a role and method, per 100 claims: false ones, unsettled ones, and sound tricks not claimed."""
    rows = rows[rows[way].notna()]
    claimed = rows[way]
    low = rows["low"]
    high = rows["high"]
    if role == "misère":
        low = low.where(low == rows["to_come"], 0)
    claims = claimed > 0
    row: dict[str, Any] = {"role": role, "way": way, "positions": len(rows), "claims": int(claims.sum())}
    parts = {
        "false": claims & (claimed > high),
        "unsettled": claims & (claimed > low) & (claimed <= high),
        "missed": (low - claimed).clip(lower=0),
    }
    for name, above in parts.items():
        ratio = ratio_over_deals(above, claims, rows, 100, np.inf if name == "missed" else 1.0)
        if name in _NEVER.get(way, ()) and claims.any():
            ratio = Estimate(0.0, 0.0, 0.0, ratio.n)
        row |= ratio.row(name)
    return row


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
    """Return the checks of the study's tables."""
    ways = run.tables["ways"]
    claims = ways.pivot(index="role", columns="way", values="claims")
    positions = ways.groupby("way")["positions"].sum()
    every = run.summary["positions"]
    return (
        check_that(
            "the prover's claims are never false", (ways.loc[ways["way"] == PROVER, "false"].fillna(0) == 0).all()
        ),
        check_that(
            "counting every layout claims no more than counting some", bool((claims[MANY] <= claims[FEW]).all())
        ),
        check_that("a way is asked no oftener than there are positions", (ways["claims"] <= ways["positions"]).all()),
        check_that("by role every position stands once", bool((positions <= every).all() and positions[TOP] == every)),
    )
