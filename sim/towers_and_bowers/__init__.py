"""Towers & Bowers played by programs: players, one hand, whole matches in a kernel, and a seat in the engine."""

from towerlab.sim.towers_and_bowers.match import UNITS, simulate_units
from towerlab.sim.towers_and_bowers.players.catalogue import PLAYERS
from towerlab.sim.towers_and_bowers.players.seats import KernelPlayer

__all__ = ["PLAYERS", "UNITS", "KernelPlayer", "simulate_units"]
