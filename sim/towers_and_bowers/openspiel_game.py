"""Which classes does OpenSpiel want? The hand as `pyspiel.Game` and `pyspiel.State`, registered under the name
``python_towers_and_bowers``.

>>> NAME
'python_towers_and_bowers'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyspiel

from towerlab.games.cards import DECK_24, parse_cards
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers.rules import LARGEST_HAND
from towerlab.sim.towers_and_bowers.info_state import NO_CARD
from towerlab.sim.towers_and_bowers.openspiel import (
    ACTIONS,
    CHANCE_PLAYER,
    PACK,
    TERMINAL,
    HandObserver,
    HandPosition,
    action_text,
)

NAME: Final = "python_towers_and_bowers"
_DEFAULTS: Final[dict[str, Any]] = {"cards": 3, "up_card": "", "deal_value": 0.5}

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Towers & Bowers, one hand",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=False,
    provides_observation_tensor=False,
    provides_factored_observation_string=False,
    parameter_specification=_DEFAULTS,
)


class TowersAndBowersGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """One hand; parameters as in `sim.towers_and_bowers.openspiel.load_game`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = _DEFAULTS | dict(params or {})
        self.cards = int(chosen["cards"])
        self.deal_value = float(chosen["deal_value"])
        if not 1 <= self.cards <= LARGEST_HAND:
            raise TowerlabError(f"a hand of {self.cards} cards; expected 1..{LARGEST_HAND}")
        if not 0 <= self.deal_value <= 1:
            raise TowerlabError(f"a deal worth {self.deal_value}; expected a probability, 0..1")
        ups = parse_cards(str(chosen["up_card"]), DECK_24, "the up-card")
        if len(ups) > 1:
            raise TowerlabError(f"{len(ups)} up-cards; expected one, or none to have it dealt")
        self.up = ups[0] if ups else NO_CARD
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=len(PACK),
            num_players=2,
            min_utility=-0.5,
            max_utility=0.5,
            utility_sum=0.0,
            max_game_length=4 + 2 * self.cards,
        )
        super().__init__(_TYPE, info, chosen)

    def new_initial_state(self) -> TowersAndBowersState:
        """Before the deal."""
        return TowersAndBowersState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> HandObserver | None:
        """Return an observer of what a player knows, with perfect recall; None for observations of less, as OpenSpiel.

        Raises:
            TowerlabError: parameters; there are none.
        """
        if params:
            raise TowerlabError(f"observation parameters {params}; expected none")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=True)
        is_players = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return HandObserver(self.cards) if is_players else None


class TowersAndBowersState(pyspiel.State):  # type: ignore[misc]
    """A `HandPosition` with OpenSpiel's names."""

    def __init__(self, game: TowersAndBowersGame) -> None:
        super().__init__(game)
        self.position = HandPosition(game.cards, game.up)
        self.deal_value = game.deal_value

    def current_player(self) -> int:
        """0, 1, chance or the end."""
        player = self.position.player()
        if player == CHANCE_PLAYER:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if player == TERMINAL else player

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that can be dealt next and how likely each is."""
        return self.position.deals()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return action_text(action)

    def is_terminal(self) -> bool:
        """Return whether the hand is settled (TB-21)."""
        return self.position.player() == TERMINAL

    def returns(self) -> list[float]:
        """P(win the tower) - 1/2 of non-dealer and dealer; zeros while the hand goes on."""
        if not self.is_terminal():
            return [0.0, 0.0]
        value = self.position.nondealer_value(self.deal_value) - 0.5
        return [value, -value]

    def __str__(self) -> str:
        return str(self.position)


pyspiel.register_game(_TYPE, TowersAndBowersGame)
