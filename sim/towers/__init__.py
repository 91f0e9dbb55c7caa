"""Towers: players and whole games between them."""

from sim.towers.games import PLAYERS

__all__ = ["PLAYERS"]
