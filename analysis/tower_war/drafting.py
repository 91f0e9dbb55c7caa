"""How should I split five cards, which pile should I take, and which deck build? `towerlab split`, `pick`, `build`.

A value is a *model*: the sigmoid of log-odds (solver/tower_war/decks.py) that the study `value-model` fitted
on simulated wars and scored on others. This module also reads the questions of Tower War.

>>> read_pyramids("LLMMS", (5, 5, 5), "is no stash", "TW-15"), pyramids_text((5, 5, 5))
((2, 2, 1), 'L5 M5 S5')
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from towerlab.analysis.decision import SCALES, Alternative, Decision, exact_costs
from towerlab.analysis.present import cards as card_words
from towerlab.analysis.present.answers import Answer
from towerlab.games.arrays import Array
from towerlab.games.cards import DECK_54, cards_mask, former_names, mask_cards, mask_text, parse_mask, rename_card
from towerlab.games.errors import CardError, IllegalAction, blame, demand
from towerlab.games.tower_war import BASIC_STASH, TowerWarOptions, records, rules
from towerlab.games.written import Mask, Record
from towerlab.sim.tower_war.players import simple_points
from towerlab.solver.tower_war.decks import MAX_POOL, best_deck, deck_value, draft_round, pool_value, search_deck
from towerlab.solver.tower_war.model import shipped_draft, shipped_hand_values

MODEL_NAME = "fitted on simulated wars between pimc players (study value-model)"
MOST_SUBSETS = 4_000_000


def read_cards(text: str, what: str, fewest: int = rules.SKIRMISHES, most: int = 54) -> int:
    """Return the printed mask of cards.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: too few or too many cards (TW-9).
    """
    try:
        mask = parse_mask(text, DECK_54, what)
    except CardError as error:
        raise CardError(f"{error} (TW-1)") from error
    expected = ("none", "one", "two", "three")[fewest] + " at least" * (most > fewest)
    demand(fewest <= mask.bit_count() <= most, f"{what} has {mask.bit_count()} cards; expected {expected}", "TW-9")
    return mask


def order_suits(*masks: int) -> tuple[int, ...]:
    """Return a standard name 0..3 for each suit: cards that differ only by suit names become equal.

    A search that breaks ties by suit then gives both the same answer.
    """
    every = itertools.permutations(range(4))
    return min(every, key=lambda names: [cards_mask(rename_suits(mask_cards(mask), names)) for mask in masks])


def rename_suits(cards: Iterable[int], names: Sequence[int]) -> list[int]:
    """Return the cards with new names of their suits; jokers have none."""
    return [rename_card(card, names) for card in cards]


def check_apart(places: Mapping[str, int]) -> None:
    """Refuse a card in two places.

    Raises:
        CardError: the card and both places (TW-1).
    """
    for (place, cards), (other, more) in itertools.combinations(places.items(), 2):
        if cards & more:
            raise CardError(f"{mask_text(cards & more)} is in {place} and in {other}; expected every card once (TW-1)")


def read_pyramids(text: str, most: Sequence[int], complaint: str, rule: str) -> tuple[int, ...]:
    """Return pyramids by size, ``"LLMMS"``.

    Raises:
        IllegalAction: other letters, or more of a size than `most`.
    """
    letters = "".join(text.upper().replace(",", " ").split())
    counts = tuple(letters.count(letter) for letter in rules.SIZE_LETTERS)
    if sum(counts) != len(letters) or any(count > limit for count, limit in zip(counts, most, strict=True)):
        raise IllegalAction(f"{text!r} {complaint}; expected at most {pyramids_text(most)}", rule)
    return counts


def pyramids_text(stash: Sequence[int]) -> str:
    """Return how many pyramids of each size, ``"L5 M5 S5"``."""
    return " ".join(f"{letter}{count}" for letter, count in zip(rules.SIZE_LETTERS, stash, strict=True))


def read_tower(
    options: TowerWarOptions, my_stash: str | None = None, their_stash: str | None = None, levels: int | None = None
) -> Array:
    """Return the tower between two battles; I am player 0.

    Args:
        options: rule options.
        my_stash, their_stash: the pyramids left, such as ``"LLMMS"``; five of each size by default.
        levels: number of cards in the tower, the base included. In the basic game it follows from the stashes; in the
            advanced game, where pyramids were drafted, it is by default the fewest that fit.

    Raises:
        IllegalAction: impossible stashes (TW-15), or levels that do not fit them (TW-17).
    """
    most = (records.MOST_OF_A_SIZE,) * 3 if options.advanced else BASIC_STASH
    stashes = [
        BASIC_STASH if stash is None else read_pyramids(stash, most, "is no stash", "TW-15")
        for stash in (my_stash, their_stash)
    ]
    both = list(map(sum, zip(*stashes, strict=True)))
    demand(max(both) <= 15, f"both stashes have {pyramids_text(both)}; expected at most 15 of a size", "TW-6")
    left = sum(both)
    fewest = 2 * sum(BASIC_STASH)
    drafted = sum(records.THIRD_STASH) if options.advanced else 0
    fit = [
        at for at in range(1, rules.MAX_LEVELS + 1) if 0 <= left + rules.LEVEL_PYRAMIDS * (at - 1) - fewest <= drafted
    ]
    demand(bool(fit), f"{left} pyramids are left; between battles a multiple of three is", "TW-17")
    expected = f"expected {fit[0]}" + f" to {fit[-1]}" * (len(fit) > 1)
    demand(levels in (None, *fit), f"a tower of {levels} cards with {left} pyramids left; {expected}", "TW-17")
    tower = rules.new_tower(*stashes)
    tower[rules.LEVELS] = levels or fit[0]
    return tower


@dataclass(frozen=True)
class Split(Record, keys="piles pyramids beside=pyramid_pile values worths=pile_gains take value"):
    """A division of five cards.

    Attributes:
        piles: the masks of both piles.
        pyramids, pyramid_pile: the pyramids of each size, and the pile (0 or 1) they belong to; advanced draft only.
        values: my P(win the war) if they take the first pile, and if they take the second.
        pile_gains: the gain of each pile in its owner's P(win), if nobody gets the other pile.
    """

    piles: tuple[Mask, Mask]
    pyramids: tuple[int, ...]
    pyramid_pile: int
    values: tuple[float, float]
    pile_gains: tuple[float, float]

    @property
    def take(self) -> int:
        return 0 if self.values[0] <= self.values[1] else 1

    @property
    def value(self) -> float:
        return min(self.values)

    @property
    def words(self) -> str:
        """Both piles as people read them, with the pyramids at their pile."""
        letters = "".join(n * letter for n, letter in zip(self.pyramids, rules.SIZE_LETTERS, strict=True))
        gifts = [f" + {letters}" * bool(letters and self.pyramid_pile == pile) for pile in (0, 1)]
        return " | ".join(card_words(pile) + gift for pile, gift in zip(self.piles, gifts, strict=True))

    def to_json(self) -> dict[str, Any]:
        values = dict(zip(("first_taken", "second_taken"), self.values, strict=True))
        return super().to_json() | {
            "pyramids": dict(zip(rules.SIZE_LETTERS, self.pyramids, strict=True)),
            "values": values,
        }


def war_decision(options: Sequence[tuple[str, float]], basis: str = "model") -> Decision[Alternative]:
    """Return actions with their P(I win the war), the best first, as alternatives."""
    costs = exact_costs([100 * value for _, value in options])
    rows = (Alternative(text, 100 * value, cost) for (text, value), cost in zip(options, costs, strict=True))
    return Decision(tuple(rows), SCALES["tower-war"], basis)


Judge: TypeAlias = Callable[[tuple[int, int], tuple[int, ...], int], Split]
"""Values a division: (piles, pyramids, the pile they belong to) → `Split`."""


class DraftAnswer(Answer, game="tower-war", method="model"):
    """Base of the answers by the fitted values of cards."""

    model = MODEL_NAME


@dataclass(frozen=True)
class SplitAnswer(
    DraftAnswer,
    shown_by="towerlab.analysis.tower_war.present:split_report",
    table="splits",
    keys="dealt round splits recommend=splits.0.piles verdict=decision.sentence model",
):
    """All divisions, the best first."""

    dealt: Mask
    round: int
    splits: tuple[Split, ...]
    cards: int = records.ROUND_CARDS

    @property
    def decision(self) -> Decision[Alternative]:
        """The divisions as alternatives."""
        return war_decision([(split.words, split.value) for split in self.splits])


@dataclass(frozen=True)
class PickAnswer(
    DraftAnswer,
    shown_by="towerlab.analysis.tower_war.present:pick_report",
    table="piles",
    keys="round piles take recommend margin verdict=decision.sentence model",
):
    """The value of each pile to me, and which to take."""

    piles: tuple[Mask, Mask]
    values: tuple[float, float]
    round: int

    @property
    def take(self) -> int:
        return 0 if self.values[0] >= self.values[1] else 1

    @property
    def decision(self) -> Decision[Alternative]:
        """The piles as alternatives, the better one first."""
        piles = [(f"take {card_words(pile)}", value) for pile, value in zip(self.piles, self.values, strict=True)]
        return war_decision(sorted(piles, key=lambda pile: -pile[1]))

    @property
    def margin(self) -> float:
        return abs(self.values[0] - self.values[1])

    @property
    def recommend(self) -> Mask:
        return self.piles[self.take]

    def to_json(self) -> dict[str, Any]:
        answer = super().to_json()
        values = zip(answer["piles"], self.values, strict=True)
        return answer | {"piles": [{"cards": cards, "value": value} for cards, value in values]}


@dataclass(frozen=True)
class BuildAnswer(
    DraftAnswer,
    shown_by="towerlab.analysis.tower_war.present:build_report",
    keys="pool deck unused worth=log_odds subsets exact beats_points model",
):
    """The best deck found.

    Attributes:
        pool, deck: masks of the cards.
        log_odds: the deck's log-odds of the war, up to a constant that all decks share.
        subsets: how many decks the pool has.
        exact: whether all of them were compared; else a search by swaps found the deck.
        beats_points: P(this deck wins) against the strongest of the decks with the most points from the same pool.
    """

    pool: Mask
    deck: Mask
    log_odds: float
    subsets: int
    exact: bool
    beats_points: float

    @property
    def unused(self) -> Mask:
        return self.pool & ~self.deck


def split_cards(
    cards: str, mine: str = "", theirs: str = "", options: TowerWarOptions | None = None, third_stash: str | None = None
) -> SplitAnswer:
    """Return the value of every division of five cards to the splitter, if the taker values piles in the same way.

    Args:
        cards: the five cards dealt.
        mine, theirs: the cards that each has drafted before.
        options: rule options; with `advanced`, pyramids can be added to a pile.
        third_stash: the pyramids left in the third stash, such as ``"LLMS"``; all fifteen by default.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: not five cards (TW-3), or a third stash that cannot be (TW-6).
    """
    options = options or TowerWarOptions()
    dealt, pools = _read_draft(cards, mine, theirs)
    demand(dealt.bit_count() == records.ROUND_CARDS, f"{dealt.bit_count()} cards to split; expected five", "TW-3")
    stash = _read_stash(third_stash, options)
    best = best_splits(split_judge(dealt, pools, options), dealt, stash)
    return SplitAnswer(dealt, _round(dealt, pools), best, options=options)


def best_splits(judge: Judge, dealt: int, third_stash: tuple[int, ...]) -> tuple[Split, ...]:
    """Return every division of the dealt cards with the best pyramids for it, the best first."""
    splits = [
        judge(piles, offer, pile)
        for piles in records.pile_splits(dealt)
        for offer in records.pyramid_offers(third_stash)
        for pile in range(1 + any(offer))
    ]
    splits.sort(key=lambda split: (-round(split.value, 9), sum(split.pyramids)))
    best_of_piles = {split.piles: split for split in reversed(splits)}
    return tuple(sorted(best_of_piles.values(), key=lambda split: -split.value))


def split_judge(dealt: int, pools: tuple[int, int], options: TowerWarOptions) -> Judge:
    """Return the function that values a division for the splitter.

    Args:
        dealt: the five cards.
        pools: the cards that the splitter and the taker have drafted before.
        options: rule options.
    """
    values = shipped_draft(options)
    drafted = (pools[0] | pools[1] | dealt).bit_count()

    @functools.cache
    def value(side: int, pile: int) -> float:
        return float(pool_value(pools[side] | pile, drafted, values))

    def judge(piles: tuple[int, int], pyramids: tuple[int, ...], pyramid_pile: int) -> Split:
        bonus = float(np.dot(pyramids, values.pyramid_weights))
        mine, theirs = (
            [value(side, pile) + bonus * (t == pyramid_pile) for t, pile in enumerate(piles)] for side in (0, 1)
        )
        now = _sigmoid(value(0, 0) - value(1, 0))
        first, second = (_sigmoid(log_odds - value(1, 0)) - now for log_odds in mine)
        chances = _sigmoid(mine[1] - theirs[0]), _sigmoid(mine[0] - theirs[1])
        return Split(piles, pyramids, pyramid_pile, chances, (first, second))

    return judge


def pick_pile(
    piles: str,
    mine: str = "",
    theirs: str = "",
    options: TowerWarOptions | None = None,
    pyramids: str = "",
    beside: str | int = 0,
) -> PickAnswer:
    """Return the value of two piles, and which one to take.

    Args:
        piles: ``"AH TC | 6C 9S 2D"``.
        mine, theirs: the cards that both have drafted before.
        options: rule options.
        pyramids: the pyramids drafted with the pile `beside` (``"first"`` or 0, ``"second"`` or 1), such as ``"LLS"``.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: not two piles of five cards together (TW-3), or pyramids in a basic draft (TW-6).
    """
    options = options or TowerWarOptions()
    pyramid_pile = ("first", "second").index(beside) if isinstance(beside, str) else beside
    parts = piles.split("|")
    demand(len(parts) == 2, f"{len(parts)} piles in {piles!r}; expected two, such as 'AH TC | 6C 9S 2D'", "TW-3")
    dealt, pools = _read_draft(" ".join(parts), mine, theirs)
    first, second = (parse_mask(part, DECK_54) for part in parts)
    sizes = f"{first.bit_count()} and {second.bit_count()}"
    whole = bool(first and second) and dealt.bit_count() == records.ROUND_CARDS
    demand(whole, f"piles of {sizes} cards; expected five together, at least one in each", "TW-3")
    offer = _read_stash(pyramids, options)
    if_theirs = split_judge(dealt, pools, options)((first, second), offer, pyramid_pile).values
    return PickAnswer((first, second), (if_theirs[1], if_theirs[0]), _round(dealt, pools), options=options)


def build_deck(pool: str, options: TowerWarOptions | None = None) -> BuildAnswer:
    """Return the best deck of a pool: of all subsets if there are at most `MOST_SUBSETS`, else by a search.

    Raises:
        CardError: a bad card, or a card given twice (TW-1).
        IllegalAction: a pool that no draft gives (TW-7).
    """
    options = options or TowerWarOptions()
    mask = read_cards(pool, "the pool", 0)
    hand_values = shipped_hand_values()
    count = mask.bit_count()
    demand(3 <= count <= MAX_POOL, f"a pool of {count} cards; expected 3 to {MAX_POOL}", "TW-7")
    size = min(options.deck_size, count)
    subsets = math.comb(count, size)
    exact = subsets <= MOST_SUBSETS
    names = order_suits(mask)
    renamed = cards_mask(rename_suits(mask_cards(mask), names))
    best = int(best_deck(renamed, size, hand_values) if exact else search_deck(renamed, size, hand_values))
    deck = cards_mask(rename_suits(mask_cards(best), former_names(names)))
    log_odds = float(deck_value(deck, hand_values))
    by_points = max(float(deck_value(other, hand_values)) for other in _most_points(mask, size))
    return BuildAnswer(mask, deck, log_odds, subsets, exact, _sigmoid(log_odds - by_points), options=options)


def _most_points(pool: int, size: int) -> Iterator[int]:
    """Yield all decks of most points; they differ in cards of the lowest points that are in any of them."""
    points = {card: float(simple_points(card)) for card in mask_cards(pool)}
    least = sorted(points.values())[-size]
    sure = cards_mask(card for card in points if points[card] > least)
    edge = [card for card in points if points[card] == least]
    for more in itertools.combinations(edge, size - sure.bit_count()):
        yield sure | cards_mask(more)


def _read_draft(cards: str, mine: str, theirs: str) -> tuple[int, tuple[int, int]]:
    """Return the dealt cards and both pools, no card twice."""
    texts = {"my pool": mine, "their pool": theirs, "the cards dealt": cards}
    places = {what: read_cards(text, what, 0) for what, text in texts.items()}
    check_apart(places)
    own, others, dealt = places.values()
    drafted = (own | others).bit_count()
    most = (records.ROUNDS - 1) * records.ROUND_CARDS
    demand(drafted <= most, f"both pools hold {drafted} cards; expected at most {most}", "TW-3")
    return dealt, (own, others)


def _read_stash(text: str | None, options: TowerWarOptions) -> tuple[int, ...]:
    if not options.advanced and text:
        why = "pyramids are drafted in the advanced game; expected --option advanced=true"
        raise blame(IllegalAction(why, "TW-6"), "option")
    if text is None:
        return records.THIRD_STASH if options.advanced else records.NO_PYRAMIDS
    return read_pyramids(text, records.THIRD_STASH, "are no pyramids of the third stash", "TW-6")


def _round(dealt: int, pools: tuple[int, int]) -> int:
    return int(draft_round((pools[0] | pools[1] | dealt).bit_count())) + 1


def _sigmoid(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
