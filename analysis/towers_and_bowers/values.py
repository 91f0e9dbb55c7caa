"""What is the value of each call and contract with the hands of one seat, by counting layouts or by the solution?

Hands come in batches; a single hand is a batch of one. A contract is whether the player is the bidder, and a place
among `solver.towers_and_bowers.upcard.named_suits`, or `ACCEPTED` for the up-card.

``--method equilibrium`` answers hands of one to four cards from the solution of the whole hand, cards hidden to the
end: every number is the game's own, up to the gain that an answer states
(`analysis.towers_and_bowers.stored_bidding`). In the solution every call has at least a small probability with any
hand, so it answers after any calls.

>>> from towerlab.games.cards import parse_mask
>>> view = calling_view(parse_mask("JS AS"), parse_card("QS"), dealer=True)
>>> [answer.recommend for answer in answer_solved([view])], evaluate_view(view, TowersAndBowersOptions()).layouts
(['accept'], 210)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from towerlab.analysis.towers_and_bowers.answers import (
    ACCEPT,
    DIGITS,
    EQUILIBRIUM,
    PASS,
    BidderContract,
    ContractValue,
    DiscardAnswer,
    Mix,
    PassValue,
    UpcardAnswer,
    known_cards,
    recommend_call,
    round_value,
    seat_of,
    suits_to_name,
)
from towerlab.analysis.towers_and_bowers.deal_value import Accuracy, accuracy_of, deal_value, deal_values
from towerlab.analysis.towers_and_bowers.position import calling_view
from towerlab.analysis.towers_and_bowers.stored_bidding import (
    WHOLE_HAND,
    HandMixes,
    RenamedHands,
    StoredBidding,
    StoredSide,
    all_value_columns,
    bidding_at_hand,
    contract_names,
    contract_rows,
    hand_mixes,
    load_bidding,
    match_values,
    unpack_tricks,
)
from towerlab.games.arrays import Bools, Floats, Ints
from towerlab.games.cards import SUITS, card_text, mask_cards, parse_card, rank_of, suit_of, to_play_order
from towerlab.games.towers_and_bowers import DEFAULT_RULES, HandRules, TowersAndBowersOptions, View, tricks_to_deal_next
from towerlab.solver.towers_and_bowers.bidding import DealerBids, NondealerBids, make_deals, payoffs
from towerlab.solver.towers_and_bowers.layout_counts import (
    DealerViews,
    NondealerViews,
    dealer_views,
    layout_hands,
    nondealer_views,
)
from towerlab.solver.towers_and_bowers.upcard import OpenBidding, count_endings, open_bidding, value_of_endings

ACCEPTED: Final = 3  # the first column of the accepted up-card, after those of the suits that can be named
_MERIT_DIGITS: Final = 10  # discards that differ by less are equal


class ContractNumbers(NamedTuple):
    """The fields of `ContractValue` as arrays of one shape, with an entry for each contract."""

    make: Floats
    sweep: Floats
    swept: Floats
    tricks: Floats
    tower: Floats

    def select_column(self, places: Ints) -> ContractNumbers:
        """Return the numbers of one column of each hand."""
        return ContractNumbers(*(np.take_along_axis(of, places[:, None], -1)[:, 0] for of in self))


@dataclass(frozen=True)
class SeatValues:
    """The values of both decisions of one seat, a row for each hand.

    Attributes:
        contracts: the values of contracts if they are reached, by whether the player is the bidder; shape
            [hands, 3 + k]: the suits named, then the accepted up-card (for a dealer a column for each discard).
        passing: float64[hands] for each round, P(win the tower) after a pass; None where no pass is allowed.
        likelihood: float64[hands] for each round, the probability of the opponent's calls that lead there.
        off_path: bool[hands, 3 + k], whether the opponent's calls never lead to a contract; its value then takes all
            layouts as equally likely.
        layouts: how many hands of the opponent were counted for each hand.
        is_open: whether both see all cards after the call; the dealer then discards knowing the bidder's hand.
    """

    contracts: Mapping[bool, ContractNumbers]
    passing: tuple[Floats, Floats | None]
    likelihood: tuple[Floats, Floats]
    off_path: Mapping[bool, Bools]
    layouts: int
    is_open: bool = False

    def in_question_suits(self, side: RenamedHands) -> SeatValues:
        """Return the values of stored classes in the suits and cards of the questions.

        In the solution every call has at least a small probability: nothing is off the path.
        """
        contracts = {by: ContractNumbers(*map(side.contracts, numbers)) for by, numbers in self.contracts.items()}
        return replace(self, contracts=contracts, off_path={})


def count_layouts(
    view: View, bids: NondealerBids | DealerBids | None, bidding: OpenBidding, rules: HandRules
) -> DealerViews | NondealerViews:
    """Return the layouts of a view (a batch of one), weighted by the opponent's bids, or equally if these are None."""
    known = known_cards(view)
    fits = None if known is None else known.fits(layout_hands(view.hand, view.up))
    return views_of(np.array([view.hand]), view.up, view.deals, bids, bidding, rules, fits)


def views_of(hands: Ints, up: int, dealer: bool, bids: Any, *counted: Any) -> DealerViews | NondealerViews:
    """Return the views of hands of one seat; the other arguments are those of `dealer_views` and `nondealer_views`."""
    return (dealer_views if dealer else nondealer_views)(hands, up, bids, *counted)


def open_values(
    views: NondealerViews | DealerViews,
    bidding: OpenBidding,
    cards: int,
    deal_values: Sequence[float],
    rules: HandRules,
) -> SeatValues:
    """Return the values if both players see all cards from the call on, all layouts equally likely.

    Args:
        views: the counted layouts, of which the fields ``open_…`` are used.
        bidding: the bidding with open cards.
        cards: hand size n.
        deal_values: W(0), W(1), …, W(n).
        rules: the rules of the hand.
    """
    dealer = isinstance(views, DealerViews)
    first = _for_player(value_of_endings(views.open_passed, cards, deal_values), dealer)
    if isinstance(views, DealerViews):
        second = None if rules.force_dealer_to_name else _round_values(np.full(len(first), deal_values[cards]))
    else:
        left = np.stack([count_endings(row, bidding.dealer_names) for row in views.open_fewest])
        second = _for_player(value_of_endings(left, cards, deal_values), dealer)
    counts = {True: open_counts(views), False: _join_counts(views.open_named, views.open_accepted)}
    next_deal = deal_values[cards - 1]
    contracts = {by: numbers_of(of, by, dealer, cards, next_deal, rules) for by, of in counts.items()}
    every = np.ones(len(first))
    return SeatValues(contracts, (first, second), (every, every), {}, int(views.open_passed[0].sum()), is_open=True)


def weighted_values(views: NondealerViews | DealerViews, cards: int, next_deal: float, rules: HandRules) -> SeatValues:
    """Return the values against known bidding.

    In contracts that the bidding never leads to, all layouts count as equally likely.

    Args:
        views: the layouts, weighted by the bidding.
        cards, next_deal, rules: the same as in `numbers_of`.
    """
    as_bidder, as_defender = payoffs(cards, next_deal, rules)
    layouts = views.open_passed.sum(1)
    dealer = isinstance(views, DealerViews)
    with np.errstate(invalid="ignore"):  # against an opponent that never passes, a pass has no value
        if isinstance(views, DealerViews):
            counts = {True: _join_counts(views.left, views.own), False: _join_counts(views.named, views.theirs)}
            later = _dot(views.named, as_bidder).sum(1) + _dot(views.left, as_defender).min(1)
            first, second = later / views.own[:, 0].sum(1), None
        else:
            counts = {True: _join_counts(views.named, views.accepted), False: _join_counts(views.left, views.answered)}
            left = _dot(views.left, as_defender).sum(1)
            later = np.maximum(_dot(views.named, as_bidder).max(1), left)
            first, second = (_dot(views.answered, as_defender) + later) / layouts, left / views.left.sum((1, 2))
    reach = {by: of.sum(-1) / layouts[:, None] for by, of in counts.items()}
    off_path = {by: often <= 0.0 for by, often in reach.items()}
    contracts = {}
    for by, never in off_path.items():
        of = np.where(never[..., None], open_counts(views), counts[by])
        contracts[by] = numbers_of(of, by, dealer, cards, next_deal, rules)
    passing = _for_player(first, dealer), None if second is None else _for_player(second, dealer)
    return SeatValues(contracts, passing, (reach[True][:, ACCEPTED], reach[True][:, 0]), off_path, int(layouts[0]))


def solved_values(stored: StoredBidding, rows: Ints, dealer: bool) -> SeatValues:
    """Return the values of one seat by the solution of the whole hand, cards hidden to the end.

    Args:
        stored: the solution of a hand size and an up-card.
        rows: int64[hands], the class of each hand.
        dealer: whether the player deals.
    """
    cards = stored.cards
    names = list(contract_rows(stored.cards))
    chances = dict(zip(all_value_columns(cards), stored.values[rows].T.astype(np.float64), strict=True))
    own = unpack_tricks(stored.tricks[rows])
    needed = int(tricks_to_deal_next(cards, DEFAULT_RULES))
    contracts = {}
    payoff = payoffs(cards, stored.next_deal or 0.0, DEFAULT_RULES)
    for bids in (True, False):
        columns = contract_names(cards, dealer, bids)
        tower = np.stack([chances[name] for name in columns], axis=1)
        mine = payoff[bids == dealer][: cards + 1]
        mine = (1 - mine)[::-1] if dealer else mine
        shares = match_values(own[:, [names.index(name) for name in columns]], mine, tower)
        contracts[bids] = _numbers_of_shares(shares, bids, needed, _round_values(tower))
    passing = (
        _round_values(chances["answer_pass" if dealer else "pass"]),
        None if dealer else _round_values(chances["name_pass"]),
    )
    likelihood, layouts = _round_likelihoods(stored, rows, dealer)
    return SeatValues(contracts, passing, likelihood, {}, layouts)


def _round_likelihoods(stored: StoredBidding, rows: Ints, dealer: bool) -> tuple[tuple[Floats, Floats], int]:
    """Return P(the opponent's calls lead to each round), float64[hands] each, and the number of opponent's hands."""
    deals = make_deals(stored.cards, stored.up)
    hands = stored.hands[rows]
    every = StoredSide(stored, stored.up, deals.hands)
    paths = (every.nondealer() if dealer else every.dealer()).paths()
    meets = (hands[:, None] & deals.hands) == 0
    reach = np.stack([paths.first, paths.second], axis=1)
    often = np.stack([others @ reach / others.sum() for others in meets])  # each alone: the same to the last bit
    return (often[:, 0] if dealer else np.ones(len(hands)), often[:, 1]), int(meets[0].sum())


def numbers_of(
    counts: NDArray[Any], player_bids: bool, dealer: bool, cards: int, next_deal: float, rules: HandRules
) -> ContractNumbers:
    """Return the numbers of contracts from weights of layouts.

    Args:
        counts: [hands, contracts, 8], weights by the non-dealer's tricks.
        player_bids: whether the player is the bidder.
        dealer: whether the player deals.
        cards: hand size n.
        next_deal: W(n - 1).
        rules: the rules of the hand.
    """
    values = payoffs(cards, next_deal, rules)
    needed = int(tricks_to_deal_next(cards, rules))
    share = counts[..., : cards + 1] / counts.sum(-1, keepdims=True)
    tower = _for_player(_dot(share, values[player_bids == dealer][: cards + 1]), dealer)
    return _numbers_of_shares(share[..., ::-1] if dealer else share, player_bids, needed, tower)


def open_counts(views: NondealerViews | DealerViews) -> NDArray[Any]:
    """Return [hands, 3 + k, 8], layouts equally likely; for a dealing player by the discard, whoever bids."""
    return _join_counts(views.open_named, views.open_own if isinstance(views, DealerViews) else views.open_accepted)


def _join_counts(named: NDArray[Any], accepted: NDArray[Any]) -> NDArray[Any]:
    """Return [hands, 3 + k, 8], the suits named, then the up-card accepted, which may have no axis of discards."""
    return np.concatenate([named, accepted.reshape(len(named), -1, named.shape[-1])], axis=1)


def _numbers_of_shares(own: Floats, player_bids: bool, needed: int, tower: Floats) -> ContractNumbers:
    """Return the numbers of contracts from the probabilities of the player's 0 … n tricks, the last axis."""
    bidder = own if player_bids else own[..., ::-1]
    tricks = _dot(own, np.arange(own.shape[-1]))
    make, sweep, swept, tricks = map(_round_values, (bidder[..., needed:].sum(-1), own[..., -1], own[..., 0], tricks))
    return ContractNumbers(make, sweep, swept, tricks, tower)


def _for_player(nondealer: Floats, dealer: bool) -> Floats:
    """Return the player's P(win the tower)."""
    return _round_values(1 - nondealer if dealer else nondealer)


def discard_order(numbers: ContractNumbers, hands: Ints, up: int) -> Ints:
    """Return places of the cards to discard, the best one first, int64[hands, discards].

    The best has the highest P(win the tower), then the most tricks, then is the lowest card in play order.

    Args:
        numbers: the numbers of a dealing player's contracts.
        hands: int64[hands], dealt cards; one discard more is the up-card.
        up: the up-card.
    """
    tricks, tower = (of[:, ACCEPTED:].round(_MERIT_DIGITS) for of in (numbers.tricks, numbers.tower))
    cards = np.array([[*mask_cards(int(hand)), up][: tower.shape[1]] for hand in hands])
    order: Ints = np.lexsort((-_play_order(suit_of(up))[cards], tricks, tower), axis=1)[:, ::-1]
    return order


@functools.cache
def _play_order(trump: int) -> Ints:
    """Return every card in play order, int64[52]."""
    return np.array([int(to_play_order(1 << card, trump, True)) for card in range(4 * 13)])


def actions_of(view: View, values: SeatValues, row: int = 0) -> dict[str, ContractValue | PassValue]:
    """Return the player's calls; `row` is that of the view's hand."""
    calls: dict[str, ContractValue | PassValue] = {}
    for call, place in (suits_to_name(view.up) if view.is_second_round else {ACCEPT: ACCEPTED}).items():
        calls[call] = contract_of(view, values, True, place, row)
    passing = values.passing[view.is_second_round]
    return calls if passing is None else calls | {PASS: PassValue(round_value(float(passing[row])))}


def contract_of(view: View, values: SeatValues, player_bids: bool, place: int, row: int = 0) -> ContractValue:
    """Return a contract's value, with a dealer's best discard; `row` is that of the view's hand.

    Args:
        place: the place of the suit among those that can be named, or `ACCEPTED`.
    """
    numbers = values.contracts[player_bids]
    discard = None
    if place == ACCEPTED and view.deals and (player_bids or not values.is_open):
        discard = next(iter(discard_values(view, numbers, row)))
        place += [*mask_cards(view.hand), view.up].index(parse_card(discard))
    make, sweep, swept, tricks, tower = (float(of[row, place]) for of in numbers)
    return ContractValue(make, sweep, swept, tricks, tower, discard)


def make_answer(
    view: View,
    values: SeatValues,
    deal_value: float | None,
    method: str,
    mix: Mix | None = None,
    row: int = 0,
    **more: Any,
) -> UpcardAnswer:
    """Return the answer to a question whose hand is a row of the values; `more` are fields of `UpcardAnswer`."""
    actions = actions_of(view, values, row)
    recommend, mix = recommend_call(actions, mix)
    suits = ({} if view.is_second_round else {SUITS[suit_of(view.up)]: ACCEPTED}) | suits_to_name(view.up)
    contracts = []
    for bidder, (suit, place) in itertools.product((True, False), suits.items()):
        value = contract_of(view, values, bidder, place, row)
        off = values.off_path.get(bidder)
        never = off is not None and bool(off[row, place])
        contracts.append(BidderContract("me" if bidder else "them", suit, value, never))
    asks_first = not (view.deals or view.is_second_round or values.is_open)
    if not values.is_open:
        more = {"likelihood": round_value(float(values.likelihood[view.is_second_round][row]))} | more
    return UpcardAnswer(
        cards=view.n,
        seat=seat_of(view),
        up=view.up,
        hand=view.hand,
        second_round=view.is_second_round,
        layouts=values.layouts,
        deal_value=deal_value,
        actions=actions,
        contracts=tuple(contracts),
        recommend=recommend,
        method=method,
        mix=mix,
        known=known_cards(view),
        taken=round_value(1 - float(values.likelihood[1][row])) if asks_first else None,
        **more,
    )


def discard_values(view: View, numbers: ContractNumbers, row: int = 0) -> dict[str, float]:
    """Return a dealer's P(win the tower) by the card discarded, the best one first; `row` is the hand's."""
    own = ContractNumbers(*(of[row : row + 1] for of in numbers))
    places = discard_order(own, np.array([view.hand]), view.up)[0].tolist()
    cards = [*mask_cards(view.hand), view.up]
    return {card_text(cards[place]): round_value(own.tower[0, ACCEPTED + place]) for place in places}


def _dot(rows: Floats, values: Floats | Ints) -> Floats:
    """Return sums of products over the last axis; unlike `@`, the same to the last bit for any number of rows."""
    summed: Floats = (rows * values).sum(-1)
    return summed


def _round_values(values: Floats) -> Floats:
    """Return values rounded as they are reported."""
    return np.asarray(np.round(values, DIGITS), dtype=np.float64)


def evaluate_view(view: View, options: TowersAndBowersOptions) -> UpcardAnswer:
    """Return the answer to what the asker sees and knows."""
    next_deal = deal_value(view.n - 1, options)
    values_of_deals = deal_values(options)
    bidding = open_bidding(view.n, values_of_deals, options.hand_rules)
    views = count_layouts(view, None, bidding, options.hand_rules)
    values = open_values(views, bidding, view.n, values_of_deals, options.hand_rules)
    return make_answer(view, values, next_deal or None, "pimc")


def evaluate_discard(
    hand: int, up: int, asker_bids: bool, options: TowersAndBowersOptions | None = None
) -> DiscardAnswer:
    """Return the value to the dealer of each card given for the up-card, all hands of the other counting alike.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer has accepted; else the other has.
        options: the rules.
    """
    view, options = calling_view(hand, up, True), options or TowersAndBowersOptions()
    next_deal = deal_value(view.n - 1, options)
    rules = options.hand_rules
    bidding = open_bidding(view.n, deal_values(options), rules)
    views = count_layouts(view, None, bidding, rules)
    numbers = numbers_of(open_counts(views), asker_bids, True, view.n, next_deal, rules)
    return DiscardAnswer(discard_values(view, numbers), None, int(views.open_passed[0].sum()))


def answer_solved(views: Sequence[View]) -> list[UpcardAnswer]:
    """Return the solution's answers to views of one size (to four cards), rank of the up-card and seat.

    Raises:
        TowerlabError: no solution of the size is at hand.
    """
    stored = bidding_at_hand(views[0].n, rank_of(views[0].up))
    dealer = views[0].deals
    hands, ups = np.array([(view.hand, view.up) for view in views]).T
    values = _solved_seat_values(stored, hands, ups, dealer)
    own = hand_mixes(stored, ups, hands, dealer)
    return [_answer_row(stored, view, values, own[row], row) for row, view in enumerate(views)]


def _solved_seat_values(stored: StoredBidding, hands: Ints, ups: Ints, dealer: bool) -> SeatValues:
    """Return the values of the asker's calls and contracts.

    Args:
        hands, ups: int64[hands], the cards dealt to each asker, and the up-card, of the stored rank.
    """
    side = StoredSide(stored, ups, hands)
    return solved_values(stored, side.rows, dealer).in_question_suits(side)


def _answer_row(stored: StoredBidding, view: View, values: SeatValues, own: HandMixes, row: int) -> UpcardAnswer:
    """Return the answer about a row of the values, with the hand's stored bids."""
    second_round = view.is_second_round
    likelihood = float(values.likelihood[second_round][row])
    discards = {} if second_round else own.discards
    mix = _make_mix(
        stored,
        own.second if second_round else own.first,
        {"me" if by else "them": {card: p for card, p in shares.items() if p} for by, shares in discards.items()},
        likelihood * (own.first[PASS] if second_round else 1.0),
        accuracy=accuracy_of(stored.cards, card_text(stored.up), seat_of(view), 1 + second_round),
    )
    return make_answer(view, values, deal_value(view.n - 1) or None, EQUILIBRIUM, mix, row, model_error=0.0)


def discard_solved(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Return the solution's value of each discard; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: whether the dealer has accepted, after a pass; else the non-dealer has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    values = _solved_seat_values(stored, np.array([hand], dtype=np.int64), np.array([up], dtype=np.int64), dealer=True)
    shares = hand_mixes(stored, up, np.array([hand], dtype=np.int64), True)[0].discards[asker_bids]
    mix = _make_mix(
        stored, shares, accuracy=accuracy_of(stored.cards, card_text(stored.up), "discard", int(asker_bids))
    )
    return DiscardAnswer(
        discard_values(calling_view(hand, up, True), values.contracts[asker_bids]), mix, values.layouts
    )


def _make_mix(
    stored: StoredBidding,
    shares: Mapping[str, float],
    discards: Mapping[str, Mapping[str, float]] | None = None,
    reached: float = 1.0,
    accuracy: Accuracy | None = None,
) -> Mix:
    """Return the stored mix of a decision."""
    solved = stored.exploitability, stored.floor, WHOLE_HAND
    return Mix(shares, discards or {}, *solved, accuracy, reached)
