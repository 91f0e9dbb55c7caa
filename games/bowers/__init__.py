"""What are the rules of Bowers? Three hands of ten, an auction for the kitty, bowers as the highest trumps.

options   which rules can be chosen
rules     each rule of dealing, bidding and scoring as a kernel, for engine, simulator and solver alike
state     a game as one array, which kernels take from decision to decision
records   a game as frozen records
view      what one player sees
engine    `BowersGame`, the game step by step
"""

from towerlab.games.bowers.engine import BowersGame
from towerlab.games.bowers.options import BowersOptions, BowersRules
from towerlab.games.bowers.records import Phase
from towerlab.games.bowers.rules import (
    ANY_PACK,
    CALLS,
    HAND_SIZE,
    MISERE,
    MOST_TRICKS,
    OPEN,
    PASS,
    PLAYERS,
    THROWN_IN,
    WON,
    Auction,
    bid_of,
    bid_trumps,
    call_key,
    call_level,
    call_symbol,
    call_text,
    call_trump,
    deal_pack,
    deal_points,
    field_to_follow,
    from_bid_order,
    game_winner,
    is_legal_call,
    is_made,
    list_burials,
    parse_call,
    shuffled_pack,
    to_bid_order,
)
