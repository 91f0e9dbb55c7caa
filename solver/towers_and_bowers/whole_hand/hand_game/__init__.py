"""One hand of Towers & Bowers as a game of hidden information.

tables  its cards, contracts and payoffs, and which histories mirror each other
places  its information sets, and where they are stored
build   makes the tables
"""

from towerlab.solver.towers_and_bowers.whole_hand.hand_game.build import (
    hand_game,
    make_game,
    mirror_sets,
    paying,
    sets_of_cards,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game.places import (
    HistoryBlock,
    decisions,
    entries_at,
    find_groups,
    led_cards,
    list_entries,
    list_sets,
    most_states,
    new_sets,
    owners,
    rank_among,
    rows_of,
    stored_block,
    who_plays,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game.tables import (
    CARDS,
    CONTRACTS,
    DEALER,
    DEALER_ACCEPTS,
    DEALER_NAMES,
    DEPTH_STARTS,
    FIRST_DIAMOND,
    FIRST_HEART,
    FIRST_SPADE,
    LARGEST_PLAYED,
    LARGEST_SOLVED,
    MIRRORED,
    NAMED_SUITS,
    NONDEALER,
    NONDEALER_ACCEPTS,
    NONDEALER_NAMES,
    OTHERS,
    REAL_SUITS,
    RENAMED_SUITS,
    TRUMPS,
    UP_CARD,
    UP_RANKS,
    UP_SUIT,
    Floats32,
    HandGame,
    PlayPlaces,
    card_numbers,
    deals,
    is_mirrored,
    is_own_image,
    nondealer_bids,
    place_of,
    trump_of,
)
