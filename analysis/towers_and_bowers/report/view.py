"""Shared by the pages of Towers & Bowers: names of seats, shades."""

from __future__ import annotations

from typing import Final

from towerlab.analysis.decision import CHANCES

SEAT_NAMES: Final = {"nondealer": "non-dealer", "dealer": "dealer"}
SHADES: Final = CHANCES.bands  # mt at which the four strengths of colour begin
CHARTED: Final = (2, 4, 6)  # cards; with an odd number everybody accepts
SIZES: Final = {1: "one card", 2: "two cards", 3: "three cards", 4: "four cards", 5: "five cards", 6: "six cards",
                7: "seven cards"}  # fmt: skip
