"""Hands, towers and matches in one kernel (TB-1 .. TB-3, TB-6, TB-20), and batches of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_24, parse_suit
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.sim.choices import draw
from towerlab.sim.conditions import Condition
from towerlab.sim.deals import draw_deals
from towerlab.sim.towers_and_bowers.hand import DEALER, IS_TOWER, RECORD_SIZE, THROWN_IN, WINNER, deal_hand, play_hand
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYER_IDS, follows_habits
from towerlab.sim.towers_and_bowers.players.knowledge import (
    NO_SOLUTION,
    STARTERS,
    Model,
    Rules,
    SolvedGame,
    make_model,
    rules_of,
)

UNITS: Final = ("match", "tower", "hand")
_UP_CARD_IS_A_SPADE: Final = "length(up, S) == 1 and not holds(up, JC)"  # the left bower counts as one otherwise
_MATCH, _HAND = UNITS.index("match"), UNITS.index("hand")
_PROCEDURE, _ALTERNATE = STARTERS.index("procedure"), STARTERS.index("alternate")


@kernel
def _play_hands(
    seats: Any, dealer: int, is_tower: bool, rules: Rules, model: Model | None, deals: Any, choices: Any, record: Any
) -> int:
    """Play a tower (TB-2, TB-20), or only its first hand, from this seat's deal on; the seat (of the match) that wins.

    A hand that is thrown in is dealt again.
    """
    n = rules.first_n
    while True:
        first, second, up = deal_hand(n, deals)
        play_hand((seats[1 - dealer], seats[dealer]), (first, second), up, rules, model, choices, record)
        if record[WINNER] == THROWN_IN:
            continue
        if record[WINNER] != DEALER:
            dealer = 1 - dealer
        if record[IS_TOWER] or not is_tower:
            return dealer
        n -= 1


@kernel
def first_dealer(rules: Rules, towers_played: int, choices: Any) -> int:
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
    rules: Rules,
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
        rules, model: as the game is played.
        deals, choices: generators, one for the cards and one for everything else.
        winners: int64[units], filled with the place of the winner in `players`.
        towers: float64[units, 2], filled with the towers of each.
    """
    seats, won, record = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64), np.zeros(RECORD_SIZE, dtype=np.int64)
    for row in range(winners.shape[0]):
        shift = (first_unit + row) % 2
        for player in range(2):
            seats[(player + shift) % 2] = players[player]
        won[:] = 0
        winner, needed = 0, rules.towers_to_win if unit == _MATCH else 1
        while won[winner] < needed:
            dealer = 0 if unit == _HAND else first_dealer(rules, won[0] + won[1], choices)
            winner = _play_hands(seats, dealer, unit != _HAND, rules, model, deals, choices, record)
            won[winner] += record[IS_TOWER]
            if unit == _HAND:
                break
        winners[row] = (winner + shift) % 2
        for player in range(2):
            towers[row, player] = won[(player + shift) % 2]


@kernel
def play_deals(
    first_unit: int,
    dealt: Any,
    players: Any,
    rules: Rules,
    model: Model | None,
    choices: Any,
    winners: Any,
    towers: Any,
) -> None:
    """Play hands that have been dealt; as `play_units`, but a hand thrown in is nobody's (−1).

    Args:
        dealt: int64[units, 3], printed masks of non-dealer, dealer and up-card.
    """
    record = np.zeros(RECORD_SIZE, dtype=np.int64)
    for row in range(winners.shape[0]):
        shift = (first_unit + row) % 2
        seats = (players[(1 + shift) % 2], players[shift])  # player p sits in seat (p + unit) % 2, and seat 0 deals
        hands = (dealt[row, 0], dealt[row, 1])
        play_hand(seats, hands, lowest_index(dealt[row, 2]), rules, model, choices, record)
        towers[row] = 0
        winners[row] = -1
        if record[WINNER] != THROWN_IN:
            winners[row] = shift if record[WINNER] == DEALER else 1 - shift
            towers[row, winners[row]] = record[IS_TOWER]


def simulate_units(
    unit: str,
    first_unit: int,
    units: int,
    players: tuple[object, ...],
    options: TowersAndBowersOptions,
    deal_values: tuple[float, ...],
    seed: np.random.SeedSequence,
    solution: SolvedGame = NO_SOLUTION,
    where: str = "",
) -> tuple[Ints, Floats]:
    """Play some units between two players.

    Args:
        unit: ``"match"``, ``"tower"`` or ``"hand"`` (of `options.first_n` cards, seat 0 deals).
        first_unit: number of the first unit: player p sits in seat (p + unit number) % 2.
        units: how many.
        players: names, keys of `PLAYERS`.
        options: of the rules; claims are not made, reneges not committed.
        deal_values: W(0), …, W(7) as the players believe (`make_model`).
        seed: decides the cards and, in a stream of its own, all choices left to chance.
        solution: of the player `equilibrium` (`make_model`).
        where: for hands: a condition of `sim.conditions` on the seats ``nondealer``, ``dealer`` and ``up``, which holds
            the up-card alone; all deals that fit are equally likely. The up-card is a spade then, which is no loss:
            suits have no order. `trumps` are its suit's. A hand that is thrown in is nobody's (−1).

    Returns:
        (winners, towers): int64[units], the place of each unit's winner in `players`; float64[units, 2], the towers
        of each player.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.
        TowerlabError: rules that the players cannot play (`rules_of`).
    """
    winners, towers = np.empty(units, dtype=np.int64), np.empty((units, 2))
    numbers = np.array([PLAYER_IDS[str(player)] for player in players])
    rules, model = rules_of(options), model_of(players, options, deal_values, solution)
    deals, choices = generators(seed)
    if where:
        dealt = dealt_hands(where, units, options.first_n, deals)
        play_deals(first_unit, dealt, numbers, rules, model, choices, winners, towers)
    else:
        play_units(UNITS.index(unit), first_unit, numbers, rules, model, deals, choices, winners, towers)
    return winners, towers


def model_of(
    players: Iterable[object], options: TowersAndBowersOptions, deal_values: tuple[float, ...], solution: SolvedGame
) -> Model | None:
    """Return the model of those of the players that search, None where none does.

    Without a model its arrays are not counted at every call, which takes half the time of players that need none.
    """
    numbers = [PLAYER_IDS[player] for player in players if isinstance(player, str)]
    searches = not all(follows_habits(number) for number in numbers)
    return make_model(options, deal_values, solution) if searches else None


def dealt_hands(where: str, hands: int, n: int, deals: np.random.Generator) -> Ints:
    """int64[hands, 3]: printed masks of non-dealer, dealer and up-card, of n cards each, that fit a condition.

    Raises:
        DealError: the condition cannot be read, or no deal fits it.
    """
    sizes = {"nondealer": n, "dealer": n, "up": 1}
    fits = Condition(f"({where}) and {_UP_CARD_IS_A_SPADE}", tuple(sizes), parse_suit("S"), True, DECK_24)
    return draw_deals(fits, sizes, hands, deals)


def generators(seed: np.random.SeedSequence) -> tuple[np.random.Generator, np.random.Generator]:
    """The generators of cards and of choices; the same seed always gives the same two."""
    words = seed.generate_state(8)
    return np.random.default_rng(words[:4]), np.random.default_rng(words[4:])
