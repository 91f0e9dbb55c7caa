"""The gain of best responses against `endgame` in the last three of four cards, and its gain against pimc there.

``python -m docs.endings [HANDS]`` prints both for each hand in mt, then the means with 95 % intervals, in about two
seconds of processor time a hand. As in `endgame`, the stored equilibrium bids and pimc plays the first trick. The true
range of a player is the set of hands with these bids and plays; the ending is solved for the ranges that `endgame`
assumes. The gain of best responses is a lower bound of their gain against the player, since they copy its bids and its
first trick. Pairs of hands drawn from the true ranges are played out, the solution in either seat against pimc.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from towerlab.analysis.stats import mean_interval
from towerlab.analysis.towers_and_bowers.deal_value import deal_values
from towerlab.analysis.towers_and_bowers.last_cards import HIDDEN_CARDS, PlayedHistory, ranges_at, solve_public
from towerlab.analysis.towers_and_bowers.ranges import Calls, calls_likelihood, dealt_cards
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import first_card, mask_cards, to_play_order, to_printed
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES
from towerlab.sim.towers_and_bowers.info_state import NO_CARD, Model, make_model, payoffs_by_size
from towerlab.sim.towers_and_bowers.match import POSITION_SIZE, choose_card, deal_hand, lay_out, put_card
from towerlab.sim.towers_and_bowers.players import PIMC
from towerlab.solver.towers_and_bowers.ending_solver import SolvedEnding
from towerlab.solver.towers_and_bowers.whole_hand.arrays import DEALER, NONDEALER

HAND: Final = 4
SEED: Final = 2
PAIRS: Final = 60  # of hands that are played out a state
_LEAST: Final = 1e-4  # of the likeliest hand: rarer hands are left out
_SELDOM: Final = 0.005  # shares of a mix below are not played out
_MT: Final = 1000.0
_OPTIONS: Final = TowersAndBowersOptions(first_n=HAND)


def model() -> Model:
    """Return the model of pimc."""
    return make_model(_OPTIONS, deal_values(_OPTIONS))


@kernel
def _pimc_cards(
    dealt: Ints, discards: Ints, contract: tuple[int, int, int], line: Ints, model: Model, random: Any, cards: Ints
) -> None:
    """Fill in the card (play order) that pimc plays after a line with each hand of the player on turn.

    Args:
        dealt, discards: int64[hands], printed masks of the cards dealt, and the dealer's discards.
        contract: the up-card, the bidder, and the trump suit.
        line: int64[cards], in play order.
        random: a numpy Generator, which pimc does not use.
        cards: int64[hands], filled where it is not 0.
    """
    at = np.empty(POSITION_SIZE, dtype=np.int64)
    for row in range(len(dealt)):
        if cards[row]:
            lay_out((dealt[row], dealt[row]), contract[0], contract[1], contract[2], discards[row], DEFAULT_RULES, at)
            for card in line:
                put_card(at, card)
            cards[row] = choose_card(PIMC, at, model, random)


def pimc_cards(public: PlayedHistory, dealt: Ints, away: Ints, wanted: Floats) -> Ints:
    """Return the card (id) that pimc plays next with each wanted hand (not 0), else -1: int64[hands]."""
    calls = public.calls
    cards = (wanted > 0).astype(np.int64)
    line = np.array([int(to_play_order(1 << card, calls.trump, True)) for card in public.played], dtype=np.int64)
    discards = np.array([first_card(int(card)) if card else NO_CARD for card in away])
    bidder = NONDEALER if calls.nondealer_bids else DEALER
    _pimc_cards(dealt, discards, (calls.up, bidder, calls.trump), line, model(), np.random.default_rng(0), cards)
    return np.array([first_card(int(to_printed(int(card), calls.trump, True))) if card else -1 for card in cards])


def draw_state(random: np.random.Generator) -> tuple[PlayedHistory, tuple[int, int], int]:
    """Return a hand of `endgame` against itself until three cards are left, the cards dealt and the discard."""
    nondealer, dealer, up = map(int, deal_hand(HAND, random))
    ways = []
    shares = []
    for trump in range(4):
        for bids in (True, False):
            calls = Calls(HAND, up, trump, bids)
            own = calls_likelihood(calls, False)(np.array([nondealer]), np.array([0]))[0]
            for away in [1 << card for card in mask_cards(dealer)] if calls.accepted else [0]:
                ways.append((calls, away))
                shares.append(own * calls_likelihood(calls, True)(np.array([dealer]), np.array([away]))[0])
    calls, away = ways[random.choice(len(ways), p=np.array(shares) / sum(shares))]
    payoffs = payoffs_by_size(_OPTIONS, deal_values(_OPTIONS))[HAND, int(calls.nondealer_bids), : HAND + 1]
    public = PlayedHistory(calls, True, tuple(round(value, 12) for value in payoffs.tolist()), ())
    hands = (nondealer, dealer)
    while len(public.played) < 2 * (HAND - HIDDEN_CARDS):
        seat = public.seats[-1]
        put_away = np.array([away if seat == DEALER else 0])
        public = public.after(int(pimc_cards(public, np.array([hands[seat]]), put_away, np.ones(1))[0]))
    return public, hands, away


def true_range(public: PlayedHistory, seat: int) -> Floats:
    """Return P(each of `PublicState.states` | it bids by the equilibrium and plays as pimc), float64[states]."""
    hands, away = public.ending().states(seat).T
    dealt = hands | public.cards_of(seat)
    likely = np.zeros(len(hands))
    dealt = dealt_cards(public.calls, dealt, away) if seat == DEALER else dealt
    can = ranges_at(public)[seat] > 0
    likely[can] = calls_likelihood(public.calls, seat == DEALER)(dealt[can], away[can])
    likely[likely < _LEAST * likely.max()] = 0.0
    for place, card in enumerate(public.played):
        if public.seats[place] == seat:
            before = public._replace(played=public.played[:place])
            likely[pimc_cards(before, dealt, away, likely) != card] = 0.0
    return likely / likely.sum()


def play_out(
    public: PlayedHistory, hands: tuple[int, int], away: int, solved: Mapping[int, SolvedEnding], root: int
) -> float:
    """Return the non-dealer's mean result where seats follow a solution, the others pimc.

    Args:
        public: the position.
        hands, away: printed masks of the cards dealt, and of the dealer's discard or 0.
        solved: by seat.
        root: how many cards had been played at the state that was solved.
    """
    seat = public.seats[-1]
    if len(public.played) == 2 * HAND:
        return public.payoffs[public.seats[2::2].count(NONDEALER)]
    held = hands[seat] | (1 << public.calls.up if seat == DEALER and away else 0)
    held, put_away = held & ~(public.cards_of(seat) | away), away if seat == DEALER else 0
    if held & held - 1 == 0:
        mix = {first_card(held): 1.0}
    elif seat in solved:
        mix = solved[seat].mix(held, put_away, public.played[root:])
    else:
        mix = {int(pimc_cards(public, np.array([hands[seat]]), np.array([put_away]), np.ones(1))[0]): 1.0}
    mix = {card: share for card, share in mix.items() if share > _SELDOM}
    won = [share * play_out(public.after(card), hands, away, solved, root) for card, share in mix.items()]
    return sum(won) / sum(mix.values())


def measure(hand: int) -> tuple[float, float]:
    """Return, for a hand, the gain of best responses, and the solution's gain against pimc, averaged over seats."""
    random = np.random.default_rng((SEED, hand))
    public = draw_state(random)[0]
    ending = public.ending()
    root = len(public.played)
    calls = public.calls
    if len(set(ending.payoffs)) == 1:
        return 0.0, 0.0
    solution = solve_public(public)
    ranges = (true_range(public, NONDEALER), true_range(public, DEALER))
    states = [ending.states(seat) for seat in (NONDEALER, DEALER)]
    edges = []
    drawn = [random.choice(len(weights), 20 * PAIRS, p=weights) for weights in ranges]
    for row, dealers_row in zip(*drawn, strict=True):
        mine, _ = states[NONDEALER][row].tolist()
        theirs, away = states[DEALER][dealers_row].tolist()
        if mine & (theirs | away) == 0 and len(edges) < PAIRS:
            hands = mine | public.cards_of(NONDEALER), theirs | public.cards_of(DEALER)
            hands = hands[0], int(dealt_cards(calls, np.array([hands[1]]), np.array([away]))[0])
            first, second = (play_out(public, hands, away, {seat: solution}, root) for seat in (NONDEALER, DEALER))
            edges.append((first - second) / 2)
    assert not solution.game.uses_mirror
    solution.ranges = [weights / weights.sum() for weights in ranges]  # others than it was solved for
    solution.measure()
    return solution.gain, float(np.mean(edges))


def main(hands: int) -> None:
    rows: list[Any] = []
    for hand in range(hands):
        rows.append([_MT * value for value in measure(hand)])
        print(hand, *(f"{value:.3f}" for value in rows[-1]), flush=True)
    for name, values in zip(("best responses win", "wins from pimc"), zip(*rows, strict=True), strict=True):
        print(name, "{:.2f} mt ({:.2f} to {:.2f}), {} hands".format(*mean_interval(values)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
