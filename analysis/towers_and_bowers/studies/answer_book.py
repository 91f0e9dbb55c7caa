"""What does `towerlab upcard` say of every class of hands, of every kind, and of the rule for the table? `answer-book`.

Up to four cards answers are the solution's, from the functions that answer single questions. Of five to seven cards
there are `hands` classes of every kind, whose first calls are played out on `deals` deals each (`sample_answers`).

A row a class, by number of cards, up-card and hand. P(win the tower) and chances are rounded to `BOOK_DIGITS`. The
tables that ship for the report (`table_rules.csv`, `kinds.csv`) come with it. Questions are
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

A kind is all hands that a player would call alike: the trumps held with the bowers among them, the up-card's rank, and
the jacks of the other colour. Of the non-dealer there are kinds at even sizes only: at odd ones accepting never loses
against best play, and a call is a toss-up. Where more than `DISSENT` of its hands should do the opposite of the rest no
one word fits a kind: what decides is the one of the `features` that saves most of what the better of the two calls
would cost. The table ships; the study `answer-book` makes it again.

``data/kinds.csv``, a row a kind: ``cards``, ``seat``, ``other_jacks``, ``holding``, ``up`` (rank), ``pairs`` (of hand
and up-card), ``hands`` (classes looked at: all up to four cards, above a sample), ``accepts`` (share), ``gap`` (mean,
mt) with ``low`` and ``high`` (95 %, over the hands drawn), ``least``, ``most`` (gap, mt), ``accepting_costs``,
``passing_costs`` (mean loss of doing so with all of them, mt: `loss`), ``make`` (P of making it), ``open_accepts``,
``open_gap`` (both seeing all cards), ``decides`` (in words; empty where all hands agree) and ``example`` (the hand
whose gap is nearest to the mean).

The rule for the table is an object, as it is printed and measured. ``data/table_rules.csv`` has what the rule costs,
and what accepting with so many trumps or more does, for every number of cards and seat; the study `answer-book` makes
it again, under the name ``table-rules``. Every hand and up-card weighs alike; the dealer's decision is that after a
pass.

- ``cards``, ``seat``, ``trumps``: accept with at least so many; 0 is always, one more than the cards is never;
  `THE_RULE` is the rule for the table;
- ``accepts``: the share of hands that do;
- ``cost_mt``: mean loss a decision in mt against always making the better call, the other bidding as in equilibrium;
- ``over``: the share of hands that lose more than `MUCH`;
- ``worst_mt``, ``worst_hand``, ``worst_up``: the hand that loses most;
- ``hands``: pairs of hand and up-card;
- ``sampled``: classes of hands that stand for them where they were drawn and played out, 0 where all were counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from towerlab.analysis.decision import INDIFFERENT
from towerlab.analysis.stats import LEVEL, normal_quantile
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.answers import (
    ACCEPT,
    DIGITS,
    HARDLY_EVER,
    SEATS,
    ContractValue,
)
from towerlab.analysis.towers_and_bowers.deal_value import MT, deal_values
from towerlab.analysis.towers_and_bowers.played import PlayedCalls
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.ranges import policy_calls, range_of
from towerlab.analysis.towers_and_bowers.shipped import LARGEST_STORED, shipped_frame
from towerlab.analysis.towers_and_bowers.stored_bidding import StoredSide, bidding_at_hand
from towerlab.analysis.towers_and_bowers.values import (
    ACCEPTED,
    SeatValues,
    discard_order,
    open_values,
    solved_values,
    views_of,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import JACK, RANKS, SUIT_BITS, TRUMP_FIELD, card_text, mask_text, rank_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import View
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.solver.towers_and_bowers.bidding import SPADES, in_play_order, make_deals, mirror, up_cards
from towerlab.solver.towers_and_bowers.upcard import open_bidding
from towerlab.solver.two_hands.tablebase import MOST_CARDS

RENAMINGS = 4  # of the up-card's suit
THE_RULE: Final = -1
MUCH: Final = 20.0  # mt
_RED: Final = (13, 26)  # first bits of the suits of the other colour, spades being trumps
_JACKS: Final = sum(1 << suit + JACK for suit in _RED)


@dataclass(frozen=True)
class CallRule:
    """The rule for the first call of a seat.

    Attributes:
        usual: ``"accept"`` or ``"pass"``.
        exception: when the other call is right, as it is printed.
        holds: (cards, hands as printed masks with spades as trumps, their up-cards) → bool[hands], the exceptions.
    """

    usual: str
    exception: str
    holds: Callable[[int, Ints, Ints], Bools]


def _weak(cards: int, hands: Ints, ups: Ints) -> Bools:
    """No trump, a club, a red jack, no red suit of more than half of the cards."""
    longest = np.max([np.bitwise_count(hands & SUIT_BITS << suit) for suit in _RED], axis=0)
    clubs = hands & SUIT_BITS
    jacks = hands & _JACKS
    exceptions: Bools = (trumps_held(hands) == 0) & (clubs > 0) & (jacks > 0) & (2 * longest <= cards)
    return exceptions if cards % 2 == 0 else np.zeros(len(hands), dtype=bool)


RULE: Final[Mapping[str, CallRule]] = {
    "dealer": CallRule(
        "accept",
        "Exception (2, 4 or 6 cards): pass with no trump, a card of the up-card's colour, a jack of the other "
        "colour, and no more than half your cards in either suit of that colour",
        _weak,
    ),
    "nondealer": CallRule(
        "pass",
        "Exception (odd hand sizes, or 4+ trumps, no jack up, not both other-coloured jacks): accept",
        lambda cards, hands, ups: (
            (trumps_held(hands) >= 4) & (ups % 13 != JACK) & (hands & _JACKS != _JACKS) | (cards % 2 == 1)
        ),
    ),
}
"""Found on a random half of the hands of two, four and six cards; on the other half it costs as much (0.02 points)."""


def sentence(seat: str) -> str:
    """The rule of a seat as it is printed.

    >>> sentence("dealer").partition(":")[0]
    'accept. Exception (2, 4 or 6 cards)'
    """
    return f"{RULE[seat].usual}. {RULE[seat].exception}"


def accepts(seat: str, cards: int, hands: Ints, ups: Ints) -> Bools:
    """Return the hands with which the rule of a seat accepts these up-cards, bool[hands]; spades are trumps."""
    return np.asarray(RULE[seat].holds(cards, hands, ups) != (RULE[seat].usual == "accept"))


def rule_costs(book: pd.DataFrame) -> pd.DataFrame:
    """Return the cost of the rule and of every threshold, from the table of the study `answer-book`."""
    rows = [
        _rule(part, int(cards), seat, trumps)
        for cards in sorted(book["cards"].unique())
        for part in [book[book["cards"] == cards]]
        for seat in SEATS
        for trumps in range(THE_RULE, int(cards) + 2)
    ]
    return pd.DataFrame(rows)


def best_rules(rules: pd.DataFrame) -> pd.DataFrame:
    """The cheapest threshold of every number of cards and seat; of equals the one that accepts more."""
    rules = rules[rules["trumps"] != THE_RULE].sort_values(["cost_mt", "trumps"], kind="stable")
    return rules.groupby(["cards", "seat"], as_index=False).first()


def stored_rules() -> pd.DataFrame:
    """Return the table that ships."""
    return shipped_frame("table_rules.csv")


def _rule(part: pd.DataFrame, cards: int, seat: str, trumps: int) -> dict[str, object]:
    hands, ups = (part[name].to_numpy(np.int64) for name in ("hand", "up"))
    pairs = part["pairs"].to_numpy()
    accepting = accepts(seat, cards, hands, ups) if trumps == THE_RULE else trumps_held(hands) >= trumps
    lost = loss(*halves_of(part, seat), accepting)
    worst = int(lost.argmax())
    return {
        "cards": cards,
        "seat": seat,
        "trumps": trumps,
        "accepts": round(float(pairs @ accepting / pairs.sum()), 6),
        "cost_mt": round(float(pairs @ lost / pairs.sum()), 4),
        "over": round(float(pairs @ (lost > MUCH) / pairs.sum()), 6),
        "worst_mt": round(float(lost[worst]), 1),
        "worst_hand": mask_text(int(hands[worst]), SPADES, True),
        "worst_up": card_text(int(part["up"].iloc[worst])),
        "hands": round(pairs.sum()),
        "sampled": len(part) if f"{seat}_1_error" in part and part[f"{seat}_1_error"].notna().all() else 0,
    }


def halves_of(book: pd.DataFrame, seat: str) -> tuple[Floats, Floats]:
    """Return the gaps of a seat's first call by either half of the deals, mt; twice the same where they are exact."""
    margin = MT * book[f"{seat}_1_margin"].to_numpy()
    if f"{seat}_1_margin_1" not in book:
        return margin, margin
    first, second = (MT * book[f"{seat}_1_margin_{half}"].to_numpy() for half in (1, 2))
    return np.where(np.isnan(first), margin, first), np.where(np.isnan(second), margin, second)


def loss(first: Floats, second: Floats, accepting: Bools) -> Floats:
    """Return what a call loses against the better one with each hand, mt.

    Which call is better is read off one half of the deals and what it gains off the other, so that chance in either
    does not look like a loss; the mean of both ways is 0 or less as often as chance has it.

    Args:
        first, second: float64[hands], gaps of accepting less passing by either half of the deals; equal if exact.
        accepting: bool[hands], the call.
    """
    ways = []
    for chooses, counts in ((first, second), (second, first)):
        should = chooses >= 0
        ways.append(np.where(should == accepting, 0.0, np.where(should, counts, -counts)))
    return np.asarray((ways[0] + ways[1]) / 2)


def weights(hands: Ints) -> Ints:
    """Hands that each class stands for."""
    return np.where(mirror(hands) == hands, RENAMINGS, 2 * RENAMINGS)


def trumps_held(hands: Ints) -> Ints:
    """How many trumps hands hold, the left bower included, spades being trumps."""
    held: Ints = np.bitwise_count(in_play_order(hands, SPADES) & TRUMP_FIELD).astype(np.int64)
    return held


DISSENT: Final = 0.2  # of a kind's hands; where more disagree it gets no letter
HOLDINGS: Final = (
    "none", "1", "1, a bower", "2", "2, a bower", "2, both", "3", "3, a bower", "3, both", "4", "4, a bower",
    "4, both", "5 or 6",
)  # fmt: skip
UP_RANKS: Final = ("9", "T", "Q", "K", "A", "J")  # as trumps rank
KIND: Final = ("cards", "seat", "other_jacks", "holding", "up")
_ACE = 12
_KING = 11
_QUEEN = 10
_SIDE: Final = (0, 13, 26)  # first bits of the other suits; clubs have the colour of the trumps
_MATES: Final = {0: 39, 13: 26, 26: 13}
_TRUMPS: Final = 39
_SAVES: Final = 0.02  # of what a part's better call costs: a feature that saves less decides nothing
_EVEN: Final = 1e-9


def has(hands: Ints, suit: int, rank: int) -> Ints:
    """1 where a hand (printed mask) holds that card, else 0; `suit` is its first bit."""
    return hands >> (suit + rank) & 1


def as_trumps(hands: Ints, suit: int) -> Ints:
    """How many trumps a hand would hold in one of the other suits, bowers included."""
    held: Ints = np.bitwise_count(hands & SUIT_BITS << suit).astype(np.int64)
    return held + has(hands, _MATES[suit], JACK)


def side_points(hands: Ints) -> Ints:
    """Side strength when spades are trumps: 3 for an ace, 2 for a king, 1 for a queen outside trumps."""
    honours = ((_ACE, 3), (_KING, 2), (_QUEEN, 1))
    return np.asarray(sum(each * has(hands, suit, rank) for suit in _SIDE for rank, each in honours), dtype=np.int64)


def holding_name(trumps: int, bowers: int) -> str:
    """A row of the accept charts.

    >>> [holding_name(0, 0), holding_name(1, 1), holding_name(4, 2), holding_name(6, 1)]
    ['none', '1, a bower', '4, both', '5 or 6']
    """
    if trumps == 0 or trumps > 4:
        return HOLDINGS[0 if trumps == 0 else -1]
    return f"{trumps}{('', ', a bower', ', both')[bowers]}"


def holdings(hands: Ints) -> list[int]:
    """Return the place among `HOLDINGS` of each hand; spades are trumps."""
    bowers = has(hands, 0, JACK) + has(hands, _TRUMPS, JACK)
    held = zip(trumps_held(hands).tolist(), bowers.tolist(), strict=True)
    return [HOLDINGS.index(holding_name(*pair)) for pair in held]


def other_jacks(hands: Ints) -> Ints:
    """Return how many jacks of the other colour hands hold."""
    return has(hands, 13, JACK) + has(hands, 26, JACK)


def features(hands: Ints) -> dict[str, Ints]:
    """Return by name, int64[hands], what may decide among the hands of a kind."""
    others = np.stack([as_trumps(hands, suit) for suit in _SIDE])
    held = np.stack([np.bitwise_count(hands & SUIT_BITS << suit).astype(np.int64) for suit in _SIDE])
    return {
        "cards in the best other suit": others.max(0),
        "cards in the worst other suit": others.min(0),
        "cards of the trumps' colour, beside trumps": np.bitwise_count(hands & (SUIT_BITS & ~(1 << JACK))),
        "side strength": side_points(hands),
        "side aces": sum(has(hands, suit, _ACE) for suit in _SIDE),
        "side suits without a card": (held == 0).sum(0),
        "aces and kings of trumps": has(hands, _TRUMPS, _ACE) + has(hands, _TRUMPS, _KING),
        "the right bower": has(hands, _TRUMPS, JACK),
    }


# --------------------------------------------------------------------------------------------------------- the kinds


def kinds(book: pd.DataFrame) -> pd.DataFrame:
    """A row a kind, from the table of the study `answer-book`."""
    hands = book["hand"].to_numpy(np.int64)
    named = pd.DataFrame(
        {
            "cards": book["cards"].to_numpy(np.int64),
            "other_jacks": other_jacks(hands),
            "holding": holdings(hands),
            "up": np.array([UP_RANKS.index(rank) if rank in UP_RANKS else -1 for rank in RANKS])[book["up"] - _TRUMPS],
        }
    )
    every = named.assign(hand=hands, pairs=book["pairs"].to_numpy(float))
    traits = pd.DataFrame(features(hands))
    rows = []
    for seat in SEATS:
        gap, open_gap, make = (book[f"{seat}_1_{name}"].to_numpy() for name in ("margin", "open_margin", "make"))
        halves = halves_of(book, seat)
        charted = every.assign(gap=MT * gap, open_gap=MT * open_gap, make=make, first=halves[0], second=halves[1])
        for key, part in charted[(seat == "dealer") | (named["cards"] % 2 == 0)].groupby(list(named)):
            cards, jacks, holding, up = map(int, map(str, key))
            name = dict(zip(KIND, (cards, seat, jacks, HOLDINGS[holding], UP_RANKS[up]), strict=True))
            rows.append(
                name | _kind(part) | {"decides": _decides(part, traits.loc[part.index]), "example": _example(part)}
            )
    return _rounded_table(pd.DataFrame(rows))


def _kind(part: pd.DataFrame) -> dict[str, float]:
    """The columns of a kind that are numbers, from its hands: gaps in mt, and the pairs that each stands for."""
    gap = part["gap"].to_numpy()
    shown = part["open_gap"].to_numpy()

    def mean(of: NDArray[Any]) -> float:
        return float(np.average(of, weights=part["pairs"]))

    first, second = part["first"].to_numpy(), part["second"].to_numpy()
    low, high = _interval(part)
    return {
        "pairs": round(part["pairs"].sum()), "hands": len(part), "accepts": mean(gap >= -_EVEN), "gap": mean(gap),
        "low": low, "high": high, "least": float(gap.min()), "most": float(gap.max()),
        "accepting_costs": mean(loss(first, second, np.ones(len(part), dtype=bool))),
        "passing_costs": mean(loss(first, second, np.zeros(len(part), dtype=bool))),
        "make": mean(part["make"].to_numpy()), "open_accepts": mean(shown >= -_EVEN), "open_gap": mean(shown),
    }  # fmt: skip


def _interval(part: pd.DataFrame) -> tuple[float, float]:
    """Return the 95 % interval of a kind's mean gap over the hands that were drawn of it; the gap where all were."""
    gap = part["gap"].to_numpy()
    mean = float(np.average(gap, weights=part["pairs"]))
    if len(part) == 1 or (part["first"] == part["second"]).all():
        return mean, mean
    shares = part["pairs"].to_numpy() / part["pairs"].sum()
    half = normal_quantile(LEVEL) * float(np.sqrt((shares**2 * (gap - mean) ** 2).sum()))
    return mean - half, mean + half


def _example(part: pd.DataFrame) -> str:
    """The hand whose gap is nearest to the mean."""
    away = (part["gap"] - np.average(part["gap"], weights=part["pairs"])).abs()
    return mask_text(int(part["hand"][away.idxmin()]), SPADES, True)


def _decides(part: pd.DataFrame, traits: pd.DataFrame) -> str:
    """The feature that saves most, with what it tells apart; empty where all agree or nothing saves anything.

    Args:
        part: as of `_kind`.
        traits: the `features` of the same hands.
    """
    gap = part["gap"].to_numpy()
    pairs = part["pairs"].to_numpy()
    accepts = gap >= -_EVEN
    lost = gap * pairs
    splits = [
        (name, int(bound), traits[name].to_numpy() >= bound) for name in traits for bound in np.unique(traits[name])[1:]
    ]
    costs = [_cost(lost[above]) + _cost(lost[~above]) for *_, above in splits]
    if accepts.all() or not accepts.any() or not costs or min(costs) > (1 - _SAVES) * _cost(lost):
        return ""
    name, bound, above = splits[int(np.argmin(costs))]
    shares = [np.average(accepts[of], weights=pairs[of]) for of in (above, ~above)]
    return f"{_condition(str(name), bound)}: {shares[0]:.0%} accept, else {shares[1]:.0%}"


def _cost(lost: Floats) -> float:
    """Return the cost of the better of the two calls, from the gaps of hands times their pairs."""
    return float(min(np.maximum(lost, 0).sum(), np.maximum(-lost, 0).sum()))


def _condition(feature: str, bound: int) -> str:
    if feature.startswith("the "):
        return feature
    return f"{bound} or more {feature}" if not feature.startswith("side strength") else f"{feature} {bound} or more"


# ------------------------------------------------------------------------------------------------------- what ships


def stored() -> pd.DataFrame:
    """Return the table that ships."""
    return shipped_frame("kinds.csv", dtype={"up": str}, keep_default_na=False)


def _rounded_table(frame: pd.DataFrame) -> pd.DataFrame:
    digits = {"accepts": 4, "open_accepts": 4, "make": 3, "gap": 2, "open_gap": 2, "least": 1, "most": 1}
    digits |= {"accepting_costs": 3, "passing_costs": 3, "low": 2, "high": 2}
    return frame.round({name: count for name, count in digits.items() if name in frame})


TABLE: Final = "answer-book"
BOOK_DIGITS: Final = 6
FIRST_CALLS: Final = ("accept", "pass")
SECOND_CALLS: Final = ("C", "D", "H", "pass")
QUESTIONS: Final = ("nondealer_1", "nondealer_2", "dealer_1", "dealer_2")
Columns = dict[str, NDArray[Any]]


def count_classes(cards: int) -> int:
    """Classes of hands beside each up-card."""
    return len(make_deals(cards, up_cards()[0]).classes)


def answer_classes(cards: int, up: int, first: int, last: int) -> pd.DataFrame:
    """The answers of classes first..last−1 of `make_deals(cards, up)`.

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
    """Some hands of every kind, whose first calls the learned policy plays out: the columns ``pairs``, and by seat.

    - ``pairs``: hands with an up-card that each stands for;
    - ``margin``, ``error``: of accepting less passing, with its standard error; a dealer discards as the policy does;
    - ``margin_1``, ``margin_2``: the same by either half of the deals;
    - ``make``, ``open_margin``: as of all classes.

    Args:
        cards: more than are solved.
        up: a spade.
        count: hands of a kind; all of a kind that has no more.
        deals: of each call.
        seed: of hands and deals.
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
    worth = deal_values()
    bidding = open_bidding(cards, worth, DEFAULT_RULES)
    for dealer in (False, True):
        seat = f"{SEATS[not dealer]}_1"
        views = views_of(hands, up, dealer, None, bidding, DEFAULT_RULES)
        seen = open_values(views, bidding, cards, worth, DEFAULT_RULES)
        rows = [_first_call(calling_view(int(hand), up, dealer), deals, seed) for hand in hands]
        columns |= {f"{seat}_{name}": np.array([row[name] for row in rows]) for name in rows[0]}
        columns[f"{seat}_open_margin"] = _first(seen, hands, up)["margin"]
    return pd.DataFrame(columns)


def _first_call(view: View, deals: int, seed: int) -> dict[str, float]:
    """The columns of one hand and seat."""
    play = PlayedCalls(view, range_of(view, policy_calls), policy_calls, deals, seed, is_whole=False)
    towers = play.played.samples
    margins = towers[:, 0] - towers[:, 1]
    accept = play.actions[ACCEPT]
    assert isinstance(accept, ContractValue)
    halves = {f"margin_{place + 1}": margins[place::2].mean() for place in range(2)}
    error = play.played.error_of_lead(0, 1)
    return {"margin": play.gap(), "error": error, "make": accept.make, **halves}


def _seat(cards: int, up: int, hands: Ints, dealer: bool) -> Columns:
    """Both questions of a seat."""
    worth = deal_values()
    bidding = open_bidding(cards, worth, DEFAULT_RULES)
    views = views_of(hands, up, dealer, None, bidding, DEFAULT_RULES)
    seen = open_values(views, bidding, cards, worth, DEFAULT_RULES)
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
    """int64[hands]: the place of the card that a dealing asker discards."""
    return discard_order(values.contracts[asker_bids], hands, up)[:, 0]


def _first(values: SeatValues, hands: Ints, up: int, mix: _Mix | None = None) -> Columns:
    """The first round's columns."""
    given = _discards(values, True, hands, up)
    accept = values.contracts[True].of_column(ACCEPTED + given)
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
    """The second round's columns; the suits are C D H."""
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
        "make": named.of_column(suit).make,
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
        """The call made most often with each hand, and whether the mix holds, given what the calls win."""
        most: Ints = self.shares.argmax(1)
        costs = _rounded(towers.max(1) - towers[np.arange(len(towers)), most])
        return most, (self.met >= HARDLY_EVER) & (costs <= INDIFFERENT)

    def columns(self, calls: Sequence[str], towers: Floats) -> Columns:
        """The columns ``mix_…``."""
        shares = np.where(self.usual(towers)[1][:, None], self.shares, 0.0)
        return {f"mix_{name}": share for name, share in zip(calls, shares.T, strict=False)}


def _with_pass(towers: Floats, tricks: Floats, passing: Floats) -> tuple[Floats, Floats]:
    """float64[rows, calls] twice, P(win the tower) and the asker's mean tricks of bids and, last, of a pass: -1."""
    return np.column_stack([towers, passing]), np.column_stack([tricks, np.full(len(passing), -1.0)])


def _recommended(towers: Floats, tricks: Floats, mix: _Mix | None = None) -> Ints:
    """The recommended call of each row: the usual one where the mix holds (see `Mix`), else the best.

    Args:
        towers, tricks: as of `_with_pass`; of calls equal in both the last one is best, of suits H before D and C.
        mix: the equilibrium's.
    """
    best: Ints = np.lexsort((tricks, towers), axis=1)[:, -1]
    if mix is None:
        return best
    usual, holds = mix.usual(towers)
    return np.where(holds, usual, best)


def _rounded(values: Floats) -> Floats:
    return np.round(values, DIGITS)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Calls, suits and cards as small numbers."""
    small = [name for name in map(str, frame) if name.rpartition("_")[2] in ("call", "suit", "discard")]
    return frame.astype({"hand": np.int64, "up": np.int8} | dict.fromkeys(small, np.int8))


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(cards, up-card) of every chunk."""
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
