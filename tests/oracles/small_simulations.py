"""Simulations of Towers & Bowers, small."""

from __future__ import annotations

from typing import Any

from towerlab.analysis.catalog import find_game
from towerlab.analysis.simulation import SimulationResult, simulate

GAME = find_game("towers-and-bowers")


def play(*players: str, games: int = 200, **keywords: Any) -> SimulationResult:
    return simulate(GAME, players, games, **({"jobs": 1, "quiet": True} | keywords))
