"""How many tricks does the leader take? Every position of a two-hand trick game with the 24-card pack, solved: the
tricks of the leader under best play.

Only the order of the owners inside each field matters once cards out of play are taken away. A position is therefore
four field lengths (at most 6, 6, 5, 7) and a string of owners, one bit a card from the lowest plain card up to the
right bower. For hands of n = 1..7 cards there are 959,570 of them, one byte each, built from n = 1 up.

Both sides see all cards (double-dummy). A payoff that never falls with one's own tricks needs no other table: its
best play is that of most tricks.

Everything here takes play-order masks (`games.cards`) of equal numbers of cards; `printed_tricks` takes printed ones.

>>> from towerlab.games.cards import parse_mask
>>> Tablebase.load().tricks(parse_mask("JS 9H"), parse_mask("AS AH"), trump=3)
1
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.bits import extract_bits, lowest_bit, popcount
from towerlab.games.cards import DECK_24, SUIT_BITS, TRUMP_FIELD, TRUMP_SHIFT, mask_cards, to_play_order
from towerlab.games.errors import CardError
from towerlab.games.jit import kernel
from towerlab.games.tricks import field_of, leader_wins, legal_followers

MOST_CARDS: Final = 7
FIELD_SIZES: Final = (6, 6, 5, 7)
POSITIONS: Final = 959_570

_KEYS: Final = 1 << 12  # a position's four lengths as one number, three bits each


class TablebaseArrays(NamedTuple):
    """The arrays that kernels look positions up in.

    Attributes:
        tricks: int8[959570], the leader's tricks.
        start: int32[4096], where the block of each four field lengths begins.
        rank: int16[16384], rank of a string of owners among those with as many ones (colexicographic, hence the
            same for every length).
    """

    tricks: NDArray[np.int8]
    start: NDArray[np.int32]
    rank: NDArray[np.int16]


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def leader_tricks(tablebase: TablebaseArrays, leader: int, follower: int) -> int:
    """Return the tricks the leader takes of an even position (both hold n cards, nothing led yet)."""
    held = leader | follower
    key = (
        popcount(held & SUIT_BITS)
        + 8 * popcount(held & (SUIT_BITS << 13))
        + 64 * popcount(held & (SUIT_BITS << 26))
        + 512 * popcount(held >> TRUMP_SHIFT)
    )
    # Unsigned indices spare numba the test for negative ones: a quarter of the time.
    position = tablebase.start[np.uint64(key)] + tablebase.rank[np.uint64(extract_bits(leader, held))]
    return int(tablebase.tricks[np.uint64(position)])


@kernel
def printed_tricks(tablebase: TablebaseArrays, leader: int, follower: int, trump: int) -> int:
    """As `leader_tricks`, from printed masks and a trump suit 0..3."""
    return leader_tricks(tablebase, to_play_order(leader, trump, True), to_play_order(follower, trump, True))


@kernel
def reply_tricks(tablebase: TablebaseArrays, leader: int, follower: int, led: int, reply: int) -> int:
    """Return the tricks of the leader, this one included, after a trick of these two cards (each a mask of one bit)."""
    leader_left = leader & ~led
    follower_left = follower & ~reply
    if leader_wins(led, reply, TRUMP_FIELD):
        return 1 + (leader_tricks(tablebase, leader_left, follower_left) if leader_left else 0)
    return popcount(leader_left) - (leader_tricks(tablebase, follower_left, leader_left) if leader_left else 0)


@kernel
def lead_tricks(tablebase: TablebaseArrays, leader: int, follower: int, led: int) -> int:
    """Return the tricks of the leader once `led` lies on the table and the follower replies best."""
    fewest = MOST_CARDS + 1
    replies = legal_followers(follower, field_of(led, TRUMP_FIELD))
    while replies:
        reply = lowest_bit(replies)
        replies ^= reply
        fewest = min(fewest, reply_tricks(tablebase, leader, follower, led, reply))
    return fewest


@kernel
def rest_tricks(tablebase: TablebaseArrays, leaders: Any, followers: Any, led: Any) -> Any:
    """int64[positions]: the leader's tricks of many positions, some with a card led; 0 where no cards are left.

    Args:
        tablebase: the arrays of the tablebase.
        leaders, followers: int64[positions], play-order masks of the cards in hand.
        led: int64[positions], the mask of the card that the leader has led, or 0.
    """
    tricks = np.zeros(leaders.shape[0], dtype=np.int64)
    for row in range(leaders.shape[0]):
        if led[row]:
            tricks[row] = lead_tricks(tablebase, leaders[row] | led[row], followers[row], led[row])
        elif leaders[row]:
            tricks[row] = leader_tricks(tablebase, leaders[row], followers[row])
    return tricks


@kernel
def best_lead_tricks(tablebase: TablebaseArrays, leader: int, follower: int) -> int:
    """Return the tricks of the leader by one step of search over the table: how the table itself is built."""
    most = -1
    leads = leader
    while leads:
        led = lowest_bit(leads)
        leads ^= led
        most = max(most, lead_tricks(tablebase, leader, follower, led))
    return most


@kernel
def _fill(tablebase: TablebaseArrays, lengths: Any, strings: Any) -> None:
    """Solve all positions of one hand size, the size below being there already.

    Args:
        lengths: int64[blocks, 4], the field lengths of every block.
        strings: int64[C(2n, n)], the strings of owners in the order of their rank.
    """
    for block in range(lengths.shape[0]):
        held = 0
        key = 0
        for field in range(4):
            held |= ((1 << lengths[block, field]) - 1) << (13 * field)
            key |= lengths[block, field] << (3 * field)
        for rank in range(strings.shape[0]):
            leader = _deal_string(strings[rank], lengths[block])
            tablebase.tricks[tablebase.start[key] + rank] = best_lead_tricks(tablebase, leader, held & ~leader)


@kernel
def _deal_string(string: int, lengths: Any) -> int:
    """Return the leader's play-order mask when each field's cards are its lowest ones."""
    leader = 0
    for field in range(4):
        leader |= (string & ((1 << lengths[field]) - 1)) << (13 * field)
        string >>= lengths[field]
    return leader


# ----------------------------------------------------------------------------------------------------------- build


def _blocks(cards: int) -> list[tuple[int, int, int, int]]:
    """Return all field lengths of positions with `cards` cards a hand."""
    ranges = (range(size + 1) for size in FIELD_SIZES)
    a, b, c, d = ranges
    return [(i, j, k, m) for m in d for k in c for j in b for i in a if i + j + k + m == 2 * cards]


@functools.cache
def subsets(size: int, count: int) -> NDArray[np.int64]:
    """int64[subsets]: all masks of `count` of `size` places, ascending (which is colexicographic order)."""
    masks = np.arange(1 << size, dtype=np.int64)
    chosen: NDArray[np.int64] = masks[np.bitwise_count(masks) == count]
    return chosen


@functools.lru_cache(maxsize=1)
def load_tablebase() -> TablebaseArrays:
    """Build the tablebase (once a process; a fraction of a second after the kernels are compiled)."""
    start = np.zeros(_KEYS, dtype=np.int32)
    rank = np.zeros(1 << 2 * MOST_CARDS, dtype=np.int16)
    tablebase = TablebaseArrays(np.zeros(POSITIONS, dtype=np.int8), start, rank)
    position = 0
    for cards in range(1, MOST_CARDS + 1):
        strings = subsets(2 * cards, cards)
        blocks = _blocks(cards)
        rank[strings] = np.arange(len(strings))
        for i, j, k, m in blocks:
            start[i | j << 3 | k << 6 | m << 9] = position
            position += len(strings)
        _fill(tablebase, np.array(blocks, dtype=np.int64), strings)
    assert position == POSITIONS
    return tablebase


# --------------------------------------------------------------------------------------------------- friendly side


@dataclass(frozen=True)
class Tablebase:
    """Look-ups with checks, for people and programs that do not count nanoseconds.

    Hands are printed masks of equal size, 1..7 cards of the 24-card pack; `trump` is a suit 0..3; cards are ids.

    Raises:
        CardError: hands of unequal or impossible size, or with a common card (every method).
    """

    tablebase: TablebaseArrays

    @classmethod
    def load(cls) -> Tablebase:
        return cls(load_tablebase())

    def tricks(self, leader: int, follower: int, trump: int) -> int:
        """Return the tricks of the leader."""
        _check_hands(leader, follower)
        return int(printed_tricks(self.tablebase, leader, follower, trump))

    def leads(self, leader: int, follower: int, trump: int) -> dict[int, int]:
        """Return the tricks of the leader for each card that can be led."""
        _check_hands(leader, follower)
        hands = _in_play_order(leader, trump), _in_play_order(follower, trump)
        return {
            card: int(lead_tricks(self.tablebase, *hands, to_play_order(1 << card, trump, True)))
            for card in mask_cards(leader)
        }

    def replies(self, leader: int, follower: int, trump: int, led: int) -> dict[int, int]:
        """Return the tricks of the leader, this trick included, for each legal reply to `led` (still in `leader`)."""
        _check_hands(leader, follower)
        hands = _in_play_order(leader, trump), _in_play_order(follower, trump)
        led_bit = _in_play_order(1 << led, trump)
        legal = legal_followers(hands[1], field_of(led_bit, TRUMP_FIELD))
        return {
            card: int(reply_tricks(self.tablebase, *hands, led_bit, bit))
            for card in mask_cards(follower)
            if (bit := _in_play_order(1 << card, trump)) & legal
        }

    def line(self, leader: int, follower: int, trump: int) -> list[tuple[int, int]]:
        """One game of best play: (card led, reply) a trick; of equal cards the lower one in play order is played."""
        tricks: list[tuple[int, int]] = []
        while leader:
            leads = self.leads(leader, follower, trump)
            led = min(leads, key=lambda card: (-leads[card], _in_play_order(1 << card, trump)))
            replies = self.replies(leader, follower, trump, led)
            reply = min(replies, key=lambda card: (replies[card], _in_play_order(1 << card, trump)))
            tricks.append((led, reply))
            leader, follower = leader & ~(1 << led), follower & ~(1 << reply)
            if not leader_wins(_in_play_order(1 << led, trump), _in_play_order(1 << reply, trump), TRUMP_FIELD):
                leader, follower = follower, leader
        return tricks


def _in_play_order(mask: int, trump: int) -> int:
    return int(to_play_order(mask, trump, True))


def _check_hands(leader: int, follower: int) -> None:
    sizes = leader.bit_count(), follower.bit_count()
    if sizes[0] != sizes[1] or not 1 <= sizes[0] <= MOST_CARDS:
        raise CardError(f"hands of {sizes[0]} and {sizes[1]} cards; expected equal hands of 1 to {MOST_CARDS} cards")
    if leader & follower or (leader | follower) & ~DECK_24:
        raise CardError("a card is in both hands or not in the pack of 24; expected two different hands of that pack")
