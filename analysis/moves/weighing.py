"""The value of every legal card over the layouts that fit the player's knowledge: all of them, or a random sample.

Layouts are weighted by the likelihood of the bids where the game has a model of it (`Likelihood`), else equally. After
the card all play double-dummy.
"""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.analysis.claims.answers import printed_card
from towerlab.analysis.knowledge import Knowledge
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import NO_TRUMP, SUITS, SYMBOLS, card_symbol, effective_suit, mask_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.tricks import field_of
from towerlab.games.written import named_card, play_text
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.layouts import all_layouts, drawn_layout
from towerlab.solver.double_dummy import Position, shared_solver

Likelihood: TypeAlias = Callable[[Ints], Floats]
"""The likelihood of the bids, float64[layouts], given hidden hands int64[layouts, hidden] in play order."""

MOST_COUNTED: Final = 4_000  # layouts of up to five cards in a hand; half as many for every card more
SPARE: Final = 16  # times as many layouts are drawn as are kept, where the bids weight them


class Layouts(NamedTuple):
    """Layouts of the hidden hands.

    Attributes:
        hands: int64[layouts, hidden], play-order masks in the order of `Belief.hidden`.
        weights: float64[layouts], sum 1.
        fitting: how many layouts fit the player's knowledge.
        exact: whether all of them are here.
    """

    hands: Ints
    weights: Floats
    fitting: int
    exact: bool


@dataclass(frozen=True)
class Weighed:
    """Results of each card in each layout.

    Attributes:
        knowledge: of the player who is to play.
        layouts: counted.
        plays: play-order masks of one bit, each with the field that a led joker names, else 0.
        values: float64[layouts, plays], in the unit of the game.
        makes: bool[layouts, plays], whether the contract is made.
        tricks: int64[layouts, plays]: of equal cards the one with more comes first.
        news: facts that are true in some layouts and may be given as reasons, each with bool[layouts].
    """

    knowledge: Knowledge
    layouts: Layouts
    plays: tuple[tuple[int, int], ...]
    values: Floats
    makes: Bools
    tricks: Ints
    news: tuple[tuple[str, Bools], ...] = field(repr=False)

    @cached_property
    def order(self) -> list[int]:
        """The columns, the best card first: by mean value, then more tricks, then the lowest card."""
        means = self.layouts.weights @ self.values
        more = self.layouts.weights @ self.tricks
        merits = [(-round(float(means[at]), 9), -round(float(more[at]), 9), self.plays[at]) for at in range(len(means))]
        return sorted(range(len(merits)), key=merits.__getitem__)

    @property
    def kinds(self) -> list[int]:
        """By column the first column of an equal card: of its suit, with no card of the others' between them."""
        belief = self.knowledge.belief
        others = functools.reduce(operator.or_, (*belief.trick, *belief.pools), 0)
        others |= functools.reduce(operator.or_, (own for at, own in enumerate(belief.own) if at != belief.turn), 0)

        def is_equal(first: tuple[int, int], second: tuple[int, int]) -> bool:
            low, high = sorted((first[0], second[0]))
            field = int(field_of(low, belief.trumps))
            return first[1] == second[1] and bool(field & high) and not others & field & (high - 1) & -low

        return [next(at for at, other in enumerate(self.plays) if is_equal(other, play)) for play in self.plays]

    def card(self, column: int) -> int:
        """The card (id) of a column."""
        return printed_card(self.plays[column][0], self.knowledge)

    def named(self, column: int) -> str:
        """The suit that a joker led in that column names, else ``""``."""
        named = self.plays[column][1]
        return SUITS[(named.bit_length() - 1) // 13] if named else ""

    def text(self, column: int) -> str:
        """As JSON has it: ``"JH"``, ``"X1:S"``."""
        named = self.named(column)
        return play_text(named_card(self.card(column), SUITS.index(named) if named else None))


def check_turn(knowledge: Knowledge) -> None:
    """Refuse a question about another player's card.

    Raises:
        TowerlabError: the player who is to play.
    """
    belief = knowledge.belief
    if not belief.is_claimants_turn:
        raise TowerlabError(f"{knowledge.seating.called(belief.turn)} is to play; expected a place where it is you")


def layouts_of(belief: Belief, samples: int, seed: int, likelihood: Likelihood | None = None) -> Layouts:
    """Return weighted layouts that fit a belief.

    Args:
        belief: of the player who is to play.
        samples: how many are drawn where there are too many to count.
        seed: of the sample.
        likelihood: of the bids; None where all layouts are equally likely.
    """
    fitting = belief.layouts
    exact = fitting <= MOST_COUNTED >> max(0, belief.tricks - 5)
    if exact:
        layouts = list(all_layouts(belief))
    else:
        draw = random.Random(seed)
        layouts = [drawn_layout(belief, draw) for _ in range(samples * (SPARE if likelihood else 1))]
    hands = np.array(layouts, dtype=np.int64).reshape(len(layouts), -1)
    weights = np.ones(len(hands)) if likelihood is None else likelihood(hands)
    weights = (weights if weights.sum() > 0 else np.ones(len(hands))) / (weights.sum() or len(hands))
    if not exact and likelihood is not None:
        marks = (np.arange(samples) + random.Random(seed).random()) / samples  # systematic resampling
        hands = hands[np.searchsorted(np.cumsum(weights), marks).clip(max=len(hands) - 1)]
        weights = np.full(samples, 1 / samples)
    return Layouts(hands, weights, fitting, exact)


def weigh(
    knowledge: Knowledge, layouts: Layouts, points: Floats, made: Bools, fewest: bool = False, need: int = 0
) -> Weighed:
    """Value every card of the player on turn by the tricks that double-dummy play takes after it.

    Args:
        knowledge: of a player at a table of three or four.
        layouts: that count.
        points, made: float64 and bool, by the declarer's tricks from here on: points of the player, the contract made.
        fewest: whether the declarer wants as few tricks as possible.
        need: count only whether the declarer takes so many, as that or one less: much cheaper with many cards.
    """
    belief = knowledge.belief
    hands = np.tile(np.array(belief.own, dtype=np.int64), (len(layouts.hands), 1))
    hands[:, list(belief.hidden)] = layouts.hands
    like = Position((), belief.trumps, belief.leader, belief.trick, belief.named, fewest=fewest, names=belief.names)
    plays, tricks = shared_solver().cards_of_many(hands, like, need)
    sign = 1 if (knowledge.role == 0) != fewest else -1
    news = news_of(knowledge, layouts.hands)
    return Weighed(knowledge, layouts, tuple(plays), points[tricks], made[tricks], sign * tricks, news)


def news_of(knowledge: Knowledge, hands: Ints, runs: Sequence[int] = ()) -> tuple[tuple[str, Bools], ...]:
    """Return facts about layouts, each with bool[layouts]: a seat holds a card, a seat has none of a suit.

    Args:
        knowledge: of the player.
        hands: int64[layouts, hidden], play-order masks.
        runs: masks of cards that `hands` does not tell apart; without any every card is a run of its own.
    """
    belief = knowledge.belief
    seating = knowledge.seating
    news = []
    for column, seat in enumerate(belief.hidden):
        held = hands[:, column]
        who = seating.called(seat)
        pool = belief.pools[column]
        suits = dict[int, int]()
        for run in runs or [1 << card for card in mask_cards(pool)]:
            cards = [printed_card(1 << card, knowledge) for card in reversed(mask_cards(run & pool))]
            if cards:
                named = [card_symbol(card) for card in cards]
                which = " or ".join(named) if len(named) < 4 else f"a card from {named[0]} to {named[-1]}"
                news.append((f"{who} holds {which}", (held & run) != 0))
        for card in mask_cards(pool | belief.own[seat]):
            suit = effective_suit(printed_card(1 << card, knowledge), knowledge.trump, seating.bowers)
            suits[suit] = suits.get(suit, 0) | 1 << card
        news += [(f"{who} has no {SYMBOLS[suit]}", (held & suits[suit]) == 0) for suit in suits if suit < NO_TRUMP]
    return tuple(news)
