"""What do the printed rule and players of Towie cost, and what do they gain over passing? The study `bidding-accuracy`.

A decision is a random hand with six of the dummy's cards at its turn in an auction of novices, of three kinds equally
often: without a bid; over a bid of game; without a bid after a goulash. Calls are judged on the same layouts
(`analysis.towie.calls`: the others go on as novices), not vulnerable. The reference is the call that is best on all
layouts but one, scored on that one (`analysis.bidding.accuracy`).

The rule for the table (`RULES_OF`) bids one thing from a number of points on. Both were found on seed 1, where that
number gained most over passing in all on 300 decisions or more of each kind; measure it on other seeds.

    towerlab study towie bidding-accuracy --out folder
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from towerlab.analysis.bidding.accuracy import HELP, PASSING, REFERENCE, decision_scores, rule_rows
from towerlab.analysis.printed_rules import single_losses
from towerlab.analysis.stats import mean_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towie.calls import TowieQuestion, points_of_calls
from towerlab.analysis.towie.contracts import TowieStakes, lowest_game
from towerlab.games.arrays import Ints
from towerlab.games.cards import NO_TRUMP, cards_mask, mask_cards, mask_text
from towerlab.games.pbn import hand_text
from towerlab.games.towie.auction import BID, CALLERS, DOUBLE, PASS, auction_of, auction_text, bid_of, call_text
from towerlab.games.towie.dealing import DUMMY, EXPOSED, HANDS, PACK_SIZE, deal_singly, goulash
from towerlab.games.towie.options import TowieOptions
from towerlab.sim.towie.pimc import Pimc
from towerlab.sim.towie.players import PIMC, PLAYERS, choose, high_card_points, novice_call
from towerlab.sim.towie.state import AUCTION, FACED, GOULASHES, PHASE, act_call, new_state, start_game, suit_length

OPENING = "nobody has bid"
OVER = "over a game"
GOULASH = "after a goulash"
KINDS: Final = (OPENING, OVER, GOULASH)
BIDDERS: Final = tuple(name for name, player in PLAYERS.items() if player.is_measured)
THE_RULE: Final = "the rule"
BID_OF_RULE: Final = "its bid"  # whatever the points
DOUBLER: Final = "double from 10 points of your own"
MANY: Final = 100.0  # points that are many for a single hand to lose
FIT: Final = 7  # cards of a major, with the six
_FEWEST: Final = 12  # decisions of a mean
_RULES: Final = TowieOptions()


class PointsRule(NamedTuple):
    """A bid (`bid_of_rule`) from a number of points on, else a pass.

    Attributes:
        words: the bid as it is printed.
        least: the least points with which it is bid.
    """

    words: str
    least: int


_WORDS: Final = f"four of a major of {FIT} cards or more, else three no trump"
TIES: Final = (
    "High-card points: ace four, king three, queen two, jack one. Points and cards are those of your hand and the six "
    "together. Of two majors, and of all suits, the longest is meant; of equal ones that of which you hold more, then "
    "spades before hearts, diamonds, clubs. With fewer points pass; where no game is left in that suit, pass"
)
"""The choices left open by the rules, as they are printed and played."""
RULES_OF: Final[Mapping[str, PointsRule]] = {
    OPENING: PointsRule(_WORDS, least=16),
    OVER: PointsRule("the lowest game left in your longest suit", least=16),
    GOULASH: PointsRule(_WORDS, least=14),
}


# -------------------------------------------------------------------------------------------------------- the sample


def draw_decision(kind: str, random: np.random.Generator) -> tuple[Ints, int, list[int]]:
    """Return hands by caller, dummy's six and the calls so far, all by novices."""
    hands = np.zeros(HANDS, dtype=np.int64)
    pack = np.arange(PACK_SIZE)
    piles = np.zeros((HANDS, 13), dtype=np.int64)
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
    """Return the calls that a person thinks of, a pass where one is not legal.

    Over a bid: pass, double, the lowest game left in the longest suit. Else pass, 3NT, 4 of the longer major, 5 of the
    longer minor, 6 of the longest suit.
    """

    def held(suit: int) -> tuple[int, int, int]:
        return int(suit_length(hand | exposed, suit)), int(suit_length(hand, suit)), suit

    minor, major, best = (max(suits, key=held) for suits in ((0, 1), (2, 3), range(NO_TRUMP)))
    if kind != OVER:
        return [PASS, int(bid_of(3, NO_TRUMP)), int(bid_of(4, major)), int(bid_of(5, minor)), int(bid_of(6, best))]
    bids = [int(bid_of(level, best)) for level in range(1, 8)]
    legal = [bid for bid in bids if bid > standing and bid >= lowest_game(best)]
    return [PASS, DOUBLE, legal[0] if legal else PASS]


def bid_of_rule(kind: str, hand: int, exposed: int, standing: int) -> int:
    """Return the bid of a kind's rule with enough points."""
    major = max(int(suit_length(hand | exposed, suit)) for suit in (2, 3))
    return action_calls(kind, hand, exposed, standing)[2 if kind == OVER or major >= FIT else 1]


def call_of(name: str, hands: Ints, exposed: int, calls: list[int], goulashes: int) -> int:
    """Return the next call of a player in that position; it sees its hand and the six alone."""
    state = new_state(_RULES, CALLERS)
    kind = PLAYERS[name].kind
    random = np.random.default_rng(0)
    start_game(state, np.arange(CALLERS))
    state.hands[:] = state.dealt[:] = hands
    state.now[FACED] = exposed
    state.now[GOULASHES] = goulashes
    state.now[PHASE] = AUCTION
    state.auction[:] = auction_of([])
    for call in calls:
        act_call(state, call)
    return Pimc(_RULES).choose(state, random) if kind == PIMC else int(choose(kind, state, random))


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each decision."""
    random = np.random.default_rng(seed)
    kinds = KINDS * int(parameters["decisions"])
    return pd.DataFrame([_row(kind, int(parameters["layouts"]), random) for kind in kinds])


def _row(kind: str, layouts: int, random: np.random.Generator) -> dict[str, Any]:
    hands, exposed, calls = draw_decision(kind, random)
    goulashes = int(kind == GOULASH)
    hand = int(hands[len(calls) % CALLERS])
    standing = int(auction_of(calls)[BID])
    points = int(high_card_points(hand))
    six_points = int(high_card_points(exposed))
    bid = bid_of_rule(kind, hand, exposed, standing)
    made = {
        PASSING: PASS,
        THE_RULE: bid if points + six_points >= RULES_OF[kind].least else PASS,
        BID_OF_RULE: bid,
        **{name: call_of(name, hands, exposed, calls, goulashes) for name in BIDDERS},
    }
    among = sorted({*action_calls(kind, hand, exposed, standing), *made.values()})
    if kind == OVER:
        made[DOUBLER] = DOUBLE if points >= 10 else PASS
    question = TowieQuestion(hand, exposed, calls, TowieStakes(), goulashes=goulashes)
    values = points_of_calls(question, among, layouts, random)
    row = {
        "kind": kind,
        "hand": hand_text(hand),
        "six": mask_text(exposed),
        "auction": auction_text(calls),
        "points": points,
        "six_points": six_points,
        "said": call_text(made[THE_RULE]),
    }
    return row | decision_scores(values.T, among, made, THE_RULE, layouts)


def _point_rows(kind: str, rows: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Yield the gain of the rule's bid over a pass, a row for every two points."""
    counts = rows["points"] + rows["six_points"]
    gains = rows[BID_OF_RULE] - rows[PASSING]
    for low in range(8, 25, 2):
        part = gains[(counts >= low) & (counts <= low + 1)]
        if len(part) >= _FEWEST:
            yield {"kind": kind, "points": low + 0.5, **mean_interval(part).row("gain"), "n": len(part)}


def _combine(chunks: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Return the tables ``rules`` (`rule_rows`), ``single`` (`single_losses`), ``points`` and ``decisions``."""
    decisions = pd.concat(list(chunks), ignore_index=True)
    of_kind = {kind: (decisions["kind"] == kind).to_numpy() for kind in KINDS}
    points = [row for kind, where in of_kind.items() for row in _point_rows(kind, decisions[where])]
    tables = {
        "rules": rule_rows(of_kind, decisions, (PASSING, THE_RULE, DOUBLER, *BIDDERS, REFERENCE)),
        "single": single_losses(of_kind, decisions, MANY, ("hand", "six", "auction", "said")),
        "points": pd.DataFrame(points),
        "decisions": decisions,
    }
    return StudyResult(tables, {"decisions": len(decisions), "layouts": int(parameters["layouts"])})


BIDDING_ACCURACY: Final = Study(
    game="towie",
    name="bidding-accuracy",
    help=HELP,
    parameters={"chunks": 24, "decisions": 10, "layouts": 16},
    run_chunk=_run_chunk,
    combine=_combine,
)
