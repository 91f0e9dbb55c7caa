"""The simulator's units in the engine, for players with `act` and for transcripts: the same games."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_24, cards_mask, mask_cards, parse_card
from towerlab.games.engine import Action
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import Ending, Outcome, Phase
from towerlab.games.towers_and_bowers.rules import packet_schedules
from towerlab.sim.batch import BatchRequest
from towerlab.sim.own import Act, PlayerError, offered
from towerlab.sim.towers_and_bowers.hand import deal_hand
from towerlab.sim.towers_and_bowers.lockstep import PlayedHand, actions_of_hand
from towerlab.sim.towers_and_bowers.match import dealt_hands, first_dealer, generators
from towerlab.sim.towers_and_bowers.players.knowledge import NO_SOLUTION, SolvedGame, rules_of
from towerlab.sim.towers_and_bowers.players.seats import KernelPlayer, PythonPlayer

MOST_THROWN_IN: Final = 1_000  # hands in a row: between players that never name a trump there is no end (TB-12)
_BLACK_JACK = parse_card("JC")


def play_units_at_table(
    request: BatchRequest, deal_values: tuple[float, ...], solution: SolvedGame = NO_SOLUTION
) -> tuple[Ints, Floats, str, list[tuple[Action, ...]]]:
    """Play the games of `simulate_units` in the engine, for Python players with `act`.

    Each Python player has its own random generator, by unit and seat. One that does not randomise plays the same games
    in every form.

    Returns:
        Those of `simulate_units`; the error of a Python player, with the units before it; each unit's actions.
    """
    options: TowersAndBowersOptions = dataclasses.replace(request.options, claims="off")
    unit = request.unit
    units = request.units
    rules = rules_of(options)
    deals, choices = generators(request.seed)
    dealt = dealt_hands(request, deals)
    winners = np.full(units, -1, dtype=np.int64)
    towers = np.zeros((units, 2))
    written = list[tuple[Action, ...]]()
    kernels = [
        KernelPlayer(player, options, deal_values, solution) if isinstance(player, str) else None
        for player in request.players
    ]
    for row in range(units):
        shift = (request.first_unit + row) % 2
        seats = []
        for seat in range(2):
            player = request.players[(seat - shift) % 2]
            planner = kernels[(seat - shift) % 2]
            random = choices if planner else np.random.default_rng([*request.seed.generate_state(4), row, seat])
            act = PythonPlayer(player, options).act if planner is None else planner.act
            seats.append(_Seat(act, random, planner))
        match = Match(options)
        last = None
        won = (0, 0)
        thrown_in = 0
        try:
            while match.winner is None:
                dealer = match.state().dealer
                if dealer is None:
                    dealer = 0 if unit == "hand" else int(first_dealer(rules, sum(won), choices))
                _deal_cards(match, dealer, dealt[row] if dealt is not None else _deal(match.state().n, deals))
                for seat in (1 - int(match.state().dealer or 0), int(match.state().dealer or 0)):
                    seats[seat].plan(match, seat)
                last = _play_hand(match, seats)
                won = match.state().towers
                again = last.ending == Ending.THROWN_IN and dealt is None
                thrown_in = thrown_in + 1 if again else 0
                if thrown_in == MOST_THROWN_IN:
                    in_a_row = f"hands of {unit} {request.first_unit + row + 1} are thrown in one after the other"
                    raise PlayerError(f"{MOST_THROWN_IN:,} {in_a_row}; expected players that name a trump")
                if not again and (unit == "hand" or (unit == "tower" and last.tower_to is not None)):
                    break
        except PlayerError as error:
            return winners[:row], towers[:row], str(error), written
        assert last is not None
        gainer = last.tower_to if last.tower_to is not None else last.next_dealer
        if last.ending != Ending.THROWN_IN:
            winners[row] = (int(gainer or 0) - shift) % 2
            towers[row] = [won[(player + shift) % 2] for player in range(2)]
        written.append(match.actions)
    return winners, towers, "", written


def replay(options: TowersAndBowersOptions, hands: Iterable[PlayedHand]) -> tuple[Action, ...]:
    """Return the actions of a unit that has been played elsewhere, its hands in their order."""
    match = Match(dataclasses.replace(options, claims="off"))
    for hand in hands:
        _deal_cards(match, hand.dealer, hand.dealt)
        for action in actions_of_hand(hand):
            match.apply(action | {"player": match.to_act})
    return match.actions


class _Seat(NamedTuple):
    """The decisions of a seat, its random generator, and the player if kernels decide."""

    act: Act
    random: np.random.Generator
    planner: KernelPlayer | None

    def plan(self, match: Match, seat: int) -> None:
        """Draw the bids of kernels when the simulator does: before anybody calls."""
        if self.planner is not None:
            self.planner.plan(match.view(seat), self.random)


def _play_hand(match: Match, seats: list[_Seat]) -> Outcome:
    """Play the hand that has been dealt to its end."""
    while match.state().hand.outcome is None:  # type: ignore[union-attr]
        seat = match.to_act
        assert seat is not None and match.phase != Phase.STARTER
        match.apply(seats[seat].act(match.view(seat), offered(match, seat), seats[seat].random))
    outcome = match.state().hand.outcome  # type: ignore[union-attr]
    assert outcome is not None
    return outcome


def _deal_cards(match: Match, dealer: int, dealt: Ints) -> None:
    """Deal these cards (int64[3], as of `dealt_hands`), and before the first hand of a tower name the dealer."""
    if match.state().dealer is None:
        match.shuffle_starter((_BLACK_JACK, *_others(1 << _BLACK_JACK)), 1 - dealer)
        match.turn()
    match.shuffle(_pack(match.state().n, dealt))
    match.decline_cut()
    match.deal()


def _deal(n: int, deals: np.random.Generator) -> Ints:
    """int64[3], as of `dealt_hands`."""
    first, second, up = deal_hand(n, deals)
    return np.array([first, second, 1 << up])


def _pack(n: int, dealt: Ints) -> tuple[int, ...]:
    """A pack from which the non-dealer, the dealer and the table are dealt these cards."""
    nondealers, dealers = (mask_cards(int(hand)) for hand in dealt[:2])
    cards: list[int] = []
    for size in packet_schedules(n)[0]:
        cards += [nondealers.pop() for _ in range(size)] + [dealers.pop() for _ in range(size)]
    cards.append(int(lowest_index(int(dealt[2]))))
    return (*cards, *_others(cards_mask(cards)))


def _others(mask: int) -> tuple[int, ...]:
    return tuple(mask_cards(DECK_24 & ~mask))
