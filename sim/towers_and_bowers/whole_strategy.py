"""What would a player do in every situation of a hand? In hands of one to three cards, as a strategy of the solved
game.

Each hand is played through all that the player could see: every card of the opponent's that fits, the player's own as
chosen. Decisions after a card that the player never plays are left out. The decisions are those of the simulator, in
the suits of the up-card given; they are stored as `solver.towers_and_bowers.whole_hand` does, with the up-card a spade.

    towerlab exploit pimc --cards 2
"""

from __future__ import annotations

import itertools
from typing import Any, Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import HandRules, Phase
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.tricks import field_of
from towerlab.sim.towers_and_bowers.equilibrium import card_number
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, Model, legal_plays
from towerlab.sim.towers_and_bowers.match import (
    HELD,
    LED,
    POOL,
    POSITION_SIZE,
    SIZE,
    SURE,
    by_seat,
    choose_card,
    lay_out,
    put_card,
    seat_to_play,
    state_at,
)
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, follows_habits, habitual_play
from towerlab.sim.towers_and_bowers.seats import (
    PythonPlayer,
    ReadyPlayer,
    Views,
    check_draws,
    dealer_plans,
    nondealer_plans,
)
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    NONDEALER_ACCEPTS,
    OTHERS,
    REAL_SUITS,
    RENAMED_SUITS,
    UP_CARD,
    nondealer_bids,
    trump_of,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import list_entries, stored_block
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
)
from towerlab.solver.towers_and_bowers.whole_hand.strategies import MOST_CHOICES

_ROWS: Final = 200_000  # choices that a player is given at once
_MOST_TURNS: Final = {1: 1, 2: 60, 3: 1_400}  # of a player, with one hand and discard in one contract
_HAND, _PLACE, _DEPTH, _GONE = range(4)  # of `Walk.now`


class ContractCards(NamedTuple):
    """The cards of the solved game in one contract, as they are in the suits of the up-card given.

    Attributes:
        ids: int64[24], the cards (ids) behind the numbers 0..23.
        masks: int64[24], the same in play order.
        up, trump: the up-card (id) and the trump suit.
    """

    ids: Ints
    masks: Ints
    up: int
    trump: int


class ContractSide(NamedTuple):
    """The hands of one seat in one contract.

    Attributes:
        game: of the rank of the up-card, not mirrored.
        contract, seat: 0..7, and the player's.
        hands: int64[hands], numbers of that player's sets of n cards.
        cards: of the contract.
    """

    game: HandGame
    contract: int
    seat: int
    hands: Ints
    cards: ContractCards


class Walk(NamedTuple):
    """The way to the position that a walk has reached, int64 by depth (number of cards played).

    Attributes:
        positions: [depths, `POSITION_SIZE`], as the player knows them: the opponent's cards and what the opponent
            knows mean nothing.
        card: the number of the card tried here, -1 before the first.
        chosen: the cards that the player plays here (play order), 0 while it is not the player's turn.
        history: the cards played in base 24.
        now: int64[4], the place among the hands, that of the discard, the depth, and the discard's number or -1.
    """

    positions: Ints
    card: Ints
    chosen: Ints
    history: Ints
    now: Ints


class Turns(NamedTuple):
    """The choices of a player, a row each: the arrays of `Views`, int64[rows], and the places of the cards' weights.

    Attributes:
        played: int64[rows, 2 n], -1 for none.
        entries: int64[rows, n + 1], places in `Strategy.play` of the cards held, from the lowest.
    """

    hand: Ints
    discard: Ints
    played: Ints
    legal: Ints
    holds: Ints
    unseen: Ints
    taken: Ints
    entries: Ints


def whole_strategy(player: ReadyPlayer, game: HandGame, up: int, rules: HandRules, model: Model) -> Strategy:
    """Return the strategy of a player that does not randomise, of `random`, or of a Python player with arrays.

    Args:
        player: of `ready_player`, not ``"equilibrium"``.
        game: of the rank of the up-card, not mirrored.
        up: the up-card (id), of any suit.
        rules, model: as the game is played.

    Raises:
        PlayerError: a Python player with `act` that randomises, or an impossible action.
    """
    play = np.zeros(game.play_size)  # zeros: every legal card alike
    if player != "random":
        random = np.random.default_rng(0)
        before = random.bit_generator.state
        hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
        for contract, seat in itertools.product(range(CONTRACTS), (NONDEALER, DEALER)):
            side = ContractSide(game, contract, seat, hands, contract_cards(up, contract))
            if isinstance(player, PythonPlayer):
                _fill_shares(player, side, play)
            else:
                _fill_cards(PLAYER_IDS[player], side, model, random, new_walk(game.cards), play)
        check_draws(player, random.bit_generator.state != before)
    return Strategy(_bidding(player, game, up, rules, model), play)


def _fill_shares(player: PythonPlayer, side: ContractSide, play: Floats) -> None:
    """Write the player's probability of each card of one seat of one contract, wherever there is a choice."""
    n = side.game.cards
    cards = side.cards
    is_dealer = side.seat == DEALER
    exchanges = is_dealer and side.contract <= DEALER_ACCEPTS
    at_once = max(1, _ROWS // (_MOST_TURNS[n] * (n if exchanges else 1)))
    for first in range(0, len(side.hands), at_once):
        turns = _new_turns(n, _ROWS)
        part = side._replace(hands=side.hands[first : first + at_once])
        count = _list_turns(part, new_walk(n), turns, play)
        if count:
            public = n, cards.up, int(not nondealer_bids(side.contract)), cards.trump
            columns = (np.full(count, number) for number in public)
            views = Views(str(Phase.PLAY), is_dealer, *columns, *(array[:count] for array in turns[:-1]))
            possible = views.may
            play[turns.entries[:count, : views.columns][possible]] = player.shares(views)[possible]


def _new_turns(n: int, rows: int) -> Turns:
    hand, discard, legal, holds, unseen, taken = np.zeros((6, rows), dtype=np.int64)
    played = np.full((rows, 2 * n), -1)
    entries = np.zeros((rows, n + 1), dtype=np.int64)
    return Turns(hand, discard, played, legal, holds, unseen, taken, entries)


def _bidding(player: ReadyPlayer, game: HandGame, up: int, rules: HandRules, model: Model) -> Floats:
    """`Strategy.bidding`, renamed from the plans for the real cards."""
    n = game.cards
    ids = contract_cards(up, NONDEALER_ACCEPTS).ids
    held = ids[game.members[n, : int(game.sets[n]), :n]]
    hands = (1 << held).sum(axis=1)
    shares = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))
    suits = [int(suit) for real, suit in enumerate(RENAMED_SUITS[up // 13]) if real != up // 13]
    accepts, names = nondealer_plans(player, hands, up, rules, model)
    shares[FIRST_CALL, :, ACCEPT_COLUMN] = accepts
    shares[FIRST_CALL, :, PASS_COLUMN] = 1 - accepts
    shares[NAMING, :, [*suits, NAMING_PASS_COLUMN]] = names.T
    for_other, answers, own, left = dealer_plans(player, hands, up, rules, model)
    shares[ANSWER, :, ACCEPT_COLUMN] = answers
    shares[ANSWER, :, PASS_COLUMN] = 1 - answers
    shares[LAST_CALL, :, suits] = left.T
    places = np.argsort(np.argsort(held, axis=1), axis=1)  # of each member among the real cards, from the lowest
    shares[EXCHANGE, :, :n] = np.take_along_axis(for_other, places, axis=1)
    shares[EXCHANGE + 1, :, :n] = np.take_along_axis(own, places, axis=1)
    return shares


def contract_cards(up: int, contract: int) -> ContractCards:
    """Return the cards of a contract 0..7 with an up-card (id) of any suit."""
    ids, masks = np.zeros((2, CARDS), dtype=np.int64)
    trump = int(REAL_SUITS[up // 13, trump_of(contract)])
    _number_cards(up, trump, ids, masks)
    return ContractCards(ids, masks, up, trump)


def new_walk(n: int) -> Walk:
    """Return a walk through hands of n cards that has not begun."""
    positions = np.zeros((2 * n + 1, POSITION_SIZE), dtype=np.int64)
    card, chosen, history = np.zeros((3, 2 * n + 1), dtype=np.int64)
    return Walk(positions, card, chosen, history, np.array([-1, 0, -1, -1]))


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _number_cards(up: int, trump: int, ids: Ints, masks: Ints) -> None:
    """Fill in `ContractCards.ids` and `ContractCards.masks`."""
    for card in range(52):
        if DECK_24 >> card & 1:
            number = card_number(card, up)
            ids[number] = card
            masks[number] = to_play_order(1 << card, trump, True)


@kernel
def _fill_cards(player: int, side: ContractSide, model: Model, random: Any, walk: Walk, play: Floats) -> None:
    """Write ones at the cards that a player of the simulator plays, with every hand and every discard."""
    while _next_turn(side, walk, play):
        depth = walk.now[_DEPTH]
        if follows_habits(player):  # a model is handed only to players that need one, as in `match.play_hand`
            walk.chosen[depth] = habitual_play(player, state_at(walk.positions[depth], side.seat), random)
        else:
            walk.chosen[depth] = choose_card(player, walk.positions[depth], model, random)


@kernel
def _list_turns(side: ContractSide, walk: Walk, turns: Turns, play: Floats) -> int:
    """List every choice of a card with some hands, whatever the player has played before; returns how many there are.

    Args:
        side, walk: of which hands.
        turns: filled.
        play: filled with ones at the places of the cards.
    """
    cards = side.cards
    count = 0
    numbers = np.empty(MOST_CHOICES, np.int64)
    entries = np.empty(MOST_CHOICES, np.int64)
    while _next_turn(side, walk, play):
        depth = walk.now[_DEPTH]
        gone = walk.now[_GONE]
        state = state_at(walk.positions[depth], side.seat)
        legal = legal_plays(state)
        walk.chosen[depth] = legal
        if legal & (legal - 1) == 0:
            continue
        turns.hand[count] = to_printed(state.hand, cards.trump, True)
        turns.discard[count] = NO_CARD if gone < 0 else cards.ids[gone]
        for place in range(depth):
            turns.played[count, place] = cards.ids[walk.card[place]]
        turns.legal[count] = to_printed(legal, cards.trump, True)
        turns.holds[count] = to_printed(state.sure, cards.trump, True)
        turns.unseen[count] = to_printed(state.pool, cards.trump, True)
        turns.taken[count] = state.taken
        choices = _list_choices(side.game, side.contract, side.seat, gone, depth, cards, walk, numbers, entries)
        left = turns.hand[count]
        for column in range(popcount(left)):
            for choice in range(choices):
                if cards.ids[numbers[choice]] == lowest_index(left):
                    turns.entries[count, column] = entries[choice]
            left &= left - 1
        count += 1
    return count


# -------------------------------------------------------------------------------------------------------- the walk


@kernel
def _next_turn(side: ContractSide, walk: Walk, play: Floats) -> bool:
    """Go on until the player has a card to choose, writing ones at the cards chosen before.

    Args:
        side: which hands; with each, a dealer who takes the up-card puts away every card in turn.
        walk: `now` says where the choice is, to be put into `chosen`.
        play: `Strategy.play`.

    Returns:
        Whether there is one: not when every way has been gone with every hand.
    """
    game = side.game
    now = walk.now
    exchanges = side.seat == DEALER and side.contract <= DEALER_ACCEPTS
    while not _walk_on(side, walk, play):
        now[_PLACE] += 1
        if now[_HAND] < 0 or not exchanges or now[_PLACE] == game.cards:
            now[_HAND] += 1
            now[_PLACE] = 0
        if now[_HAND] == len(side.hands):
            return False
        hand = side.hands[now[_HAND]]
        now[_GONE] = game.members[game.cards, hand, now[_PLACE]] if exchanges else -1
        _start_hand(side, game.members[game.cards, hand, : game.cards], walk)
    return True


@kernel
def _start_hand(side: ContractSide, members: Ints, walk: Walk) -> None:
    """Write what the player knows at the first lead; of the other's hand nothing is read."""
    cards = side.cards
    dealt = 0
    gone = NO_CARD
    for member in members:
        dealt |= 1 << cards.ids[member]
    if side.contract <= DEALER_ACCEPTS:
        gone = cards.up if walk.now[_GONE] < 0 else cards.ids[walk.now[_GONE]]
    bidder = NONDEALER if nondealer_bids(side.contract) else DEALER
    lay_out(by_seat(side.seat, dealt, 0), cards.up, bidder, cards.trump, gone, DEFAULT_RULES, walk.positions[0])
    walk.positions[0, SIZE] = popcount(dealt)
    walk.card[0] = -1
    walk.chosen[0] = 0
    walk.history[0] = 0
    walk.now[_DEPTH] = 0


@kernel
def _walk_on(side: ContractSide, walk: Walk, play: Floats) -> bool:
    """Go on with the hand: whether there is a card to choose."""
    depth = walk.now[_DEPTH]
    seat = side.seat
    last = 2 * side.game.cards - 2
    while depth >= 0:
        own_turn = seat_to_play(walk.positions[depth]) == seat
        if depth < last and own_turn and walk.card[depth] < 0 and walk.chosen[depth] == 0:
            break
        number = _next_card(depth, seat, side.cards, walk) if depth < last else CARDS  # the last trick is forced
        if number == CARDS:
            depth -= 1
            continue
        walk.card[depth] = number
        if own_turn:
            entry = entry_of(side.game, side.contract, seat, walk.now[_GONE], depth, side.cards, walk)
            if entry >= 0:
                play[entry] = 1.0
        play_on(depth, number, side.cards, walk)
        depth += 1
    walk.now[_DEPTH] = depth
    return bool(depth >= 0)


@kernel
def _next_card(depth: int, seat: int, cards: ContractCards, walk: Walk) -> int:
    """The next card that the player plays or the other may play here, 24 when there is none."""
    plays = walk.chosen[depth]
    position = walk.positions[depth]
    if plays == 0:
        led = position[LED]
        sure = position[SURE + seat]
        plays = sure | position[POOL + seat]
        field = field_of(led, TRUMP_FIELD) if led else 0
        if position[SIZE] - depth // 2 == popcount(sure):
            plays = sure  # there is no other card
        if sure & field:
            plays &= field
    for card in range(walk.card[depth] + 1, CARDS):
        if plays & cards.masks[card]:
            return card
    return CARDS


@kernel
def play_on(depth: int, number: int, cards: ContractCards, walk: Walk) -> None:
    """The position below, a card later."""
    below = depth + 1
    walk.card[depth] = number
    walk.positions[below] = walk.positions[depth]
    put_card(walk.positions[below], cards.masks[number])
    walk.history[below] = walk.history[depth] * CARDS + number
    walk.card[below] = -1
    walk.chosen[below] = 0


@kernel
def entry_of(
    game: HandGame, contract: int, seat: int, discard: int, depth: int, cards: ContractCards, walk: Walk
) -> int:
    """Return where the card tried at a depth stands in `Strategy.play`, -1 where there is no choice."""
    numbers = np.empty(MOST_CHOICES, np.int64)
    entries = np.empty(MOST_CHOICES, np.int64)
    for choice in range(_list_choices(game, contract, seat, discard, depth, cards, walk, numbers, entries)):
        if numbers[choice] == walk.card[depth]:
            return int(entries[choice])
    return -1


@kernel
def _list_choices(
    game: HandGame,
    contract: int,
    seat: int,
    discard: int,
    depth: int,
    cards: ContractCards,
    walk: Walk,
    numbers: Ints,
    entries: Ints,
) -> int:
    """Fill in the cards that may be played at a depth, and their places in `Strategy.play`; returns how many."""
    held = 0
    own = walk.positions[depth, HELD + seat]
    for card in range(OTHERS):
        held |= 1 << card if own & cards.masks[card] else 0
    block = stored_block(game, contract, depth, walk.history[depth])
    return int(list_entries(block, held, discard, 1 if own & cards.masks[UP_CARD] else 0, numbers, entries))
