"""What would a player do in every situation of a hand? In hands of one to three cards, as a strategy of the solved
game.

Hands are played through side by side, card by card, with the kernels of `user_players`: every card of the opponent's
that fits what the player has seen, the player's own as chosen; a Python player's all that it may play. Decisions after
a card that a player of the simulator never plays are left out. The decisions are those of the simulator, in the suits
of the up-card given; they are stored as `solver.towers_and_bowers.whole_hand` does, with the up-card a spade.

    towerlab exploit pimc --cards 2
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, mask_cards, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import HandRules
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.games.tricks import field_of
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, Model, legal_plays
from towerlab.sim.towers_and_bowers.match import (
    POSITION_SIZE,
    RECORD_BIDDER,
    RECORD_DISCARD,
    RECORD_PLAYS,
    RECORD_SIZE,
    RECORD_TRUMP,
    SIZE,
    TAKEN,
    TRUMP,
    seat_to_play,
    state_at,
)
from towerlab.sim.towers_and_bowers.players import PLAYER_IDS, follows_habits
from towerlab.sim.towers_and_bowers.seats import (
    PythonPlayer,
    ReadyPlayer,
    Shares,
    Views,
    check_draws,
    dealer_plans,
    nondealer_plans,
    one_hot,
)
from towerlab.sim.towers_and_bowers.user_players import choose_cards, lay_out_all, play_views, record_cards, turns_of
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    NONDEALER,
    OTHER_CARDS,
    REAL_SUITS,
    RENAMED_SUITS,
    UP_CARD,
    card_numbers,
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

_ROWS: Final = 200_000  # positions that are looked at together
_MOST_TURNS: Final = {1: 1, 2: 60, 3: 1_400}  # of a player, with one hand and discard in one contract
_PACK: Final = np.array(mask_cards(DECK_24))
_TO_THE_END: Final = DEFAULT_RULES._replace(early_stop=0)

Choose: TypeAlias = Callable[[Ints, Ints, Views], tuple[Shares, Ints]]
"""(positions, rows of those with a choice, their views) → the probability of each card, the cards played on with."""


class ContractSide(NamedTuple):
    """One seat in one contract.

    Attributes:
        game: the game of the rank of the up-card, not mirrored.
        contract, seat: the contract, 0..7, and the seat of the player.
        ids: int64[24], the cards (ids) behind the numbers 0..23.
    """

    game: HandGame
    contract: int
    seat: int
    ids: Ints

    @property
    def is_accepted(self) -> bool:
        """Whether the up-card was accepted."""
        return self.contract <= DEALER_ACCEPTS

    @property
    def exchanges(self) -> bool:
        """Whether the player has put a card away for the up-card."""
        return self.is_accepted and self.seat == DEALER


class Reached(NamedTuple):
    """Positions that have been reached, a row each.

    Attributes:
        positions: int64[rows, `POSITION_SIZE`], as the player knows them: the opponent's cards and what the opponent
            knows mean nothing.
        records: int64[rows, `RECORD_SIZE`], of the same hands.
        gone: int64[rows], the number of the player's discard, -1 for none.
    """

    positions: Ints
    records: Ints
    gone: Ints


def whole_strategy(player: ReadyPlayer, game: HandGame, up: int, rules: HandRules, model: Model) -> Strategy:
    """Return the strategy of a player that does not randomise, of `random`, or of a Python player with arrays.

    Args:
        player: a player that `ready_player` returns, not ``"equilibrium"``.
        game: the game of the rank of the up-card, not mirrored.
        up: the up-card (id), of any suit.
        rules, model: the rules by which the game is played, and the model of the players.

    Raises:
        PlayerError: a Python player with `act` that randomises, or an impossible action.
    """
    play = np.zeros(game.play_size)  # zeros: every legal card alike
    if player != "random":
        random = np.random.default_rng(0)
        before = random.bit_generator.state
        choose = _make_chooser(player, model, random)
        hands = np.flatnonzero(game.dealt[: int(game.sets[game.cards])])
        for contract, seat in itertools.product(range(CONTRACTS), (NONDEALER, DEALER)):
            side = ContractSide(game, contract, seat, card_ids(up))
            at_once = max(1, _ROWS // (_MOST_TURNS[game.cards] * (game.cards if side.exchanges else 1)))
            for first in range(0, len(hands), at_once):
                _play_through(side, hands[first : first + at_once], choose, play)
        check_draws(player, random.bit_generator.state != before)
    return Strategy(_bidding(player, game, up, rules, model), play)


def _make_chooser(player: ReadyPlayer, model: Model, random: np.random.Generator) -> Choose:
    """Return the decisions of a player."""
    if isinstance(player, PythonPlayer):
        return lambda positions, rows, views: (player.action_probabilities(views), views.legal)
    number = PLAYER_IDS[player]
    searched = None if follows_habits(number) else model  # as in `match.play_hand`

    def choose(positions: Ints, rows: Ints, views: Views) -> tuple[Shares, Ints]:
        cards = choose_cards(number, positions, rows, searched, random)
        return one_hot(np.bitwise_count(views.hand & (cards - 1)), views.columns), cards

    return choose


def _play_through(side: ContractSide, hands: Ints, choose: Choose, play: Floats) -> None:
    """Write the player's probability of each card of one seat of one contract, wherever there is a choice.

    Args:
        side: the seat and the contract.
        hands: int64[hands], numbers of that player's sets of n cards.
        choose: the player's decisions.
        play: `Strategy.play`, filled.
    """
    reached = _first_leads(side, hands)
    last = 2 * side.game.cards - 3  # the last trick is forced
    for depth in range(last + 1):
        plays = _possible_plays(reached.positions, side.seat)
        turns = turns_of(reached.positions, np.arange(len(plays)))
        rows = np.flatnonzero((turns == side.seat) & (plays & (plays - 1) != 0))
        if len(rows):
            views = play_views(reached.positions, rows, side.seat, reached.records)
            shares, plays[rows] = choose(reached.positions, rows, views)
            entries = np.zeros(shares.shape, dtype=np.int64)
            _find_entries(side, depth, views.hand, reached.gone[rows], reached.records[rows], entries)
            may = views.may
            play[entries[may]] = shares[may]
        if depth < last:
            reached = _play_on(reached, plays)


def _first_leads(side: ContractSide, hands: Ints) -> Reached:
    """Return what the player knows at the first lead, with each hand and, for an exchange, each discard."""
    n = side.game.cards
    up = int(side.ids[UP_CARD])
    members = side.game.members[n, hands, :n]
    gone = members.ravel() if side.exchanges else np.full(len(hands), -1)
    dealt = np.zeros((len(gone), 2), dtype=np.int64)
    dealt[:, side.seat] = np.repeat((1 << side.ids[members]).sum(axis=1), len(gone) // len(hands))
    records = np.zeros((len(gone), RECORD_SIZE), dtype=np.int64)
    records[:, RECORD_BIDDER] = NONDEALER if nondealer_bids(side.contract) else DEALER
    records[:, RECORD_TRUMP] = REAL_SUITS[up // 13, trump_of(side.contract)]
    records[:, RECORD_DISCARD] = np.where(gone < 0, up, side.ids[gone]) if side.is_accepted else NO_CARD
    positions = np.zeros((len(gone), POSITION_SIZE), dtype=np.int64)
    lay_out_all(dealt, np.full(len(gone), up), _TO_THE_END, records, positions)
    positions[:, SIZE] = n
    return Reached(positions, records, gone)


def _play_on(reached: Reached, plays: Ints) -> Reached:
    """Return the positions a card later, a row for each of the cards (printed masks) of each row."""
    rows, places = np.nonzero(plays[:, None] >> _PACK & 1)
    after = Reached(*(array[rows] for array in reached))
    record_cards(after.positions, np.arange(len(rows)), 1 << _PACK[places], _TO_THE_END, after.records)
    return after


def _bidding(player: ReadyPlayer, game: HandGame, up: int, rules: HandRules, model: Model) -> Floats:
    """`Strategy.bidding`, renamed from the plans for the real cards."""
    n = game.cards
    ids = card_ids(up)
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


def card_ids(up: int) -> Ints:
    """int64[24]: the cards (ids) behind the numbers 0..23 with an up-card (id) of any suit."""
    cards = np.array(card_numbers(up % 13))
    return np.asarray(13 * REAL_SUITS[up // 13, cards // 13] + cards % 13)


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def _possible_plays(positions: Ints, seat: int) -> Ints:
    """Return int64[rows], printed masks: the cards that a seat, or as far as it knows the other, may play next."""
    plays = np.empty(len(positions), dtype=np.int64)
    for row in range(len(positions)):
        position = positions[row]
        state = state_at(position, seat)
        cards = legal_plays(state)
        if seat_to_play(position) != seat:
            cards = state.opponent_holds | state.pool
            if state.n - position[TAKEN] - position[TAKEN + 1] == popcount(state.opponent_holds):
                cards = state.opponent_holds  # there is no other card
            field = field_of(state.led, TRUMP_FIELD) if state.led else 0
            if state.opponent_holds & field:
                cards &= field
        plays[row] = to_printed(cards, position[TRUMP], True)
    return plays


@kernel
def _find_entries(side: ContractSide, depth: int, hands: Ints, gone: Ints, records: Ints, entries: Ints) -> None:
    """Write where the cards of each hand that may be played stand in `Strategy.play`.

    Args:
        side: the seat and the contract.
        depth: number of cards played.
        hands: int64[rows], printed masks.
        gone, records: the arrays of `Reached`.
        entries: int64[rows, columns], filled by the place of the card in the hand, from the lowest.
    """
    ids = side.ids
    numbers = np.empty(MOST_CHOICES, np.int64)
    places = np.empty(MOST_CHOICES, np.int64)
    for row in range(len(hands)):
        history = 0
        for play in range(depth):
            number = 0
            while ids[number] != records[row, RECORD_PLAYS + play]:
                number += 1
            history = history * CARDS + number
        held = 0
        for number in range(OTHER_CARDS):
            held |= (hands[row] >> ids[number] & 1) << number
        block = stored_block(side.game, side.contract, depth, history)
        holds_up_card = hands[row] >> ids[UP_CARD] & 1
        for choice in range(list_entries(block, held, gone[row], holds_up_card, numbers, places)):
            column = popcount(hands[row] & ((1 << ids[numbers[choice]]) - 1))
            entries[row, column] = places[choice]
