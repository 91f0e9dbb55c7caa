"""What can be asked about Towers? What a play does, and which play is best.

move        the question and its answers
simulation  who wins
studies     what wins, and what each rule changes
report      the page; present shows the answers in a terminal
"""

from towerlab.analysis.towers.move import MoveAnswer, RankedPlay, StepAnswer, move, step

__all__ = ["MoveAnswer", "RankedPlay", "StepAnswer", "move", "step"]
