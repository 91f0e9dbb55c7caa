"""The up-card question against an opponent who bids in a known way: that of ``--method equilibrium``.

Every hand the opponent can hold is counted, weighted by how likely he is to have bid as he did with it; his later
bids follow his way of bidding, the asker's own are best from here on, and the play is double-dummy. Under
``equilibrium`` the way of bidding is the stored one (`analysis.towers_and_bowers.solutions.bidding`), each bid made at
least with its floor; under ``--against`` it is a player's rule (`analysis.towers_and_bowers.upcard.against`), without
a floor.

Where the whole hand has been solved (the smallest ones), what the asker's calls and discards are worth under
``equilibrium`` is not the model's but the game's, hidden hands to the end
(`solver.towers_and_bowers.whole_hand.call_values`); after a pass that the solution never makes it is the model's
again, against all hands alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND, StoredBidding, load_bidding
from analysis.towers_and_bowers.solutions.model_error import model_errors
from analysis.towers_and_bowers.solutions.stored_side import NOTHING_STORED, OwnHand, StoredSide, own_hand
from analysis.towers_and_bowers.upcard.answers import (
    ACCEPT,
    PASS,
    SEATS,
    ContractValue,
    DiscardAnswer,
    Mix,
    Prospects,
    UpcardAnswer,
    View,
    make_answer,
    rounded,
    shares_of,
)
from games.arrays import Floats
from games.cards import card_text, mask_cards, parse_card, rank_of, suit_of, to_play_order
from solver.towers_and_bowers.bidding.layouts import DealerBids, Layouts, NondealerBids, make_layouts, spread
from solver.towers_and_bowers.bidding.strategies import payoffs


@dataclass(frozen=True)
class Weighing:
    """One player's view and the layouts behind it, weighted by the opponent's way of bidding.

    Attributes:
        view: the asker's.
        layouts: the opponent's hands.
        way: how he bids with them.
        as_bidder, as_defender: float64[8], the non-dealer's value by his tricks when he, or the dealer, is the bidder.
        own: what is stored of the asker's hand: known values of his calls and discards stand for the model's.
    """

    view: View
    layouts: Layouts
    way: NondealerBids | DealerBids
    as_bidder: Floats
    as_defender: Floats
    own: OwnHand = NOTHING_STORED

    def prospects(self, second_round: bool) -> Prospects:
        """All that the asker's first or second decision can lead to."""
        paths, known = self.way.paths(), self.own.worth(second_round)
        first, second = _or_alike(paths.first), _or_alike(paths.second)
        accepted, named = {}, {}
        if not second_round:
            accepted[True] = self._accepted(first, True).worth(known.get(ACCEPT))
            accepted[False] = self._accepted(_or_alike(paths.accepted), False)
        mine, theirs = (second, second, second), map(_or_alike, paths.named.T)
        for asker_bids, weights in ((True, mine), (False, tuple(theirs))):
            named[asker_bids] = {
                suit: self._contract(self._in_suit(place, weights[place]), asker_bids)
                for suit, place in self.view.suits.items()
            }
        named[True] = {suit: value.worth(self.own.second_worth.get(suit)) for suit, value in named[True].items()}
        passing = None
        if not second_round:
            passing = self.view.mine(self._passed(first))
        elif isinstance(self.way, DealerBids):
            passing = self.view.mine(self._left(self.way, second))
        return Prospects(accepted, named, passing if passing is None else rounded(known.get(PASS, passing)))

    def discards(self, asker_bids: bool) -> dict[str, float]:
        """P(the dealing asker wins the tower) by the card he discards, the best one first."""
        paths = self.way.paths()
        weights = _or_alike(paths.first if asker_bids else paths.accepted)
        kept = sorted(self._kept(weights, asker_bids), key=self._merit, reverse=True)
        return {str(value.discard): value.tower for value in kept}

    def _accepted(self, weights: Floats, asker_bids: bool) -> ContractValue:
        """The accepted contract; a dealing asker discards the one card that is best over these layouts."""
        if isinstance(self.way, DealerBids):
            discards = self.way.discards if asker_bids else self.way.own_discards
            return self._contract(spread(self.layouts.exchanged, discards * weights[:, None]), asker_bids)
        return max(self._kept(weights, asker_bids), key=self._merit)

    def _kept(self, weights: Floats, asker_bids: bool) -> list[ContractValue]:
        """The accepted contract after each discard of a dealing asker."""
        known, made = self.own.discards_worth.get(asker_bids, {}), []
        for place, card in enumerate(map(card_text, mask_cards(self.view.hand))):
            tricks = spread(self.layouts.exchanged[:, place], weights)
            made.append(self._contract(tricks, asker_bids, card).worth(known.get(card)))
        return made

    def _merit(self, value: ContractValue) -> tuple[float, float, int]:
        """Of a discard: most P(win the tower), then most tricks, then the lowest card in play order."""
        place = to_play_order(1 << parse_card(str(value.discard)), suit_of(self.view.up), True)
        return round(value.tower, 10), round(value.tricks, 10), -int(place)

    def _passed(self, weights: Floats) -> float:
        """The non-dealer's mean value after the asker's first pass."""
        way, total, places = self.way, float(weights.sum()), range(3)
        if isinstance(way, NondealerBids):
            suits = sum(float(self.as_bidder @ self._in_suit(place, weights * way.names[:, place])) for place in places)
            left = weights * way.names[:, 3]
            return (suits + min(float(self.as_defender @ self._in_suit(place, left)) for place in places)) / total
        answered, rest = weights * way.answers, weights * (1 - way.answers)
        accepted = float(self.as_defender @ spread(self.layouts.exchanged, way.own_discards * answered[:, None]))
        named = max(float(self.as_bidder @ self._in_suit(place, rest)) for place in places)
        return (accepted + max(named, self._left(way, rest) * float(rest.sum()))) / total

    def _left(self, way: DealerBids, weights: Floats) -> float:
        """The non-dealer's mean value when the dealer is left to name."""
        values = sum(float(self.as_defender @ self._in_suit(place, weights * way.left[:, place])) for place in range(3))
        total = float(weights.sum())
        return values / total if total else 0.0

    def _in_suit(self, place: int, weights: Floats) -> Floats:
        return spread(self.layouts.named[:, place], weights)

    def _contract(self, tricks: Floats, asker_bids: bool, discard: str | None = None) -> ContractValue:
        """From weights by the non-dealer's tricks."""
        share = shares_of(tricks, self.view.cards)
        worth = self.as_defender if asker_bids == self.view.dealer else self.as_bidder
        return self.view.contract(share, float(share @ worth[: len(share)]), asker_bids, discard)


def weigh(
    view: View,
    way: NondealerBids | DealerBids,
    layouts: Layouts,
    next_deal: float | None,
    *,
    tie_to_bidder: bool = False,
    own: OwnHand = NOTHING_STORED,
) -> Weighing:
    """What a player sees, the other bidding in a known way with each layout."""
    return Weighing(view, layouts, way, *payoffs(view.cards, next_deal or 0.0, tie_to_bidder), own)


def _or_alike(weights: Floats) -> Floats:
    """The weights, or ones where no layout has any."""
    return weights if weights.sum() > 0 else np.ones(len(weights))


# ----------------------------------------------------------------------------------------------------- the equilibrium


def answer_equilibrium(hand: int, up: int, dealer: bool, second_round: bool) -> UpcardAnswer | None:
    """The equilibrium of the bidding, or of the whole hand; None where no solution is at hand."""
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    weighing = against_equilibrium(stored, hand, up, dealer)
    own, likelihood = weighing.own, weighing.way.paths().likelihood(second_round)
    discards = {} if second_round else own.discards
    mix = _mix(
        stored,
        own.second if second_round else own.first,
        WHOLE_HAND if own.worth(second_round) else DOUBLE_DUMMY,
        {"me" if by else "them": {card: p for card, p in shares.items() if p} for by, shares in discards.items()},
        likelihood * (own.first[PASS] if second_round else 1.0),
    )
    told = weighing.prospects(second_round), len(weighing.layouts.hands), stored.next_deal
    measured = None if second_round else model_errors().get((hand.bit_count(), SEATS[not dealer]))
    error = 0.0 if mix.values_of == WHOLE_HAND else measured
    likelihood = rounded(likelihood)
    return make_answer(weighing.view, *told, "equilibrium", mix=mix, likelihood=likelihood, model_error=error)


def answer_discard(hand: int, up: int, asker_bids: bool) -> DiscardAnswer | None:
    """Which card to give for the up-card; None where no solution is at hand.

    Args:
        hand: printed mask of the dealer's cards as they were dealt.
        up: the up-card.
        asker_bids: the dealer has accepted himself, after a pass; else the other has.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    weighing = against_equilibrium(stored, hand, up, dealer=True)
    solved = WHOLE_HAND if weighing.own.discards_worth.get(asker_bids) else DOUBLE_DUMMY
    mix = _mix(stored, weighing.own.discards[asker_bids], solved)
    return DiscardAnswer(weighing.discards(asker_bids), mix, len(weighing.layouts.hands))


def against_equilibrium(stored: StoredBidding, hand: int, up: int, dealer: bool) -> Weighing:
    """What the asker sees, the other bidding as is stored."""
    layouts = make_layouts(hand, up, dealer)
    side = StoredSide(stored, up, layouts.hands)
    way = side.nondealer() if dealer else side.dealer()
    return weigh(View.of(hand, up, dealer), way, layouts, stored.next_deal, own=own_hand(stored, up, hand, dealer))


def _mix(
    stored: StoredBidding,
    shares: Mapping[str, float],
    values_of: str,
    discards: Mapping[str, Mapping[str, float]] | None = None,
    reached: float = 1.0,
) -> Mix:
    """What is stored of one decision."""
    told = stored.exploitability, stored.exploitability_of, stored.floor
    return Mix(shares, discards or {}, *told, values_of, reached)
