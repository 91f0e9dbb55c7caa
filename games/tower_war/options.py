"""Which rules of Tower War can be chosen? The rule options, and the parameters of the dexterity model.

>>> TowerWarOptions(tie_break="tens_only").tens_only
True
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from towerlab.games.options import GameOptions, option

BASIC_STASH = (5, 5, 5)


@dataclass(frozen=True)
class TowerWarOptions(GameOptions):
    """Rule options; player one is player 0."""

    advanced: bool = option(False, "TW-6", "a third stash of pyramids is drafted with the cards")
    deck_size: int = option(15, "TW-7", "cards in a deck", low=3, high=25)
    tie_break: str = option("full", "TW-14", "ranks that decide equal values", choices=("full", "tens_only"))
    short_hand: str = option("play_short", "TW-9", "fewer than three cards to draw", choices=("play_short", "lose"))
    recall: str = option("perfect", "TW-4", "what players remember of the draft", choices=("perfect", "none"))
    max_battles: int = option(200, "TW-21", "battles after which the war is drawn", low=1, high=100_000)
    collapse: str = option("hazard", "TW-21", "whether the tower can fall", choices=("none", "hazard"))
    kappa_one: float = option(1.0, "TW-21", "hazard factor of player one's hands (0 = never)", low=0, high=1000)
    kappa_two: float = option(1.0, "TW-21", "hazard factor of player two's hands (0 = never)", low=0, high=1000)
    alpha_place: float = option(0.004, "TW-21", "hazard of placing a pyramid", low=0, high=10)
    alpha_remove: float = option(0.004, "TW-21", "hazard of removing a pyramid", low=0, high=10)
    alpha_stack: float = option(0.010, "TW-21", "hazard of stacking a card", low=0, high=10)
    alpha_adjust: float = option(0.002, "TW-20", "hazard of adjusting, for each pyramid on top", low=0, high=10)
    steady: float = option(
        1.0, "TW-20", "hazard factor of what is added after adjusting; 1: nobody adjusts", low=0, high=1
    )
    sigma_large: float = option(0.9, "TW-21", "hazard factor of large pyramids", low=0, high=100)
    sigma_medium: float = option(1.0, "TW-21", "hazard factor of medium pyramids", low=0, high=100)
    sigma_small: float = option(1.2, "TW-21", "hazard factor of small pyramids", low=0, high=100)
    beta: float = option(1.0, "TW-21", "power of the number of levels", low=0, high=10)

    @property
    def tens_only(self) -> bool:
        """True where only ten-pointers break a tie of values by rank (TW-14)."""
        return self.tie_break == "tens_only"

    def hazard(self) -> npt.NDArray[np.float64]:
        """Return the model's parameters as `games.tower_war.rules.fall_probability` takes them."""
        kappas = (0.0, 0.0) if self.collapse == "none" else (self.kappa_one, self.kappa_two)
        alphas = (self.alpha_place, self.alpha_remove, self.alpha_stack)
        sigmas = (self.sigma_large, self.sigma_medium, self.sigma_small)
        return np.array([*kappas, *alphas, *sigmas, self.beta])
