"""How does the player `learned` decide? By the policy of `solver.towers_and_bowers.self_play`, with arrays of many
hands.

    towerlab simulate towers-and-bowers --players learned,novice --unit hand --games 20
"""

from pathlib import Path
from typing import Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.towers_and_bowers import Phase
from towerlab.sim.own_players import OwnPlayer
from towerlab.sim.towers_and_bowers.seats import Views
from towerlab.solver.towers_and_bowers.self_play import environment
from towerlab.solver.towers_and_bowers.self_play.environment import State
from towerlab.solver.towers_and_bowers.self_play.network import Policy, action_probabilities
from towerlab.solver.towers_and_bowers.self_play.policies import FRAME_SUITS, current_bundle, policy_in_use, to_frame

_DECISIONS: Final = {
    Phase.BID1_ND: environment.FIRST_CALL,
    Phase.BID1_D: environment.FIRST_CALL,
    Phase.BID2_ND: environment.SECOND_CALL,
    Phase.BID2_D: environment.SECOND_CALL,
    Phase.DISCARD: environment.DISCARD,
    Phase.PLAY: environment.LEAD,
}
_LOWEST_RANK: Final = 7  # a nine

LEARNED: Final = "learned"


def learned_player(name: str) -> OwnPlayer | None:
    """The player of a name: ``learned``, or ``learned:3`` with the logits divided by 3; None where it is no such."""
    base, _, temperature = name.partition(":")
    return OwnPlayer(name, Learned(float(temperature or 1)), is_ours=True) if base == LEARNED else None


def trained_player(folder: str) -> OwnPlayer:
    """Return the player of a folder with a training of the user's: ``learned:FOLDER``.

    Raises:
        TowerlabError: it has none, or one of other rules.
    """
    return OwnPlayer(f"{LEARNED}:{folder}", Learned(policy=current_bundle(Path(folder)).policy), is_ours=True)


class Learned:
    """The learned policy as a player that is given `Views`.

    Args:
        temperature: the divisor of the logits: above 1 the choices are more alike, near 0 the likeliest is made.
        policy: another policy than the stored one.
    """

    name = LEARNED
    symmetric = True

    def __init__(self, temperature: float = 1.0, policy: Policy | None = None) -> None:
        self._temperature = temperature
        self._policy = policy

    def probabilities(self, views: Views) -> Floats:
        """float64[rows, `Views.columns`]: how likely each call, or each card of the hand from the lowest, is."""
        shares = action_probabilities(self._policy or policy_in_use(), state_of(views), self._temperature)
        return np.where(views.may, np.take_along_axis(shares, _action_numbers(views), axis=1), 0.0)


def state_of(views: Views) -> State:
    """Return hands as one seat sees them; the other's hand is empty."""
    phase = Phase(views.phase)
    seat = int(views.is_dealer)
    up_suit, trump = _suits(views)
    zero = np.zeros(len(views.hand), dtype=np.int64)
    pair = np.zeros((len(views.hand), 2), dtype=np.int64)
    bidder = np.where(views.bidder < 0, environment.NO_BIDDER_YET, views.bidder)
    state = State(
        views.n.astype(np.int64),
        *(zero + _DECISIONS[phase], zero, trump, bidder.astype(np.int64)),
        _in_frame(np.left_shift(1, views.up), up_suit, trump),
        _in_frame(np.where(views.discard < 0, 0, 1 << np.maximum(views.discard, 0)), up_suit, trump),
        *(zero, pair, pair, pair, pair, pair),
    )
    for card in views.played[:, : int((views.played >= 0).sum(axis=1).max(initial=0))].T:
        numbers = _card_numbers(np.maximum(card, _LOWEST_RANK), up_suit, trump)
        state = environment.select_hands(card >= 0, environment.step(state, numbers), state)
    hand = _in_frame(views.hand, up_suit, trump)
    return state._replace(turn=zero + np.int64(seat), hands=np.where(np.arange(2) == seat, hand[:, None], 0))


def _suits(views: Views) -> tuple[Ints, Ints]:
    """int[rows] twice: the up-card's suit, and the trump's number in the up-card frame."""
    up_suit = views.up // 13
    number = FRAME_SUITS[up_suit, np.maximum(views.trump, 0)]
    return up_suit, np.where(views.trump < 0, np.int64(environment.NO_TRUMP_YET), number)


def _in_frame(masks: Ints, up_suit: Ints, trump: Ints) -> Ints:
    """int32[rows]: printed masks in the frame of the up-card, or of the trump where there is one."""
    cards = to_frame(masks, up_suit)
    return np.where(trump == environment.NO_TRUMP_YET, cards, environment.to_trump_frame(cards, trump & 3))


def _card_numbers(cards: Ints, up_suit: Ints, trump: Ints) -> Ints:
    """int[rows]: the numbers of cards (ids) in the frame of each row."""
    masks = _in_frame(np.left_shift(1, cards), up_suit, trump)
    return np.bitwise_count(masks - 1).astype(np.int64)


def _action_numbers(views: Views) -> Ints:
    """int[rows, `Views.columns`]: the actions of the environment that the columns stand for."""
    up_suit, trump = _suits(views)
    rows = len(views.hand)
    phase = Phase(views.phase)
    if phase in (Phase.BID1_ND, Phase.BID1_D):
        return np.broadcast_to([environment.ACCEPT_ACTION, environment.PASS_ACTION], (rows, 2))
    if phase in (Phase.BID2_ND, Phase.BID2_D):
        suits = np.array([[suit for suit in range(4) if suit != up] for up in range(4)])[up_suit]
        names = environment.NAME_ACTION - 1 + np.take_along_axis(FRAME_SUITS[up_suit], suits, axis=1)
        passes = np.full((rows, int(phase == Phase.BID2_ND)), environment.SECOND_PASS_ACTION)
        return np.concatenate([names, passes], axis=1)
    left = views.hand.copy()
    numbers = np.empty((rows, views.columns), dtype=np.int64)
    for column in range(views.columns):
        lowest = np.where(left == 0, 1 << _LOWEST_RANK, left & -left)  # any card where a row has fewer
        numbers[:, column] = _card_numbers(np.bitwise_count(lowest - 1).astype(np.int64), up_suit, trump)
        left &= left - 1
    return numbers
