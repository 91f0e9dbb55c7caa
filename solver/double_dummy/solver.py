"""The friendly side of the double-dummy search: checks positions, asks the kernels, answers with frozen records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.arrays import Ints
from games.cards import DECK_52, NO_TRUMP, NO_TRUMP_FIELD, TRUMP_FIELD, mask_cards, to_play_order, trump_field
from games.errors import CardError
from games.tricks import beats, field_of, legal_followers
from solver.double_dummy.layout import BOARD_SIZE, PLAIN_1, PLAIN_2, PLAIN_3, PLAIN_4, SEATS, run_of
from solver.double_dummy.leads import default_weights
from solver.double_dummy.roots import ESTIMATE, EVERY_TRICK, solve_many
from solver.double_dummy.search import Desk
from solver.double_dummy.table import CONTROL_SIZE, ENTRY_WORDS, MEMORY_BITS, NODES, SLOT_WORDS, Table, forget

PLAIN_FIELDS: Final = (PLAIN_1, PLAIN_2, PLAIN_3, PLAIN_4)
"""The fields a led joker may name at no trump: the suits C D H S."""

MOST_ENTRIES: Final = 2_200_000
MOST_SLOTS: Final = 1 << 17
MOST_CARDS: Final = 13
SEATS_TAKEN: Final = {3: (0, 1, 3), 4: (0, 1, 2, 3)}
NO_MOVES: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Position:
    """Who holds what, in play-order masks, and what lies on the table.

    Attributes:
        hands: three or four hands in the order of play. With four, seats 0 and 2 play against 1 and 3.
        trumps: the trump field, `games.cards.trump_field(trump)`.
        leader: seat that leads, or has led, the current trick.
        trick: cards on the table in order, each a mask of one bit; no longer in the hands.
        named: the field named by a joker that was led at no trump, one of `PLAIN_FIELDS`; else 0.
        declarer: seat of the declarer. With three hands he plays alone.
        fewest: whether the declarer wants as few tricks as possible (misère) rather than as many.
    """

    hands: tuple[int, ...]
    trumps: int
    leader: int
    trick: tuple[int, ...] = ()
    named: int = 0
    declarer: int = 0
    fewest: bool = False


@dataclass(frozen=True)
class CardValue:
    """A legal card of the player to move and the declarer's side's tricks from here when it is played.

    Attributes:
        card: play-order mask of one bit.
        named: for a joker led at no trump the field it names, else 0.
        tricks: of the declarer's side, the current trick included.
    """

    card: int
    named: int
    tricks: int


@dataclass(frozen=True)
class Solution:
    """Everything about a position.

    Attributes:
        tricks: of the declarer's side from here, the current trick included.
        cards: every legal card of the player to move, highest bit first.
        line: one best line, the cards in order of play to the end.
    """

    tricks: int
    cards: tuple[CardValue, ...]
    line: tuple[int, ...]


class DoubleDummy:
    """A solver and its memory (about 60 MB, touched only as far as it is needed).

    An instance may be used by one thread at a time; the search releases the interpreter's lock, so that several
    instances run side by side. Positions with the same cards, trumps and sides share what has been found out.

    >>> from games.cards import NO_TRUMP, Hand, trump_field
    >>> hands = tuple(Hand.parse(text).mask for text in ("AS 2H", "KS AH", "QS 3H"))
    >>> DoubleDummy().tricks(Position(hands, trump_field(NO_TRUMP), leader=0))
    1
    """

    def __init__(self, entries: int = MOST_ENTRIES) -> None:
        def words(number: int) -> Ints:
            return np.zeros(number, dtype=np.int64)

        table = Table(
            words(2 * SLOT_WORDS * MOST_SLOTS),
            words(ENTRY_WORDS * entries),
            words(CONTROL_SIZE),
            words(1 << MEMORY_BITS),
        )
        self._desk = Desk(words(BOARD_SIZE), table, default_weights())
        self._row = np.zeros((1, SEATS + 2), dtype=np.int64)
        self._result = words(1)
        forget(table)

    @property
    def nodes(self) -> int:
        """Nodes visited so far, for benchmarks."""
        return int(self._desk.table.control[NODES])

    @property
    def bytes(self) -> int:
        """Memory of this solver, touched only as far as it is needed."""
        arrays = (self._desk.board, self._desk.weights, *self._desk.table)
        return sum(array.nbytes for array in arrays)

    def tricks(self, position: Position, guess: int | None = None) -> int:
        """Tricks of the declarer's side with best play by both, the current trick included.

        Args:
            position: at any moment of a trick.
            guess: where to begin the search, at least 0; a good one saves time. By default an estimate from high cards.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._solve(position, guess=ESTIMATE if guess is None else guess)

    def at_least(self, position: Position, tricks: int) -> bool:
        """Whether the declarer's side takes at least so many tricks; one search, much cheaper than `tricks`.

        Of a declarer who wants the fewest: whether the others can make him take as many.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._solve(position, need=max(tricks, 0)) == 1

    def cards(self, position: Position) -> tuple[CardValue, ...]:
        """The value of every legal card of the player to move, highest bit first; also in the middle of a trick.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._cards(position, self._solve(position))

    def line(self, position: Position) -> tuple[int, ...]:
        """One best line to the end: the cards in order of play.

        Raises:
            CardError: a position that cannot be.
        """
        check_position(position)
        return self._line(position, self._solve(position))

    def solve(self, position: Position) -> Solution:
        """Tricks, cards and line of a position.

        Raises:
            CardError: a position that cannot be.
        """
        tricks = self.tricks(position)
        return Solution(tricks, self._cards(position, tricks), self._line(position, tricks))

    def tricks_of_many(self, hands: Ints, trumps: int, leader: int, *, declarer: int = 0, fewest: bool = False) -> Ints:
        """Tricks of the declarer's side in many deals, in one call.

        Args:
            hands: play-order masks [number, 3 or 4], seats in order of play; all hands of a deal equally long.
            trumps, leader, declarer, fewest: as of `Position`, the same for all.

        Returns:
            tricks [number].

        Raises:
            CardError: deals that cannot be.
        """
        return self._many(hands, Position((), trumps, leader, declarer=declarer, fewest=fewest), -1)

    def many_at_least(
        self, hands: Ints, tricks: int, trumps: int, leader: int, *, declarer: int = 0, fewest: bool = False
    ) -> NDArray[np.bool_]:
        """Whether the declarer's side takes at least so many tricks, for many deals; arguments as of `tricks_of_many`.

        Raises:
            CardError: deals that cannot be.
        """
        position = Position((), trumps, leader, declarer=declarer, fewest=fewest)
        return self._many(hands, position, max(tricks, 0)).astype(np.bool_)

    # ------------------------------------------------------------------------------------------------- the kernels

    def _many(self, hands: Ints, like: Position, need: int) -> Ints:
        """Tricks, or with a `need` of at least 0 the answers 1 and 0, for the deals [number, 3 or 4]."""
        check_deals(hands, like)
        count = hands.shape[1]
        seats = SEATS_TAKEN[count]
        deals = np.zeros((len(hands), SEATS + 2), dtype=np.int64)
        deals[:, seats] = np.roll(hands, -like.declarer, axis=1)
        deals[:, SEATS] = like.trumps
        deals[:, SEATS + 1] = seats[(like.leader - like.declarer) % count]
        results = np.zeros(len(hands), dtype=np.int64)
        solve_many(self._desk, count, int(like.fewest), deals, NO_MOVES, need, ESTIMATE, results)
        return results

    def _solve(
        self, position: Position, card: int = 0, named: int = 0, *, need: int = EVERY_TRICK, guess: int = ESTIMATE
    ) -> int:
        """Tricks of the declarer's side, or with a `need` 1 or 0, once `card` has been played (0: none)."""
        count, trick = len(position.hands), position.trick
        seats = SEATS_TAKEN[count]
        first = position.leader - position.declarer
        row = self._row[0]
        row[2] = 0
        for seat, hand in enumerate(position.hands, -position.declarer):
            row[seats[seat % count]] = hand
        row[SEATS], row[SEATS + 1] = position.trumps, seats[first % count]
        for step, played in enumerate(trick):
            row[seats[(first + step) % count]] |= played
        moves = NO_MOVES
        if trick or card:
            cards = (*trick, card) if card else trick
            moves = np.zeros(2 * len(cards), dtype=np.int64)
            moves[::2] = cards
            moves[1] = position.named or named
        solve_many(self._desk, count, int(position.fewest), self._row, moves, need, guess, self._result)
        return int(self._result[0])

    def _cards(self, position: Position, tricks: int) -> tuple[CardValue, ...]:
        values: dict[tuple[int, int], int] = {}
        found = []
        for card, named in legal_moves(position):
            move = equal_card(position, card), named
            if move not in values:
                values[move] = self._solve(position, *move, guess=tricks)
            found.append(CardValue(card, named, values[move]))
        return tuple(sorted(found, key=lambda value: (-value.card, value.named)))

    def _line(self, position: Position, tricks: int) -> tuple[int, ...]:
        line = []
        while any(position.hands):
            moves = list(dict.fromkeys((equal_card(position, card), named) for card, named in legal_moves(position)))
            # The last one needs no test: some move keeps the value.
            best = next((m for m in moves[:-1] if self._solve(position, *m, guess=tricks) == tricks), moves[-1])
            line.append(best[0])
            position, won = play_card(position, *best)
            tricks -= won
        return tuple(line)


def trick_table(hands: tuple[int, int, int, int], solver: DoubleDummy | None = None) -> dict[tuple[int, int], int]:
    """Tricks of every declarer in every trump of a bridge deal: 20 results.

    Args:
        hands: printed masks of N, E, S, W.
        solver: its memory is used; a new one is made by default.

    Returns:
        tricks of the declarer by (declarer 0..3 for N E S W, trump 0..4 for C D H S NT).

    Raises:
        CardError: hands that are no bridge deal, or no ending of one.
    """
    solver = DoubleDummy() if solver is None else solver
    table = {}
    for trump in range(NO_TRUMP + 1):
        masks = tuple(int(to_play_order(hand & DECK_52, trump, False)) for hand in hands)
        guess = None
        for declarer in (0, 2, 1, 3):
            position = Position(masks, int(trump_field(trump)), leader=(declarer + 1) % 4)
            ours = solver.tricks(position, guess)
            guess = ours
            table[declarer, trump] = ours if declarer % 2 == 0 else hands[0].bit_count() - ours
    return table


def legal_moves(position: Position) -> list[tuple[int, int]]:
    """What the player to move may play: cards, each with the field that a led joker names (else 0), lowest first."""
    hand = position.hands[_to_move(position)]
    if position.trick:
        led = position.named or int(field_of(position.trick[0], position.trumps))
        return [(1 << card, 0) for card in mask_cards(int(legal_followers(hand, led)))]
    moves = []
    for card in mask_cards(hand):
        joker = position.trumps == NO_TRUMP_FIELD and 1 << card & NO_TRUMP_FIELD
        moves += [(1 << card, named) for named in (PLAIN_FIELDS if joker else (0,))]
    return moves


def equal_card(position: Position, card: int) -> int:
    """The highest card of the player to move that is as good as one of his: no other card parts them."""
    seat = _to_move(position)
    others = sum(hand for other, hand in enumerate(position.hands) if other != seat) | sum(position.trick)
    run = int(run_of(card, position.hands[seat], others, int(field_of(card, position.trumps))))
    return 1 << (run.bit_length() - 1)


def play_card(position: Position, card: int, named: int = 0) -> tuple[Position, int]:
    """The position after a legal card, and the tricks (0 or 1) that the declarer's side has won by it."""
    count = len(position.hands)
    seat = _to_move(position)
    hands = tuple(hand & ~card if other == seat else hand for other, hand in enumerate(position.hands))
    trick = (*position.trick, card)
    if len(trick) < count:
        return replace(position, hands=hands, trick=trick, named=position.named or named), 0
    best = 0
    for step in range(1, count):
        if beats(trick[step], trick[best], position.trumps):
            best = step
    winner = (position.leader + best) % count
    ours = winner == position.declarer or (count == 4 and (winner - position.declarer) % 4 == 2)
    return replace(position, hands=hands, trick=(), named=0, leader=winner), int(ours)


def _to_move(position: Position) -> int:
    return (position.leader + len(position.trick)) % len(position.hands)


def check_position(position: Position) -> None:
    """Refuse a position that cannot be.

    Raises:
        CardError: what is wrong and what was expected.
    """
    hands, trick, count = position.hands, position.trick, len(position.hands)
    if count not in (3, 4):
        raise CardError(f"{count} hands; expected 3 or 4")
    if position.trumps not in (TRUMP_FIELD, NO_TRUMP_FIELD):
        raise CardError(f"{position.trumps} is not a trump field; expected games.cards.trump_field(trump)")
    for name, seat in (("leader", position.leader), ("declarer", position.declarer)):
        if not 0 <= seat < count:
            raise CardError(f"{name} {seat} has no seat; expected 0 to {count - 1}")
    if len(trick) >= count:
        raise CardError(f"{len(trick)} cards in the trick; expected fewer than {count}")
    if any(card <= 0 or card & (card - 1) for card in trick):
        raise CardError("a trick is a sequence of single cards; expected masks of one bit each")
    if any(hand < 0 or hand >> 56 for hand in hands):
        raise CardError("a hand has bits beyond the 56 of play order; expected play-order masks")
    _check_sizes(position)
    seen = 0
    for mask in (*hands, *trick):
        if seen & mask:
            raise CardError(f"card {mask_cards(seen & mask)[0]} (in play order) stands twice; expected every card once")
        seen |= mask
    if position.trumps == NO_TRUMP_FIELD and (seen & NO_TRUMP_FIELD).bit_count() > 1:
        raise CardError("two jokers at no trump; expected one at most")
    _check_trick(position)


def check_deals(hands: Ints, like: Position) -> None:
    """Refuse deals that cannot be.

    Args:
        hands: play-order masks [number, 3 or 4].
        like: a position with the same trumps, leader and declarer.

    Raises:
        CardError: the first deal that is wrong, and why.
    """
    if hands.ndim != 2 or hands.shape[1] not in (3, 4):
        raise CardError(f"deals of shape {hands.shape}; expected (number, 3) or (number, 4)")
    sizes = np.bitwise_count(hands)
    union = np.bitwise_or.reduce(hands, axis=1)
    good = (hands >= 0).all(axis=1) & (hands >> 56 == 0).all(axis=1) & (sizes == sizes[:, :1]).all(axis=1)
    good &= (sizes[:, 0] <= MOST_CARDS) & (np.bitwise_count(union) == sizes.sum(axis=1))
    if like.trumps == NO_TRUMP_FIELD:
        good &= np.bitwise_count(union & NO_TRUMP_FIELD) <= 1
    suspects = np.flatnonzero(~good)
    for index in (*suspects[:1], 0):  # the first deal also shows whether the rest is sound
        if index < len(hands):
            check_position(replace(like, hands=tuple(int(hand) for hand in hands[index])))


def _check_sizes(position: Position) -> None:
    count = len(position.hands)
    played = {(position.leader + step) % count for step in range(len(position.trick))}
    sizes = [hand.bit_count() + (seat in played) for seat, hand in enumerate(position.hands)]
    if len(set(sizes)) != 1:
        raise CardError(
            f"hands of {', '.join(map(str, sizes))} cards, those on the table included; expected equal hands"
        )
    if sizes[0] > MOST_CARDS:
        raise CardError(f"hands of {sizes[0]} cards; expected at most {MOST_CARDS}")


def _check_trick(position: Position) -> None:
    trick, trumps = position.trick, position.trumps
    joker_led = bool(trick) and trumps == NO_TRUMP_FIELD and trick[0] & NO_TRUMP_FIELD != 0
    if joker_led != (position.named in PLAIN_FIELDS) or (not joker_led and position.named):
        expected = "the suit it names, one of PLAIN_FIELDS" if joker_led else "0, for no joker has been led"
        raise CardError(f"named field {position.named}; expected {expected}")
    for step, card in enumerate(trick[1:], 1):
        led = position.named or int(field_of(trick[0], trumps))
        hand = position.hands[(position.leader + step) % len(position.hands)]
        if not card & led and hand & led:
            raise CardError(f"card {step + 1} of the trick does not follow although its player holds the suit led")
