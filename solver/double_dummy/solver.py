"""How many tricks does a side take with all cards seen? Checked positions in, frozen records out.

>>> from towerlab.games.cards import card_text, parse_mask
>>> hands = ("AS KS", "QS JH", "AH 2C", "3S QH")
>>> masks = tuple(int(to_play_order(parse_mask(hand), NO_TRUMP, False)) for hand in hands)
>>> position = Position(masks, int(trump_field(NO_TRUMP)), leader=0)
>>> solver = DoubleDummy(entries=1 << 10)
>>> solver.tricks(position)
2
>>> [card_text(card) for card in printed_plays(solver.line(position), NO_TRUMP, False)][:4]
['AS', 'QS', '2C', '3S']
"""

import functools
import itertools
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_52, NO_TRUMP, to_play_order, to_printed, trump_field
from towerlab.games.written import CardId, Record, SuitId, named_card
from towerlab.solver.double_dummy.ordering import default_weights
from towerlab.solver.double_dummy.position import (
    BOARD_SIZE,
    PLAIN_FIELDS,
    SEATS,
    Position,
    check_deals,
    check_position,
    equal_card,
    legal_moves,
    play_card,
)
from towerlab.solver.double_dummy.search import ESTIMATE, EVERY_TRICK, Workspace, solve_many
from towerlab.solver.double_dummy.transpositions import (
    CONTROL_SIZE,
    ENTRY_WORDS,
    MEMORY_BITS,
    NODES,
    SLOT_BITS,
    SLOT_WORDS,
    Transpositions,
    forget,
)

MOST_ENTRIES: Final = 2_200_000
SEATS_TAKEN: Final = {3: (0, 1, 3), 4: (0, 1, 2, 3)}
NO_MOVES: Final = np.zeros(0, dtype=np.int64)
LONG: Final = 8  # cards in a hand beyond which the cards of a position are cheaper together than those of many alike


@dataclass(frozen=True)
class CardValue:
    """A legal card of the player to move and the declarer's side's tricks from here when it is played.

    Attributes:
        card: play-order mask of one bit.
        named: the field that a joker led at no trump names, else 0.
        tricks: the tricks of the declarer's side, the current trick included.
    """

    card: int
    named: int
    tricks: int


class DoubleDummy:
    """A solver and its memory: at most 64 MB by default, touched only as far as it is needed.

    Threads that share an instance wait for each other, a search at a time; the search releases the interpreter's lock,
    so that several instances run side by side. Positions with the same cards, trumps and sides, and those that a line
    of play leads to, share the table.

    Args:
        entries: the number of results kept, 24 bytes each, besides some 1 MB; a full table is cleared.

    >>> from towerlab.games.cards import NO_TRUMP, parse_mask, trump_field
    >>> hands = tuple(parse_mask(text) for text in ("AS 2H", "KS AH", "QS 3H"))
    >>> DoubleDummy().tricks(Position(hands, trump_field(NO_TRUMP), leader=0))
    1
    """

    def __init__(self, entries: int = MOST_ENTRIES) -> None:
        def words(number: int) -> Ints:
            return np.zeros(number, dtype=np.int64)

        transpositions = Transpositions(
            words(SLOT_WORDS << SLOT_BITS),
            words(ENTRY_WORDS * entries),
            words(CONTROL_SIZE),
            words(1 << MEMORY_BITS),
        )
        self._workspace = Workspace(words(BOARD_SIZE), transpositions, default_weights())
        self._searching = threading.Lock()
        forget(transpositions)

    @property
    def nodes(self) -> int:
        """Nodes visited so far, for benchmarks."""
        return int(self._workspace.transpositions.control[NODES])

    def tricks(self, position: Position, guess: int | None = None) -> int:
        """Return the tricks of the declarer's side with best play by both, the current trick included.

        Args:
            position: a position at any moment of a trick.
            guess: the number of tricks at which to begin the search, at least 0; a good one saves time. By default half
                of the tricks, with three hands a third.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._solve(position, guess=ESTIMATE if guess is None else guess)

    def at_least(self, position: Position, tricks: int) -> bool:
        """Whether the declarer's side takes at least so many tricks; a single search, much cheaper than `tricks`.

        If the declarer wants the fewest: whether the others can force as many.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._solve(position, need=max(tricks, 0)) == 1

    def cards(self, position: Position) -> tuple[CardValue, ...]:
        """Return the value of every legal card of the player to move, highest bit first; also in the middle of a trick.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        tricks = self._solve(position)
        cards = list[CardValue]()
        values: dict[tuple[int, int], int] = {}
        for card, named in legal_moves(position):
            move = equal_card(position, card), named
            if move not in values:
                values[move] = self._solve(position, *move, guess=tricks)
            cards.append(CardValue(card, named, values[move]))
        return tuple(sorted(cards, key=lambda value: (-value.card, value.named)))

    def cards_at_least(self, position: Position, tricks: int) -> dict[tuple[int, int], bool]:
        """Return whether the declarer's side takes at least so many tricks after each legal card, lowest card first.

        The keys are cards with the field that a led joker names, else 0; the declarer wants tricks.

        Raises:
            CardError: a position that cannot be.
        """
        count = len(position.hands)
        ours = (position.leader + len(position.trick) - position.declarer) % count in (0, count - 2)[: count - 2]
        moves = legal_moves(position)
        if self.at_least(position, tricks) != ours:  # every card gives the same result
            return dict.fromkeys(moves, not ours)
        equal = {move: (equal_card(position, move[0]), move[1]) for move in moves}
        plays = {}
        for move in dict.fromkeys(equal.values()):
            after, won = play_card(position, *move)
            plays[move] = self.at_least(after, tricks - won)
        return {move: plays[equal[move]] for move in moves}

    def cards_of_many(self, hands: Ints, like: Position, need: int = 0) -> tuple[list[tuple[int, int]], Ints]:
        """Return the value of every legal card in positions that differ in the hands of others than the player to move.

        Args:
            hands: play-order masks [number, 3 or 4], seats in order of play.
            like: the rest of the positions; its hands are not used.
            need: the number of tricks; only whether so many are taken is counted, as `need` or one less: much cheaper.

        Returns:
            the cards, each with the field that a led joker names (else 0), lowest first; tricks of the declarer's side
            from here, int64[number, cards].

        Raises:
            CardError: a position that cannot be.
        """
        positions = [replace(like, hands=tuple(row)) for row in hands.tolist()]
        moves = legal_moves(positions[0])
        if need:
            made = [list(self.cards_at_least(position, need).values()) for position in positions]
            return moves, need - 1 + np.array(made, dtype=np.int64)
        if max(hands[0].tolist()).bit_count() > LONG:  # positions are large enough to share the table
            results = [
                {(play.card, play.named): play.tricks for play in self.cards(position)} for position in positions
            ]
            return moves, np.array([[values[move] for move in moves] for values in results])
        for position in positions:
            check_position(position)
        rows = np.array([self._row_of(position) for position in positions], dtype=np.int64)
        return moves, np.stack([self._run(rows, positions[0], self._moves_of(like, *move)) for move in moves], axis=1)

    def line(self, position: Position) -> tuple[tuple[int, int], ...]:
        """One best line to the end: the cards in order of play, each with the field that a led joker names (else 0).

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        tricks = self._solve(position)
        line = list[tuple[int, int]]()
        while any(position.hands):
            moves = list(dict.fromkeys((equal_card(position, card), named) for card, named in legal_moves(position)))
            # The last one needs no test: some move keeps the value.
            best = next((m for m in moves[:-1] if self._solve(position, *m, guess=tricks) == tricks), moves[-1])
            line.append(best)
            position, won = play_card(position, *best)
            tricks -= won
        return tuple(line)

    def tricks_of_many(
        self, hands: Ints, trumps: int, leader: int, *, fewest: bool = False, names: bool = True
    ) -> Ints:
        """Return the tricks of the declarer's side in many deals, in one call.

        Args:
            hands: play-order masks [number, 3 or 4], seats in order of play from the declarer's; all hands of a deal
                equally long.
            trumps, leader, fewest, names: the fields of `Position`, the same for all deals.

        Returns:
            tricks [number].

        Raises:
            CardError: deals that cannot be.
        """
        return self._many(hands, Position((), trumps, leader, fewest=fewest, names=names), EVERY_TRICK)

    def many_at_least(
        self, hands: Ints, tricks: int, trumps: int, leader: int, *, fewest: bool = False, names: bool = True
    ) -> NDArray[np.bool_]:
        """Whether the declarer's side takes at least so many tricks, for many deals; arguments as of `tricks_of_many`.

        Raises:
            CardError: deals that cannot be.
        """
        position = Position((), trumps, leader, fewest=fewest, names=names)
        return self._many(hands, position, max(tricks, 0)).astype(np.bool_)

    # ------------------------------------------------------------------------------------------------- the kernels

    def _many(self, hands: Ints, like: Position, need: int) -> Ints:
        """Return the tricks, or with a `need` of at least 0 the answers 1 and 0, for the deals [number, 3 or 4]."""
        check_deals(hands, like)
        count = hands.shape[1]
        seats = SEATS_TAKEN[count]
        deals = np.zeros((len(hands), SEATS + 2), dtype=np.int64)
        deals[:, seats] = hands
        deals[:, SEATS] = like.trumps
        deals[:, SEATS + 1] = seats[like.leader]
        return self._run(deals, replace(like, hands=(0,) * count), need=need)

    def _solve(
        self, position: Position, card: int = 0, named: int = 0, *, need: int = EVERY_TRICK, guess: int = ESTIMATE
    ) -> int:
        """Return the tricks of the declarer's side, or with a `need` 1 or 0, once `card` has been played (0: none)."""
        row = np.array([self._row_of(position)], dtype=np.int64)
        moves = self._moves_of(position, card, named)
        return int(self._run(row, position, moves, need, guess)[0])

    def _run(
        self, rows: Ints, like: Position, moves: Ints = NO_MOVES, need: int = EVERY_TRICK, guess: int = ESTIMATE
    ) -> Ints:
        """Return the tricks, or with a `need` 1 or 0, of positions in rows (`_row_of`) of the kind of one of them."""
        results = np.zeros(len(rows), dtype=np.int64)
        game = len(like.hands), int(like.fewest), int(like.names)
        with self._searching:
            solve_many(self._workspace, *game, rows, moves, need, guess, results)
        return results

    @staticmethod
    def _row_of(position: Position) -> list[int]:
        """Return a position as the kernels take it: at the start of its trick, from the declarer's seat."""
        count = len(position.hands)
        first = position.leader - position.declarer
        seats = SEATS_TAKEN[count]
        row = [0, 0, 0, 0, position.trumps, seats[first % count]]
        for seat, hand in enumerate(position.hands, -position.declarer):
            row[seats[seat % count]] = hand
        for step, played in enumerate(position.trick):
            row[seats[(first + step) % count]] |= played
        return row

    @staticmethod
    def _moves_of(position: Position, card: int, named: int) -> Ints:
        """Return the cards of the trick and the next one (0: none), each followed by the field it names."""
        cards = (*position.trick, card) if card else position.trick
        moves = np.zeros(2 * len(cards), dtype=np.int64)
        moves[::2] = cards
        moves[1:2] = position.named or named
        return moves


_OWN: Final = threading.local()
_THREADS: Final = itertools.count()


def shared_solver() -> DoubleDummy:
    """Return one of at most as many solvers as there are processors, the same for a thread each time.

    Their memory is large, and their answers do not depend on earlier ones.
    """
    if not hasattr(_OWN, "place"):
        _OWN.place = next(_THREADS) % (os.cpu_count() or 1)
    return _solver(_OWN.place)


@functools.cache
def _solver(place: int) -> DoubleDummy:
    return DoubleDummy()


def trick_table(hands: tuple[int, int, int, int]) -> dict[tuple[int, int], int]:
    """Return the tricks of every declarer in every trump of a bridge deal: 20 results.

    Args:
        hands: printed masks of N, E, S, W.

    Returns:
        tricks of the declarer by (declarer 0..3 for N E S W, trump 0..4 for C D H S NT).

    Raises:
        CardError: hands that are no bridge deal, or no ending of one.
    """
    solver = shared_solver()
    size = hands[0].bit_count()
    results = {}
    for trump in range(NO_TRUMP + 1):
        masks = tuple(int(to_play_order(hand & DECK_52, trump, False)) for hand in hands)
        tricks = None  # of North and South; the next search begins at the last result, which is often the same
        for declarer in (3, 1, 0, 2):
            tricks = solver.tricks(Position(masks, int(trump_field(trump)), (declarer + 1) % SEATS), tricks)
            results[declarer, trump] = tricks if declarer % 2 == 0 else size - tricks
    return results


@dataclass(frozen=True)
class Lead(Record, keys="card tricks names=named?"):
    """A card that may be led and the tricks its side then takes; `named` is the suit a joker names, else None."""

    card: CardId
    named: SuitId | None
    tricks: int


def printed_leads(
    cards: Iterable[CardValue], trump: int, bowers: bool, *, mine: bool, size: int, fewest: bool = False
) -> tuple[Lead, ...]:
    """Return the tricks of the leader's side for each lead, best first.

    Args:
        cards: the cards with their tricks, from `DoubleDummy.cards`.
        trump, bowers: the play order, as `games.cards.to_play_order` takes them.
        mine: whether the leader is on the declarer's side, whose tricks `cards` counts.
        size: the number of cards in a hand.
        fewest: whether the declarer wants few tricks.
    """
    leads = []
    for value in cards:
        (card,) = printed_cards((value.card,), trump, bowers)
        named = PLAIN_FIELDS.index(value.named) if value.named else None
        leads.append(Lead(card, named, value.tricks if mine else size - value.tricks))
    # At misère both sides want few tricks: a trick of one side spares the other.
    return tuple(sorted(leads, key=lambda lead: lead.tricks if fewest else -lead.tricks))


def printed_plays(plays: Iterable[tuple[int, int]], trump: int, bowers: bool) -> tuple[int, ...]:
    """Return the cards and the fields that led jokers name (else 0) as `games.written.PlayId`."""
    return tuple(
        named_card(printed_cards((card,), trump, bowers)[0], PLAIN_FIELDS.index(named) if named else None)
        for card, named in plays
    )


def printed_cards(cards: Iterable[int], trump: int, bowers: bool) -> tuple[int, ...]:
    """Return the cards (masks of one bit in play order) as printed card numbers."""
    return tuple(int(lowest_index(int(to_printed(card, trump, bowers)))) for card in cards)
