"""Towers & Bowers played by programs: players, one hand, whole matches in a kernel, and a seat in the engine."""

from sim.towers_and_bowers.match import UNITS, simulate_units
from sim.towers_and_bowers.players import PLAYERS
from sim.towers_and_bowers.seats import KernelPlayer, Player, play_match

__all__ = ["PLAYERS", "UNITS", "KernelPlayer", "Player", "play_match", "simulate_units"]
