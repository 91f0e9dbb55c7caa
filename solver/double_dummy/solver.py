"""The friendly side of the double-dummy search: checks positions, asks the kernels, answers with frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from games.cards import DECK_52, NO_TRUMP, NO_TRUMP_FIELD, TRUMP_FIELD, mask_cards, to_play_order, trump_field
from games.errors import CardError
from games.tricks import field_of, legal_followers
from solver.double_dummy.layout import (
    LANES,
    PLAIN_1,
    PLAIN_2,
    PLAIN_3,
    PLAIN_4,
    SEATS,
    Ints,
    lane_field,
    lane_of,
    pack,
    unpack,
)
from solver.double_dummy.moves import MOST_MOVES, NAMED_SHIFT, default_weights
from solver.double_dummy.search import (
    CUTOFF_BITS,
    FRAME_COLUMNS,
    LED,
    MOVES,
    NEED,
    PLAYED,
    PLIES,
    SEAT,
    TRICKS,
    list_moves,
    load,
    most_tricks,
    play,
    search,
    solve_many,
)
from solver.double_dummy.table import CONTROL_SIZE, ENTRY_COLUMNS, NODES, SLOT_COLUMNS, clear_table

PLAIN_FIELDS: Final = (PLAIN_1, PLAIN_2, PLAIN_3, PLAIN_4)
"""The fields a led joker may name at no trump: the suits C D H S."""

MOST_ENTRIES: Final = 1_200_000
MOST_SHAPES: Final = 1 << 18
MOST_CARDS: Final = 13
ESTIMATE: Final = -1  # as the guess: let the kernel make one


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

    def __init__(self) -> None:
        self._frames = np.zeros((PLIES, FRAME_COLUMNS), dtype=np.int64)
        self._moves = np.zeros((PLIES, 2, MOST_MOVES), dtype=np.int64)
        self._hands = np.zeros(SEATS, dtype=np.int64)
        self._slots = np.zeros((MOST_SHAPES, SLOT_COLUMNS), dtype=np.int64)
        self._entries = np.zeros((MOST_ENTRIES, ENTRY_COLUMNS), dtype=np.int64)
        self._control = np.zeros(CONTROL_SIZE, dtype=np.int64)
        self._cutoffs = np.zeros(1 << CUTOFF_BITS, dtype=np.int64)
        self._weights = default_weights()
        self._loaded: tuple[object, ...] = ()
        self._deal = 0
        self._trumps = 0
        self._size = SEATS
        self._maximizer = 0
        clear_table(self._control)

    @property
    def nodes(self) -> int:
        """Nodes visited so far, for benchmarks."""
        return int(self._control[NODES])

    def tricks(self, position: Position, guess: int | None = None) -> int:
        """Tricks of the declarer's side with best play by both, the current trick included.

        Args:
            position: at any moment of a trick.
            guess: where to begin the search, at least 0; a good one saves time. By default an estimate from high cards.

        Raises:
            CardError: a position that cannot be.
        """
        root = self._load(position)
        return self._value(root, ESTIMATE if guess is None else guess)

    def at_least(self, position: Position, tricks: int) -> bool:
        """Whether the declarer's side takes at least so many tricks; one search, much cheaper than `tricks`.

        Of a declarer who wants the fewest: whether the others can make him take as many.

        Raises:
            CardError: a position that cannot be.
        """
        root = self._load(position)
        if not 1 <= tricks <= self._frames[root, TRICKS]:
            return tricks < 1
        return self._test(root, tricks)

    def cards(self, position: Position) -> tuple[CardValue, ...]:
        """The value of every legal card of the player to move, highest bit first.

        Raises:
            CardError: a position that cannot be, or one without cards.
        """
        root = self._load(position)
        return self._cards(root, self._value(root, ESTIMATE))

    def line(self, position: Position) -> tuple[int, ...]:
        """One best line to the end: the cards in order of play.

        Raises:
            CardError: a position that cannot be.
        """
        root = self._load(position)
        return self._line(root, self._value(root, ESTIMATE))

    def solve(self, position: Position) -> Solution:
        """Tricks, cards and line of a position.

        Raises:
            CardError: a position that cannot be.
        """
        tricks = self.tricks(position)
        cards = self._cards(self._load(position), tricks)
        return Solution(tricks, cards, self._line(self._load(position), tricks))

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
        order = [0, 1, 3] if count == 3 else [0, 1, 2, 3]
        deals = np.zeros((len(hands), SEATS), dtype=np.int64)
        deals[:, order] = np.roll(hands, -like.declarer, axis=1)
        results = np.zeros(len(hands), dtype=np.int64)
        self._loaded = ()
        leader = order[(like.leader - like.declarer) % count]
        solve_many(deals, leader, need, results, *self._arrays(), like.trumps, count, int(like.fewest))
        return results

    def _load(self, position: Position) -> int:
        """Set the kernels' arrays up; returns the ply of the position."""
        check_position(position)
        count = len(position.hands)
        turn = position.declarer
        order = (0, 1, 3) if count == 3 else (0, 1, 2, 3)
        seat_of = {(turn + step) % count: order[step] for step in range(count)}
        hands = [0] * SEATS
        for seat, mask in enumerate(position.hands):
            hands[seat_of[seat]] = mask
        for step, card in enumerate(position.trick):
            hands[seat_of[(position.leader + step) % count]] |= card
        self._deal = hands[0] | hands[1] | hands[2] | hands[3]
        self._trumps, self._size, self._maximizer = position.trumps, count, int(position.fewest)
        loaded = (*hands, position.trumps, count, position.fewest)
        known, self._loaded = loaded == self._loaded, loaded
        load(
            np.array(hands, dtype=np.int64), seat_of[position.leader], position.trumps, known,
            self._frames, self._hands, self._control,
        )  # fmt: skip
        for ply, card in enumerate(position.trick):
            move = int(pack(card, self._deal, position.trumps))
            if ply == 0 and position.named:
                move |= int(lane_of(position.named & -position.named, position.trumps)) << NAMED_SHIFT
            self._play(ply, move)
        return len(position.trick)

    def _play(self, ply: int, move: int) -> None:
        play(self._frames, self._hands, ply, move, self._trumps, self._size)

    def _test(self, root: int, need: int) -> bool:
        self._frames[root, NEED] = need
        return bool(search(*self._arrays(), root, self._trumps, self._size, self._maximizer))

    def _value(self, root: int, guess: int) -> int:
        return int(most_tricks(*self._arrays(), root, self._trumps, self._size, self._maximizer, guess))

    def _arrays(self) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints]:
        return (
            self._frames, self._hands, self._moves, self._slots,
            self._entries, self._control, self._cutoffs, self._weights,
        )  # fmt: skip

    def _list_moves(self, root: int) -> list[int]:
        """The moves of a ply: one card of each run of neighbours, the most promising first."""
        list_moves(
            self._frames, self._hands, self._moves, root, self._trumps, self._size, self._maximizer, self._weights
        )
        return [int(move) for move in self._moves[root, 0, : self._frames[root, MOVES]]]

    def _after(self, root: int, move: int, guess: int) -> int:
        """The declarer's side's tricks from `root` on when a move is played there; the hands are left as they were."""
        seat = int(self._frames[root, SEAT])
        self._frames[root, NEED] = 0
        self._play(root, move)
        won = -int(self._frames[root + 1, NEED])  # by the trick that this card may have completed
        value = won + self._value(root + 1, max(guess - won, 0))
        self._hands[seat] |= move & ((1 << NAMED_SHIFT) - 1)
        return value

    def _cards(self, root: int, tricks: int) -> tuple[CardValue, ...]:
        if self._frames[root, TRICKS] == 0:
            return ()
        values = {move: self._after(root, move, tricks) for move in self._list_moves(root)}
        found = []
        for move in self._legal_moves(root):
            card, named = self._unpack_move(move)
            found.append(CardValue(card, named, values[self._representative(root, move, values)]))
        return tuple(sorted(found, key=lambda value: (-value.card, value.named)))

    def _legal_moves(self, root: int) -> list[int]:
        hand = int(self._hands[self._frames[root, SEAT]])
        if self._frames[root, PLAYED]:
            return [1 << card for card in mask_cards(int(legal_followers(hand, self._frames[root, LED])))]
        moves = []
        for card in mask_cards(hand):
            if self._trumps == NO_TRUMP_FIELD and 1 << card & NO_TRUMP_FIELD:
                moves += [1 << card | lane << NAMED_SHIFT for lane in range(1, LANES)]
            else:
                moves.append(1 << card)
        return moves

    def _representative(self, root: int, move: int, values: Mapping[int, int]) -> int:
        """The searched move that stands for a legal one."""
        if move in values:
            return move
        card = move & ((1 << NAMED_SHIFT) - 1)
        if move != card:  # the joker naming one of several suits that nobody else holds
            others = int(self._hands.sum()) - int(self._hands[self._frames[root, SEAT]])
            named = [m for m in values if m & card]
            return next(m for m in named if not others & int(lane_field(m >> NAMED_SHIFT, self._trumps)))
        field = int(field_of(card, self._trumps))
        return min(other for other in values if other & field and other > card)

    def _line(self, root: int, tricks: int) -> tuple[int, ...]:
        line = []
        ply = root
        while self._frames[ply, TRICKS] > 0:
            moves = self._list_moves(ply)
            # The last one needs no test: some move keeps the value.
            best = next((m for m in moves[:-1] if self._after(ply, m, tricks) == tricks), moves[-1])
            line.append(self._unpack_move(best)[0])
            self._frames[ply, NEED] = 0
            self._play(ply, best)
            tricks += int(self._frames[ply + 1, NEED])
            ply += 1
        return tuple(line)

    def _unpack_move(self, move: int) -> tuple[int, int]:
        """Card and named field of a move, as the asker knows them."""
        named = int(lane_field(move >> NAMED_SHIFT, self._trumps)) if move >> NAMED_SHIFT else 0
        return int(unpack(move & ((1 << NAMED_SHIFT) - 1), self._deal, self._trumps)), named


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
