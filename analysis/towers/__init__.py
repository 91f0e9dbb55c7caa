"""Questions about Towers: the effect of a play, the best play; simulation, studies and the report."""

from towerlab.analysis.towers.move import MoveAnswer, RankedPlay, StepAnswer, move, step

__all__ = ["MoveAnswer", "RankedPlay", "StepAnswer", "move", "step"]
