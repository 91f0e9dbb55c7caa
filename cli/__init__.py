"""The command `towerlab`: parses, calls analysis, prints. No logic.

Every command imports what it needs inside its body, so that `towerlab --help` answers at once.
"""

from cli import (  # noqa: F401  (each adds its commands)
    any_game,
    bowers,
    double_dummy,
    tower_war,
    towers,
    towers_and_bowers,
    towie,
)
from cli.house import main, towerlab

__all__ = ["main", "towerlab"]
