"""Every information set of a hand by name: for export, and for storing strategies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from towerlab.games.cards import SUITS, card_text, card_texts, cards_mask, suit_of
from towerlab.games.towers_and_bowers.rules import card_led_wins, legal_replies
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ANSWER,
    DECISIONS,
    EXCHANGE,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    NAMING,
    entries_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NAMED_SUITS,
    NONDEALER,
    UP_CARD,
    HandGame,
    card_numbers,
    entries_at,
    list_sets,
    new_sets,
    nondealer_bids,
    trump_of,
    who_plays,
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import Strategy

SEATS: Final = ("nondealer", "dealer")
BIDS: Final = {  # the calls before each decision of the bidding, and what can be done
    FIRST_CALL: ((), ("accept", "pass")),
    ANSWER: (("pass",), ("accept", "pass")),
    NAMING: (("pass", "pass"), (*(SUITS[suit] for suit in NAMED_SUITS), "pass")),
    LAST_CALL: (("pass", "pass", "pass"), tuple(SUITS[suit] for suit in NAMED_SUITS)),
    EXCHANGE: (("accept",), ()),
    EXCHANGE + 1: (("pass", "accept"), ()),
}


@dataclass(frozen=True)
class InformationSet:
    """The knowledge of a player whose turn it is.

    Attributes:
        player: 0 the non-dealer, 1 the dealer.
        up: the printed up-card.
        held: the player's cards as printed cards; before the discard without the up-card.
        discard: the printed card put away, None if there is none.
        calls: the bidding so far, ``"accept"``, ``"pass"`` or a suit letter.
        played: the cards played so far, printed.
        actions: printed cards, or calls.
        entries: where the actions stand in `Strategy.bidding` (flattened) or `Strategy.play`; not compared.
    """

    player: int
    up: int
    held: tuple[int, ...]
    discard: int | None
    calls: tuple[str, ...]
    played: tuple[int, ...]
    actions: tuple[int | str, ...]
    entries: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        """``player | up-card | cards held | discard | calls | cards played``, as `towerlab value --export` writes."""
        discard = "" if self.discard is None else card_text(self.discard)
        held, played = (" ".join(card_texts(cards)) for cards in (self.held, self.played))
        return " | ".join([SEATS[self.player], card_text(self.up), held, discard, " ".join(self.calls), played])

    @property
    def seat(self) -> str:
        """``"nondealer"`` or ``"dealer"``."""
        return SEATS[self.player]

    @property
    def led(self) -> int | None:
        """The printed card to follow, None for the leader or when nothing is played yet."""
        return self.played[-1] if len(self.played) % 2 else None

    @property
    def trump(self) -> int | None:
        """The trump suit, None during the bidding."""
        if not self.calls or self.calls[-1] == "pass":
            return None
        return suit_of(self.up) if self.calls[-1] == "accept" else SUITS.index(self.calls[-1])

    @property
    def plays(self) -> tuple[tuple[int, int], ...]:
        """(player, printed card) in the order of play."""
        leader = NONDEALER
        plays = []
        trump = -1 if self.trump is None else self.trump
        for led, reply in itertools.zip_longest(self.played[::2], self.played[1::2]):
            plays.append((leader, led))
            if reply is not None:
                plays.append((1 - leader, reply))
                leader = leader if card_led_wins(1 << led, 1 << reply, trump) else 1 - leader
        return tuple(plays)

    @property
    def dealt(self) -> tuple[int, ...]:
        """The printed cards dealt to the player, rising."""
        own = {*self.held, *(card for player, card in self.plays if player == self.player)}
        return tuple(sorted((own | {self.discard} if self.discard is not None else own) - {self.up}))

    @property
    def is_bidding(self) -> bool:
        """Whether a call or a discard is to be chosen."""
        return not self.played and (not self.calls or self.calls[-1] == "pass" or self.discards)

    @property
    def discards(self) -> bool:
        """Whether a discard is to be chosen."""
        return self.calls[-1:] == ("accept",) and self.player == DEALER and self.discard is None


def actions_of(known: InformationSet) -> tuple[int | str, ...]:
    """The calls or printed cards that the rules allow in an information set (TB-10 .. TB-12, TB-17, TB-18)."""
    if known.trump is None:
        names = tuple(suit for suit in SUITS if SUITS.index(suit) != suit_of(known.up))
        return ("accept", "pass") if len(known.calls) < 2 else names if len(known.calls) == 3 else (*names, "pass")
    if known.led is None:
        return known.held
    legal = legal_replies(cards_mask(known.held), 1 << known.led, known.trump)
    return tuple(card for card in known.held if legal >> card & 1)


def information_sets(game: HandGame, up_rank: int) -> Iterator[InformationSet]:
    """Yield all of them, of bidding and play; hands that are played without a choice are left out."""
    numbers = card_numbers(up_rank)
    for decision in range(DECISIONS):
        if entries_of(decision, game.cards) > 1:
            for hand in np.flatnonzero(game.dealt).tolist():
                yield bidding_set(game, decision, hand, numbers)
    for contract, depth in itertools.product(range(CONTRACTS), range(2 * (game.cards - 1))):
        for history in range(CARDS**depth):
            if who_plays(game, game.cards, contract, depth, history).player >= 0:
                yield from _sets_at(game, contract, depth, history, numbers)


def probabilities(game: HandGame, up_rank: int, strategy: Strategy) -> Iterator[tuple[InformationSet, list[float]]]:
    """Yield every information set with the probability of each action; uniform where nothing is known."""
    bidding = strategy.bidding.reshape(-1)
    for known in information_sets(game, up_rank):
        weights = (bidding if known.is_bidding else strategy.play)[list(known.entries)]
        total = float(weights.sum())
        yield known, (weights / total).tolist() if total > 0 else [1 / len(weights)] * len(weights)


def bidding_set(game: HandGame, decision: int, hand: int, numbers: list[int]) -> InformationSet:
    """The set of one decision of the bidding, or of a discard, and one hand.

    Args:
        numbers: `card_numbers` of the up-card's rank.
    """
    cards = game.cards
    calls, bids = BIDS[decision]
    player = NONDEALER if decision in (FIRST_CALL, NAMING) else DEALER
    held = tuple(numbers[card] for card in game.members[cards, hand, :cards])
    first = (decision * int(game.sets[cards]) + hand) * MOST_ENTRIES
    entries = tuple(range(first, first + int(entries_of(decision, cards))))
    return InformationSet(player, numbers[UP_CARD], held, None, calls, (), bids or held, entries)


def play_set(
    game: HandGame, contract: int, played: list[int], number: int, discard: int, up_rank: int
) -> InformationSet:
    """The set with a choice of one history, set of hidden cards and, for a dealer who took the up-card, discard.

    Args:
        played: numbers of the cards played.
        discard: its number; not read where there is none.
    """
    depth = len(played)
    history = sum(card * CARDS**place for place, card in enumerate(reversed(played)))
    numbers = card_numbers(up_rank)
    sets = _sets_at(game, contract, depth, history, numbers, number)
    return next(known for known in sets if known.discard in (None, numbers[discard]))


def _sets_at(
    game: HandGame, contract: int, depth: int, history: int, numbers: list[int], only: int | None = None
) -> Iterator[InformationSet]:
    """The information sets of one history: every set of cards, and discard, that the player may hold.

    Args:
        numbers: `card_numbers` of the up-card's rank.
        only: the number of one set of hidden cards, None for all.
    """
    turn = who_plays(game, game.cards, contract, depth, history)
    sets = new_sets(game)
    calls = _calls_of(contract)
    played = tuple(numbers[history // CARDS ** (depth - 1 - place) % CARDS] for place in range(depth))
    for place in range(list_sets(game, contract, depth, history, sets)):
        number = int(sets.numbers[place])
        discard = int(sets.discards[place])
        if only not in (None, number):
            continue
        choices = entries_at(game, contract, depth, history, place, sets)
        if not choices:
            continue
        held = [*game.members[turn.hidden, number, : turn.hidden].tolist(), *[UP_CARD] * turn.holds_up_card]
        yield InformationSet(
            turn.player,
            numbers[UP_CARD],
            tuple(numbers[card] for card in held),
            numbers[discard] if discard >= 0 else None,
            calls,
            played,
            tuple(numbers[card] for card in sets.cards[:choices].tolist()),
            tuple(sets.entries[:choices].tolist()),
        )


def _calls_of(contract: int) -> tuple[str, ...]:
    """The bidding that leads to a contract."""
    if contract <= DEALER_ACCEPTS:
        return ("accept",) if nondealer_bids(contract) else ("pass", "accept")
    name = SUITS[trump_of(contract)]
    return ("pass", "pass", name) if nondealer_bids(contract) else ("pass", "pass", "pass", name)


def contract_of(known: InformationSet) -> int:
    """The contract 0..7 of a set after the bidding."""
    return next(contract for contract in range(CONTRACTS) if _calls_of(contract) == known.calls)
