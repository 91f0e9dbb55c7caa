"""How does the player `equilibrium` decide? It draws bids, discards and plays from the solution of the game, where one
is at hand.

Bids and discards are stored by class of (hand, up-card), plays by history; in both the up-card is a spade
(`solver.towers_and_bowers.bidding`, `solver.towers_and_bowers.whole_hand`), so that suits are renamed on the way there
and back. Which of the two suits of the other colour becomes diamonds does not matter to the play: mirrored places share
their weights. A later decision of the bidding is drawn together with the first: its probabilities are conditional on
having come so far.

    towerlab exploit equilibrium --cards 2
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_bit, lowest_index, popcount
from towerlab.games.cards import SUIT_BITS, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import HandRules
from towerlab.sim.choices import draw_place
from towerlab.sim.towers_and_bowers.info_state import (
    NO_CARD,
    NO_MIXES,
    NO_SOLVED_PLAY,
    NO_SUIT,
    BidMixes,
    BidPlan,
    History,
    InfoState,
    Model,
    SolvedPlay,
    legal_plays,
)
from towerlab.sim.towers_and_bowers.pimc import pimc_bids
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    RENAMED_SUITS,
    UP_CARD,
    UP_RANKS,
    UP_SUIT,
    HandGame,
    PlayPlaces,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import HistoryBlock, stored_block
from towerlab.solver.towers_and_bowers.whole_hand.strategies import MOST_CHOICES, CardMix, card_shares

_NO_ROW = -1


def stack_mixes(parts: Mapping[tuple[int, int], tuple[Ints, Floats]]) -> BidMixes:
    """Return mixes as kernels take them.

    Args:
        parts: for each hand size and rank of the up-card int64[classes], the hands that stand for them, ascending, and
            float64[classes, 2 n + 9], the columns of `solver.towers_and_bowers.bidding`.
    """
    if not parts:
        return NO_MIXES
    rows = np.zeros_like(NO_MIXES.rows)
    classes = sum(len(hands) for hands, _ in parts.values())
    shares = np.zeros((classes, max(mix.shape[1] for _, mix in parts.values())), dtype=np.float32)
    first = 0
    for (cards, rank), (hands, mix) in parts.items():
        rows[cards, rank] = first, first + len(hands)
        shares[first : first + len(hands), : mix.shape[1]] = mix
        first += len(hands)
    return BidMixes(rows, np.concatenate([hands for hands, _ in parts.values()]), shares)


@kernel
def equilibrium_bids(hand: int, up: int, is_dealer: bool, rules: HandRules, model: Model, random: Any) -> BidPlan:
    """Bids drawn from the mix of a hand and an up-card, or those of `pimc` where none is stored."""
    suits = renamed_suits(hand, up)
    row = find_mix(hand, up, suits, model.solution.mixes)
    if row == _NO_ROW:
        return pimc_bids(hand, up, is_dealer, rules, model)
    mix = model.solution.mixes.shares[row]
    n = popcount(hand)
    if not is_dealer:
        accepts = random.random() < mix[0]
        named = draw_place(mix, 1, 4, random)
        return BidPlan(accepts, NO_SUIT if named == 3 else suits[named], NO_CARD, NO_CARD)
    # Columns: the discard for the other n from 5 on, the answer, the dealer's own discard n, the suit left 3.
    for_other = nth_card(hand, suits, draw_place(mix, 5, n, random))
    accepts = random.random() < mix[5 + n]
    discard = nth_card(hand, suits, draw_place(mix, 6 + n, n, random))
    return BidPlan(accepts, suits[draw_place(mix, 6 + 2 * n, 3, random)], discard, for_other)


@kernel
def renamed_suits(hand: int, up: int) -> tuple[int, int, int, int]:
    """Return the suits that are called clubs, diamonds, hearts and spades in the class of a hand and an up-card."""
    suit = up // 13
    low = 1 if suit == 0 or suit == 3 else 0
    high = 3 - low
    if (hand >> 13 * high & SUIT_BITS) > (hand >> 13 * low & SUIT_BITS):
        low, high = high, low  # the diamonds of a class are not below its hearts
    return 3 - suit, low, high, suit


@kernel
def find_mix(hand: int, up: int, suits: tuple[int, int, int, int], mixes: BidMixes) -> int:
    """Return the row of a hand and an up-card, −1 if it is not stored."""
    standing = 0
    for place in range(4):
        standing |= (hand >> 13 * suits[place] & SUIT_BITS) << 13 * place
    n = popcount(hand)
    rank = up % 13
    first = mixes.rows[n, rank, 0]
    past = mixes.rows[n, rank, 1]
    if first == past:
        return _NO_ROW
    row = first + np.searchsorted(mixes.hands[first:past], standing)
    return row if row < past and mixes.hands[row] == standing else _NO_ROW


@kernel
def nth_card(hand: int, suits: tuple[int, int, int, int], place: int) -> int:
    """Return the card (id) that is this one from the lowest, counted from 0, once suits are renamed."""
    for suit in suits:
        held = hand >> 13 * suit & SUIT_BITS
        if place < popcount(held):
            for _ in range(place):
                held &= held - 1
            return 13 * suit + lowest_index(held)
        place -= popcount(held)
    return NO_CARD


# ------------------------------------------------------------------------------------------------------------ play

NOT_STORED = 0  # in place of a card
_RANKS = len(UP_RANKS)
_LOWEST = UP_RANKS[0]
_ALL_BUT_ONE = CARDS**12  # of thirteen cards, which an int64 holds; before the fourteenth nobody has a choice


def stack_play(games: Mapping[tuple[int, int], HandGame], weights: Mapping[int, NDArray[np.float32]]) -> SolvedPlay:
    """Return solutions as kernels take them.

    Args:
        games: the games by hand size, 2 or 3, and rank of the up-card.
        weights: the weights `Strategy.play` of those games by hand size, in that order, float32[games, longest].
    """
    if not games:
        return NO_SOLVED_PLAY
    rows = np.full_like(NO_SOLVED_PLAY.rows, -1)
    nodes = max(game.node_starts.shape[1] for game in games.values())
    node_starts = np.full((len(games), CONTRACTS, nodes), -1, dtype=np.int64)
    first = dict.fromkeys(weights, 0)
    for row, ((cards, rank), game) in enumerate(games.items()):
        rows[cards, rank] = row, first[cards]
        first[cards] += weights[cards].shape[1]
        node_starts[row, :, : game.node_starts.shape[1]] = game.node_starts
    flat = {cards: play.reshape(-1) for cards, play in weights.items()}
    return SolvedPlay(
        rows,
        flat.get(2, NO_SOLVED_PLAY.weights_of_2),
        flat.get(3, NO_SOLVED_PLAY.weights_of_3),
        node_starts,
        *(np.array([getattr(game, name) for game in games.values()]) for name in SolvedPlay._fields[4:]),
    )


@kernel
def with_card(history: int, card: int) -> int:
    """`History.cards` after one more card (id)."""
    return history % _ALL_BUT_ONE * CARDS + card // 13 * _RANKS + card % 13 - _LOWEST


@kernel
def last_card(history: int) -> int:
    """Return the card (id) played last."""
    card = history % CARDS
    return card // _RANKS * 13 + card % _RANKS + _LOWEST


@kernel
def solved_play(state: InfoState, history: History, solved: SolvedPlay, random: Any) -> int:
    """Return the card, as a play-order mask, drawn as the solution plays; `NOT_STORED` where there is none.

    Where the solution never comes, it plays every legal card alike.
    """
    row = solved.rows[state.n, history.up % 13, 0]
    legal = legal_plays(state)
    if row < 0 or legal == lowest_bit(legal):
        return legal if row >= 0 else NOT_STORED
    cards = np.empty(MOST_CHOICES, dtype=np.int64)
    shares = np.empty(MOST_CHOICES)
    count = list_shares(state, history, solved, cards, shares)
    chosen = cards[draw_place(shares, 0, count, random)]
    while card_number(_printed_card(lowest_bit(legal), history.trump), history.up) != chosen:
        legal ^= lowest_bit(legal)
    return lowest_bit(legal)


@kernel
def list_shares(state: InfoState, history: History, solved: SolvedPlay, cards: Any, shares: Any) -> int:
    """The numbers of the player's cards and how likely the solution plays each; returns how many cards there are.

    Args:
        cards, shares: the cards and their shares, filled, int64[4] and float64[4].
    """
    up = history.up
    row = solved.rows[state.n, up % 13, 0]
    first = solved.rows[state.n, up % 13, 1]
    fields = solved.fields[row]
    masks = solved.field_masks[row]
    wins = solved.nondealer_wins[row]
    places = PlayPlaces(fields, masks, wins, solved.node_starts[row], True, NONDEALER, 0, 0)
    weights = solved.weights_of_2 if state.n == 2 else solved.weights_of_3
    hidden = 0
    left = state.hand
    while left:
        hidden |= 1 << card_number(_printed_card(lowest_bit(left), history.trump), up)
        left &= left - 1
    holds_up_card = hidden >> UP_CARD & 1
    depth = 2 * (state.n - popcount(state.hand)) + (state.led != 0)
    contract = _contract(history)
    played = 0
    past = history.cards
    place = 1
    for _ in range(depth):
        played += card_number(last_card(past), up) * place
        past //= CARDS
        place *= CARDS
    discard = -1 if history.discard == NO_CARD else card_number(history.discard, up)
    block = stored_block(places, contract, depth, played)
    block = HistoryBlock(first + block.start, block.mirrored, block.allowed, block.unseen, block.led)
    mix = CardMix(cards, np.empty(MOST_CHOICES, dtype=np.int64), shares)
    return card_shares(block, weights, hidden & ~(1 << UP_CARD), discard, holds_up_card, mix)


@kernel
def _printed_card(card: int, trump: int) -> int:
    """Return the card (id) of a play-order mask."""
    return lowest_index(to_printed(card, trump, True))


@kernel
def _contract(history: History) -> int:
    """Return the contract as `solver.towers_and_bowers.whole_hand.game` numbers it."""
    nondealer_bids = history.is_bidder != history.is_dealer
    if history.trump == history.up // 13:
        return NONDEALER_ACCEPTS if nondealer_bids else DEALER_ACCEPTS
    named = int(RENAMED_SUITS[history.up // 13, history.trump])
    return named + (NONDEALER_NAMES if nondealer_bids else DEALER_NAMES)


@kernel
def card_number(card: int, up: int) -> int:
    """Return the number 0..23 of a card (id) with an up-card, as `arrays.card_numbers` has it with a spade."""
    if card == up:
        return UP_CARD
    suit = RENAMED_SUITS[up // 13, card // 13]
    rank = card % 13
    return int(_RANKS * suit + rank - _LOWEST - (suit == UP_SUIT and rank > up % 13))
