"""Makes the tables of a hand, `hand_game`, or of some of its contracts, `make_game`."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import highest_index
from towerlab.games.cards import DECK_24, TRUMP_FIELD, to_play_order
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.tricks import field_of, leader_wins
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs as bidding_payoffs
from towerlab.solver.towers_and_bowers.whole_hand.hand_game.places import number_decisions
from towerlab.solver.towers_and_bowers.whole_hand.hand_game.tables import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    NONDEALER,
    OTHERS,
    TRUMPS,
    UP_CARD,
    HandGame,
    PlayPlaces,
    card_numbers,
    mirrored_cards,
    nondealer_bids,
    trump_of,
)


def hand_game(cards: int, up_rank: int, next_deal: float, pack: int = DECK_24, mirror: bool = False) -> HandGame:
    """The tables of one hand size and up-card.

    Args:
        cards: hand size n, 1..4.
        up_rank: printed rank of the up-card, 7..12 for 9..A.
        next_deal: W(n - 1); any number at n = 1.
        pack: printed mask of a smaller pack, for tests.
        mirror: work on one of two mirrored information states only: half the time and memory.

    Raises:
        TowerlabError: a hand size that is not solved.
    """
    if not 1 <= cards <= LARGEST_SOLVED:
        raise TowerlabError(f"hands of {cards} cards are not solved exactly; expected 1..{LARGEST_SOLVED}")
    numbers = card_numbers(up_rank)
    by_bidder = np.array(bidding_payoffs(cards, next_deal, DEFAULT_RULES))[:, : cards + 1]
    paid = by_bidder[[0 if nondealer_bids(contract) else 1 for contract in range(CONTRACTS)]]
    trumps = {contract: trump_of(contract) for contract in range(CONTRACTS)}
    game = make_game(cards, dict(enumerate(numbers)), trumps, paid, mirror, LARGEST_SOLVED)
    missing = sum(1 << place for place, card in enumerate(numbers[:OTHERS]) if not pack >> card & 1)
    dealt = np.where(game.set_masks[cards, : game.sets[cards]] & missing, 0.0, 1.0)
    return game._replace(dealt=dealt, sets_left=_sets_left(game))


def make_game(
    cards: int,
    numbers: Mapping[int, int],
    trumps: Mapping[int, int],
    payoffs: Floats,
    mirror: bool,
    largest: int,
    leader: int = NONDEALER,
    seen: int = 0,
    leads: int = 0,
) -> HandGame:
    """The tables of some contracts; `sets_left` and `dealt` are those of no hand.

    Args:
        cards: hand size n.
        numbers: the printed cards by number.
        trumps: the trump suit of each contract.
        payoffs, leader, seen, leads: as of `HandGame`.
        mirror: as of `hand_game`.
        largest: of how many cards sets are listed at most.
    """
    fields = np.zeros((CONTRACTS, CARDS), dtype=np.int64)
    wins = np.zeros((CONTRACTS, 2, CARDS, OTHERS))
    ids = np.array([numbers.get(number, -1) for number in range(CARDS)], dtype=np.int64)
    for contract, trump in trumps.items():
        fill_rules(ids, trump, fields[contract], wins[contract])
    nodes = max(int(DEPTH_STARTS[2 * (cards - 1)]), 1)
    node_starts = np.full((max(trumps) + 1, nodes), -1, dtype=np.int64)
    places = PlayPlaces(fields, field_masks(fields), wins, node_starts, mirror, leader, seen, leads)
    play_size, last_start = number_decisions(places, cards, min(trumps), max(trumps) + 1, node_starts)
    none = np.zeros((1, 1), dtype=np.int64)
    of = len(numbers) - (UP_CARD in numbers)
    return HandGame(
        cards,
        *sets_of_cards(of, largest),
        *places[:3],
        last_payoffs(wins, payoffs),
        none,
        np.ones(1),
        payoffs,
        node_starts,
        int(play_size),
        int(last_start),
        mirror,
        mirror_sets(largest) if of == OTHERS else none,
        leader,
        seen,
        leads,
    )


def last_payoffs(wins: Floats, payoffs: Floats) -> Floats:
    """Return `HandGame.last_payoffs`.

    Args:
        wins: float64[8, 2, 24, 23], `HandGame.nondealer_wins`.
        payoffs: float64[8, n + 1], `HandGame.payoffs`.

    Returns:
        float64[8, 2, n, 2, 24, 24].
    """
    cards = payoffs.shape[1] - 1
    table = np.zeros((CONTRACTS, 2, cards, 2, CARDS, CARDS))
    different = np.arange(CARDS)[:, None] != np.arange(OTHERS)
    for tricks in range(cards):
        lost = payoffs[:, tricks, None, None, None]
        won = payoffs[:, tricks + 1, None, None, None]
        ends = np.where(different, np.where(wins > 0, won, lost), 0.0)
        table[:, :, tricks, DEALER, :, :OTHERS] = ends
        table[:, :, tricks, NONDEALER, :OTHERS, :] = ends.swapaxes(2, 3)
    return table


def paying(game: HandGame, payoffs: Floats) -> HandGame:
    """Return the same game with other `HandGame.payoffs`, float64[8, n + 1]."""
    return game._replace(payoffs=payoffs, last_payoffs=last_payoffs(game.nondealer_wins, payoffs))


@kernel
def fill_rules(ids: Ints, trump: int, fields: Ints, wins: Floats) -> None:
    """Write the rows of one contract of `HandGame.fields` and `HandGame.nondealer_wins`.

    Args:
        ids: int64[24], the printed card of each number, -1 for none.
        trump: the trump suit.
        fields, wins: int64[24] and float64[2, 24, 23], zeros.
    """
    cards = np.zeros(CARDS, np.int64)
    for number in range(CARDS):
        if ids[number] >= 0:
            cards[number] = to_play_order(1 << ids[number], trump, True)
            fields[number] = (highest_index(field_of(cards[number], TRUMP_FIELD)) + 1) // 13
    for dealers in range(CARDS):
        for nondealers in range(OTHERS):
            theirs = cards[dealers]
            mine = cards[nondealers]
            if theirs and mine and theirs != mine:
                wins[NONDEALER, dealers, nondealers] = leader_wins(mine, theirs, TRUMP_FIELD)
                wins[DEALER, dealers, nondealers] = not leader_wins(theirs, mine, TRUMP_FIELD)


@functools.lru_cache(maxsize=64)
def sets_of_cards(cards: int, largest: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return `sets`, `set_masks`, `members`, `join` of `HandGame`, of so many cards beside the up-card.

    Args:
        cards: how many numbers there are, 23 of a whole hand.
        largest: of how many cards sets are listed at most.

    Returns:
        int64[5], int64[5, most], int64[5, most, 4], int64[4, .., 23]; `most` is the number of the largest sets.
    """
    listed = [list(itertools.combinations(range(cards), size)) for size in range(largest + 1)]
    most = len(listed[-1])
    number = {members: place for of_size in listed for place, members in enumerate(of_size)}
    masks = np.zeros((LARGEST_SOLVED + 1, most), dtype=np.int64)
    members = np.zeros((LARGEST_SOLVED + 1, most, LARGEST_SOLVED), dtype=np.int64)
    join = np.full((LARGEST_SOLVED, len(listed[max(largest - 1, 0)]), OTHERS), -1, dtype=np.int64)
    counts = np.zeros(LARGEST_SOLVED + 1, dtype=np.int64)
    for size, of_size in enumerate(listed):
        counts[size] = len(of_size)
        for index, held in enumerate(of_size):
            masks[size, index] = sum(1 << card for card in held)
            members[size, index, :size] = held
            for card in set(range(cards)) - set(held) if size < largest else ():
                join[size, index, card] = number[tuple(sorted((*held, card)))]
    return counts, masks, members, join


@functools.lru_cache(maxsize=4)
def mirror_sets(largest: int) -> Ints:
    """int64[5, most]: `HandGame.mirror_set`, of sets of so many cards at most."""
    sets, masks = sets_of_cards(OTHERS, largest)[:2]
    images = np.zeros_like(masks)
    for size, count in enumerate(sets):
        number = {int(mask): place for place, mask in enumerate(masks[size, :count])}
        images[size, :count] = [number[mirrored_cards(mask)] for mask in number]
    return images


def _sets_left(game: HandGame) -> Ints:
    """`HandGame.sets_left`."""
    cards = game.cards
    numbers = np.zeros((int(game.sets[game.cards]), game.cards), dtype=np.int64)
    number = {int(mask): place for place, mask in enumerate(game.set_masks[cards - 1, : game.sets[cards - 1]])}
    for hand, entry in np.ndindex(numbers.shape):
        numbers[hand, entry] = number[int(game.set_masks[cards, hand] & ~(1 << game.members[cards, hand, entry]))]
    return numbers


def field_masks(fields: Ints) -> Ints:
    """int64[8, 5]: `HandGame.field_masks` from `HandGame.fields`, int64[8, 24]."""
    masks = np.zeros((CONTRACTS, TRUMPS + 1), dtype=np.int64)
    for contract, card in np.ndindex(fields.shape):
        masks[contract, fields[contract, card]] |= 1 << card
    return masks
