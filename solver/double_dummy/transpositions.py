"""Which results does the search remember? Results as partition patterns, in the transposition table; and the cards that
cut off.

A position at the start of a trick has a *shape* (suit lengths of every hand, and the leader) and a *pattern*: the owner
of each card, by relative rank, as two words with a bit for each remaining card. The search shows afterwards which
owners mattered for a result. An entry keeps these, the highest cards of each lane, and answers for every position of
its shape that agrees on them. (All positions of a shape have as many cards in each lane, so that bits correspond.)

An entry is three words: the owners, and a mask of their relevant bits with the least and the most tricks above it. The
entries of a shape are a list that doubles when it is full, and are read newest first. Slots hold a shape and the place
of its list. Nothing is erased: slots of an older generation count as empty. A full table is cleared as a whole, even in
the middle of a search.

The cut-off memory (`remembered_card`) is a word a situation: a tag of the deal and the situation, and the card. A word
of another situation is never taken for it.

>>> int(hash_key(3)) >= 0
True
"""

from typing import Final, NamedTuple

from towerlab.games.arrays import Ints
from towerlab.games.bits import popcount
from towerlab.games.jit import inlined_kernel, lean_kernel
from towerlab.solver.double_dummy.position import peek, poke


class Transpositions(NamedTuple):
    """The arrays of the table, flat.

    Attributes:
        slots: shape and list, two words a slot.
        entries: three words an entry.
        control: the words below.
        memory: the memory of cards that cut off, 2**MEMORY_BITS words.
    """

    slots: Ints
    entries: Ints
    control: Ints
    memory: Ints


# Control words.
GENERATION: Final = 0  # of the slots; a new one forgets everything
N_SLOTS: Final = 1  # in use, a power of two
N_SHAPES: Final = 2
N_ENTRIES: Final = 3  # handed out to lists
NODES: Final = 4  # visited by the search, for benchmarks
DEAL_WORD: Final = 5  # number of the deal, for the tags of the cut-off memory
FREE: Final = 7  # first freed list by size (a power of two), + 1
MEMORY_MASK: Final = 23  # words of the cut-off memory in use, less 1
CONTROL_SIZE: Final = 24

SLOT_BITS: Final = 16
SHORT_SLOT_BITS: Final = 14  # of a short game
SLOT_WORDS: Final = 2
ENTRY_WORDS: Final = 3

# The list of a slot: generation, first entry, count.
COUNT_BITS: Final = 14
START_BITS: Final = 22
GENERATION_SHIFT: Final = COUNT_BITS + START_BITS
COUNT_MASK: Final = (1 << COUNT_BITS) - 1
START_MASK: Final = (1 << START_BITS) - 1
LAST_GENERATION: Final = (1 << 27) - 2
SHORTEST: Final = 4
LONGEST: Final = 1 << 13

# The third word of an entry.
LEAST_SHIFT: Final = 52
MOST_SHIFT: Final = 56
OWNERS_MASK: Final = (1 << LEAST_SHIFT) - 1

MEMORY_BITS: Final = 15
TAG_MASK: Final = 0x3FFFFFFFFFFFFFC0
CARD_MASK: Final = 63


@inlined_kernel
def hash_key(key: int) -> int:
    """Return a non-negative hash of a key of 62 bits."""
    key *= 0x1E3779B97F4A7C15
    key ^= (key >> 32) & 0xFFFFFFFF
    key *= 0x2545F4914F6CDD1D
    return (key ^ ((key >> 29) & 0x7FFFFFFFF)) & 0x3FFFFFFFFFFFFFFF


@lean_kernel
def forget(transpositions: Transpositions) -> None:
    """Forget every result, in constant time."""
    control = transpositions.control
    generation = peek(control, GENERATION) + 1
    if generation > LAST_GENERATION:
        for index in range(transpositions.slots.shape[0]):
            poke(transpositions.slots, index, 0)
        generation = 1
    poke(control, GENERATION, generation)
    poke(control, N_SHAPES, 0)
    poke(control, N_ENTRIES, 0)
    for size in range(COUNT_BITS + 1):
        poke(control, FREE + size, 0)


@inlined_kernel
def find_slot(transpositions: Transpositions, shape: int) -> tuple[int, int]:
    """Return the word where the slot of a shape begins, or the empty one where it belongs, and its list, 0 if empty."""
    n_slots = peek(transpositions.control, N_SLOTS)
    generation = peek(transpositions.control, GENERATION)
    index = hash_key(shape) & (n_slots - 1)
    while True:
        slot = SLOT_WORDS * index
        listed = peek(transpositions.slots, slot + 1)
        if listed >> GENERATION_SHIFT != generation:
            return slot, 0
        if peek(transpositions.slots, slot) == shape:
            return slot, listed
        index = (index + 1) & (n_slots - 1)


@inlined_kernel
def find_entry(
    transpositions: Transpositions, shape: int, owners_0: int, owners_1: int, need: int
) -> tuple[bool, bool, int]:
    """Return whether an entry settles if `need` tricks can be had with a pattern, if they can, and the entry's mask."""
    _, listed = find_slot(transpositions, shape)
    entries = transpositions.entries
    start = ENTRY_WORDS * ((listed >> COUNT_BITS) & START_MASK)
    place = start + ENTRY_WORDS * (listed & COUNT_MASK)
    while place > start:
        place -= ENTRY_WORDS
        rest = peek(entries, place + 2)
        if ((owners_0 ^ peek(entries, place)) | (owners_1 ^ peek(entries, place + 1))) & rest & OWNERS_MASK == 0:
            won = (rest >> LEAST_SHIFT) & 15 >= need
            if won or rest >> MOST_SHIFT < need:
                return True, won, rest & OWNERS_MASK
    return False, False, 0


@inlined_kernel
def store_entry(
    transpositions: Transpositions, shape: int, owners_0: int, owners_1: int, mask: int, least: int, most: int
) -> None:
    """Add a result at the front of its shape's list."""
    slot, listed = find_slot(transpositions, shape)
    count = listed & COUNT_MASK
    if count == 0 or (count >= SHORTEST and count & (count - 1) == 0):
        slot, listed = _make_room(transpositions, slot, listed, shape)
    poke(transpositions.slots, slot + 1, listed + 1)
    place = ENTRY_WORDS * (((listed >> COUNT_BITS) & START_MASK) + (listed & COUNT_MASK))
    poke(transpositions.entries, place, owners_0 & mask)
    poke(transpositions.entries, place + 1, owners_1 & mask)
    poke(transpositions.entries, place + 2, mask | least << LEAST_SHIFT | most << MOST_SHIFT)


@lean_kernel
def _make_room(transpositions: Transpositions, slot: int, listed: int, shape: int) -> tuple[int, int]:
    """Return the slot and the list of a shape with room for one more entry."""
    control = transpositions.control
    entries = transpositions.entries
    count = listed & COUNT_MASK
    old = (listed >> COUNT_BITS) & START_MASK
    generation = peek(control, GENERATION)
    if count == LONGEST:  # forget this shape's
        return slot, generation << GENERATION_SHIFT | old << COUNT_BITS
    size = 2 * count if count else SHORTEST
    short = (
        ENTRY_WORDS * (peek(control, N_ENTRIES) + size) > entries.shape[0]
        and peek(control, FREE + popcount(size - 1)) == 0
    )
    if short or (count == 0 and 2 * peek(control, N_SHAPES) >= peek(control, N_SLOTS)):
        forget(transpositions)
        generation = peek(control, GENERATION)
        count = 0
        size = SHORTEST
        slot, listed = find_slot(transpositions, shape)
    start = _new_list(transpositions, size)
    if count == 0:
        poke(control, N_SHAPES, peek(control, N_SHAPES) + 1)
        poke(transpositions.slots, slot, shape)
    else:
        for word in range(ENTRY_WORDS * count):
            poke(entries, ENTRY_WORDS * start + word, peek(entries, ENTRY_WORDS * old + word))
        free = FREE + popcount(count - 1)
        poke(entries, ENTRY_WORDS * old, peek(control, free))
        poke(control, free, old + 1)
    return slot, generation << GENERATION_SHIFT | start << COUNT_BITS | count


@lean_kernel
def _new_list(transpositions: Transpositions, size: int) -> int:
    """Return the first entry of a new list: a freed one if there is any."""
    control = transpositions.control
    free = FREE + popcount(size - 1)
    start = peek(control, free) - 1
    if start >= 0:
        poke(control, free, peek(transpositions.entries, ENTRY_WORDS * start))
        return start
    start = peek(control, N_ENTRIES)
    poke(control, N_ENTRIES, start + size)
    return start


@inlined_kernel
def remembered_card(transpositions: Transpositions, place: int, tag: int) -> int:
    """Return the card that cut off in a situation, as a mask, or 0.

    Args:
        place, tag: the place and the tag of the situation, from `find_situation`.
    """
    word = peek(transpositions.memory, place)
    return 1 << (word & CARD_MASK) if word & ~CARD_MASK == tag else 0


@inlined_kernel
def find_situation(transpositions: Transpositions, cards: int, seat: int, best: int) -> tuple[int, int]:
    """Return where the cut-off memory keeps a situation of this deal, and its tag.

    Args:
        cards: the leader's hand, or of a follower all cards of the suit led, those of the trick included.
        seat: the seat to play.
        best: the number of the card that is winning, or 63 for a lead.
    """
    key = hash_key(cards + (peek(transpositions.control, DEAL_WORD) << 8 | seat << 6 | best) * 0x1B873593CC9E2D51)
    return key & peek(transpositions.control, MEMORY_MASK), key & TAG_MASK
