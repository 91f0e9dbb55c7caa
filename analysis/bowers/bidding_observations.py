"""What the study `bidding-accuracy` observes: one row a player's first call and what every call is worth.

The others before the player have called as novices; each deal gives one decision, in each place equally often. Every
legal call is valued as `towerlab bid` values it, in points, except that everybody buries by habit: columns ``"0"`` to
``"51"``. The reference chooses on all layouts but an eighth and is scored on that, in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from towerlab.games.arrays import Floats, Ints
from towerlab.games.bowers import CALLS, HAND_SIZE, PLAYERS, Auction, BowersOptions, bid_of
from towerlab.games.bowers.table import (
    BID,
    BIDDER,
    DEALER,
    DEALS,
    HANDS,
    PASSES,
    PHASE,
    STANDING,
    TO_ACT,
    new_state,
)
from towerlab.games.cards import NO_TRUMP, TRUMPS, cards_mask, mask_cards
from towerlab.sim.bowers import Pimc, worth_tables
from towerlab.sim.bowers.continuation import Contracts, draw_layouts, finish_auctions, spoken_calls
from towerlab.sim.bowers.deciding import NOVICE
from towerlab.sim.bowers.habits import novice_call

OPTIONS: Final = BowersOptions()
LAYOUTS: Final = 40
FOLDS: Final = 8
DECISIONS_A_CHUNK: Final = 30


def chunk_sizes(parameters: Mapping[str, Any]) -> list[int]:
    """How many decisions each chunk observes."""
    number = int(parameters["decisions"])
    return [min(DECISIONS_A_CHUNK, number - first) for first in range(0, number, DECISIONS_A_CHUNK)]


def observe_bidding(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a decision."""
    rng = np.random.default_rng(seed)
    rows = [_decision(rng, place % PLAYERS) for place in range(chunk_sizes(parameters)[chunk])]
    return pd.DataFrame(rows)


def _decision(rng: np.random.Generator, place: int) -> dict[str, Any]:
    """What a player's first call is worth, call by call, and what the players call."""
    rules = OPTIONS.rules()
    cards = [int(card) for card in rng.permutation(mask_cards(OPTIONS.deck))]
    hands = [cards_mask(cards[HAND_SIZE * seat : HAND_SIZE * (seat + 1)]) for seat in range(PLAYERS)]
    auction = Auction()
    for seat in range(place):
        auction = auction.after(int(novice_call(hands[seat], auction.standing, rules)))
    hand, bidder = hands[place], -1 if auction.bidder is None else (auction.bidder - place) % PLAYERS
    spoken = spoken_calls(auction.calls)
    layouts = draw_layouts(OPTIONS.deck & ~hand, HAND_SIZE, spoken, NOVICE, rules, LAYOUTS, rng)
    contracts = Contracts(hand, layouts, None, rules)
    calls = np.array(auction.legal_calls(), dtype=np.int64)
    results = np.empty((LAYOUTS, len(calls), 2), dtype=np.int64)
    finish_auctions(contracts.hands, calls, auction.standing, bidder, auction.passes, NOVICE, rules, rng, results)
    tricks = contracts.of(results)
    values = worth_tables(OPTIONS)[results[..., 0], results[..., 1], tricks]
    row = {"place": place, "standing": auction.standing, "hand": hand, "reference": _reference(values)}
    worths = np.full(CALLS, np.nan)
    worths[calls] = values.mean(axis=0)
    row |= {str(call): worths[call] for call in range(CALLS)}
    bids = [(int(bid_of(1, trump)), 0) for trump in range(NO_TRUMP)]
    own = contracts.of(np.broadcast_to(np.array(bids), (LAYOUTS, len(bids), 2))).mean(axis=0)
    row |= {f"tricks {TRUMPS[trump]}": float(own[trump]) for trump in range(NO_TRUMP)}
    state = _table(hand, place, auction)
    row["novice"] = int(novice_call(hand, auction.standing, rules))
    row["pimc"] = Pimc(OPTIONS, rng).choose_call(state)
    return row


def _reference(values: Floats) -> float:
    """What the best call on all layouts but some scores on these, in turn; values are [layouts, calls]."""
    total, scores = values.sum(axis=0), []
    for fold in range(FOLDS):
        held_out = values[fold::FOLDS]
        scores.append(held_out[:, int((total - held_out.sum(axis=0)).argmax())].mean())
    return float(np.mean(scores))


def _table(hand: int, place: int, auction: Auction) -> Ints:
    """What a player who is to call sees."""
    state = new_state()
    state[PHASE], state[DEALS], state[TO_ACT], state[DEALER] = BID, 1, place, 2
    state[HANDS + place], state[STANDING], state[PASSES] = hand, auction.standing, auction.passes
    state[BIDDER] = -1 if auction.bidder is None else auction.bidder
    return state
