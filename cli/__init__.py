"""The command `towerlab`: parses, calls analysis, prints. No logic.

Every command imports what it needs inside its body, so that `towerlab --help` answers at once.
"""

from cli import any_game, bowers, double_dummy, tower_war, towers, towers_and_bowers  # noqa: F401  (each adds its commands)
from cli.house import main, towerlab

__all__ = ["main", "towerlab"]
