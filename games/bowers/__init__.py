"""Bowers (RULES chapter 5): three hands of ten, an auction for the kitty, bowers as the highest trumps.

The rules stand here once as kernels (`bidding`, `scoring`, `dealing`), for engine, simulator and solver alike;
`BowersGame` is the engine for everybody else.
"""

from towerlab.games.bowers.bidding import (
    CALLS,
    MISERE,
    MOST_TRICKS,
    OPEN,
    PASS,
    PLAYERS,
    THROWN_IN,
    WON,
    Auction,
    auction_status,
    bid_of,
    call_key,
    call_level,
    call_symbol,
    call_text,
    call_trump,
    is_legal_call,
    parse_call,
)
from towerlab.games.bowers.dealing import (
    ANY_PACK,
    HAND_SIZE,
    bid_trumps,
    buries,
    deal_pack,
    field_to_follow,
    from_bid_order,
    shuffled_pack,
    to_bid_order,
)
from towerlab.games.bowers.engine import GAME, BowersGame
from towerlab.games.bowers.options import BowersOptions, BowersRules
from towerlab.games.bowers.records import (
    DealState,
    GameState,
    Outcome,
    Phase,
    Trick,
    View,
)
from towerlab.games.bowers.scoring import (
    bid_value,
    bidder_points,
    deal_points,
    game_winner,
    is_made,
    next_dealer,
    next_factor,
    opponent_points,
)
