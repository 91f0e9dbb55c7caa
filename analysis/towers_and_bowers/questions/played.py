"""The up-card question played out by the learned policy: from five cards on, and ``--method self-play``.

Every call is played out on the same deals of the range (`rollouts`), and so is every discard of a dealer who accepts:
those numbers are the answer of `discard`. Contracts *as if reached* are forced on a quarter of the deals each, the
other's hands being as likely as the calls make them that lead there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from towerlab.analysis.towers_and_bowers.position import by_former_names, calling_view
from towerlab.analysis.towers_and_bowers.questions.answers import (
    ACCEPT,
    PASS,
    BidderContract,
    BidderView,
    ContractValue,
    DiscardAnswer,
    PassValue,
    Rollouts,
    UpcardAnswer,
    best_action,
    rounded,
)
from towerlab.analysis.towers_and_bowers.ranges import (
    HALF,
    CallModel,
    Range,
    policy_calls,
    range_of,
    reach,
)
from towerlab.analysis.towers_and_bowers.rollouts import (
    FORCED,
    Played,
    Worth,
    discard_mix,
    play_calls,
    play_discards,
)
from towerlab.analysis.towers_and_bowers.solutions.accuracy import model_error
from towerlab.analysis.towers_and_bowers.solutions.deal_value import deal_value
from towerlab.games.cards import SUITS, card_text, former_names, rename_card, suit_of
from towerlab.solver.towers_and_bowers.self_play.calls import SPADE_FRAME

VALUES_OF: Final = "the learned policy against itself, played out"
_OFF_PATH: Final = 1e-3  # a contract that the other's calls lead to less often is off the path
_FEWEST: Final = 50  # deals of a contract as if reached


def answer_played(
    view: BidderView, believed: Range, own: CallModel, count: int, seed: int, **more: Any
) -> UpcardAnswer:
    """Return the answer to a bidding decision, every call played out.

    Args:
        view: what the player sees, and what else is known.
        believed: the range of such a view.
        own: how the player calls on after a pass.
        count: deals of each call.
        seed: of the deals.
        more: of the answer, such as its method.
    """
    play = PlayedCalls(view, believed, own, count, seed)
    off = model_error(view.cards, view.seat, 1 + view.second_round, 1000 * abs(play.gap()))
    asks_first = not (view.dealer or view.second_round)
    suits = ([] if view.second_round else [SUITS[suit_of(view.up)]]) + list(view.suits)
    costs = play.played.costs(play.worth.tower, (off or 0.0) / 1000)
    error = play.played.error_of_lead(*play.compared(), play.worth.tower)
    return UpcardAnswer(
        cards=view.cards,
        seat=view.seat,
        up=view.up,
        hand=view.hand,
        second_round=view.second_round,
        layouts=believed.fitting,
        deal_value=deal_value(view.cards - 1) or None,
        actions=play.actions,
        contracts=tuple(play.contract(bidder, suit) for bidder in ("me", "them") for suit in suits),
        recommend=best_action(play.actions),
        likelihood=rounded(believed.likelihood),
        taken=rounded(float(believed.weights @ play.calls[:, 0])) if asks_first else None,
        model_error=off,
        known=view.known,
        values_of=VALUES_OF,
        rollouts=Rollouts(count, seed, error),
        costs=dict(zip(play.actions, costs, strict=True)),
        **more,
    )


def discard_played(hand: int, up: int, dealer_bids: bool, count: int, seed: int = 0) -> DiscardAnswer:
    """Return the value of each card that a dealer can give for the up-card, as `answer_played` has it.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        dealer_bids: the dealer has accepted, after a pass; else the other has.
        count: deals of each card.
        seed: of the deals.
    """
    believed = range_of(calling_view(hand, up, True), policy_calls).to_contract(HALF * dealer_bids)
    worth = Worth(hand.bit_count(), deal_value(hand.bit_count() - 1), True)
    cards, played = play_discards(believed, dealer_bids, count, seed)
    values = [rounded(value) for value in played.means(worth.tower)]
    names = [card_text(rename_card(card, former_names(believed.names[0]))) for card in cards]
    best = played.best(worth)
    order = sorted(range(len(cards)), key=lambda place: (place != best, -values[place]))
    mix = by_former_names(discard_mix(believed, dealer_bids), believed.names)
    costs = played.costs(worth.tower)
    errors = played.errors(worth.tower)
    following = order[min(1, len(order) - 1)]
    return DiscardAnswer(
        {names[place]: values[place] for place in order},
        None,
        believed.fitting,
        {card_text(card): share for card, share in mix.items()},
        {names[place]: costs[place] for place in order},
        {names[place]: errors[place] for place in order},
        Rollouts(count, seed, played.error_of_lead(best, following, worth.tower)),
    )


class PlayedCalls:
    """The calls of a decision and the contracts that can follow, played out.

    Args:
        view, believed, own, count, seed: as of `answer_played`.
        every_discard: whether every discard of a dealer who accepts is played out; else the policy's own are.

    Attributes:
        calls: float64[layouts, 5], how the other calls.
        worth: of results.
        actions: the value of each call.
        played: the deals of each call.
    """

    def __init__(
        self,
        view: BidderView,
        believed: Range,
        own: CallModel,
        count: int,
        seed: int,
        every_discard: bool = True,
    ) -> None:
        assert believed.calls is not None and believed.view.up_card is not None
        self._view = view
        self._believed = believed
        self._seed = seed
        self._forced = max(_FEWEST, count // FORCED)
        self.calls = believed.calls
        self.worth = Worth(view.cards, deal_value(view.cards - 1), view.dealer)
        contracts: dict[str, int | None] = {ACCEPT: HALF * view.dealer}
        if view.second_round:
            contracts = {suit: self._number("me", suit) for suit in view.suits}
        if not (view.second_round and view.dealer):
            contracts[PASS] = None
        calls = own(np.array([believed.view.hand]), believed.view.up_card, believed.seat)[0]
        if every_discard and view.dealer and not view.second_round:
            cards, accepted = play_discards(believed, True, count, seed)
            passed = play_calls(believed, [None], count, seed, calls)
            discard = accepted.best(self.worth)
            self.played = accepted.followed_by(passed, discard)
            card = self._card(cards[discard])
        else:
            self.played = play_calls(believed, list(contracts.values()), count, seed, calls)
            card = None
        self.actions: dict[str, ContractValue | PassValue] = {}
        for place, name in enumerate(contracts):
            value = self._value(self.played, place, card if name == ACCEPT else None)
            self.actions[name] = PassValue(value.tower, value.error) if name == PASS else value

    def compared(self) -> tuple[int, int]:
        """Return the places of the two calls whose gap is reported: accepting and passing, or the best two."""
        if not self._view.second_round:
            return 0, 1
        towers = [value.tower for value in self.actions.values()]
        first, second, *_ = sorted(range(len(towers)), key=lambda place: -towers[place])
        return first, second

    def gap(self) -> float:
        """Return the gap of these two."""
        towers = [value.tower for value in self.actions.values()]
        first, second = self.compared()
        return towers[first] - towers[second]

    def contract(self, bidder: str, suit: str) -> BidderContract:
        """Return a contract as if reached."""
        contract = self._number(bidder, suit)
        call = ACCEPT if contract % HALF == 0 else suit
        mine = self.actions.get(call) if bidder == "me" else None
        value = mine if isinstance(mine, ContractValue) else self._forced_value(contract)
        often = float(reach(self.calls, 1 - self._believed.seat, contract, 0.0).mean())
        return BidderContract(bidder, suit, value, often < _OFF_PATH)

    def _number(self, bidder: str, suit: str) -> int:
        """Return the number of a contract."""
        seat = self._believed.seat if bidder == "me" else 1 - self._believed.seat
        return SPADE_FRAME.index(self._believed.names[0][SUITS.index(suit)]) + HALF * seat

    def _forced_value(self, contract: int) -> ContractValue:
        """Return what a contract comes to that the calls were forced to; of mirror images the mean."""
        believed = self._believed.to_contract(contract)
        if self._view.dealer and contract % HALF == 0:
            cards, played = play_discards(believed, contract == HALF, self._forced, self._seed)
            discard = played.best(self.worth)
            return self._value(played, discard, self._card(cards[discard]))
        value = self._value(play_calls(believed, [contract], self._forced, self._seed), 0)
        if len(believed.names) < 2 or contract % HALF < 2:
            return value
        image = contract ^ 1
        other = self._value(play_calls(self._believed.to_contract(image), [image], self._forced, self._seed), 0)
        return replace(
            value,
            make=rounded((value.make + other.make) / 2),
            sweep=rounded((value.sweep + other.sweep) / 2),
            swept=rounded((value.swept + other.swept) / 2),
            tricks=rounded((value.tricks + other.tricks) / 2),
            tower=rounded((value.tower + other.tower) / 2),
        )

    def _value(self, played: Played, place: int, discard: str | None = None) -> ContractValue:
        worth = self.worth
        return ContractValue(
            make=rounded(played.means(worth.make)[place]),
            sweep=rounded(played.means(worth.sweep)[place]),
            swept=rounded(played.means(worth.swept)[place]),
            tricks=rounded(played.means(worth.tricks)[place]),
            tower=rounded(played.means(worth.tower)[place]),
            discard=discard,
            error=played.errors(worth.tower)[place],
        )

    def _card(self, card: int) -> str:
        """Return a card under the names of the question."""
        return card_text(rename_card(card, former_names(self._believed.names[0])))
