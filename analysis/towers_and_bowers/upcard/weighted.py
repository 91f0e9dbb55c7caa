"""The up-card question against an opponent who bids in a known way: that of ``--method equilibrium``.

Every hand the opponent can hold is counted, weighted by how likely he is to have bid as he did with it; his later
bids follow his way of bidding, the asker's own are best from here on, and the play is double-dummy. Under
``equilibrium`` the way of bidding is the stored one (`analysis.towers_and_bowers.solutions.bidding`), each bid made at
least with its floor; under ``--against`` it is a player's rule (`analysis.towers_and_bowers.upcard.against`), without
a floor.

Where the whole hand has been solved (the smallest ones), what the asker's calls and discards are worth under
``equilibrium`` is not the model's but the game's, hidden hands to the end
(`solver.towers_and_bowers.whole_hand.call_values`); contracts stay the model's. Where the opponent's bids never lead
(`StoredBidding.least_likelihood`) the solution means nothing: decisions are answered by
`analysis.towers_and_bowers.upcard.open_cards`, and contracts count all hands alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analysis.towers_and_bowers.solutions.bidding import DOUBLE_DUMMY, WHOLE_HAND, StoredBidding, load_bidding
from analysis.towers_and_bowers.solutions.model_error import model_errors
from analysis.towers_and_bowers.solutions.stored_side import NOTHING_STORED, OwnHand, StoredSide, own_hand
from analysis.towers_and_bowers.upcard.answers import (
    OFF_PATH,
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
from analysis.towers_and_bowers.upcard.open_cards import evaluate_discard, evaluate_upcard
from games.arrays import Floats
from games.cards import SUITS, card_text, mask_cards, rank_of, suit_of, to_play_order
from solver.towers_and_bowers.bidding.layouts import DealerBids, Layouts, NondealerBids, make_layouts, spread
from solver.towers_and_bowers.bidding.strategies import payoffs


@dataclass(frozen=True)
class Weighing:
    """One player's view and the layouts behind it, weighted by the opponent's way of bidding.

    Attributes:
        view: the asker's.
        layouts: the opponent's hands.
        way: how he bids with them.
        as_bidder, as_defender: float64[8], the non-dealer's value by tricks when the non-dealer, or the dealer, bids.
        own: what is stored of the asker's hand: known values of calls and discards stand for the model's.
        least: a decision that the opponent's bids lead to no more often is off the path: all hands count alike.
    """

    view: View
    layouts: Layouts
    way: NondealerBids | DealerBids
    as_bidder: Floats
    as_defender: Floats
    own: OwnHand = NOTHING_STORED
    least: float = 0.0

    def off_path(self, weights: Floats) -> bool:
        """Whether the opponent's bids lead there too seldom for what is stored to mean anything."""
        return float(weights.mean()) <= self.least

    def prospects(self, second_round: bool) -> Prospects:
        """All that the asker's first or second decision can lead to."""
        paths, up = self.way.paths(), SUITS[suit_of(self.view.up)]
        reached = {(True, suit): paths.second for suit in self.view.suits}
        reached |= {(False, suit): paths.named[:, place] for suit, place in self.view.suits.items()}
        accepted: dict[bool, ContractValue] = {}
        if not second_round:
            reached |= {(True, up): paths.first, (False, up): paths.accepted}
            accepted = {asker_bids: self._accepted(asker_bids) for asker_bids in (True, False)}
        named = {
            asker_bids: {
                suit: self._contract(self._in_suit(place, self._weights(reached[asker_bids, suit])), asker_bids)
                for suit, place in self.view.suits.items()
            }
            for asker_bids in (True, False)
        }
        passing = None
        if not second_round:
            passing = self.view.mine(self._passed(paths.first))
        elif isinstance(self.way, DealerBids):
            passing = self.view.mine(self._left(self.way, self._weights(paths.second)))
        off_path = frozenset(contract for contract, weights in reached.items() if self.off_path(weights))
        return Prospects(accepted, named, passing, self.own.worth(second_round), off_path)

    def discards(self, asker_bids: bool) -> dict[str, float]:
        """P(the dealing asker wins the tower) by the card discarded, the best one first."""
        return {str(value.discard): tower for value, tower in self._kept(asker_bids)}

    def _weights(self, reached: Floats) -> Floats:
        """As the opponent's bids let it come to this, or alike where they do not."""
        return np.ones(len(reached)) if self.off_path(reached) else reached

    def _accepted(self, asker_bids: bool) -> ContractValue:
        """The accepted contract; a dealing asker discards the one card that is best over these layouts."""
        if isinstance(self.way, NondealerBids):
            return self._kept(asker_bids)[0][0]
        paths = self.way.paths()
        weights = self._weights(paths.first if asker_bids else paths.accepted)
        discards = self.way.discards if asker_bids else self.way.own_discards
        return self._contract(spread(self.layouts.exchanged, discards * weights[:, None]), asker_bids)

    def _kept(self, asker_bids: bool) -> list[tuple[ContractValue, float]]:
        """The accepted contract after each discard of a dealing asker with P(win the tower), the best one first.

        Best is most P(win the tower), then most tricks, then the lowest card in play order.
        """
        paths = self.way.paths()
        reached = paths.first if asker_bids else paths.accepted
        known = {} if self.off_path(reached) else self.own.discards_worth.get(asker_bids, {})
        weights, made = self._weights(reached), []
        for place, card in enumerate(mask_cards(self.view.hand)):
            tricks = spread(self.layouts.exchanged[:, place], weights)
            value = self._contract(tricks, asker_bids, card_text(card))
            tower = rounded(known.get(card_text(card), value.tower))
            order = -int(to_play_order(1 << card, suit_of(self.view.up), True))
            made.append((round(tower, 10), round(value.tricks, 10), order, value, tower))
        return [(value, tower) for *_, value, tower in sorted(made, key=lambda row: row[:3], reverse=True)]

    def _passed(self, weights: Floats) -> float:
        """The non-dealer's mean value after the asker's first pass."""
        way, places = self.way, range(3)
        weights = self._weights(weights)
        total = float(weights.sum())
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
    least: float = 0.0,
) -> Weighing:
    """What a player sees, the other bidding in a known way with each layout."""
    return Weighing(view, layouts, way, *payoffs(view.cards, next_deal or 0.0, tie_to_bidder), own, least)


# ----------------------------------------------------------------------------------------------------- the equilibrium


def answer_equilibrium(hand: int, up: int, dealer: bool, second_round: bool) -> UpcardAnswer | None:
    """The equilibrium of the bidding, or of the whole hand; None where no solution is at hand.

    Where the opponent never lets it come to this, pimc answers: `UpcardAnswer.off_path`.
    """
    stored = load_bidding(hand.bit_count(), rank_of(up))
    if stored is None:
        return None
    weighing = against_equilibrium(stored, hand, up, dealer)
    paths, own = weighing.way.paths(), weighing.own
    if weighing.off_path(paths.second if second_round else paths.first):
        return replace(evaluate_upcard(hand, up, dealer, second_round), off_path=True)
    likelihood = paths.likelihood(second_round)
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
    paths = weighing.way.paths()
    if weighing.off_path(paths.first if asker_bids else paths.accepted):
        return replace(evaluate_discard(hand, up, asker_bids), note=OFF_PATH)
    solved = WHOLE_HAND if weighing.own.discards_worth.get(asker_bids) else DOUBLE_DUMMY
    mix = _mix(stored, weighing.own.discards[asker_bids], solved)
    return DiscardAnswer(weighing.discards(asker_bids), mix, len(weighing.layouts.hands))


def against_equilibrium(stored: StoredBidding, hand: int, up: int, dealer: bool) -> Weighing:
    """What the asker sees, the other bidding as is stored."""
    layouts = make_layouts(hand, up, dealer)
    side = StoredSide(stored, up, layouts.hands)
    way = side.nondealer() if dealer else side.dealer()
    own = own_hand(stored, up, hand, dealer)
    return weigh(View.of(hand, up, dealer), way, layouts, stored.next_deal, own=own, least=stored.least_likelihood)


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
