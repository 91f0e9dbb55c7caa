"""Towers & Bowers: rule kernels for programs that play fast, and an interactive `Match` for everybody else."""

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
