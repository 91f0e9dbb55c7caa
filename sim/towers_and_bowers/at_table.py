"""The simulator's units in the engine, for players who are asked in Python: the same deals from the same seeds."""

from __future__ import annotations

import dataclasses

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import lowest_index
from towerlab.games.cards import DECK_24, cards_mask, mask_cards, parse_card
from towerlab.games.towers_and_bowers import Match, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import Ending, Outcome, Phase
from towerlab.games.towers_and_bowers.rules import packet_schedules
from towerlab.sim.own import Act, OwnPlayer, PlayerError, offered
from towerlab.sim.towers_and_bowers.hand import deal_hand
from towerlab.sim.towers_and_bowers.knowledge import NO_SOLUTION, Solution, rules_of
from towerlab.sim.towers_and_bowers.match import dealt_hands, first_dealer, generators
from towerlab.sim.towers_and_bowers.own import act_of

_BLACK_JACK = parse_card("JC")


def play_units_at_table(
    unit: str,
    first_unit: int,
    units: int,
    players: tuple[str | OwnPlayer, ...],
    options: TowersAndBowersOptions,
    deal_values: tuple[float, ...],
    seed: np.random.SeedSequence,
    solution: Solution = NO_SOLUTION,
    where: str = "",
) -> tuple[Ints, Floats, str]:
    """As `simulate_units`, and what a player of the user's did that cannot be done: the units before it are returned.

    Players who toss no coins play the same games as there. Who does has a generator of its own, by unit and seat.
    """
    options = dataclasses.replace(options, claims="off")
    rules, (deals, choices) = rules_of(options), generators(seed)
    dealt = dealt_hands(where, units, options.first_n, deals) if where else None
    winners, towers = np.full(units, -1, dtype=np.int64), np.zeros((units, 2))
    for row in range(units):
        shift = (first_unit + row) % 2
        seated = [players[(seat - shift) % 2] for seat in range(2)]
        acts = [act_of(player, options, deal_values, solution) for player in seated]
        randoms = [np.random.default_rng([*seed.generate_state(4), row, seat]) for seat in range(2)]
        match, last, won = Match(options), None, (0, 0)
        try:
            while match.winner is None:
                if match.state().dealer is None:
                    dealer = 0 if unit == "hand" else int(first_dealer(rules, sum(won), choices))
                    match.shuffle_starter((_BLACK_JACK, *_others(1 << _BLACK_JACK)), 1 - dealer)
                    match.turn()
                n = match.state().n
                match.shuffle(_pack(n, dealt[row] if dealt is not None else _deal(n, deals)))
                match.decline_cut()
                match.deal()
                last, won = _play_hand(match, acts, randoms), match.state().towers
                again = last.ending == Ending.THROWN_IN and dealt is None
                if not again and (unit == "hand" or (unit == "tower" and last.tower_to is not None)):
                    break
        except PlayerError as error:
            return winners[:row], towers[:row], str(error)
        assert last is not None
        gainer = last.tower_to if last.tower_to is not None else last.next_dealer
        if last.ending != Ending.THROWN_IN:
            winners[row] = (int(gainer or 0) - shift) % 2
            towers[row] = [won[(player + shift) % 2] for player in range(2)]
    return winners, towers, ""


def _play_hand(match: Match, acts: list[Act], randoms: list[np.random.Generator]) -> Outcome:
    """The hand that has been dealt, to its end."""
    while match.state().hand.outcome is None:  # type: ignore[union-attr]
        seat = match.to_act
        assert seat is not None and match.phase != Phase.STARTER
        match.apply(acts[seat](match.view(seat), offered(match, seat), randoms[seat]))
    outcome = match.state().hand.outcome  # type: ignore[union-attr]
    assert outcome is not None
    return outcome


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
