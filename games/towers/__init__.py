"""What are the rules of Towers? Building, bridges, demolition.

options   which rules can be chosen
rules     what a play does to a board, as kernels
state     a game as one array, which kernels move on
board     `Board` reads and writes boards
records   a game as frozen records; `resolve_play` and `resolve_raze` say what one play does to any board
view      what one player sees
engine    `TowersGame`, the game step by step
"""

from towerlab.games.towers.board import Board, BoardSection, parse_rank, parse_ranks, rank_text
from towerlab.games.towers.engine import TowersGame
from towerlab.games.towers.options import TowersOptions
from towerlab.games.towers.records import LogEntry, columns_of, place_of, resolve_play, resolve_raze
