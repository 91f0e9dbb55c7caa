"""`towerlab bid bowers`: what each call is worth with ten cards in hand.

>>> answer = ask_bid("JS JC AS KS QS TS 9S AH AD 7C", kitties=4, quiet=True)
>>> answer.recommend, answer.layouts
('9S', 8)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from analysis.bowers.burying import CANDIDATES, COMMON_LAYOUTS, choose_bury
from analysis.bowers.layouts import Contract, check_solvable, draw_hands, draw_kitties, leader_seat
from analysis.bowers.ranking import Race
from analysis.present.answers import Answer
from analysis.stats import Estimate, StoppingRule
from analysis.study import stream_chunks
from games.arrays import Floats, Ints
from games.bowers import (
    CALLS,
    HAND_SIZE,
    MISERE,
    MOST_TRICKS,
    OPEN,
    PASS,
    Auction,
    BowersOptions,
    Rules,
    bid_of,
    bidder_points,
    call_text,
    call_trump,
    is_made,
    opponent_points,
)
from games.cards import NO_TRUMP, TRUMPS, mask_text, parse_mask
from games.errors import TowerlabError
from games.options import changed_options
from games.written import Mask, Record
from solver.double_dummy import DoubleDummy

Call: TypeAlias = Annotated[int, call_text]
KITTIES: Final = 400  # at most, unless asked for more
KITTIES_PER_CHUNK: Final = 10
LAYOUTS_PER_KITTY: Final = 2  # fresh ones, on which the bury that was chosen is judged
MISERE_ROW: Final = NO_TRUMP + 1  # of a table by trump
STRAINS: Final = (*TRUMPS, "misere")

MODEL: Final = (
    "double-dummy: the bid is taken to be final; kitty and hands are dealt at random from the unseen cards, without "
    "conclusions from the calls; for each kitty one bury is chosen without sight of the other hands (the most tricks "
    f"on {COMMON_LAYOUTS} layouts among the {CANDIDATES} that a quick guess likes best) and judged on fresh layouts; "
    "then all three see all cards. Passing counts 0, as if the deal were not played. Misère is played for as few "
    "tricks as possible."
)


@dataclass(frozen=True)
class CallValue(Record):
    """What a legal call is worth.

    Attributes:
        call: its number (`games.bowers.bidding`).
        make: how often it is made; None for a pass.
        score: the bidder's points less the mean of the others', a deal; a pass is 0 by definition.
    """

    call: Call
    make: float | None
    score: Estimate

    def to_json(self) -> dict[str, Any]:
        return {
            "bid": call_text(self.call),
            "make": self.make,
            "score": self.score.mean,
            "interval": [self.score.low, self.score.high],
        }


@dataclass(frozen=True)
class BidAnswer(Answer, shown_by="analysis.bowers.present:bid_report", table="actions"):
    """What to call.

    Attributes:
        hand: printed mask.
        auction: the calls before this one.
        actions: every legal call in the order of the ladder.
        tricks: P(the bidder takes t tricks), float [6, 11]: C D H S NT with the kitty, and misère without.
        best: the recommended call.
        runner_up: the next best legal call; None where passing is all that is left.
        lead: the difference between the two, a deal.
        decided: whether the best one beats every other legal call, at 95 % for all comparisons together.
        kitties, layouts: how many were drawn; layouts of one kitty share a bury.
        seed: of the run.
        changed: rule options that differ from the defaults.
    """

    hand: Mask
    auction: Auction
    actions: tuple[CallValue, ...]
    tricks: Floats
    best: Call
    runner_up: Call | None
    lead: Estimate | None
    decided: bool
    kitties: int
    layouts: int
    seed: int
    changed: Mapping[str, Any]

    @property
    def recommend(self) -> str:
        """The recommended call in the notation of JSON."""
        return call_text(self.best)

    def to_json(self) -> dict[str, Any]:
        """The keys of `towerlab bid bowers --json`."""
        order = (*range(NO_TRUMP - 1, -1, -1), NO_TRUMP, MISERE_ROW)
        return {
            "game": "bowers",
            "hand": mask_text(self.hand),
            "auction": [call_text(call) for call in self.auction.calls],
            "model": MODEL,
            "options": dict(self.changed),
            "kitties": self.kitties,
            "layouts": self.layouts,
            "actions": [action.to_json() for action in self.actions],
            "tricks": {STRAINS[row]: self.tricks[row].tolist() for row in order},
            "recommend": self.recommend,
            "runner_up": self._runner_up_json(),
            "decided": self.decided,
            "interval_kind": "anytime",
            "seed": self.seed,
        }

    def _runner_up_json(self) -> dict[str, Any] | None:
        if self.runner_up is None or self.lead is None:
            return None
        ends = [self.lead.low, self.lead.high]
        return {"bid": call_text(self.runner_up), "behind": self.lead.mean, "interval": ends}


def ask_bid(
    hand: str,
    auction: str = "",
    options: BowersOptions | None = None,
    *,
    kitties: int = KITTIES,
    until: StoppingRule | None = None,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
) -> BidAnswer:
    """What each legal call is worth, and which to make.

    Args:
        hand: ten cards.
        auction: the calls so far, the dealer's left first; whose turn it then is, asks.
        options: rule options; None for the defaults.
        kitties: how many to draw at most.
        until: when to stop before; None: as soon as one call is surely the best.
        seed: of the draws.
        jobs: worker processes; the answer does not depend on it.
        quiet: no progress on stderr.

    Raises:
        TowerlabError: cards that are no hand, an auction that is illegal or over, rules that cannot be solved.
    """
    options = options or BowersOptions()
    check_solvable(options)
    until = StoppingRule(decided=True) if until is None else until
    mask = parse_mask(hand, options.deck, "the hand", HAND_SIZE)
    called = Auction.parse(auction, options.min_bid)
    if called.status != OPEN:
        raise TowerlabError(f"the auction {auction.strip()!r} is over; expected one in which somebody is to call")
    if kitties < 1:
        raise TowerlabError(f"{kitties} kitties say nothing; expected at least 1")
    rules = options.rules()
    calls = np.array(called.legal_calls(), dtype=np.int64)
    points = relative_points(rules)
    race = Race(*_bounds(calls, points))
    counts = np.zeros((len(STRAINS), MOST_TRICKS + 1), dtype=np.int64)
    question = {
        "hand": mask, "unseen": options.deck & ~mask, "kitty": options.kitty, "kitties": kitties,
        "leader": leader_seat(rules, called.speaker),
    }  # fmt: skip
    chunks = stream_chunks(
        _run_chunk, -(-kitties // KITTIES_PER_CHUNK), seed=seed, jobs=jobs, parameters=question, quiet=quiet,
        title="kitties",
    )  # fmt: skip
    with closing(chunks):  # type: ignore[type-var]
        for tricks in chunks:
            race.add(call_scores(calls, points, tricks))
            for row in range(len(STRAINS)):
                counts[row] += np.bincount(tricks[:, row].ravel(), minlength=MOST_TRICKS + 1)
            if _may_stop(race, until):
                break
    return _answer(mask, called, calls, race, counts, seed, options)


def relative_points(rules: Rules) -> Floats:
    """The bidder's points less the mean of the others', by call and his tricks [52, 11] (BO-10 .. BO-12)."""
    points = np.zeros((CALLS, MOST_TRICKS + 1))
    for call in range(1, CALLS):
        for tricks in range(MOST_TRICKS + 1):
            # Both together score the same however they share their tricks.
            others = opponent_points(call, tricks, MOST_TRICKS - tricks, 1, rules)
            others += opponent_points(call, tricks, 0, 1, rules)
            points[call, tricks] = bidder_points(call, tricks, 1, rules) - others / 2
    return points


def strain_row(call: int) -> int:
    """Row of a call in a table by trump; misère has one of its own."""
    return MISERE_ROW if call == MISERE else int(call_trump(call))


def call_scores(calls: Ints, points: Floats, tricks: Ints) -> Floats:
    """The score of each call, mean over the layouts of each kitty.

    Args:
        calls: [calls].
        points: `relative_points`.
        tricks: [kitties, 6, layouts].

    Returns:
        [kitties, calls].
    """
    rows = [strain_row(int(call)) if call != PASS else 0 for call in calls]
    return np.stack([points[call][tricks[:, row]].mean(axis=1) for call, row in zip(calls, rows, strict=True)], axis=1)


def sample_tricks(hand: int, unseen: int, kitty_size: int, leader: int, kitties: int, rng: np.random.Generator) -> Ints:
    """The bidder's tricks in every trump, and at misère, with best play by all.

    Args:
        hand: printed mask.
        unseen: all other cards.
        kitty_size: cards in the kitty.
        leader: seat of the first leader, counted from the bidder.
        kitties: how many to draw.
        rng: random numbers.

    Returns:
        tricks [kitties, 6, `LAYOUTS_PER_KITTY`].
    """
    solver = DoubleDummy()
    tricks = np.empty((kitties, len(STRAINS), LAYOUTS_PER_KITTY), dtype=np.int64)
    for number, kitty in enumerate(draw_kitties(unseen, kitty_size, kitties, rng).tolist()):
        hands = draw_hands(unseen & ~kitty, COMMON_LAYOUTS + LAYOUTS_PER_KITTY, rng)
        common, fresh = hands[:COMMON_LAYOUTS], hands[COMMON_LAYOUTS:]
        for trump in range(NO_TRUMP + 1):
            contract = Contract(int(bid_of(1, trump)), leader)
            own = contract.order(hand | kitty)
            others = contract.order(unseen & ~kitty)
            bury = choose_bury(own, others, contract, contract.orders(common), solver, kitty_size)
            tricks[number, trump] = contract.tricks(solver, own & ~bury, contract.orders(fresh))[0]
        misere = Contract(MISERE, leader)
        tricks[number, MISERE_ROW] = misere.tricks(solver, misere.order(hand), misere.orders(fresh))[0]
    return tricks


def made_share(call: int, counts: Ints) -> float:
    """How often a call is made, from how often the bidder took t tricks, by trump [6, 11]."""
    made = sum(int(counts[strain_row(call), t]) for t in range(MOST_TRICKS + 1) if is_made(call, t))
    return made / int(counts[strain_row(call)].sum())


def _run_chunk(chunk: int, seed: np.random.SeedSequence, question: Mapping[str, Any]) -> Ints:
    kitties = min(KITTIES_PER_CHUNK, question["kitties"] - chunk * KITTIES_PER_CHUNK)
    rng = np.random.default_rng(seed)
    return sample_tricks(question["hand"], question["unseen"], question["kitty"], question["leader"], kitties, rng)


def _bounds(calls: Ints, points: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Bounds of the calls' scores and of their differences: calls in one trump see the same tricks."""
    table = points[calls]
    low, high = table.min(axis=1), table.max(axis=1)
    gap_low, gap_high = low[:, None] - high[None, :], high[:, None] - low[None, :]
    rows = np.array([strain_row(int(call)) for call in calls])
    for one, other in zip(*np.nonzero(rows[:, None] == rows[None, :]), strict=True):
        if PASS not in (calls[one], calls[other]):
            gap = table[one] - table[other]
            gap_low[one, other], gap_high[one, other] = gap.min(), gap.max()
    return low, high, gap_low, gap_high


def _may_stop(race: Race, until: StoppingRule) -> bool:
    best = race.best()
    return until.narrow_enough(race.estimate(best)) or (until.decided and race.is_decided(best))


def _answer(
    mask: int, called: Auction, calls: Ints, race: Race, counts: Ints, seed: int, options: BowersOptions
) -> BidAnswer:
    best = race.best()
    following = race.runner_up(best)
    actions = tuple(
        CallValue(int(call), None if call == PASS else made_share(int(call), counts), race.estimate(place))
        for place, call in enumerate(calls)
    )
    return BidAnswer(
        hand=mask,
        auction=called,
        actions=actions,
        tricks=counts / counts.sum(axis=1, keepdims=True),
        best=int(calls[best]),
        runner_up=None if following is None else int(calls[following]),
        lead=None if following is None else race.difference(best, following),
        decided=race.is_decided(best),
        kitties=len(race.values),
        layouts=len(race.values) * LAYOUTS_PER_KITTY,
        seed=seed,
        changed=changed_options(options),
    )
