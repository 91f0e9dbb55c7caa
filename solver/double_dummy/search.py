"""The search: zero windows over single cards, with an explicit stack.

Side 0 is the declarer's (seats 0 and 2), side 1 the others (seats 1 and 3; three hands leave seat 2 empty). A test asks
whether side 0 takes at least so many tricks. One side, the *maximizer*, wants it to: side 0 itself, or side 1 when
the declarer plays to lose.

Each result carries the relevant cards of its proof (see table.py); a parent's proof needs those of the one child that
decided it, or of all its children, and the winner of a trick that was won by rank.
"""

from __future__ import annotations

from typing import Final

from games.bits import deposit_bits, extract_bits, highest_index, lowest_bit, popcount
from games.cards import NO_TRUMP_FIELD
from games.jit import kernel, lean_kernel
from games.tricks import beats, field_of, legal_followers
from solver.double_dummy.bounds import (
    first_guess,
    judge_misere,
    quick_tricks,
    sure_tricks,
    top_trumps,
    tricks_of_second_side,
)
from solver.double_dummy.layout import (
    ALL_CARDS,
    LANES,
    SEATS,
    Ints,
    lane_field,
    lengths,
    pack,
    prefixes,
)
from solver.double_dummy.moves import (
    AT_NO_TRUMP,
    AT_SUIT,
    MISERE_SIDE_0,
    MISERE_SIDE_1,
    NAMED_SHIFT,
    THREE_AT_NO_TRUMP,
    THREE_AT_SUIT,
    follow_moves,
    lead_moves,
    promote,
)
from solver.double_dummy.table import (
    MASK,
    NODES,
    NOT_FOUND,
    REST,
    at_least_of,
    clear_table,
    find_entry,
    hash_of,
    store,
)

# Columns of a frame: the position before the card of one ply, and the state of the loop over its moves.
SEAT: Final = 0  # to play
PLAYED: Final = 1  # cards on the table
LED: Final = 2  # field to follow, 0 at the start of a trick
BEST: Final = 3  # card that is winning; before a lead, the winner of the last trick
BEST_SEAT: Final = 4
TRICK: Final = 5  # cards on the table; before a lead, the last trick
NEED: Final = 6  # tricks side 0 has to take from here, this one included
TRICKS: Final = 7  # that remain, this one included
SHAPE: Final = 8  # key of the table, at the start of a trick
MOVES: Final = 9  # how many moves there are
NEXT: Final = 10  # number of the next one
CARD: Final = 11  # the one being tried
RELEVANT: Final = 12  # relevant cards of the failed ones
OWNERS_0: Final = 13  # pattern words, at the start of a trick
OWNERS_1: Final = 14
AGREED: Final = 15  # whether the table has an entry of this pattern that did not settle it
FRAME_COLUMNS: Final = 16

PLIES: Final = 56
CUTOFF_BITS: Final = 18


@lean_kernel
def load(
    masks: Ints,
    leader: int,
    trumps: int,
    known: bool,
    frames: Ints,
    hands: Ints,
    control: Ints,
) -> None:
    """Fill the first frame with the start of a deal's first trick.

    Args:
        masks: play-order hands [SEATS], of three hands with an empty seat 2.
        leader: seat that leads.
        trumps: trump field.
        known: whether the table is still that of this deal; else it is cleared.
        frames, hands, control: output, see `search`.
    """
    deal = masks[0] | masks[1] | masks[2] | masks[3]
    for seat in range(SEATS):
        hands[seat] = pack(masks[seat], deal, trumps)
    if not known:
        clear_table(control)
    frames[0, :] = 0
    frames[0, SEAT] = leader
    frames[0, TRICKS] = popcount(hands[0])


@lean_kernel
def play(frames: Ints, hands: Ints, ply: int, move: int, trumps: int, trick_size: int) -> None:
    """Play a move of the ply's player: takes the card from his hand and fills the next frame."""
    card = move & ALL_CARDS
    seat = frames[ply, SEAT]
    hands[seat] ^= card
    frames[ply, CARD] = card
    child = ply + 1
    played = frames[ply, PLAYED] + 1
    best = frames[ply, BEST]
    best_seat = frames[ply, BEST_SEAT]
    if played == 1:
        best = card
        best_seat = seat
        frames[child, TRICK] = card
        frames[child, LED] = lane_field(move >> NAMED_SHIFT, trumps) if move != card else field_of(card, trumps)
    else:
        if beats(card, best, trumps):
            best = card
            best_seat = seat
        frames[child, TRICK] = frames[ply, TRICK] | card
        frames[child, LED] = frames[ply, LED]
    frames[child, BEST] = best
    frames[child, BEST_SEAT] = best_seat
    if played == trick_size:
        frames[child, PLAYED] = 0
        frames[child, LED] = 0
        frames[child, SEAT] = best_seat
        frames[child, TRICKS] = frames[ply, TRICKS] - 1
        frames[child, NEED] = frames[ply, NEED] - (1 - (best_seat & 1))
    else:
        seat = (seat + 1) & 3
        frames[child, PLAYED] = played
        frames[child, SEAT] = 3 if seat == 2 and trick_size == 3 else seat
        frames[child, TRICKS] = frames[ply, TRICKS]
        frames[child, NEED] = frames[ply, NEED]


@lean_kernel
def list_moves(
    frames: Ints, hands: Ints, moves: Ints, ply: int, trumps: int, trick_size: int, maximizer: int, weights: Ints
) -> None:
    """Write the ply's moves, the most promising first."""
    seat = frames[ply, SEAT]
    if maximizer == 1:
        row = MISERE_SIDE_0 if seat & 1 == 0 else MISERE_SIDE_1
    elif trick_size == SEATS:
        row = AT_NO_TRUMP if trumps == NO_TRUMP_FIELD else AT_SUIT
    else:
        row = THREE_AT_NO_TRUMP if trumps == NO_TRUMP_FIELD else THREE_AT_SUIT
    me = hands[seat]
    left = hands[(seat + 1) & 3]
    partner = hands[(seat + 2) & 3]
    right = hands[(seat + 3) & 3]
    if frames[ply, PLAYED] == 0:
        frames[ply, MOVES] = lead_moves(moves, ply, me, left, partner, right, trumps, weights, row)
    else:
        partner_wins = (frames[ply, BEST_SEAT] ^ seat) & 1 == 0
        frames[ply, MOVES] = follow_moves(
            moves,
            ply,
            me,
            left,
            left | partner | right | frames[ply, BEST],
            trumps,
            frames[ply, LED],
            frames[ply, BEST],
            partner if frames[ply, PLAYED] == 1 and not partner_wins else 0,
            partner_wins,
            frames[ply, PLAYED] == trick_size - 1,
            weights,
            row,
        )
    frames[ply, NEXT] = 0
    frames[ply, RELEVANT] = 0


@lean_kernel
def search(
    frames: Ints,
    hands: Ints,
    moves: Ints,
    slots: Ints,
    entries: Ints,
    control: Ints,
    cutoffs: Ints,
    weights: Ints,
    root: int,
    trumps: int,
    trick_size: int,
    maximizer: int,
) -> bool:
    """Whether side 0 takes the NEED of the frame `root`.

    Args:
        frames: stack [PLIES, FRAME_COLUMNS]; the frame `root` is filled.
        hands: packed hands [SEATS]; unchanged at the end.
        moves: room for the moves [PLIES, 2, MOST_MOVES].
        slots, entries, control: the transposition table (table.py).
        cutoffs: cut-off memory [2**CUTOFF_BITS].
        weights: of the move ordering (moves.py).
        root: ply to start at.
        trumps: trump field.
        trick_size: 3 or 4.
        maximizer: side that wants side 0 to take tricks.
    """
    ply = root
    entering = True
    won = False
    relevant = 0
    while True:
        if entering:
            control[NODES] += 1
            seat = frames[ply, SEAT]
            me = hands[seat]
            left = hands[(seat + 1) & 3]
            partner = hands[(seat + 2) & 3]
            right = hands[(seat + 3) & 3]
            decided = False
            if frames[ply, PLAYED] == 0:
                decided, won, relevant = _judge_lead(
                    seat, me, left, partner, right, frames[ply, NEED], frames[ply, TRICKS], trumps, maximizer
                )
                if not decided:
                    decided, won, relevant = _look_up(frames, hands, slots, entries, control, ply, trumps)
            elif frames[ply, PLAYED] == 1 and maximizer == 0 and (seat ^ frames[ply, BEST_SEAT]) & 1:
                # not the leader's partner, who comes next of three hands
                decided, won, relevant = _judge_second_hand(
                    seat, me, left, partner, right, frames[ply, NEED], frames[ply, TRICKS], frames[ply, LED],
                    frames[ply, BEST], trumps,
                )  # fmt: skip
            if not decided:
                list_moves(frames, hands, moves, ply, trumps, trick_size, maximizer, weights)
                if frames[ply, PLAYED] == 0:
                    promote(moves, ply, frames[ply, MOVES], cutoffs[_cutoff_key(seat, hands[seat])])
            returning = decided
        else:  # a move of this ply has been decided
            returning = False
            seat = frames[ply, SEAT]
            card = frames[ply, CARD]
            hands[seat] ^= card
            if frames[ply + 1, PLAYED] == 0:
                best = frames[ply + 1, BEST]
                if frames[ply + 1, TRICK] & field_of(best, trumps) != best:
                    relevant |= best
            if won == (seat & 1 == maximizer):
                returning = True
                if frames[ply, PLAYED] == 0:
                    cutoffs[_cutoff_key(seat, hands[seat])] = moves[ply, 0, frames[ply, NEXT] - 1]
            else:
                frames[ply, RELEVANT] |= relevant
                field, limit = _alike(card, relevant, trumps)
                if field:
                    kept = frames[ply, NEXT]
                    for index in range(frames[ply, NEXT], frames[ply, MOVES]):
                        move = moves[ply, 0, index]
                        if move & field == 0 or move & ALL_CARDS >= limit:
                            moves[ply, 0, kept] = move
                            kept += 1
                    frames[ply, MOVES] = kept
        if not returning and frames[ply, NEXT] == frames[ply, MOVES]:
            won = frames[ply, SEAT] & 1 != maximizer
            hand = hands[frames[ply, SEAT]]
            others = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand
            relevant = frames[ply, RELEVANT]
            if frames[ply, PLAYED]:
                others |= frames[ply, BEST]
                hand = legal_followers(hand, frames[ply, LED])
            if relevant:
                relevant = _with_equals(relevant, hand, others, trumps)
            returning = True
            entering = False
        if returning:
            if not entering and frames[ply, PLAYED] == 0:
                need = frames[ply, NEED]
                tricks = frames[ply, TRICKS]
                remaining = hands[0] | hands[1] | hands[2] | hands[3]
                if trumps == NO_TRUMP_FIELD:
                    relevant |= remaining & trumps  # every pattern names the joker's owner
                store(
                    slots,
                    entries,
                    control,
                    frames[ply, SHAPE],
                    frames[ply, OWNERS_0],
                    frames[ply, OWNERS_1],
                    extract_bits(prefixes(relevant, remaining, trumps), remaining),
                    need if won else 0,
                    tricks if won else need - 1,
                    frames[ply, AGREED] != 0,
                )
            ply -= 1
            if ply < root:
                return won
            entering = False
        else:
            move = moves[ply, 0, frames[ply, NEXT]]
            frames[ply, NEXT] += 1
            play(frames, hands, ply, move, trumps, trick_size)
            ply += 1
            entering = True


@lean_kernel
def most_tricks(
    frames: Ints,
    hands: Ints,
    moves: Ints,
    slots: Ints,
    entries: Ints,
    control: Ints,
    cutoffs: Ints,
    weights: Ints,
    root: int,
    trumps: int,
    trick_size: int,
    maximizer: int,
    guess: int,
) -> int:
    """Tricks of side 0 from the frame `root` on, by zero windows from a guess, if it is not negative, or an estimate.

    The other arguments are those of `search`.
    """
    low = 0
    high = frames[root, TRICKS]
    if guess < 0:
        guess = 0 if maximizer == 1 else first_guess(hands, frames[root, SEAT], high, trumps, trick_size)
    need = min(max(guess, 1), high)
    while low < high:
        frames[root, NEED] = need
        if search(
            frames, hands, moves, slots, entries, control, cutoffs, weights, root, trumps, trick_size,
            maximizer,
        ):  # fmt: skip
            low = need
            need += 1
        else:
            high = need - 1
            need -= 1
    return low


@lean_kernel
def solve_many(
    deals: Ints,
    leader: int,
    need: int,
    results: Ints,
    frames: Ints,
    hands: Ints,
    moves: Ints,
    slots: Ints,
    entries: Ints,
    control: Ints,
    cutoffs: Ints,
    weights: Ints,
    trumps: int,
    trick_size: int,
    maximizer: int,
) -> None:
    """Tricks of side 0 for many deals or, with a `need` of at least 0, whether (1 or 0) it takes so many.

    Args:
        deals: play-order hands [number, SEATS].
        leader: seat that leads.
        results: output [number].
    """
    for index in range(deals.shape[0]):
        load(deals[index], leader, trumps, False, frames, hands, control)
        if need >= 0:
            frames[0, NEED] = need
            won = search(
                frames, hands, moves, slots, entries, control, cutoffs, weights, 0, trumps, trick_size,
                maximizer,
            )  # fmt: skip
            results[index] = 1 if won else 0
        else:
            results[index] = most_tricks(
                frames, hands, moves, slots, entries, control, cutoffs, weights, 0, trumps, trick_size,
                maximizer, -1,
            )  # fmt: skip


@kernel
def _judge_lead(
    seat: int, me: int, left: int, partner: int, right: int, need: int, tricks: int, trumps: int, maximizer: int
) -> tuple[bool, bool, int]:
    """What can be said at the start of a trick without search: (decided, won, relevant cards)."""
    if need <= 0:
        return True, True, 0
    if need > tricks:
        return True, False, 0
    if tricks == 1:
        return _last_trick(seat, me, left, partner, right, trumps)
    attacking = seat & 1 == 0
    if maximizer == 1:
        declarer, dummy = (left, right) if seat == 3 else (right, left)
        if need > 1 or attacking or dummy:
            return False, False, 0
        return judge_misere(declarer, me, partner, trumps)
    wanted = need if attacking else tricks - need + 1
    count, relevant = quick_tricks(me, partner, left, right, trumps, wanted)
    if count >= wanted:
        return True, attacking, relevant
    if (me | partner) & trumps > (left | right) & trumps:
        count, relevant = top_trumps(me & trumps, partner & trumps, (left | right) & trumps, wanted)
        if count >= wanted:
            return True, attacking, relevant
    wanted = tricks + 1 - wanted
    count, relevant = sure_tricks(left, right, me, partner, trumps, tricks, wanted)
    return count >= wanted, not attacking, relevant


@kernel
def _last_trick(seat: int, me: int, left: int, partner: int, right: int, trumps: int) -> tuple[bool, bool, int]:
    best = me
    ours = True
    if left and beats(left, best, trumps):
        best = left
        ours = False
    if partner and beats(partner, best, trumps):
        best = partner
        ours = True
    if right and beats(right, best, trumps):
        best = right
        ours = False
    cards = me | left | partner | right
    return True, ours == (seat & 1 == 0), best if cards & field_of(best, trumps) != best else 0


@kernel
def _judge_second_hand(
    seat: int,
    me: int,
    left: int,
    partner: int,
    right: int,
    need: int,
    tricks: int,
    led: int,
    card: int,
    trumps: int,
) -> tuple[bool, bool, int]:
    """The same after an opponent's lead: the second hand's side may win this trick and have enough to cash."""
    if card & led == 0:
        return False, False, 0
    attacking = seat & 1 == 0
    wanted = need if attacking else tricks - need + 1
    count, relevant = tricks_of_second_side(me, partner, right, left, trumps, led, card, wanted)
    return count >= wanted, attacking, relevant


@lean_kernel
def _look_up(
    frames: Ints,
    hands: Ints,
    slots: Ints,
    entries: Ints,
    control: Ints,
    ply: int,
    trumps: int,
) -> tuple[bool, bool, int]:
    """What the table knows of the start of a trick: (decided, won, relevant cards)."""
    remaining = hands[0] | hands[1] | hands[2] | hands[3]
    need = frames[ply, NEED]
    # At no trump, lane 4's lengths follow from the rest as every pattern names the joker's owner.
    joker = 1 << 55 if trumps == NO_TRUMP_FIELD and remaining & trumps else 0
    shape = lengths(hands) | frames[ply, TRICKS] << 48 | joker | frames[ply, SEAT] << 56
    owners_0 = extract_bits(hands[1] | hands[3], remaining)
    owners_1 = extract_bits(hands[2] | hands[3], remaining)
    frames[ply, SHAPE] = shape
    frames[ply, OWNERS_0] = owners_0
    frames[ply, OWNERS_1] = owners_1
    entry, agreed = find_entry(slots, entries, control, shape, owners_0, owners_1, need)
    if entry == NOT_FOUND:
        frames[ply, AGREED] = 1 if agreed else 0
        return False, False, 0
    return True, at_least_of(entries[entry, REST]) >= need, deposit_bits(entries[entry, MASK], remaining)


@kernel
def _cutoff_key(seat: int, hand: int) -> int:
    """Where to remember the lead that cuts off here: by the leader's hand.

    Followers have no such memory: it finds a cut-off more often, but not the one with the small proof, and costs
    more nodes than it saves.
    """
    return hash_of(hand + seat) & ((1 << CUTOFF_BITS) - 1)


@kernel
def _alike(card: int, relevant: int, trumps: int) -> tuple[int, int]:
    """After a failed card whose rank did not matter: the moves that differ from it in such ranks only.

    Returns:
        their field, or 0 if there are none, and the card below which they are.
    """
    field = field_of(card, trumps)
    low = lowest_bit(relevant & field)
    if (low != 0 and low <= card) or card & NO_TRUMP_FIELD & trumps:  # a joker may name another suit
        field = 0
    return field, low if low else ALL_CARDS


@kernel
def _with_equals(relevant: int, legal: int, others: int, trumps: int) -> int:
    """Relevant cards of a node whose moves all failed.

    One card stood for a run of neighbours in the mover's hand. If some of them are relevant, all are: in a position
    that agrees on the upper ones alone, the others may be lower cards, which nobody tried.

    Args:
        relevant: those of the failed moves.
        legal: cards that could be played.
        others: those that part neighbours: the other hands and the card that is winning.
    """
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        low = lowest_bit(relevant & field)
        if low & legal:
            gap = highest_index(others & field & (low - 1))
            relevant |= legal & field & (low - 1) & -(1 << (gap + 1))
    return relevant
