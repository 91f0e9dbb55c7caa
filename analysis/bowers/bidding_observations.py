"""What the study `bidding-accuracy` observes: first calls and what every call is worth; deals with the seats turned.

decisions   one row a player's first call in a deal in which the others before him have called as novices; each deal
            gives one, in each place equally often. Every legal call is valued as `towerlab bid` values it, except that
            everybody buries by habit: columns ``"0"`` to ``"51"`` in points, ``"k 0"`` to ``"k 51"`` in P(win) with
            the k-th of `SCORES`. The reference chooses on all layouts but an eighth and is scored on that, in turn.
duplicates  one row a deal that `pimc` and `pimc-solo`, who bids as if his bid were the last and a pass worth nothing,
            bid and play six times, one against two and two against one, each in every seat
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.bowers.score_states import win_tables
from games.arrays import Floats, Ints
from games.bowers import CALLS, HAND_SIZE, PLAYERS, Auction, BowersOptions, bid_of
from games.cards import NO_TRUMP, TRUMPS, cards_mask, mask_cards
from sim.bowers import Pimc, worth_tables
from sim.bowers.continuation import Contracts, draw_layouts, finish_auctions, spoken_calls
from sim.bowers.deciding import NOVICE
from sim.bowers.habits import novice_call
from sim.bowers.table import (
    BID,
    BIDDER,
    BURY,
    DEALER,
    DEALS,
    HANDS,
    NO_LOG,
    PASSES,
    PHASE,
    PLAY,
    POINTS,
    STANDING,
    TO_ACT,
    call,
    deal,
    new_state,
    start_game,
)
from solver.double_dummy import DoubleDummy

OPTIONS: Final = BowersOptions()
LAYOUTS: Final = 40
FOLDS: Final = 8
DECISIONS_A_CHUNK: Final = 30
DEALS_A_CHUNK: Final = 5
NEW, OLD = "pimc", "pimc-solo"
SCORES: Final = {
    "all at 20": (20, 20, 20), "you at 44": (44, 20, 20), "you at 49": (49, 20, 20),
    "left at 44": (20, 44, 20), "right at 44": (20, 20, 44),
}  # fmt: skip


def plan_decisions(parameters: Mapping[str, Any]) -> list[tuple[str, int]]:
    """What each chunk observes, decisions or duplicates, and how many."""
    sizes = {"decisions": DECISIONS_A_CHUNK, "duplicates": DEALS_A_CHUNK}
    return [
        (kind, min(size, parameters[kind] - first))
        for kind, size in sizes.items()
        for first in range(0, parameters[kind], size)
    ]


def observe_bidding(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a decision, or a deal played with the seats turned."""
    kind, number = plan_decisions(parameters)[chunk]
    if kind == "duplicates":
        rows = _duplicates(number, seed)
    else:
        rng, solver = np.random.default_rng(seed), DoubleDummy()
        rows = [_decision(rng, solver, place % PLAYERS) for place in range(number)]
    return pd.DataFrame(rows).assign(kind=kind, fitted=chunk % 2 == 0)


def _decision(rng: np.random.Generator, solver: DoubleDummy, place: int) -> dict[str, Any]:
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
    contracts = Contracts(hand, layouts, None, rules, solver)
    calls = np.array(auction.legal_calls(), dtype=np.int64)
    results = np.empty((LAYOUTS, len(calls), 2), dtype=np.int64)
    finish_auctions(contracts.hands, calls, auction.standing, bidder, auction.passes, NOVICE, rules, rng, results)
    tricks = contracts.of(results)
    values = worth_tables(OPTIONS)[results[..., 0], results[..., 1], tricks]
    row = {"place": place, "standing": auction.standing, "hand": hand, "reference": _reference(values)}
    everything = {"": values.mean(axis=0)}
    for number in range(len(SCORES)):
        wins = _wins(number, place)[results[..., 0], results[..., 1], tricks]
        everything[f"{number} "] = wins.mean(axis=0)
    for name, means in everything.items():
        worths = np.full(CALLS, np.nan)
        worths[calls] = means
        row |= {f"{name}{call}": worths[call] for call in range(CALLS)}
    bids = [(int(bid_of(1, trump)), 0) for trump in range(NO_TRUMP + 1)]
    own = contracts.of(np.broadcast_to(np.array(bids), (LAYOUTS, len(bids), 2))).mean(axis=0)
    row |= {f"tricks {TRUMPS[trump]}": float(own[trump]) for trump in range(NO_TRUMP + 1)}
    state = _table(hand, place, auction)
    row["novice"] = int(novice_call(hand, auction.standing, rules))
    for name in (NEW, OLD):
        row[name] = Pimc(OPTIONS, rng, alone=name == OLD).choose_call(state)
    return row


def _reference(values: Floats) -> float:
    """What the best call on all layouts but some scores on these, in turn; values are [layouts, calls]."""
    total, scores = values.sum(axis=0), []
    for fold in range(FOLDS):
        held_out = values[fold::FOLDS]
        scores.append(held_out[:, int((total - held_out.sum(axis=0)).argmax())].mean())
    return float(np.mean(scores))


@lru_cache(maxsize=len(SCORES) * PLAYERS)
def _wins(number: int, place: int) -> Floats:
    return win_tables(list(SCORES.values())[number], place, 1, OPTIONS)


def _table(hand: int, place: int, auction: Auction) -> Ints:
    """What a player who is to call sees."""
    state = new_state()
    state[PHASE], state[DEALS], state[TO_ACT], state[DEALER] = BID, 1, place, 2
    state[HANDS + place], state[STANDING], state[PASSES] = hand, auction.standing, auction.passes
    state[BIDDER] = -1 if auction.bidder is None else auction.bidder
    return state


def _duplicates(deals: int, seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Each deal six times: who sits alone against two of the other kind takes each seat in turn."""
    rows, counted = [], [f"{what} {name}" for what in ("contracts", "made") for name in (NEW, OLD)]
    for deal_seed in seed.spawn(deals):
        table, row = _Duplicate(deal_seed), dict.fromkeys(counted, 0.0)
        for alone, others in ((NEW, OLD), (OLD, NEW)):
            leads = []
            for seat in range(PLAYERS):
                names = [alone if other == seat else others for other in range(PLAYERS)]
                bidder, points = table.play(names)
                leads.append(points[seat] - (points.sum() - points[seat]) / 2)
                if bidder >= 0:
                    row[f"contracts {names[bidder]}"] += 1
                    row[f"made {names[bidder]}"] += points[bidder] > 0
            row[f"{alone} alone"] = float(np.mean(leads)) * (1 if alone == NEW else -1)
        rows.append(row)
    return rows


class _Duplicate:
    """One deal, bid and played by whom one likes; seat 0 speaks first.

    The two players play their cards alike and draw the same layouts for their first thoughts. So no chance but that of
    the cards comes between them: the same call is asked for once, and a contract of the same bidder is played once.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        cards, plays, *bids = seed.spawn(2 + PLAYERS)
        self._start = new_state()
        start_game(self._start, PLAYERS - 1)
        deal(self._start, np.random.default_rng(cards).permutation(mask_cards(OPTIONS.deck)), NO_LOG)
        self._lots, self._seeds = np.random.default_rng(plays), bids
        self._players = {NEW: Pimc(OPTIONS, self._lots), OLD: Pimc(OPTIONS, self._lots, alone=True)}
        self._calls: dict[tuple[Any, ...], int] = {}
        self._points: dict[tuple[int, int], Ints] = {}

    def play(self, names: Sequence[str]) -> tuple[int, Ints]:
        """The seat of the bidder, −1 if the deal is thrown in, and the points by seat; `names` are by seat, too."""
        state, rules = self._start.copy(), OPTIONS.rules()
        while state[PHASE] == BID:
            seat = int(state[TO_ACT])
            asked = (names[seat], seat, *state[[STANDING, BIDDER, PASSES]].tolist())
            if asked not in self._calls:
                player = self._players[names[seat]]
                player.random = np.random.default_rng(self._seeds[seat])
                self._calls[asked] = player.choose_call(state)
            call(state, self._calls[asked], rules, NO_LOG)
        contract = int(state[STANDING]), int(state[BIDDER])
        if contract not in self._points:
            player = self._players[NEW]
            player.random = self._lots
            while state[PHASE] in (BURY, PLAY):
                player.decide(state, NO_LOG)
            self._points[contract] = state[POINTS : POINTS + PLAYERS].copy()
        return contract[1], self._points[contract]
