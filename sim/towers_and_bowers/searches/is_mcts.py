"""IS-MCTS (Cowling, Powley and Whitehouse 2012) by OpenSpiel, asked in every information set of hands of one card.

A simulation costs a third of a millisecond in Python, so that two cards, with 225,000 sets, would take hours. It is the
only search here that samples: layouts and playouts, seeded by the place of the set.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from games.arrays import Floats
from games.cards import card_text
from games.errors import TowerlabError
from sim.towers_and_bowers.openspiel import load_game
from sim.towers_and_bowers.openspiel.position import ACCEPT, NAME, NUMBERS, PACK, PASS
from solver.towers_and_bowers.whole_hand import HandGame, Strategy, normalised
from solver.towers_and_bowers.whole_hand.hand import DECISIONS, MOST_ENTRIES
from solver.towers_and_bowers.whole_hand.hand_game import DEALER, UP_SUIT
from solver.towers_and_bowers.whole_hand.information_sets import InformationSet, information_sets

RUNS: Final = 4
SIMULATIONS: Final = 100
_EXPLORATION: Final = 1.0  # of the confidence bound; payoffs lie between -1/2 and 1/2


def is_mcts_strategy(game: HandGame, up_rank: int) -> Strategy:
    """The mean of the visits of `RUNS` searches of `SIMULATIONS` each, in every information set.

    Args:
        game: of one card.
        up_rank: printed rank of the up-card, a spade.

    Raises:
        TowerlabError: OpenSpiel is not installed.
    """
    openspiel = load_game(1, card_text(13 * UP_SUIT + up_rank))
    bidding = np.zeros((DECISIONS, int(game.sets[1]), MOST_ENTRIES))
    flat = bidding.reshape(-1)
    for known in information_sets(game, up_rank):
        flat[list(known.entries)] = visits(openspiel, known)
    return Strategy(normalised(bidding, 1), np.zeros(game.play_size))


def visits(openspiel: Any, known: InformationSet) -> Floats:
    """The mean share of the simulations that each action of a set gets, float64[actions]; the same in every call."""
    try:
        from open_spiel.python.algorithms import ismcts, mcts
    except ModuleNotFoundError as error:
        raise TowerlabError("OpenSpiel is not installed; expected `pip install 'towerlab[openspiel]'` first") from error
    total, state = dict.fromkeys(map(_number, known.actions), 0.0), _state(openspiel, known)
    for run in range(RUNS):
        random = np.random.RandomState([run, *known.entries])
        bot = ismcts.ISMCTSBot(
            openspiel,
            mcts.RandomRolloutEvaluator(1, random),
            _EXPLORATION,
            SIMULATIONS,
            random_state=random,
            final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
        )
        bot.set_resampler(lambda state, player, random=random: state.resample_from_infostate(player, random.uniform))
        for action, share in bot.get_policy(state):
            total[action] += share / RUNS
    return np.array([total[_number(action)] for action in known.actions])


def _state(openspiel: Any, known: InformationSet) -> Any:
    """A state in which the player knows this; the other has some card."""
    own = known.dealt[0]
    other = next(card for card in PACK if card not in (own, known.up))
    state = openspiel.new_initial_state()
    for card in (other, own) if known.player == DEALER else (own, other):
        state.apply_action(NUMBERS[card])
    for call in known.calls:
        state.apply_action(_number(call))
    return state


def _number(action: int | str) -> int:
    """An action as OpenSpiel numbers it."""
    if isinstance(action, int):
        return NUMBERS[action]
    return {"pass": PASS, "accept": ACCEPT}.get(action, NAME + "CDHS".find(action))
