"""What is the value of the scores before a deal of Bowers? It is P(the asker wins the game), from random sequences of
deals between novices.

In the model, three novices who ignore the scores play from the next deal on. Their deals are drawn at random from many
simulated deals (points by place at the table) until a player has won (BO-14). The draws are the same for all states, so
differences between states are more accurate than the values.

    towerlab bid bowers --hand "JS JC AS KS 8S 9D TD AH QD 7C" --auction "P 5H" --kitties 30 --scores 38,12,44
"""

from typing import Any, Final

import numpy as np

from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import CALLS, MOST_TRICKS, PASS, PLAYERS, BowersOptions, BowersRules
from towerlab.games.bowers.rules import deal_points, game_winner, next_dealer, next_factor
from towerlab.games.jit import kernel
from towerlab.sim.bowers import simulate_units

DEALS: Final = 20_000  # simulated between novices
GAMES: Final = 2_000  # played out from each state
MOST_DEALS: Final = 400  # of a game; the leader then has won
SCORES_MODEL: Final = (
    f"the game goes on among three novices who do not look at the scores ({DEALS:,} simulated deals, drawn at random; "
    f"{GAMES:,} games from each state)"
)


def novice_deals(options: BowersOptions, deals: int = DEALS, seed: int = 0) -> Ints:
    """Return the points of simulated deals by place, the dealer's left first; zeros for a deal that is thrown in.

    Returns:
        The points, int64[deals, 3].
    """
    played = simulate_units("deal", 0, deals, ("novice",) * PLAYERS, options, np.random.SeedSequence(seed))
    players = (played.dealers[:, None] + 1 + np.arange(PLAYERS)) % PLAYERS  # of the places
    return np.take_along_axis(played.points.astype(np.int64), players, axis=1)


@kernel
def play_out(states: Ints, deals: Ints, drawn_deals: Any, rules: BowersRules, most: int, wins: Floats) -> None:
    """Fill in the share of games that seat 0 wins from states between two deals.

    Args:
        states: int64[states, 5]: scores of seats 0..2, the seat that deals next, the factor of that deal.
        deals: the points of simulated deals, int64[deals, 3], as `novice_deals` returns them.
        drawn_deals: int64[games, most], the next deals, the same for all states.
        wins: float64[states], filled.
    """
    for state in range(states.shape[0]):
        won = 0.0
        for game in range(drawn_deals.shape[0]):
            scores = (states[state, 0], states[state, 1], states[state, 2])
            dealer = states[state, 3]
            factor = states[state, 4]
            deal = 0
            winner = game_winner(scores[0], scores[1], scores[2], rules.target)
            while winner < 0 and deal < most:
                row = deals[drawn_deals[game, deal]]
                thrown_in = 1 if row[0] == 0 and row[1] == 0 and row[2] == 0 else 0
                scores = (
                    scores[0] + factor * row[(0 - dealer - 1) % 3],
                    scores[1] + factor * row[(1 - dealer - 1) % 3],
                    scores[2] + factor * row[(2 - dealer - 1) % 3],
                )
                winner = game_winner(scores[0], scores[1], scores[2], rules.target)
                dealer, factor = next_dealer(dealer, thrown_in, rules), next_factor(factor, thrown_in, rules)
                deal += 1
            won += 1.0 if winner == 0 else 0.0
        wins[state] = won / drawn_deals.shape[0]


def win_chances(scores: tuple[int, int, int], place: int, factor: int, options: BowersOptions, seed: int = 0) -> Floats:
    """Return P(seat 0 wins the game) after each result of a deal, float64[52, 3, 11]: by bid, its seat, its tricks.

    Args:
        scores: the scores before the deal, of seat 0 (the asker), the player on the left and the one on the right.
        place: the place of seat 0 in the auction, 0 for the dealer's left.
        factor: the factor of this deal (BO-6, BO-13).
        options: the options of the rules.
        seed: the seed of the draws.

    With ``opponents_score_when_made`` the opponents are assumed to share their tricks evenly. Row 0 is a deal that is
    thrown in.
    """
    rules = options.rules()
    dealer = (2 - place) % PLAYERS
    states = np.empty((CALLS, PLAYERS, MOST_TRICKS + 1, 5), dtype=np.int64)
    for made, bidder, tricks in np.ndindex(states.shape[:-1]):
        after = np.array(scores)
        thrown_in = int(made == PASS)
        if not thrown_in:
            points = deal_points(made, tricks, (MOST_TRICKS - tricks) // 2, factor, rules)
            after += np.roll(points, bidder)
        following = next_dealer(dealer, thrown_in, rules), next_factor(factor, thrown_in, rules)
        states[made, bidder, tricks] = *after, *following
    different, places = np.unique(states.reshape(-1, 5), axis=0, return_inverse=True)
    deals = novice_deals(options, seed=seed)
    wins = np.empty(len(different))
    drawn_deals = np.random.default_rng(seed).integers(len(deals), size=(GAMES, MOST_DEALS))
    play_out(different, deals, drawn_deals, rules, MOST_DEALS, wins)
    chances: Floats = wins[places].reshape(states.shape[:-1])
    return chances
