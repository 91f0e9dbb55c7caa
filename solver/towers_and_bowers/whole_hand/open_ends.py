"""The end of a pass where both show their cards: the values of all hands of a player against the other's."""

from __future__ import annotations

from towerlab.games.arrays import Floats, Ints
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    DEALER,
    NONDEALER,
    OTHERS,
    TRUMPS,
    UP_CARD,
    HandGame,
    choose,
)
from towerlab.solver.towers_and_bowers.whole_hand.opened import SHAPES
from towerlab.solver.towers_and_bowers.whole_hand.workspace import Workspace, discards_of, fast_kernel


@fast_kernel
def open_hands(game: HandGame, contract: int, updated: int, depth: int, work: Workspace) -> None:
    """Fill the values of a depth, for every hand (and discard) of the player updated.

    Of the buffers of the depth, `stored` and `step` hold the numbers of both players' sets by places, `card_values`
    what a dealer brings or wins by set, then by discard and set what of it is not there beside who holds the discard.
    """
    opened, cards = game.opened, work.hidden[NONDEALER, depth]
    unseen, start = _list_places(game, contract, depth, work)
    ours, theirs = choose(unseen, cards), choose(unseen, work.hidden[DEALER, depth])
    _number_sets(game, cards, ours, work.place, work.stored[depth])
    _number_sets(game, work.hidden[DEALER, depth], theirs, work.place, work.step[depth])
    by_set, by_place = work.card_values[depth][:theirs], work.card_values[depth][theirs:]
    for state in range(game.sets[work.hidden[updated, depth]] * discards_of(contract, updated)):
        work.values[depth, state] = 0.0
    puts_away = discards_of(contract, DEALER) > 1
    _read_dealers(game, contract, updated, depth, theirs, unseen, by_set, by_place, work)
    reach, payoffs = work.reach[NONDEALER, work.reach_at[NONDEALER, depth]], work.row
    payoffs[0] = 0.0  # of pairs that share a card
    for taken in range(cards + 1):
        payoffs[taken + 1] = game.payoffs[contract, work.tricks[depth] + taken]
    for one in range(ours):
        number, first = work.stored[depth, one], start + one * theirs
        if game.set_masks[cards, number] & ~work.allowed[NONDEALER, depth]:
            continue
        if updated == NONDEALER:
            total = 0.0
            for other in range(theirs):
                total += payoffs[opened.tricks[first + other] + 1] * by_set[other]
            for choice in range(cards if puts_away else 0):
                column = opened.members[cards, one, choice] * theirs
                for other in range(theirs):
                    total -= payoffs[opened.tricks[first + other] + 1] * by_place[column + other]
            work.values[depth, number] = total
            continue
        comes = reach[number]
        if comes == 0.0:
            continue
        for other in range(theirs):
            by_set[other] -= comes * payoffs[opened.tricks[first + other] + 1]
        for choice in range(cards if puts_away else 0):
            column = opened.members[cards, one, choice] * theirs
            for other in range(theirs):
                by_place[column + other] += comes * payoffs[opened.tricks[first + other] + 1]
    if updated == DEALER:
        _write_dealers(game, contract, depth, theirs, unseen, by_set, by_place, work)


@fast_kernel
def _list_places(game: HandGame, contract: int, depth: int, work: Workspace) -> tuple[int, int]:
    """Fill `place` with the hidden cards unseen as they win; how many there are, and where their table begins."""
    count, shape, up = 0, 0, 0
    for turn in range(CARDS):
        card = game.opened.order[contract, turn]
        if work.seen[depth] >> card & 1:
            continue
        field = game.fields[contract, card]
        if card == UP_CARD:
            up = shape >> 3 * (TRUMPS - 1) if work.holds_up_card[depth] else -1
            continue
        work.place[count] = card
        shape += 1 << 3 * (field - 1)
        count += 1
    holds = up + 1 if work.holds_up_card[depth] else 0
    return count, int(game.opened.starts[shape + SHAPES * holds, work.leader[depth]])


@fast_kernel
def _number_sets(game: HandGame, size: int, count: int, cards: Ints, numbers: Ints) -> None:
    """The number of each set of places among the sets of cards."""
    for entry in range(count):
        number = 0
        for choice in range(size):
            number = game.join[choice, number, cards[game.opened.members[size, entry, choice]]]
        numbers[entry] = number


@fast_kernel
def _read_dealers(
    game: HandGame,
    contract: int,
    updated: int,
    depth: int,
    sets: int,
    unseen: int,
    by_set: Floats,
    by_place: Floats,
    work: Workspace,
) -> None:
    """How far each hand of the dealer's comes, over all discards and by discard; zeros where the dealer is updated."""
    reach, discards = work.reach[DEALER, work.reach_at[DEALER, depth]], discards_of(contract, DEALER)
    size = work.hidden[DEALER, depth]
    for other in range(sets):
        number = work.step[depth, other]
        by_set[other] = reach[number] if updated == NONDEALER and discards == 1 else 0.0
        for place in range(unseen if discards > 1 else 0):
            card = work.place[place]
            comes = 0.0
            if updated == NONDEALER and not game.set_masks[size, number] >> card & 1:
                comes = reach[number * discards + card]
            by_set[other] += comes
            by_place[place * sets + other] = comes


@fast_kernel
def _write_dealers(
    game: HandGame,
    contract: int,
    depth: int,
    sets: int,
    unseen: int,
    by_set: Floats,
    by_place: Floats,
    work: Workspace,
) -> None:
    """The dealer's values: what was found, without the hands of the other that hold the discard."""
    for other in range(sets):
        number = work.step[depth, other]
        if discards_of(contract, DEALER) == 1:
            work.values[depth, number] = by_set[other]
            continue
        for place in range(unseen):
            work.values[depth, number * OTHERS + work.place[place]] = by_set[other] + by_place[place * sets + other]
