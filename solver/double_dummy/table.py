"""The transposition table: results stored as partition patterns.

A position at the start of a trick has a *shape* (suit lengths of every hand, who leads) and a *pattern*: who owns
each card, by relative rank, as two words of a bit a remaining card. Which owners mattered for a result is known only
after the search, so an entry keeps those of the highest cards of each lane alone and answers for every position of
its shape that agrees on them. (All positions of a shape have as many cards in each lane, so the bits stand alike.)

Slots hold the first entry of a shape; the entries of a shape form a list. Nothing is erased: a slot of an older
generation counts as empty, and the entries are written again from the first. A full table is forgotten as a whole.
"""

from __future__ import annotations

from typing import Final

from games.jit import kernel, lean_kernel
from solver.double_dummy.layout import Ints

# Columns of a slot: the head is the generation above NEXT_BITS, the first entry below.
SLOT_SHAPE: Final = 0
SLOT_HEAD: Final = 1
SLOT_COLUMNS: Final = 2

# Columns of an entry: the two words of owners, the bits of them that matter, and the rest.
OWNERS_0: Final = 0
OWNERS_1: Final = 1
MASK: Final = 2
REST: Final = 3
ENTRY_COLUMNS: Final = 4

# A shape's entries come in runs that lie side by side, so that a long list is read at the speed of memory.
RUN: Final = 4

# The rest of an entry: the next one, the least and the most tricks.
NEXT_BITS: Final = 24
NOT_FOUND: Final = (1 << NEXT_BITS) - 1
LEAST_SHIFT: Final = 24
MOST_SHIFT: Final = 29
TRICKS_MASK: Final = 31

# Control words.
GENERATION: Final = 0
N_ENTRIES: Final = 1
N_SHAPES: Final = 2
NODES: Final = 3  # visited by the search, for benchmarks
CONTROL_SIZE: Final = 4


@kernel
def hash_of(key: int) -> int:
    """A non-negative mix of a key; its low bits are good."""
    key *= 0x1E3779B97F4A7C15
    key ^= (key >> 32) & 0xFFFFFFFF
    key *= 0x2545F4914F6CDD1D
    return (key >> 32) & 0x7FFFFFFF


@lean_kernel
def clear_table(control: Ints) -> None:
    """Forget everything in constant time."""
    control[GENERATION] += 1
    control[N_ENTRIES] = 0
    control[N_SHAPES] = 0


@kernel
def at_least_of(rest: int) -> int:
    """The least tricks of side 0 that an entry promises, from its column REST."""
    return (rest >> LEAST_SHIFT) & TRICKS_MASK


@lean_kernel
def find_entry(
    slots: Ints, entries: Ints, control: Ints, shape: int, owners_0: int, owners_1: int, need: int
) -> tuple[int, bool]:
    """An entry that agrees with the pattern and settles whether `need` tricks can be had.

    Returns:
        the entry, or NOT_FOUND and whether some entry agrees with the pattern without settling it.
    """
    entry = _first_entry(slots, control, _find_slot(slots, control, shape))
    agreed = False
    while entry != NOT_FOUND:
        rest = entries[entry, REST]
        if ((owners_0 ^ entries[entry, OWNERS_0]) | (owners_1 ^ entries[entry, OWNERS_1])) & entries[entry, MASK] == 0:
            if at_least_of(rest) >= need or (rest >> MOST_SHIFT) & TRICKS_MASK < need:
                return entry, True
            agreed = True
        entry = rest & NOT_FOUND
    return NOT_FOUND, agreed


@lean_kernel
def store(
    slots: Ints,
    entries: Ints,
    control: Ints,
    shape: int,
    owners_0: int,
    owners_1: int,
    mask: int,
    least: int,
    most: int,
    perhaps_known: bool,
) -> None:
    """Add a result at the front of its shape's list, or tighten the entry of the very same pattern.

    Args:
        perhaps_known: whether there may be such an entry, from `find_entry`.
    """
    if control[N_ENTRIES] + RUN > entries.shape[0] or 2 * control[N_SHAPES] >= slots.shape[0]:
        clear_table(control)
    owners_0 &= mask
    owners_1 &= mask
    slot = _find_slot(slots, control, shape)
    first = _first_entry(slots, control, slot)
    entry = first if perhaps_known else NOT_FOUND
    while entry != NOT_FOUND and (
        entries[entry, MASK] != mask or entries[entry, OWNERS_0] != owners_0 or entries[entry, OWNERS_1] != owners_1
    ):
        entry = entries[entry, REST] & NOT_FOUND
    if entry != NOT_FOUND:
        rest = entries[entry, REST]
        least = max(least, at_least_of(rest))
        most = min(most, (rest >> MOST_SHIFT) & TRICKS_MASK)
        entries[entry, REST] = _rest(rest & NOT_FOUND, least, most)
    else:
        if first == NOT_FOUND:
            control[N_SHAPES] += 1
        entry = first + 1
        if first == NOT_FOUND or entry % RUN == 0:
            entry = control[N_ENTRIES]
            control[N_ENTRIES] += RUN
        entries[entry, OWNERS_0] = owners_0
        entries[entry, OWNERS_1] = owners_1
        entries[entry, MASK] = mask
        entries[entry, REST] = _rest(first, least, most)
        slots[slot, SLOT_SHAPE] = shape
        slots[slot, SLOT_HEAD] = control[GENERATION] << NEXT_BITS | entry


@kernel
def _rest(following: int, least: int, most: int) -> int:
    return following | least << LEAST_SHIFT | most << MOST_SHIFT


@lean_kernel
def _find_slot(slots: Ints, control: Ints, shape: int) -> int:
    """The slot of a shape, or the empty one where it belongs."""
    last = slots.shape[0] - 1
    index: int = hash_of(shape) & last
    generation = control[GENERATION]
    while slots[index, SLOT_HEAD] >> NEXT_BITS == generation and slots[index, SLOT_SHAPE] != shape:
        index = (index + 1) & last
    return index


@lean_kernel
def _first_entry(slots: Ints, control: Ints, slot: int) -> int:
    head = slots[slot, SLOT_HEAD]
    return head & NOT_FOUND if head >> NEXT_BITS == control[GENERATION] else NOT_FOUND
