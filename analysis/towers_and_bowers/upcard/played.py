"""``--method played``: two close calls of the second round, half as with open cards and half as they are played.

The opponent's cards are drawn with the weights that the equilibrium's bids give them, and both calls are followed to
their contracts on the *same* deals, played by two who read the bids (`sim.towers_and_bowers.reading`). The same
contracts with open cards have a known mean over all deals, the model's: only what play changes is sampled. A call is
worth the mean of both ways, which is nearest to the truth where that is known (study `close-calls`).
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from towerlab.analysis.stats import SequentialNormal
from towerlab.analysis.study import map_in_threads
from towerlab.analysis.towers_and_bowers.solutions.bidding import WHOLE_HAND, StoredBidding, load_bidding
from towerlab.analysis.towers_and_bowers.solutions.stored_side import StoredSide, own_hand
from towerlab.analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    PASS,
    ContractValue,
    PassValue,
    PlayedOut,
    UpcardAnswer,
    View,
    best_action,
    recommended,
)
from towerlab.analysis.towers_and_bowers.upcard.values import ACCEPTED, make_prospects
from towerlab.analysis.towers_and_bowers.upcard.weighted import Weighing, against_equilibrium, stored_values
from towerlab.games.arrays import Floats, Ints
from towerlab.games.cards import DECK_24, mask_cards, parse_card, rank_of
from towerlab.games.towers_and_bowers import tricks_to_deal_next
from towerlab.sim.towers_and_bowers.hand import DEALER, NONDEALER
from towerlab.sim.towers_and_bowers.reading import Bids, Workspace, make_workspace, play_readers
from towerlab.solver.towers_and_bowers.bidding.deals import in_play_order
from towerlab.solver.towers_and_bowers.bidding.layouts import DealerBids, NondealerBids
from towerlab.solver.towers_and_bowers.bidding.strategies import payoffs
from towerlab.solver.towers_and_bowers.bidding.views import layout_hands
from towerlab.solver.towers_and_bowers.classes import hands_from
from towerlab.solver.towers_and_bowers.upcard import named_suits
from towerlab.solver.two_hands.tablebase import load_tables

MOST_DEALS: Final = 1024
_LOOK: Final = 256  # deals between two looks at the interval
_PART: Final = 64  # of them in one thread at a time


class Decision(NamedTuple):
    """Two calls of one hand.

    Attributes:
        weighing: what the asker sees; every value is the model's, where the game is solved, too.
        layouts: int64[layouts], the other's hands.
        payoffs: float64[2, 8], the non-dealer's value by tricks when the non-dealer, or the dealer, is the bidder.
        second_round: whether the up-card has been turned down.
        calls: accept and pass; in the second round the best call of the model and the next best.
        gap: of the model, P(win the tower) of the first less that of the second.
        truth: the gap of the game where it has been solved and comes here, else not a number.
        reached: how often the equilibrium comes to this decision with the asker's hand.
    """

    weighing: Weighing
    layouts: Ints
    payoffs: Floats
    second_round: bool
    calls: tuple[str, str]
    gap: float
    truth: float
    reached: float


def find_decision(hand: int, up: int, dealer: bool, second_round: bool) -> Decision:
    """The two calls to be compared.

    Args:
        hand: printed mask of 2..7 cards.
        up: the up-card.
        dealer: whether the asker deals.
        second_round: whether the up-card has been turned down.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    assert stored is not None
    view = View(hand, up, dealer)
    model = against_equilibrium(stored, view)
    own = own_hand(stored, up, hand, dealer)
    actions = model.prospects(second_round).actions()
    first = best_action(actions) if second_round else ACCEPT
    second = best_action({name: value for name, value in actions.items() if name != first})
    truth = np.nan
    if stored.exploitability_of == WHOLE_HAND and model.values.likelihood[second_round][0] > stored.least_likelihood:
        solved = make_prospects(
            view, stored_values(stored, np.array([hand]), np.array([up]), dealer), second_round
        ).actions()
        truth = solved[first].tower - solved[second].tower
    reached = model.way.paths().likelihood(second_round) * (own.first[PASS] if second_round else 1.0)
    gap = actions[first].tower - actions[second].tower
    worth = np.stack(payoffs(hand.bit_count(), stored.next_deal or 0.0))
    return Decision(model, layout_hands(hand, up), worth, second_round, (first, second), gap, truth, reached)


# ------------------------------------------------------------------------------------------- from a call to its tricks


class Contracts(NamedTuple):
    """What a call has led to, a row a deal.

    Attributes:
        bidder: seats.
        suit: place among the suits that can be named, or `ACCEPTED`.
        given: place of the dealer's discard among their cards; it means nothing where a suit was named.
    """

    bidder: Ints
    suit: Ints
    given: Ints

    def unless(self, happens: Any, other: Contracts) -> Contracts:
        """These, or the other ones where something happens."""
        return Contracts(*(np.where(happens, there, here) for here, there in zip(self, other, strict=True)))


def follow(decision: Decision, call: str, rows: Ints, random: np.random.Generator) -> Contracts:
    """The contracts that a call comes to in some layouts, the opponent's bids drawn from their mixes."""
    weighing, way = decision.weighing, decision.weighing.way
    dealer, count = weighing.view.dealer, len(rows)

    def contracts(bidder: int, suit: Ints | int, given: Ints | int = -1) -> Contracts:
        return Contracts(np.full(count, bidder), np.zeros(count, np.int64) + suit, np.zeros(count, np.int64) + given)

    if call == ACCEPT:
        if isinstance(way, DealerBids):
            return contracts(NONDEALER, ACCEPTED, _drawn(way.discards[rows], random))
        best = parse_card(next(iter(weighing.discards(asker_bids=True))))
        return contracts(DEALER, ACCEPTED, mask_cards(weighing.view.hand).index(best))
    later = call if decision.second_round else best_action(weighing.prospects(True).actions())
    if later == PASS:
        assert isinstance(way, DealerBids)
        ended = contracts(DEALER, _drawn(way.left[rows], random))
    else:
        ended = contracts(int(dealer), weighing.view.suits[later])
    if decision.second_round:
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


# ------------------------------------------------------------------------------------------------------- played out


class Readers:
    """Two who read the bids of one hand size and up-card, at the contracts of the second round."""

    def __init__(self, stored: StoredBidding, decision: Decision) -> None:
        view = decision.weighing.view
        self._decision, self._up, self._cards = decision, view.up, view.cards
        self._hands = hands_from(mask_cards(DECK_24 & ~(1 << view.up)), view.cards)
        side = StoredSide(stored, view.up, self._hands)
        self._paths = side.nondealer().paths(), side.dealer().paths()
        self._bids = functools.cache(self._bids_to)

    def tricks(self, rows: Ints, made: Contracts, space: Workspace) -> Ints:
        """int64[rows, 2], the non-dealer's: as the contracts are played, and with open cards."""
        view, taken = self._decision.weighing.view, np.empty((len(rows), 2), dtype=np.int64)
        theirs = self._decision.layouts[rows]
        mine = np.full(len(rows), view.hand)
        dealt = np.stack([theirs, mine] if view.dealer else [mine, theirs], axis=1)
        for bidder, place in sorted(set(zip(made.bidder.tolist(), made.suit.tolist(), strict=True))):
            which = (made.bidder == bidder) & (made.suit == place)
            in_order = in_play_order(dealt[which], named_suits(self._up)[place])
            found = np.empty((len(in_order), 2), dtype=np.int64)
            play_readers(load_tables(), self._bids(bidder, place), in_order, space, found)
            taken[which] = found
        return taken

    def _bids_to(self, bidder: int, place: int) -> Bids:
        shares = [path.named[:, place] if seat == bidder else path.second for seat, path in enumerate(self._paths)]
        nondealer = self._decision.payoffs[bidder][: self._cards + 1]
        values = np.stack([nondealer, 1 - nondealer[::-1]])
        return Bids(in_play_order(self._hands, named_suits(self._up)[place]), np.stack(shares), values)


def play_out(decision: Decision, seed: int) -> tuple[PlayedOut, Floats]:
    """Both calls until an interval that is valid at every look leaves out zero; it is looked at every 256 deals.

    Returns:
        the lead of the first call, and float64[2, 5]: how much more each call is worth than in the model, by the fields
        of `ContractValue`.
    """
    weighing, cards = decision.weighing, decision.weighing.view.cards
    stored = load_bidding(cards, rank_of(weighing.view.up))
    assert stored is not None
    readers, weights = Readers(stored, decision), weighing.way.paths().second
    odds = weights / weights.sum()

    def part(space: Workspace, number: int) -> Floats:
        """float64[deals, 2, 5]: half of what play changes."""
        random = np.random.default_rng((seed, number))
        rows = random.choice(len(odds), size=_PART, p=odds)
        changes = []
        for call in decision.calls:
            made = follow(decision, call, rows, random)
            numbers = _numbers(decision, made.bidder, readers.tricks(rows, made, space))
            changes.append((numbers[:, 0] - numbers[:, 1]) / 2)
        return np.stack(changes, axis=1)

    lead = SequentialNormal(prior=float(np.diff(decision.payoffs[:, : cards + 1]).max()) / 2, tightest=MOST_DEALS)
    changes = np.empty((0, 2, 5))
    while lead.count < MOST_DEALS and lead.estimate.low <= 0 <= lead.estimate.high:
        parts = range(lead.count // _PART, (lead.count + _LOOK) // _PART)
        found = np.concatenate(map_in_threads(part, parts, make_workspace))
        lead.add(decision.gap + found[:, 0, -1] - found[:, 1, -1])
        changes = np.concatenate([changes, found])
    return PlayedOut(decision.calls, lead.estimate), changes.mean(0)


def _numbers(decision: Decision, bidder: Ints, tricks: Ints) -> Floats:
    """float64[deals, 2, 5], the asker's, in the order of the fields of `ContractValue`."""
    view = decision.weighing.view
    nondealers = decision.payoffs[bidder[:, None], tricks]
    own, tower = (view.cards - tricks, 1 - nondealers) if view.dealer else (tricks, nondealers)
    made = own >= tricks_to_deal_next(view.cards, False)
    return np.stack([made, own == view.cards, own == 0, own, tower], axis=-1).astype(np.float64)


def answer_played(model: UpcardAnswer, seed: int = 0) -> UpcardAnswer:
    """A second call by the mean of both ways; what is not the two best calls stays as the equilibrium has it."""
    decision = find_decision(model.hand, model.up, model.seat == "dealer", True)
    played, changes = play_out(decision, seed)
    actions = dict(model.actions)
    for call, change in zip(decision.calls, changes.tolist(), strict=True):
        value = actions[call]
        if isinstance(value, ContractValue):
            numbers = (value.make, value.sweep, value.swept, value.tricks, value.tower)
            actions[call] = ContractValue(*(number + more for number, more in zip(numbers, change, strict=True)))
        else:
            actions[call] = PassValue(value.tower + change[-1])
    contracts = tuple(
        replace(of, value=actions[of.trump]) if of.bidder == "me" else of  # type: ignore[arg-type]
        for of in model.contracts
    )
    best, mix = recommended(actions, model.mix)
    told: dict[str, Any] = {"method": "played", "played": played, "seed": seed}
    return replace(model, actions=actions, contracts=contracts, recommend=best, mix=mix, **told)
