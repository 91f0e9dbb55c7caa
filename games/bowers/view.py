"""What does one player of Bowers see? Their own cards, all calls and plays, and the kitty if they took it.

>>> import numpy as np
>>> from towerlab.games.bowers.engine import BowersGame
>>> game = BowersGame()
>>> game.apply(game.chance(np.random.default_rng(7)))
>>> view = game.view(0)
>>> view.hand.bit_count(), view.kitty, view.counts
(10, 0, (10, 10, 10))
"""

from towerlab.games.bowers.options import BowersRules
from towerlab.games.bowers.records import GameState, Phase, View, as_triple
from towerlab.games.bowers.rules import MISERE, PLAYERS, from_bid_order, to_bid_order
from towerlab.games.bowers.state import BIDDER, BURIED, HANDS, KITTY, PLAYED, VOIDS


def view_of(state: GameState, player: int, to_act: int | None, legal: int, rules: BowersRules) -> View:
    """Return the view of one player.

    Args:
        to_act: the player that the game waits for.
        legal: printed mask of the cards that the player to act may play, 0 when none is due.
    """
    deal = state.deal
    if deal is None:
        return View(player, state.phase, to_act, state.scores, state.dealer, state.factor)
    took = deal.kitty if player == deal.bidder and deal.call != MISERE else 0
    buried = deal.buried if player == deal.bidder else 0
    played = int(from_bid_order(state.array[PLAYED], deal.call))
    unseen = rules.deck & ~(deal.hands[player] | buried | played)
    # Only cards that exist: a suit without its jack has a hole where the bower's printed place is.
    deck = int(to_bid_order(rules.deck, deal.call))
    voids = [int(from_bid_order(field & deck, deal.call)) for field in state.array[VOIDS : VOIDS + PLAYERS]]
    possible = [deal.hands[seat] if seat == player else unseen & ~void for seat, void in enumerate(voids)]
    return View(
        player=player,
        phase=state.phase,
        to_act=to_act,
        scores=state.scores,
        dealer=deal.dealer,
        factor=deal.factor,
        hand=deal.hands[player],
        kitty=took,
        buried=buried,
        calls=deal.auction.legal_calls() if to_act == player and state.phase == Phase.BID else (),
        legal=legal if to_act == player else 0,
        auction=deal.auction,
        bidder=deal.bidder,
        call=deal.call,
        tricks=deal.tricks,
        leader=deal.leader,
        plays=deal.plays,
        named=deal.named,
        taken=deal.taken,
        counts=as_triple([hand.bit_count() for hand in deal.hands]),
        unseen=unseen,
        possible=as_triple(possible),
        outcome=deal.outcome,
        array=_seen(state.array, player),
    )


def _seen(array: tuple[int, ...], player: int) -> tuple[int, ...]:
    """Return the array without other hands, the kitty, and what somebody else has buried."""
    hidden = {KITTY, *(HANDS + seat for seat in range(PLAYERS) if seat != player)}
    hidden |= set() if array[BIDDER] == player else {BURIED}
    return tuple(0 if place in hidden else value for place, value in enumerate(array))
