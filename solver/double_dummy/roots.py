"""From positions to roots of the search: deals are loaded, cards on the table played, values found by zero windows."""

from __future__ import annotations

from towerlab.games.arrays import Ints
from towerlab.games.bits import popcount
from towerlab.games.jit import lean_kernel
from towerlab.solver.double_dummy.layout import (
    FRAMES,
    KEY,
    KNOWN_DEAL,
    NEED,
    SEAT,
    SEATS,
    STRIDE,
    SearchRules,
    lengths,
    peek,
    poke,
)
from towerlab.solver.double_dummy.ordering import named_move
from towerlab.solver.double_dummy.search import Workspace, play, search
from towerlab.solver.double_dummy.table import (
    DEAL_WORD,
    MEMORY_BITS,
    MEMORY_MASK,
    N_SLOTS,
    SHORT_SLOT_BITS,
    SLOT_BITS,
    forget,
)

ESTIMATE = -1  # as the guess: let the kernel make one
EVERY_TRICK = -1  # as the need: how many tricks, rather than whether so many


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
        trick_size, maximizer, names: see `layout.SearchRules`.
        deals: a row a deal: play-order hands by seat at the start of the trick (of three hands with an empty seat 2),
            the trump field and the seat that leads.
        moves: cards played, in play order, a led joker with the field it names in the next word (other cards 0);
            only for a single deal.
        need: the tricks to take, those of the moves included, or EVERY_TRICK.
        guess: where to begin, or ESTIMATE.
        results: output [number]: tricks, or with a need 1 and 0.
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
    control = workspace.table.control
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
        forget(workspace.table)
        poke(control, N_SLOTS, 1 << (SLOT_BITS if is_long else SHORT_SLOT_BITS))
        poke(control, DEAL_WORD, peek(control, DEAL_WORD) + 1)
        for seat in range(SEATS):
            poke(board, KNOWN_DEAL + seat, deals[row, seat])
        poke(board, KNOWN_DEAL + SEATS, kind)
    for column in range(STRIDE):
        poke(board, FRAMES + column, 0)
    poke(board, FRAMES + SEAT, deals[row, SEATS + 1])
    poke(control, MEMORY_MASK, (1 << (MEMORY_BITS if is_long else tricks + 2)) - 1)
    poke(board, FRAMES + KEY, lengths(board))
    return known
