"""How many tricks can be claimed in Towie? The study `claim-accuracy` asks declarers and defenders in played deals.

Example:
    towerlab study towie claim-accuracy --set deals=2 --set chunks=1 --out folder
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from towerlab.analysis.claims.accuracy import accuracy_study
from towerlab.analysis.claims.asking import FEWEST_TRICKS, Claimant, play_game
from towerlab.analysis.player_knowledge import knowledge_from_texts
from towerlab.analysis.towie.claims import SEATING, SEATS, question_of
from towerlab.games.cards import to_play_order
from towerlab.games.towie import TowieOptions
from towerlab.games.towie.dealing import TRICKS, hand_at
from towerlab.games.towie.engine import Towie
from towerlab.games.towie.records import DealState, View
from towerlab.sim.towie.seats import SeatedPlayer

HANDS: Final = len(SEATS)


def positions_of_deal(
    options: TowieOptions, player: str, random: np.random.Generator, *, opening: bool = False
) -> Iterator[Claimant]:
    """Yield every start of a trick of a deal once dummy is open, for the declarer and one defender.

    Args:
        options: rule options.
        player: the player in all seats.
        random: the generator that draws cards, plays and the defender.
        opening: whether to add the declarer's position right after the opening lead, in the middle of the first trick.
    """
    decide = SeatedPlayer(player, options).choose
    game = Towie(options)
    defender = int(random.choice((1, 3)))
    for _ in play_game(game, decide, random):
        deal = game.state().deal
        if deal is None or deal.contract is None:
            continue
        if deal.score is not None:
            return
        if opening and not deal.tricks and len(deal.plays) == 1:
            yield position_of(deal, game.view(deal.players[deal.contract.declarer]))
        if deal.tricks and not deal.plays and TRICKS - len(deal.tricks) >= FEWEST_TRICKS:
            for role in (0, defender):
                caller = int(hand_at(role, deal.contract.declarer))
                yield position_of(deal, game.view(deal.players[caller]))


def position_of(deal: DealState, view: View) -> Claimant:
    """Return a player's knowledge, and the hands."""
    contract = deal.contract
    assert contract is not None
    strain = contract.strain
    by_role = [int(hand_at(role, contract.declarer)) for role in range(HANDS)]
    words = str(contract) + (", after a goulash" if deal.goulashes else "")
    hands = tuple(int(to_play_order(deal.hands[place], strain, False)) for place in by_role)
    return Claimant(words, knowledge_from_texts(SEATING, question_of(view)), hands)


def _positions(parameters: Mapping[str, Any], number: int, random: np.random.Generator) -> Iterator[Claimant]:
    return positions_of_deal(TowieOptions(**parameters["options"]), parameters["player"], random)


CLAIMING: Final = accuracy_study("towie", _positions, TowieOptions)
