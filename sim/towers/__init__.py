"""Who plays Towers how, and who wins? Players, and whole games between them.

games    the players, and whole games in batches
seats    the same players in the interactive engine
"""

from towerlab.sim.towers.games import PLAYERS

__all__ = ["PLAYERS"]
