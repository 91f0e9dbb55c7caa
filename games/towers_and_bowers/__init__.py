"""What are the rules of Towers & Bowers? As kernels for programs that play fast, and as an interactive `Match`.

options   which rules can be chosen
rules     each rule as a kernel, for engine, simulator and solver alike
records   a match as frozen records
view      what one player sees
engine    `Match`, step by step. Its actions stand in dealing, bidding, playing and claiming, over progress: how far
          the match is, how a hand and a tower end
links     a position of a hand as a short text
digest    which rules a stored file was made for
"""

from towerlab.games.towers_and_bowers.dealing import shuffled_pack
from towerlab.games.towers_and_bowers.engine import GAME, Match
from towerlab.games.towers_and_bowers.options import DEFAULT_RULES, TowersAndBowersOptions
from towerlab.games.towers_and_bowers.records import (
    Call,
    ClaimQuestion,
    Ending,
    HandState,
    Judge,
    MatchState,
    Outcome,
    Penalty,
    PendingClaim,
    Phase,
    Renege,
    Trick,
    View,
)
from towerlab.games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_DEALS,
    DEFENDER_SWEEPS,
    LARGEST_HAND,
    SMALLEST_PART,
    HandRules,
    card_led_wins,
    hand_is_over,
    hand_result,
    is_renege,
    legal_replies,
    majority,
    packet_schedules,
    result_is_settled,
    result_value,
    tricks_to_deal_next,
)
