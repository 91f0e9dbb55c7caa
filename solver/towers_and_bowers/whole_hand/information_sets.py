"""Every information set of a hand by name: for export, and for storing strategies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from games.cards import SUITS
from solver.towers_and_bowers.whole_hand.best_response import Strategy
from solver.towers_and_bowers.whole_hand.hand import (
    ANSWER,
    DECISIONS,
    DISCARD,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    SECOND_CALL,
    entries_of,
)
from solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NAMED_SUITS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    HandGame,
    card_numbers,
    nondealer_bids,
    stored_block,
    trump_of,
    who_plays,
)

BIDS: Final = {  # the calls before each decision of the bidding, and what can be done
    FIRST_CALL: ((), ("accept", "pass")),
    ANSWER: (("pass",), ("accept", "pass")),
    SECOND_CALL: (("pass", "pass"), (*(SUITS[suit] for suit in NAMED_SUITS), "pass")),
    LAST_CALL: (("pass", "pass", "pass"), tuple(SUITS[suit] for suit in NAMED_SUITS)),
    DISCARD: (("accept",), ()),
    DISCARD + 1: (("pass", "accept"), ()),
}


@dataclass(frozen=True)
class InformationSet:
    """What a player knows when he is to act.

    Attributes:
        player: 0 the non-dealer, 1 the dealer.
        held: his cards as printed cards; before the discard without the up-card.
        discard: the printed card he put away, None if there is none.
        calls: the bidding so far, ``"accept"``, ``"pass"`` or a suit letter.
        played: the cards played so far, printed.
        actions: printed cards, or calls.
        entries: where the actions stand in `Strategy.bidding` (flattened) or `Strategy.play`.
    """

    player: int
    held: tuple[int, ...]
    discard: int | None
    calls: tuple[str, ...]
    played: tuple[int, ...]
    actions: tuple[int | str, ...]
    entries: tuple[int, ...]

    @property
    def is_bidding(self) -> bool:
        """Whether a call or a discard is to be chosen."""
        return not self.played and (not self.calls or self.calls[-1] == "pass" or self.discards)

    @property
    def discards(self) -> bool:
        """Whether a discard is to be chosen."""
        return self.calls[-1:] == ("accept",) and self.player == DEALER and self.discard is None


def information_sets(game: HandGame, up_rank: int) -> Iterator[InformationSet]:
    """All of them, of bidding and play; hands that are played without a choice are left out."""
    numbers = card_numbers(up_rank)
    yield from _bidding_sets(game, numbers)
    for contract in range(CONTRACTS):
        yield from _play_sets(game, contract, numbers)


def probabilities(game: HandGame, up_rank: int, strategy: Strategy) -> Iterator[tuple[InformationSet, list[float]]]:
    """Every information set with the probability of each action; uniform over legal cards where nothing is known."""
    bidding = strategy.bidding.reshape(-1)
    for known in information_sets(game, up_rank):
        weights = (bidding if known.is_bidding else strategy.play)[list(known.entries)]
        total = float(weights.sum())
        yield known, (weights / total).tolist() if total > 0 else [1 / len(weights)] * len(weights)


def _bidding_sets(game: HandGame, numbers: list[int]) -> Iterator[InformationSet]:
    cards = game.cards
    for decision in range(DECISIONS):
        calls, bids = BIDS[decision]
        player = NONDEALER if decision in (FIRST_CALL, SECOND_CALL) else DEALER
        for hand in np.flatnonzero(game.dealt).tolist():
            held = tuple(numbers[card] for card in game.members[cards, hand, :cards])
            first = (decision * int(game.sets[cards]) + hand) * MOST_ENTRIES
            entries = tuple(range(first, first + int(entries_of(decision, cards))))
            if len(entries) > 1:
                yield InformationSet(player, held, None, calls, (), bids or held, entries)


def _play_sets(game: HandGame, contract: int, numbers: list[int]) -> Iterator[InformationSet]:
    calls = _calls_of(contract)
    for depth in range(2 * (game.cards - 1)):
        for history in range(CARDS**depth):
            has_discard = contract <= DEALER_ACCEPTS
            shape = who_plays(game.cards, has_discard, game.nondealer_wins[contract], depth, history)
            if shape[0] >= 0:
                played = [history // CARDS ** (depth - 1 - turn) % CARDS for turn in range(depth)]
                block = stored_block(game, contract, depth, history)
                yield from _sets_at(game, contract, shape, block, calls, played, numbers)


def _sets_at(
    game: HandGame,
    contract: int,
    shape: tuple[int, int, int],
    block: tuple[int, bool],
    calls: tuple[str, ...],
    played: list[int],
    numbers: list[int],
) -> Iterator[InformationSet]:
    """The information sets of one history: every set of cards, and discard, that the player may hold."""
    player, hidden, holds_up_card = shape
    (start, mirrored), seen = block, set(played)
    has_discard = contract <= DEALER_ACCEPTS and player == DEALER
    rows, choices = OTHERS if has_discard else 1, hidden + holds_up_card
    fields = game.fields[contract]
    for number in range(int(game.sets[hidden])):
        held = [*game.members[hidden, number, :hidden].tolist(), *([UP_CARD] if holds_up_card else [])]
        if seen & set(held):
            continue
        following = [card for card in held if fields[card] == fields[played[-1]]] if len(played) % 2 else []
        legal = following or held
        if len(legal) < 2:
            continue
        stored = int(game.mirror_set[hidden, number]) if mirrored else number
        places = [_stored_place(game, hidden, number, held.index(card), mirrored) for card in legal]
        for discard in range(rows):
            if has_discard and discard in seen | set(held):
                continue
            row = int(game.mirror_card[discard]) if mirrored and has_discard else discard
            yield InformationSet(
                player,
                tuple(numbers[card] for card in held),
                numbers[discard] if has_discard else None,
                calls,
                tuple(numbers[card] for card in played),
                tuple(numbers[card] for card in legal),
                tuple(start + (stored * choices + place) * rows + row for place in places),
            )


def _stored_place(game: HandGame, hidden: int, number: int, choice: int, mirrored: bool) -> int:
    return int(game.mirror_place[hidden, number, choice]) if mirrored and choice < hidden else choice


def _calls_of(contract: int) -> tuple[str, ...]:
    """The bidding that leads to a contract."""
    if contract <= DEALER_ACCEPTS:
        return ("accept",) if nondealer_bids(contract) else ("pass", "accept")
    name = SUITS[trump_of(contract)]
    return ("pass", "pass", name) if nondealer_bids(contract) else ("pass", "pass", "pass", name)
