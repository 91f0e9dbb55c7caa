"""Which cards should I bury after the bid, with the kitty in hand? `towerlab bury bowers`.

Two of twelve cards can be buried in 66 ways (three of thirteen in 286). Two cards are neighbours if no other hand can
hold a card between them; to bury one or the other is equivalent, so about 32 ways remain.

>>> answer = ask_bury("JS JC AS KS QS TS 9S AH AD 7C 8C KD", "9S", layouts=20, quiet=True)
>>> answer.recommend, len(answer.buries)
('8C 7C', 66)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from towerlab.analysis.bidding.answers import ComparedAnswer, tolerance_of
from towerlab.analysis.bidding.race import Forecast, Race, in_parts
from towerlab.analysis.bowers.bid import Call
from towerlab.analysis.present import cards, percent
from towerlab.analysis.stats import Estimate
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import (
    HAND_SIZE,
    MISERE,
    PASS,
    BowersOptions,
    bid_trumps,
    call_level,
    call_text,
    call_trump,
    from_bid_order,
    parse_call,
    to_bid_order,
)
from towerlab.games.cards import NO_TRUMP_FIELD, SUIT_BITS, TRUMP_SHIFT, mask_cards, mask_text, parse_mask
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.written import Mask, Record
from towerlab.sim.bowers import result_values
from towerlab.sim.bowers.continuation import UNSOLVED, PlayedBid, leader_seat

LAYOUTS: Final = 400

MODEL: Final = (
    "double-dummy: the other hands are dealt at random from the unseen cards, all buries against the same layouts; "
    "after the bury all three see all cards"
)


@dataclass(frozen=True)
class Bury(
    Record, keys="make score=score.mean tricks difference=difference.mean interval=difference.ends layouts=score.n"
):
    """The value of burying some cards.

    Attributes:
        cards: printed mask of the buried cards.
        same_as: the equivalent bury that was solved: of two neighbours one is enough.
        make: how often the bid is made after this bury.
        tricks: the bidder's mean tricks.
        score: the bidder's points in the deal less the mean of the others'.
        cost: the cost against the best bury, on the same layouts.
    """

    cards: Mask
    same_as: Mask
    make: float
    tricks: float
    score: Estimate
    cost: Estimate

    @property
    def difference(self) -> Estimate:
        """The score less that of the best bury."""
        return Estimate(0.0 - self.cost.mean, 0.0 - self.cost.high, 0.0 - self.cost.low, self.cost.n)


@dataclass(frozen=True)
class BuryAnswer(
    ComparedAnswer,
    game="bowers",
    shown_by="towerlab.analysis.bowers.present:bury_report",
    table="buries",
    keys="hand=held bid=call model layouts distinct buries recommend decided verdict interval_kind:anytime why",
):
    """Every bury, the best first.

    Attributes:
        hand: printed mask of hand and kitty.
        call: the bid.
        buries: all buries, 66 with a kitty of two.
        distinct: how many classes of equivalent buries there are.
        layouts: how many layouts were drawn.
    """

    model = MODEL
    cards = HAND_SIZE

    hand: Mask
    call: Call
    buries: tuple[Bury, ...]
    distinct: int
    layouts: int

    def alternative_values(self) -> Iterable[tuple[str, Estimate, Estimate]]:
        """Yield one bury of each class, the best first."""
        trump = int(call_trump(self.call))
        for bury in self.buries:
            if bury.cards == bury.same_as:
                yield f"bury {cards(bury.cards, trump, bowers=True)}", bury.score, bury.cost

    @property
    def recommend(self) -> str:
        """The cards to bury in the notation of JSON."""
        return _cards_text(self.buries[0].cards, self.call)

    @property
    def why(self) -> str:
        """How often the best bury, and the next one of another class, make the bid, in a sentence."""
        best = self.buries[0]
        trump = int(call_trump(self.call))
        other = next((bury for bury in self.buries if bury.same_as != best.same_as), None)
        said = [
            f"without {cards(bury.cards, trump, bowers=True)} you make the bid {percent(bury.make)} of the time, "
            f"{bury.tricks:.2f} tricks on average"
            for bury in (best, other)
            if bury is not None
        ]
        return f"W{'; '.join(said)[1:]}."

    @property
    def held(self) -> str:
        return _cards_text(self.hand, self.call)

    def to_json(self) -> dict[str, Any]:
        buries = [{"bury": _cards_text(bury.cards, self.call)} | bury.to_json() for bury in self.buries]
        return super().to_json() | {"buries": buries}


PLACES: Final = ("first", "second", "dealer")


def ask_bury(
    hand: str,
    bid: str,
    options: BowersOptions | None = None,
    *,
    place: str | int = PLACES[0],
    layouts: int = LAYOUTS,
    seed: int = 0,
    jobs: int | None = None,
    quiet: bool = False,
) -> BuryAnswer:
    """Return the value of every bury, and which one to make.

    Args:
        hand: the hand with the kitty, twelve cards (thirteen with an added joker).
        bid: the bid that won the auction.
        options: rule options; None for the defaults.
        place: the bidder's place in the auction, one of `PLACES` or its number; matters only where the dealer's left
            leads.
        layouts, seed, jobs, quiet: the same as in `judge_buries`.

    Raises:
        TowerlabError: the cards are no hand and kitty, the bid has no bury, or the rules cannot be solved.
    """
    options = options or BowersOptions()
    place = PLACES.index(place) if isinstance(place, str) else place
    call = _parse_bid(bid, options)
    mask = parse_mask(hand, options.deck, "hand and kitty", HAND_SIZE + options.kitty)
    if not 0 <= place <= 2:
        raise TowerlabError(f"place {place} is not at the table; expected 0 (the dealer's left), 1 or 2 (the dealer)")
    return judge_buries(mask, call, options, place, layouts=layouts, seed=seed, jobs=jobs, quiet=quiet)


def judge_buries(
    hand: int,
    call: int,
    options: BowersOptions,
    place: int,
    *,
    factor: int = 1,
    layouts: int = LAYOUTS,
    seed: int = 0,
    **how: Any,
) -> BuryAnswer:
    """Return the answer of `ask_bury` to a question that has been read and checked.

    Args:
        hand: printed mask of hand and kitty.
        call: the number of the bid.
        options: rule options.
        place: the bidder's place in the auction, 0 for the dealer's left.
        factor: the number that multiplies the points (BO-6).
        layouts: how many layouts to draw at most; fewer once a bury is surely the best.
        seed: the seed of the layouts.
        how: `jobs` and `quiet`, of `map_chunks`; the answer does not depend on them.
    """
    points = result_values(options)[call, 0] * factor
    own = int(to_bid_order(hand, call))
    unseen = int(to_bid_order(options.deck & ~hand, call))
    classes = distinct_buries(own, unseen, int(bid_trumps(call)), options.kitty)
    remaining = own & ~np.array(list(classes), dtype=np.int64)
    contract = PlayedBid(call, leader_seat(options.rules(), place), options.joker_names_suit)
    hands = draw_hands(unseen, layouts, np.random.default_rng(seed))
    tricks = np.full((layouts, len(classes)), UNSOLVED)

    def solve(rows: Ints, some: Ints) -> Floats:
        tricks[np.ix_(rows, some)] = contract.tricks(remaining[some], hands[rows]).T
        return np.asarray(points[tricks[np.ix_(rows, some)]])

    forecast = Forecast.unknown(np.tile(np.arange(len(classes)), (layouts, 1)))
    race = Race(forecast, tolerance_of("bowers", by_chances=False))
    race.run(in_parts(solve, title="layouts", **how), layouts)
    return BuryAnswer(
        hand=hand,
        call=call,
        buries=_rank_buries(race, tricks, call, classes),
        distinct=len(classes),
        layouts=int(race.solved.max()),
        seed=seed,
        options=options,
    )


def draw_hands(unseen: int, number: int, rng: np.random.Generator, hand_size: int | None = None) -> Ints:
    """Return the hands on the left and on the right, masks [number, 2], all layouts equally likely.

    Args:
        unseen: the cards that the two may hold.
        number: the number of layouts.
        rng: the source of random numbers.
        hand_size: number of cards of each; None if they hold all the unseen cards, half each.
    """
    cards = np.tile(np.array([1 << card for card in mask_cards(unseen)], dtype=np.int64), (number, 1))
    size = cards.shape[1] // 2 if hand_size is None else hand_size
    shuffled = rng.permuted(cards, axis=1)
    left = np.bitwise_or.reduce(shuffled[:, :size], axis=1)
    return np.stack((left, np.bitwise_or.reduce(shuffled[:, size : 2 * size], axis=1)), axis=1)


def fields_of(trumps: int) -> list[int]:
    """Return the fields of play order with these trumps; the trumps come last."""
    plain = [SUIT_BITS << 13 * field for field in range(3)]
    return [*plain, SUIT_BITS << TRUMP_SHIFT, trumps] if trumps == NO_TRUMP_FIELD else [*plain, trumps]


def distinct_buries(own: int, unseen: int, trumps: int, count: int) -> dict[int, list[int]]:
    """Return every bury, in classes of equivalent ones.

    Args:
        own: the player's hand and the kitty in play order.
        unseen: the mask of all cards of the other two hands.
        trumps: the trump field.
        count: the number of cards to bury.

    Returns:
        The buries (masks) of each class by the one that stands for it: the lowest of each run of neighbours.
    """
    fields = fields_of(trumps)
    runs = []
    for card in mask_cards(own):
        place = next(number for number, field in enumerate(fields) if field >> card & 1)
        runs.append((place, (unseen & fields[place] & ((1 << card) - 1)).bit_count(), 1 << card))
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for chosen in combinations(runs, count):
        mask = sum(card for _, _, card in chosen)
        classes.setdefault(tuple(run[:2] for run in chosen), []).append(mask)
    return {same[0]: same for same in classes.values()}


def _parse_bid(text: str, options: BowersOptions) -> int:
    call = parse_call(text)
    if call == MISERE:
        raise TowerlabError("misère leaves the kitty untouched and buries nothing; expected a bid of tricks such as 6S")
    if call == PASS:
        raise blame(TowerlabError("who passes buries nothing; expected a bid of tricks such as 6S"), "bid")
    if call_level(call) < options.min_bid:
        raise TowerlabError(f"{call_text(call)} cannot be bid; expected at least {options.min_bid} tricks")
    return call


def _rank_buries(race: Race, tricks: Ints, call: int, classes: Mapping[int, list[int]]) -> tuple[Bury, ...]:
    """Return all buries, the best first: by score, then tricks; of equivalent ones, the one with the lowest cards."""
    means = np.ma.masked_equal(tricks, UNSOLVED).mean(axis=0).data
    made = np.ma.masked_where(tricks == UNSOLVED, tricks >= call_level(call)).mean(axis=0).data
    ranked = []
    ways = list(classes.values())
    for place in sorted(range(len(ways)), key=lambda place: (-race.means[place], -means[place])):
        printed = [int(from_bid_order(way, call)) for way in ways[place]]
        about = float(made[place]), float(means[place]), race.value(place), race.costs[place]
        ranked += [Bury(cards, printed[0], *about) for cards in printed]
    return tuple(ranked)


def _cards_text(cards: int, call: int) -> str:
    return mask_text(cards, int(call_trump(call)), bowers=True)
