"""How much rules of bidding cost: the players' rules, rules of thumb, and decision lists.

The decision is the first one, to accept the up-card or to pass, at every hand size and seat equally often, with random
hands. The reference, parameter `reference`, is that of `towerlab upcard --method`: `equilibrium` (hidden hands, double-
dummy play after the bidding of more than three cards) at the hand sizes of which a solution is at hand, or `pimc`, all
cards seen after the decision, at the other sizes or at all; both are exact over every hand of the opponent. A rule
costs the gap between accept and pass wherever it decides otherwise; cost is in mt (0.001 of P(win the tower)) per
unforced decision, one in which the gap is not 0. Against the equilibrium calls that are indifferent have no gap
(`analysis.towers_and_bowers.upcard.answers.Losses`), so that most first calls of the non-dealer at odd sizes are no
decisions. What the rule *player pimc* costs there is what it costs to bid as if the other hand lay open. Intervals take
the two decisions of a deal, which share the up-card, as independent. Tables: `analysis.report.bidding.costs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.bidding.costs import PLAYER, RULE, Kind, cost_tables, finding
from analysis.report.bidding.decision_lists import with_opposites
from analysis.study import Study, StudyResult
from analysis.towers_and_bowers.simulation import believed_deal_values, warm_up
from analysis.towers_and_bowers.upcard.answers import ACCEPT, HIDDEN_MODEL, METHODS, PASS
from analysis.towers_and_bowers.upcard.asking import UpcardQuestion
from games.arrays import Bools
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
from sim.towers_and_bowers.knowledge import make_model, rules_of
from sim.towers_and_bowers.match import generators
from sim.towers_and_bowers.players import FAMILY, NOVICE, PIMC, plan_bids

OPTIONS: Final = TowersAndBowersOptions()
BOTH, SEATS = "both seats", ("non-dealer", "dealer")
ACTIONS: Final = ("pass", "accept")
BIDDERS: Final = {"novice": NOVICE, "family": FAMILY, "pimc": PIMC}  # none of them bids at random
_COSTLIEST: Final = 10
_ACE: Final = 12  # rank
_MT: Final = 1000


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
    model, rules = make_model(OPTIONS, believed_deal_values(OPTIONS)), rules_of(OPTIONS)
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
            name: bool(plan_bids(player, hand, up, dealer, rules, model, random).accepts)
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


def rules_of_thumb(views: pd.DataFrame) -> dict[str, Bools]:
    """Name → whether the rule accepts, a row a decision."""
    always = np.ones(len(views), dtype=bool)
    rules = {"always accept": always, "never accept": ~always}
    rules |= {f"{PLAYER}{name}": views[name].to_numpy() for name in BIDDERS}
    rules |= {f"{k} trump{'s' * (k > 1)} or more": (views["trumps"] >= k).to_numpy() for k in range(1, 6)}
    rules["the right bower"] = views["right"].to_numpy()
    rules["either bower"] = (views["right"] | views["left"]).to_numpy()
    rules |= {f"{t} points a card": (views["points"] >= t * views["cards"]).to_numpy() for t in range(2, 6)}
    return rules


def conditions(views: pd.DataFrame) -> dict[str, Bools]:
    """Words → where the condition holds: what a clause of a decision list is made of."""
    atoms = {"dealer": views["dealer"], "an even hand": views["cards"] % 2 == 0, "a jack up": views["jack_up"]}
    atoms |= {"the right bower": views["right"], "the left bower": views["left"]}
    atoms |= {f"{k}+ trumps": views["trumps"] >= k for k in range(1, 6)}
    atoms |= {f"{k}+ side aces": views["side_aces"] >= k for k in range(1, 3)}
    atoms |= {f"{t / 2:g}+ points a card": 2 * views["points"] >= t * views["cards"] for t in range(2, 11)}
    atoms |= {f"{n}+ cards": views["cards"] >= n for n in range(2, LARGEST_HAND + 1)}
    return with_opposites(atoms)


def unforced(views: pd.DataFrame) -> pd.DataFrame:
    """The decisions in which a call can be wrong, with what rules get in mt; to pass is worth 0."""
    views = views[views["margin"] != 0].reset_index(drop=True)
    margin = _MT * views["margin"].to_numpy()
    got = {f"{RULE}{name}": np.where(accepts, margin, 0.0) for name, accepts in rules_of_thumb(views).items()}
    return views.assign(**{"value 0": 0.0, "value 1": margin, "best": np.maximum(margin, 0.0)}, **got)


def kinds_of(views: pd.DataFrame) -> tuple[Kind, ...]:
    """Both seats, then each."""
    dealer = views["dealer"].to_numpy(dtype=np.bool_)
    seats = (Kind(name, dealer == (name == "dealer")) for name in SEATS)
    return Kind(BOTH, np.ones_like(dealer), ACTIONS, conditions(views)), *seats


def _costliest(views: pd.DataFrame, player: str) -> pd.DataFrame:
    """A player's ten decisions that cost most, of those not fitted on."""
    got = views[f"{RULE}{PLAYER}{player}"]
    table = views.assign(
        rule=f"{PLAYER}{player}", cost_mt=views["best"] - got, chose=views[player].map({True: "accept", False: "pass"})
    )
    return table.loc[~views["fitted"], ["hand", "up", "cards", "dealer", "rule", "chose", "cost_mt"]].nlargest(
        _COSTLIEST, "cost_mt"
    )


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``rules`` and ``lists`` (costs in mt), ``mistakes``."""
    every = pd.concat(tables, ignore_index=True)
    views = unforced(every)
    found = cost_tables(views.rename(columns={"reference": "by", "best": "reference"}), kinds_of(views))
    found["mistakes"] = pd.concat([_costliest(views, player) for player in BIDDERS], ignore_index=True)
    sizes = {str(name): sorted(map(int, group.unique())) for name, group in every.groupby("reference")["cards"]}
    reported = f"{finding(found, BOTH, 'mt a decision', '.1f')} Reference: {reference_in_words(sizes)}."
    return StudyResult(found, {"scored": int((~views["fitted"]).sum()), "reference": sizes, "finding": reported})


def reference_in_words(sizes: Mapping[str, Any]) -> str:
    """What the decisions were measured against.

    Args:
        sizes: hand sizes by reference, as in the summary of the study.
    """
    named = {"equilibrium": HIDDEN_MODEL, "pimc": "pimc, all cards seen after the decision"}
    parts = [f"{named[name]} (n = {_range(sizes[name])})" for name in METHODS if sizes.get(name)]
    return f"{'; '.join(parts)}; exact over every hand of the opponent"


def _range(sizes: Sequence[int]) -> str:
    """``"1 to 6"``, or every size where some between are left out."""
    whole = len(sizes) > 1 and list(sizes) == list(range(sizes[0], sizes[-1] + 1))
    return f"{sizes[0]} to {sizes[-1]}" if whole else ", ".join(map(str, sizes))


BIDDING: Final = Study(
    game="towers-and-bowers",
    name="bidding-accuracy",
    help="What bidding rules cost against upcard's answer (equilibrium, or reference=pimc): players, rules, lists.",
    parameters={"chunk_pairs": 10, "deals": 60, "reference": METHODS[0]},
    count_chunks=_count_chunks,
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
