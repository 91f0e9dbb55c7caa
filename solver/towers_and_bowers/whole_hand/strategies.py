"""What do both do in a whole hand? Strategies, the best calls for known values of play, and information sets by name.

`bidding_by_class` gives the bidding by class of hands, as it ships; `information_sets` names every information set, for
export and for storing strategies.

    towerlab value --cards 1 --export strategy.parquet
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Floats32, Ints
from towerlab.games.cards import SUITS, card_text, card_texts, cards_mask, suit_of
from towerlab.games.jit import fast_kernel, lean_kernel
from towerlab.games.towers_and_bowers.rules import card_led_wins, legal_replies
from towerlab.solver.towers_and_bowers.bidding import BiddingStrategies, Deals, make_deals, symmetrize
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    MIRRORED,
    NAMED_SUITS,
    NONDEALER,
    UP_CARD,
    UP_SUIT,
    HandGame,
    card_numbers,
    nondealer_bids,
    trump_of,
    who_plays,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import (
    HistoryBlock,
    entries_at,
    list_entries,
    list_sets,
    new_sets,
)
from towerlab.solver.towers_and_bowers.whole_hand.iteration import (
    ACCEPT_COLUMN,
    ANSWER,
    DECISIONS,
    EXCHANGE,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    NAMING,
    NAMING_PASS_COLUMN,
    PASS_COLUMN,
    entries_of,
    raise_calls,
    value_calls,
)

MOST_CHOICES: Final = 4
ROUNDING: Final = 1e-11  # of what a hand wins, summed over the opponent's hands


class Strategy(NamedTuple):
    """A strategy of both players.

    Attributes:
        bidding: float64[6, sets, 4], probabilities of the actions of each decision
        (`solver.towers_and_bowers.whole_hand.iteration`).
        play: float64[play_size], of four cards float32, weights of the cards at each information set
            (`game.list_entries`); all zero where nothing is known: every legal card is equally likely.
    """

    bidding: Floats
    play: Floats


class CardMix(NamedTuple):
    """The legal cards of a hand, with the probability of each.

    Attributes:
        cards, entries, plays: int64[4], int64[4], float64[4], the cards (`game.list_entries`) and their
            probabilities.
    """

    cards: Ints
    entries: Ints
    plays: Floats


def sum_over_others(game: HandGame, shares: Floats) -> Floats:
    """Return for each hand the sums over all hands that the opponent may have.

    Args:
        game: the hand.
        shares: float64[sets, columns], by the opponent's hand.

    Returns:
        float64[sets, columns].
    """
    count = int(game.sets[game.cards])
    masks = game.set_masks[game.cards, :count]
    dealt = shares * game.dealt[:, None]
    sums = np.zeros_like(dealt)
    _add_disjoint(masks, dealt, sums)
    return sums


@fast_kernel
def _add_disjoint(masks: Ints, shares: Floats, sums: Floats) -> None:
    """Add to each hand's sums the shares of all hands without a common card; a matrix product has no fixed order."""
    for hand in range(len(masks)):
        for other in range(len(masks)):
            if not masks[hand] & masks[other]:
                for column in range(shares.shape[1]):
                    sums[hand, column] += shares[other, column]


def best_calls(game: HandGame, values: Floats, responder: int, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Best calls and discards out of what each contract wins, the first of equal ones; a pass comes before suits.

    Args:
        values: float64[hands, 8, n], what the best play of each contract wins (`PlayPasses.best_plays`).
        responder: the player who calls.
        floor: least probability of every call.

    Returns:
        float64[hands], what the best calls win, and float64[6, hands, 4], ones at them.
    """
    hands = np.arange(len(values))
    bidding = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))

    def choose(decision: int, options: Floats) -> Floats:
        first = NAMING_PASS_COLUMN if decision == NAMING else 0
        best = (_first_best(np.roll(options, -first, axis=1)) + first) % options.shape[1]
        bidding[decision, hands, best] = 1.0
        least = floor if decision < EXCHANGE else 0.0
        return np.asarray((1 - least * options.shape[1]) * options.max(axis=1) + least * options.sum(axis=1))

    return value_calls(responder, values, choose), bidding


def options_of(values: Sequence[Floats]) -> dict[int, Floats]:
    """Return what each call and discard of both seats wins, with the best ones after it.

    Args:
        values: float64[hands, 8, n] of both seats, what the best play of each contract wins.

    Returns:
        float64[hands, actions] by decision.
    """
    options: dict[int, Floats] = {}

    def choose(decision: int, won: Floats) -> Floats:
        options[decision] = won
        return np.asarray(won.max(axis=1))

    for seat, won in enumerate(values):
        value_calls(seat, won, choose)
    return options


def _first_best(options: Floats) -> Ints:
    """int64[hands]: of each row of float64[hands, options] the first that is best but for rounding."""
    return np.asarray(np.argmax(options >= options.max(axis=1, keepdims=True) - ROUNDING, axis=1))


@lean_kernel
def card_shares(
    block: HistoryBlock, weights: Floats | Floats32, hidden: int, discard: int, holds_up_card: int, mix: CardMix
) -> int:
    """List the cards that a hand may play and their probabilities; returns how many.

    Args:
        block: `stored_block` of the cards played.
        weights: `Strategy.play`.
        hidden, discard, holds_up_card: the hand, as for `list_entries`.
        mix: the mix whose `cards`, `entries` and `plays` are filled.
    """
    choices = list_entries(block, hidden, discard, holds_up_card, mix.cards, mix.entries)
    total = 0.0
    for choice in range(choices):
        mix.plays[choice] = weights[mix.entries[choice]] if choices > 1 else 1.0
        total += mix.plays[choice]
    for choice in range(choices):
        mix.plays[choice] = mix.plays[choice] / total if total > 0.0 else 1.0 / choices
    return choices


def bidding_by_class(game: HandGame, rank: int, strategy: Strategy) -> tuple[Deals, BiddingStrategies]:
    """Return bidding and discards by class: mirrored hands share the strategy of the one that stands for both."""
    deals = make_deals(game.cards, 13 * UP_SUIT + rank)
    numbers = numbers_of(game, rank)
    bidding = strategy.bidding[:, [numbers[int(hand)] for hand in deals.classes]]
    own = bidding[:, :, : game.cards]
    strategies = BiddingStrategies(
        bidding[FIRST_CALL, :, ACCEPT_COLUMN],
        bidding[NAMING],
        own[EXCHANGE],
        bidding[ANSWER, :, ACCEPT_COLUMN],
        own[EXCHANGE + 1],
        bidding[LAST_CALL, :, :3],
    )
    return deals, symmetrize(deals, strategies)


def as_strategy(
    game: HandGame, rank: int, deals: Deals, bidding: BiddingStrategies, play: Floats, floor: float = 0.0
) -> Strategy:
    """Return bidding by class as the strategy of every hand, each call made at least with the floor.

    Args:
        game, rank: the game, and the rank of its up-card.
        deals, bidding: the deals and the bidding by class, as `bidding_by_class` returns them.
        play: float64[play_size], taken over as `Strategy.play`.
        floor: least probability of every call.
    """
    numbers = numbers_of(game, rank)
    full = np.zeros((6, int(game.sets[game.cards]), 4))
    hands = np.array([numbers[int(hand)] for hand in deals.hands])
    rows = deals.row
    mirrored = deals.mirrored
    suits = np.where(mirrored[:, None], [0, 2, 1], [0, 1, 2])  # diamonds and hearts change places
    full[FIRST_CALL, hands, ACCEPT_COLUMN] = bidding.accepts[rows]
    full[FIRST_CALL, hands, PASS_COLUMN] = 1 - bidding.accepts[rows]
    full[ANSWER, hands, ACCEPT_COLUMN] = bidding.answers[rows]
    full[ANSWER, hands, PASS_COLUMN] = 1 - bidding.answers[rows]
    full[NAMING, hands, :3] = np.take_along_axis(bidding.names[rows, :3], suits, 1)
    full[NAMING, hands, 3] = bidding.names[rows, 3]
    full[LAST_CALL, hands, :3] = np.take_along_axis(bidding.left[rows], suits, 1)
    held = game.members[game.cards, hands, : game.cards]
    places = np.argsort(np.argsort(np.where(mirrored[:, None], MIRRORED[held], held)))  # in the class
    for decision, discards in ((EXCHANGE, bidding.discards), (EXCHANGE + 1, bidding.own_discards)):
        full[decision, hands, : game.cards] = np.take_along_axis(discards[rows], places, 1)
    raise_calls(full, game.cards, floor)
    return Strategy(full, play)


def numbers_of(game: HandGame, rank: int) -> dict[int, int]:
    """Return the number of each set of n cards by its printed mask."""
    cards = card_numbers(rank)
    held = game.members[game.cards, : int(game.sets[game.cards]), : game.cards]
    return {sum(1 << cards[card] for card in hand): number for number, hand in enumerate(held.tolist())}


SEAT_NAMES: Final = ("nondealer", "dealer")
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
        entries: the places of the actions in `Strategy.bidding` (flattened) or `Strategy.play`; not compared.
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
        return " | ".join([SEAT_NAMES[self.player], card_text(self.up), held, discard, " ".join(self.calls), played])

    @property
    def seat(self) -> str:
        """``"nondealer"`` or ``"dealer"``."""
        return SEAT_NAMES[self.player]

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
    """Return the calls or printed cards that the rules allow in an information set (TB-10 .. TB-12, TB-17, TB-18)."""
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
    """Return the set of one decision of the bidding, or of a discard, and one hand.

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
    """Return the set with a choice of one history, set of hidden cards and, for a dealer who took the up-card, discard.

    Args:
        played: numbers of the cards played.
        discard: the number of the discard; not read where there is none.
    """
    depth = len(played)
    history = sum(card * CARDS**place for place, card in enumerate(reversed(played)))
    numbers = card_numbers(up_rank)
    sets = _sets_at(game, contract, depth, history, numbers, number)
    return next(known for known in sets if known.discard in (None, numbers[discard]))


def _sets_at(
    game: HandGame, contract: int, depth: int, history: int, numbers: list[int], only: int | None = None
) -> Iterator[InformationSet]:
    """Return the information sets of one history: every set of cards, and discard, that the player may hold.

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
    """Return the bidding that leads to a contract."""
    if contract <= DEALER_ACCEPTS:
        return ("accept",) if nondealer_bids(contract) else ("pass", "accept")
    name = SUITS[trump_of(contract)]
    return ("pass", "pass", name) if nondealer_bids(contract) else ("pass", "pass", "pass", name)


def contract_of(known: InformationSet) -> int:
    """Return the contract 0..7 of a set after the bidding."""
    return next(contract for contract in range(CONTRACTS) if _calls_of(contract) == known.calls)
