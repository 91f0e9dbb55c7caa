"""Double-dummy solver for trick games of three and four hands: what best play takes when all cards are seen.

Works on play-order masks and fields only, so that trumps, bowers, no trump and the joker are all the same to it.
"""

from solver.double_dummy.position import PLAIN_FIELDS, Position, check_position
from solver.double_dummy.solver import CardValue, DoubleDummy, Solution, trick_table

__all__ = ["PLAIN_FIELDS", "CardValue", "DoubleDummy", "Position", "Solution", "check_position", "trick_table"]
