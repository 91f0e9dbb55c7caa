"""IS-MCTS (Cowling, Powley and Whitehouse 2012) by OpenSpiel, asked in every set of hands of one or two cards.

The only search here that samples: layouts and playouts, seeded by the place of the set. A simulation costs a quarter of
a millisecond in Python, so that with two cards every set is asked once for itself and its mirror image (diamonds and
hearts swapped), and the most frequent kind not at all: a dealer who follows to the first of two tricks has nothing to
search after the own card, and IS-MCTS is a bandit with two arms there, which a kernel plays as OpenSpiel would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Floats
from towerlab.games.cards import card_text
from towerlab.games.errors import TowerlabError
from towerlab.games.jit import kernel
from towerlab.sim.choices import draw
from towerlab.sim.towers_and_bowers.openspiel import load_game
from towerlab.sim.towers_and_bowers.openspiel.position import ACCEPT, NAME, NUMBERS, PACK, PASS
from towerlab.solver.towers_and_bowers.whole_hand import HandGame, Strategy, normalised
from towerlab.solver.towers_and_bowers.whole_hand.hand import DECISIONS, MOST_ENTRIES
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import (
    DEALER,
    NONDEALER,
    NONDEALER_ACCEPTS,
    UP_SUIT,
    card_numbers,
)
from towerlab.solver.towers_and_bowers.whole_hand.information_sets import InformationSet, contract_of, information_sets

RUNS: Final = {1: 4, 2: 1, 3: 1}  # by hand size; of three cards single sets only
SIMULATIONS: Final = 100
_TIE: Final = 1e-5  # OpenSpiel tosses a coin between bounds that differ by less
_EXPLORATION: Final = 1.0  # of the confidence bound; payoffs lie between -1/2 and 1/2


def is_mcts_strategy(game: HandGame, up_rank: int) -> Strategy:
    """The mean of the visits of `RUNS` searches of `SIMULATIONS` each, in every information set.

    Args:
        game: of one or two cards, not mirrored.
        up_rank: printed rank of the up-card, a spade.

    Raises:
        TowerlabError: OpenSpiel is not installed.
    """
    deal = 1 - game.payoffs[NONDEALER_ACCEPTS, 1] if game.cards > 1 else 0.5  # what dealing next is worth
    openspiel = load_game(game.cards, card_text(13 * UP_SUIT + up_rank), float(deal))
    bidding, play = np.zeros((DECISIONS, int(game.sets[game.cards]), MOST_ENTRIES)), np.zeros(game.play_size)
    flat = bidding.reshape(-1)
    asked: dict[tuple[Any, ...], dict[int | str, float]] = {}
    for known in information_sets(game, up_rank):
        shares = asked.pop(_seen(known, _mirrored), None)
        if shares is not None:
            found = np.array([shares[_mirrored(action)] for action in known.actions])
        elif known.played:
            found = follow_shares(game, up_rank, known, RUNS[2])
        else:
            found = visits(openspiel, known)
        if shares is None:
            asked[_seen(known, lambda action: action)] = dict(zip(known.actions, found.tolist(), strict=True))
        (flat if known.is_bidding else play)[list(known.entries)] = found
    return Strategy(normalised(bidding, game.cards), play)


def _seen(known: InformationSet, rename: Callable[[int | str], int | str]) -> tuple[Any, ...]:
    """What makes an information set, cards and suits renamed."""
    discard = None if known.discard is None else rename(known.discard)
    held = frozenset(map(rename, known.held))
    return known.player, held, discard, tuple(map(rename, known.calls)), tuple(map(rename, known.played))


def _mirrored(action: int | str) -> int | str:
    """A card or a call with diamonds and hearts swapped."""
    if isinstance(action, str):
        return {"D": "H", "H": "D"}.get(action, action)
    return action + 13 if action // 13 == 1 else action - 13 if action // 13 == 2 else action


def follow_shares(game: HandGame, up_rank: int, known: InformationSet, runs: int) -> Floats:
    """As `visits`, of a dealer who follows to the first of two tricks: the two cards are the arms of a bandit."""
    number = {card: place for place, card in enumerate(card_numbers(up_rank))}
    contract, led, own = contract_of(known), number[known.played[0]], [number[card] for card in known.held]
    others = [place for card, place in number.items() if card not in (known.up, *known.dealt, *known.played)]
    wins, value = game.nondealer_wins[contract], np.empty((2, len(others)))
    for reply in range(2):
        first = wins[NONDEALER, own[reply], led]
        second = wins[NONDEALER if first else DEALER, own[1 - reply], others]
        value[reply] = 0.5 - game.payoffs[contract, (first + second).astype(np.int64)]
    return np.asarray(_bandit(value, runs, SIMULATIONS, np.random.default_rng(known.entries)))


@kernel
def _bandit(value: Floats, runs: int, simulations: int, random: Any) -> Floats:
    """Shares of the visits of two arms by upper confidence bounds; the first simulation only makes the root.

    Args:
        value: float64[2, layouts], what an arm wins in each.
    """
    shares = np.zeros(2)
    for _ in range(runs):
        visited, won = np.zeros(2), np.zeros(2)
        for total in range(simulations - 1):
            arm = draw(random, 2) if total == 0 else int(visited[1] == 0.0)
            if total > 1:
                bounds = won / visited + _EXPLORATION * np.sqrt(np.log(total) / visited)
                arm = int(bounds[1] > bounds[0])
                if abs(bounds[1] - bounds[0]) < _TIE:
                    arm = draw(random, 2)
            visited[arm] += 1.0
            won[arm] += value[arm, draw(random, value.shape[1])]
        shares += visited / (simulations - 1) / runs
    return shares


def visits(openspiel: Any, known: InformationSet) -> Floats:
    """The mean share of the simulations that each action of a set gets, float64[actions]; the same in every call."""
    try:
        from open_spiel.python.algorithms import ismcts, mcts
    except ModuleNotFoundError as error:
        raise TowerlabError("OpenSpiel is not installed; expected `pip install open_spiel` first") from error
    total, state = dict.fromkeys(map(_number, known.actions), 0.0), _state(openspiel, known)
    runs = RUNS[len(known.dealt)]
    for run in range(runs):
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
            total[action] += share / runs
    return np.array([total[_number(action)] for action in known.actions])


def _state(openspiel: Any, known: InformationSet) -> Any:
    """A state in which the player knows this and nothing has been played; the other has some cards."""
    own = known.dealt
    other = [card for card in PACK if card not in own and card not in (known.up, known.discard)][: len(own)]
    state = openspiel.new_initial_state()
    for card in (*other, *own) if known.player == DEALER else (*own, *other):
        state.apply_action(NUMBERS[card])
    for call in known.calls:
        state.apply_action(_number(call))
    if known.trump is not None and not known.discards and state.position.player() == DEALER and "accept" in known.calls:
        state.apply_action(NUMBERS[other[0]])  # the non-dealer is to lead; the dealer's discard is hidden
    return state


def _number(action: int | str) -> int:
    """An action as OpenSpiel numbers it."""
    if isinstance(action, int):
        return NUMBERS[action]
    return {"pass": PASS, "accept": ACCEPT}.get(action, NAME + "CDHS".find(action))
