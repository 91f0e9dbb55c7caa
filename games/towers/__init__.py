"""Towers: building, bridges, demolition.

`TowersGame` plays a game action by action, `Board` reads and writes boards, `resolve_play` and `resolve_raze` answer
what one play does to any board. The kernels under all of them are `games.towers.rules` (a board) and
`games.towers.state` (a game).
"""

from towerlab.games.towers.board import Board, BoardSection, parse_rank, parse_ranks, rank_text
from towerlab.games.towers.engine import TowersGame
from towerlab.games.towers.options import TowersOptions
from towerlab.games.towers.records import LogEntry, columns_of, place_of, resolve_play, resolve_raze
