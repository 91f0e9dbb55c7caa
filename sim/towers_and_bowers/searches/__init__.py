"""The field's searches for hidden cards, as whole strategies of hands of one to three cards of Towers & Bowers.

open_cards  what calls and leads are worth with all cards open: the leaves of all of them
averages    PIMC, with layouts alike or weighted by the bidding
trees       a hand from the eyes of one player, for searches of some steps
fronts      αμ
is_mcts     IS-MCTS, as OpenSpiel has it
strategies  `SEARCHES` by name, each as a strategy of a whole hand
"""

from towerlab.sim.towers_and_bowers.searches.strategies import SEARCHES, Search, check_size, search_strategy

__all__ = ["SEARCHES", "Search", "check_size", "search_strategy"]
