"""The study `hidden-values`: which way of valuing a hand is near to hidden play, where the game itself is solved.

From five cards on both see all cards from the first lead on. Of two to four cards the game is solved, and other ways
are held against it, bidding included: each way is a game of its own whose equilibrium is found (every call made with a
floor, as in the game), and its values are what an answer would say.

    open      both show their cards at the first lead: today's model
    hidden k  both show their cards after k tricks
    learnt    open; to each hand is added what a hand like it gains or loses by hiding, learnt at the *other* sizes
    learnt k  the same on top of k hidden tricks
    same size as learnt, at the size itself: what the features could tell at best

What is learnt are tricks: how much likelier a hand takes at least so many of them with hidden cards than with open
ones, as p (1 - p) times a sum of features, p being the chance with open cards. What one seat gains the other loses.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding, load_model_bidding
from towerlab.analysis.towers_and_bowers.solutions.contracts import (
    by_row,
    contract_rows,
    contract_worth,
    trick_shares,
    worth_columns,
)
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.analysis.towers_and_bowers.studies.hand_equilibrium import FLOOR
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, RANKS, TRUMP_FIELD, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order, make_deals
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, HandSolver, Schedule, hand_game
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.call_values import (
    contract_table,
    leading_calls,
    values_of_calls,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand import BiddingArrays
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    card_numbers,
    trump_of,
)

SIZES: Final = (2, 3, 4)
PARAMETERS: Final = {"cards": [2, 3, 4], "hidden": [1], "ups": "9TJQKA", "largest_ups": "9TJQKA", "reference": [2, 3]}
MT: Final = 1000.0
ITERATIONS: Final = {2: 60, 3: 30, 4: 14}  # by cards
SMALL: Final = 30.0  # mt
BANDS: Final = {"turned_below_3": (0.1, 3.0), "turned_2_to_5": (2.0, 5.0)}  # percentage points of a lead
FEATURES: Final = (
    "any", "highest trump", "second trump", "third trump", "small trumps", "aces", "kings", "queens",
    "longest side suit",
    "voids", "no trumps", "small cards", "aces beside trumps", "aces with kings", "trumps times longest side suit",
    "cards", "odd",
)  # fmt: skip
THIRD: Final = 1 / 3
NEXT_TO_NOTHING: Final = 1.0  # mt: with odd numbers of cards passing and accepting are as good for the non-dealer
_AS_GOOD: Final = 1e-4  # P(win the tower)
_RIDGE: Final = 1e-3
_KINDS: Final = ((0,), (1,), (2, 3, 4), (5, 6, 7))  # contracts that are learnt together
_FIELD: Final = 13  # bits of a suit in play order; trumps have more
_SUIT: Final = (1 << _FIELD) - 1
_CALLS: Final = {
    ("nondealer", 1): ("accept", "pass"),
    ("nondealer", 2): ("name_C", "name_D", "name_H", "name_pass"),
    ("dealer", 1): ("answer", "answer_pass"),
    ("dealer", 2): ("left_C", "left_D", "left_H"),
}
_CONTRACTS: Final = {  # of discards the best counts
    ("nondealer", 1): (("accept",), ("answered",)),
    ("nondealer", 2): tuple((f"{stem}_{suit}",) for stem in ("name", "met") for suit in "CDH"),
    ("dealer", 1): (("discard",), ("own_discard",)),
    ("dealer", 2): tuple((f"{stem}_{suit}",) for stem in ("named", "left") for suit in "CDH"),
}


# ------------------------------------------------------------------------------------------------ the game and a way


class Truth(NamedTuple):
    """The solved game beside an up-card: what ships, the bids of every hand, the number of each class's hand."""

    stored: StoredBidding
    bidding: Floats
    hands: Ints
    weights: Floats


@functools.lru_cache(maxsize=18)
def truth_of(cards: int, rank: int) -> Truth:
    """The game as it ships.

    Raises:
        TowerlabError: it is not at hand.
    """
    stored = load_bidding(cards, rank)
    if stored is None or stored.worth is None:
        raise TowerlabError(f"the game of {cards} cards is not at hand; expected one of {SIZES}")
    game, deals = _game(cards, rank, 0), make_deals(cards, stored.up)
    bidding = as_strategy(game, rank, deals, stored.strategies, np.zeros(0), stored.floor).bidding
    numbers = numbers_of(game, rank)
    return Truth(stored, bidding, np.array([numbers[int(hand)] for hand in deals.classes]), deals.weights)


@functools.lru_cache(maxsize=2)
def _game(cards: int, rank: int, hidden: int) -> HandGame:
    return hand_game(cards, rank, deal_value(cards - 1), mirror=True, hidden_tricks=hidden)


class Way(NamedTuple):
    """A way of valuing hands of a size beside an up-card: its game, and how both bid in it."""

    solver: HandSolver
    bidding: Floats


def open_way(cards: int, rank: int) -> Way:
    """Today's model with the bids that ship."""
    stored = load_model_bidding(cards, rank)
    assert stored is not None
    solver = HandSolver(_game(cards, rank, 0))
    deals = make_deals(cards, stored.up)
    return Way(solver, as_strategy(solver.game, rank, deals, stored.strategies, np.zeros(0), FLOOR).bidding)


def solve_way(cards: int, rank: int, hidden: int, moved: Floats | None = None) -> Way:
    """Equilibrium of a game whose cards are shown after so many tricks, and in which hands are moved."""
    schedule = Schedule(alpha=2.0, beta=0.0, averages_from=4, floor=FLOOR)
    solver = HandSolver(_game(cards, rank, hidden), schedule)
    solver.passes.moved = moved
    solver.run(ITERATIONS[cards])
    return Way(solver, solver.bids())


def worth_of(way: Way, hands: Ints) -> Floats:
    """float64[hands, 2 n + 18] by `worth_columns`: what calls and contracts win in a way."""
    solver, bidding = way
    own, dealers = plays = [solver.best_plays(bidding, seat) for seat in (NONDEALER, DEALER)]
    values = values_of_calls(solver.game, bidding, hands, own[hands], dealers[hands])
    with np.errstate(invalid="ignore"):  # sets that cannot be dealt
        worth = np.stack(plays) / np.stack(leading_calls(solver.game, bidding))[..., None]
    return contract_worth(solver.game.cards, values, by_row(solver.game.cards, worth, hands))


# -------------------------------------------------------------------------------------------------- what is learnt


def features(game: HandGame, rank: int) -> Floats:
    """float64[2, sets, 8, n, features]: what a player would say of a hand in a contract.

    Of a dealer who takes the up-card by the place of the discard; else the places are alike.
    """
    cards, numbers = game.cards, np.array(card_numbers(rank))
    members = game.members[cards, : int(game.sets[cards]), :cards]
    held = (1 << numbers[members]).sum(1)
    taken_up = (held | 1 << numbers[-1])[:, None] & ~(1 << numbers[members])
    found = []
    for seat in (NONDEALER, DEALER):
        for contract in range(CONTRACTS):
            upped, trump = contract <= DEALER_ACCEPTS, trump_of(contract)
            hands = taken_up if upped and seat == DEALER else np.repeat(held[:, None], cards, 1)
            pack = np.array([DECK_24 if upped else DECK_24 & ~(1 << int(numbers[-1]))])
            found.append(hand_features(in_play_order(hands, trump), int(in_play_order(pack, trump)[0]), cards))
    return np.stack(found).reshape(2, CONTRACTS, len(held), cards, -1).swapaxes(1, 2)


def hand_features(hands: Ints, pack: int, cards: int) -> Floats:
    """float64[.., features], by `FEATURES`.

    Args:
        hands: int64[..], in play order.
        pack: the cards that are in play, alike.
        cards: n.
    """
    fields = [pack & _SUIT << _FIELD * field for field in range(3)]
    fields.append(pack & TRUMP_FIELD)
    lengths = np.stack([np.bitwise_count(hands & field) for field in fields], -1).astype(float)
    side, trumps = np.sort(lengths[..., :3], -1), lengths[..., 3]

    def tops(field: int) -> list[Floats]:
        cards = mask_cards(field)[:-4:-1]
        return [(hands >> card & 1).astype(float) for card in cards]

    aces, kings, queens = (np.sum(of, 0) for of in zip(*(tops(field) for field in fields[:3]), strict=True))
    first, second, third = tops(fields[3])
    small = trumps - first - second - third
    rest = aces + kings + queens
    plain = side.sum(-1) - rest
    ones = np.ones_like(trumps)
    return np.stack(
        [ones, first, second, third, small, aces, kings, queens, side[..., 2], (side == 0).sum(-1), trumps == 0,
         plain, aces * (trumps > 0), kings * aces, trumps * side[..., 2], ones * cards / 4, (cards % 2) * ones],
        -1,
    )  # fmt: skip


def jumps(game: HandGame) -> Floats:
    """float64[8, n]: what each further trick of the non-dealer is worth to that player."""
    return np.diff(game.payoffs, axis=1)


@functools.lru_cache(maxsize=24)
def sums_of(cards: int, rank: int, hidden: int) -> tuple[Floats, Floats]:
    """Normal equations of what hiding does beside an up-card: float64[2, 4, f, f], float64[2, 4, f]."""
    truth = truth_of(cards, rank)
    solver = solve_way(cards, rank, hidden).solver if hidden else HandSolver(_game(cards, rank, 0))
    game, shown = solver.game, by_row(cards, _tricks(Way(solver, truth.bidding)), truth.hands)
    said = by_row(cards, features(game, rank), truth.hands)
    assert truth.stored.tricks is not None
    solved, paid = trick_shares(truth.stored.tricks), jumps(game)
    count = said.shape[-1] + _EXTRA
    left, right = np.zeros((2, len(_KINDS), count, count)), np.zeros((2, len(_KINDS), count))
    for place, (seat, contract, _) in enumerate(contract_rows(cards).values()):
        kind = _kind(contract)
        opened, hides = (_of_seat(shares[:, place], seat) for shares in (shown, solved))
        for taken in range(cards):
            rows = _regressors(said[:, place], opened[:, taken], (taken + 1) / cards)
            weight = (truth.weights / truth.weights.sum() * paid[contract, taken] ** 2)[:, None]
            left[seat, kind] += rows.T @ (weight * rows)
            right[seat, kind] += rows.T @ (weight[:, 0] * (hides - opened)[:, taken])
    return left, right


_EXTRA: Final = 3


def _regressors(said: Floats, opened: Floats, share: float) -> Floats:
    """p (1 - p) times the features, p itself, and how many tricks are asked for."""
    extra = np.stack([opened, np.full_like(opened, share), share * opened], -1)
    rows: Floats = (opened * (1 - opened))[..., None] * np.concatenate([said, extra], -1)
    return rows


def _of_seat(shares: Floats, seat: int) -> Floats:
    """P(the non-dealer takes at least 1..n) from the chances of 0..n own tricks."""
    more = np.flip(np.cumsum(np.flip(shares, -1), -1), -1)[..., 1:]
    return more if seat == NONDEALER else 1 - np.flip(more, -1)


def learnt_from(sizes: tuple[int, ...], hidden: int, parameters: Mapping[str, Any]) -> Floats:
    """float64[2, 4, features]: the weights that fit what hiding does at some sizes best, each size alike."""
    every: list[list[Floats]] = [[], []]
    for size in sizes:
        for parts, found in zip(
            every,
            zip(*(sums_of(cards, rank, hidden) for cards, rank in _chunks(parameters) if cards == size), strict=True),
            strict=True,
        ):
            parts.append(np.mean(found, axis=0))
    left, right = (np.sum(parts, axis=0) for parts in every)
    ridge = _RIDGE * np.einsum("...ii->...i", left).mean(-1)[..., None, None] * np.eye(left.shape[-1])
    weights: Floats = np.linalg.solve(left + ridge, right[..., None])[..., 0]
    return weights


def moved_by(weights: Floats, way: Way, rank: int) -> Floats:
    """float64[2, sets, 8, n], `PlayPasses.moved`: what is learnt adds to each hand, by a way's own bids and tricks."""
    solver, bidding = way
    game, tricks, said, paid = solver.game, _tricks(way), features(solver.game, rank), jumps(solver.game)
    leads, found = np.stack(leading_calls(game, bidding)), np.zeros(said.shape[:-1])
    comes = solver.passes.comes(BiddingArrays(bidding, bidding, bidding, bidding)) * leads[..., None]
    for contract in range(CONTRACTS):
        for seat in (NONDEALER, DEALER):
            opened = np.nan_to_num(_of_seat(tricks[seat, :, contract], seat))
            for taken in range(game.cards):
                rows = _regressors(said[seat, :, contract], opened[..., taken], (taken + 1) / game.cards)
                found[seat, :, contract] += paid[contract, taken] * (rows @ weights[seat, _kind(contract)])
        both = [np.average(found[seat, :, contract], weights=comes[seat, :, contract]) for seat in (NONDEALER, DEALER)]
        found[:, :, contract] -= sum(both) / 4  # both seats' hands say the same of the mean: it counts once
    return found


def _tricks(way: Way) -> Floats:
    """float64[2, sets, 8, n, n + 1], `ContractTable.tricks`."""
    plays = [way.solver.best_plays(way.bidding, seat) for seat in (NONDEALER, DEALER)]
    return contract_table(way.solver.passes, way.bidding, plays).tricks


def _kind(contract: int) -> int:
    return next(number for number, contracts in enumerate(_KINDS) if contract in contracts)


# ---------------------------------------------------------------------------------------------------- the comparison


def errors(cards: int, weights: Floats, game: Floats, way: Floats, alike: Floats) -> pd.DataFrame:
    """Sums over hands: a row a seat, round and measure, ``pairs`` (hands) and ``total`` (squared errors, or turned).

    Args:
        cards: n.
        weights: float64[classes], hands that each stands for.
        game, way: float64[classes, 2 n + 18], what calls and contracts win.
        alike: the same of the way where both bid as in the game.
    """
    columns, rows = worth_columns(cards), []
    for (seat, number), calls in _CALLS.items():
        solved, said = (found[:, [columns.index(call) for call in calls]] for found in (game, way))
        order = np.argsort(-said, axis=1)[:, :2]
        lead, gap = (-np.diff(np.take_along_axis(found, order, 1), axis=1)[:, 0] for found in (said, solved))
        turns = solved.max(1) - np.take_along_axis(solved, order[:, :1], 1)[:, 0] > _AS_GOOD
        square = (MT * (lead - gap)) ** 2
        found = {"gap": (square, lead >= 0), "small_gap": (square, MT * lead < SMALL)}
        found |= {name: (turns, (100 * lead >= least) & (100 * lead < most)) for name, (least, most) in BANDS.items()}
        for stems in _CONTRACTS[seat, number]:
            places = [columns.index(name) for name in columns if name in stems or name.rpartition("_")[0] in stems]
            for measure, values in (("contract", alike), ("served", way)):
                off = (MT * (values[:, places].max(1) - game[:, places].max(1))) ** 2
                found[f"{measure} {stems[0]}"] = off, np.full(len(off), True)
        for measure, (of, among) in found.items():
            name = measure.split()[0]
            rows.append((seat, number, name, float(weights[among].sum()), float((weights * of)[among].sum())))
    table = pd.DataFrame(rows, columns=["seat", "round", "measure", "pairs", "total"])
    return table.groupby(["seat", "round", "measure"], as_index=False).sum()


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """The sums of every way beside one up-card (nothing is drawn: the seed is not used)."""
    cards, rank = _chunks(parameters)[chunk]
    truth, found = truth_of(cards, rank), []
    assert truth.stored.worth is not None
    for name, way in ways(cards, rank, parameters):
        measured = way.solver.measure(way.bidding, FLOOR)
        values = (worth_of(Way(way.solver, bids), truth.hands) for bids in (way.bidding, truth.bidding))
        table = errors(cards, truth.weights, truth.stored.worth.astype(np.float64), *values)
        found.append(table.assign(way=name, gain=MT * (measured.nondealer_gain + measured.dealer_gain)))
    return pd.concat(found, ignore_index=True).assign(cards=cards, up=RANKS[rank])


def ways(cards: int, rank: int, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Way]]:
    """Every way that a size has, by name."""
    sizes = [int(size) for size in parameters["cards"]]
    opened = open_way(cards, rank)
    yield "open", opened
    others = tuple(size for size in sizes if size != cards)
    same = (cards,) if cards in parameters["reference"] else ()
    for name, learnt in (("learnt", others), ("learnt, same size", same)):
        if learnt:
            moved = moved_by(learnt_from(learnt, 0, parameters), opened, rank)
            yield name, solve_way(cards, rank, 0, moved)
    for hidden in map(int, parameters["hidden"]):
        if hidden < cards - 1:
            way = solve_way(cards, rank, hidden)
            yield f"hidden {hidden}", way
            if smaller := tuple(size for size in others if hidden + 1 < size < cards):
                moved = moved_by(learnt_from(smaller, hidden, parameters), way, rank)
                yield f"learnt, hidden {hidden}", solve_way(cards, rank, hidden, moved)


def combine_chunks(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """One table of ways, and what each takes off the error of the open cards."""
    sums = pd.concat(tables, ignore_index=True)
    keys = ["cards", "way", "seat", "round"]
    ups = sums.groupby(["cards", "way"])["up"].agg(lambda of: "".join(dict.fromkeys(of)))
    parts = sums.groupby([*keys, "measure"])[["pairs", "total"]].sum()
    means = (parts["total"] / parts["pairs"]).unstack("measure")
    for name in ("gap", "small_gap", "contract", "served"):
        means[name] = np.sqrt(means[name])
    table = means.rename(
        columns={name: f"{name}_mt" for name in ("contract", "served", "gap", "small_gap")}
    ).reset_index()
    table["gain_mt"] = sums.groupby(keys)["gain"].mean().to_numpy()
    table.insert(2, "ups", [ups[size, way] for size, way in zip(table["cards"], table["way"], strict=True)])
    first = table[table["round"] == 1].groupby(["cards", "way", "seat"])["gap_mt"].first()
    squares = parts.xs("contract", level="measure").groupby(["cards", "way", "seat"]).sum()
    both = pd.DataFrame({"gap": first, "contract": np.sqrt(squares["total"] / squares["pairs"])}).reset_index()
    opened = both[both["way"] == "open"].drop(columns="way")
    left = both.merge(opened, how="left", on=["cards", "seat"], suffixes=("_mt", "_open_mt"))
    for name in ("gap", "contract"):
        error = left.pop(f"{name}_open_mt")
        left[f"{name}_left"] = left.pop(f"{name}_mt") / error.where(error >= NEXT_TO_NOTHING)
    left["passes"] = left[["gap_left", "contract_left"]].max(axis=1) <= 1 - THIRD
    passing = left.groupby("way")["passes"].all()
    summary = {"passes": [way for way in passing.index[passing] if "same" not in str(way)]}
    return StudyResult({"hidden_values": table.round(4), "hidden_values_left": left.round(4)}, summary)


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [
        (int(cards), RANKS.index(letter))
        for cards in parameters["cards"]
        for letter in (parameters["largest_ups"] if cards == SIZES[-1] else parameters["ups"])
    ]


HIDDEN_VALUES: Final = Study(
    game="towers-and-bowers",
    name="hidden-values",
    help="Which way of valuing a hand is nearest to hidden play, at the sizes whose game is solved.",
    parameters=PARAMETERS,
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=run_chunk,
    combine=combine_chunks,
)
