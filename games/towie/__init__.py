"""What are the rules of Towie? Bridge for three of three or more players, with a dummy that is bid for.

options   which rules can be chosen
auction   calls and contracts, as kernels
dealing   the deal, exposed cards, goulash, and the play, as kernels
scoring   of a deal; totals, settlement, end of the game; retiring and entering
records   a game as frozen records, and in the form of bridge programs
view      what one player sees
engine    `Towie`, the game step by step, over the same kernels
"""

from towerlab.games.towie.engine import Towie
from towerlab.games.towie.options import TowieOptions
from towerlab.games.towie.records import Phase, deal_to_pbn
