"""Everything a player would do in hands of one to three cards, as a strategy of the solved game.

Each hand is played through all that the player could see: every card of the opponent's that fits, the player's own as
chosen. What would be done only after a card that is never played is left out. The decisions are those of the
simulator, asked for in the suits of the up-card given; they are stored as `solver.towers_and_bowers.whole_hand` does,
with the up-card a spade.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, mask_cards, suit_of, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import Phase
from towerlab.games.tricks import field_of
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.hand import (
    HELD,
    LED,
    POOL,
    POSITION_SIZE,
    SIZE,
    SURE,
    choose_card,
    lay_out,
    put_card,
    state_at,
    turn,
)
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, Model, Rules, legal_plays
from towerlab.sim.towers_and_bowers.own import Asked, Views, numbers_of, with_own
from towerlab.sim.towers_and_bowers.plans import asked_player, check_draws, dealer_plans, nondealer_plans
from towerlab.sim.towers_and_bowers.players import follows_habits, habitual_play
from towerlab.sim.towers_and_bowers.solved_play import card_number, suit_beside
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.best_response import MOST_CHOICES
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT,
    ANSWER,
    DECISIONS,
    DISCARD,
    FIRST_CALL,
    LAST_CALL,
    MOST_ENTRIES,
    PASS,
    SECOND_CALL,
    SECOND_PASS,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHERS,
    UP_CARD,
    list_entries,
    nondealer_bids,
    stored_block,
    trump_of,
)

_ROWS = 200_000  # choices that are asked about at once
_MOST_TURNS = {1: 1, 2: 60, 3: 1_400}  # of a player, with one hand and discard in one contract


def whole_strategy(player: str | OwnPlayer, game: HandGame, up: int, rules: Rules, model: Model) -> Strategy:
    """The strategy of a player who tosses no coins, of `random`, or of one of the user's who says what is how likely.

    Args:
        player: a name of `PLAYERS`, not ``"equilibrium"``, or a player of the user's.
        game: of the rank of the up-card, not mirrored.
        up: the up-card (id), of any suit.
        rules, model: as the game is played.

    Raises:
        PlayerError: a player of the user's that draws lots, or does what cannot be done.
    """
    play = np.zeros(game.play_size)  # zeros: every legal card alike
    asked = asked_player(player, rules)
    if player != "random":
        number, random = int(numbers_of([player])[0]), np.random.default_rng(0)
        before, fill = random.bit_generator.state, with_own(_fill_play, () if asked else (player,))
        ids, walk = card_ids(up), new_walk(game.cards)
        for contract in range(CONTRACTS):
            trump = real_suit(trump_of(contract), up)
            masks = np.array([int(to_play_order(1 << card, trump, True)) for card in ids.tolist()])
            table = Cards(ids, masks, up, trump)
            bids = nondealer_bids(contract)
            if asked is not None:
                _fill_asked(asked, game, contract, bids, table, walk, play)
            else:
                fill(number, game, contract, bids, table, model, random, walk, play)
        check_draws(player, random.bit_generator.state != before)
    return Strategy(_bidding(player, game, up, rules, model), play)


def _fill_asked(
    asked: Asked, game: HandGame, contract: int, nondealer_bids: bool, table: Cards, walk: Walk, play: Floats
) -> None:
    """One contract, either seat: what the player says of each card, wherever there is a choice."""
    hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
    for seat in range(2):
        exchanges = seat == DEALER and contract <= DEALER_ACCEPTS
        at_once = max(1, _ROWS // (_MOST_TURNS[game.cards] * (game.cards if exchanges else 1)))
        for first in range(0, len(hands), at_once):
            turns = new_turns(game.cards, _ROWS)
            count = list_turns(game, contract, seat, hands[first : first + at_once], table, walk, turns, play)
            if count:
                known = (array[:count] for array in turns[:-1])
                bidder = int(not nondealer_bids)
                views = Views(game.cards, table.up, str(Phase.PLAY), seat == DEALER, bidder, table.trump, *known)
                _write_shares(asked, views, turns.entries[:count], play)


def _write_shares(asked: Asked, views: Views, entries: Ints, play: Floats) -> None:
    """What the player says in hands with as many cards each, as many at a time."""
    counts = np.bitwise_count(views.hand)
    for count in np.unique(counts):
        rows = counts == count
        of_size = views.at(rows)
        play[entries[rows, :count][of_size.may]] = asked.shares(of_size)[of_size.may]


def card_ids(up: int) -> Ints:
    """int64[24]: the cards (ids) behind the numbers 0..23 of the solved game beside any up-card."""
    ids = np.zeros(CARDS, dtype=np.int64)
    for card in mask_cards(DECK_24):
        ids[card_number(card, up)] = card
    return ids


def real_suit(suit: int, up: int) -> int:
    """The suit beside an up-card that is called so when the up-card is a spade."""
    return next(real for real in range(4) if suit_beside(real, suit_of(up)) == suit)


def _bidding(player: str | OwnPlayer, game: HandGame, up: int, rules: Rules, model: Model) -> Floats:
    """`Strategy.bidding`, renamed from the plans for the real cards."""
    n, ids = game.cards, card_ids(up)
    held = ids[game.members[n, : int(game.sets[n]), :n]]
    hands = (1 << held).sum(axis=1)
    shares = np.zeros((DECISIONS, len(hands), MOST_ENTRIES))
    suits = [suit_beside(suit, suit_of(up)) for suit in range(4) if suit != suit_of(up)]
    accepts, names = nondealer_plans(player, hands, up, rules, model)
    shares[FIRST_CALL, :, ACCEPT], shares[FIRST_CALL, :, PASS] = accepts, 1 - accepts
    shares[SECOND_CALL, :, [*suits, SECOND_PASS]] = names.T
    for_other, answers, own, left = dealer_plans(player, hands, up, rules, model)
    shares[ANSWER, :, ACCEPT], shares[ANSWER, :, PASS] = answers, 1 - answers
    shares[LAST_CALL, :, suits] = left.T
    places = np.argsort(np.argsort(held, axis=1), axis=1)  # of each member among the real cards, from the lowest
    shares[DISCARD, :, :n] = np.take_along_axis(for_other, places, axis=1)
    shares[DISCARD + 1, :, :n] = np.take_along_axis(own, places, axis=1)
    return shares


# --------------------------------------------------------------------------------------------------------- kernels


class Cards(NamedTuple):
    """The cards of the solved game in one contract, as they are in the suits of the up-card given.

    Attributes:
        ids: int64[24], `card_ids`.
        masks: int64[24], the same in play order.
        up, trump: the up-card (id) and the trump suit.
    """

    ids: Ints
    masks: Ints
    up: int
    trump: int


class Walk(NamedTuple):
    """The way to where a walk stands, int64 by depth (number of cards played).

    Attributes:
        at: [depths, `POSITION_SIZE`], positions as the player who is walked through knows them: the other's cards and
            what the other knows mean nothing.
        card: the number of the card tried here, -1 before the first.
        chosen: the card played here (play order), 0 while it is not the player's turn.
        history: the cards played in base 24.
    """

    at: Ints
    card: Ints
    chosen: Ints
    history: Ints


def new_walk(n: int) -> Walk:
    """Room for a walk through hands of n cards."""
    at = np.zeros((2 * n + 1, POSITION_SIZE), dtype=np.int64)
    return Walk(at, *np.zeros((3, 2 * n + 1), dtype=np.int64))


@kernel
def _fill_play(
    player: int,
    game: HandGame,
    contract: int,
    nondealer_bids: bool,
    table: Cards,
    model: Model,
    random: Any,
    walk: Walk,
    play: Floats,
) -> None:
    """One contract, either seat, every hand and every discard: ones at the cards that are played."""
    for seat in range(2):
        exchanges = seat == DEALER and contract <= DEALER_ACCEPTS
        for hand in range(game.sets[game.cards]):
            if game.dealt[hand] == 0.0:
                continue
            dealt = 0
            for place in range(game.cards):
                dealt |= 1 << table.ids[game.members[game.cards, hand, place]]
            for place in range(game.cards if exchanges else 1):
                discard = game.members[game.cards, hand, place] if exchanges else NO_CARD
                start_hand(seat, contract, nondealer_bids, dealt, discard, table, walk)
                depth = walk_on(game, contract, seat, discard, 0, table, walk, play)
                while depth >= 0:
                    # As `hand.play_hand`: a model is handed only to who needs one.
                    if follows_habits(player):
                        walk.chosen[depth] = habitual_play(player, state_at(walk.at[depth], seat), random)
                    else:
                        walk.chosen[depth] = choose_card(player, walk.at[depth], model, random)
                    depth = walk_on(game, contract, seat, discard, depth, table, walk, play)


class Turns(NamedTuple):
    """Where a player has a choice of cards, a row each: the arrays of `Views`, and where the cards' weights stand.

    Attributes:
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


def new_turns(n: int, rows: int) -> Turns:
    """Room for so many."""
    hand, discard, legal, holds, unseen, taken = np.zeros((6, rows), dtype=np.int64)
    return Turns(
        hand, discard, np.full((rows, 2 * n), -1), legal, holds, unseen, taken, np.zeros((rows, n + 1), dtype=np.int64)
    )


@kernel
def list_turns(
    game: HandGame, contract: int, seat: int, hands: Ints, table: Cards, walk: Walk, turns: Turns, play: Floats
) -> int:
    """Every choice of a card with some hands (numbers of the game's), whatever the player has played before.

    Returns:
        How many there are; `turns` is filled, and `play` with ones for them.
    """
    exchanges, count = seat == DEALER and contract <= DEALER_ACCEPTS, 0
    for hand in hands:
        dealt = 0
        for place in range(game.cards):
            dealt |= 1 << table.ids[game.members[game.cards, hand, place]]
        for place in range(game.cards if exchanges else 1):
            discard = game.members[game.cards, hand, place] if exchanges else NO_CARD
            start_hand(seat, contract, False, dealt, discard, table, walk)
            depth = walk_on(game, contract, seat, discard, 0, table, walk, play)
            while depth >= 0:
                state = state_at(walk.at[depth], seat)
                legal = legal_plays(state)
                walk.chosen[depth] = legal
                if legal & (legal - 1):
                    turns.hand[count] = to_printed(state.hand, table.trump, True)
                    turns.discard[count] = table.ids[discard] if exchanges else NO_CARD
                    for place in range(depth):
                        turns.played[count, place] = table.ids[walk.card[place]]
                    turns.legal[count] = to_printed(legal, table.trump, True)
                    turns.holds[count] = to_printed(state.sure, table.trump, True)
                    turns.unseen[count] = to_printed(state.pool, table.trump, True)
                    turns.taken[count] = state.taken
                    left = turns.hand[count]
                    for column in range(popcount(left)):
                        for number in range(CARDS):
                            if table.ids[number] == lowest_index(left):
                                walk.card[depth] = number
                        turns.entries[count, column] = entry_of(game, contract, depth, seat, discard, table, walk)
                        left &= left - 1
                    walk.card[depth] = -1
                    count += 1
                depth = walk_on(game, contract, seat, discard, depth, table, walk, play)
    return count


@kernel
def start_hand(
    seat: int, contract: int, nondealer_bids: bool, dealt: int, discard: int, table: Cards, walk: Walk
) -> None:
    """What the player knows at the first lead; of the other's hand nothing is read."""
    gone = NO_CARD if contract > DEALER_ACCEPTS else table.up if discard == NO_CARD else table.ids[discard]
    hands = (dealt, 0) if seat == NONDEALER else (0, dealt)
    at = walk.at[0]
    lay_out(hands, table.up, NONDEALER if nondealer_bids else DEALER, table.trump, gone, False, at)
    at[SIZE] = popcount(dealt)
    walk.card[0], walk.chosen[0], walk.history[0] = -1, 0, 0


@kernel
def walk_on(
    game: HandGame, contract: int, seat: int, discard: int, depth: int, table: Cards, walk: Walk, play: Floats
) -> int:
    """Go on from a depth, writing ones at the cards played, until the player has a card to choose.

    Returns:
        The depth of that choice, to be put into `Walk.chosen`; -1 when every way has been gone.
    """
    while depth >= 0:
        if depth == 2 * game.cards - 2:  # the last trick is forced
            depth -= 1
            continue
        own_turn = turn(walk.at[depth]) == seat
        if own_turn and walk.card[depth] < 0 and walk.chosen[depth] == 0:
            return depth
        number = walk.card[depth] = next_card(depth, seat, table, walk)
        if number == CARDS:
            depth -= 1
            continue
        if own_turn:
            entry = entry_of(game, contract, depth, seat, discard, table, walk)
            if entry >= 0:
                play[entry] = 1.0
        below = depth + 1
        walk.at[below] = walk.at[depth]
        put_card(walk.at[below], table.masks[number])
        walk.history[below] = walk.history[depth] * CARDS + number
        walk.card[below], walk.chosen[below] = -1, 0
        depth = below
    return -1


@kernel
def next_card(depth: int, seat: int, table: Cards, walk: Walk) -> int:
    """The next card that the player plays or the other may play here, 24 when there is none."""
    plays, at = walk.chosen[depth], walk.at[depth]
    if plays == 0:
        led, sure = at[LED], at[SURE + seat]
        plays, field = sure | at[POOL + seat], field_of(led, TRUMP_FIELD) if led else 0
        if at[SIZE] - depth // 2 == popcount(sure):
            plays = sure  # there is no other card
        if sure & field:
            plays &= field
    for card in range(walk.card[depth] + 1, CARDS):
        if plays & table.masks[card]:
            return card
    return CARDS


@kernel
def entry_of(game: HandGame, contract: int, depth: int, seat: int, discard: int, table: Cards, walk: Walk) -> int:
    """Where the card tried at a depth stands in `Strategy.play`, -1 where there is no choice."""
    held, own = 0, walk.at[depth, HELD + seat]
    for card in range(OTHERS):
        held |= 1 << card if own & table.masks[card] else 0
    holds_up_card = 1 if own & table.masks[UP_CARD] else 0
    block = stored_block(game, contract, depth, walk.history[depth])
    cards, entries = np.empty(MOST_CHOICES, np.int64), np.empty(MOST_CHOICES, np.int64)
    put_away = -1 if discard == NO_CARD else discard
    for choice in range(list_entries(block, held, put_away, holds_up_card, cards, entries)):
        if cards[choice] == walk.card[depth]:
            return int(entries[choice])
    return -1
