"""The study `bidding-accuracy` of Towie: what the rule for the table, and players, cost and gain over passing.

A decision is a random hand with six of the dummy's cards at its turn in an auction of novices, of three kinds equally
often: nobody has bid; somebody has bid game; nobody has bid after a goulash. Calls are judged on the same layouts
(`analysis.towie.calls`: the others go on as novices), not vulnerable. The reference is the call that is best on all
layouts but one, scored on that one (`analysis.bidding.accuracy`).

The rule for the table (`RULES_OF`) bids one thing from a number of points on. Both were found on seed 1, where that
number gained most over passing in all on 300 decisions or more of each kind; measure it on other seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from towerlab.analysis.bidding.accuracy import HELP, PASSING, REFERENCE, rules_table, score_by_other_layouts
from towerlab.analysis.single_hands import loss_on_halves, single_losses
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towie.calls import TowieQuestion, judge_calls
from towerlab.analysis.towie.contracts import TowieStakes, lowest_game
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_cards, mask_text
from towerlab.games.pbn import hand_text
from towerlab.games.towie.auction import BID, CALLERS, DOUBLE, PASS, auction_of, auction_text, bid_of, call_text
from towerlab.games.towie.dealing import DUMMY, EXPOSED, HANDS, PACK_SIZE, deal_singly, goulash
from towerlab.games.towie.options import TowieOptions
from towerlab.sim.towie.pimc import Pimc
from towerlab.sim.towie.players import (
    PIMC,
    PLAYERS,
    choose,
    high_card_points,
    novice_call,
)
from towerlab.sim.towie.table import AUCTION, FACED, GOULASHES, PHASE, act_call, new_table, start_game, suit_length

OPENING, OVER, GOULASH = "nobody has bid", "over a game", "after a goulash"
KINDS: Final = (OPENING, OVER, GOULASH)
ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    OPENING: ("pass", "3NT", "4 of the longer major", "5 of the longer minor", "6 of the longest suit"),
    OVER: ("pass", "double", "bid the longest suit"),
    GOULASH: ("pass", "3NT", "4 of the longer major", "5 of the longer minor", "6 of the longest suit"),
}
BIDDERS: Final = ("novice", "pimc")
PLAYER: Final = "player "
THE_RULE: Final = "the rule"
DOUBLER: Final = "double from 10 points of your own"
MANY: Final = 100.0  # points that are many for a single hand to lose
FIT: Final = 7  # cards of a major, with the six
_FEWEST: Final = 12  # decisions of a mean
_RULES: Final = TowieOptions()


@dataclass(frozen=True)
class Rule:
    """A bid from a number of points on, else a pass.

    Attributes:
        words: the bid as it is printed.
        bids: (decisions) → place of the bid among the kind's `ACTIONS`, int64[decisions].
        least: points from which on it is bid.
    """

    words: str
    bids: Callable[[pd.DataFrame], Ints]
    least: int

    def places(self, rows: pd.DataFrame) -> Ints:
        """Return the place of what the rule calls among the kind's `ACTIONS`, int64[decisions]; 0 is a pass."""
        return np.asarray(np.where(together(rows) >= self.least, self.bids(rows), 0))

    def gained(self, rows: pd.DataFrame) -> Floats:
        """Return what the rule gets more than a pass, float64[decisions]."""
        return bid_gains(self, rows) * (together(rows) >= self.least)


_GAME: Final = Rule(
    f"four of a major of {FIT} cards or more, else three no trump",
    lambda rows: np.where(rows["major"] >= FIT, 2, 1),
    least=16,
)
TIES: Final = (
    "High-card points: ace four, king three, queen two, jack one. Points and cards are those of your hand and the six "
    "together. Of two majors, and of all suits, the longest is meant; of equal ones that of which you hold more, then "
    "spades before hearts, diamonds, clubs. With fewer points pass; where no game is left in that suit, pass"
)
"""What the rules leave open, as it is printed and played."""
RULES_OF: Final[Mapping[str, Rule]] = {
    OPENING: _GAME,
    OVER: Rule("the lowest game left in your longest suit", lambda rows: np.full(len(rows), 2), least=16),
    GOULASH: replace(_GAME, least=14),
}


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

    def held(suit: int) -> tuple[int, int, int]:
        return int(suit_length(hand | exposed, suit)), int(suit_length(hand, suit)), suit

    minor, major, best = (max(suits, key=held) for suits in ((0, 1), (2, 3), range(NO_TRUMP)))
    if kind != OVER:
        return [PASS, int(bid_of(3, NO_TRUMP)), int(bid_of(4, major)), int(bid_of(5, minor)), int(bid_of(6, best))]
    bids = [int(bid_of(level, best)) for level in range(1, 8)]
    legal = [bid for bid in bids if bid > standing and bid >= lowest_game(best)]
    return [PASS, DOUBLE, legal[0] if legal else PASS]


class Players:
    """Calls of the players, seated at a table of their own."""

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
    return pd.DataFrame(rows)


def _row(kind: str, players: Players, layouts: int, random: np.random.Generator) -> dict[str, Any]:
    hands, exposed, calls = draw_decision(kind, random)
    goulashes = int(kind == GOULASH)
    hand, standing = int(hands[len(calls) % CALLERS]), int(auction_of(calls)[BID])
    actions = action_calls(kind, hand, exposed, standing)
    bidders = {name: players.call(name, hands, exposed, calls, goulashes) for name in BIDDERS}
    among = sorted({*actions, *bidders.values()})
    asked = TowieQuestion(hand, exposed, calls, TowieStakes(), goulashes=goulashes)
    judged = judge_calls(asked, layouts, random, exact=False, among=among)
    values = dict(zip(among, judged.points.mean(axis=1).tolist(), strict=True))
    row = {
        "kind": kind,
        "hand": hand_text(hand),
        "six": mask_text(exposed),
        "auction": auction_text(calls),
        "points": int(high_card_points(hand)),
        "six_points": int(high_card_points(exposed)),
        "major": max(int(suit_length(hand | exposed, suit)) for suit in (2, 3)),
        **{f"value {place}": values[call] for place, call in enumerate(actions)},
        **{f"{PLAYER}{name}": values[call] for name, call in bidders.items()},
        "reference": score_by_other_layouts(judged.points.T, layouts),
    }
    said = actions[int(RULES_OF[kind].places(pd.DataFrame([row]))[0])]
    return row | {"said": call_text(said), **loss_on_halves(judged.points.T, among.index(said))}


# --------------------------------------------------------------------------------------------------------- the rules


def together(rows: pd.DataFrame) -> Ints:
    """Points of the hand and of the six, int64[decisions]."""
    return (rows["points"] + rows["six_points"]).to_numpy()


def bid_gains(rule: Rule, rows: pd.DataFrame) -> Floats:
    """Return what the rule's bid gets more than a pass, whatever the points, float64[decisions]."""
    values = rows[[name for name in rows if str(name).startswith("value ")]].to_numpy()
    bid = values[np.arange(len(rows)), rule.bids(rows)].astype(np.float64)
    found: Floats = bid - values[:, 0]
    return found


def _point_rows(kind: str, rows: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Rows of what the rule's bid gains over a pass, by points."""
    counts, gains = together(rows), bid_gains(RULES_OF[kind], rows)
    for low in range(8, 25, 2):
        part = gains[(counts >= low) & (counts <= low + 1)]
        if len(part) >= _FEWEST:
            yield {"kind": kind, "points": low + 0.5, **mean_interval(part).row("gain"), "n": len(part)}


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Tables ``rules`` (`rules_table`), ``single`` (`single_losses`), ``points`` (the bid's gain) and ``decisions``."""
    decisions = pd.concat(list(tables), ignore_index=True)
    of_kind = {kind: (decisions["kind"] == kind).to_numpy() for kind in KINDS}
    passing = decisions["value 0"].to_numpy()
    ours, doubled = passing.copy(), np.full(len(decisions), np.nan)
    for kind, where in of_kind.items():
        ours[where] += RULES_OF[kind].gained(decisions[where])
    over = decisions[of_kind[OVER]]
    doubled[of_kind[OVER]] = over["value 1"].where(over["points"] >= 10, over["value 0"])
    got = {PASSING: passing, THE_RULE: ours, DOUBLER: doubled}
    got |= {name: decisions[PLAYER + name].to_numpy() for name in BIDDERS}
    rules = rules_table(of_kind, got | {REFERENCE: decisions["reference"].to_numpy()})
    points = [row for kind, where in of_kind.items() for row in _point_rows(kind, decisions[where])]
    single = single_losses(of_kind, decisions, MANY, ("hand", "six", "auction", "said"))
    found = {"rules": rules, "single": single, "points": pd.DataFrame(points), "decisions": decisions}
    return StudyResult(found, {"decisions": len(decisions), "layouts": int(parameters["layouts"])})


def _warm_up() -> None:
    random = np.random.default_rng(0)
    for kind in KINDS:
        _row(kind, Players(), 2, random)


BIDDING_ACCURACY: Final = Study(
    game="towie",
    name="bidding-accuracy",
    help=HELP,
    parameters={"chunks": 24, "decisions": 10, "layouts": 16},
    run_chunk=_run_chunk,
    combine=_combine,
    warm_up=_warm_up,
)
