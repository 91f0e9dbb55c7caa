"""Does hidden play turn a call round? What `upcard` says of two calls against what becomes of them in play.

From five cards on the answers of `upcard` take the cards to lie open once the bidding is over. Here hands are drawn
whose gap between two calls is less than `widest`. The opponent's cards are drawn with the weights that `upcard` gives
them, and both calls are followed to their contracts on the *same* deals: the opponent bids and discards by the stored
solution, the asker's later call and discard are the best of the model. The contracts are played by two of `pimc`, who
see only their own cards.

Of every deal the value with open cards is known, too, and its mean over all deals is the model's gap exactly: a control
variate that costs nothing. A hand's *played gap* is the mean of what was played, less b times (mean with open cards of
the deals drawn − the model's gap), with the b that leaves least noise in all hands of a kind (hand size, seat, round).
The model's gap has no error and the noise of the played one is known, so regressing the one on the other needs no more
than to take that noise out of what is left: what is more than noise is the model's error (variance components, by
moments). `model_error` is the root mean square of played − model's gap without noise, bias and slope included.

In hands of two to four cards the game is solved: there the played gap meets the true one, which tells how much of a
model's error the players of the study see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from towerlab.analysis.stats import bootstrap_errors, mean_interval, slope_interval
from towerlab.analysis.study import Study, StudyResult
from towerlab.analysis.towers_and_bowers.solutions.accuracy import ALL, FEWEST_CARDS, WIDEST
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, bidding_at_hand
from towerlab.analysis.towers_and_bowers.solutions.deal_value import MT, deal_value, deal_values
from towerlab.analysis.towers_and_bowers.upcard.answers import ACCEPT, PASS, SEATS, BidderView, best_action
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED, Values, actions_of, discard_values
from towerlab.analysis.towers_and_bowers.upcard.weighted import layouts_of, stored_values, way_against, weigh
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import mask_cards, parse_card, rank_of, suit_of
from towerlab.games.errors import TowerlabError
from towerlab.games.towers_and_bowers import LARGEST_HAND, TowersAndBowersOptions
from towerlab.sim.towers_and_bowers.hand import DEALER, NONDEALER, deal_hand, new_record, play_contracts
from towerlab.sim.towers_and_bowers.knowledge import NO_CARD, make_model, rules_of
from towerlab.sim.towers_and_bowers.players import PIMC
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.packed import RARE
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.upcard import named_suits
from towerlab.solver.two_hands.tablebase import load_tables, printed_tricks

KIND: Final = ["cards", "seat", "round"]
BANDS: Final = (1.0, 5.0, 10.0, 20.0, WIDEST)  # mt; a gap below the first counts as having no sign
_RESAMPLES: Final = 200
_Z: Final = 1.96
_FEWEST: Final = 20  # hands to speak of a share
_LEAST_SPREAD: Final = 1e-6  # mt squared
OPTIONS: Final = TowersAndBowersOptions(early_stop=False)  # all tricks are counted
COLUMNS: Final = (
    *("cards", "seat", "round", "hand", "up", "gap", "truth", "deals"),
    *("played", "open", "played_variance", "open_variance", "covariance"),
)


class CallPair(NamedTuple):
    """Two calls of one hand.

    Attributes:
        view, values: what the asker sees; every value is the model's, where the game is solved, too.
        way: how the other bids each layout.
        calls: accept and pass; in the second round the best call of the model and the next best.
        gap: of the model, P(win the tower) of the first less that of the second.
        truth: the gap of the game where it has been solved and comes here, else not a number.
    """

    view: BidderView
    values: Values
    way: NondealerBids | DealerBids
    calls: tuple[str, str]
    gap: float
    truth: float


def find_decision(hand: int, up: int, dealer: bool, second_round: bool) -> CallPair:
    """The two calls to be compared.

    Args:
        hand: printed mask of 2..7 cards.
        up: the up-card.
        dealer: whether the asker deals.
        second_round: whether the up-card has been turned down.
    """
    stored = bidding_at_hand(hand.bit_count(), rank_of(up))
    view = BidderView(hand, up, dealer, second_round)
    way = way_against(stored, view)
    model = weigh(view, way, deal_value(view.cards - 1))
    actions = actions_of(view, model)
    first = best_action(actions) if second_round else ACCEPT
    second = best_action({name: value for name, value in actions.items() if name != first})
    truth = np.nan
    if stored.exploitability_of == WHOLE_HAND and model.likelihood[second_round][0] > RARE:
        solved = actions_of(view, stored_values(stored, np.array([hand]), np.array([up]), dealer))
        truth = solved[first].tower - solved[second].tower
    gap = actions[first].tower - actions[second].tower
    return CallPair(view, model, way, (first, second), gap, truth)


class ReachedContracts(NamedTuple):
    """The contracts that a call has led to, a row a deal.

    Attributes:
        bidder: seats.
        suit: place among the suits that can be named, or `ACCEPTED`.
        given: place of the dealer's discard among their cards; it means nothing where a suit was named.
    """

    bidder: Ints
    suit: Ints
    given: Ints

    def unless(self, happens: Any, other: ReachedContracts) -> ReachedContracts:
        """These, or the other ones where something happens."""
        return ReachedContracts(*(np.where(happens, there, here) for here, there in zip(self, other, strict=True)))


def follow(decision: CallPair, call: str, rows: Ints, random: np.random.Generator) -> ReachedContracts:
    """The contracts that a call comes to in some layouts, the opponent's bids drawn from their mixes."""
    view, values, way = decision.view, decision.values, decision.way
    dealer, count = view.dealer, len(rows)

    def contracts(bidder: int, suit: Ints | int, given: Ints | int = -1) -> ReachedContracts:
        return ReachedContracts(
            np.full(count, bidder), np.zeros(count, np.int64) + suit, np.zeros(count, np.int64) + given
        )

    if call == ACCEPT:
        if isinstance(way, DealerBids):
            return contracts(NONDEALER, ACCEPTED, _drawn(way.discards[rows], random))
        best = parse_card(next(iter(discard_values(view, values.contracts[True]))))
        return contracts(DEALER, ACCEPTED, mask_cards(view.hand).index(best))
    later = call if view.second_round else best_action(actions_of(replace(view, second_round=True), values))
    if later == PASS:
        assert isinstance(way, DealerBids)
        ended = contracts(DEALER, _drawn(way.left[rows], random))
    else:
        ended = contracts(int(dealer), view.suits[later])
    if view.second_round:
        return ended
    if isinstance(way, NondealerBids):
        named = _drawn(way.names[rows], random)
        return ended.unless(named < ACCEPTED, contracts(NONDEALER, named))
    answered = random.random(count) < way.answers[rows]
    return ended.unless(answered, contracts(DEALER, ACCEPTED, _drawn(way.own_discards[rows], random)))


def _drawn(shares: Floats, random: np.random.Generator) -> Ints:
    """int64[rows]: a column of each row, as likely as its share."""
    bounds = np.cumsum(shares, axis=1)
    drawn: Ints = (random.random((len(shares), 1)) * bounds[:, -1:] >= bounds).sum(1)
    return drawn


class PlaySetup:
    """Where contracts are played: the players, what they believe, and the value of tricks."""

    def __init__(self) -> None:
        self._rules, self._model, self._record = rules_of(OPTIONS), make_model(OPTIONS, deal_values()), new_record()

    def values(
        self, decision: CallPair, rows: Ints, made: ReachedContracts, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """float64[rows] twice, mt for the asker: of the contracts as they are played, and with open cards."""
        view, theirs = decision.view, layouts_of(decision.view)[rows]
        mine = np.full(len(rows), view.hand)
        hands = np.stack([theirs, mine] if view.dealer else [mine, theirs], axis=1)
        accepted = made.suit == ACCEPTED
        discards = [
            mask_cards(int(hand))[place] if by else NO_CARD
            for hand, place, by in zip(hands[:, DEALER], made.given, accepted, strict=True)
        ]
        trumps = np.array([*named_suits(view.up), suit_of(view.up)])[made.suit]
        contracts = np.stack([made.bidder, trumps, discards], axis=1)
        taken = np.empty(len(rows), dtype=np.int64)
        play_contracts((PIMC, PIMC), hands, view.up, contracts, self._rules, self._model, random, self._record, taken)
        kept = [
            dealt if card == NO_CARD else (dealt | 1 << view.up) & ~(1 << card)
            for dealt, card in zip(hands[:, DEALER].tolist(), discards, strict=True)
        ]
        leads = zip(hands[:, NONDEALER].tolist(), kept, trumps.tolist(), strict=True)
        seen = [int(printed_tricks(load_tables(), *position)) for position in leads]
        worth = np.stack(payoffs(view.cards, deal_value(view.cards - 1)))  # the non-dealer's, by bidder and tricks
        played, open_cards = (MT * worth[made.bidder, tricks] for tricks in (taken, seen))
        return (MT - played, MT - open_cards) if view.dealer else (played, open_cards)


# ------------------------------------------------------------------------------------------------------------ the chunk


def _count_chunks(parameters: Mapping[str, Any]) -> int:
    """As many as were asked for.

    Raises:
        TowerlabError: a hand size of which nothing can be played out.
    """
    _sizes(parameters)
    return int(parameters["chunks"])


def _sizes(parameters: Mapping[str, Any]) -> list[int]:
    sizes = [str(size) for size in parameters["sizes"]]
    wrong = [size for size in sizes if size not in tuple("234567")]
    if wrong or not sizes:
        raise TowerlabError(f"sizes={','.join(sizes)} cannot be; expected hand sizes from 2 to {LARGEST_HAND}")
    return [int(size) for size in sizes]


def run_chunk(chunk: int, seed: np.random.SeedSequence, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a hand: the model's gap and, over its deals, mean and variance of both gaps; all in mt."""
    random, table, rows = np.random.default_rng(seed), PlaySetup(), []
    kinds = ((1, parameters["hands"]), (2, parameters["second_round_hands"]))
    for cards, seat, (turn, hands) in itertools.product(_sizes(parameters), SEATS, kinds):
        drawn = 0
        while drawn < hands:
            first, second, up = deal_hand(cards, random)
            decision = find_decision(second if seat == SEATS[0] else first, up, seat == SEATS[0], turn == 2)
            if MT * abs(decision.gap) < parameters["widest"]:
                drawn += 1
                rows.append((cards, seat, turn, *_measure(decision, table, parameters["deals"], random)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _measure(decision: CallPair, table: PlaySetup, deals: int, random: np.random.Generator) -> tuple[Any, ...]:
    """Both calls on the same deals."""
    paths = decision.way.paths()
    weights = paths.second if decision.view.second_round else paths.first
    rows = random.choice(len(weights), size=deals, p=weights / weights.sum())
    first, second = (
        np.array(table.values(decision, rows, follow(decision, call, rows, random), random)) for call in decision.calls
    )
    gaps = first - second
    (played_variance, covariance), (_, open_variance) = np.cov(gaps).tolist()
    reported = MT * decision.gap, MT * decision.truth, deals, *gaps.mean(1).tolist()
    return decision.view.hand, decision.view.up, *reported, played_variance, open_variance, covariance


# --------------------------------------------------------------------------------------------------------- the table


def _combine(tables: Iterable[pd.DataFrame], parameters: Mapping[str, Any]) -> StudyResult:
    """Table ``model_error``, which ships: a row a kind, then one each of the bands that have hands enough; ``hands``.

    `true_error` and `players_error` are reported where the game is solved: how far model and played gap are from
    the true one. `turned` is reported of `_FEWEST` hands or more whose gap has a sign.
    """
    hands = pd.concat(tables, ignore_index=True)
    kinds = [_corrected(kind) for _, kind in hands.groupby(KIND, sort=False)]
    rows = [_row(kind, ALL) for kind in kinds] + [
        _row(hands, band)
        for kind in kinds
        for band, hands in kind.groupby(_band(kind), observed=True)
        if len(hands) >= _FEWEST
    ]
    found = pd.DataFrame(rows).sort_values(KIND, kind="stable")
    return StudyResult({"model_error": found, "hands": pd.concat(kinds)}, _summary(found, parameters))


def _corrected(kind: pd.DataFrame) -> pd.DataFrame:
    """Hands of a kind with their played gap and its sampling variance, the control variate used."""
    spread = kind["open_variance"].sum()
    slope = kind["covariance"].sum() / spread if spread else 0.0
    noise = kind["played_variance"] - 2 * slope * kind["covariance"] + slope**2 * kind["open_variance"]
    played = kind["played"] - slope * (kind["open"] - kind["gap"])
    return kind.assign(played_gap=played, noise=np.maximum(noise, 0) / kind["deals"])


def _band(kind: pd.DataFrame) -> pd.Series[Any]:
    """Between which bounds a gap is, as ``"5-10"``."""
    bounds = (0.0, *BANDS)
    names = [f"{low:g}-{high:g}" for low, high in itertools.pairwise(bounds)]
    return pd.cut(kind["gap"].abs(), bounds, labels=names, right=False)


def _row(hands: pd.DataFrame, band: str) -> dict[str, Any]:
    """Return the row of the hands of a kind whose gap is in a band; in mt but for counts, slopes and shares."""
    off = hands["played_gap"] - hands["gap"]
    slopes = slope_interval(hands["gap"].to_numpy(), hands["played_gap"].to_numpy())
    row = {name: hands[name].iloc[0] for name in KIND} | {"band": band}
    row |= {"hands": len(hands), "deals": int(hands["deals"].sum())}
    square = mean_interval(off**2 - hands["noise"]).row("model_error")
    row |= {name: float(np.sqrt(max(value, 0.0))) for name, value in square.items()} | {"bias": off.mean()}
    row |= dict(zip(("slope", "slope_low", "slope_high"), slopes, strict=True)) | _turns(hands)
    wrong = {"true_error": (hands["gap"] - hands["truth"]) ** 2}
    wrong["players_error"] = (hands["played_gap"] - hands["truth"]) ** 2 - hands["noise"]
    for name, squares in wrong.items():
        row[name] = float(np.sqrt(max(squares.mean(), 0.0))) if squares.notna().all() else np.nan
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


def _turns(hands: pd.DataFrame) -> dict[str, float]:
    """Of the hands whose gap has a sign, the share where play turns it, without the noise of the played gap.

    A hand's true played gap is taken as normal round the regression line, with the spread that is left when the noise
    has been taken out.
    """
    signed = hands[hands["gap"].abs() >= BANDS[0]]
    gap, played, noise = (signed[name].to_numpy(np.float64) for name in ("gap", "played_gap", "noise"))

    def turned(rows: Ints) -> Floats:
        return np.array([_share_turned(gap[rows], played[rows], noise[rows])])

    if len(signed) < _FEWEST:
        return {"signs": len(signed)} | dict.fromkeys(("turned", "turned_low", "turned_high"), np.nan)
    share = float(turned(np.arange(len(signed)))[0])
    half = _Z * float(bootstrap_errors(turned, len(signed), _RESAMPLES)[0])
    ends = {"turned_low": max(share - half, 0.0), "turned_high": min(share + half, 1.0)}
    return {"signs": len(signed), "turned": share} | ends


def _share_turned(gap: Floats, played: Floats, noise: Floats) -> float:
    slope, middle = np.polyfit(gap, played, 1) if np.ptp(gap) > 0 else (0.0, played.mean())
    line = middle + slope * gap
    spread = np.sqrt(max(((played - line) ** 2 - noise).sum() / max(len(gap) - 2, 1), _LEAST_SPREAD))
    return float(norm.cdf(-np.sign(gap) * line / spread).mean())


def _summary(found: pd.DataFrame, parameters: Mapping[str, Any]) -> dict[str, Any]:
    whole = found[found["band"] == ALL]
    unsolved = whole[whole["cards"] >= FEWEST_CARDS]
    sizes = whole.groupby("cards")["hands"].sum()
    return {
        "hands": dict(zip(sizes.index.tolist(), sizes.tolist(), strict=True)),
        "deals_a_hand": int(parameters["deals"]),
        "model_error_mt": [
            {name: row[name] for name in (*KIND, "model_error", "model_error_low", "model_error_high")}
            for row in unsolved.to_dict("records")
        ],
    }


HIDDEN_PLAY: Final = Study(
    game="towers-and-bowers",
    name="hidden-play",
    help="Does hidden play turn a call round? The model's gap between two calls against the played one.",
    parameters={
        "sizes": [2, 3, 4, 5, 6, 7],
        "chunks": 36,
        "hands": 4,
        "second_round_hands": 2,
        "deals": 400,
        "widest": WIDEST,
    },
    count_chunks=_count_chunks,
    run_chunk=run_chunk,
    combine=_combine,
)
