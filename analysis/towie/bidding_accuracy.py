"""Study `bidding-accuracy`: what rules of bidding cost, how many points which bid needs, when to double.

A decision is a random hand with six of the dummy's cards at its turn in an auction of novices, of three kinds equally
often: nobody has bid; somebody has bid game; nobody has bid after a goulash. Calls are judged on the same layouts
(`analysis.towie.calls`: the others go on as novices), not vulnerable. The reference is the call that is best on all
layouts but one, paid on that one, so it is paid for no luck in its own sample.

How many points a bid needs: the least number from which on bidding gains most over passing, fitted on the even chunks;
its gain is scored on the odd ones, as are all rules and the decision lists (`analysis.report.bidding.costs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.bidding.costs import PLAYER, RULE, Kind, cost_tables, finding
from analysis.report.bidding.decision_lists import with_opposites
from analysis.report.intervals import is_finding
from analysis.stats import mean_interval
from analysis.study import Study, StudyResult
from analysis.towie.calls import TowieQuestion, judge_calls
from analysis.towie.contracts import TowieStakes, lowest_game
from games.arrays import Bools, Floats, Ints
from games.cards import NO_TRUMP, cards_mask, mask_cards, mask_text
from games.pbn import hand_text
from games.towie.auction import BID, CALLERS, DOUBLE, PASS, auction_of, auction_text, bid_of, level_of, strain_of
from games.towie.dealing import DUMMY, EXPOSED, HANDS, PACK_SIZE, deal_singly, goulash
from games.towie.options import TowieOptions
from sim.towie.pimc import Pimc
from sim.towie.players import PIMC, PLAYERS, choose, expected_trumps, high_card_points, novice_call, strength_in
from sim.towie.table import AUCTION, FACED, GOULASHES, PHASE, act_call, new_table, start_game, suit_length

OPENING, OVER, GOULASH = "nobody has bid", "over a game", "after a goulash"
KINDS: Final = (OPENING, OVER, GOULASH)
ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    OPENING: ("pass", "3NT", "4 of the best major", "5 of the best minor", "6 of the best suit"),
    OVER: ("pass", "double", "bid the best suit"),
    GOULASH: ("pass", "3NT", "4 of the best major", "5 of the best minor", "6 of the best suit"),
}
BIDDERS: Final = ("novice", "pimc")
MOST_CLAUSES: Final = 4
RESAMPLES: Final = 200
CARD: Final = "the rule for the table"
NO_TRUMP_GAME, SLAM = "3NT", "6 of the best suit"
_MAJOR_CARDS: Final = ((9, 13), (8, 8), (7, 7))
MAJORS: Final = ("4 of a major, 9 or more", "4 of a major, 8 cards", "4 of a major, 7 cards with the six")
_FEWEST: Final = 20  # decisions from which a number of points is given
_RULES: Final = TowieOptions()


# -------------------------------------------------------------------------------------------------------- the sample


def draw_decision(kind: str, random: np.random.Generator) -> tuple[Ints, int, list[int]]:
    """Hands by caller, dummy's six and the calls so far, all by novices."""
    hands, pack, piles = np.zeros(HANDS, dtype=np.int64), np.arange(PACK_SIZE), np.zeros((HANDS, 13), dtype=np.int64)
    while True:
        deal_singly(random.permutation(PACK_SIZE), hands)
        if kind == GOULASH:
            goulash(hands, _RULES.rules(), random, piles, pack)
        exposed = cards_mask(random.permutation(mask_cards(int(hands[DUMMY])))[:EXPOSED].tolist())
        calls: list[int] = []
        for caller in range(int(random.integers(CALLERS))):
            calls.append(int(novice_call(auction_of(calls), int(hands[caller]), exposed)))
        if (kind == OVER) == bool(auction_of(calls)[BID]):
            return hands, exposed, calls


def action_calls(kind: str, hand: int, exposed: int, standing: int) -> list[int]:
    """The call of each of the kind's `ACTIONS`; a pass where it is not legal."""
    strength = [float(strength_in(hand, exposed, strain)) for strain in range(NO_TRUMP + 1)]
    trumps = [float(expected_trumps(hand, exposed, strain)) for strain in range(NO_TRUMP)]
    minor, major = (max(pair, key=lambda suit: (trumps[suit], strength[suit])) for pair in ((0, 1), (2, 3)))
    best = max(range(NO_TRUMP + 1), key=lambda strain: strength[strain] + (3 if strain >= 2 else 0))
    if kind != OVER:
        return [PASS, int(bid_of(3, NO_TRUMP)), int(bid_of(4, major)), int(bid_of(5, minor)), int(bid_of(6, best))]
    bids = [int(bid_of(level, best)) for level in range(1, 8)]
    legal = [bid for bid in bids if bid > standing and bid >= lowest_game(best)]
    return [PASS, DOUBLE, legal[0] if legal else PASS]


class Players:
    """What the players call, seated at a table of their own."""

    def __init__(self) -> None:
        self._table, self._pimc = new_table(_RULES, CALLERS), Pimc(_RULES)

    def call(self, name: str, hands: Ints, exposed: int, calls: list[int], goulashes: int) -> int:
        """The next call of a player in that position; it sees its hand and the six alone."""
        table, kind, random = self._table, list(PLAYERS).index(name), np.random.default_rng(0)
        start_game(table, np.arange(CALLERS))
        table.hands[:] = table.dealt[:] = hands
        table.now[FACED], table.now[GOULASHES], table.now[PHASE] = exposed, goulashes, AUCTION
        table.auction[:] = auction_of([])
        for call in calls:
            act_call(table, call)
        self._pimc.forget()
        return self._pimc.choose(table, random) if kind == PIMC else int(choose(kind, table, random))


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a decision."""
    random, players = np.random.default_rng(seed), Players()
    rows = [
        _row(kind, players, int(parameters["layouts"]), random)
        for _ in range(int(parameters["decisions"]))
        for kind in KINDS
    ]
    return pd.DataFrame(rows).assign(fitted=chunk % 2 == 0)


def _row(kind: str, players: Players, layouts: int, random: np.random.Generator) -> dict[str, Any]:
    hands, exposed, calls = draw_decision(kind, random)
    goulashes = int(kind == GOULASH)
    hand, standing = int(hands[len(calls) % CALLERS]), int(auction_of(calls)[BID])
    actions = action_calls(kind, hand, exposed, standing)
    bidders = {name: players.call(name, hands, exposed, calls, goulashes) for name in BIDDERS}
    among = sorted({*actions, *bidders.values()})
    asked = TowieQuestion(hand, exposed, calls, TowieStakes(), goulashes=goulashes)
    judged = judge_calls(asked, layouts, random, exact=False, among=among)
    worth = dict(zip(among, judged.points.mean(axis=1).tolist(), strict=True))
    return {
        "kind": kind,
        "hand": hand_text(hand),
        "six": mask_text(exposed),
        "auction": auction_text(calls),
        **_features(hand, exposed, standing),
        **{f"value {place}": worth[call] for place, call in enumerate(actions)},
        **{f"{RULE}{PLAYER}{name}": worth[call] for name, call in bidders.items()},
        "reference": paid_on_others(judged.points),
    }


def paid_on_others(points: Floats) -> float:
    """What the call that is best on all layouts but one gets on that one, the mean over layouts.

    Args:
        points: [calls, layouts].
    """
    chosen = (points.sum(axis=1, keepdims=True) - points).argmax(axis=0)
    return float(points[chosen, np.arange(points.shape[1])].mean())


def _features(hand: int, exposed: int, standing: int) -> dict[str, Any]:
    """What a person can count."""
    lengths = [int(suit_length(hand, suit)) for suit in range(4)]
    both = [int(suit_length(hand | exposed, suit)) for suit in range(4)]
    suit = int(strain_of(standing)) if standing else NO_TRUMP
    return {
        "points": int(high_card_points(hand)),
        "six_points": int(high_card_points(exposed)),
        "longest": max(lengths),
        "major": max(both[2:]),
        "suit": max(both),
        "stopped": all(int(high_card_points((hand | exposed) & (0x1FFF << 13 * s))) >= 2 for s in range(4)),
        "trumps": lengths[suit] if suit != NO_TRUMP else 0,
        "their_level": int(level_of(standing)) if standing else 0,
    }


# --------------------------------------------------------------------------------------------------------- the rules


def conditions(rows: pd.DataFrame, kind: str) -> dict[str, Bools]:
    """Words → where the condition holds: what a clause of a decision list is made of."""
    together = rows["points"] + rows["six_points"]
    atoms: dict[str, Any] = {f"{n}+ points with the six": together >= n for n in range(12, 31, 2)}
    atoms |= {f"{n}+ points of your own": rows["points"] >= n for n in range(8, 21, 2)}
    if kind == OVER:
        atoms |= {f"{n}+ of their trumps": rows["trumps"] >= n for n in range(3, 6)}
        atoms |= {"a slam": rows["their_level"] >= 6}
    else:
        atoms |= {f"{n}+ of a major with the six": rows["major"] >= n for n in range(6, 11)}
        atoms |= {"every suit stopped": rows["stopped"]}
    atoms |= {f"a suit of {n}+": rows["longest"] >= n for n in range(5, 9)}
    return with_opposites(atoms)


def thresholds(kind: str) -> dict[str, tuple[str, str, tuple[int, int]]]:
    """Bids, in words → its action, what is counted, and how many cards of the suit with the six it is for."""
    if kind == OVER:
        return {"double": ("double", "points of your own", (0, 13))}
    whole = "points with the six"
    return {
        NO_TRUMP_GAME: ("3NT", whole, (0, 13)),
        **{bid: ("4 of the best major", whole, cards) for bid, cards in zip(MAJORS, _MAJOR_CARDS, strict=True)},
        SLAM: (SLAM, whole, (0, 13)),
    }


def least_points(points: Ints, gained: Floats) -> int:
    """From how many points on a bid gains most in all over passing; one more than there are where it never gains."""
    numbers = np.arange(points.min(), points.max() + 2)
    return int(numbers[np.argmax([gained[points >= number].sum() for number in numbers])])


def _threshold_row(kind: str, name: str, rows: pd.DataFrame) -> dict[str, Any] | None:
    action, counted, (fewest, most) = thresholds(kind)[name]
    cards = rows["major"] if "major" in name else rows["suit"]
    rows = rows[(cards >= fewest) & (cards <= most)]
    fitted, scored = rows[rows["fitted"]], rows[~rows["fitted"]]
    if min(len(fitted), len(scored)) < 2:
        return None
    column = f"value {ACTIONS[kind].index(action)}"

    def counts(part: pd.DataFrame) -> tuple[Ints, Floats]:
        points = part["points"] + (0 if kind == OVER else part["six_points"])
        return points.to_numpy(), (part[column] - part["value 0"]).to_numpy()

    least = least_points(*counts(fitted))
    random = np.random.default_rng(0)
    again = [least_points(*counts(fitted.sample(frac=1, replace=True, random_state=random))) for _ in range(RESAMPLES)]
    points, gained = counts(scored)
    gain = mean_interval(gained * (points >= least))
    low, high = np.percentile(again, [2.5, 97.5])
    return {
        "kind": kind, "bid": name, "counted": counted, "least": least, "least_low": int(low), "least_high": int(high),
        **gain.row("gain"), "decisions": len(rows), "taken": float((points >= least).mean()),
    }  # fmt: skip


def rules_of_thumb(rows: pd.DataFrame, kind: str) -> dict[str, Floats]:
    """Rule → what it gets in each decision."""
    values = {name: rows[f"value {place}"].to_numpy() for place, name in enumerate(ACTIONS[kind])}
    rules = {"always pass": values["pass"]}
    if kind == OVER:
        for least in (10, 12, 15):
            doubled = rows["points"].to_numpy() >= least
            rules[f"double with {least} points"] = np.where(doubled, values["double"], values["pass"])
        return rules
    together = (rows["points"] + rows["six_points"]).to_numpy()
    game = np.where(rows["major"].to_numpy() >= 8, values["4 of the best major"], values["3NT"])
    for least in range(16, 27, 2):
        rules[f"game with {least} points with the six"] = np.where(together >= least, game, values["pass"])
    return rules


def card_rows(needed: pd.DataFrame, kind: str) -> dict[str, dict[str, Any]]:
    """Rows of the table ``needed`` by bid, those that rest on enough decisions."""
    rows = needed[(needed["kind"] == kind) & (needed["decisions"] >= _FEWEST)].to_dict("records")
    return {str(row["bid"]): {str(key): value for key, value in row.items()} for row in rows}


def card_actions(needed: pd.DataFrame, kind: str, rows: pd.DataFrame) -> Ints:
    """The card's action in each decision: by the least points; slams and doubles only as findings."""
    known = card_rows(needed, kind)
    chosen = np.zeros(len(rows), dtype=np.int64)
    points = rows["points"] if kind == OVER else rows["points"] + rows["six_points"]
    for bid in ("double",) if kind == OVER else (NO_TRUMP_GAME, *reversed(MAJORS), SLAM):  # a later one goes before
        row = known.get(bid)
        if row is None or (bid in ("double", SLAM) and not is_finding(row, "gain", of=len(needed))):
            continue
        action, _, (fewest, _) = thresholds(kind)[bid]
        fits = (points >= row["least"]) & ((rows["major"] >= fewest) if bid in MAJORS else True)
        chosen = np.where(fits, ACTIONS[kind].index(action), chosen)
    return chosen


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``rules``, ``lists``, ``needed`` (least points by bid) and ``decisions`` (with the card's action)."""
    decisions = pd.concat(list(tables), ignore_index=True).assign(card=0)
    of_kind = {kind: (decisions["kind"] == kind).to_numpy() for kind in KINDS}
    found = (_threshold_row(kind, name, decisions[of_kind[kind]]) for kind in KINDS for name in thresholds(kind))
    needed = pd.DataFrame([row for row in found if row is not None])
    for kind, where in of_kind.items():
        rows = decisions[where]
        card = card_actions(needed, kind, rows)
        decisions.loc[where, "card"] = card
        values = rows[[f"value {place}" for place in range(len(ACTIONS[kind]))]].to_numpy()
        rules = {CARD: np.take_along_axis(values, card[:, None], axis=1)[:, 0]} | rules_of_thumb(rows, kind)
        for rule, got in rules.items():
            decisions.loc[where, f"{RULE}{rule}"] = got
    kinds = [Kind(kind, where, ACTIONS[kind], conditions(decisions, kind)) for kind, where in of_kind.items()]
    costs = cost_tables(decisions, kinds, MOST_CLAUSES)
    summary = {
        "decisions": len(decisions), "scored": int((~decisions["fitted"]).sum()), "layouts": int(parameters["layouts"]),
        "finding": finding(costs, OPENING, "points a deal", ".0f"),
    }  # fmt: skip
    return StudyResult({**costs, "needed": needed, "decisions": decisions}, summary)


def _warm_up() -> None:
    random = np.random.default_rng(0)
    for kind in KINDS:
        _row(kind, Players(), 2, random)


BIDDING_ACCURACY: Final = Study(
    game="towie",
    name="bidding-accuracy",
    help="What rules of bidding cost in points a deal, how many points which bid needs, when to double.",
    parameters={"chunks": 24, "decisions": 10, "layouts": 16},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
