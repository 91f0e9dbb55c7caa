"""What is the value of each alternative when the learned policy plays it out, all alternatives on the same deals?

A deal is an opponent's hand, drawn from the range (`ranges`), and random numbers for all later decisions. All
alternatives share both. The opponent's later calls are drawn from the range, the player's own from the policy; discards
and cards are the policy's. Once no card can change the result, the rest is played with open cards.

The control variate of a deal is the result of the same contract with open cards. Its mean over the whole range is
counted, and deals are weighted so that theirs is the same. Where the range is too large to be counted and layouts were
drawn from it, their sampling error is added.

    towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer --rollouts 200
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from towerlab.analysis.decision import costs_of_differences
from towerlab.analysis.stats import LEVEL, Estimate, normal_quantile, wilson
from towerlab.analysis.towers_and_bowers.ranges import SEAT_CONTRACTS, Range
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import former_names, mask_cards, rename_card, suit_of
from towerlab.games.engine import require
from towerlab.games.errors import TowerlabError, blame
from towerlab.games.towers_and_bowers import DEFAULT_RULES, tricks_to_deal_next
from towerlab.solver.towers_and_bowers.bidding import payoffs
from towerlab.solver.towers_and_bowers.self_play import environment as env
from towerlab.solver.towers_and_bowers.self_play.network import action_probabilities
from towerlab.solver.towers_and_bowers.self_play.policies import (
    SPADE_FRAME,
    bid_contracts,
    card_numbers,
    draw_numbers,
    exact_policy_in_use,
    final_tricks,
    play_out,
    policy_in_use,
    to_frame,
)
from towerlab.solver.towers_and_bowers.upcard import TRICK_COUNTS

ROLLOUTS: Final = 2_000  # of each alternative of a question
TABLE_ROLLOUTS: Final = 200  # of a row of a table
FORCED: Final = 4  # a contract as if reached is played out on one deal in so many
MOST_ROLLOUTS: Final = 1_000_000
_AT_ONCE: Final = 16_384  # hands that are played out together
_CODES: Final = 2 * TRICK_COUNTS
_SPREAD: Final = 1e-9  # sums of squares below it are rounding
_MERIT_DIGITS: Final = 10  # means that differ by less are equal


class ResultValues:
    """The values of results to a player, by code. A code is the player's tricks, plus `TRICK_COUNTS` if the player bid.

    Args:
        cards: hand size n.
        next_deal: W(n - 1).
        dealer: whether the player deals.

    Attributes:
        tower, make, sweep, swept, tricks: float64[16], the numbers of `answers.ContractValue` by result.
    """

    def __init__(self, cards: int, next_deal: float, dealer: bool) -> None:
        tricks = np.tile(np.arange(TRICK_COUNTS), 2)
        bids = np.arange(_CODES) >= TRICK_COUNTS
        nondealers = np.clip(cards - tricks if dealer else tricks, 0, cards)
        as_bidder, as_defender = payoffs(cards, next_deal, DEFAULT_RULES)
        value = np.where(bids != dealer, as_bidder[nondealers], as_defender[nondealers])
        self.tower = 1 - value if dealer else value
        self.make = (np.where(bids, tricks, cards - tricks) >= int(tricks_to_deal_next(cards, DEFAULT_RULES))).astype(
            float
        )
        self.sweep = (tricks == cards).astype(float)
        self.swept = (tricks == 0).astype(float)
        self.tricks = tricks.astype(float)


@dataclass(frozen=True)
class PlayedOut:
    """Alternatives played out on the same deals; results are codes of `ResultValues`.

    A view may be its own mirror image (two suits can be swapped). Then an alternative has two images, itself and its
    mirror image, and its value is the mean of theirs; else one.

    Attributes:
        result_values: the values of results to the player.
        played: int[deals, alternatives, images], the results of playing out.
        opened: int[deals, alternatives, images], the results with open cards.
        shares: float64[alternatives, images, 16], the probability of each result with open cards, over the range.
        kinds: the place of the first alternative that is equal to each one.
        drawn: if the range is a sample, the results with open cards, int[layouts, alternatives, images], and the
            weights, float64[layouts]. None where the range was counted.
    """

    result_values: ResultValues
    played: Ints
    opened: Ints
    shares: Floats
    kinds: Sequence[int]
    drawn: tuple[Ints, Floats] | None = None

    def followed_by(self, other: PlayedOut, place: int) -> PlayedOut:
        """Return one of these alternatives followed by those of `other`, on the same deals of a counted range."""
        images = max(self.played.shape[2], other.played.shape[2])
        first, second = self._repeat_images(images), other._repeat_images(images)
        played = np.concatenate([first.played[:, [place]], second.played], axis=1)
        opened = np.concatenate([first.opened[:, [place]], second.opened], axis=1)
        shares = np.concatenate([first.shares[[place]], second.shares])
        kinds = [0, *(1 + kind for kind in other.kinds)]
        return PlayedOut(self.result_values, played, opened, shares, kinds)

    def _repeat_images(self, images: int) -> PlayedOut:
        """Return the playouts with `images` images each: an alternative with one image counts twice."""
        if self.played.shape[2] == images:
            return self
        played, opened = (np.repeat(codes, images, axis=2) for codes in (self.played, self.opened))
        return replace(self, played=played, opened=opened, shares=np.repeat(self.shares, images, axis=1))

    @functools.cached_property
    def _controls(self) -> Floats:
        """P(win the tower) with open cards, less its mean over the deals, float64[deals, alternatives, images]."""
        control = self.result_values.tower[self.opened]
        return np.asarray(control - control.mean(axis=0))

    @functools.cached_property
    def _excess(self) -> Floats:
        """The control's mean over these deals, less its mean over the range, float64[alternatives, images]."""
        return np.asarray(self.result_values.tower[self.opened].mean(axis=0) - self.shares @ self.result_values.tower)

    @functools.cached_property
    def _weights(self) -> Floats:
        """The weight of each deal, float64[deals, alternatives, images]: the control then has its mean over the range.

        A weighted mean is a mean corrected by its regression on the control. All numbers of an alternative have the
        same weights, so they still add up.
        """
        weights = np.maximum(1 / len(self.played) - self._by_spread(self._excess) * self._controls, 0.0)
        return np.asarray(weights / weights.sum(axis=0))

    @functools.cached_property
    def _slopes(self) -> Floats:
        """The regression of P(win the tower) on the control, float64[alternatives, images]."""
        return self._by_spread((self._controls * self.result_values.tower[self.played]).sum(axis=0))

    def _by_spread(self, sums: Floats) -> Floats:
        """Divide by the controls' sums of squares, [alternatives, images]; 0 where a control never varies."""
        return np.where(self._squares > _SPREAD, sums / np.maximum(self._squares, _SPREAD), 0.0)

    @functools.cached_property
    def _squares(self) -> Floats:
        """The controls' sums of squares, float64[alternatives, images]."""
        return np.asarray((self._controls * self._controls).sum(axis=0))

    @functools.cached_property
    def samples(self) -> Floats:
        """P(win the tower) of each result, corrected by the control, float64[deals, alternatives]."""
        corrected = self.result_values.tower[self.played] - self._slopes * (self._controls + self._excess)
        return np.asarray(corrected.mean(axis=2))

    def means(self, of: Floats) -> list[float]:
        """Return the mean of a number, such as `ResultValues.make`, for each alternative.

        Args:
            of: the number by result, float64[16].
        """
        means: list[float] = (self._weights * of[self.played]).sum(axis=0).mean(axis=1).tolist()
        return means

    @functools.cached_property
    def towers(self) -> list[float]:
        """P(win the tower) of each alternative."""
        return self.means(self.result_values.tower)

    @functools.cached_property
    def errors(self) -> list[float]:
        """The standard error of each of `towers`."""
        return [math.sqrt(square) for square in np.diag(self._covariance)]

    @functools.cached_property
    def _covariance(self) -> Floats:
        """The covariances of `towers`, float64[alternatives, alternatives]."""
        values = self.samples
        covariance = np.atleast_2d(np.cov(values, rowvar=False)) / len(values)
        if self.drawn is None:
            return covariance
        codes, weights = self.drawn
        opened = (self._slopes * self.result_values.tower[codes]).mean(axis=2)
        off = (opened - weights @ opened) * weights[:, None]
        return np.asarray(covariance + off.T @ off)

    @property
    def best(self) -> int:
        """The alternative with the highest P(win the tower); of equals the one with more tricks, then the first."""
        tricks = self.means(self.result_values.tricks)
        merits = [tuple(np.round(pair, _MERIT_DIGITS)) for pair in zip(self.towers, tricks, strict=True)]
        return max(range(len(merits)), key=merits.__getitem__)

    def error_of_lead(self, first: int, second: int) -> float:
        """Return the standard error of the difference between two of `towers`."""
        return float(self._difference_errors(0.0)[first, second])

    def costs(self, model_error: float = 0.0) -> tuple[Estimate, ...]:
        """Return the cost of each alternative against the best, with simultaneous intervals.

        Args:
            model_error: the standard error of a difference that is the policy's, not the sample's.
        """
        level = 1 - (1 - LEVEL) / max(1, len(set(self.kinds)) - 1)
        half_widths = normal_quantile(level) * self._difference_errors(model_error)
        return costs_of_differences(self.towers, half_widths, len(self.played))

    def _difference_errors(self, model_error: float) -> Floats:
        """Return the standard error of each difference between `towers`, float64[alternatives, alternatives].

        Two different alternatives may have the same result in every deal. Then a difference can have been missed: as
        often as the upper end of Wilson's interval for no success, and as large as between the best and worst result.
        """
        variances = np.diag(self._covariance)
        squares = np.maximum(variances[:, None] + variances[None, :] - 2 * self._covariance, 0.0)
        spread = float(np.ptp(self.result_values.tower[self.played]))
        missed = wilson(0, len(self.played))[1] * spread / normal_quantile(LEVEL)
        squares = np.where(squares > _SPREAD**2, squares, missed**2) + model_error**2
        kinds = np.array(self.kinds)
        return np.where(kinds[:, None] == kinds[None, :], 0.0, np.sqrt(squares))


def _with_images(codes: Ints, images: Sequence[int]) -> Ints:
    """Return the codes of each alternative and its image, int[…, alternatives, images], from int[…, alternatives]."""
    return codes[..., _image_places(images)]


def _image_places(images: Sequence[int]) -> Ints:
    """Return each alternative's own place and, where any image differs, its image's, int[alternatives, 1 or 2]."""
    own = np.arange(len(images))
    is_mirrored = (own != np.array(images)).any()
    return np.stack([own, np.array(images)], axis=1) if is_mirrored else own[:, None]


def check_rollouts(count: int) -> int:
    """Return the number of rollouts.

    Raises:
        TowerlabError: it is out of bounds.
    """
    if not 2 <= count <= MOST_ROLLOUTS:
        raise blame(TowerlabError(f"{count:,} rollouts cannot be; expected 2 to {MOST_ROLLOUTS:,}"), "rollouts")
    return count


# --------------------------------------------------------------------------------------------------------- the deals


class DrawnDeals:
    """Deals drawn from a range: a layout for each, and the random numbers of all later decisions.

    Args:
        weights: float64[layouts], how likely each layout is.
        count: the number of deals.
        seed: the seed of the layouts and of the random numbers.
    """

    def __init__(self, weights: Floats, count: int, seed: int) -> None:
        ends = np.cumsum(weights)
        random = np.random.default_rng([seed, 0])
        rows = np.searchsorted(ends, random.random(count) * ends[-1], side="right")
        self.rows = np.minimum(rows, len(ends) - 1)
        self.calls = np.random.default_rng([seed, 1]).random((count, 3))
        self.play = draw_numbers(count, np.random.default_rng([seed, 2]))

    def play_on(self, states: Sequence[env.State]) -> Ints:
        """Return the non-dealer's tricks, int64[deals, alternatives], from one batch of states for each alternative."""
        return np.stack(_play_on(states, [self.play] * len(states)), axis=1)


def _play_on(states: Sequence[env.State], draws: Sequence[Floats]) -> list[Ints]:
    """Return the non-dealer's tricks of each batch of hands; all batches are played out together."""
    every = env.State(*(np.concatenate(arrays) for arrays in zip(*states, strict=True)))
    numbers = np.concatenate(draws)
    parts = []
    for first in range(0, len(numbers), _AT_ONCE):
        some = np.arange(first, min(first + _AT_ONCE, len(numbers)))
        ended = play_out(policy_in_use(), env.rows_of(every, some), numbers[some], to_end=False)
        parts.append(final_tricks(ended))
    return np.split(np.concatenate(parts), np.cumsum([len(of) for of in draws])[:-1])


def result_codes(nondealers: Ints, cards: int, dealer: bool, bids: Bools | bool) -> Ints:
    """Return the codes of results to a player (`ResultValues`) from the non-dealer's tricks."""
    own = cards - nondealers if dealer else nondealers
    return np.asarray(own + TRICK_COUNTS * np.asarray(bids))


# ------------------------------------------------------------------------------------------------------------- cards


def play_cards(
    believed: Range,
    cards: Sequence[int],
    kinds: Sequence[int],
    tricks: Ints,
    result_values: ResultValues,
    count: int,
    seed: int,
) -> PlayedOut:
    """Return the cards that a player can play, played out; without cards, the hand as it goes on.

    Args:
        believed: the opponent's range.
        cards: ids under the standard names; none while it is the opponent's turn.
        kinds: the place of the first card that is equal to each one. Of equal cards, the one that the policy plays most
            is played out.
        tricks: int64[layouts, cards], the player's tricks of the whole hand with open cards; one column without cards.
        result_values: the values of results.
        count: number of deals.
        seed: the seed of the deals.
    """
    view = believed.view
    bids = view.bidder == view.player
    dealer = bool(believed.seat)
    deals = DrawnDeals(believed.weights, count, seed)
    before = env.rows_of(require(believed.state), deals.rows)
    if cards:
        mix = policy_mix(believed)
        different = sorted(set(kinds))
        likeliest = [
            max((card for card, of in zip(cards, kinds, strict=True) if of == kind), key=mix.__getitem__)
            for kind in different
        ]
        numbers = card_numbers(np.array([1 << card for card in likeliest]), SPADE_FRAME.index(view.trump))
        states = [env.step(before, np.full(count, number)) for number in numbers]
        played = deals.play_on(states)[:, [different.index(kind) for kind in kinds]]
        images = [list(cards).index(card) for card in _mirror_cards(believed, cards)]
    else:
        played = deals.play_on([before])
        images = [0]
    codes = _with_images(tricks + TRICK_COUNTS * bids, images)
    results = _with_images(result_codes(played, view.n, dealer, bids), images)
    equal = [min(kind, kinds[image]) for kind, image in zip(kinds, images, strict=True)] if cards else [0]
    drawn = (codes, believed.weights) if believed.is_drawn else None
    return PlayedOut(result_values, results, codes[deals.rows], _result_shares(believed.weights, codes), equal, drawn)


def policy_mix(believed: Range) -> dict[int, float]:
    """Return the probability that the policy plays each card (id under the standard names); empty out of turn."""
    view = believed.view
    first = env.rows_of(require(believed.state), np.array([0]))
    if first.turn[0] != believed.seat:
        return {}
    cards = mask_cards(view.hand)
    numbers = card_numbers(np.array([1 << card for card in cards]), SPADE_FRAME.index(view.trump))
    shares = action_probabilities(exact_policy_in_use(), first)[0, numbers]
    possible = env.legal(first)[0, numbers]
    return {card: float(share) for card, share, may in zip(cards, shares, possible, strict=True) if may}


# ---------------------------------------------------------------------------------------------------------- discards


def play_discards(
    believed: Range, dealer_bids: bool, result_values: ResultValues, count: int, seed: int
) -> tuple[list[int], PlayedOut]:
    """Play out every discard of a dealer.

    Args:
        believed: the range of a dealer who is to call, weighted by the calls that led to the contract.
        dealer_bids: whether the dealer has accepted the up-card; else the non-dealer has.
        result_values: the values of results.
        count: number of deals.
        seed: the seed of the deals.

    Returns:
        The cards (ids under the standard names), and what came of each.
    """
    view = believed.view
    cards = mask_cards(view.hand)
    tricks = require(believed.opened)[:, 3:]
    kinds = _find_equal_cards(view.hand, tricks)
    deals = DrawnDeals(believed.weights, count, seed)
    contract = SEAT_CONTRACTS * dealer_bids
    state = _states_after_calls(believed, believed.hands[deals.rows], np.full(count, contract))
    numbers = card_numbers(np.array([1 << card for card in cards]), 0)
    different = sorted(set(kinds))
    states = [env.step(state, np.full(count, numbers[place])) for place in different]
    columns = [different.index(kind) for kind in kinds]
    played = deals.play_on(states)[:, columns]
    codes = result_codes(tricks, view.n, True, dealer_bids)
    images = [cards.index(card) for card in _mirror_cards(believed, cards)]
    codes = _with_images(codes, images)
    results = _with_images(result_codes(played, view.n, True, dealer_bids), images)
    kinds = [min(kind, kinds[image]) for kind, image in zip(kinds, images, strict=True)]
    return cards, PlayedOut(result_values, results, codes[deals.rows], _result_shares(believed.weights, codes), kinds)


def discard_mix(believed: Range, dealer_bids: bool) -> dict[int, float]:
    """Return the probability that the policy discards each card (id under the standard names); see `play_discards`."""
    cards = mask_cards(believed.view.hand)
    state = _states_after_calls(believed, believed.hands[:1], np.array([SEAT_CONTRACTS * dealer_bids]))
    shares = action_probabilities(exact_policy_in_use(), state)[0]
    return dict(zip(cards, shares[card_numbers(np.array([1 << card for card in cards]), 0)].tolist(), strict=True))


def _mirror_cards(believed: Range, cards: Sequence[int]) -> list[int]:
    """Return the mirror images of cards, under the standard names; the same cards where the view has no image."""
    back = former_names(believed.names[0])
    return [rename_card(rename_card(card, back), believed.names[-1]) for card in cards]


def _find_equal_cards(hand: int, tricks: Ints) -> list[int]:
    """Return for each card of a hand the first one equal to it: neighbours that take the same tricks in all layouts."""
    cards = mask_cards(hand)
    kinds = list(range(len(cards)))
    for place in range(1, len(cards)):
        if suit_of(cards[place]) == suit_of(cards[place - 1]) and (tricks[:, place] == tricks[:, place - 1]).all():
            kinds[place] = kinds[place - 1]
    return kinds


def _result_shares(weights: Floats, codes: Ints) -> Floats:
    """Return the probability of each code of int[layouts, alternatives, images], float64[alternatives, images, 16]."""
    columns = codes.reshape(len(codes), -1).T
    shares = np.stack([np.bincount(column, weights, _CODES) for column in columns])
    return np.asarray(shares.reshape(*codes.shape[1:], _CODES))


# ------------------------------------------------------------------------------------------------------------- calls


def _states_after_calls(believed: Range, others: Ints, contract: Ints) -> env.State:
    """Return a player's hand and the opponent's hands, int64[hands], after the calls that lead to each contract."""
    view = believed.view
    frame = to_frame(others)
    own = np.full_like(frame, to_frame(np.array([view.hand]))[0])
    pair = np.stack([frame, own] if believed.seat else [own, frame], axis=1)
    return bid_contracts(view.n, pair, int(to_frame(np.array([1 << view.up]))[0]), contract)


@dataclass(frozen=True)
class CallsToPlay:
    """Calls that are played out.

    Attributes:
        believed: the range of a player who is to call, or the range after the calls to a contract. The policy chooses a
            dealer's discard; `play_discards` plays every discard out.
        contracts: the contract of each call, 0 to 7; None for a pass, after which the bidding goes on.
        count: number of deals.
        own: float64[5], how the player calls after a pass (`ranges.CallModel`).
    """

    believed: Range
    contracts: Sequence[int | None]
    count: int
    own: Floats | None = None


def play_calls(every: Sequence[CallsToPlay], result_values: ResultValues, seed: int) -> list[PlayedOut]:
    """Play several sets of calls out; the calls of a set share their deals.

    Args:
        every: the sets, all of one player.
        result_values: the values of results.
        seed: the seed of the deals.
    """
    prepared = [_prepare(calls, DrawnDeals(calls.believed.weights, calls.count, seed)) for calls in every]
    hands = [calls.believed.hands[calls.deals.rows] for calls in prepared for _ in calls.images]
    reached = [calls.reached.T.ravel() for calls in prepared]
    state = _states_after_calls(every[0].believed, np.concatenate(hands), np.concatenate(reached))
    draws = [calls.deals.play for calls in prepared for _ in calls.images]
    tricks = iter(_play_on([state], draws))
    results = []
    for calls in prepared:
        view = calls.believed.view
        codes = result_codes(np.stack([next(tricks) for _ in calls.images], axis=1), view.n, calls.dealer, calls.bids)
        results.append(
            PlayedOut(
                result_values,
                _with_images(codes, calls.images),
                _with_images(calls.opened, calls.images),
                np.asarray(calls.shares[_image_places(calls.images)]),
                [min(place, image) for place, image in enumerate(calls.images)],
            )
        )
    return results


class _Prepared(NamedTuple):
    """Calls before they are played out.

    Attributes:
        reached: int[deals, calls], the contract that each call leads to.
        opened: int[deals, calls], the results with open cards, as codes.
        shares: float64[calls, 16], the probability of each code over the range.
        bids: bool[deals, calls], whether the player is the bidder.
        images: the mirror image of each call.
    """

    believed: Range
    deals: DrawnDeals
    reached: Ints
    opened: Ints
    shares: Floats
    bids: Bools
    images: list[int]

    @property
    def dealer(self) -> bool:
        return bool(self.believed.seat)


def _prepare(calls: CallsToPlay, deals: DrawnDeals) -> _Prepared:
    believed = calls.believed
    dealer = bool(believed.seat)
    assert believed.opened is not None
    accepted = believed.opened[:, 3:]
    if dealer:  # the policy's usual discard; for a dealing opponent, the best one
        mixes = [list(discard_mix(believed, by).values()) for by in (False, True)]
        accepted = accepted[:, [int(np.argmax(mix)) for mix in mixes]]
    named = believed.opened[:, :3]
    bids = np.arange(2 * SEAT_CONTRACTS) // SEAT_CONTRACTS == believed.seat
    by_contract = np.concatenate([accepted[:, :1], named, accepted[:, -1:], named], axis=1)
    codes = result_codes(by_contract, believed.view.n, dealer, bids)
    reached = []
    shares: list[Floats] = []
    for contract in calls.contracts:
        if contract is None:
            assert calls.own is not None
            weights = believed.weights[:, None] * _contracts_after_pass(believed, calls.own)
            reached.append(_draw_contracts(believed, calls.own, deals))
            likely = np.bincount(codes.ravel(), weights.ravel(), _CODES)
        else:
            reached.append(np.full(calls.count, contract))
            likely = np.bincount(codes[:, contract], believed.weights, _CODES)
        shares.append(np.asarray(likely, dtype=np.float64))
    mirrored = [_mirror_contract(believed, contract) for contract in calls.contracts]
    images = [calls.contracts.index(of) if of in calls.contracts else place for place, of in enumerate(mirrored)]
    chosen = np.stack(reached, axis=1)
    opened = codes[deals.rows[:, None], chosen]
    return _Prepared(believed, deals, chosen, opened, np.stack(shares), bids[chosen], images)


def _mirror_contract(believed: Range, contract: int | None) -> int | None:
    """Return the mirror image of a contract; the same contract where the view has no image."""
    if contract is None or len(believed.names) < 2 or contract & 3 < 2:
        return contract
    return contract ^ 1


def _contracts_after_pass(believed: Range, own: Floats) -> Floats:
    """Return the probability of each contract once the player has passed, float64[layouts, 8]."""
    likely = np.zeros((len(believed.hands), 2 * SEAT_CONTRACTS))
    accepts, first, second, third, passes = require(believed.calls).T
    names = np.stack([first, second, third], axis=1)
    is_first = len(believed.view.calls) < 2
    if believed.seat == 0:
        left = np.ones(len(accepts))
        own_names = own[1:4] * is_first
        if is_first:
            likely[:, SEAT_CONTRACTS] = accepts
            left = 1 - accepts
        likely[:, 1:SEAT_CONTRACTS] = left[:, None] * own_names
        left = left * (1 - own_names.sum())
        likely[:, SEAT_CONTRACTS + 1 :] = left[:, None] * names
        return likely
    likely[:, 1:SEAT_CONTRACTS] = names
    likely[:, SEAT_CONTRACTS + 1 :] = passes[:, None] * own[1:4]
    return likely


def _draw_contracts(believed: Range, own: Floats, deals: DrawnDeals) -> Ints:
    """Return the contract of each deal once the player has passed, drawn by its random numbers, int[deals]."""
    calls = require(believed.calls)[deals.rows]
    first, second, third = deals.calls.T
    own_call = np.searchsorted(np.cumsum(own[1:5]), second, side="right")  # 0 to 2 the suits, 3 a pass
    if believed.seat == 0:
        names = 1 + (np.cumsum(calls[:, 1:3], axis=1) <= third[:, None]).sum(axis=1)
        others = SEAT_CONTRACTS + names
        if len(believed.view.calls) >= 2:
            return np.asarray(others)
        later = np.where(own_call < 3, 1 + own_call, others)
        return np.asarray(np.where(first < calls[:, 0], SEAT_CONTRACTS, later))
    names = 1 + (np.cumsum(calls[:, 1:4], axis=1) <= first[:, None]).sum(axis=1)
    own_name = SEAT_CONTRACTS + 1 + np.minimum(own_call, 2)
    return np.asarray(np.where(names <= 3, names, own_name))
