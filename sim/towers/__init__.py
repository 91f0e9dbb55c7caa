"""Towers: players and whole games between them."""

from towerlab.sim.towers.games import PLAYERS

__all__ = ["PLAYERS"]
