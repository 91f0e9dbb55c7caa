"""The study `close-calls`: which way of valuing two calls is nearest to the truth where the truth is known.

Hands of two and three cards are solved to the last card, on the path and after every departure from it, so that the
true gap between two calls is known of every hand, seat and round. Beside it stand the gaps of the model that answers
for larger hands (the bidding equilibrium with double-dummy play) and of the same calls played out, every deal counted:
the other bids as in the model, the asker's later call and discard are the model's, both play like `pimc`, who takes
all hands for alike, or like `pimc-weighted`, who reads the bids. In hands of two cards `alphamu-2` plays like the
latter; for three it is not computed. Corrections are fitted on one half of the hands and scored on the other.

Nothing is drawn but the halves. Intervals are of fresh hands: hands drawn again with replacement (bootstrap), at a
level that is shared out among the ways tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import norm
from towerlab.analysis.stats import LEVEL, bootstrap_errors
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.exploitability.strategies import whole_game
from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding, load_bidding, load_model_bidding
from towerlab.analysis.towers_and_bowers.solutions.departures import load_departures
from towerlab.analysis.towers_and_bowers.solutions.model_error import ALL, WIDEST
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import SEATS
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED, Side, Values
from towerlab.games.arrays import Floats, Ints
from towerlab.sim.towers_and_bowers.searches.averages import mean_play
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.bidding.packed import floored
from towerlab.solver.towers_and_bowers.bidding.views import dealer_views, nondealer_views
from towerlab.solver.towers_and_bowers.open_bidding import open_bidding
from towerlab.solver.towers_and_bowers.whole_hand import UP_RANKS, HandGame, Strategy
from towerlab.solver.towers_and_bowers.whole_hand.best_response import normalised
from towerlab.solver.towers_and_bowers.whole_hand.by_class import as_strategy, numbers_of
from towerlab.solver.towers_and_bowers.whole_hand.hand import (
    ACCEPT,
    ANSWER,
    DISCARD,
    FIRST_CALL,
    LAST_CALL,
    PASS,
    SECOND_CALL,
    SECOND_PASS,
    entries_of,
    state_after_discard,
)
from towerlab.solver.towers_and_bowers.whole_hand.hand_game import DEALER, NONDEALER
from towerlab.solver.towers_and_bowers.whole_hand.meetings import meet

MT: Final = 1000.0
KIND: Final = ["cards", "seat", "round"]
MODEL, PLAYED, READ = "double-dummy", "pimc", "pimc-weighted"
MEANS: Final = {
    "mean of double-dummy and pimc": (MODEL, PLAYED),
    "mean of double-dummy and pimc-weighted": (MODEL, READ),
}
FITS: Final[Mapping[str, tuple[str, ...]]] = {"shifted": (), "line": (MODEL,), "line of both": (MODEL, READ)}
WAYS: Final = (MODEL, PLAYED, READ, *MEANS, *FITS)
BANDS: Final = (0.0, 5.0, 10.0, 20.0, WIDEST)  # mt
SIGN: Final = 1.0  # mt; a true gap below it has no sign worth the name
_RESAMPLES: Final = 400


def gaps_of(cards: int, rank: int) -> pd.DataFrame:
    """A row a class, seat and round: the true gap between the model's two best calls and that of each way, mt."""
    stored, exact = load_model_bidding(cards, rank), load_bidding(cards, rank)
    assert stored is not None and exact is not None
    departures = load_departures(exact)
    assert departures is not None
    deals, game, bids = make_deals(cards, stored.up), whole_game(cards, rank), _floored_bids(stored, rank)
    every, bidding = StoredSide(stored, stored.up, deals.classes), open_bidding(cards, stored.next_deal or 0.0)
    played = {}
    for way, reads in ((PLAYED, False), (READ, True)):
        strategy = Strategy(bids, mean_play(game, rank, bids, reads))
        played[way] = [meet(game, strategy, strategy, seat).contracts for seat in (NONDEALER, DEALER)]
    rows = np.array([numbers_of(game, rank)[int(hand)] for hand in deals.classes])
    frames = []
    for seat in (DEALER, NONDEALER):
        side = Side(cards, seat == DEALER, stored.next_deal or 0.0)
        if seat == DEALER:
            model = side.weighted(dealer_views(deals.classes, stored.up, every.nondealer(), bidding), 0.0)
        else:
            model = side.weighted(nondealer_views(deals.classes, stored.up, every.dealer(), bidding), 0.0)
        calls = {
            MODEL: _calls(model),
            "truth": _calls(side.solved(exact, departures, StoredSide(exact, stored.up, deals.classes))),
        }
        for way, contracts in played.items():
            calls[way] = played_calls(game, bids, seat, rows, contracts[seat], model)
        for number in (0, 1):
            order = np.argsort(-calls[MODEL][number], axis=1, kind="stable")[:, :2] if number else [[0, 1]]
            pairs = {
                way: np.take_along_axis(of[number], np.broadcast_to(order, (len(rows), 2)), 1)
                for way, of in calls.items()
            }
            found = {way: MT * (pair[:, 0] - pair[:, 1]) for way, pair in pairs.items()}
            told = {"cards": cards, "seat": SEATS[seat == NONDEALER], "round": number + 1, "up": stored.up}
            frames.append(pd.DataFrame(told | {"hand": deals.classes, "weight": deals.weights} | found))
    return pd.concat(frames, ignore_index=True)


def _floored_bids(stored: StoredBidding, rank: int) -> Floats:
    """`Strategy.bidding` of the model, every bid made at least with its floor."""
    game, deals = whole_game(stored.cards, rank), make_deals(stored.cards, stored.up)
    bids = normalised(as_strategy(game, rank, deals, stored.strategies, np.zeros(0)).bidding, stored.cards)
    for decision in range(DISCARD):
        entries = entries_of(decision, stored.cards)
        bids[decision, :, :entries] = floored(bids[decision, :, :entries], stored.floor)
    return bids


def _calls(values: Values) -> tuple[Floats, Floats]:
    """float64[hands, calls] of both rounds: accept, pass; the suits in order of id, and a pass of the non-dealer's."""
    accepts = values.contracts[True, ACCEPTED].tower
    named = [values.contracts[True, place].tower for place in range(3)]
    first, second = values.passing
    accepts = accepts.max(1) if accepts.ndim == 2 else accepts
    return np.column_stack([accepts, first]), np.column_stack(named if second is None else [*named, second])


def played_calls(
    game: HandGame, bids: Floats, seat: int, rows: Ints, contracts: Floats, model: Values
) -> tuple[Floats, Floats]:
    """As `_calls`, of calls that are played out.

    Args:
        game, bids: which game, and how the other bids (`Strategy.bidding`).
        seat: the asker's.
        rows: int64[hands], numbers of the asker's hands.
        contracts: `Meeting.contracts` of that seat.
        model: by which the asker discards and decides what comes later.
    """
    count = int(game.sets[game.cards])
    masks, each = game.set_masks[game.cards, :count], np.arange(len(rows))
    first, answer, second, last = (bids[decision] for decision in (FIRST_CALL, ANSWER, SECOND_CALL, LAST_CALL))
    if seat == NONDEALER:
        comes = [np.ones(count), answer[:, ACCEPT], *[answer[:, PASS]] * 3, *(answer[:, PASS, None] * last[:, :3]).T]
        worth = contracts[:, rows].T
    else:
        passed = first[:, PASS]
        left = passed * second[:, SECOND_PASS]
        comes = [first[:, ACCEPT], passed, *(passed[:, None] * second[:, :3]).T, *[left] * 3]
        best = model.contracts[True, ACCEPTED].tower.argmax(1)
        states = np.array([state_after_discard(game, hand, place) for hand, place in zip(rows, best, strict=True)])
        worth = contracts[:, rows].T
        worth[:, :2] = contracts[:2, states].T
    reach = ((masks[rows, None] & masks) == 0) @ np.stack(comes, axis=1)
    won = worth + reach * (seat == DEALER)
    _, later = _calls(model)
    if seat == NONDEALER:
        leaves = won[:, 5:].sum(1)
        calls = np.column_stack([won[:, 2:5], leaves])
        passes = won[:, 1] + calls[each, later.argmax(1)]
        return np.column_stack([won[:, 0], passes]) / reach[:, :1], calls / reach[:, 2:3]
    passes = won[:, 2:5].sum(1) + won[:, 5:][each, later.argmax(1)]
    return np.column_stack([won[:, 1], passes]) / reach[:, 1:2], won[:, 5:] / reach[:, 5:]


# ------------------------------------------------------------------------------------------------------------ the study


def _chunks(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(int(cards), rank) for cards in parameters["cards"] for rank in UP_RANKS]


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One up-card; `half` says by which half of the hands a correction is fitted that is scored on the other."""
    found = gaps_of(*_chunks(parameters)[chunk])
    return found.assign(half=np.random.default_rng(seed).integers(2, size=len(found)))


def _add_ways(kind: pd.DataFrame) -> pd.DataFrame:
    """The means, and corrections by least squares whose coefficients are those of the other half."""
    made = kind.assign(
        **{name: kind[list(of)].mean(axis=1) for name, of in MEANS.items()}, **dict.fromkeys(FITS, np.nan)
    )
    for name, of in FITS.items():
        for half in (0, 1):
            fitted, scored = made[made["half"] != half], made[made["half"] == half]
            base = 0.0 if of else 1.0  # a shift is added to the model's gap
            columns = [np.column_stack([np.ones(len(part)), part[list(of)]]) for part in (fitted, scored)]
            roots = np.sqrt(fitted["weight"].to_numpy())
            target = (fitted["truth"] - base * fitted[MODEL]) * roots
            solution = np.linalg.lstsq(columns[0] * roots[:, None], target, rcond=None)[0]
            made.loc[scored.index, name] = columns[1] @ solution + base * scored[MODEL]
    return made


def _errors(hands: pd.DataFrame) -> Floats:
    """float64[ways]: root mean squares, mt."""
    squares = (hands[list(WAYS)].to_numpy() - hands[["truth"]].to_numpy()) ** 2
    found: Floats = np.sqrt(np.average(squares, axis=0, weights=hands["weight"]))
    return found


def _row(hands: pd.DataFrame, way: str, band: str) -> dict[str, Any]:
    weight, off = hands["weight"], hands[way] - hands["truth"]
    turned = (hands[way] * hands["truth"] < 0) & (hands["truth"].abs() >= SIGN)
    told = {name: hands[name].iloc[0] for name in KIND} | {"band": band, "way": way, "hands": len(hands)}
    measured = np.sqrt(np.average(off**2, weights=weight)), np.average(off, weights=weight)
    lost = np.average(turned * hands["truth"].abs(), weights=weight)
    names = "error_mt", "bias_mt", "turned", "cost_mt"
    return told | dict(zip(names, (*measured, np.average(turned, weights=weight), lost), strict=True))


def _ratios(close: pd.DataFrame, number: int) -> list[dict[str, Any]]:
    """Each way's error by the model's, mean over kinds; kinds that the model gets right are left out."""
    kinds = [kind for _, kind in close[close["round"] == number].groupby(KIND) if _errors(kind)[0] >= SIGN]
    hands = pd.concat(kinds, ignore_index=True)
    which = hands.groupby(KIND).ngroup().to_numpy()

    def logs(rows: Ints) -> Floats:
        errors = [_errors(hands.iloc[rows[which[rows] == kind]]) for kind in range(len(kinds))]
        return np.asarray(np.mean([np.log(of[1:] / of[0]) for of in errors], axis=0))

    middle = logs(np.arange(len(hands)))
    half = norm.ppf((1 + LEVEL) / 2 + (1 - LEVEL) / 2 * (1 - 1 / len(middle)))
    spread = half * bootstrap_errors(logs, len(hands), _RESAMPLES)
    ends = np.exp([middle, middle - spread, middle + spread]).T.tolist()
    told = {"round": number, "kinds": len(kinds), "hands": len(hands)}
    names = "error_ratio", "error_ratio_low", "error_ratio_high"
    return [told | {"way": way} | dict(zip(names, of, strict=True)) for way, of in zip(WAYS[1:], ends, strict=True)]


def combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """``close_calls``: errors by kind, band and way; ``ratios``: those of close calls over the model's."""
    found = pd.concat(tables, ignore_index=True)
    close = found[found[MODEL].abs() < WIDEST]
    close = pd.concat([_add_ways(kind) for _, kind in close.groupby(KIND)], ignore_index=True)
    bands = pd.cut(
        close[MODEL].abs(),
        BANDS,
        labels=[f"{low:g}-{high:g}" for low, high in itertools.pairwise(BANDS)],
        right=False,
    )
    rows = [
        _row(hands, way, str(band))
        for _, kind in close.groupby(KIND)
        for band, hands in [(ALL, kind), *kind.groupby(bands, observed=True)]
        for way in WAYS
    ]
    ratios = pd.DataFrame([row for number in (1, 2) for row in _ratios(close, number)])
    best = ratios.loc[ratios.groupby("round")["error_ratio"].idxmin()].to_dict("records")
    return StudyResult({"close_calls": pd.DataFrame(rows), "ratios": ratios}, {"nearest": best})


CLOSE_CALLS: Final = Study(
    game="towers-and-bowers",
    name="close-calls",
    help="Which way of valuing two close calls is nearest to the truth, in hands of 2 and 3 cards, where it is known.",
    parameters={"cards": [2, 3]},
    count_chunks=lambda parameters: len(_chunks(parameters)),
    run_chunk=run_chunk,
    combine=combine,
)
