"""Does a side take so many tricks? Zero windows over single cards, with an explicit stack.

Side 0 is the declarer's (seats 0 and 2), side 1 the others (seats 1 and 3; three hands leave seat 2 empty). A test asks
whether side 0 takes at least so many tricks. One side, the *maximizer*, wants it to: side 0 itself, or side 1 when
the declarer plays to lose.

Each result carries the relevant cards of its proof (see transpositions.py); a parent's proof needs those of the one
child that decided it, or of all its children, and the winner of a trick that was won by rank.

At the root deals are loaded, cards on the table played, and values found by zero windows; `solver.py` has an example.

    towerlab solve towie --deal "N:AKQ.Q2.. J98.AK.. 32.43.4. 54.65.2." --trump S --lead N
"""

from typing import Final, NamedTuple

from towerlab.games.arrays import Ints
from towerlab.games.bits import deposit_bits, extract_bits, highest_index, lowest_bit, popcount
from towerlab.games.cards import NO_TRUMP_FIELD
from towerlab.games.jit import inlined_kernel, lean_kernel
from towerlab.games.tricks import field_of, legal_followers
from towerlab.solver.double_dummy.bounds import judge_lead, judge_second_hand
from towerlab.solver.double_dummy.ordering import (
    NAMED_SHIFT,
    named_move,
    next_follower,
    next_lead,
    order_followers,
    order_leads,
)
from towerlab.solver.double_dummy.position import (
    ALL_CARDS,
    BEST,
    BEST_SEAT,
    CARD,
    FRAMES,
    KEY,
    KNOWN_DEAL,
    LANES,
    LED_FIELD,
    NEED,
    ORDER,
    OWNERS_0,
    OWNERS_1,
    PLACE,
    PLAYED,
    RELEVANT,
    SEAT,
    SEATS,
    STRIDE,
    TAG,
    TRICK,
    UNORDERED,
    UNTRIED,
    Hands,
    SearchRules,
    lane_field,
    length_digit,
    pack_lengths,
    peek,
    poke,
    relevant_prefixes,
    run_of,
)
from towerlab.solver.double_dummy.transpositions import (
    DEAL_WORD,
    MEMORY_BITS,
    MEMORY_MASK,
    N_SLOTS,
    NODES,
    SHORT_SLOT_BITS,
    SLOT_BITS,
    Transpositions,
    find_entry,
    find_situation,
    forget,
    remembered_card,
    store_entry,
)

LISTED: Final = 1  # the order of a frame whose leads are listed
NO_BEST: Final = 63
JOKER_BIT: Final = 1 << 55

ESTIMATE = -1  # as the guess: let the kernel make one
EVERY_TRICK = -1  # as the need: how many tricks, rather than whether so many


class Workspace(NamedTuple):
    """Everything that one search writes to.

    Attributes:
        board: the hands and frames, see position.py.
        transpositions: the tables of results and of cards that cut off, see transpositions.py.
        weights: the weights of the order of leads, see ordering.py.
    """

    board: Ints
    transpositions: Transpositions
    weights: Ints


@inlined_kernel
def hands_seen_from(board: Ints, seat: int) -> Hands:
    """Return the hands as a player sees them."""
    return Hands(
        peek(board, seat), peek(board, (seat + 1) & 3), peek(board, (seat + 2) & 3), peek(board, (seat + 3) & 3)
    )


@inlined_kernel
def play(board: Ints, at: int, move: int, game: SearchRules) -> None:
    """Play a move of a frame's player: takes the card from the hand and fills the next frame."""
    trumps = game.trumps
    card = move & ALL_CARDS
    seat = peek(board, at + SEAT)
    poke(board, seat, peek(board, seat) ^ card)
    poke(board, at + CARD, card)
    played = peek(board, at + PLAYED) + 1
    best = peek(board, at + BEST)
    best_seat = peek(board, at + BEST_SEAT)
    led = peek(board, at + LED_FIELD)
    trick = peek(board, at + TRICK)
    need = peek(board, at + NEED)
    key = peek(board, at + KEY) - length_digit(card, seat)
    if played == 1:
        best = card
        best_seat = seat
        trick = card
        led = field_of(card, trumps)
        if led == NO_TRUMP_FIELD and game.names:
            led = lane_field(move >> NAMED_SHIFT, trumps)
    else:
        trick |= card
        if card > best and card & (led | trumps):
            best = card
            best_seat = seat
    if played == game.trick_size:
        played = 0
        led = 0
        seat = best_seat
        key -= 1 << 48
        need -= 1 - (best_seat & 1)
    else:
        seat = (seat + 1) & 3
        if seat == 2 and game.trick_size != SEATS:
            seat = 3
    child = at + STRIDE
    poke(board, child + SEAT, seat)
    poke(board, child + PLAYED, played)
    poke(board, child + LED_FIELD, led)
    poke(board, child + BEST, best)
    poke(board, child + BEST_SEAT, best_seat)
    poke(board, child + TRICK, trick)
    poke(board, child + NEED, need)
    poke(board, child + KEY, key)


@lean_kernel
def search(workspace: Workspace, game: SearchRules, root: int) -> bool:
    """Return whether side 0 takes the NEED of the frame `root`.

    Args:
        workspace: the frame `root` is filled; the hands are unchanged at the end.
        root: the place on the board of the frame from which to search.
    """
    board = workspace.board
    at = root
    nodes = 0
    while True:
        nodes += 1
        seat = peek(board, at + SEAT)
        hands = hands_seen_from(board, seat)
        if peek(board, at + PLAYED) == 0:
            decided, won, relevant, move = _enter_lead(workspace, game, at, seat, hands)
        else:
            decided, won, relevant, move = _enter_follower(workspace, game, at, seat, hands)
        searched = False
        while move == 0:
            if not decided:
                move = _next_move(workspace, game, at, seat, hands)
                if move:
                    break
                won = seat & 1 != game.maximizer
                relevant = _with_equals(board, at, hands, game.trumps)
                searched = True
            if searched and peek(board, at + PLAYED) == 0:
                _store(workspace, game, at, hands, won, relevant)
            if at == root:
                poke(workspace.transpositions.control, NODES, peek(workspace.transpositions.control, NODES) + nodes)
                return won
            # Back to the parent, where the card is taken up again.
            best = peek(board, at + BEST)
            if peek(board, at + PLAYED) == 0 and peek(board, at + TRICK) & field_of(best, game.trumps) != best:
                relevant |= best
            at -= STRIDE
            seat = peek(board, at + SEAT)
            card = peek(board, at + CARD)
            poke(board, seat, peek(board, seat) ^ card)
            hands = hands_seen_from(board, seat)
            searched = True
            decided = won == (seat & 1 == game.maximizer)
            if decided:
                _remember(workspace.transpositions, board, at, card)
            else:
                _rule_out(board, at, hands, card, relevant, game.trumps)
        play(board, at, move, game)
        at += STRIDE


@inlined_kernel
def _enter_lead(
    workspace: Workspace, game: SearchRules, at: int, seat: int, hands: Hands
) -> tuple[bool, bool, int, int]:
    """The start of a trick: (decided, won, relevant cards, remembered lead or 0)."""
    board = workspace.board
    transpositions = workspace.transpositions
    trumps = game.trumps
    need = peek(board, at + NEED)
    key = peek(board, at + KEY)
    decided, won, relevant = judge_lead(seat, hands, need, key >> 48, game)
    if decided:
        return True, won, relevant, 0
    remaining = hands.me | hands.left | hands.partner | hands.right
    # At no trump, the lengths in lane 3 follow from the rest as every pattern names the joker's owner.
    shape = key | seat << 56 | (JOKER_BIT if trumps == NO_TRUMP_FIELD and remaining & trumps else 0)
    owners_0 = extract_bits(hands.left | hands.right, remaining)
    owners_1 = extract_bits(hands.partner | hands.right, remaining)
    decided, won, mask = find_entry(transpositions, shape, owners_0, owners_1, need)
    if decided:
        return True, won, deposit_bits(mask, remaining), 0
    poke(board, at + OWNERS_0, owners_0)
    poke(board, at + OWNERS_1, owners_1)
    poke(board, at + UNTRIED, hands.me)
    poke(board, at + RELEVANT, 0)
    poke(board, at + ORDER, UNORDERED)
    place, tag = find_situation(transpositions, hands.me, seat, NO_BEST)
    poke(board, at + PLACE, place)
    poke(board, at + TAG, tag)
    return False, False, 0, remembered_card(transpositions, place, tag) & hands.me


@inlined_kernel
def _enter_follower(
    workspace: Workspace, game: SearchRules, at: int, seat: int, hands: Hands
) -> tuple[bool, bool, int, int]:
    """A card of the trick that is not the first: (decided, won, relevant cards, remembered card or 0)."""
    board = workspace.board
    transpositions = workspace.transpositions
    played = peek(board, at + PLAYED)
    led = peek(board, at + LED_FIELD)
    best = peek(board, at + BEST)
    if played == 1 and game.maximizer == 0 and (seat ^ peek(board, at + BEST_SEAT)) & 1:
        # not the leader's partner, who is next with three hands
        need = peek(board, at + NEED)
        tricks = peek(board, at + KEY) >> 48
        decided, won, relevant = judge_second_hand(seat, hands, need, tricks, led, best, game.trumps)
        if decided:
            return True, won, relevant, 0
    following = hands.me & led
    poke(board, at + UNTRIED, following if following else hands.me)
    poke(board, at + RELEVANT, 0)
    poke(board, at + ORDER, UNORDERED)
    if following == 0 or played == game.trick_size - 1:
        poke(board, at + PLACE, -1)
        return False, False, 0, 0
    cards = (hands.me | hands.left | hands.partner | hands.right | peek(board, at + TRICK)) & led
    place, tag = find_situation(transpositions, cards, seat, highest_index(best))
    poke(board, at + PLACE, place)
    poke(board, at + TAG, tag)
    return False, False, 0, remembered_card(transpositions, place, tag) & following


@inlined_kernel
def _next_move(workspace: Workspace, game: SearchRules, at: int, seat: int, hands: Hands) -> int:
    """Return the move of a frame to try next, or 0 when all are tried or ruled out."""
    board = workspace.board
    if peek(board, at + UNTRIED) == 0:
        return 0
    unordered = peek(board, at + ORDER) == UNORDERED
    if peek(board, at + PLAYED) == 0:
        if unordered:
            poke(board, at + ORDER, LISTED)
            order_leads(board, at, seat, hands, game, workspace.weights)
        return next_lead(board, at)
    if unordered:
        order_followers(board, at, seat, hands, game)
    return next_follower(board, at, hands, game)


@inlined_kernel
def _remember(transpositions: Transpositions, board: Ints, at: int, card: int) -> None:
    """Note that a card cut off."""
    place = peek(board, at + PLACE)
    if place >= 0:
        poke(transpositions.memory, place, peek(board, at + TAG) | highest_index(card))


@inlined_kernel
def _rule_out(board: Ints, at: int, hands: Hands, card: int, relevant: int, trumps: int) -> None:
    """After a failed card: it is tried, and so are those that differ from it in ranks only that did not matter."""
    poke(board, at + RELEVANT, peek(board, at + RELEVANT) | relevant)
    lead = peek(board, at + PLAYED) == 0
    field = field_of(card, trumps)
    if field == NO_TRUMP_FIELD and lead:  # a joker may name another suit
        return
    others = hands.left | hands.partner | hands.right
    if not lead:
        others |= peek(board, at + BEST)
    gone = run_of(card, hands.me, others, field)
    low = lowest_bit(relevant & field)
    if low == 0:
        gone = field
    elif low > card:
        gone |= field & (low - 1)
    poke(board, at + UNTRIED, peek(board, at + UNTRIED) & ~gone)


@inlined_kernel
def _with_equals(board: Ints, at: int, hands: Hands, trumps: int) -> int:
    """Relevant cards of a node whose moves all failed.

    One card stood for a run of neighbours in the mover's hand. If some of them are relevant, all are: in a position
    that agrees on the upper ones alone, the others may be lower cards, which were not tried.
    """
    relevant = peek(board, at + RELEVANT)
    others = hands.left | hands.partner | hands.right
    legal = hands.me
    if peek(board, at + PLAYED):
        others |= peek(board, at + BEST)
        legal = legal_followers(legal, peek(board, at + LED_FIELD))
    for lane in range(LANES):
        field = lane_field(lane, trumps)
        low = lowest_bit(relevant & field)
        if low & legal:
            relevant |= run_of(low, legal, others, field) & (low - 1)
    return relevant


@inlined_kernel
def _store(workspace: Workspace, game: SearchRules, at: int, hands: Hands, won: bool, relevant: int) -> None:
    """Write the result of a searched lead into the table."""
    board = workspace.board
    remaining = hands.me | hands.left | hands.partner | hands.right
    need = peek(board, at + NEED)
    key = peek(board, at + KEY)
    joker = JOKER_BIT if game.trumps == NO_TRUMP_FIELD and remaining & game.trumps else 0
    store_entry(
        workspace.transpositions,
        key | peek(board, at + SEAT) << 56 | joker,
        peek(board, at + OWNERS_0),
        peek(board, at + OWNERS_1),
        extract_bits(relevant_prefixes(relevant, remaining, game.trumps), remaining),
        need if won else 0,
        key >> 48 if won else need - 1,
    )


@lean_kernel
def solve_many(
    workspace: Workspace,
    trick_size: int,
    maximizer: int,
    names: int,
    deals: Ints,
    moves: Ints,
    need: int,
    guess: int,
    results: Ints,
) -> None:
    """Tricks of side 0 for many deals, from their first trick on or after some cards; or whether it takes so many.

    The table of a deal is cleared when a row has other hands or trumps than the row before.

    Args:
        trick_size, maximizer, names: the fields of `position.SearchRules`.
        deals: a row a deal: play-order hands by seat at the start of the trick (of three hands with an empty seat 2),
            the trump field and the seat that leads.
        moves: cards played, in play order, a led joker with the field it names in the next word (other cards 0);
            only for a single deal.
        need: the tricks to take, those of the moves included, or EVERY_TRICK.
        guess: the number of tricks at which to begin, or ESTIMATE.
        results: the output [number]: tricks, or with a need 1 and 0.
    """
    board = workspace.board
    for row in range(deals.shape[0]):
        game = SearchRules(deals[row, SEATS], trick_size, maximizer, names)
        known = _load(workspace, game, deals, row)
        played = moves.shape[0] // 2
        for step in range(played):
            play(board, FRAMES + STRIDE * step, named_move(moves[2 * step], moves[2 * step + 1]), game)
        root = FRAMES + STRIDE * played  # and not FRAMES first, for which everything would be compiled once more
        won = -peek(board, root + NEED)
        low = 0
        high = peek(board, root + KEY) >> 48
        tried = guess - won
        if need >= 0:  # one window decides
            low = min(max(need - won - 1, 0), high)
            high = max(min(need - won, high), 0)
            tried = high
        elif guess < 0:
            if maximizer == 1:
                tried = 0
            elif known and row > 0:
                tried = results[row - 1]
            else:
                tried = high // 2 + 1 if trick_size == SEATS else high // 3
        tried = min(max(tried, low + 1), high)
        while low < high:
            poke(board, root + NEED, tried)
            if search(workspace, game, root):
                low = tried
                tried += 1
            else:
                high = tried - 1
                tried -= 1
        results[row] = low + won if need < 0 else low + won >= need


@lean_kernel
def _load(workspace: Workspace, game: SearchRules, deals: Ints, row: int) -> bool:
    """Fill the first frame with the start of a trick; whether the table knew this deal, else it is cleared.

    Results are patterns and hold for every deal. The table is kept where they recur: along a line of play, for
    a declarer who has buried other cards, and for other layouts of the same misère.
    """
    board = workspace.board
    control = workspace.transpositions.control
    kind = game.trumps << 5 | game.names << 4 | game.trick_size << 1 | game.maximizer
    others_known = True
    for seat in range(1, SEATS):
        others_known = others_known and deals[row, seat] & ~peek(board, KNOWN_DEAL + seat) == 0
    same_declarer = game.maximizer == 1 and deals[row, 0] & ~peek(board, KNOWN_DEAL) == 0
    known = peek(board, KNOWN_DEAL + SEATS) == kind and (others_known or same_declarer)
    for seat in range(SEATS):
        poke(board, seat, deals[row, seat])
    tricks = popcount(deals[row, 0])
    is_long = tricks > 10  # a short game stays in the processor's nearest cache
    if not known:
        forget(workspace.transpositions)
        poke(control, N_SLOTS, 1 << (SLOT_BITS if is_long else SHORT_SLOT_BITS))
        poke(control, DEAL_WORD, peek(control, DEAL_WORD) + 1)
        for seat in range(SEATS):
            poke(board, KNOWN_DEAL + seat, deals[row, seat])
        poke(board, KNOWN_DEAL + SEATS, kind)
    for column in range(STRIDE):
        poke(board, FRAMES + column, 0)
    poke(board, FRAMES + SEAT, deals[row, SEATS + 1])
    poke(control, MEMORY_MASK, (1 << (MEMORY_BITS if is_long else tricks + 2)) - 1)
    poke(board, FRAMES + KEY, pack_lengths(board))
    return known
