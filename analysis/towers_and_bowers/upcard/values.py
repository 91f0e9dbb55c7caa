"""What the calls and contracts of many hands are worth: counts of layouts made into the asker's numbers.

One hand is a batch of one. Contracts are named by whether the asker is the bidder and by a place among
`solver.towers_and_bowers.upcard.named_suits`, `ACCEPTED` being the up-card's suit.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.towers_and_bowers.solutions.bidding import StoredBidding
from towerlab.analysis.towers_and_bowers.solutions.contracts import contract_rows, names_of, trick_shares, worth_columns
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    DIGITS,
    PASS,
    BidderContract,
    ContractValue,
    Mix,
    PassValue,
    UpcardAnswer,
    View,
    recommended,
    rounded,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import SUITS, card_text, mask_cards, suit_of, to_play_order
from towerlab.games.towers_and_bowers import tricks_to_deal_next
from towerlab.solver.towers_and_bowers.bidding.deals import make_deals
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import DealerViews, NondealerViews
from towerlab.solver.towers_and_bowers.open_bidding import OpenBidding, count_endings, value_of_endings

ACCEPTED: Final = 3
Contract = tuple[bool, int]
Counts = NDArray[Any]
_MERIT_DIGITS: Final = 10  # discards that differ by less are equal


class Numbers(NamedTuple):
    """Of a contract for the asker, arrays of one shape: the fields of `ContractValue`."""

    make: Floats
    sweep: Floats
    swept: Floats
    tricks: Floats
    tower: Floats

    def at(self, places: Ints) -> Numbers:
        """Those of one place of the last axis, a hand each."""
        return Numbers(*(np.take_along_axis(of, places[:, None], -1)[:, 0] for of in self))


@dataclass(frozen=True)
class Values:
    """Both decisions of one seat.

    Attributes:
        contracts: every contract as if reached; of a dealing asker's discards by the discard, the last axis.
        passing: float64[hands], P(win the tower) of a pass in the first and the second round, None where it cannot be.
        likelihood: float64[hands] of both rounds, how often the other's bids lead there.
        off_path: bool[hands], contracts that the other's bids lead to too seldom: all layouts count alike.
        layouts: how many hands of the other were counted for each.
    """

    contracts: Mapping[Contract, Numbers]
    passing: tuple[Floats, Floats | None]
    likelihood: tuple[Floats, Floats]
    off_path: Mapping[Contract, Bools]
    layouts: int

    def of_hand(self, row: int) -> Values:
        """A batch of one of these hands."""
        one = slice(row, row + 1)
        first, second = self.passing
        return Values(
            {contract: Numbers(*(of[one] for of in numbers)) for contract, numbers in self.contracts.items()},
            (first[one], None if second is None else second[one]),
            (self.likelihood[0][one], self.likelihood[1][one]),
            {contract: off[one] for contract, off in self.off_path.items()},
            self.layouts,
        )

    def asked(self, side: StoredSide) -> Values:
        """Values of classes (`StoredBidding.hands`) in the suits and cards of the questions they stand for.

        Stored bids are all made at least with a floor: nothing is off the path.
        """
        contracts = dict(self.contracts)
        for by in (True, False):
            places = [(by, place) for place in range(3)]
            parts = zip(*(self.contracts[contract] for contract in places), strict=True)
            suits = Numbers(*(side.suits(np.stack(part, axis=1)) for part in parts))
            for place, contract in enumerate(places):
                contracts[contract] = Numbers(*(of[:, place] for of in suits))
            if contracts[by, ACCEPTED].tower.ndim == 2:
                contracts[by, ACCEPTED] = Numbers(*map(side.discards, contracts[by, ACCEPTED]))
        return replace(self, contracts=contracts, off_path={})


def open_values(
    views: NondealerViews | DealerViews,
    bidding: OpenBidding,
    cards: int,
    next_deal: float,
    tie_to_bidder: bool = False,
    same_deal: float | None = None,
) -> Values:
    """Both see all cards from the call on, all layouts alike: the views' fields ``open_…``.

    Args:
        views, bidding: layouts counted, and the bidding with all cards seen.
        cards, next_deal, tie_to_bidder: hand size n, W(n - 1), option `tie_to`.
        same_deal: W(n) where a hand can be thrown in.
    """
    counts, dealer = _open_counts(views), isinstance(views, DealerViews)
    first = _mine(value_of_endings(views.open_passed, next_deal, same_deal), dealer)
    if isinstance(views, DealerViews):
        counts[False, ACCEPTED] = views.open_accepted
        second = None if same_deal is None else _rounded(np.full(len(first), same_deal))
    else:
        left = np.stack([count_endings(row, bidding.dealer_names) for row in views.open_fewest])
        second = _mine(value_of_endings(left, next_deal, same_deal), dealer)
    found, ones = _numbers(counts, dealer, cards, next_deal, tie_to_bidder), np.ones(len(first))
    return Values(found, (first, second), (ones, ones), {}, int(views.open_passed[0].sum()))


def weighted_values(
    views: NondealerViews | DealerViews, cards: int, next_deal: float, tie_to_bidder: bool = False
) -> Values:
    """The other bids in a known way; where that never leads all layouts count alike; arguments as `open_values`."""
    as_bidder, as_defender = payoffs(cards, next_deal, tie_to_bidder)
    counts: dict[Contract, Counts] = {}
    layouts, dealer = views.open_passed.sum(1), isinstance(views, DealerViews)
    with np.errstate(invalid="ignore"):  # where the other never passes a pass has no value
        if isinstance(views, DealerViews):
            passed = views.own[:, 0].sum(1)
            counts |= {(True, ACCEPTED): views.own, (False, ACCEPTED): views.theirs}
            mine, theirs = views.left, views.named
            later = _dot(views.named, as_bidder).sum(1) + _dot(views.left, as_defender).min(1)
            first, second = later / passed, None
        else:
            counts |= {(True, ACCEPTED): views.accepted, (False, ACCEPTED): views.answered}
            mine, theirs = views.named, views.left
            left = _dot(views.left, as_defender).sum(1)
            later = np.maximum(_dot(views.named, as_bidder).max(1), left)
            first, second = (_dot(views.answered, as_defender) + later) / layouts, left / views.left.sum((1, 2))
    counts |= {(True, place): mine[:, place] for place in range(3)}
    counts |= {(False, place): theirs[:, place] for place in range(3)}
    reach = {contract: of.sum(-1).reshape(len(layouts), -1)[:, 0] / layouts for contract, of in counts.items()}
    off_path = {contract: often <= 0.0 for contract, often in reach.items()}
    alike = _open_counts(views)
    for contract, off in off_path.items():
        shape = (-1,) + (1,) * (counts[contract].ndim - 1)
        often = counts[contract]
        counts[contract] = alike[contract] if off.all() else np.where(off.reshape(shape), alike[contract], often)
    found = _numbers(counts, dealer, cards, next_deal, tie_to_bidder)
    passing = _mine(first, dealer), None if second is None else _mine(second, dealer)
    return Values(found, passing, (reach[True, ACCEPTED], reach[True, 0]), off_path, int(layouts[0]))


def solved_values(stored: StoredBidding, side: StoredSide, dealer: bool) -> Values:
    """The solution of the whole hand, hands hidden to the end, for one seat."""
    assert stored.worth is not None and stored.tricks is not None
    cards, names = stored.cards, list(contract_rows(stored.cards))
    worth = dict(zip(worth_columns(cards), stored.worth[side.rows].T.astype(np.float64), strict=True))
    own, needed = trick_shares(stored.tricks[side.rows]), int(tricks_to_deal_next(cards, False))

    def numbers(asker_bids: bool, rows: list[str]) -> Numbers:
        shares, tower = own[:, [names.index(row) for row in rows]], np.stack([worth[row] for row in rows], axis=1)
        return _of_shares(shares, asker_bids, needed, _rounded(tower))

    found: dict[Contract, Numbers] = {}
    for bids in (True, False):
        suits = Numbers(*map(side.suits, numbers(bids, names_of(cards, dealer, bids, accepted=False))))
        found |= {(bids, place): Numbers(*(of[:, place] for of in suits)) for place in range(3)}
        accepted = numbers(bids, names_of(cards, dealer, bids, accepted=True))
        found[bids, ACCEPTED] = Numbers(*(side.discards(of) if dealer else of[:, 0] for of in accepted))
    passing = _rounded(worth["answer_pass" if dealer else "pass"]), None if dealer else _rounded(worth["name_pass"])
    likelihood, layouts = _comes(stored, side, dealer)
    return Values(found, passing, likelihood, {}, layouts)


def _comes(stored: StoredBidding, side: StoredSide, dealer: bool) -> tuple[tuple[Floats, Floats], int]:
    """How often the other's calls lead to each round, float64[hands]; how many hands the other can hold."""
    deals, asked = make_deals(stored.cards, stored.up), stored.hands[side.rows]
    every = StoredSide(stored, stored.up, deals.hands)
    way = (every.nondealer() if dealer else every.dealer()).paths()
    meets = (asked[:, None] & deals.hands) == 0
    reach = np.stack([way.first, way.second], axis=1)
    often = np.stack([others @ reach / others.sum() for others in meets])  # each alone: the same to the last bit
    return (often[:, 0] if dealer else np.ones(len(asked)), often[:, 1]), int(meets[0].sum())


def _numbers(
    counts: Mapping[Contract, Counts], dealer: bool, cards: int, next_deal: float, tie_to_bidder: bool
) -> dict[Contract, Numbers]:
    """From weights by the non-dealer's tricks, the last axis."""
    values, needed = payoffs(cards, next_deal, tie_to_bidder), int(tricks_to_deal_next(cards, tie_to_bidder))
    made = {}
    for (asker_bids, place), tricks in counts.items():
        share = tricks[..., : cards + 1] / tricks.sum(-1, keepdims=True)
        tower = _mine(_dot(share, values[asker_bids == dealer][: cards + 1]), dealer)
        made[asker_bids, place] = _of_shares(share[..., ::-1] if dealer else share, asker_bids, needed, tower)
    return made


def _of_shares(own: Floats, asker_bids: bool, needed: int, tower: Floats) -> Numbers:
    """From how likely the asker takes 0 … n tricks, the last axis."""
    bidder = own if asker_bids else own[..., ::-1]
    tricks = _dot(own, np.arange(own.shape[-1]))
    make, sweep, swept, tricks = map(_rounded, (bidder[..., needed:].sum(-1), own[..., -1], own[..., 0], tricks))
    return Numbers(make, sweep, swept, tricks, tower)


def _mine(nondealer: Floats, dealer: bool) -> Floats:
    """The asker's P(win the tower)."""
    return _rounded(1 - nondealer if dealer else nondealer)


def _open_counts(views: NondealerViews | DealerViews) -> dict[Contract, Counts]:
    """All layouts alike; of a dealing asker by the discard, whoever bids."""
    accepted = views.open_own if isinstance(views, DealerViews) else views.open_accepted
    counts: dict[Contract, Counts] = {}
    for asker_bids in (True, False):
        counts |= {(asker_bids, place): views.open_named[:, place] for place in range(3)}
        counts[asker_bids, ACCEPTED] = accepted
    return counts


def discard_order(numbers: Numbers, hands: Ints, up: int) -> Ints:
    """int64[hands, discards], places of the cards to discard, the best one first.

    Best is most P(win the tower), then most tricks, then the lowest card in play order.

    Args:
        numbers: by the discard.
        hands: int64[hands], dealt cards; one discard more is the up-card.
        up: the up-card.
    """
    count = numbers.tower.shape[1]
    moved = _play_order(suit_of(up))
    cards = np.array([[*mask_cards(int(hand)), up][:count] for hand in hands])
    merit = np.stack(
        [-moved[cards].astype(np.float64), numbers.tricks.round(_MERIT_DIGITS), numbers.tower.round(_MERIT_DIGITS)]
    )
    order: Ints = np.lexsort(merit, axis=1)[:, ::-1]
    return order


@functools.cache
def _play_order(trump: int) -> Ints:
    """int64[52], every card in play order."""
    return np.array([int(to_play_order(1 << card, trump, True)) for card in range(4 * 13)])


def actions_of(view: View, values: Values) -> dict[str, ContractValue | PassValue]:
    """The asker's calls, of a batch of one hand."""
    calls: dict[str, ContractValue | PassValue] = {}
    if view.second_round:
        calls |= {suit: contract_of(view, values, (True, place)) for suit, place in view.suits.items()}
    else:
        calls[ACCEPT] = contract_of(view, values, (True, ACCEPTED))
    passing = values.passing[view.second_round]
    return calls if passing is None else calls | {PASS: PassValue(rounded(float(passing[0])))}


def contract_of(view: View, values: Values, contract: Contract) -> ContractValue:
    """A contract's value, of a batch of one hand: with a dealer's best discard."""
    numbers, discard = values.contracts[contract], None
    if numbers.tower.ndim == 2:
        best = _order(view, numbers)[:1]
        numbers, discard = numbers.at(best), card_text([*mask_cards(view.hand), view.up][best[0]])
    make, sweep, swept, tricks, tower = (float(number[0]) for number in numbers)
    return ContractValue(make, sweep, swept, tricks, tower, discard)


def make_answer(
    view: View,
    values: Values,
    deal_value: float | None,
    method: str,
    *,
    mix: Mix | None = None,
    against: str | None = None,
    likelihood: float | None = None,
    model_error: float | None = None,
) -> UpcardAnswer:
    """The answer to a question, of a batch of one hand; for the arguments see `UpcardAnswer`."""
    actions = actions_of(view, values)
    recommend, mix = recommended(actions, mix)
    suits = ({} if view.second_round else {SUITS[suit_of(view.up)]: ACCEPTED}) | view.suits
    contracts = []
    for bidder, place in itertools.product((True, False), suits.items()):
        off = values.off_path.get((bidder, place[1]))
        value = contract_of(view, values, (bidder, place[1]))
        contracts.append(BidderContract("me" if bidder else "them", place[0], value, off is not None and bool(off[0])))
    return UpcardAnswer(
        cards=view.cards,
        seat=view.seat,
        up=view.up,
        hand=view.hand,
        second_round=view.second_round,
        layouts=values.layouts,
        deal_value=deal_value,
        actions=actions,
        contracts=tuple(contracts),
        recommend=recommend,
        method=method,
        mix=mix,
        against=against,
        likelihood=likelihood,
        model_error=model_error,
        known=view.known,
    )


def discard_values(view: View, values: Values, asker_bids: bool) -> dict[str, float]:
    """P(the dealing asker wins the tower) by the card discarded, the best one first, of a batch of one hand."""
    cards, numbers = [*mask_cards(view.hand), view.up], values.contracts[asker_bids, ACCEPTED]
    return {card_text(cards[place]): rounded(numbers.tower[0, place]) for place in _order(view, numbers).tolist()}


def _order(view: View, numbers: Numbers) -> Ints:
    """`discard_order` of one hand."""
    order: Ints = discard_order(numbers, np.array([view.hand], dtype=np.int64), view.up)[0]
    return order


def _dot(rows: Floats, values: Floats | Ints) -> Floats:
    """Sums of products over the last axis, the same to the last bit however many rows there are (`@` is not)."""
    summed: Floats = (rows * values).sum(-1)
    return summed


def _rounded(values: Floats) -> Floats:
    """As values are reported."""
    return np.asarray(np.round(values, DIGITS), dtype=np.float64)
