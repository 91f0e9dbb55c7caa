"""What a deal of Towie still yields when all cards are seen, from the opening lead on."""

from __future__ import annotations

from towerlab.analysis.table.hindsight import OpenCards
from towerlab.games.cards import to_play_order, trump_field
from towerlab.games.towie.auction import strain_of
from towerlab.games.towie.engine import Towie
from towerlab.games.towie.play import hand_at
from towerlab.games.towie.records import DealState
from towerlab.games.towie.scoring import tricks_needed
from towerlab.solver.double_dummy import Position, shared_solver


def open_cards(game: Towie, seat: int) -> OpenCards | None:
    """What a player makes of the deal: the declarer wins it by making the contract, everybody else by setting it."""
    deal = game.state().deal
    if deal is None or deal.contract is None or seat not in deal.players:
        return None
    declarer = deal.players[deal.contract.declarer]
    more = 0 if deal.score is not None else _tricks_to_come(deal)
    tricks = deal.declarer_tricks + more
    made = tricks >= int(tricks_needed(deal.contract.bid))
    words = f"{tricks} trick{'s' * (tricks != 1)} of the declarer"
    name = f"{deal.contract} by player {declarer + 1}"
    return OpenCards(name, made == (seat == declarer), words, deal.score is not None)


def _tricks_to_come(deal: DealState) -> int:
    """Declarer's and dummy's, the trick under way included."""
    assert deal.contract is not None
    strain = int(strain_of(deal.contract.bid))
    hands = [deal.hands[int(hand_at(position, deal.contract.declarer))] for position in range(4)]
    return shared_solver().tricks(
        Position(
            hands=tuple(int(to_play_order(hand, strain, False)) for hand in hands),
            trumps=int(trump_field(strain)),
            leader=deal.leader,
            trick=tuple(int(to_play_order(1 << card, strain, False)) for card in deal.table),
        )
    )
