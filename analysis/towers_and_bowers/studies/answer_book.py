"""What does `towerlab upcard` say of every class of hands? The study `answer-book`.

Up to four cards answers are the solution's, from the functions that answer single questions. Of five to seven cards
there are `hands` classes of every kind, whose first calls are played out on `deals` deals each (`sample_answers`).

A row a class, by number of cards, up-card and hand. P(win the tower) and chances are rounded to `BOOK_DIGITS`. Two
tables that ship for the report come with it: `call_rule` and `hand_kinds` make them. Questions are
`QUESTIONS`; of each there are columns with its name in front:

- ``call``: what is recommended, a number of `FIRST_CALLS` or `SECOND_CALLS`;
- ``tower``: P(win the tower) of that call;
- ``margin``: P(win the tower) of accepting less that of passing, or the lead over the next best call
  (`UpcardAnswer.gap`);
- ``make``: P(making the contract) of accepting, or of ``suit``;
- ``suit`` (second round): the best suit to name, which is the call unless that is a pass;
- ``tower_C``, ``tower_D``, ``tower_H``, ``tower_pass`` (second round): P(win the tower) of each call;
- ``mix_accept``, ``mix_C`` … (up to four cards): how often the solution makes each call, 0 of all where it hardly ever
  comes;
- ``discard``, ``their_discard`` (the dealer's first): what to give for the up-card, having accepted oneself or when the
  other has; cards of the hand are counted from the lowest;
- ``open_call``, ``open_margin``: the same under ``--method pimc``, both seeing all cards right after the call.

Cards and suits are those of the class, whose up-card is a spade. Of calls and discards of the same value the one
that `ask_upcard` names depends on the suits' names as they were asked; here it is the one of the class.

    towerlab study towers-and-bowers answer-book --set most_cards=2 --out book
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.decision import INDIFFERENT
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.answers import ACCEPT, DIGITS, HARDLY_EVER, SEATS, ContractValue
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.ranges import policy_calls, range_of
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED
from towerlab.analysis.towers_and_bowers.stored_bidding import StoredSide, bidding_at_hand
from towerlab.analysis.towers_and_bowers.studies.call_rule import best_rules, rule_costs
from towerlab.analysis.towers_and_bowers.studies.hand_kinds import holdings, kinds, other_jacks, weights
from towerlab.analysis.towers_and_bowers.values import (
    ACCEPTED,
    SeatValues,
    discard_order,
    open_values,
    solved_values,
    views_of,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import View
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding import make_deals, up_cards
from towerlab.solver.towers_and_bowers.upcard import open_bidding
from towerlab.solver.two_hands.tablebase import MOST_CARDS

TABLE: Final = "answer-book"
BOOK_DIGITS: Final = 6
FIRST_CALLS: Final = ("accept", "pass")
SECOND_CALLS: Final = ("C", "D", "H", "pass")
QUESTIONS: Final = ("nondealer_1", "nondealer_2", "dealer_1", "dealer_2")
Columns = dict[str, NDArray[Any]]


def count_classes(cards: int) -> int:
    """Return how many classes of hands there are for each up-card."""
    return len(make_deals(cards, up_cards()[0]).classes)


def answer_classes(cards: int, up: int, first: int, last: int) -> pd.DataFrame:
    """Return the answers of classes first..last−1 of `make_deals(cards, up)`.

    Args:
        cards: 1..4.
        up: a spade.

    Raises:
        TowerlabError: no solution of that size is at hand.
    """
    hands = make_deals(cards, up).classes[first:last]
    columns: Columns = {"up": np.full(len(hands), up), "hand": hands, "pairs": weights(hands)}
    for dealer in (False, True):
        columns |= _seat(cards, up, hands, dealer)
    return _typed(pd.DataFrame(columns))


def sample_answers(cards: int, up: int, count: int, deals: int, seed: int) -> pd.DataFrame:
    """Return hands of every kind, whose first calls the learned policy plays out: columns ``pairs``, and by seat.

    - ``pairs``: hands with an up-card that each stands for;
    - ``margin``, ``error``: accepting less passing, and its standard error; a dealer discards as the policy does;
    - ``margin_1``, ``margin_2``: the margin by either half of the deals;
    - ``make``, ``open_margin``: the same as in the table of all classes.

    Args:
        cards: hand size n, more than are solved.
        up: a spade.
        count: the number of hands of each kind; a kind with fewer gives them all.
        deals: the number of deals of each call.
        seed: the seed of the hands and deals.
    """
    random = np.random.default_rng([seed, cards, up])
    classes = make_deals(cards, up).classes
    pairs = weights(classes)
    order = random.permutation(len(classes))
    kinds = pd.DataFrame({"holding": holdings(classes), "jacks": other_jacks(classes)})
    chosen = np.sort(kinds.iloc[order].groupby(["holding", "jacks"]).head(count).index.to_numpy())
    totals = kinds.assign(pairs=pairs).groupby(["holding", "jacks"])["pairs"].transform("sum")
    sampled = kinds.iloc[chosen].assign(pairs=pairs[chosen]).groupby(["holding", "jacks"])["pairs"].transform("sum")
    hands = classes[chosen]
    columns: Columns = {"up": np.full(len(hands), up), "hand": hands}
    columns["pairs"] = pairs[chosen] * (totals.iloc[chosen] / sampled).to_numpy()
    values_of_deals = deal_values()
    bidding = open_bidding(cards, values_of_deals, DEFAULT_RULES)
    for dealer in (False, True):
        seat = f"{SEATS[not dealer]}_1"
        views = views_of(hands, up, dealer, None, bidding, DEFAULT_RULES)
        seen = open_values(views, bidding, cards, values_of_deals, DEFAULT_RULES)
        rows = [_first_call(calling_view(int(hand), up, dealer), deals, seed) for hand in hands]
        columns |= {f"{seat}_{name}": np.array([row[name] for row in rows]) for name in rows[0]}
        columns[f"{seat}_open_margin"] = _first(seen, hands, up)["margin"]
    return pd.DataFrame(columns)


def _first_call(view: View, deals: int, seed: int) -> dict[str, float]:
    """Return the columns of one hand and seat."""
    play = PlayedCalls(view, range_of(view, policy_calls), policy_calls, deals, seed, is_whole=False)
    towers = play.played.samples
    margins = towers[:, 0] - towers[:, 1]
    accept = play.actions[ACCEPT]
    assert isinstance(accept, ContractValue)
    halves = {f"margin_{place + 1}": margins[place::2].mean() for place in range(2)}
    error = play.played.error_of_lead(0, 1)
    return {"margin": play.gap(), "error": error, "make": accept.make, **halves}


def _seat(cards: int, up: int, hands: Ints, dealer: bool) -> Columns:
    """Return the columns of both questions of a seat."""
    values_of_deals = deal_values()
    bidding = open_bidding(cards, values_of_deals, DEFAULT_RULES)
    views = views_of(hands, up, dealer, None, bidding, DEFAULT_RULES)
    seen = open_values(views, bidding, cards, values_of_deals, DEFAULT_RULES)
    stored = bidding_at_hand(cards, rank_of(up))
    side = StoredSide(stored, up, hands, floor=0.0, advised=True)
    values = solved_values(stored, side.rows, dealer)
    accepts, second = side.calls(dealer)
    first_met = values.likelihood[0]
    second_met = values.likelihood[1] * (1 - accepts)
    mixes = [_Mix(np.stack([accepts, 1 - accepts], axis=1), first_met), _Mix(second, second_met)]
    made = [_first(values, hands, up, mixes[0]), _second(values, mixes[1])]
    opened = [_first(seen, hands, up), _second(seen)]
    if dealer:
        made[0]["their_discard"] = _discards(values, False, hands, up)
    else:
        del made[0]["discard"]
    columns: Columns = {}
    for number, (answers, opened_too) in enumerate(zip(made, opened, strict=True)):
        name = f"{SEATS[not dealer]}_{number + 1}"
        columns |= {f"{name}_{key}": of for key, of in answers.items()}
        columns |= {f"{name}_open_{key}": opened_too[key] for key in ("call", "margin")}
    return columns


def _discards(values: SeatValues, asker_bids: bool, hands: Ints, up: int) -> Ints:
    """Return the place of the card that a dealing asker discards, int64[hands]."""
    return discard_order(values.contracts[asker_bids], hands, up)[:, 0]


def _first(values: SeatValues, hands: Ints, up: int, mix: _Mix | None = None) -> Columns:
    """Return the first round's columns."""
    given = _discards(values, True, hands, up)
    accept = values.contracts[True].select_column(ACCEPTED + given)
    towers, tricks = _with_pass(accept.tower, accept.tricks, values.passing[0])
    call = _recommended(towers, tricks, mix)
    return {
        "call": call,
        "tower": towers[np.arange(len(towers)), call],
        "margin": _rounded(towers[:, 0] - towers[:, 1]),
        "make": accept.make,
        "discard": given,
        **({} if mix is None else mix.columns(FIRST_CALLS, towers)),
    }


def _second(values: SeatValues, mix: _Mix | None = None) -> Columns:
    """Return the second round's columns; the suits are C D H."""
    named = values.contracts[True]
    towers = named.tower[:, :ACCEPTED]
    tricks = named.tricks[:, :ACCEPTED]
    best_suit = _recommended(towers, tricks)
    if values.passing[1] is not None:
        towers, tricks = _with_pass(towers, tricks, values.passing[1])
    call = _recommended(towers, tricks, mix)
    suit = np.where(call < ACCEPTED, call, best_suit)
    rows = np.arange(len(towers))
    others = towers.copy()
    others[rows, call] = -np.inf
    return {
        "call": call,
        "tower": towers[rows, call],
        "margin": _rounded(towers[rows, call] - others.max(1)),
        "make": named.select_column(suit).make,
        "suit": suit,
        **{f"tower_{name}": towers[:, place] for place, name in enumerate(SECOND_CALLS[: towers.shape[1]])},
        **({} if mix is None else mix.columns(SECOND_CALLS, towers)),
    }


@dataclass(frozen=True)
class _Mix:
    """The equilibrium's calls, as `Mix`, of many hands.

    Attributes:
        shares: float64[hands, calls], how often it makes each call.
        met: float64[hands], how often it comes to this decision.
    """

    shares: Floats
    met: Floats

    def usual(self, towers: Floats) -> tuple[Ints, Bools]:
        """Return the call made most often with each hand, and whether the mix holds, given what the calls win."""
        most: Ints = self.shares.argmax(1)
        costs = _rounded(towers.max(1) - towers[np.arange(len(towers)), most])
        return most, (self.met >= HARDLY_EVER) & (costs <= INDIFFERENT)

    def columns(self, calls: Sequence[str], towers: Floats) -> Columns:
        """Return the columns ``mix_…``."""
        shares = np.where(self.usual(towers)[1][:, None], self.shares, 0.0)
        return {f"mix_{name}": share for name, share in zip(calls, shares.T, strict=False)}


def _with_pass(towers: Floats, tricks: Floats, passing: Floats) -> tuple[Floats, Floats]:
    """Return P(win the tower) and the asker's mean tricks (−1 for a pass, the last call), float64[rows, calls] each."""
    return np.column_stack([towers, passing]), np.column_stack([tricks, np.full(len(passing), -1.0)])


def _recommended(towers: Floats, tricks: Floats, mix: _Mix | None = None) -> Ints:
    """Return the recommended call of each row: the usual one where the mix holds (see `Mix`), else the best.

    Args:
        towers, tricks: those of `_with_pass`; of calls equal in both the last one is best, of suits H before D and C.
        mix: the equilibrium's mix.
    """
    best: Ints = np.lexsort((tricks, towers), axis=1)[:, -1]
    if mix is None:
        return best
    usual, holds = mix.usual(towers)
    return np.where(holds, usual, best)


def _rounded(values: Floats) -> Floats:
    return np.round(values, DIGITS)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with calls, suits and cards as small numbers."""
    small = [name for name in map(str, frame) if name.rpartition("_")[2] in ("call", "suit", "discard")]
    return frame.astype({"hand": np.int64, "up": np.int8} | dict.fromkeys(small, np.int8))


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the cards and the up-card of every chunk."""
    most = int(parameters["most_cards"])
    if not 1 <= most <= MOST_CARDS:
        raise TowerlabError(f"most_cards={most} is no hand size; expected 1 to {MOST_CARDS}")
    return list(itertools.product(range(1, most + 1), up_cards()))


def _run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    cards, up = _chunks(parameters)[chunk]
    if cards <= LARGEST_STORED:
        answers = answer_classes(cards, up, 0, count_classes(cards))
    else:
        number = int(seed.generate_state(1)[0])
        answers = sample_answers(cards, up, int(parameters["hands"]), int(parameters["deals"]), number)
    answers.insert(0, "cards", np.int8(cards))
    return answers


def _combine(frames: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    book = pd.concat(frames, ignore_index=True).round(BOOK_DIGITS)
    rules = rule_costs(book)
    best = {
        f"{row['cards']} cards, {row['seat']}": {"trumps": row["trumps"], "cost_mt": row["cost_mt"]}
        for row in best_rules(rules).to_dict("records")
    }
    drawn = {name: parameters.get(name) for name in ("hands", "deals")}
    summary = {"classes": len(book), "questions": len(QUESTIONS), "above_four_cards": drawn, "accept_with": best}
    return StudyResult({TABLE: book, "table-rules": rules, "kinds": kinds(book)}, summary)


ANSWER_BOOK: Final = Study(
    game="towers-and-bowers",
    name="answer-book",
    help="What `towerlab upcard` says of every class of hands of 1..4 cards, and of a sample of five to seven.",
    parameters={"most_cards": MOST_CARDS, "hands": 100, "deals": 200},
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=_run_chunk,
    combine=_combine,
)
