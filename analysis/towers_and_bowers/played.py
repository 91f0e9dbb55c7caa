"""What is the value of each call when the learned policy plays it out? These are the answers with five cards or more,
and with ``--method self-play``.

Every call is played out on the same deals of the range (`rollouts`). So is every discard of a dealer who accepts; these
numbers answer `discard`. Each contract is also played out *as if reached*, on a quarter of the deals: the opponent's
hands are then weighted by the calls that lead to it.

    towerlab upcard --hand "JS AS KS 9S AD 10H 9C" --up QS --seat nondealer
"""

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from towerlab.analysis.towers_and_bowers.answers import (
    ACCEPT,
    PASS,
    SELF_PLAY,
    BidderContract,
    ContractValue,
    DiscardAnswer,
    PassValue,
    Rollouts,
    UpcardAnswer,
    best_action,
    known_cards,
    round_value,
    seat_of,
    suits_to_name,
)
from towerlab.analysis.towers_and_bowers.deal_value import deal_value, model_error
from towerlab.analysis.towers_and_bowers.position import ME, THEM, by_former_names, calling_view
from towerlab.analysis.towers_and_bowers.ranges import (
    SEAT_CONTRACTS,
    CallModel,
    Range,
    contract_likelihood,
    policy_calls,
    range_of,
    solved_calls,
)
from towerlab.analysis.towers_and_bowers.rollouts import (
    FORCED,
    CallsToPlay,
    PlayedOut,
    ResultValues,
    discard_mix,
    play_calls,
    play_discards,
)
from towerlab.games.cards import SUITS, card_text, former_names, rename_card, suit_of
from towerlab.games.engine import require
from towerlab.games.towers_and_bowers import View
from towerlab.solver.towers_and_bowers.self_play.policies import SPADE_FRAME, Bundle

VALUES_OF: Final = "the learned policy against itself, played out"
_OFF_PATH: Final = 1e-3  # a contract that the opponent's calls lead to less often is off the path
_FEWEST: Final = 50  # deals of a contract as if reached


def answer_played(view: View, believed: Range, own: CallModel, count: int, seed: int, **more: Any) -> UpcardAnswer:
    """Return the answer to a bidding decision, every call played out.

    Args:
        view: the view of the player who is to call.
        believed: the range of such a view.
        own: how the player calls on after a pass.
        count: the number of deals of each call.
        seed: the seed of the deals.
        more: further fields of the answer, such as its method.
    """
    play = PlayedCalls(view, believed, own, count, seed)
    off = model_error(view.n, seat_of(view), 1 + view.is_second_round, 1000 * abs(play.gap()))
    asks_first = not (view.deals or view.is_second_round)
    known = known_cards(view)
    mt = 0.0 if off is None else off.error
    costs = play.played.costs(mt / 1000)
    error = play.played.error_of_lead(*play.compared_calls())
    return UpcardAnswer(
        cards=view.n,
        seat=seat_of(view),
        up=view.up,
        hand=view.hand,
        second_round=view.is_second_round,
        layouts=believed.fitting,
        deal_value=deal_value(view.n - 1) or None,
        actions=play.actions,
        contracts=tuple(play.contracts()),
        recommend=best_action(play.actions),
        likelihood=round_value(believed.likelihood),
        taken=round_value(float(believed.weights @ play.calls[:, 0])) if asks_first else None,
        model_error=None if off is None else mt,
        held=None if off is None or known is not None or "against" in more else off.held,
        known=known,
        values_of=VALUES_OF,
        rollouts=Rollouts(count, seed, error),
        costs=dict(zip(play.actions, costs, strict=True)),
        seed=seed,
        **more,
    )


@functools.lru_cache(maxsize=128)
def answer_by_policy(bundle: Bundle, view: View, is_solved: bool, count: int, seed: int) -> UpcardAnswer:
    """Return the answer between two players of the policy; it is cached, since advice, review and training ask again.

    Args:
        bundle: the policy in use, with what was measured of it.
        view: the view of the player who is to call.
        is_solved: whether the solution makes the calls.
        count: the number of deals of each call.
        seed: the seed of the deals.
    """
    del bundle
    calls = solved_calls if is_solved else policy_calls
    return answer_played(view, range_of(view, calls), calls, count, seed, method=SELF_PLAY)


@functools.lru_cache(maxsize=128)
def discard_played(bundle: Bundle, hand: int, up: int, dealer_bids: bool, count: int, seed: int = 0) -> DiscardAnswer:
    """Return the value of each discard of a dealer, in the same way as `answer_by_policy`.

    Args:
        bundle: the policy in use, with what was measured of it.
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        dealer_bids: whether the dealer has accepted, after a pass; else the opponent has.
        count: the number of deals of each card.
        seed: the seed of the deals.
    """
    del bundle
    believed = range_of(calling_view(hand, up, True), policy_calls).to_contract(SEAT_CONTRACTS * dealer_bids)
    result_values = ResultValues(hand.bit_count(), deal_value(hand.bit_count() - 1), True)
    cards, played = play_discards(believed, dealer_bids, result_values, count, seed)
    values = [round_value(value) for value in played.towers]
    names = [card_text(rename_card(card, former_names(believed.names[0]))) for card in cards]
    best = played.best
    order = sorted(range(len(cards)), key=lambda place: (place != best, -values[place]))
    mix = by_former_names(discard_mix(believed, dealer_bids), believed.names)
    costs = played.costs()
    errors = played.errors
    following = order[min(1, len(order) - 1)]
    return DiscardAnswer(
        {names[place]: values[place] for place in order},
        None,
        believed.fitting,
        {card_text(card): share for card, share in mix.items()},
        {names[place]: costs[place] for place in order},
        {names[place]: errors[place] for place in order},
        Rollouts(count, seed, played.error_of_lead(best, following)),
    )


class PlayedCalls:
    """The calls of a decision and the contracts that can follow, played out.

    Args:
        view: the view of the player who is to call.
        believed: the range of such a view.
        own: how the player calls on after a pass.
        count: the number of deals of each call.
        seed: the seed of the deals.
        is_whole: whether to play out, besides the calls, every discard of a dealer who accepts and every contract as if
            reached; else discards are the policy's.

    Attributes:
        calls: float64[layouts, 5], how the opponent calls.
        result_values: the values of results.
        actions: the value of each call.
        played: the deals of each call.
    """

    def __init__(
        self, view: View, believed: Range, own: CallModel, count: int, seed: int, is_whole: bool = True
    ) -> None:
        self._view = view
        self._believed = believed
        self.calls = require(believed.calls)
        self.result_values = ResultValues(view.n, deal_value(view.n - 1), view.deals)
        self._named = {
            (bidder, suit): self._number(bidder, suit)
            for bidder in (ME, THEM)
            for suit in ([] if view.is_second_round else [SUITS[suit_of(view.up)]]) + list(suits_to_name(view.up))
        }
        asked: dict[str, int | None] = {ACCEPT: SEAT_CONTRACTS * view.deals}
        if view.is_second_round:
            asked = {suit: self._named[ME, suit] for suit in suits_to_name(view.up)}
        if not (view.is_second_round and view.deals):
            asked[PASS] = None
        deals_of_forced = max(_FEWEST, count // FORCED)
        gives = view.deals and is_whole and not view.is_second_round
        calls = own(np.array([believed.view.hand]), believed.view.up, believed.seat)[0]
        first = CallsToPlay(believed, [None] if gives else list(asked.values()), count, calls)
        others = [number for number in self._named.values() if is_whole and number not in asked.values()]
        others = [number for number in others if not (gives and number == 0)]
        forced = [CallsToPlay(believed.to_contract(number), [number], deals_of_forced) for number in others]
        self.played, *reached = play_calls([first, *forced], self.result_values, seed)
        self._values = {number: self._value(played, 0) for number, played in zip(others, reached, strict=True)}
        discard = None
        if gives:
            place, discard, accepted = self._best_discard(believed, True, count, seed)
            self.played = accepted.followed_by(self.played, place)
            place, theirs, reached_0 = self._best_discard(believed.to_contract(0), False, deals_of_forced, seed)
            self._values[0] = self._value(reached_0, place, theirs)
        self.actions: dict[str, ContractValue | PassValue] = {}
        for place, (name, number) in enumerate(asked.items()):
            value = self._value(self.played, place, discard if name == ACCEPT else None)
            self.actions[name] = PassValue(value.tower, value.error) if number is None else value
            if number is not None:
                self._values[number] = value

    def compared_calls(self) -> tuple[int, int]:
        """Return the places of the two calls whose gap is reported: accepting and passing, or the best two."""
        if not self._view.is_second_round:
            return 0, 1
        towers = [value.tower for value in self.actions.values()]
        first, second, *_ = sorted(range(len(towers)), key=lambda place: -towers[place])
        return first, second

    def gap(self) -> float:
        """Return by how much the first of the compared calls is better."""
        towers = [value.tower for value in self.actions.values()]
        first, second = self.compared_calls()
        return towers[first] - towers[second]

    def contracts(self) -> Iterator[BidderContract]:
        """Yield the value of every contract as if reached, of mirror images their mean; a call has its own value."""
        for (bidder, suit), number in self._named.items():
            value = self._values[number]
            if len(self._believed.names) > 1 and number % SEAT_CONTRACTS > 1:
                value = mean_value(value, self._values[number ^ 1])
            often = float(contract_likelihood(self.calls, 1 - self._believed.seat, number, 0.0).mean())
            yield BidderContract(bidder, suit, value, often < _OFF_PATH)

    def _number(self, bidder: str, suit: str) -> int:
        """Return the number of a contract."""
        seat = self._believed.seat if bidder == ME else 1 - self._believed.seat
        return SPADE_FRAME.index(self._believed.names[0][SUITS.index(suit)]) + SEAT_CONTRACTS * seat

    def _best_discard(self, believed: Range, dealer_bids: bool, count: int, seed: int) -> tuple[int, str, PlayedOut]:
        """Return the place and the text of a dealer's best discard, and those that were played out."""
        cards, played = play_discards(believed, dealer_bids, self.result_values, count, seed)
        place = played.best
        return place, card_text(rename_card(cards[place], former_names(believed.names[0]))), played

    def _value(self, played: PlayedOut, place: int, discard: str | None = None) -> ContractValue:
        result_values = self.result_values
        return ContractValue(
            make=round_value(played.means(result_values.make)[place]),
            sweep=round_value(played.means(result_values.sweep)[place]),
            swept=round_value(played.means(result_values.swept)[place]),
            tricks=round_value(played.means(result_values.tricks)[place]),
            tower=round_value(played.towers[place]),
            discard=discard,
            error=played.errors[place],
        )


def mean_value(first: ContractValue, second: ContractValue) -> ContractValue:
    """Return the mean of two contracts that are mirror images of each other."""
    return replace(
        first,
        make=round_value((first.make + second.make) / 2),
        sweep=round_value((first.sweep + second.sweep) / 2),
        swept=round_value((first.swept + second.swept) / 2),
        tricks=round_value((first.tricks + second.tricks) / 2),
        tower=round_value((first.tower + second.tower) / 2),
    )
