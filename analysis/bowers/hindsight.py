"""What a deal of Bowers still yields when all three see all cards, from the first card on."""

from __future__ import annotations

import functools

from analysis.bowers.layouts import check_solvable
from analysis.table.hindsight import Hindsight, OpenCards
from games.bowers.bidding import MISERE, call_level, call_symbol
from games.bowers.dealing import bid_trumps, to_bid_order
from games.bowers.engine import BowersGame
from games.bowers.records import DealState, Phase
from games.bowers.view import followed_field
from solver.double_dummy import DoubleDummy, Position


def hindsight() -> Hindsight:
    """What each side still makes, by a solver of its own."""
    return functools.partial(open_cards, solver=DoubleDummy())


def open_cards(game: BowersGame, seat: int, solver: DoubleDummy) -> OpenCards | None:
    """What a player makes of the deal: the bidder wins it by making his bid, the other two by setting it."""
    state = game.state()
    deal = state.deal
    if deal is None or deal.bidder is None or deal.leader is None:
        return None
    is_over = deal.outcome is not None
    if not is_over and state.phase != Phase.PLAY:
        return None
    check_solvable(game.options)
    more = 0 if is_over else _tricks_to_come(deal, game, solver)
    tricks = deal.taken[deal.bidder] + more
    needed = 0 if deal.call == MISERE else int(call_level(deal.call))
    made = tricks == 0 if deal.call == MISERE else tricks >= needed
    words = f"{tricks} trick{'s' * (tricks != 1)} of the bidder"
    return OpenCards(
        f"{call_symbol(deal.call)} by player {deal.bidder + 1}", made == (seat == deal.bidder), words, is_over
    )


def _tricks_to_come(deal: DealState, game: BowersGame, solver: DoubleDummy) -> int:
    """The bidder's, the trick under way included."""
    assert deal.bidder is not None and deal.leader is not None
    names_suit = game.options.rules().names_suit
    named = 0
    if deal.plays and deal.named is not None:
        named = followed_field(deal.call, deal.plays[0], deal.named, names_suit)
    return solver.tricks(
        Position(
            hands=tuple(int(to_bid_order(hand, deal.call)) for hand in deal.hands),
            trumps=int(bid_trumps(deal.call)),
            leader=deal.leader,
            trick=tuple(int(to_bid_order(1 << card, deal.call)) for card in deal.plays),
            named=named,
            declarer=deal.bidder,
            fewest=deal.call == MISERE,
        )
    )
