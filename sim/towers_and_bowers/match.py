"""Who wins a hand, a tower, a match between two players? In kernels, from the deal on (TB-1 to TB-3, TB-6, TB-20).

Seats of a hand are `NONDEALER` 0 and `DEALER` 1. The course of a hand is written into a record, an int64
array of `RECORD_SIZE` places. A *position* is the state of the play: an int64 array of `POSITION_SIZE` places with the
cards of each player and what each knows. `simulate_units` plays batches of hands, towers or matches.

    towerlab simulate towers-and-bowers --players pimc,family --games 2000
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index, popcount
from towerlab.games.cards import DECK_24, TRUMP_FIELD, parse_suit, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_SWEEPS,
    LARGEST_HAND,
    HandRules,
    hand_is_over,
    hand_result,
)
from towerlab.games.tricks import field_of, leader_wins
from towerlab.sim.batch import BatchRequest
from towerlab.sim.choices import draw_number, random_card
from towerlab.sim.deals import Condition, draw_deals
from towerlab.sim.towers_and_bowers.equilibrium import last_card, with_card
from towerlab.sim.towers_and_bowers.info_state import (
    NO_CARD,
    NO_SOLUTION,
    NO_SUIT,
    STARTERS,
    History,
    InfoState,
    MatchRules,
    Model,
    SolvedGame,
    make_model,
    rules_of,
)
from towerlab.sim.towers_and_bowers.players import (
    PLAYER_IDS,
    choose_play,
    follows_habits,
    habitual_bids,
    habitual_play,
    searched_bids,
)

NONDEALER: Final = 0
DEALER: Final = 1

NOT_MADE: Final = -2  # a call that was not reached
NO_SEAT: Final = -1  # in place of the seat that won

# Places of a record: four calls in the order of the rounds, tricks of both seats, cards in the order of play.
RECORD_CALLS = 0
RECORD_DISCARD = 4
RECORD_BIDDER = 5
RECORD_TRUMP = 6
RECORD_TRICKS = 7
RECORD_WINNER = 9
RECORD_IS_TOWER = 10
RECORD_PLAYED = 11
RECORD_PLAYS = 12
RECORD_SIZE: Final = RECORD_PLAYS + 2 * LARGEST_HAND

# Places of a position: cards held, cards the other surely or possibly holds, tricks, each by seat; then what is said.
HELD = 0
OPPONENT_HOLDS = 2
POOL = 4
TAKEN = 6
LEADER, LED, HISTORY, BIDDER, TRUMP, DISCARDED, UP, SIZE = range(8, 16)
POSITION_SIZE: Final = 16


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def deal_hand(n: int, random: Any) -> tuple[int, int, int]:
    """Deal n cards each and an up-card, every deal alike: printed masks of non-dealer and dealer, and a card id.

    It draws 2 n + 1 numbers, whoever plays: the same generator deals the same hands to other players.
    """
    left = DECK_24
    nondealer = 0
    dealer = 0
    for _ in range(n):
        card = random_card(left, random)
        nondealer |= card
        left ^= card
        card = random_card(left, random)
        dealer |= card
        left ^= card
    return nondealer, dealer, lowest_index(random_card(left, random))


@kernel
def play_hand(
    players: tuple[int, int],
    hands: tuple[int, int],
    up: int,
    rules: HandRules,
    model: Model | None,
    random: Any,
    record: Any,
) -> None:
    """Bid and play one hand that has been dealt.

    Args:
        players: the numbers of the players that are non-dealer and dealer, ``RANDOM`` ….
        hands: the hands of both, printed masks of equal size.
        up: the up-card.
        rules, model: the rules and the model; without a model (None, compiled apart) where both follow habits.
        random: a numpy Generator for players who toss coins.
        record: int64[RECORD_SIZE], filled.
    """
    record[:] = 0
    make_calls(players, hands, up, rules, model, random, record)
    if record[RECORD_BIDDER] == NO_SEAT:
        record[RECORD_WINNER] = NO_SEAT
        return
    position = np.empty(POSITION_SIZE, dtype=np.int64)
    lay_out(hands, up, record[RECORD_BIDDER], record[RECORD_TRUMP], record[RECORD_DISCARD], rules, position)
    while position[HELD] | position[HELD + 1]:
        seat = seat_to_play(position)
        # As `choose_card`, without handing a model to who needs none: its many arrays would take half the time.
        if model is None or follows_habits(players[seat]):
            card = habitual_play(players[seat], state_at(position, seat), random)
        else:
            card = choose_card(players[seat], position, model, random)
        if record_card(position, card, rules, record):
            break
    record[RECORD_TRICKS] = position[TAKEN]
    record[RECORD_TRICKS + 1] = position[TAKEN + 1]
    write_result(popcount(hands[NONDEALER]), rules, record)


@kernel
def write_result(n: int, rules: HandRules, record: Any) -> None:
    """Write the winner of a hand of n cards into its record, int64[RECORD_SIZE], from the tricks (TB-20)."""
    bidder = record[RECORD_BIDDER]
    result = hand_result(n, record[RECORD_TRICKS + bidder], rules)
    bidder_gains = result in (BIDDER_SWEEPS, BIDDER_DEALS)
    record[RECORD_WINNER] = bidder if bidder_gains else 1 - bidder
    record[RECORD_IS_TOWER] = result in (BIDDER_SWEEPS, DEFENDER_SWEEPS)


@kernel
def make_calls(
    players: tuple[int, int],
    hands: tuple[int, int],
    up: int,
    rules: HandRules,
    model: Model | None,
    random: Any,
    record: Any,
) -> None:
    """Both rounds of bidding and the discard (TB-10 .. TB-13); arguments as for `play_hand`."""
    record[RECORD_CALLS:RECORD_DISCARD] = NOT_MADE
    record[RECORD_DISCARD] = NO_CARD
    record[RECORD_BIDDER] = NO_SEAT
    calls = np.empty((2, 2), dtype=np.int64)  # by round and seat
    discards = np.empty(2, dtype=np.int64)  # by the seat that accepts
    for seat in range(2):  # one place that calls the players: every other is compiled anew
        if model is None or follows_habits(players[seat]):
            plan = habitual_bids(players[seat], hands[seat], up, seat == DEALER, rules, random)
        else:
            plan = searched_bids(players[seat], hands[seat], up, seat == DEALER, rules, model, random)
        calls[0, seat] = up // 13 if plan.accepts else NO_SUIT
        calls[1, seat] = plan.names
        # the last plan is the dealer's
        discards[NONDEALER] = plan.discard_for_other
        discards[DEALER] = plan.discard
    for place in range(RECORD_CALLS, RECORD_DISCARD):
        bidding_round = place // 2
        seat = place % 2
        call = calls[bidding_round, seat]
        record[place] = call
        if call != NO_SUIT:
            record[RECORD_BIDDER] = seat
            record[RECORD_TRUMP] = call
            if bidding_round == 0:
                record[RECORD_DISCARD] = discards[seat]
            return


@kernel
def record_card(position: Any, card: int, rules: HandRules, record: Any) -> bool:
    """Play a card (play order) in a position and add it to the record; whether the result is settled (TB-21)."""
    put_card(position, card)
    record[RECORD_PLAYS + record[RECORD_PLAYED]] = last_card(position[HISTORY])
    record[RECORD_PLAYED] += 1
    bidder = position[BIDDER]
    taken = position[TAKEN + bidder]
    lost = position[TAKEN + 1 - bidder]
    return position[LED] == 0 and hand_is_over(position[SIZE], taken, lost, rules)


# ------------------------------------------------------------------------------------------------------ a position


@kernel
def lay_out(
    hands: tuple[int, int], up: int, bidder: int, trump: int, discard: int, rules: HandRules, position: Any
) -> None:
    """Write a position before the first lead.

    Args:
        hands: the cards dealt to non-dealer and dealer, printed masks.
        up: the up-card.
        bidder, trump: the seat of the bidder and the trump suit.
        discard: the dealer's discard (id), `NO_CARD` where a suit was named.
        rules: the rules by which the game is played.
        position: int64[POSITION_SIZE], filled.
    """
    position[:] = 0
    for seat in range(2):
        held = hands[seat]
        sure = 0
        gone = 1 << up
        if discard != NO_CARD and seat == DEALER:
            held, gone = (held | (1 << up)) & ~(1 << discard), (1 << discard) | (1 << up)
        elif discard != NO_CARD and rules.allow_discard_upcard:
            gone = 0
        elif discard != NO_CARD:
            sure = 1 << up
        position[HELD + seat] = to_play_order(held, trump, True)
        position[OPPONENT_HOLDS + seat] = to_play_order(sure, trump, True)
        position[POOL + seat] = to_play_order(DECK_24 & ~(held | gone), trump, True)
    position[LEADER] = NONDEALER
    position[BIDDER] = bidder
    position[TRUMP] = trump
    position[DISCARDED] = discard
    position[UP] = up
    position[SIZE] = popcount(hands[NONDEALER])


@kernel
def seat_to_play(position: Any) -> int:
    """Return the seat that is to play a card in a position, int64[POSITION_SIZE]."""
    return int(position[LEADER] if position[LED] == 0 else 1 - position[LEADER])


@kernel
def state_at(position: Any, seat: int) -> InfoState:
    """Return what a seat knows of a position, int64[POSITION_SIZE]."""
    return InfoState(
        position[SIZE],
        position[TAKEN + seat],
        position[HELD + seat],
        position[OPPONENT_HOLDS + seat],
        position[POOL + seat],
        position[LED],
    )


@kernel
def choose_card(player: int, position: Any, model: Model, random: Any) -> int:
    """Return the card (play order) that a player plays whose turn it is.

    Args:
        player: the number of the player.
        position: int64[POSITION_SIZE].
        model, random: the arguments of `play_hand`.
    """
    seat = seat_to_play(position)
    state = state_at(position, seat)
    discard = position[DISCARDED] if seat == DEALER else NO_CARD
    history = History(
        position[UP], position[TRUMP], seat == DEALER, seat == position[BIDDER], discard, position[HISTORY]
    )
    values = model.payoffs[position[SIZE], int(seat == position[BIDDER])]
    return choose_play(player, state, history, values, model, random)


@kernel
def put_card(position: Any, card: int) -> None:
    """Play a card (play order) in a position, int64[POSITION_SIZE], with what both learn (TB-18, TB-19)."""
    seat = seat_to_play(position)
    led = position[LED]
    other = 1 - seat
    position[HISTORY] = with_card(position[HISTORY], lowest_index(to_printed(card, position[TRUMP], True)))
    position[HELD + seat] ^= card
    position[OPPONENT_HOLDS + other] &= ~card
    position[POOL + other] &= ~card
    if led == 0:
        position[LED] = card
        return
    field = field_of(led, TRUMP_FIELD)
    if card & field == 0:
        position[POOL + other] &= ~field  # has shown out
    if not leader_wins(led, card, TRUMP_FIELD):
        position[LEADER] = seat
    position[TAKEN + position[LEADER]] += 1
    position[LED] = 0


UNITS: Final = ("match", "tower", "hand")
_UP_CARD_IS_A_SPADE: Final = "length(up, S) == 1 and not holds(up, JC)"  # the left bower counts as one otherwise
_MATCH = UNITS.index("match")
_HAND = UNITS.index("hand")
_PROCEDURE = STARTERS.index("procedure")
_ALTERNATE = STARTERS.index("alternate")


@kernel
def _play_hands(
    seats: Any,
    dealer: int,
    is_tower: bool,
    dealt: Any,
    rules: MatchRules,
    model: Model | None,
    deals: Any,
    choices: Any,
    record: Any,
) -> int:
    """Play a tower (TB-2, TB-20), or only its first hand, from this seat's deal on; the seat (of the match) that wins.

    A hand that is thrown in is dealt again, but a single one, whose cards are given, is nobody's (`NO_SEAT`).
    """
    n = rules.first_n
    while True:
        if dealt.shape[0]:
            first = dealt[0, 0]
            second = dealt[0, 1]
            up = lowest_index(dealt[0, 2])
        else:
            first, second, up = deal_hand(n, deals)
        play_hand((seats[1 - dealer], seats[dealer]), (first, second), up, rules.hand, model, choices, record)
        if record[RECORD_WINNER] == NO_SEAT:
            if dealt.shape[0]:
                return NO_SEAT
            continue
        if record[RECORD_WINNER] != DEALER:
            dealer = 1 - dealer
        if record[RECORD_IS_TOWER] or not is_tower:
            return dealer
        n -= 1


@kernel
def first_dealer(rules: MatchRules, towers_played: int, choices: Any) -> int:
    """Return the seat that deals the first hand of a tower (TB-6).

    The player who turns the cards is drawn anew for each tower, so that either becomes the dealer with the same
    probability: one draw stands for the turning.
    """
    if rules.starter == _PROCEDURE:
        return draw_number(choices, 2)
    return towers_played % 2 if rules.starter == _ALTERNATE else 0


@kernel
def play_units(
    unit: int,
    first_unit: int,
    players: Any,
    dealt: Any,
    rules: MatchRules,
    model: Model | None,
    deals: Any,
    choices: Any,
    winners: Any,
    towers: Any,
) -> None:
    """Play units of one kind; player p sits in seat (p + unit number) % 2.

    Args:
        unit: place in `UNITS`; of a single hand seat 0 is the dealer.
        first_unit: number of the first unit.
        players: int64[2], the players' numbers.
        dealt: int64[units, 3], printed masks of non-dealer, dealer and up-card of single hands, or of no unit.
        rules, model: the rules by which the game is played, and the model of the players.
        deals, choices: generators, one for the cards and one for everything else.
        winners: int64[units], filled with the place of the winner in `players`, −1 of a hand that is nobody's.
        towers: float64[units, 2], filled with the towers of each.
    """
    seats = np.empty(2, dtype=np.int64)
    won = np.empty(2, dtype=np.int64)
    record = np.zeros(RECORD_SIZE, dtype=np.int64)
    for row in range(winners.shape[0]):
        shift = (first_unit + row) % 2
        for player in range(2):
            seats[(player + shift) % 2] = players[player]
        won[:] = 0
        winner = 0
        needed = rules.towers_to_win if unit == _MATCH else 1
        while won[winner] < needed:
            dealer = 0 if unit == _HAND else first_dealer(rules, won[0] + won[1], choices)
            cards = dealt[row : row + 1]
            winner = _play_hands(seats, dealer, unit != _HAND, cards, rules, model, deals, choices, record)
            won[winner] += record[RECORD_IS_TOWER]
            if unit == _HAND:
                break
        winners[row] = -1 if winner == NO_SEAT else (winner + shift) % 2
        for player in range(2):
            towers[row, player] = won[(player + shift) % 2]


def simulate_units(
    request: BatchRequest, deal_values: tuple[float, ...], solution: SolvedGame = NO_SOLUTION
) -> tuple[Ints, Floats]:
    """Play some units between two players.

    Args:
        request: units of ``"match"``, ``"tower"`` or ``"hand"`` (of `first_n` cards, seat 0 deals), without `cards`.
            Claims are not made, reneges not committed. The seed decides the cards and, in a stream of its own, all
            choices left to chance. A condition on hands has the seats ``nondealer``, ``dealer`` and ``up``, which holds
            the up-card alone; all deals that fit are equally likely. The up-card is a spade then, which is no loss:
            suits have no order. `trumps` are its suit's. A single hand that is thrown in is nobody's (−1).
        deal_values: W(0), …, W(7) as the players believe (`make_model`).
        solution: the solved game of the player `equilibrium` (`make_model`).

    Returns:
        (winners, towers): int64[units], the place of each unit's winner in `players`; float64[units, 2], the towers
        of each player.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.
        TowerlabError: rules that the players cannot play (`rules_of`).
    """
    winners = np.empty(request.units, dtype=np.int64)
    towers = np.empty((request.units, 2))
    numbers = np.array([PLAYER_IDS[str(player)] for player in request.players])
    rules = rules_of(request.options)
    model = model_of(request, deal_values, solution)
    deals, choices = generators(request.seed)
    dealt = dealt_hands(request, deals)
    hands = np.empty((0, 3), dtype=np.int64) if dealt is None else dealt
    kind = UNITS.index(request.unit)
    play_units(kind, request.first_unit, numbers, hands, rules, model, deals, choices, winners, towers)
    return winners, towers


def model_of(request: BatchRequest, deal_values: tuple[float, ...], solution: SolvedGame) -> Model | None:
    """Return the model of those of the players that search, None where none does.

    Without a model its arrays are not counted at every call, which takes half the time of players that need none.
    """
    numbers = [PLAYER_IDS[player] for player in request.players if isinstance(player, str)]
    searches = not all(follows_habits(number) for number in numbers)
    return make_model(request.options, deal_values, solution) if searches else None


@kernel
def _deal_all(n: int, hands: int, deals: Any) -> Ints:
    """Return int64[hands, 3]: so many `deal_hand`s."""
    dealt = np.empty((hands, 3), dtype=np.int64)
    for row in range(hands):
        first, second, up = deal_hand(n, deals)
        dealt[row, 0] = first
        dealt[row, 1] = second
        dealt[row, 2] = 1 << up
    return dealt


def dealt_hands(request: BatchRequest, deals: np.random.Generator) -> Ints | None:
    """int64[hands, 3]: printed masks of non-dealer, dealer and up-card of single hands; None of other units.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.
    """
    if request.unit != "hand":
        return None
    if not request.where:
        return _deal_all(request.options.first_n, request.units, deals)
    sizes = {"nondealer": request.options.first_n, "dealer": request.options.first_n, "up": 1}
    fits = Condition(f"({request.where}) and {_UP_CARD_IS_A_SPADE}", tuple(sizes), parse_suit("S"), DECK_24)
    return draw_deals(fits, sizes, request.units, deals)


def generators(seed: np.random.SeedSequence) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the generators of cards and of choices; the same seed always gives the same two."""
    words = seed.generate_state(8)
    return np.random.default_rng(words[:4]), np.random.default_rng(words[4:])
