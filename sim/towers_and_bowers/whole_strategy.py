"""Everything a player would do in hands of one to three cards, as a strategy of the solved game.

Each hand is played through all that the player could see: every card of the opponent's that fits, the player's own as
chosen. What would be done only after a card that is never played is left out. The decisions are those of the
simulator, asked for in the suits of the up-card given; they are stored as `solver.towers_and_bowers.whole_hand` does,
with the up-card a spade.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import suit_of, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import Phase
from towerlab.sim.own import OwnPlayer
from towerlab.sim.towers_and_bowers.hand import (
    choose_card,
    state_at,
)
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, Model, Rules, legal_plays
from towerlab.sim.towers_and_bowers.own import PythonPlayer, Views, check_draws
from towerlab.sim.towers_and_bowers.plans import asked_player, dealer_plans, nondealer_plans
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, follows_habits, habitual_play
from towerlab.sim.towers_and_bowers.solved_play import suit_beside
from towerlab.sim.towers_and_bowers.walks import (
    DEPTH,
    GONE,
    Around,
    Walk,
    cards_beside,
    entry_of,
    new_walk,
    next_turn,
    real_suit,
)
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
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
    nondealer_bids,
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
        random = np.random.default_rng(0)
        before = random.bit_generator.state
        hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
        for contract, seat in itertools.product(range(CONTRACTS), (NONDEALER, DEALER)):
            cards = cards_beside(up, real_suit(trump_of(contract), up))
            around = Around(game, contract, seat, hands, cards)
            if asked is not None:
                _fill_asked(asked, around, play)
            else:
                _fill_play(PLAYER_IDS[str(player)], around, model, random, new_walk(game.cards), play)
        check_draws(player, random.bit_generator.state != before)
    return Strategy(_bidding(player, game, up, rules, model), play)


def _fill_asked(asked: PythonPlayer, around: Around, play: Floats) -> None:
    """Write, of one seat of one contract, what the player says of each card, wherever there is a choice."""
    n, cards, is_dealer = around.game.cards, around.cards, around.seat == DEALER
    exchanges = is_dealer and around.contract <= DEALER_ACCEPTS
    at_once = max(1, _ROWS // (_MOST_TURNS[n] * (n if exchanges else 1)))
    for first in range(0, len(around.hands), at_once):
        turns = new_turns(n, _ROWS)
        some = around._replace(hands=around.hands[first : first + at_once])
        count = _list_turns(some, new_walk(n), turns, play)
        if count:
            public = n, cards.up, int(not nondealer_bids(around.contract)), cards.trump
            same = (np.full(count, number) for number in public)
            views = Views(str(Phase.PLAY), is_dealer, *same, *(array[:count] for array in turns[:-1]))
            may = views.may
            play[turns.entries[:count, : views.columns][may]] = asked.shares(views)[may]


def _bidding(player: str | OwnPlayer, game: HandGame, up: int, rules: Rules, model: Model) -> Floats:
    """`Strategy.bidding`, renamed from the plans for the real cards."""
    n, ids = game.cards, cards_beside(up, suit_of(up)).ids
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


@kernel
def _fill_play(player: int, around: Around, model: Model, random: Any, walk: Walk, play: Floats) -> None:
    """One seat of one contract, every hand and every discard: ones at the cards that are played."""
    while next_turn(around, walk, play):
        depth = walk.now[DEPTH]
        # As `hand.play_hand`: a model is handed only to who needs one.
        if follows_habits(player):
            walk.chosen[depth] = habitual_play(player, state_at(walk.at[depth], around.seat), random)
        else:
            walk.chosen[depth] = choose_card(player, walk.at[depth], model, random)


class Turns(NamedTuple):
    """The choices of a player, a row each: the arrays of `Views`, int64[rows], and where the cards' weights stand.

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


def new_turns(n: int, rows: int) -> Turns:
    """Return room for so many."""
    hand, discard, legal, holds, unseen, taken = np.zeros((6, rows), dtype=np.int64)
    return Turns(
        hand, discard, np.full((rows, 2 * n), -1), legal, holds, unseen, taken, np.zeros((rows, n + 1), dtype=np.int64)
    )


@kernel
def _list_turns(around: Around, walk: Walk, turns: Turns, play: Floats) -> int:
    """Every choice of a card with some hands, whatever the player has played before; returns how many there are.

    Args:
        around, walk: of which hands.
        turns: filled.
        play: filled with ones at the places of the cards.
    """
    cards, count = around.cards, 0
    while next_turn(around, walk, play):
        depth, gone = walk.now[DEPTH], walk.now[GONE]
        state = state_at(walk.at[depth], around.seat)
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
        left = turns.hand[count]
        for column in range(popcount(left)):
            for number in range(CARDS):
                if cards.ids[number] == lowest_index(left):
                    walk.card[depth] = number
            entry = entry_of(around.game, around.contract, around.seat, gone, depth, cards, walk)
            turns.entries[count, column] = entry
            left &= left - 1
        walk.card[depth] = -1
        count += 1
    return count
