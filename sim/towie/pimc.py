"""How does `pimc` decide in Towie? By perfect information Monte Carlo, for calls and cards.

It deals the unseen cards many times, consistently with the cards seen (`sim.choices`, `sim.towie.sampling`), and solves
each layout double-dummy: so it assumes that all players see all cards after its choice. To value a call, the others
continue the auction as novices on each layout (`sim.towie.auctions`), and the contract is solved, its own or theirs;
its own is doubled as often as among players like it. The others' calls so far are taken as a novice's. The opening
lead, before dummy is open, is the novice's.

    towerlab simulate towie --players pimc,novice,novice --games 3
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import NO_TRUMP, SUIT_BITS, to_play_order, to_printed, trump_field
from towerlab.games.towie.auction import (
    BID,
    BIDDER,
    CALLERS,
    DOUBLE,
    DOUBLING,
    MADE,
    PASS,
    REDOUBLE,
    bid_of,
    is_game_contract,
    strain_of,
    why_illegal,
)
from towerlab.games.towie.dealing import DUMMY, HANDS, hand_at
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.scoring import is_vulnerable, tricks_needed
from towerlab.sim.choices import deal_two_hands
from towerlab.sim.towie.auctions import NOVICE, sample_after_calls
from towerlab.sim.towie.outcomes import Outcomes, points_by_tricks
from towerlab.sim.towie.players import (
    FIT,
    POINTS_OF_GAME,
    POINTS_OF_MINOR_GAME,
    card_as_novice,
    expected_trumps,
    high_card_points,
    strength_in,
)
from towerlab.sim.towie.sampling import goulash_likelihood, goulash_pool
from towerlab.sim.towie.state import (
    AUCTION,
    CARDS_IN_TRICK,
    FACED,
    GOULASHES,
    LEAD_POSITION,
    PHASE,
    WON,
    TowieState,
    caller_to_act,
    legal_plays,
    player_of,
    position_to_act,
    suit_length,
)
from towerlab.solver.double_dummy import Position, shared_solver

SAMPLES: Final = 8
"""Layouts dealt for a card of the later tricks; fewer for an auction and for the first ones."""
AUCTION_LAYOUTS: Final = 2
"""Layouts dealt for an auction, times the samples: of few the call that is best is the one they flatter most. With 4
layouts 36 % of pimc's contracts were made and 47 % promised, with 16 it was 40 % of 45 % (300 deals among three)."""
EXACT_CARDS: Final = 10
"""With so many cards in a hand or fewer every card's tricks are counted; before, only whether it makes the contract."""
POINTS_SHORT: Final = 5.0
"""A strain this many points below a novice's game is not looked at."""
POINTS_APART: Final = 2.0
"""Nor is one that many points further from it than the best."""
STRAINS_LOOKED_AT: Final = 2
LEAST_TO_DOUBLE: Final = 8
"""High-card points, or else four trumps, without which it asks of no contract whether to double it."""
SLAM_LEVEL: Final = 6
SPARE: Final = 16
"""Times as many layouts are dealt for a card after a goulash as are drawn from them."""
DOUBLED: Final = (0.56, 0.87)
"""How often the others double a contract of its that double-dummy play makes, and one that fails: as in 300 deals among
three of it. Novices, by whom it takes the auction to go on, hardly ever do."""


def play_samples(samples: int, cards: int) -> int:
    """Return how many layouts to deal for a card with so many cards in hand: fewer in the slow first tricks."""
    share = 0.4 if cards > EXACT_CARDS else 0.75 if cards > 8 else 1.0
    return max(1, round(share * samples))


class Pimc:
    """Decides for every ``pimc`` of a game.

    Args:
        options: the options of the game.
        samples: layouts dealt for a card of the later tricks; fewer for an auction and the first tricks.
    """

    def __init__(self, options: TowieOptions, samples: int = SAMPLES) -> None:
        self.samples = samples
        self._rules = options.rules()

    def choose(self, state: TowieState, rng: np.random.Generator) -> int:
        """Return the call, or the card as a printed mask of one bit, that is due."""
        return self.choose_call(state, rng) if state.now[PHASE] == AUCTION else self.choose_card(state, rng)

    # ---------------------------------------------------------------------------------------------------- the auction

    def choose_call(self, state: TowieState, rng: np.random.Generator) -> int:
        """Return the call of the greatest mean value, of: pass, double, redouble, games in its best strains, slams."""
        auction = state.auction
        caller = int(caller_to_act(state))
        bidder = int(auction[BIDDER])
        standing = int(auction[BID])
        if bidder == caller and why_illegal(auction, REDOUBLE):
            return PASS
        strains = [] if bidder == caller else self._strains(state, caller)
        if bidder != caller and not strains and not may_double(int(state.hands[caller]), standing):
            return PASS
        outcomes = self._outcomes(state, caller, rng)
        worths = {PASS: self._points_after(state, outcomes, PASS, rng)}
        for call in (DOUBLE, REDOUBLE):
            if not why_illegal(auction, call):
                worths[call] = self._points_after(state, outcomes, call, rng)
        for strain in strains:
            for bid in bids_worth_asking(outcomes, standing, caller, strain):
                worths[bid] = self._points_after(state, outcomes, bid, rng)
        return max(worths, key=lambda call: worths[call])  # of equal ones the first

    def _strains(self, state: TowieState, caller: int) -> list[int]:
        """Return the strains in which a novice would come nearest to a game."""
        hand = int(state.hands[caller])
        exposed = int(state.now[FACED])
        short: list[tuple[float, int]] = []
        for strain in range(5):
            if strain == NO_TRUMP or expected_trumps(hand, exposed, strain) >= FIT - 1:
                needed = POINTS_OF_MINOR_GAME if strain < 2 else POINTS_OF_GAME
                short.append((needed - strength_in(hand, exposed, strain), strain))
        short.sort()
        near = min(POINTS_SHORT, short[0][0] + POINTS_APART)
        return [strain for missing, strain in short[:STRAINS_LOOKED_AT] if missing <= near]

    def _points_after(self, state: TowieState, outcomes: Outcomes, call: int, rng: np.random.Generator) -> float:
        """Points that follow a call, the mean over the layouts; the others double its own bid as they do in fact."""
        caller = int(caller_to_act(state))
        vulnerable = vulnerability(state)
        contracts = outcomes.contracts_after(state.auction, call, NOVICE, rng)
        doubled = DOUBLED if PASS < call < DOUBLE else (0.0, 0.0)
        return float(outcomes.points(contracts, caller, vulnerable, state.rules, doubled).mean())

    def _outcomes(self, state: TowieState, caller: int, rng: np.random.Generator) -> Outcomes:
        """Draw layouts that fit the caller's view and the others' calls, the same for all calls."""
        calls = state.calls[: int(state.auction[MADE])]
        hand = int(state.hands[caller])
        exposed = int(state.now[FACED])
        pool = goulash_pool(self._rules, int(state.now[GOULASHES]))
        count = AUCTION_LAYOUTS * self.samples
        return Outcomes(sample_after_calls(calls, caller, hand, exposed, count, rng, pool)[0], exposed)

    # ------------------------------------------------------------------------------------------------------- the play

    def choose_card(self, state: TowieState, rng: np.random.Generator) -> int:
        """The card with the best mean score, a printed mask of one bit; of equals the novice's, else the lowest."""
        legal = int(legal_plays(state))
        if not legal & (legal - 1):
            return legal
        rule = int(card_as_novice(state))
        position = int(position_to_act(state))
        strain = int(strain_of(state.auction[BID]))
        if not state.now[CARDS_IN_TRICK] and state.hands.tolist() == state.dealt.tolist():
            return rule  # the opening lead, made before dummy is open
        held = int(state.hands[int(hand_at(position, int(state.auction[BIDDER])))]).bit_count()
        hands, like = self._worlds(state, position, play_samples(self.samples, held), rng)
        need = 0 if held <= EXACT_CARDS else int(tricks_needed(int(state.auction[BID]))) - int(state.now[WON])
        moves, tricks = shared_solver().cards_of_many(hands, like, need)
        totals = self._play_points(state)[tricks].sum(axis=0) * (1 if position % 2 == 0 else -1)
        good = [card for (card, _), total in zip(moves, totals, strict=True) if total >= totals.max() - 1e-6]
        preferred = int(to_play_order(rule, strain, False))
        return int(to_printed(preferred if preferred in good else min(good), strain, False))

    def _play_points(self, state: TowieState) -> Floats:
        """Declarer's points less an opponent's by the tricks still to come; honours are settled already."""
        declarer = int(state.auction[BIDDER])
        vulnerable = int(is_vulnerable(state.games, player_of(state, declarer)))
        whole = points_by_tricks(int(state.auction[BID]), int(state.auction[DOUBLING]), vulnerable, state.rules)
        return whole[int(state.now[WON]) :]

    def _worlds(self, state: TowieState, position: int, count: int, rng: np.random.Generator) -> tuple[Ints, Position]:
        """Layouts of the cards that the player to act cannot see: hands for the solver [count, 4], and all else."""
        declarer = int(state.auction[BIDDER])
        strain = int(strain_of(state.auction[BID]))
        seat = 0 if position % 2 == 0 else position
        hidden = [place for place in range(HANDS) if place not in (seat, 2)]
        me, *callers = (int(hand_at(place, declarer)) for place in (seat, *hidden))
        layouts = self._deal_hidden(state, me, callers, [int(state.voids[place]) for place in hidden], count, rng)
        leader = int(state.now[LEAD_POSITION])
        trumps = int(trump_field(strain))
        cards = [int(state.trick[(leader + step) % HANDS]) for step in range(int(state.now[CARDS_IN_TRICK]))]
        trick = tuple(int(to_play_order(card, strain, False)) for card in cards)
        held = [int(state.hands[int(hand_at(place, declarer))]) for place in range(HANDS)]
        worlds = np.array([[int(to_play_order(hand, strain, False)) for hand in held]] * count)
        for column, place in enumerate(hidden):
            worlds[:, place] = [int(to_play_order(hand, strain, False)) for hand in layouts[:, column].tolist()]
        return worlds, Position((), trumps, leader, trick)

    def _deal_hidden(
        self, state: TowieState, me: int, callers: list[int], voids: list[int], count: int, rng: np.random.Generator
    ) -> Ints:
        """Deal two hidden hands, printed masks [count, 2]; after a goulash as often as goulashes deal them so.

        Args:
            me: the caller whose hand is known, as dummy's is.
            callers: the callers who hold the hidden hands.
            voids: the voids of each hidden hand, bit s where it is out of suit s.
        """
        held = state.hands.tolist()
        dealt = state.dealt.tolist()
        goulashes = int(state.now[GOULASHES])
        first, second = callers
        pool = held[first] | held[second]
        suits_out = (sum(SUIT_BITS << 13 * suit for suit in range(4) if void >> suit & 1) for void in voids)
        first_may, second_may = (pool & ~suits for suits in suits_out)
        layouts = np.zeros((count * (SPARE if goulashes else 1), 3), dtype=np.int64)
        sizes = held[first].bit_count(), held[second].bit_count()
        deal_two_hands(pool, first_may, second_may, *sizes, rng, layouts)
        if goulashes:
            firsts = layouts[:, 0] | dealt[first] & ~held[first]
            goulash = goulash_pool(self._rules, goulashes)
            weights = goulash_likelihood(firsts, me, dealt[me], dealt[DUMMY], first, goulash)
            layouts = layouts[rng.choice(len(layouts), count, p=weights / weights.sum())]
        return layouts[:, :2]


def vulnerability(state: TowieState) -> Ints:
    """Return whether players have won a game, int64[players]: the callers in their order, then the waiting ones."""
    players = [int(player_of(state, caller)) for caller in range(CALLERS)] + state.waiting.tolist()
    return np.array([int(is_vulnerable(state.games, player)) for player in players], dtype=np.int64)


def bids_worth_asking(outcomes: Outcomes, standing: int, caller: int, strain: int) -> Iterator[int]:
    """Bids in a strain: the lowest legal one that is a game; each next slam if the bid below is always made."""
    below = 0
    everywhere = np.arange(len(outcomes.layouts))
    for level in range(1, 8):
        bid = int(bid_of(level, strain))
        if bid <= standing or not is_game_contract(bid, 1, 1) or (below and level < SLAM_LEVEL):
            continue
        if below and not outcomes.takes(everywhere, caller, strain, int(tricks_needed(below))).all():
            return
        below = bid
        yield bid


def may_double(hand: int, bid: int) -> bool:
    """Return whether a double should be tested with a hand."""
    if high_card_points(hand) >= LEAST_TO_DOUBLE:
        return True
    return bid > 0 and strain_of(bid) != NO_TRUMP and int(suit_length(hand, int(strain_of(bid)))) >= 4
