"""What the study `bids` observes: random hands and what best play makes of them, one table a chunk.

Every row has a column `kind`; the columns of the other kinds are missing values in it.

hands   one row a hand, trump and kitty: tricks on two fresh layouts (a, b) with the kitty and a blind bury, without the
        kitty, and with the kitty when the player on the left leads
misere  one row a hand: how many layouts a misère survives, by who leads
bury    one row a hand, trump and way of burying: mean tricks on layouts that no way has seen
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.bowers.burying import CANDIDATES, COMMON_LAYOUTS, choose_bury, distinct_buries, fields_of, keep_values
from analysis.bowers.layouts import Contract, draw_hands, draw_kitties
from games.arrays import Ints
from games.bowers import HAND_SIZE, MISERE, BowersOptions, bid_of, bid_trumps
from games.cards import LEFT_BOWER, NO_TRUMP, PLAY_JOKERS, RIGHT_BOWER, TRUMPS, cards_mask, mask_cards
from solver.double_dummy import DoubleDummy

FRESH: Final = 2  # layouts a kitty
LEFT: Final = 1  # seat
SUITS_TRIED: Final = 2  # of the four, those that the quick guess likes best; and no trump
MISERE_FIRST: Final = 12  # layouts on which a misère is chosen
MISERE_FRESH: Final = 48  # layouts on which it is judged, where the first ones leave it a chance
MISERE_CHANCE: Final = 3  # of the first ones
MISERE_FAILURES: Final = 6  # failed layouts a hand whose tricks are counted
BURY_COMMON: Final = 8
BURY_FRESH: Final = 16
LOW_RANKS: Final = 8  # 7, 8, 9 are ranks 5, 6, 7


@dataclass(frozen=True)
class Part:
    """A chunk's work: so many hands of a kind, with a pack."""

    kind: str
    joker: str
    hands: int


_HANDS_PER_CHUNK: Final = {"hands": 6, "misere": 250, "bury": 4}


def plan(parameters: Mapping[str, Any]) -> list[Part]:
    """The chunks: first the pack without a joker, then smaller samples with one."""
    with_joker = parameters["joker_share"]
    wanted = [("hands", "none", parameters["hands"]), ("misere", "none", parameters["misere_hands"])]
    wanted += [("bury", "none", parameters["bury_hands"])]
    for joker in ("replace_7c", "add"):
        wanted += [(kind, joker, round(number * with_joker)) for kind, _, number in wanted[:2]]
    parts = []
    for kind, joker, number in wanted:
        size = _HANDS_PER_CHUNK[kind]
        parts += [Part(kind, joker, min(size, number - first)) for first in range(0, number, size)]
    return parts


def observe(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a chunk."""
    part = plan(parameters)[chunk]
    options = BowersOptions(joker=part.joker)
    rng = np.random.default_rng(seed)
    solver = DoubleDummy()
    rows: list[dict[str, Any]] = []
    for number in range(part.hands):
        named = {"kind": part.kind, "joker": part.joker, "hand": f"{chunk}-{number}"}
        for row in _OBSERVERS[part.kind](options, parameters, solver, rng):
            rows.append({**named, **row})
    return pd.DataFrame(rows)


def describe_hand(hand: int, trumps: int) -> dict[str, int]:
    """What a player counts in a hand.

    Args:
        hand: in play order.
        trumps: the trump field.

    Returns:
        trumps (bowers and joker included), bowers, jokers, top (ace, king, queen of trumps), aces, kings (with another
        card beside them) and voids outside trumps, longest (of the suits outside trumps).
    """
    plain = fields_of(trumps)[:-1]
    places = [field & -field for field in plain]  # the two of each suit
    held = [(hand & field).bit_count() for field in plain]
    with_bowers = trumps & RIGHT_BOWER
    return {
        "trumps": (hand & trumps).bit_count(),
        "bowers": (hand & (LEFT_BOWER | RIGHT_BOWER)).bit_count() if with_bowers else 0,
        "jokers": (hand & PLAY_JOKERS).bit_count(),
        "top": (hand >> 39 & 0b111 << 10).bit_count() if with_bowers else 0,
        "aces": sum(hand & two << 12 != 0 for two in places),
        "kings": sum(hand & two << 11 != 0 and cards > 1 for two, cards in zip(places, held, strict=True)),
        "voids": held.count(0),
        "longest": max(held),
    }


def _draw_hand(options: BowersOptions, rng: np.random.Generator) -> tuple[int, int]:
    """Ten random cards and all others."""
    hand = cards_mask(int(card) for card in rng.permutation(mask_cards(options.deck))[:HAND_SIZE])
    return hand, options.deck & ~hand


def _best_suits(hand: int, unseen: int) -> list[int]:
    """The suits that the quick guess likes best as trumps."""

    def liking(suit: int) -> float:
        contract = Contract(int(bid_of(1, suit)))
        kept = np.array([contract.order(hand)], dtype=np.int64)
        return float(keep_values(kept, contract.order(unseen), int(bid_trumps(contract.call)))[0])

    return sorted(range(NO_TRUMP), key=lambda suit: -liking(suit))[:SUITS_TRIED]


def _hand_rows(
    options: BowersOptions, parameters: Mapping[str, Any], solver: DoubleDummy, rng: np.random.Generator
) -> list[dict[str, Any]]:
    hand, unseen = _draw_hand(options, rng)
    trumps_tried = [*_best_suits(hand, unseen), NO_TRUMP]
    rows = []
    for number, kitty in enumerate(draw_kitties(unseen, options.kitty, parameters["kitties"], rng).tolist()):
        hands = draw_hands(unseen & ~kitty, COMMON_LAYOUTS + FRESH, rng)
        for trump in trumps_tried:
            row = _play_kitty(hand, kitty, unseen & ~kitty, hands, int(bid_of(1, trump)), solver)
            rows.append({"trump": TRUMPS[trump], "kitty": number, **row})
    return rows


def _play_kitty(hand: int, kitty: int, unseen: int, hands: Ints, call: int, solver: DoubleDummy) -> dict[str, Any]:
    """One trump with one kitty: a blind bury, then the tricks on the fresh layouts."""
    contract, left_leads = Contract(call), Contract(call, LEFT)
    own, held = contract.order(hand | kitty), contract.order(hand)
    layouts = contract.orders(hands)
    common, fresh = layouts[:COMMON_LAYOUTS], layouts[COMMON_LAYOUTS:]
    bury = choose_bury(own, contract.order(unseen), contract, common, solver, kitty.bit_count())
    kept = own & ~bury
    with_kitty, without = contract.tricks(solver, [kept, held], fresh)
    from_left = left_leads.tricks(solver, kept, fresh)[0]
    row: dict[str, Any] = dict(describe_hand(held, int(bid_trumps(call))))
    for place, letter in enumerate("ab"):
        row |= {
            f"tricks_{letter}": with_kitty[place],
            f"bare_{letter}": without[place],
            f"left_{letter}": from_left[place],
        }
    return row


def _misere_rows(
    options: BowersOptions, parameters: Mapping[str, Any], solver: DoubleDummy, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Layouts survived by who leads: the bidder (me), the player on the left, the one on the right."""
    hand, unseen = _draw_hand(options, rng)
    order = Contract(MISERE)
    held = order.order(hand)
    number = MISERE_FIRST + MISERE_FRESH
    hands = order.orders(draw_hands(unseen, number, rng, HAND_SIZE))
    row: dict[str, Any] = {
        "low": sum(card % 13 < LOW_RANKS for card in mask_cards(hand) if card < 52),
        "aces": sum(card % 13 == 12 for card in mask_cards(hand) if card < 52),
        "jokers": sum(card >= 52 for card in mask_cards(hand)),
    }
    first = [_survives(solver, held, hands[:MISERE_FIRST], leader) for leader in range(3)]
    fresh = [np.zeros(0, dtype=np.bool_)] * 3
    if first[0].sum() >= MISERE_CHANCE:
        fresh = [_survives(solver, held, hands[MISERE_FIRST:], leader) for leader in range(3)]
        failed = hands[MISERE_FIRST:][~fresh[0]][:MISERE_FAILURES]
        row["failed_tricks"] = float(order.tricks(solver, held, failed).mean()) if len(failed) else np.nan
    for name, one, more in zip(("me", "left", "right"), first, fresh, strict=True):
        row |= {f"first_{name}": int(one.sum()), f"fresh_{name}": int(more.sum()), "fresh": len(more)}
    return [row]


def _survives(solver: DoubleDummy, held: int, hands: Ints, leader: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether the bidder of a misère takes no trick, by layout."""
    deals = np.column_stack((np.full(len(hands), held, dtype=np.int64), hands))
    return ~solver.many_at_least(deals, 1, int(bid_trumps(MISERE)), leader, fewest=True)


def _bury_rows(
    options: BowersOptions, parameters: Mapping[str, Any], solver: DoubleDummy, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Ways of burying with one kitty, in the best suit and at no trump, all on the same fresh layouts."""
    hand, unseen = _draw_hand(options, rng)
    kitty = int(draw_kitties(unseen, options.kitty, 1, rng)[0])
    hands = draw_hands(unseen & ~kitty, BURY_COMMON + BURY_FRESH, rng)
    rows = []
    for trump in (_best_suits(hand, unseen)[0], NO_TRUMP):
        contract = Contract(int(bid_of(1, trump)))
        own, others = contract.order(hand | kitty), contract.order(unseen & ~kitty)
        layouts = contract.orders(hands)
        common, fresh = layouts[:BURY_COMMON], layouts[BURY_COMMON:]
        ways = _ways_to_bury(own, others, contract, common, solver, options.kitty)
        tricks = contract.tricks(solver, [own & ~bury for bury in ways.values()], fresh).mean(axis=1)
        for way, mean in zip(ways, tricks, strict=True):
            rows.append({"trump": TRUMPS[trump], "way": way, "mean_tricks": float(mean)})
    return rows


def _ways_to_bury(
    own: int, others: int, contract: Contract, common: Ints, solver: DoubleDummy, count: int
) -> dict[str, int]:
    trumps = int(bid_trumps(contract.call))
    everything = len(distinct_buries(own, others, trumps, count))
    few = common[:COMMON_LAYOUTS]
    return {
        "every bury tried": choose_bury(own, others, contract, common, solver, count, everything),
        "as in bid": choose_bury(own, others, contract, few, solver, count, CANDIDATES),
        "quick guess alone": choose_bury(own, others, contract, few[:0], solver, count, 1),
        "shortest side suit": _bury_by(own, trumps, count, lambda length, rank: (length, rank)),
        "lowest side cards": _bury_by(own, trumps, count, lambda length, rank: (rank, length)),
    }


def _bury_by(own: int, trumps: int, count: int, order: Callable[[int, int], tuple[int, int]]) -> int:
    """The first cards outside trumps, aces last, in an order of (length of the suit, rank); then the lowest trumps."""
    plain = fields_of(trumps)[:-1]
    keys = {}
    for card in mask_cards(own):
        field = next((field for field in plain if field >> card & 1), 0)
        rank = card % 13
        keys[card] = (not field, rank == 12, order((own & field).bit_count(), rank))
    return cards_mask(sorted(keys, key=lambda card: keys[card])[:count])


_OBSERVERS: Final = {"hands": _hand_rows, "misere": _misere_rows, "bury": _bury_rows}
