"""How much rules of bidding cost: the players' rules, rules of thumb, and a ladder of simple fitted ones.

The decision is the first one, to accept the up-card or to pass, at every hand size and seat equally often, with random
hands. The reference, parameter `reference`, is that of `towerlab upcard --method`: `equilibrium` (hidden hands, double-
dummy play after the bidding of more than three cards) at the hand sizes of which a solution is at hand, or `pimc`, all
cards seen after the decision, at the other sizes or at all; both are exact over every hand of the opponent. A rule
costs the gap between accept and pass wherever it decides otherwise; cost is in mt (0.001 of P(win the tower)) per
unforced decision, one in which the gap is not 0. Against the equilibrium calls that are indifferent have no gap
(`analysis.towers_and_bowers.upcard.answers.Losses`), so that most first calls of the non-dealer at odd sizes are no
decisions. What the rule
*player pimc* costs there is what it costs to bid as if the other hand lay open. Intervals take the two decisions of a
deal, which share the up-card, as independent.

The ladder (`analysis.ladder`): clauses are chosen on the even chunks, all rules are scored on the odd ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.ladder import MOST_CLAUSES, Clause, apply_clauses, fit_clauses, rule_text, with_opposites
from analysis.stats import mean_interval
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from analysis.towers_and_bowers.upcard.answers import ACCEPT, HIDDEN_MODEL, METHODS, PASS
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.arrays import Bools, Floats
from games.cards import (
    JACK,
    LEFT_BOWER,
    RIGHT_BOWER,
    TRUMP_FIELD,
    card_text,
    mask_text,
    parse_card,
    parse_mask,
    to_play_order,
)
from games.errors import TowerlabError, did_you_mean
from games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from sim.towers_and_bowers.habits import bidding_points
from sim.towers_and_bowers.hand import deal_hand
from sim.towers_and_bowers.knowledge import make_mind, rules_of
from sim.towers_and_bowers.match import generators
from sim.towers_and_bowers.players import FAMILY, NOVICE, PIMC, plan_bids

OPTIONS: Final = TowersAndBowersOptions()
SEATS: Final = ("nondealer", "dealer")
_COSTLIEST: Final = 10
_EVERYBODY: Final = "both"
SEARCHER: Final = "player pimc"  # among the rules, but none that a person could follow
_ACE: Final = 12  # rank
BIDDERS: Final = {"novice": NOVICE, "family": FAMILY, "pimc": PIMC}  # by what they bid, none of them by lot

Choices = Bools


# -------------------------------------------------------------------------------------------------------- the sample


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    reference = str(parameters["reference"])
    if reference not in METHODS:
        raise TowerlabError(f"unknown reference {reference!r}; {did_you_mean(reference, METHODS)}")
    return 2 * int(parameters["chunk_pairs"])


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a decision."""
    deals, _ = generators(seed)
    rows = []
    for cards in range(1, LARGEST_HAND + 1):
        for _ in range(parameters["deals"]):
            *hands, up = deal_hand(cards, deals)
            rows += [_row(hands[seat], up, seat == 1, parameters["reference"]) for seat in range(2)]
    return pd.DataFrame(rows).assign(fitted=chunk % 2 == 0)


def _row(hand: int, up: int, dealer: bool, reference: str) -> dict[str, Any]:
    """What a rule may look at, what the players do, and the reference."""
    mind, rules = make_mind(OPTIONS, believed_deal_values(OPTIONS)), rules_of(OPTIONS)
    trump = up // 13
    held = int(to_play_order(hand | (1 << up if dealer else 0), trump, True))
    aces = sum(hand >> 13 * suit + _ACE & 1 for suit in range(4) if suit != trump)
    random = np.random.default_rng(0)  # no player tosses coins
    answer = UpcardQuestion(hand, up, dealer, method=reference).answer(OPTIONS)
    lost = answer.losses().of
    return {
        "hand": mask_text(hand, trump, True),
        "up": card_text(up),
        "cards": hand.bit_count(),
        "dealer": dealer,
        "trumps": (held & TRUMP_FIELD).bit_count(),
        "right": bool(held & RIGHT_BOWER),
        "left": bool(held & LEFT_BOWER),
        "jack_up": up % 13 == JACK,
        "side_aces": aces,
        "points": int(bidding_points(hand, up, dealer)),
        **{
            name: bool(plan_bids(player, hand, up, dealer, rules, mind, random).accepts)
            for name, player in BIDDERS.items()
        },
        "reference": answer.method,
        "margin": lost[PASS] - lost[ACCEPT],
    }


def _warm_up() -> None:
    """Compile the players and both references."""
    warm_up()
    for dealer, reference in product((False, True), METHODS):
        _row(parse_mask("JS AH"), parse_card("QS"), dealer, reference)


# --------------------------------------------------------------------------------------------------------- the rules


def rules_of_thumb(views: pd.DataFrame) -> dict[str, Choices]:
    """Name → whether the rule accepts, a row a decision."""
    always = np.ones(len(views), dtype=bool)
    rules = {"always accept": always, "never accept": ~always}
    rules |= {f"player {name}": views[name].to_numpy() for name in BIDDERS}
    rules |= {f"{k} trumps or more": (views["trumps"] >= k).to_numpy() for k in range(1, 6)}
    rules["the right bower"] = views["right"].to_numpy()
    rules["either bower"] = (views["right"] | views["left"]).to_numpy()
    rules |= {f"{t} points a card": (views["points"] >= t * views["cards"]).to_numpy() for t in range(2, 6)}
    return rules


def conditions(views: pd.DataFrame) -> dict[str, Choices]:
    """Words → where the condition holds: what a clause of the ladder is made of."""
    atoms = {"dealer": views["dealer"], "an even hand": views["cards"] % 2 == 0, "a jack up": views["jack_up"]}
    atoms |= {"the right bower": views["right"], "the left bower": views["left"]}
    atoms |= {f"{k}+ trumps": views["trumps"] >= k for k in range(1, 6)}
    atoms |= {f"{k}+ side aces": views["side_aces"] >= k for k in range(1, 3)}
    atoms |= {f"{t / 2:g}+ points a card": 2 * views["points"] >= t * views["cards"] for t in range(2, 11)}
    atoms |= {f"{n}+ cards": views["cards"] >= n for n in range(2, LARGEST_HAND + 1)}
    return with_opposites(atoms)


def fit_ladder(views: pd.DataFrame) -> list[Clause]:
    """The clauses of the ladder; action 0 is to pass, 1 to accept."""
    margin = views["margin"].to_numpy()
    return fit_clauses(np.column_stack((np.zeros(len(margin)), margin)), conditions(views))


def apply_ladder(clauses: Sequence[Clause], views: pd.DataFrame) -> Choices:
    """What a rule of the ladder chooses."""
    accepts: Choices = apply_clauses(clauses, conditions(views), len(views)) == 1
    return accepts


# --------------------------------------------------------------------------------------------------------- the score


def costs(choices: Choices, views: pd.DataFrame) -> Floats:
    """Cost of every decision in mt."""
    margin = 1000 * views["margin"].to_numpy()
    lost: Floats = np.where(choices, np.maximum(-margin, 0.0), np.maximum(margin, 0.0))
    return lost


def _score(rule: str, choices: Choices, views: pd.DataFrame, seat: str) -> dict[str, Any]:
    counted = (views["margin"] != 0).to_numpy()
    if seat != _EVERYBODY:
        counted = counted & (views["dealer"] == (seat == "dealer")).to_numpy()
    lost = costs(choices, views)[counted]
    cost = mean_interval(lost)
    return {
        "rule": rule,
        "seat": seat,
        "decisions": cost.n,
        "cost_mt": cost.mean,
        "low": max(0.0, cost.low),
        "high": cost.high,
        "agree": float((lost == 0).mean()),
    }


def _costliest(rule: str, choices: Choices, views: pd.DataFrame) -> pd.DataFrame:
    """The ten decisions that cost most."""
    table = views[["hand", "up", "cards", "dealer"]].assign(
        rule=rule, chose=np.where(choices, "accept", "pass"), cost_mt=costs(choices, views)
    )
    return table.nlargest(_COSTLIEST, "cost_mt")


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``rules`` and ``ladder`` (scored on the odd chunks), ``mistakes``."""
    views = pd.concat(tables, ignore_index=True)
    fitted, scored = views[views["fitted"]], views[~views["fitted"]].reset_index(drop=True)
    rules = rules_of_thumb(scored)
    table = pd.DataFrame(
        [_score(name, choices, scored, seat) for name, choices in rules.items() for seat in (_EVERYBODY, *SEATS)]
    )
    clauses = fit_ladder(fitted)
    ladder = pd.DataFrame([_rung(clauses[:k], fitted, scored) for k in range(1, MOST_CLAUSES + 1)])
    rules["ladder"] = apply_ladder(clauses, scored)
    mistakes = pd.concat([_costliest(name, choices, scored) for name, choices in rules.items()], ignore_index=True)
    return StudyResult({"rules": table, "ladder": ladder, "mistakes": mistakes}, _summary(table, ladder, views))


def reference_in_words(sizes: Mapping[str, Any]) -> str:
    """What the decisions were measured against.

    Args:
        sizes: hand sizes by reference, as in the summary of the study.
    """
    named = {
        "equilibrium": HIDDEN_MODEL,
        "pimc": "pimc, all cards seen after the decision",
    }
    parts = [f"{named[name]} (n = {_range(sizes[name])})" for name in METHODS if sizes.get(name)]
    return f"{'; '.join(parts)}; exact over every hand of the opponent"


def _range(sizes: Sequence[int]) -> str:
    """``"1 to 6"``, or every size where some between are left out."""
    whole = len(sizes) > 1 and list(sizes) == list(range(sizes[0], sizes[-1] + 1))
    return f"{sizes[0]} to {sizes[-1]}" if whole else ", ".join(map(str, sizes))


def _rung(clauses: Sequence[Clause], fitted: pd.DataFrame, scored: pd.DataFrame) -> dict[str, Any]:
    on_fit = _score("", apply_ladder(clauses, fitted), fitted, _EVERYBODY)
    rung = _score(rule_text(clauses, ("pass", "accept")), apply_ladder(clauses, scored), scored, _EVERYBODY)
    return {"clauses": len(clauses), **rung, "fitted_cost_mt": on_fit["cost_mt"]}


def _summary(rules: pd.DataFrame, ladder: pd.DataFrame, views: pd.DataFrame) -> dict[str, Any]:
    overall = rules[rules["seat"] == _EVERYBODY].sort_values("cost_mt", kind="stable").to_dict("records")
    thumb, search = (next(row for row in overall if (row["rule"] == SEARCHER) == search) for search in (False, True))
    rungs = ladder.to_dict("records")
    cheapest = min(rungs, key=lambda row: float(row["cost_mt"]))
    enough = next(row for row in rungs if row["cost_mt"] <= cheapest["high"])  # more clauses gain nothing beyond chance
    sizes = {str(name): sorted(map(int, group.unique())) for name, group in views.groupby("reference")["cards"]}
    return {
        "decisions": int(cheapest["decisions"]),
        "reference": sizes,
        "rules": {str(row["rule"]): _headline(row) for row in overall},
        "ladder": {str(row["clauses"]): _headline(row) | {"rule": row["rule"]} for row in rungs},
        "finding": (
            f"The cheapest rule of thumb, '{thumb['rule']}', costs {_in_words(thumb)} a decision; "
            f"to bid as pimc, as if all cards were seen afterwards, {_in_words(search)}. "
            f"A fitted rule of {enough['clauses']} clauses, '{enough['rule']}', costs {_in_words(enough)}; "
            f"no longer one is better beyond chance. Reference: {reference_in_words(sizes)}."
        ),
    }


def _headline(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {"cost_mt": row["cost_mt"], "interval": [row["low"], row["high"]], "agree": row["agree"]}


def _in_words(row: Mapping[Any, Any]) -> str:
    return f"{row['cost_mt']:.1f} mt (95 % {row['low']:.1f} to {row['high']:.1f})"


BIDDING: Final = Study(
    game="towers-and-bowers",
    name="bidding-accuracy",
    help="What bidding rules cost against upcard's answer (equilibrium, or reference=pimc): players, rules, a ladder.",
    parameters={"chunk_pairs": 10, "deals": 60, "reference": METHODS[0]},
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
