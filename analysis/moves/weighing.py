"""What is the value of each card, over the layouts that fit what a player knows?

All layouts are counted, or a random sample of them. They are weighted by the likelihood of the bids where the game has
a model of it (`Likelihood`), else equally. After the card all players play double-dummy.

A place in a saved game is written as the hand and the trick: ``3.2.2`` is the second card of trick 2 of hand 3.

    towerlab move towie --game towie.jsonl --at 1.3
"""

import functools
import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.analysis.catalog import find_game
from towerlab.analysis.claims.answers import printed_card
from towerlab.analysis.player_knowledge import Knowledge, claimants
from towerlab.analysis.saved_games import read_header, read_lines
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import NO_TRUMP, SUITS, SYMBOLS, card_symbol, effective_suit, mask_cards
from towerlab.games.engine import Engine
from towerlab.games.errors import TowerlabError
from towerlab.games.options import changed_options
from towerlab.games.tricks import field_of
from towerlab.games.written import named_card, play_text
from towerlab.solver.claims.belief import Belief
from towerlab.solver.claims.judging import all_layouts, draw_layout
from towerlab.solver.double_dummy import Position, shared_solver

Likelihood: TypeAlias = Callable[[Ints], Floats]
"""The likelihood of the bids, float64[layouts], given hidden hands int64[layouts, hidden] in play order."""

MOST_COUNTED: Final = 4_000  # layouts are counted up to so many of five-card hands; half as many for every card more
SPARE: Final = 16  # where the bids weight the layouts, so many are drawn for each that is kept


class Layouts(NamedTuple):
    """Weighted layouts of the hidden hands.

    Attributes:
        hands: int64[layouts, hidden], play-order masks in the order of `Belief.hidden`.
        weights: float64[layouts], sum 1.
        fitting: how many layouts fit the player's knowledge.
        exact: whether these are all of them.
    """

    hands: Ints
    weights: Floats
    fitting: int
    exact: bool


@dataclass(frozen=True)
class CardResults:
    """The results of each card in each layout.

    Attributes:
        knowledge: what the player on turn knows.
        layouts: the layouts.
        plays: the play-order mask (one bit) of each card, with the field that a led joker names or 0.
        values: float64[layouts, plays], in the unit of the game.
        makes: bool[layouts, plays], whether the contract is made.
        tricks: int64[layouts, plays]; of cards with equal values, the one with more tricks ranks first.
        facts: the facts that are true in some layouts and may be reasons, each with bool[layouts].
    """

    knowledge: Knowledge
    layouts: Layouts
    plays: tuple[tuple[int, int], ...]
    values: Floats
    makes: Bools
    tricks: Ints
    facts: tuple[tuple[str, Bools], ...] = field(repr=False)

    @cached_property
    def order(self) -> list[int]:
        """The columns of `plays`, the best card first: by mean value, then more tricks, then the lowest card."""
        means = self.layouts.weights @ self.values
        more = self.layouts.weights @ self.tricks
        merits = [(-round(float(means[at]), 9), -round(float(more[at]), 9), self.plays[at]) for at in range(len(means))]
        return sorted(range(len(merits)), key=merits.__getitem__)

    @property
    def kinds(self) -> list[int]:
        """The first column of a card equal to each column's: of its suit, and no other hand's card between them."""
        belief = self.knowledge.belief
        others = functools.reduce(operator.or_, (*belief.trick, *belief.pools), 0)
        others |= functools.reduce(operator.or_, (own for at, own in enumerate(belief.own) if at != belief.turn), 0)

        def is_equal(first: tuple[int, int], second: tuple[int, int]) -> bool:
            low, high = sorted((first[0], second[0]))
            field = int(field_of(low, belief.trumps))
            return first[1] == second[1] and bool(field & high) and not others & field & (high - 1) & -low

        return [next(at for at, other in enumerate(self.plays) if is_equal(other, play)) for play in self.plays]

    def card(self, column: int) -> int:
        """Return the card (id) of a column."""
        return printed_card(self.plays[column][0], self.knowledge)

    def named_suit(self, column: int) -> str:
        """Return the suit that a joker led in a column names, else ``""``."""
        named = self.plays[column][1]
        return SUITS[(named.bit_length() - 1) // 13] if named else ""

    def text(self, column: int) -> str:
        """Return the card of a column as in JSON: ``"JH"``, ``"X1:S"``."""
        named = self.named_suit(column)
        return play_text(named_card(self.card(column), SUITS.index(named) if named else None))


def check_turn(knowledge: Knowledge) -> None:
    """Refuse a question in which it is another player's turn.

    Raises:
        TowerlabError: it is another player's turn.
    """
    belief = knowledge.belief
    if not belief.is_claimants_turn:
        raise TowerlabError(f"{knowledge.seating.called(belief.turn)} is to play; expected a place where it is you")


def layouts_of(belief: Belief, samples: int, seed: int, likelihood: Likelihood | None = None) -> Layouts:
    """Return weighted layouts that fit a belief.

    Args:
        belief: the belief of the player who is to play.
        samples: how many layouts to draw where there are too many to count.
        seed: the seed of the sample.
        likelihood: the likelihood of the bids; None if all layouts are equally likely.
    """
    fitting = belief.layouts
    exact = fitting <= MOST_COUNTED >> max(0, belief.tricks - 5)
    if exact:
        layouts = list(all_layouts(belief))
    else:
        draw = random.Random(seed)
        layouts = [draw_layout(belief, draw) for _ in range(samples * (SPARE if likelihood else 1))]
    hands = np.array(layouts, dtype=np.int64).reshape(len(layouts), -1)
    weights = np.ones(len(hands)) if likelihood is None else likelihood(hands)
    weights = (weights if weights.sum() > 0 else np.ones(len(hands))) / (weights.sum() or len(hands))
    if not exact and likelihood is not None:
        marks = (np.arange(samples) + random.Random(seed).random()) / samples  # systematic resampling
        hands = hands[np.searchsorted(np.cumsum(weights), marks).clip(max=len(hands) - 1)]
        weights = np.full(samples, 1 / samples)
    return Layouts(hands, weights, fitting, exact)


def solve_cards(
    knowledge: Knowledge, layouts: Layouts, points: Floats, made: Bools, fewest: bool = False, need: int = 0
) -> CardResults:
    """Return the results of every card of the player on turn, by the tricks of double-dummy play after it.

    Args:
        knowledge: what a player knows, at a table of three or four.
        layouts: the layouts to solve.
        points: the player's points by the declarer's tricks from here on, float64[tricks].
        made: whether the contract is made, by the same tricks, bool[tricks].
        fewest: whether the declarer wants as few tricks as possible.
        need: if not 0, a number of tricks: only solve whether the declarer takes it, and count that number or one less.
            This is much cheaper with many cards.
    """
    belief = knowledge.belief
    hands = np.tile(np.array(belief.own, dtype=np.int64), (len(layouts.hands), 1))
    hands[:, list(belief.hidden)] = layouts.hands
    like = Position((), belief.trumps, belief.leader, belief.trick, belief.named, fewest=fewest, names=belief.names)
    plays, tricks = shared_solver().cards_of_many(hands, like, need)
    sign = 1 if (knowledge.role == 0) != fewest else -1
    facts = layout_facts(knowledge, layouts.hands)
    return CardResults(knowledge, layouts, tuple(plays), points[tricks], made[tricks], sign * tricks, facts)


def layout_facts(knowledge: Knowledge, hands: Ints, runs: Sequence[int] = ()) -> tuple[tuple[str, Bools], ...]:
    """Return facts about layouts, each with bool[layouts]: a seat holds a card, a seat has none of a suit.

    Args:
        knowledge: what the player knows.
        hands: int64[layouts, hidden], play-order masks.
        runs: masks of cards that `hands` does not tell apart; if empty, every card is a run of its own.
    """
    belief = knowledge.belief
    seating = knowledge.seating
    facts = []
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
                facts.append((f"{who} holds {which}", (held & run) != 0))
        for card in mask_cards(pool | belief.own[seat]):
            suit = effective_suit(printed_card(1 << card, knowledge), knowledge.trump, seating.bowers)
            suits[suit] = suits.get(suit, 0) | 1 << card
        facts += [(f"{who} has no {SYMBOLS[suit]}", (held & suits[suit]) == 0) for suit in suits if suit < NO_TRUMP]
    return tuple(facts)


def view_at_place(
    game: str, path: Path | None, at: str | None, others: Mapping[str, Any], options: Any = None
) -> tuple[Any, Any]:
    """Return the view of the player on turn at a place of a saved game, and its rule options; (None, None) without one.

    Args:
        game: the name of the expected game.
        path: the path of the saved game, or None.
        at: the place: ``"3.2"``, or ``"3.2.2"`` for the second card of that trick.
        others: the other arguments of the question; none may be given together with a saved game.
        options: rule options; a saved game has its own.

    Raises:
        TowerlabError: the file is of another game, has no such place, or does not record the view there.
    """
    if path is None:
        if at is not None:
            raise TowerlabError(f"--at {at} is a place in a saved game; expected --game FILE as well")
        return None, None
    others = {**others, "option": options is not None and changed_options(options)}
    if given := [name.replace("_", "-") for name, value in others.items() if value]:
        raise TowerlabError(
            f"--{given[0]} cannot be combined with --game, which already says it; expected --game and --at"
        )
    lines = read_lines(path)
    if (recorded := read_header(lines)["game"]) != game:
        raise TowerlabError(f"{path} is a game of {recorded}; expected towerlab move {recorded}, or a game of {game}")
    numbers = tuple(map(int, at.split("."))) if at and re.fullmatch(r"\d{1,6}(\.\d{1,3}){1,2}", at) else ()
    if not numbers:
        raise TowerlabError(f"at {at!r} is no place; expected HAND.TRICK such as 3.2, or 3.2.2 for its second card")
    table = find_game(game).load("table")
    engine, seats, _ = find_game(game).load("views")(lines, table)
    places: dict[tuple[int, ...], Any] = {}
    for place, view in _decisions(engine):
        if seats is None or view.player in seats:
            places.setdefault(place, view)
    view = next((there for place, there in places.items() if place[: len(numbers)] == numbers), None)
    if view is None:
        hands = [place for place in places if place[0] == numbers[0]]
        last = max(hands or places or [(0, 0)])
        what = f"hand {numbers[0]} ends with trick {last[1]}" if hands else f"the last hand with a card is {last[0]}"
        raise TowerlabError(f"no card was played at {at}: {what}; expected HAND.TRICK such as 1.1")
    return view, engine.options


def _decisions(engine: Engine[Any, Any]) -> Iterator[tuple[tuple[int, int, int], Any]]:
    """Yield the place of every decision about a card in a game, and its player's view."""
    again = engine.reset_copy()
    hand = 0
    before = (0, 0)
    card = 0
    for action in (*engine.actions, None):
        view = None if again.to_act is None else again.view(again.to_act)
        if view is not None and view.legal and (action is None or action["action"] == "play"):
            trick = hand, len(view.tricks) + 1
            card = card + 1 if trick == before else 1
            before = trick
            yield (*trick, card), view
        if action is not None:
            again.apply(action)
            hand += action["action"] == "deal"


def tricks_before(knowledge: Knowledge, size: int, won: int | None) -> int:
    """Return the declarer's tricks among those that the history leaves out.

    Args:
        knowledge: what the player knows.
        size: number of cards in a full hand.
        won: how many of these tricks the player's side took.

    Raises:
        TowerlabError: `won` is missing, or impossible: without a history the leader took the last trick.
    """
    missing = size - knowledge.belief.tricks - sum(knowledge.taken)
    if missing and won is None:
        raise TowerlabError(
            f"{missing} of {size} tricks are neither in the history nor to come; expected them in the history, or "
            f"--won with how many of them your side took"
        )
    is_declarers = 0 in claimants(knowledge.seating, knowledge.role)
    leads = ""
    ours = won or 0
    least = 0
    most = missing
    if missing and not any(knowledge.taken):
        leads = ", since the leader took the last of them"
        leader_is_ours = (knowledge.belief.leader in claimants(knowledge.seating, 0)) == is_declarers
        least, most = (1, missing) if leader_is_ours else (0, missing - 1)
    if not least <= ours <= most:
        raise TowerlabError(f"won {won} of the tricks before the history; expected {least} to {most}{leads}")
    return ours if is_declarers else missing - ours
