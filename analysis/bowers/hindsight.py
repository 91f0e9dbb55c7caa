"""What a deal of Bowers still yields when all three see all cards, from the first card on."""

from __future__ import annotations

from towerlab.analysis.bowers.layouts import check_solvable
from towerlab.analysis.table.hindsight import OpenCards
from towerlab.games.bowers.bidding import MISERE, PLAYERS, call_symbol
from towerlab.games.bowers.dealing import bid_trumps
from towerlab.games.bowers.engine import BowersGame
from towerlab.games.bowers.records import Phase
from towerlab.games.bowers.scoring import is_made
from towerlab.games.bowers.table import BIDDER, HANDS, NAMED, ON_TABLE, STANDING, TO_ACT, TRICK
from towerlab.solver.double_dummy import Position, shared_solver


def open_cards(game: BowersGame, seat: int) -> OpenCards | None:
    """What a player makes of the deal: the bidder wins it by making the bid, the other two by setting it."""
    state = game.state()
    deal = state.deal
    if deal is None or deal.bidder is None or deal.leader is None:
        return None
    is_over = deal.outcome is not None
    if not is_over and state.phase != Phase.PLAY:
        return None
    check_solvable(game.options)
    tricks = deal.taken[deal.bidder] + (0 if is_over else _tricks_to_come(state.table))
    name, words = f"{call_symbol(deal.call)} by player {deal.bidder + 1}", f"{tricks} trick{'s' * (tricks != 1)}"
    won = bool(is_made(deal.call, tricks)) == (seat == deal.bidder)
    return OpenCards(name, won, f"{words} of the bidder", is_over)


def _tricks_to_come(table: tuple[int, ...]) -> int:
    """The bidder's, the trick under way included."""
    bid, on_table = table[STANDING], table[ON_TABLE]
    return shared_solver().tricks(
        Position(
            hands=table[HANDS : HANDS + PLAYERS],
            trumps=int(bid_trumps(bid)),
            leader=(table[TO_ACT] - on_table) % PLAYERS,
            trick=table[TRICK : TRICK + on_table],
            named=table[NAMED],
            declarer=table[BIDDER],
            fewest=bid == MISERE,
        )
    )
