"""What does a play in Towers do? The rules as kernels, once for the engine, the simulator and the solver.

Values are 1..13 (A = 1, J Q K = 11..13), columns 0..3 from the left; column c + 1 follows column c, and in a square
column 0 follows column 3. *Span* s joins column s and the one after it. A *place* of a play is a column 0..3, or
4 + s for a bridge over span s. An *action* is ``8 * value + place``, or the column 0..3 that is razed.

Board: int64[4, 53]. ``board[c, 0]`` is the height of column c and ``board[c, i]`` its section at level i = 1, 2, …;
what lies above the height is undefined. A section is ``value + 16 * kind``, kind 0 a tower card, 1 + s a bridge over
span s. The k-th bridge over a span is the same one in both its columns: bridges over one span never pass each other.
Only during a cascade do sections carry marks above these bits (an end of a bridge has a mark of its own).

Log: int64[54, 3] or int64[0, 3] for none. ``log[0, 0]`` is how many rows follow; a row is (batch, step, section), rows
of one batch were destroyed at the same moment.

Rules: the array of `TowersOptions.rules`.

>>> bridge = 11 + 16 * 2  # a jack over the second span
>>> value_of(bridge), span_of(bridge)
(11, 1)
"""

from typing import Final

import numpy as np

from towerlab.games.arrays import Array
from towerlab.games.jit import lean_kernel
from towerlab.games.towers.options import (
    ACE_STRENGTH,
    EQUAL_SUPPORTS,
    LANDING_NEEDS_BOTH_ENDS,
    LEVEL_BOTH,
    LEVEL_HIGHER,
    ONE_PAIR_ONLY,
    SPANS,
    SUPPORT_AFTER_BRIDGE_LOSS,
    SUPPORT_CHECK,
    SUPPORT_OFF,
    UNEVEN_LEVEL,
)

PACK_SIZE: Final = 52
COLUMNS: Final = 4
MOST_PLACES: Final = 8
ACE: Final = 1
KING: Final = 13

# Steps of the log, in the order of TR-7, TR-11 and TR-8.
MATCH, RAZE, LANDING, CRUSHING, INSTABILITY, SUPPORT, EQUAL_LEVEL = range(7)
STEPS: Final = ("match", "raze", "landing", "crushing", "instability", "support", "equal level")

_VALUE: Final = 15
_KIND: Final = 7 << 4
_FALLING: Final = 1 << 7  # what lay under this end is gone and the end has not yet come down
_BEREFT: Final = 1 << 8  # the card stood on a bridge that was lost as unstable
_DOOMED: Final = 1 << 9  # goes with the next sweep
_STABLE: Final = _VALUE | _KIND


def new_board() -> Array:
    """Return an empty board: int64[4, 53]."""
    return np.zeros((COLUMNS, PACK_SIZE + 1), dtype=np.int64)


def new_log() -> Array:
    """Return a log with room for a whole pack: int64[54, 3]."""
    return np.zeros((PACK_SIZE + 2, 3), dtype=np.int64)


NO_LOG: Final = np.zeros((0, 3), dtype=np.int64)


# ------------------------------------------------------------------------------------------------------ legal plays


@lean_kernel
def value_of(section: int) -> int:
    """Value 1..13 of a section."""
    return section & _VALUE


@lean_kernel
def span_of(section: int) -> int:
    """Span 0..3 of a bridge, -1 for a tower card."""
    return ((section & _KIND) >> 4) - 1


@lean_kernel
def bearing_strength(section: int, rules: Array) -> int:
    """Return the highest value of a tower card that a section carries when supports are checked (TR-8, TR-6).

    Arrays: rules int64[9].
    """
    value = section & _VALUE
    if value == ACE:
        return KING
    return value if rules[EQUAL_SUPPORTS] else value - 1


@lean_kernel
def highest_placeable(board: Array, column: int) -> int:
    """The highest value that may be put on a column: as high as its top, any on an ace or the ground (TR-5, TR-6).

    Arrays: board int64[4, 53].
    """
    height = board[column, 0]
    top = value_of(board[column, height]) if height > 0 else ACE
    return KING if top == ACE else top


@lean_kernel
def can_span(board: Array, span: int, rules: Array) -> bool:
    """Return whether a bridge, of any value, may be laid over the span (TR-5c).

    Arrays: board int64[4, 53], rules int64[9].
    """
    after = (span + 1) & 3
    height = board[span, 0]
    if span >= rules[SPANS] or height == 0 or board[after, 0] != height:
        return False
    return span_of(board[span, height]) != span or span_of(board[after, height]) != span


@lean_kernel
def open_spans(board: Array, rules: Array) -> int:
    """Mask of the places 4..7 where a bridge may be laid.

    Arrays: board int64[4, 53], rules int64[9].
    """
    places = 0
    for span in range(rules[SPANS]):
        if can_span(board, span, rules):
            places |= 16 << span
    return places


@lean_kernel
def open_columns(board: Array, value: int) -> int:
    """Mask of the places 0..3 where a card of that value may stand.

    Arrays: board int64[4, 53].
    """
    places = 0
    for column in range(COLUMNS):
        if highest_placeable(board, column) >= value:
            places |= 1 << column
    return places


@lean_kernel
def legal_places(board: Array, value: int, rules: Array) -> int:
    """Mask of all places where a card of that value may be played.

    Arrays: board int64[4, 53], rules int64[9].
    """
    return open_columns(board, value) | open_spans(board, rules)


# -------------------------------------------------------------------------------------------------- an action


@lean_kernel
def meets_equal(board: Array, place: int, value: int, rules: Array) -> bool:
    """Return whether a card played there would meet an equal one and so destroy anything at all (TR-7).

    Arrays: board int64[4, 53], rules int64[9].
    """
    column = place & 3
    second = (column + 1) & 3 if place >= COLUMNS else column
    level = board[column, 0] + 1
    for other in range(COLUMNS):
        if other not in (column, second) and is_equal_at(board, other, level, value, rules):
            return True
    return False


@lean_kernel
def is_equal_at(board: Array, column: int, level: int, value: int, rules: Array) -> bool:
    """Return whether a column has a section of that value that meets its equals at that level.

    Arrays: board int64[4, 53], rules int64[9].
    """
    if board[column, 0] < level or value_of(board[column, level]) != value:
        return False
    return meets_equals_at(board, column, level, rules)


@lean_kernel
def resolve(board: Array, action: int, rules: Array, log: Array) -> int:
    """Carry out a play or a raze on a board and all that follows (TR-7, TR-8, TR-11); the sections collected.

    Args:
        action: ``8 * value + place`` for a card at a legal place, or the column 0..3 to raze.

    Arrays: board int64[4, 53], rules int64[9], log int64[54, 3] or int64[0, 3].
    """
    if log.shape[0] > 0:
        log[0, 0] = 0
    place = action & 7
    value = action >> 3
    step = MATCH
    if value == 0:
        step = RAZE
        for level in range(1, board[place, 0] + 1):
            mark_doomed(board, place, level)
    else:
        matched = meets_equal(board, place, value, rules)
        column = place & 3
        second = (column + 1) & 3 if place >= COLUMNS else column
        level = board[column, 0] + 1
        section = value if second == column else value + 16 * (column + 1)
        board[column, 0] = level
        board[column, level] = section
        board[second, 0] = level
        board[second, level] = section
        if not matched:
            return 0
        for other in range(COLUMNS):
            if other not in (column, second) and is_equal_at(board, other, level, value, rules):
                mark_doomed(board, other, level)
        mark_doomed(board, column, level)
    sweep(board, step, 0, log)
    return cascade(board, rules, log)


# ---------------------------------------------------------------------------------------------------- the cascade


@lean_kernel
def cascade(board: Array, rules: Array, log: Array) -> int:
    """Apply the first step of TR-8 that destroys something, again and again; the number of sections destroyed.

    The board is one that stood before the sweep that has just been made; without `equal_supports` cards may have been
    placed on their equals, which do not carry them once supports are checked.

    Arrays: board int64[4, 53], rules int64[9], log int64[54, 3] or int64[0, 3].
    """
    marks = all_marks(board)
    if marks & _FALLING == 0 and rules[EQUAL_SUPPORTS]:  # only tops are gone: nothing moved, so nothing can happen
        return 0
    has_bridges = marks & _KIND != 0
    collected = 0
    batch = 0
    while True:
        if has_bridges and mark_landings(board, rules):
            step = LANDING
        elif has_bridges and mark_crushed(board, rules):
            step = CRUSHING
        elif has_bridges and mark_unstable(board):
            step = INSTABILITY
        elif mark_weak_support(board, rules):
            step = SUPPORT
        elif mark_equals(board, rules):
            step = EQUAL_LEVEL
        else:
            break
        batch += 1
        collected += sweep(board, step, batch, log)
    for column in range(COLUMNS):
        for level in range(1, board[column, 0] + 1):
            board[column, level] &= _STABLE
    return collected


@lean_kernel
def all_marks(board: Array) -> int:
    """Return every bit that occurs in some section.

    Arrays: board int64[4, 53].
    """
    bits = 0
    for column in range(COLUMNS):
        for level in range(1, board[column, 0] + 1):
            bits |= board[column, level]
    return bits


@lean_kernel
def far_column(span: int, column: int) -> int:
    """Return the column at the other end of a bridge over the span."""
    return (span + 1) & 3 if column == span else span


@lean_kernel
def other_end(board: Array, column: int, level: int) -> int:
    """Return the level of a bridge in its other column, by counting the bridges over its span from the ground.

    Arrays: board int64[4, 53].
    """
    kind = board[column, level] & _KIND
    other = far_column((kind >> 4) - 1, column)
    missing = 0
    for i in range(1, level + 1):
        missing += (board[column, i] & _KIND) == kind
    height = 0
    while missing > 0:
        height += 1
        missing -= (board[other, height] & _KIND) == kind
    return height


@lean_kernel
def meets_equals_at(board: Array, column: int, level: int, rules: Array) -> bool:
    """Return whether a section meets its equals at this level of this column.

    Arrays: board int64[4, 53], rules int64[9].
    """
    if rules[UNEVEN_LEVEL] == LEVEL_BOTH or board[column, level] & _KIND == 0:
        return True
    difference = level - other_end(board, column, level)
    return difference == 0 or (difference > 0) == (rules[UNEVEN_LEVEL] == LEVEL_HIGHER)


@lean_kernel
def mark_doomed(board: Array, column: int, level: int) -> None:
    """Mark a section, both its ends if it is a bridge, to go with the next sweep.

    Arrays: board int64[4, 53].
    """
    section = board[column, level]
    span = span_of(section)
    if span >= 0:
        board[far_column(span, column), other_end(board, column, level)] |= _DOOMED
    board[column, level] = section | _DOOMED


@lean_kernel
def sweep(board: Array, step: int, batch: int, log: Array) -> int:
    """Remove all doomed sections at once; what stood on them drops and is marked (TR-9). How many were removed.

    Arrays: board int64[4, 53], log int64[54, 3] or int64[0, 3].
    """
    removed = 0
    for column in range(COLUMNS):
        height = 0
        support_gone = 0
        for level in range(1, board[column, 0] + 1):
            section = board[column, level]
            if section & _DOOMED:
                support_gone = _FALLING | _BEREFT if step == INSTABILITY else _FALLING
                span = span_of(section)
                if span < 0 or span == column:  # a bridge is one section: counted in its first column
                    removed += 1
                    if log.shape[0] > 0:
                        log[0, 0] += 1
                        log[log[0, 0], 0] = batch
                        log[log[0, 0], 1] = step
                        log[log[0, 0], 2] = section & _STABLE
            else:
                height += 1
                board[column, height] = section | support_gone
                support_gone = 0
        board[column, 0] = height
    return removed


@lean_kernel
def mark_landings(board: Array, rules: Array) -> bool:
    """TR-8 step 1: every bridge with an end that came down on the ground or on a bridge.

    Arrays: board int64[4, 53], rules int64[9].
    """
    is_any = False
    for column in range(COLUMNS):
        for level in range(1, board[column, 0] + 1):
            section = board[column, level]
            if section & _FALLING == 0:
                continue
            board[column, level] = section & ~_FALLING
            span = span_of(section)
            if span < 0:
                continue
            lost = level == 1
            if level > 1 and span_of(board[column, level - 1]) >= 0:
                lost = True
                if rules[LANDING_NEEDS_BOTH_ENDS]:
                    other = far_column(span, column)
                    there = other_end(board, column, level)
                    lost = there > 1 and span_of(board[other, there - 1]) >= 0
            if lost:
                mark_doomed(board, column, level)
                is_any = True
    return is_any


@lean_kernel
def mark_crushed(board: Array, rules: Array) -> bool:
    """TR-8 step 2: the lowest, then leftmost section under the higher end of an uneven bridge that it cannot bear.

    Arrays: board int64[4, 53], rules int64[9].
    """
    highest = max(max(board[0, 0], board[1, 0]), max(board[2, 0], board[3, 0]))
    for level in range(2, highest + 1):
        for column in range(COLUMNS):
            if board[column, 0] < level or board[column, level] & _KIND == 0:
                continue
            under = board[column, level - 1] & _VALUE
            strength = rules[ACE_STRENGTH] if under == ACE else under
            if value_of(board[column, level]) >= strength and other_end(board, column, level) < level:
                mark_doomed(board, column, level - 1)
                return True
    return False


@lean_kernel
def mark_unstable(board: Array) -> bool:
    """TR-8 step 3: every bridge uneven by two or more.

    Arrays: board int64[4, 53].
    """
    is_any = False
    for column in range(COLUMNS):
        for level in range(1, board[column, 0] + 1):
            if span_of(board[column, level]) == column and abs(other_end(board, column, level) - level) >= 2:
                mark_doomed(board, column, level)
                is_any = True
    return is_any


@lean_kernel
def mark_weak_support(board: Array, rules: Array) -> bool:
    """TR-8 step 3b: the lowest, then leftmost section that is too weak for the tower card on it.

    Arrays: board int64[4, 53], rules int64[9].
    """
    if rules[SUPPORT_CHECK] == SUPPORT_OFF:
        return False
    highest = max(max(board[0, 0], board[1, 0]), max(board[2, 0], board[3, 0]))
    for level in range(2, highest + 1):
        for column in range(COLUMNS):
            if board[column, 0] < level or board[column, level] & _KIND != 0:
                continue
            if rules[SUPPORT_CHECK] == SUPPORT_AFTER_BRIDGE_LOSS and board[column, level] & _BEREFT == 0:
                continue
            if bearing_strength(board[column, level - 1], rules) < value_of(board[column, level]):
                mark_doomed(board, column, level - 1)
                return True
    return False


@lean_kernel
def mark_equals(board: Array, rules: Array) -> bool:
    """TR-8 step 4: all sections with an equal at their level in another column, or the lowest, leftmost pair.

    Arrays: board int64[4, 53], rules int64[9].
    """
    is_any = False
    highest = max(max(board[0, 0], board[1, 0]), max(board[2, 0], board[3, 0]))
    for level in range(1, highest + 1):
        for column in range(COLUMNS - 1):
            if board[column, 0] < level:
                continue
            for other in range(column + 1, COLUMNS):
                if board[other, 0] >= level and are_level_equals(board, column, other, level, rules):
                    mark_doomed(board, column, level)
                    mark_doomed(board, other, level)
                    if rules[ONE_PAIR_ONLY]:
                        return True
                    is_any = True
    return is_any


@lean_kernel
def are_level_equals(board: Array, column: int, other: int, level: int, rules: Array) -> bool:
    """Return whether two columns hold equal sections at a level that meet there and are not one and the same bridge.

    Arrays: board int64[4, 53], rules int64[9].
    """
    first, second = board[column, level], board[other, level]
    if value_of(first) != value_of(second):
        return False
    span = span_of(first)
    one_bridge_could_be_both = span >= 0 and span == span_of(second) and other == far_column(span, column)
    if one_bridge_could_be_both and other_end(board, column, level) == level:
        return False
    return meets_equals_at(board, column, level, rules) and meets_equals_at(board, other, level, rules)
