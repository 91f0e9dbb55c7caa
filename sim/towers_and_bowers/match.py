"""Hands, towers and matches in one kernel (TB-1 .. TB-3, TB-6, TB-20), and batches of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_24, parse_suit
from towerlab.games.jit import kernel
from towerlab.sim.batch import BatchRequest
from towerlab.sim.choices import draw
from towerlab.sim.deals import Condition, draw_deals
from towerlab.sim.towers_and_bowers.hand import (
    DEALER,
    NO_SEAT,
    RECORD_IS_TOWER,
    RECORD_SIZE,
    RECORD_WINNER,
    deal_hand,
    play_hand,
)
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYER_IDS, follows_habits
from towerlab.sim.towers_and_bowers.players.knowledge import (
    NO_SOLUTION,
    STARTERS,
    MatchRules,
    Model,
    SolvedGame,
    make_model,
    rules_of,
)

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
        return draw(choices, 2)
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
        rules, model: as the game is played.
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
        solution: of the player `equilibrium` (`make_model`).

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
def _deal_all(n: int, deals: Any, dealt: Any) -> None:
    """Fill int64[hands, 3] with `deal_hand`s."""
    for row in range(dealt.shape[0]):
        first, second, up = deal_hand(n, deals)
        dealt[row, 0] = first
        dealt[row, 1] = second
        dealt[row, 2] = 1 << up


def dealt_hands(request: BatchRequest, deals: np.random.Generator) -> Ints | None:
    """int64[hands, 3]: printed masks of non-dealer, dealer and up-card of single hands; None of other units.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.
    """
    if request.unit != "hand":
        return None
    if not request.where:
        dealt = np.empty((request.units, 3), dtype=np.int64)
        _deal_all(request.options.first_n, deals, dealt)
        return dealt
    sizes = {"nondealer": request.options.first_n, "dealer": request.options.first_n, "up": 1}
    fits = Condition(f"({request.where}) and {_UP_CARD_IS_A_SPADE}", tuple(sizes), parse_suit("S"), DECK_24)
    return draw_deals(fits, sizes, request.units, deals)


def generators(seed: np.random.SeedSequence) -> tuple[np.random.Generator, np.random.Generator]:
    """The generators of cards and of choices; the same seed always gives the same two."""
    words = seed.generate_state(8)
    return np.random.default_rng(words[:4]), np.random.default_rng(words[4:])
