"""How many tricks can be claimed in Bowers? The study `claim-accuracy` asks declarers and defenders in played deals.

Example:
    towerlab study bowers claim-accuracy --set deals=2 --set chunks=1 --out folder
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from towerlab.analysis.bowers.claims import question_of, seating
from towerlab.analysis.claims.accuracy import accuracy_study
from towerlab.analysis.claims.asking import FEWEST_TRICKS, Claimant, play_game
from towerlab.analysis.player_knowledge import knowledge_from_texts
from towerlab.games.bowers import HAND_SIZE, BowersOptions
from towerlab.games.bowers.engine import BowersGame
from towerlab.games.bowers.records import DealState, View
from towerlab.games.bowers.rules import MISERE, PLAYERS, call_symbol, to_bid_order
from towerlab.games.errors import TowerlabError
from towerlab.sim.bowers.seats import SeatedPlayer

MOST_GAMES: Final = 10_000  # until one has such a deal; a misère is bid in one of some hundred
MISERE_EVERY: Final = 4  # every such deal is dealt and bid again until a player bids misère, which is rare


def positions_of_deal(
    options: BowersOptions, player: str, number: int, random: np.random.Generator
) -> Iterator[Claimant]:
    """Yield every start of a trick of a deal between three copies of a player, for the declarer and one defender.

    Args:
        options: rule options.
        player: the player in all three seats.
        number: the number of the deal; every fourth one is a misère, for the declarer alone.
        random: the generator that draws cards, plays and the defender.

    Raises:
        TowerlabError: the player makes no such bid in `MOST_GAMES` games.
    """
    decide = SeatedPlayer(player, options).choose
    for _ in range(MOST_GAMES):
        game = BowersGame(options)
        defender = int(random.integers(1, PLAYERS))
        for _ in play_game(game, decide, random):
            deal = game.state().deal
            if deal is None or deal.bidder is None:
                continue
            if (deal.call == MISERE) != (number % MISERE_EVERY == 0):
                break  # the other kind
            if deal.outcome is not None:
                return
            left = HAND_SIZE - len(deal.tricks)
            if deal.leader is not None and not deal.plays and left >= FEWEST_TRICKS:
                for role in (0,) if deal.call == MISERE else (0, defender):
                    yield position_of(deal, game.view((deal.bidder + role) % PLAYERS), options)
    bid = "misère" if number % MISERE_EVERY == 0 else "suit or no trump"
    raise TowerlabError(f"{player} bids no {bid} in {MOST_GAMES:,} games; expected a player and rules with such bids")


def position_of(deal: DealState, view: View, options: BowersOptions) -> Claimant:
    """Return a player's knowledge at the start of a trick, and the hands."""
    bidder = deal.bidder
    assert bidder is not None
    hands = tuple(int(to_bid_order(deal.hands[(bidder + step) % PLAYERS], deal.call)) for step in range(PLAYERS))
    return Claimant(call_symbol(deal.call), knowledge_from_texts(seating(options), question_of(view)), hands)


def _positions(parameters: Mapping[str, Any], number: int, random: np.random.Generator) -> Iterator[Claimant]:
    return positions_of_deal(BowersOptions(**parameters["options"]), parameters["player"], number, random)


CLAIMING: Final = accuracy_study("bowers", _positions, BowersOptions)
