"""Towers & Bowers played by programs: players, one hand, whole matches in a kernel, and a seat in the engine."""

from sim.towers_and_bowers.match import UNITS, simulate_units
from sim.towers_and_bowers.players import PLAYERS
from sim.towers_and_bowers.seats import KernelPlayer, Player

__all__ = ["PLAYERS", "UNITS", "KernelPlayer", "Player", "simulate_units"]
