"""Towers & Bowers: rule kernels and options."""

from games.towers_and_bowers.options import TowersAndBowersOptions
from games.towers_and_bowers.rules import (
    BIDDER_DEALS,
    BIDDER_SWEEPS,
    DEFENDER_DEALS,
    DEFENDER_SWEEPS,
    LARGEST_HAND,
    SMALLEST_PART,
    card_led_wins,
    hand_result,
    is_renege,
    legal_replies,
    majority,
    packet_schedules,
    result_is_settled,
    result_value,
    tricks_to_deal_next,
)

__all__ = [
    "BIDDER_DEALS",
    "BIDDER_SWEEPS",
    "DEFENDER_DEALS",
    "DEFENDER_SWEEPS",
    "LARGEST_HAND",
    "SMALLEST_PART",
    "TowersAndBowersOptions",
    "card_led_wins",
    "hand_result",
    "is_renege",
    "legal_replies",
    "majority",
    "packet_schedules",
    "result_is_settled",
    "result_value",
    "tricks_to_deal_next",
]
