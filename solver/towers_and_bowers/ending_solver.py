"""How are the last cards of a hand played with hidden hands? From a public state and a range of each player, solved by
regret matching.

Both players know the public state: the unseen cards, the leader, and whether the dealer has a hidden discard and still
the up-card. A *range* is the probability of each hand of a player as the opponent sees it. Such an ending is a contract
of the whole-hand game with fewer cards, from its first lead on. The same passes solve it
(`solver.towers_and_bowers.whole_hand.update`), and best responses of both players measure the error.

A player can have avoided the state by other bids or plays. Then the solution for fixed ranges may give some hands of
that player more than they had before. With `Outside`, the gadget of Burch, Johanson and Bowling ("Solving imperfect
information games using decomposition", 2014), each hand of that player chooses between its earlier value and playing
on: the other player's strategy then holds against every range.

    towerlab move towers-and-bowers --hand "9C 9H" --trump C --bidder me --lead me --up 9S
"""

from __future__ import annotations

import copy
import functools
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import DECK_24, first_card, mask_cards, suit_of
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel
from towerlab.solver.towers_and_bowers.whole_hand.arrays import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEPTH_STARTS,
    LARGEST_SOLVED,
    MIRRORED,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHER_CARDS,
    UP_CARD,
    HandGame,
    is_mirrored,
    is_own_image,
)
from towerlab.solver.towers_and_bowers.whole_hand.game import (
    entry_players,
    list_entries,
    make_game,
    mirror_sets,
    sets_of_cards,
    stored_block,
    with_payoffs,
)
from towerlab.solver.towers_and_bowers.whole_hand.iteration import (
    AnyFloats,
    PlayArrays,
    WalkBuffers,
    Weights,
    make_workspace,
)
from towerlab.solver.towers_and_bowers.whole_hand.last_tricks import LastTricks, make_last_tricks
from towerlab.solver.towers_and_bowers.whole_hand.solve import Schedule, empty_play
from towerlab.solver.towers_and_bowers.whole_hand.update import play_pass

TARGET: Final = 1e-4  # what both best responses gain together, as P(win the tower), at which solving stops
SECONDS: Final = 10.0  # after which it stops in any case
MOST_ITERATIONS: Final = 2_000
_FIRST_MEASURED: Final = 12
_BY_REGRETS: Final = 1e-12  # weight of regrets next to averages
_LEAST_MASS: Final = 1e-9  # of the other's whole range: a hand that meets less of it has no value (rounding would be)
_MEASURED_EVERY: Final = 4
_SCHEDULE: Final = Schedule(alpha=1.0, power=3.0)


@dataclass(frozen=True)
class PublicState:
    """A public state with cards left to be played: what both players know.

    Attributes:
        trump: the trump suit.
        unseen: the cards, as a printed mask, that either may hold or the dealer may have put away; without `up_card`.
        cards: the number of cards that each player has, the card led included.
        leader: the player who leads, or has led, this trick: `NONDEALER` or `DEALER`.
        payoffs: the non-dealer's P(win the tower) by the tricks that the non-dealer takes from here on.
        hides_discard: whether the dealer has put a card away that the other has not seen.
        up_card: the card that the dealer is known to have, None after it is played or where it was turned down.
        led: the card that has been led, None before.
    """

    trump: int
    unseen: int
    cards: int
    leader: int
    payoffs: tuple[float, ...]
    hides_discard: bool = False
    up_card: int | None = None
    led: int | None = None

    @property
    def to_play(self) -> int:
        """The player whose turn it is."""
        return self.leader if self.led is None else 1 - self.leader

    def hidden(self, player: int) -> int:
        """Return how many cards of a player's the other does not know, the card led included."""
        return self.cards - (player == DEALER and self.up_card is not None)

    def states(self, player: int) -> Ints:
        """int64[states, 2]: each hand that a player may hold and what is put away with it, as printed masks.

        The up-card and the card led are in the hand; what is put away is 0 where nothing is hidden so.
        """
        cards = mask_cards(self.unseen)
        hidden = self.hidden(player)
        sure = 1 << self.up_card if player == DEALER and self.up_card is not None else 0
        bits = np.array([1 << card for card in cards], dtype=np.int64)
        sets = sets_of_cards(len(cards), hidden)
        hands = bits[sets[2][hidden, : sets[0][hidden], :hidden]].sum(axis=1) | sure
        away = bits if self.puts_away(player) else np.zeros(1, dtype=np.int64)
        led = 1 << self.led if self.led is not None and player == self.leader else 0
        states: Ints = np.stack(np.broadcast_arrays(hands[:, None], away), axis=-1).reshape(-1, 2)
        fits: Bools = (states[:, 0] & states[:, 1] == 0) & (states[:, 0] & led == led)
        return states[np.flatnonzero(fits)]

    @property
    def turned(self) -> int | None:
        """The card turned up, at a first lead."""
        away = DECK_24 & ~self.unseen
        return first_card(away) if self.led is None and away & away - 1 == 0 else None

    def puts_away(self, player: int) -> bool:
        """Return whether a player has put a card away that the other has not seen."""
        return player == DEALER and self.hides_discard


@dataclass(frozen=True)
class Outside:
    """The values that a player's hands had before the state was reached, and may take instead of playing on.

    Attributes:
        player: the player whose values they are.
        values: float64[states], P(win the tower).
    """

    player: int
    values: Floats


def solve_ending(
    ending: PublicState,
    ranges: tuple[Floats, Floats],
    target: float = TARGET,
    seconds: float = SECONDS,
    most: int = MOST_ITERATIONS,
) -> SolvedEnding:
    """Return the equilibrium of an ending.

    Args:
        ending: an ending of two cards each that nobody has led from, or of three or four.
        ranges: by player float64[states], the probability of each of `PublicState.states` as the opponent sees it.
        target: the gain of best responses at which to stop; with 0 the gain is measured at the end only.
        seconds: the time after which to stop in any case.
        most: the number of iterations after which to stop in any case.

    Raises:
        TowerlabError: an ending without a game, or ranges that leave no pair of hands.
    """
    if not 2 + (ending.led is not None) <= ending.cards <= LARGEST_SOLVED:
        led = "" if ending.led is None else " after a lead"
        raise TowerlabError(
            f"an ending of {ending.cards} cards{led} is not solved; expected 2 to {LARGEST_SOLVED}, after a lead from 3"
        )
    return SolvedEnding(ending, ranges).solve(target, seconds, most)


def solve_consistently(
    ending: PublicState, ranges: tuple[Floats, Floats], earlier: tuple[Floats, Floats], most: int = MOST_ITERATIONS
) -> SolvedEnding:
    """Return an equilibrium of an ending in which no hand of either player wins more than its earlier value.

    Args:
        ending, ranges, most: the arguments of `solve_ending`.
        earlier: by player float64[states], P(win the tower) of each hand in an equilibrium of a game that comes here.
    """
    solvers = [SolvedEnding(ending, ranges, Outside(player, values)) for player, values in enumerate(earlier)]
    for player, solver in enumerate(solvers):
        for _ in solver.learn(most, (1 - player,), _first_counted(most)):
            pass
    return solvers[NONDEALER].take_nondealer_play(solvers[DEALER])


class SolvedEnding:
    """An ending as a contract of the whole-hand game, with the average strategies of both players.

    Attributes:
        ending: the state.
        value: the non-dealer's P(win the tower), the middle of what both best responses leave.
        gain: the gain of both best responses, added up.
        values: by player float64[states], P(win the tower) of each hand that plays best against the other's average;
            nan where (nearly) every hand of the other's range shares a card with it.
    """

    value: float
    gain: float
    values: tuple[Floats, Floats]

    def __init__(self, ending: PublicState, ranges: tuple[Floats, Floats], outside: Outside | None = None) -> None:
        self._contract = NONDEALER_ACCEPTS if ending.hides_discard else NONDEALER_NAMES
        self._number = {card: number for number, card in enumerate(_ordered_cards(ending))}
        self._sets = sets_of_cards(len(self._number), ending.cards)
        if ending.up_card is not None:
            self._number[ending.up_card] = UP_CARD
        self._line: tuple[int, ...] = ()  # the cards played until the state whose hands have values
        self._taken = 0  # tricks of the non-dealer's until then
        self.ranges = [np.asarray(weights, dtype=np.float64) / max(weights.sum(), 1e-300) for weights in ranges]
        self.entry_shares: list[Floats | float] = [1.0, 1.0]
        self._set_root(ending, (True, True))
        if not (self.ranges[NONDEALER] * self.opponent_mass(NONDEALER, self.ranges[DEALER])).sum() > 0:
            raise TowerlabError("these ranges leave no pair of hands; expected one at least")
        self._gadget: _Gadget | None = None
        if outside:
            mass = self.opponent_mass(outside.player, self.ranges[1 - outside.player])
            self._gadget = _Gadget(outside, mass)
        self.game = self._make_game(self._is_symmetric(outside))
        self.play: PlayArrays = empty_play(self.game, compact=False)
        self._work: WalkBuffers = make_workspace(self.game)
        self._tricks: LastTricks = make_last_tricks(np.float64)
        self._root_places = self._places

    def _set_root(self, ending: PublicState, possible: tuple[Bools | bool, Bools | bool]) -> None:
        """Make a state the one whose hands have values."""
        self.ending = ending
        self._possible = possible
        self.states = ending.states(NONDEALER), ending.states(DEALER)
        self._masks = [states.sum(axis=1) for states in self.states]
        self._places = [self._place(player) for player in (NONDEALER, DEALER)]
        self._reach = [np.zeros(len(states)) for states in self.states]  # ranges times the shares of what was played

    def _is_symmetric(self, outside: Outside | None) -> bool:
        """Return whether nothing changes when the two suits of the colour that is not turned up are swapped."""
        turned = self.ending.turned
        if turned is None or suit_of(turned) not in (self.ending.trump, 3 - self.ending.trump):
            return False
        images = mirror_sets(self.ending.cards)
        vectors = [*enumerate(self.ranges), *([(outside.player, outside.values)] if outside else [])]
        for player, of in vectors:
            hidden = self.ending.hidden(player)
            rows = OTHER_CARDS if self.ending.puts_away(player) else 1
            full = np.zeros((self._sets[0][hidden], rows))
            full.reshape(-1)[self._places[player]] = of
            image = full[images[hidden, : len(full)]][:, MIRRORED[:OTHER_CARDS] if rows > 1 else [0]]
            if not np.allclose(full, image, rtol=1e-6, atol=0.0):
                return False
        return True

    def _make_game(self, mirror: bool) -> HandGame:
        """Return the tables that passes read: the contract's row alone is filled."""
        ending = self.ending
        contract = self._contract
        payoffs = np.zeros((CONTRACTS, ending.cards + 1))
        payoffs[contract] = ending.payoffs
        numbers = {number: card for card, number in self._number.items()}
        seen = (1 << CARDS) - 1 & ~sum(1 << number for number in numbers)
        leads = 0 if ending.led is None else 1 << self._number[ending.led]
        trumps = {contract: ending.trump}
        return make_game(ending.cards, numbers, trumps, payoffs, mirror, ending.cards, ending.leader, seen, leads)

    def _place(self, player: int) -> Ints:
        """int64[states]: where each state stands in the vectors of passes."""
        hands, away = self.states[player].T
        ending = self.ending
        hidden = ending.hidden(player)
        led = 0
        if self._line and ending.led is not None and player == ending.leader:  # it has left the hand
            hidden, led = hidden - (ending.led != ending.up_card), 1 << ending.led
        masks = self._sets[1][hidden, : self._sets[0][hidden]]
        order = np.argsort(masks)
        sets = order[np.searchsorted(masks[order], self._bits(hands & ~led) & ~(1 << UP_CARD))]
        if not self.ending.puts_away(player):
            return sets
        return sets * OTHER_CARDS + np.log2(self._bits(away)).astype(np.int64)

    def opponent_mass(self, player: int, weights: Floats) -> Floats:
        """Return for each state of a player the summed weights of the other's states that share no card with it.

        Args:
            player: 0 the non-dealer, 1 the dealer.
            weights: float64[states], of the other's states.

        Returns:
            float64[states].
        """
        mass: Floats = _disjoint_mass(self._masks[player], self._masks[1 - player], weights)
        return mass

    def _bits(self, masks: Ints) -> Ints:
        """Printed masks as bits of card numbers."""
        bits = np.zeros_like(masks)
        for card, number in self._number.items():
            bits |= (masks >> card & 1) << number
        return bits

    # ------------------------------------------------------------------------------------------------- iterations

    def learn(self, most: int, averaged: Sequence[int], since: int) -> Iterator[int]:
        """Iterate; yields the number of each iteration.

        Args:
            most: the number of iterations.
            averaged: the players whose strategies are averaged.
            since: the first iteration that counts in averages.
        """
        factors = _SCHEDULE.factors(most)
        for now in range(1, most + 1):
            weight = float(now) ** _SCHEDULE.power
            for player in (NONDEALER, DEALER):
                counts = weight if player in averaged and now >= since else 0.0
                won = self._pass(player, Weights(now, *factors, counts, 0.0, False))
                if self._gadget and player == self._gadget.player:
                    self._gadget.learn(won)
                    self.entry_shares[player] = self._gadget.entry_shares()
            self._reply = Weights(now, *factors, 0.0, 0.0, True)
            yield now

    def solve(self, target: float, seconds: float, most: int) -> SolvedEnding:
        """Iterate until the target, or the time, is reached; returns itself."""
        started = time.perf_counter()
        for now in self.learn(most, (NONDEALER, DEALER), _first_counted(min(most, _FIRST_MEASURED))):
            late = now == most or time.perf_counter() - started > seconds
            if late or (target > 0 and now >= _FIRST_MEASURED and (now - _FIRST_MEASURED) % _MEASURED_EVERY == 0):
                self.measure()
                if late or self.gain <= target:
                    break
        return self

    def _pass(self, updated: int, weights: Weights) -> Floats:
        """One pass; what each state of the player updated wins, summed over the other's hands (the dealer's less 1)."""
        work = self._work
        depth = self.game.line_cards
        other = 1 - updated
        work.reach[:, : depth + 1], work.reach_at[:] = 0.0, np.arange(work.reach_at.shape[1])
        for player, places in enumerate(self._root_places):
            work.reach[player, 0, places] = self.ranges[player] * self.entry_shares[player]
        play_pass(self.game, self._contract, updated, weights, self.play, work, self._tricks)
        comes = work.reach[other, work.reach_at[other, depth], self._places[other]]
        self._reach[other] = comes * self._possible[other]
        won: Floats = work.values[depth, self._places[updated]]
        return won

    def measure(self) -> None:
        """Find `value`, `gain` and `values` of the average strategies so far."""
        values = []
        won = []
        for player in (NONDEALER, DEALER):
            won.append(self._pass(player, self._reply))
            mass = self.opponent_mass(player, self._reach[1 - player])
            meets = self._possible[player] & (mass > _LEAST_MASS * self._reach[1 - player].sum())
            values.append(
                np.divide(won[player], mass, out=np.full(len(mass), np.nan), where=meets) + (player == DEALER)
            )
            if player == self.ending.to_play:
                states = map(tuple, self.states[player].tolist())
                self._mass = dict(zip(states, np.where(meets, mass, 0.0).tolist(), strict=True))
                self._best_cards = self._pass_card_values()
        reach = self._reach if self._line else self.ranges
        pairs = float((reach[NONDEALER] * self.opponent_mass(NONDEALER, reach[DEALER])).sum())
        gains = [(reach[player] * won[player]).sum() / pairs if pairs > 0 else np.nan for player in (NONDEALER, DEALER)]
        self.value = float(gains[NONDEALER] - gains[DEALER]) / 2
        self.gain = float(sum(gains))
        self.values = values[NONDEALER], values[DEALER]

    def take_nondealer_play(self, other: SolvedEnding) -> SolvedEnding:
        """Replace the non-dealer's play by the other's, and measure again; return the ending itself."""
        of_nondealer = entry_players(self.game) == NONDEALER
        for mine, theirs in zip(self.play[:2], other.play[:2], strict=True):
            np.copyto(mine, theirs, where=of_nondealer)
        self._gadget = None
        self.entry_shares = [1.0, 1.0]
        self.measure()
        return self

    def after_card(self, ending: PublicState, card: int, possible: tuple[Bools, Bools]) -> SolvedEnding | None:
        """Return the same strategies after another card, with values of best play from there on; None if never played.

        Args:
            ending: the state after the card.
            card: the card played in this state.
            possible: by player bool[states] of that ending, the hands that can have played so.
        """
        line = (*self._line, *([] if self._line or self.ending.led is None else [self.ending.led]), card)
        rest = copy.copy(self)
        rest._line = line
        if self.game.uses_mirror and is_mirrored(self._contract, len(line), rest._history(line)):
            rest._number = {card: int(MIRRORED[number]) for card, number in self._number.items()}
        rest.game = self.game._replace(line=rest._history(line), line_cards=len(line))
        rest._set_root(ending, possible)
        rest.measure()
        rest._taken = int(self._work.tricks[len(line)])
        return None if np.isnan(rest.gain) else rest

    def _history(self, played: Sequence[int]) -> int:
        """Return the cards as the number of a history."""
        return functools.reduce(lambda history, card: history * CARDS + self._number[card], played, 0)

    # ------------------------------------------------------------------------------------------------ the solution

    def _pass_card_values(self) -> Floats:
        """Return what each card that may be played in the state won in the last pass: by set, card and discard."""
        values: Floats = self._work.card_values[len(self._line) or int(self.ending.led is not None)].copy()
        return values

    def mean_values(self, hand: int, discard: int, payoffs: tuple[float, ...]) -> dict[int, float]:
        """Return the value of each card when both players follow the solution and other payoffs are counted.

        Args:
            hand, discard: the hand and the discard of the player to move in the state.
            payoffs: the payoffs, from 0 to 1, by the non-dealer's tricks from here on; the dealer has 1 less that.
        """
        regrets = self.play.regrets.copy()
        visited = self.play.visited.copy()
        game = self.game
        unit = np.ones(2)
        self.play.regrets[:] = self._play_weights()
        self.play.visited[:] = 0
        counted = np.zeros_like(game.payoffs)
        counted[self._contract, self._taken : self._taken + len(payoffs)] = payoffs
        self.game = with_payoffs(game, counted)
        self._pass(self.ending.to_play, Weights(1, unit, unit, unit, unit, 0.0, 0.0, False))
        self.play.regrets[:] = regrets
        self.play.visited[:] = visited
        self.game = game
        return self._values_by_card(hand, discard, self._pass_card_values())

    def _play_weights(self) -> AnyFloats:
        """Return the weights of cards: averages, where there are none by regrets."""
        weights: AnyFloats = self.play.averages + _BY_REGRETS * np.maximum(self.play.regrets, 0.0)
        return weights

    def card_values(self, hand: int, discard: int = 0) -> dict[int, float]:
        """P(win the tower) of each card that may be played in the state, with best play after it."""
        return self._values_by_card(hand, discard, self._best_cards)

    def _values_by_card(self, hand: int, discard: int, won: Floats) -> dict[int, float]:
        """P(win the tower) by card, out of `_pass_card_values`."""
        ending = self.ending
        player = self.ending.to_play
        cards, _ = self._entries(hand, discard, () if ending.led is None else (ending.led,))
        mass = self._mass[hand, discard]
        if not mass > 0:
            return dict.fromkeys(cards, float("nan"))
        hidden = ending.hidden(player)
        discards = OTHER_CARDS if ending.puts_away(player) else 1
        held = int(self._bits(np.array([hand]))[0]) & ~(1 << UP_CARD)
        chosen = int(np.flatnonzero(self.game.set_masks[hidden, : self.game.sets[hidden]] == held)[0])
        away = self._number[first_card(discard)] if discard else 0
        values = {}
        for card in cards:
            place = (held & (1 << self._number[card]) - 1).bit_count()
            entry = (chosen * hand.bit_count() + place) * discards + away
            values[card] = float(won[entry]) / mass + (player == DEALER)
        return values

    def mix(self, hand: int, discard: int = 0, played: Sequence[int] = ()) -> dict[int, float]:
        """Return the probability of each card.

        Args:
            hand: the cards of the player to move, as a printed mask.
            discard: a dealer's discard, as a printed mask; 0 for none.
            played: the cards played since the state, the card led included where there was one.
        """
        if hand & hand - 1 == 0:
            return {first_card(hand): 1.0}
        cards, entries = self._entries(hand, discard, played)
        if len(cards) == 1:
            return {cards[0]: 1.0}
        for learnt in (self.play.averages, self.play.regrets):
            shares = np.maximum(learnt[entries], 0.0)
            if shares.sum() > 0:
                return dict(zip(cards, (shares / shares.sum()).tolist(), strict=True))
        return dict.fromkeys(cards, 1 / len(cards))

    def write_play(self, game: HandGame, contract: int, play: Floats) -> None:
        """Write the solution of a first lead into `Strategy.play`; hands that never reach it follow their regrets.

        Of each depth both games have the same blocks in the same order.

        Args:
            game: the game of the whole hand, mirrored, with the same up-card, a spade.
            contract: the contract of it that was solved; not one that is stored as another's mirror image.
            play: float64[play_size] of that game, zeros in the places of the contract.
        """
        assert self.game.uses_mirror == is_own_image(contract, 0)
        weights = self._play_weights()
        past = np.append(DEPTH_STARTS[: 2 * game.cards - 2], game.node_starts.shape[1])
        ends = []
        for here, there in itertools.pairwise(past.tolist()):
            own = self.game.node_starts[self._contract, here:there]
            ends.append((int(own[own >= 0].min()), here, there))
        for (first, here, there), (end, *_) in itertools.pairwise([*ends, (len(weights), 0, 0)]):
            places = game.node_starts[contract, here:there]
            start = int(places[places >= 0].min())
            play[start : start + end - first] = weights[first:end]

    def _entries(self, hand: int, discard: int, played: Sequence[int]) -> tuple[list[int], Ints]:
        """Return the cards that may be played, and where they stand in the arrays of play."""
        line = (*self._line[: len(self._line) - (self.ending.led is not None)], *played)
        held = int(self._bits(np.array([hand]))[0])
        block = stored_block(self.game, self._contract, len(line), self._history(line))
        cards = np.empty(LARGEST_SOLVED, np.int64)
        entries = np.empty(LARGEST_SOLVED, np.int64)
        away = self._number[first_card(discard)] if discard else -1
        holds = held >> UP_CARD & 1
        count = list_entries(block, held & ~(1 << UP_CARD), away, holds, cards, entries)
        named = {number: card for card, number in self._number.items()}
        return [named[number] for number in cards[:count].tolist()], entries[:count]


class _Gadget:
    """Each hand's choice between playing on and its earlier value, by regret matching with positive regrets only."""

    def __init__(self, outside: Outside, mass: Floats) -> None:
        self.player = outside.player
        self._earlier = (outside.values - (outside.player == DEALER)) * mass
        self._regrets = np.zeros((2, len(mass)))  # of playing on, of staying out

    def entry_shares(self) -> Floats:
        """float64[states]: P(each hand plays on)."""
        total = self._regrets.sum(axis=0)
        shares: Floats = np.where(total > 0, self._regrets[0] / np.where(total > 0, total, 1.0), 1.0)
        return shares

    def learn(self, won: Floats) -> None:
        """Add what playing on won in an iteration."""
        entering = self.entry_shares()
        value = entering * won + (1 - entering) * self._earlier
        self._regrets = np.maximum(self._regrets + np.stack((won, self._earlier)) - value, 0.0)


def _first_counted(iterations: int) -> int:
    """Return the first iteration that is averaged, since the weights of earlier ones are small."""
    return 2 * iterations // 5


def _ordered_cards(ending: PublicState) -> list[int]:
    """The unseen cards: of a first lead in the order of a whole hand whose up-card is a spade (`card_numbers`)."""
    suit = 3 if ending.turned is None else suit_of(ending.turned)
    suits = [3 - suit, *({0, 1, 2, 3} - {suit, 3 - suit}), suit]
    return sorted(mask_cards(ending.unseen), key=lambda card: suits.index(suit_of(card)))


@kernel
def _disjoint_mass(own: Ints, others: Ints, weights: Floats) -> Floats:
    """Return for each set of cards the summed weights of the other's sets that share no card with it."""
    masses = np.zeros(len(own))
    for place in range(len(own)):
        total = 0.0
        for other in range(len(others)):
            if own[place] & others[other] == 0:
                total += weights[other]
        masses[place] = total
    return masses
