"""What can be typed: each command parses, calls analysis, prints. No logic.

Every command imports what it needs inside its body, so that `towerlab --help` answers at once.
"""

from commands import (  # noqa: F401  (each adds its commands)
    any_game,
    bowers,
    double_dummy,
    tower_war,
    towers,
    towers_and_bowers,
    towie,
)
from commands.house import main, towerlab

__all__ = ["main", "towerlab"]
