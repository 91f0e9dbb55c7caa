"""What may a player's kernel read when a decision is due? The player's knowledge, the arrays it decides with, and
nothing else.

A player's kernel is given an `InfoState` (or, in the bidding, the player's cards and the up-card) and no other card:
what a player may not see cannot be read.

>>> InfoState(n=2, taken=0, hand=0b11, opponent_holds=0, pool=0b1100, led=0).hand
3
"""

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bits import popcount
from towerlab.games.cards import RANKS, TRUMP_FIELD
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel
from towerlab.games.towers_and_bowers import TowersAndBowersOptions
from towerlab.games.towers_and_bowers.rules import LARGEST_HAND, HandRules
from towerlab.games.tricks import field_of, legal_followers
from towerlab.solver.claims.search import SMALL_TABLE_BITS, ProofArrays, make_proof_arrays
from towerlab.solver.towers_and_bowers.bidding import payoffs
from towerlab.solver.towers_and_bowers.upcard import THROWN_IN, open_bidding, value_of_endings
from towerlab.solver.two_hands.tablebase import TablebaseArrays, load_tablebase, subsets

NO_SUIT: Final = -1  # in place of a suit
NO_CARD: Final = -1

STARTERS: Final = ("procedure", "fixed", "alternate")
_UNSEEN_AT_ONE: Final = 22  # cards a player of the one-card hand has not seen
_EACH_ENDING: Final = np.eye(THROWN_IN + 1, dtype=np.int64)
MOST_LAYOUTS: Final = 19_448  # 7 of 17 cards: an opponent who may have discarded the up-card


class MatchRules(NamedTuple):
    """The rule options that a simulated match reads, as kernels take them; a hand reads those of `hand` alone."""

    hand: HandRules
    first_n: int
    towers_to_win: int
    starter: int  # place in `STARTERS`


class BidValues(NamedTuple):
    """The bidding with all cards seen, `solver.towers_and_bowers.upcard`, by hand size.

    Every array has a first axis n = 0..7 and then the axes of `OpenBidding`.

    Attributes:
        nondealer_bids, dealer_bids, dealer_names: float64, P(the non-dealer wins the tower).
        second_round, dealer_answers: int8, how the hand ends.
        endings: float64[8, 5], P(the non-dealer wins the tower) by how the hand ends.
    """

    nondealer_bids: Floats
    dealer_bids: Floats
    dealer_names: Floats
    second_round: NDArray[np.int8]
    dealer_answers: NDArray[np.int8]
    endings: Floats


class BidMixes(NamedTuple):
    """How often the player `equilibrium` bids and discards what, a row a class of (hand, up-card).

    Attributes:
        rows: int64[8, 13, 2], by hand size and rank of the up-card: the first row, and the one past the last; both 0
            where nothing is stored.
        hands: int64[rows], the hand that stands for the class (`solver.towers_and_bowers.bidding`), ascending in each
            such range.
        shares: float32[rows, ..], the columns of `solver.towers_and_bowers.bidding` as probabilities.
    """

    rows: Ints
    hands: Ints
    shares: NDArray[np.float32]


class SolvedPlay(NamedTuple):
    """Play of the solved game, of two cards and, where that was made, of three; a row a size and rank of the up-card.

    Few arrays, since every call of a kernel that gets them counts its references to each, whoever plays.

    Attributes:
        rows: int64[8, 13, 2], by hand size and rank: the row, -1 where nothing is stored, and where its weights begin
            in those of its hand size.
        weights_of_2, weights_of_3: float32, `Strategy.play` of every rank in a row.
        node_starts: int64[rows, 8, nodes], from `solver.towers_and_bowers.whole_hand.game.HandGame`.
        fields, field_masks, nondealer_wins: the arrays of those names in `HandGame`, by row.
    """

    rows: Ints
    weights_of_2: NDArray[np.float32]
    weights_of_3: NDArray[np.float32]
    node_starts: Ints
    fields: Ints
    field_masks: Ints
    nondealer_wins: Floats


class SolvedGame(NamedTuple):
    """The part of the solved game that the player `equilibrium` knows."""

    mixes: BidMixes
    play: SolvedPlay


def _empty(kind: type, axes: int) -> NDArray[Any]:
    return np.zeros((0,) * axes, dtype=kind)


NO_MIXES: Final = BidMixes(
    np.zeros((LARGEST_HAND + 1, len(RANKS), 2), dtype=np.int64), _empty(np.int64, 1), _empty(np.float32, 2)
)
NO_SOLVED_PLAY: Final = SolvedPlay(
    np.full((LARGEST_HAND + 1, len(RANKS), 2), -1, dtype=np.int64),
    *(_empty(np.float32, 1), _empty(np.float32, 1)),
    *(_empty(np.int64, 3), _empty(np.int64, 3), _empty(np.int64, 3), _empty(np.float64, 5)),
)
NO_SOLUTION: Final = SolvedGame(NO_MIXES, NO_SOLVED_PLAY)


class Model(NamedTuple):
    """The arrays that players decide with: the tablebase, the values of deals, and workspace.

    Attributes:
        deal_values: float64[8], W(n) by n; W(0) is never read.
        payoffs: float64[8, 2, 8], P(a player wins the tower) by hand size, being the bidder or not, and all tricks
            that the player takes in the hand; beyond n as for n.
        hands, left: int64, the ways to hold n, or n - 1, of the cards unseen before the play, all hand sizes in a
            row; those of n cards stand from ``hands_start[n]`` to ``hands_start[n + 1]``.
        layouts, weights: int64, workspace for the opponent's possible hands.
        prover: the arrays of the claim prover.
        solution: the solved game of the player `equilibrium`.
    """

    tablebase: TablebaseArrays
    deal_values: Floats
    bid_values: BidValues
    payoffs: Floats
    hands: Ints
    hands_start: Ints
    left: Ints
    left_start: Ints
    layouts: Ints
    weights: Ints
    prover: ProofArrays
    solution: SolvedGame


class InfoState(NamedTuple):
    """The knowledge of a player who is to play a card; all masks in play order.

    Attributes:
        n: the number of cards dealt to each.
        taken: the player's tricks so far.
        hand: the player's cards.
        opponent_holds: cards that the opponent surely holds.
        pool: cards of which the opponent holds as many as make up their number; suits shown out of are not here.
        led: the opponent's card in this trick, or 0 when the player leads.
    """

    n: int
    taken: int
    hand: int
    opponent_holds: int
    pool: int
    led: int


class History(NamedTuple):
    """The bids and plays of a hand so far, for players whose cards depend on it.

    Attributes:
        up: the up-card (id).
        trump: the trump suit.
        is_dealer, is_bidder: whether the player whose turn it is deals, or bid.
        discard: the card this player has put away, or `NO_CARD`.
        cards: the last thirteen cards played, a digit 0..23 each, the latest the lowest (`equilibrium.last_card`).
    """

    up: int
    trump: int
    is_dealer: bool
    is_bidder: bool
    discard: int
    cards: int


class BidPlan(NamedTuple):
    """How a player will bid with the cards in sight; the passes of the other player add nothing.

    Attributes:
        accepts: whether to accept the up-card.
        names: the suit to name in the second round, or `NO_SUIT`.
        discard, discard_for_other: the card to discard as dealer after the own, or the other's, acceptance;
            `NO_CARD` for the non-dealer.
    """

    accepts: bool
    names: int
    discard: int
    discard_for_other: int


# --------------------------------------------------------------------------------------------------------- kernels


@kernel
def legal_plays(state: InfoState) -> int:
    """Return the cards that may be played (TB-18)."""
    if state.led == 0:
        return state.hand
    return legal_followers(state.hand, field_of(state.led, TRUMP_FIELD))


@kernel
def opponent_cards(state: InfoState) -> int:
    """Return how many cards the opponent holds."""
    return popcount(state.hand) - (state.led != 0)


# ----------------------------------------------------------------------------------------------------------- set-up


def rules_of(options: TowersAndBowersOptions) -> MatchRules:
    """Return the options as kernels take them. Claims are not among them: simulated players make none.

    Raises:
        TowerlabError: ``renege_mode=enforced``, where no player here would know what to do.
    """
    if options.enforces_reneges:
        raise TowerlabError("simulated players always follow suit; expected renege_mode=forbidden, not enforced")
    return MatchRules(
        hand=options.hand_rules,
        first_n=options.first_n,
        towers_to_win=options.towers_to_win,
        starter=STARTERS.index(options.starter),
    )


def make_model(
    options: TowersAndBowersOptions, deal_values: tuple[float, ...], solution: SolvedGame = NO_SOLUTION
) -> Model:
    """Everything that players think with, under these options; one for all who think one after the other.

    Args:
        options: the options of the rules.
        deal_values: W(0), …, W(7) of the model that players believe in; W(0) is never read.
        solution: the solved game of the player `equilibrium`, who decides as `pimc` where it has nothing.
    """
    return _model_without_solution(options, deal_values)._replace(solution=solution)


@functools.lru_cache(maxsize=4)
def _model_without_solution(options: TowersAndBowersOptions, deal_values: tuple[float, ...]) -> Model:
    return Model(
        load_tablebase(),
        np.array(deal_values),
        _bid_values(options, deal_values),
        payoffs_by_size(options, deal_values),
        *_in_a_row(0),
        *_in_a_row(1),
        np.empty(MOST_LAYOUTS, dtype=np.int64),
        np.empty(MOST_LAYOUTS, dtype=np.int64),
        make_proof_arrays(SMALL_TABLE_BITS),
        NO_SOLUTION,
    )


def _bid_values(options: TowersAndBowersOptions, deal_values: tuple[float, ...]) -> BidValues:
    by_size = []
    for n in range(1, LARGEST_HAND + 1):
        solved = open_bidding(n, deal_values, options.hand_rules)
        values = [getattr(solved, name).value for name in BidValues._fields[:3]]
        codes = [getattr(solved, name).code for name in BidValues._fields[3:5]]
        by_size.append([*values, *codes, value_of_endings(_EACH_ENDING, n, deal_values)])
    return BidValues(*(np.stack([np.zeros_like(of[0]), *of]) for of in zip(*by_size, strict=True)))


def payoffs_by_size(options: TowersAndBowersOptions, deal_values: tuple[float, ...]) -> Floats:
    """`Model.payoffs`: float64[8, 2, 8], by hand size, whether one is the bidder, and all one's tricks of the hand."""
    values = np.zeros((LARGEST_HAND + 1, 2, LARGEST_HAND + 1))
    for n in range(1, LARGEST_HAND + 1):
        values[n] = payoffs(n, deal_values[n - 1], options.hand_rules)[::-1]
    return values


@functools.cache
def _in_a_row(fewer: int) -> tuple[Ints, Ints]:
    """Return all `subsets` of n - fewer of the cards unseen at n, for every n, and where each n begins."""
    sizes = range(1, LARGEST_HAND + 1)
    parts = [subsets(_UNSEEN_AT_ONE + 1 - n, n - fewer) for n in sizes]
    starts = np.cumsum([0, 0, *(len(part) for part in parts)])
    return np.concatenate(parts), starts.astype(np.int64)
