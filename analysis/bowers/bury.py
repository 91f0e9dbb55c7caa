"""`towerlab bury bowers`: which cards to bury after the bid, with the kitty in hand.

>>> answer = ask_bury("JS JC AS KS QS TS 9S AH AD 7C 8C KD", "9S", layouts=20, quiet=True)
>>> answer.recommend, len(answer.buries)
('8C 7C', 66)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from towerlab.analysis.bowers.bid import Call
from towerlab.analysis.bowers.burying import distinct_buries, draw_hands
from towerlab.analysis.bowers.ranking import Race
from towerlab.analysis.present import cards, percent
from towerlab.analysis.present.answers import Answer
from towerlab.analysis.present.faults import blame
from towerlab.analysis.stats import Estimate
from towerlab.analysis.study import stream_chunks
from towerlab.games.arrays import Ints
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
from towerlab.games.cards import mask_text, parse_mask
from towerlab.games.errors import TowerlabError
from towerlab.games.written import Mask, Record
from towerlab.sim.bowers import worth_tables
from towerlab.sim.bowers.continuation import PlayedBid, leader_seat

LAYOUTS: Final = 400
LAYOUTS_PER_CHUNK: Final = 10

MODEL: Final = (
    "double-dummy: the other hands are dealt at random from the unseen cards, all buries against the same layouts; "
    "after the bury all three see all cards"
)


@dataclass(frozen=True)
class Bury(Record, keys="make score tricks difference=difference.mean interval=difference.ends"):
    """The value of burying some cards.

    Attributes:
        cards: printed mask.
        make: how often the bid is then made.
        tricks: the bidder's mean tricks.
        score: the bidder's points less the mean of the others', a deal.
        difference: the score less that of the best bury, on the same layouts.
        same_as: the bury of its class that was played out: burying one or the other of two neighbours is equivalent.
    """

    cards: Mask
    same_as: Mask
    make: float
    tricks: float
    score: float
    difference: Estimate


@dataclass(frozen=True)
class BuryAnswer(
    Answer,
    game="bowers",
    method="sampled",
    shown_by="towerlab.analysis.bowers.present:bury_report",
    table="buries",
    keys="hand=held bid=call model layouts distinct buries recommend decided interval_kind:anytime why",
):
    """Every bury, the best first.

    Attributes:
        hand: hand and kitty, printed mask.
        call: the bid.
        buries: all of them, 66 with a kitty of two.
        distinct: how many classes of equivalent buries there are.
        decided: whether the best one beats all other classes, at 95 % for all comparisons together.
        layouts: how many were drawn.
    """

    model = MODEL
    cards = HAND_SIZE

    hand: Mask
    call: Call
    buries: tuple[Bury, ...]
    distinct: int
    decided: bool
    layouts: int

    @property
    def recommend(self) -> str:
        """The cards to bury in the notation of JSON."""
        return _cards_text(self.buries[0].cards, self.call)

    @property
    def why(self) -> str:
        """Return what the best bury makes and what the next one of another class does, in a sentence."""
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
    """Which cards to bury.

    Args:
        hand: hand and kitty, twelve cards (thirteen with an added joker).
        bid: the bid that won the auction.
        options: rule options; None for the defaults.
        place: the bidder's place in the auction, one of `PLACES` or its number; matters only where the dealer's left
            leads.
        layouts, seed, jobs, quiet: as of `judge_buries`.

    Raises:
        TowerlabError: cards that are no hand and kitty, a bid without a bury, rules that cannot be solved.
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
    """Return the answer of `ask_bury` to what has been read and checked.

    Args:
        hand: hand and kitty, printed mask.
        call: the number of the bid.
        place: of the bidder in the auction, 0 for the dealer's left.
        factor: what the points are multiplied by (BO-6).
        layouts: how many to draw at most; fewer once a bury is surely the best.
        seed: of the draws.
        how: `jobs` and `quiet`, of `stream_chunks`; the answer does not depend on them.
    """
    points = worth_tables(options)[call, 0] * factor
    own = int(to_bid_order(hand, call))
    unseen = int(to_bid_order(options.deck & ~hand, call))
    classes = distinct_buries(own, unseen, int(bid_trumps(call)), options.kitty)
    race = Race(np.full(len(classes), points.min()), np.full(len(classes), points.max()))
    question = {
        "own": own, "unseen": unseen, "buries": tuple(classes), "layouts": layouts,
        "contract": PlayedBid(call, leader_seat(options.rules(), place), options.joker_names_suit),
    }  # fmt: skip
    how |= {"seed": seed, "title": "layouts", "threads": True}
    chunks = stream_chunks(_run_chunk, -(-layouts // LAYOUTS_PER_CHUNK), parameters=question, **how)
    tricks = np.concatenate(race.run(chunks, lambda tricks: points[tricks]))
    return BuryAnswer(
        hand=hand,
        call=call,
        buries=_rank(race, tricks, call, classes),
        distinct=len(classes),
        decided=race.is_decided(race.best(tricks.mean(axis=0))),
        layouts=len(tricks),
        seed=seed,
        options=options,
    )


def _run_chunk(chunk: int, seed: np.random.SeedSequence, question: Mapping[str, Any]) -> Ints:
    number = min(LAYOUTS_PER_CHUNK, question["layouts"] - chunk * LAYOUTS_PER_CHUNK)
    hands = draw_hands(question["unseen"], number, np.random.default_rng(seed))
    contract: PlayedBid = question["contract"]
    return contract.tricks(question["own"] & ~np.array(question["buries"], dtype=np.int64), hands).T


def _parse_bid(text: str, options: BowersOptions) -> int:
    call = parse_call(text)
    if call == MISERE:
        raise TowerlabError("misère leaves the kitty untouched and buries nothing; expected a bid of tricks such as 6S")
    if call == PASS:
        raise blame(TowerlabError("who passes buries nothing; expected a bid of tricks such as 6S"), "bid")
    if call_level(call) < options.min_bid:
        raise TowerlabError(f"{call_text(call)} cannot be bid; expected at least {options.min_bid} tricks")
    return call


def _rank(race: Race, tricks: Ints, call: int, classes: Mapping[int, list[int]]) -> tuple[Bury, ...]:
    """Rank all buries by score, then tricks; of equivalent ones the one with the lowest cards first."""
    mean_tricks = tricks.mean(axis=0)
    scores = race.values.mean(axis=0)
    made = (tricks >= call_level(call)).mean(axis=0)
    best = race.best(mean_tricks)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], -mean_tricks[place], place != best))
    ways = list(classes.values())
    ranked = []
    for place in order:
        printed = [int(from_bid_order(way, call)) for way in ways[place]]
        means = float(made[place]), float(mean_tricks[place]), float(scores[place])
        ranked += [Bury(cards, printed[0], *means, race.difference(place, best)) for cards in printed]
    return tuple(ranked)


def _cards_text(cards: int, call: int) -> str:
    return mask_text(cards, int(call_trump(call)), bowers=True)
