"""The player `endgame`: bids and plays as `equilibrium` does, and the last three cards as they are solved hidden."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from towerlab.analysis.towers_and_bowers.hidden import HIDDEN_CARDS, HiddenPlay, hidden_play
from towerlab.analysis.towers_and_bowers.solutions.bidding import rules_are_solved
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_values
from towerlab.games.arrays import Floats
from towerlab.games.cards import card_text, first_card, mask_cards, to_printed
from towerlab.games.engine import Action
from towerlab.games.towers_and_bowers import Phase, TowersAndBowersOptions, View
from towerlab.sim.own import Act
from towerlab.sim.towers_and_bowers.players.knowledge import payoff_table
from towerlab.sim.towers_and_bowers.players.pimc import distinct_plays, tricks_of_plays
from towerlab.sim.towers_and_bowers.players.seats import state_of
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order
from towerlab.solver.two_hands.tablebase import load_tables


class Endgame:
    """Plays as another until three cards are left, then draws from the solved mix.

    Args:
        options: the rules.
        before: what is bid, discarded and played before.
    """

    def __init__(self, options: TowersAndBowersOptions, before: Act) -> None:
        self._payoffs = payoff_table(options, deal_values(options))
        self._before = before
        self._weighs_bids = rules_are_solved(options)

    def act(self, view: View, legal: Sequence[Action], random: np.random.Generator) -> Action:
        """Return its bid, discard or play, as a record."""
        if view.phase != Phase.PLAY or view.hand.bit_count() > HIDDEN_CARDS:
            return self._before(view, legal, random)
        payoffs = self._payoffs[view.n, int(view.bidder == view.player), : view.n + 1]
        hidden = hidden_play(view, tuple(payoffs.tolist()), None, self._weighs_bids)
        if hidden.mix is None:
            card = _best_on_average(view, hidden, payoffs)
        else:
            card = int(random.choice(list(hidden.mix), p=list(hidden.mix.values())))
        return {"action": "play", "player": view.player, "card": card_text(card)}


def _best_on_average(view: View, hidden: HiddenPlay, payoffs: Floats) -> int:
    """The card that wins most over the hands the other can hold, where what follows is forced."""
    assert view.trump is not None
    state = state_of(view)
    distinct = int(distinct_plays(state))
    tricks = np.empty((len(hidden.hands), distinct.bit_count()), dtype=np.int64)
    tricks_of_plays(load_tables(), state, in_play_order(hidden.hands, view.trump), tricks)
    won = hidden.weights @ payoffs[np.minimum(view.taken[view.player] + tricks, view.n)]
    return first_card(int(to_printed(1 << mask_cards(distinct)[int(won.argmax())], view.trump, True)))
